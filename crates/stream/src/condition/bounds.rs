//! The values that columns can have in rows that meet a condition.

use std::ops::RangeInclusive;

use thiserror::Error;

use super::{Expression, Literal, Operand, Operator, Predicate};
use crate::output::{Column, ColumnSource, Kind};
use bulkdoku_core::Status;
use bulkdoku_logic::generate::rated_within;
use bulkdoku_logic::{Difficulty, Technique, Techniques};

/// Values of a column: closed intervals, in ascending order. Names and truth values are numbers, by
/// their order.
#[derive(Clone, Debug, PartialEq)]
struct Values(Vec<(f64, f64)>);

/// The possible values of computed columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds(Vec<(Column, Values)>);

/// A condition that no row meets.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("no value of {column} meets it; possible values: {}", possible.shown(*column))]
pub struct Impossible {
    /// A column without a value that meets the condition.
    pub column: Column,
    /// The values that it can have.
    possible: Values,
}

impl Values {
    fn within(intervals: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self(intervals.into_iter().collect())
    }

    fn in_range(range: &RangeInclusive<u64>) -> Self {
        Self::within([(*range.start() as f64, *range.end() as f64)])
    }

    /// Returns the values that are in a relation to a number.
    fn compared(operator: Operator, number: f64) -> Self {
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        let (below, above) = ((least, number.next_down()), (number.next_up(), most));
        match operator {
            Operator::Equal => Self::within([(number, number)]),
            Operator::NotEqual => Self::within([below, above]),
            Operator::Less => Self::within([below]),
            Operator::AtMost => Self::within([(least, number)]),
            Operator::Greater => Self::within([above]),
            Operator::AtLeast => Self::within([(number, most)]),
        }
    }

    /// Returns the common values. Those of a type without fractions are whole numbers.
    fn intersection(&self, other: &Self, kind: Kind) -> Self {
        let pairs = self.0.iter().flat_map(|one| other.0.iter().map(move |other| (one, other)));
        let common = pairs.map(|(one, other)| (one.0.max(other.0), one.1.min(other.1)));
        Self::within(common.filter_map(|(least, most)| {
            let (least, most) = match kind {
                Kind::Double => (least, most),
                _ => (least.ceil(), most.floor()),
            };
            (least <= most).then_some((least, most))
        }))
    }

    /// Returns whether a value is among these.
    fn contain(&self, value: f64) -> bool {
        self.0.iter().any(|(least, most)| (*least..=*most).contains(&value))
    }

    fn shown(&self, column: Column) -> String {
        let name = |value: f64| match column.kind() {
            Kind::Status => Status::ALL[value as usize].name().into(),
            Kind::Technique => {
                Technique::all().nth(value as usize).expect("it exists").name().into()
            }
            Kind::Difficulty => Difficulty::ALL[value as usize].name().into(),
            Kind::Truth => (value > 0.0).to_string(),
            _ => value.to_string(),
        };
        let interval = |&(least, most): &(f64, f64)| match most {
            most if most <= least => name(least),
            most if most >= u64::MAX as f64 => format!("{} or more", name(least)),
            _ => format!("{} to {}", name(least), name(most)),
        };
        self.0.iter().map(interval).collect::<Vec<_>>().join(", ")
    }
}

impl Bounds {
    /// Returns the values that a column can have.
    fn of(&self, column: Column) -> Values {
        let known = self.0.iter().find(|(other, _)| *other == column);
        known.map_or_else(|| all_of(column), |(_, values)| values.clone())
    }

    /// Returns the techniques that can be the hardest ones.
    pub fn techniques(&self) -> Techniques {
        let [techniques, difficulties, ratings, Values(scores)] =
            [Column::Technique, Column::Difficulty, Column::Se121, Column::Score]
                .map(|column| self.of(column));
        let ratings = ratings.0.iter().map(|&(least, most)| rated_within(least, most));
        let rated = ratings.reduce(Techniques::union).unwrap_or(Techniques::NONE);
        let most = scores.iter().fold(0.0, |most: f64, interval| most.max(interval.1));
        rated.intersection(Techniques::filter(|technique| {
            techniques.contain(f64::from(technique as u8))
                && difficulties.contain(f64::from(technique.difficulty() as u8))
                && f64::from(technique.definition().score) <= most
        }))
    }

    /// Narrows the values of a column to those in a range. Names and truth values are numbers, by
    /// their order.
    ///
    /// # Errors
    /// Fails if no value is left.
    pub fn narrow(&mut self, column: Column, range: RangeInclusive<u64>) -> Result<(), Impossible> {
        self.narrow_to(column, &Values::in_range(&range))
    }

    fn narrow_to(&mut self, column: Column, values: &Values) -> Result<(), Impossible> {
        let possible = self.of(column);
        let values = possible.intersection(values, column.kind());
        if values.0.is_empty() {
            return Err(Impossible { column, possible });
        }
        self.0.retain(|(other, _)| *other != column);
        self.0.push((column, values));
        Ok(())
    }

