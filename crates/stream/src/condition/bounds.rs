//! Whether rows can meet a condition, and with which techniques.

use std::ops::RangeInclusive;

use super::early::Known;
use super::{ConditionError, Expression, Operand, Predicate};
use crate::output::{Column, ColumnSource, Kind, Value};
use bulkdoku_core::Status;
use bulkdoku_logic::{Difficulty, Technique, Techniques};

impl Predicate {
    /// Rejects a condition that no row meets, if that follows from the values of one column. Columns
    /// have values in these ranges, or none if a range is empty; other columns may have any value or
    /// none. Names and truth values are numbers, by their order.
    ///
    /// # Errors
    /// Fails if no value of a column in the condition, or of the hardest technique, meets it.
    pub fn check(&self, ranges: &[(Column, RangeInclusive<u64>)]) -> Result<(), ConditionError> {
        if self.decided_if(&[]) == Some(false) {
            return Err(ConditionError("no row meets it".into()));
        }
        let columns = self.columns.iter().filter_map(|source| match source {
            ColumnSource::Computed(column) => Some(*column),
            ColumnSource::Input(_) => None,
        });
        for column in columns.chain([Column::Technique]) {
            let mut values = self.values(column, ranges).into_iter();
            if !values.any(|value| self.decided_if(&assuming(column, value)) != Some(false)) {
                let possible = shown(column, &range_of(column, ranges));
                return Err(ConditionError(format!(
                    "no value of {column} meets it; possible values: {possible}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the techniques that can be the hardest ones of rows that meet the condition, even if
    /// rows that need others have no path.
    pub fn techniques(&self) -> Techniques {
        Techniques::filter(|technique| {
            let with_path = assuming(Column::Technique, Known::Value(Value::Technique(technique)));
            let mut without = with_path.clone();
            without.extend(with_path.iter().map(|(column, _)| (*column, MISSING)));
            [with_path, without].iter().any(|assumed| self.decided_if(assumed) != Some(false))
        })
    }

    /// Returns whether a row meets the condition if columns have these values. Later ones replace
    /// earlier ones.
    fn decided_if(&self, assumed: &[(Column, Known<'static>)]) -> Option<bool> {
        self.decided(&|source| match source {
            ColumnSource::Computed(column) => {
                let known = assumed.iter().rfind(|(other, _)| *other == column);
                known.map_or(Known::Unknown, |(_, known)| known.clone())
            }
            ColumnSource::Input(_) => Known::Unknown,
        })
    }

    /// Returns the values of a column that make a difference.
    fn values(
        &self,
        column: Column,
        ranges: &[(Column, RangeInclusive<u64>)],
    ) -> Vec<Known<'static>> {
        let (kind, range) = (column.kind(), range_of(column, ranges));
        let mut values: Vec<_> = match kind {
            Kind::Text => return vec![Known::Unknown],
            Kind::Number | Kind::Double => {
                let (first, last) = (*range.start() as f64, *range.end() as f64);
                // The condition holds for all numbers or for none between two of these.
                let numbers = self.expression.numbers().into_iter().flat_map(|number| match kind {
                    Kind::Double => [number.next_down(), number, number.next_up()],
                    _ => [number.ceil() - 1.0, number.ceil(), number.floor() + 1.0],
                });
                let numbers = numbers.chain([first, last]);
                let numbers = numbers.filter(|number| (first..=last).contains(number));
                numbers.map(|number| Known::Value(Value::Decimal(number))).collect()
            }
            _ => range.clone().map(|number| Known::Value(value_of(kind, number))).collect(),
        };
        if range.is_empty() || !ranges.iter().any(|(other, _)| *other == column) {
            values.push(MISSING);
        }
        values
    }
}

const MISSING: Known<'static> = Known::Value(Value::None);

/// Returns a value of a column, and what it implies for others.
fn assuming(column: Column, value: Known<'static>) -> Vec<(Column, Known<'static>)> {
    let mut assumed = match (column, &value) {
        (Column::Technique, Known::Value(Value::Technique(technique))) => {
            let least = f64::from(technique.definition().score);
            let difficulty = Known::Value(Value::Difficulty(technique.difficulty()));
            vec![
                (Column::Difficulty, difficulty),
                (Column::Score, Known::Within(least, f64::INFINITY)),
                (Column::Steps, Known::Within(1.0, f64::INFINITY)),
                (Column::Techniques, Known::Within(0.0, f64::from(*technique as u8))),
            ]
        }
        (Column::Technique, _) => {
            vec![(Column::Difficulty, MISSING), (Column::Techniques, MISSING)]
        }
        _ => Vec::new(),
    };
    assumed.push((column, value));
    assumed
}

/// Returns the range of a column: the given one, or that of all values.
fn range_of(column: Column, ranges: &[(Column, RangeInclusive<u64>)]) -> RangeInclusive<u64> {
    let given = ranges.iter().find(|(other, _)| *other == column);
    given.map_or_else(|| column.range(), |(_, range)| range.clone())
}

/// Returns the value with a number, by its order.
fn value_of(kind: Kind, number: u64) -> Value<'static> {
    match kind {
        Kind::Status => Value::Status(Status::ALL[number as usize]),
        Kind::Technique => {
            Value::Technique(Technique::all().nth(number as usize).expect("it exists"))
        }
        Kind::Difficulty => Value::Difficulty(Difficulty::ALL[number as usize]),
        Kind::Truth => Value::Truth(number > 0),
        _ => Value::Number(number),
    }
}

fn shown(column: Column, range: &RangeInclusive<u64>) -> String {
    let name = |number: &u64| match value_of(column.kind(), *number) {
        Value::Number(number) => number.to_string(),
        value => String::from_utf8_lossy(&value.text().unwrap_or_default()).into_owned(),
    };
    match (range.start(), range.end()) {
        _ if range.is_empty() => "none".into(),
        (least, most) if least == most => name(least),
        (least, &u64::MAX) => format!("{} or more", name(least)),
        (least, most) => format!("{} to {}", name(least), name(most)),
    }
}

impl Expression {
    /// Returns the numbers in comparisons.
    fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Any(all) | Self::All(all) => all.iter().flat_map(Self::numbers).collect(),
            Self::Not(one) => one.numbers(),
            Self::Compare((_, Operand::Number(number)), ..)
            | Self::Compare(.., (_, Operand::Number(number))) => vec![*number],
            Self::Compare(..) | Self::Has(..) | Self::Truth(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use super::*;

    fn predicate(condition: &str) -> Predicate {
        let parsed: Condition = condition.parse().unwrap();
        parsed.resolve(Column::OF_GENERATE, &[]).unwrap()
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
            ("score < 60 and technique > 'naked-single'", "pointing", 2),
            ("difficulty < 'hard' and technique > 'pointing'", "claiming", 5),
            ("not (technique == 'x-wing')", "full-house", Technique::COUNT),
        ] {
            let techniques = predicate(condition).techniques();
            let names: Vec<_> = techniques.iter().map(Technique::name).collect();
            assert_eq!((names[0], names.len()), (first, count), "{condition}");
        }
    }

    #[test]
    fn possible_conditions_are_accepted() {
        let unique = Status::Unique as u64;
        let minimal =
            [(Column::Clues, 17..=40), (Column::Minimal, 1..=1), (Column::Status, unique..=unique)];
        for possible in [
            "not (clues > 50)",
            "clues > 50 or score == 3",
            "clues != 17 and clues < 19",
            "se121 > 1 and se121 < 1.1",
            "status != 'multiple' and minimal",
            "status >= 'multiple'",
            "technique == 'x-wing' and difficulty == 'hard' and se121 == 3.2 and score > 140",
            "not (technique >= 'full-house') and steps == 60",
        ] {
            assert_eq!(predicate(possible).check(&minimal), Ok(()), "{possible}");
        }
    }
}