    /// Returns whether no row lacks the value of a column: those with one solution have some of them.
    fn are_present(&self, column: Column) -> bool {
        let unique = f64::from(Status::Unique as u8);
        let are_unique = self.of(Column::Status).0 == [(unique, unique)];
        are_unique && matches!(column, Column::Status | Column::Clues | Column::Minimal)
    }

    /// Returns the bounds of rows that are within one of these bounds.
    fn union(all: Vec<Self>) -> Self {
        let mut all = all.into_iter();
        let Self(mut union) = all.next().unwrap_or_default();
        for Self(bounds) in all {
            union.retain_mut(|(column, values)| {
                let other = bounds.iter().find(|(other, _)| other == column);
                other.inspect(|(_, others)| values.0.extend(&others.0)).is_some()
            });
        }
        Self(union)
    }
}

/// Returns all values of a column.
fn all_of(column: Column) -> Values {
    let last = match column.kind() {
        Kind::Status => Status::ALL.len() - 1,
        Kind::Technique => Technique::COUNT - 1,
        Kind::Difficulty => Difficulty::ALL.len() - 1,
        Kind::Truth => 1,
        _ => return Values::in_range(&column.range()),
    };
    Values::in_range(&(0..=last as u64))
}

impl Predicate {
    /// Returns the bounds of the rows within some bounds that can meet the condition.
    ///
    /// # Errors
    /// Fails if there are none.
    pub fn narrow(&self, bounds: &Bounds) -> Result<Bounds, Impossible> {
        self.0.narrow(bounds.clone())
    }
}

impl Expression<ColumnSource> {
    fn narrow(&self, mut bounds: Bounds) -> Result<Bounds, Impossible> {
        match self {
            Self::All(all) => all.iter().try_fold(bounds, |bounds, one| one.narrow(bounds)),
            Self::Any(any) => {
                let (possible, impossible): (Vec<_>, Vec<_>) =
                    any.iter().map(|one| one.narrow(bounds.clone())).partition(Result::is_ok);
                match impossible.into_iter().next() {
                    Some(Err(error)) if possible.is_empty() => Err(error),
                    _ => Ok(Bounds::union(possible.into_iter().flatten().collect())),
                }
            }
            Self::Compare(left, operator, right) => {
                for (column, operator, number) in comparisons(left, *operator, right) {
                    bounds.narrow_to(column, &Values::compared(operator, number))?;
                }
                Ok(bounds)
            }
            Self::In(operand, list) => {
                let number = |(literal, _): &(Literal, usize)| literal.number(operand.column());
                let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
                if let (Some(column), Some(numbers)) = (operand.column(), numbers) {
                    let points = numbers.into_iter().map(|number| (number, number));
                    bounds.narrow_to(column, &Values::within(points))?;
                }
                Ok(bounds)
            }
            Self::Has(operand, name, _) => {
                if let (Some(Column::Techniques), Ok(technique)) =
                    (operand.column(), name.parse::<Technique>())
                {
                    let harder = technique as u64..=Technique::COUNT as u64;
                    bounds.narrow(Column::Technique, harder)?;
                }
                Ok(bounds)
            }
            Self::Truth(operand) => {
                operand.column().map_or(Ok(()), |column| bounds.narrow(column, 1..=1))?;
                Ok(bounds)
            }
            // Also true if a value is missing.
            Self::Not(condition) => {
                match &**condition {
                    Self::Compare(left, operator, right) => {
                        for (column, operator, number) in comparisons(left, *operator, right) {
                            if bounds.are_present(column) {
                                let values = Values::compared(operator.negated(), number);
                                bounds.narrow_to(column, &values)?;
                            }
                        }
                    }
                    Self::Truth(operand) => {
                        if let Some(column) = operand.column()
                            && bounds.are_present(column)
                        {
                            bounds.narrow(column, 0..=0)?;
                        }
                    }
                    _ => {}
                }
                Ok(bounds)
            }
        }
    }
}

/// Returns the comparisons of a column with a number.
fn comparisons<'a>(
    left: &'a Operand<ColumnSource>,
    operator: Operator,
    right: &'a Operand<ColumnSource>,
) -> impl Iterator<Item = (Column, Operator, f64)> + use<'a> {
    let both = [(operator, left, right), (operator.mirrored(), right, left)];
    both.into_iter().filter_map(|(operator, one, other)| {
        let (column, number) = (one.column()?, other.number(one.column())?);
        // Statuses are ordered as texts.
        let is_ordered = column.kind() != Kind::Status || operator.is_equality();
        is_ordered.then_some((column, operator, number))
    })
}

impl Operator {
    /// Returns the operator for exchanged operands.
    fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    /// Returns the operator that is true where this one is false.
    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::Greater,
            Self::Greater => Self::AtMost,
            Self::AtLeast => Self::Less,
        }
    }

    fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

impl Operand<ColumnSource> {
    /// Returns the computed column.
    fn column(&self) -> Option<Column> {
        match self {
            Self::Column(ColumnSource::Computed(column)) => Some(*column),
            Self::Column(ColumnSource::Input(_)) | Self::Literal(..) => None,
        }
    }

    /// Returns the number of a literal among the values of a column.
    fn number(&self, column: Option<Column>) -> Option<f64> {
        match self {
            Self::Literal(literal, _) => literal.number(column),
            Self::Column(_) => None,
        }
    }
}

impl Literal {
    /// Returns the number of the literal among the values of a column.
    fn number(&self, column: Option<Column>) -> Option<f64> {
        match (self, column?.kind()) {
            (Self::Number(number), Kind::Number | Kind::Double) => Some(*number),
            (Self::Truth(is), Kind::Truth) => Some(f64::from(u8::from(*is))),
            (Self::Text(name), Kind::Status) => {
                name.parse::<Status>().ok().map(|status| f64::from(status as u8))
            }
            (Self::Text(name), Kind::Technique) => {
                name.parse::<Technique>().ok().map(|technique| f64::from(technique as u8))
            }
            (Self::Text(name), Kind::Difficulty) => {
                name.parse::<Difficulty>().ok().map(|difficulty| f64::from(difficulty as u8))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use super::*;

    fn narrowed(condition: &str, bounds: &Bounds) -> Result<Bounds, String> {
        let parsed: Condition = condition.parse().unwrap();
        let predicate = parsed.resolve(Column::OF_GENERATE, &[]).unwrap();
        predicate.narrow(bounds).map_err(|error| error.to_string())
    }

    #[test]
    fn techniques_of_conditions_are_those_that_can_meet_them() {
        for (condition, first, count) in [
            ("technique == 'xy-wing'", "xy-wing", 1),
            ("'xy-wing' == technique and clues < 24", "xy-wing", 1),
            ("technique >= 'x-wing' and technique < 'naked-triple'", "x-wing", 2),
            ("'x-wing' < technique and technique <= 'naked-triple'", "hidden-pair", 2),
            ("technique in ('x-wing', 'jellyfish') or technique == 'swordfish'", "x-wing", 3),
            ("technique != 'full-house'", "hidden-single-box", Technique::COUNT - 1),
            ("technique == 'x-wing' or clues < 24", "full-house", Technique::COUNT),
            ("difficulty == 'medium'", "pointing", 6),
            ("techniques has 'aligned-triplet-exclusion'", "aligned-triplet-exclusion", 10),
            ("not (techniques has 'x-wing')", "full-house", Technique::COUNT),
            ("se121 > 4 and technique < 'xy-wing'", "skyscraper", 4),
            ("se121 in (1.2, 2.6)", "hidden-single-box", 10),
            ("score < 60 and technique > 'naked-single'", "pointing", 2),
            ("difficulty < 'hard' and technique > 'pointing'", "claiming", 5),
            ("technique == 'x-wing' or clues > 81", "x-wing", 1),
            ("not (technique == 'x-wing')", "full-house", Technique::COUNT),
        ] {
            let techniques = narrowed(condition, &Bounds::default()).unwrap().techniques();
            let names: Vec<_> = techniques.iter().map(Technique::name).collect();
            assert_eq!((names[0], names.len()), (first, count), "{condition}");
        }
    }

    #[test]
    fn conditions_that_no_row_meets_are_found() {
        let mut minimal = Bounds::default();
        minimal.narrow(Column::Clues, 17..=40).unwrap();
        minimal.narrow(Column::Minimal, 1..=1).unwrap();
        let unique = Status::Unique as u64;
        minimal.narrow(Column::Status, unique..=unique).unwrap();
        for (condition, column, possible) in [
            ("clues > 50", "clues", "17 to 40"),
            ("clues == 17 and 18 == clues", "clues", "17"),
            ("clues > 20 and clues < 21", "clues", "21 to 40"),
            ("clues in (3, 99) and score == 1", "clues", "17 to 40"),
            ("clues == 17.5", "clues", "17 to 40"),
            ("clues > 50 or clues < 9", "clues", "17 to 40"),
            ("difficulty > 'extreme'", "difficulty", "easy to extreme"),
            ("se121 < 1", "se121", "1 or more"),
            ("guess_rating < 0", "guess_rating", "0 or more"),
            ("status == 'multiple'", "status", "unique"),
            ("minimal == false", "minimal", "true"),
            ("not minimal", "minimal", "true"),
            ("not (clues < 50)", "clues", "17 to 40"),
            ("clues > 20 and not (clues > 20)", "clues", "21 to 40"),
            ("technique < 'full-house'", "technique", "full-house to nested-forcing-chain-5"),
        ] {
            let expected = format!("no value of {column} meets it; possible values: {possible}");
            assert_eq!(narrowed(condition, &minimal), Err(expected), "{condition}");
        }
        for possible in [
            "not (clues > 50)",
            "clues > 50 or score == 3",
            "clues != 17 and clues < 19",
            "se121 > 1 and se121 < 1.1",
            "status != 'multiple' and minimal",
            "status >= 'multiple'",
        ] {
            assert!(narrowed(possible, &minimal).is_ok(), "{possible}");
        }
    }
}
