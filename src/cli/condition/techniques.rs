//! The techniques of the records that can meet a condition.

use std::cmp::Ordering;

use bulkdoku::logic::{Technique, Techniques};
use bulkdoku::output::{Column, ColumnSource, Value};

use super::{Expression, Operand, Predicate};

impl Predicate {
    /// Returns the hardest techniques of all records that can meet the condition.
    pub fn techniques(&self) -> Techniques {
        self.0.techniques()
    }
}

impl Expression<ColumnSource> {
    /// Returns the techniques of all records that can meet the condition.
    fn techniques(&self) -> Techniques {
        match self {
            Self::Any(any) => {
                any.iter().fold(Techniques::NONE, |all, one| all.union(one.techniques()))
            }
            Self::All(all) => {
                all.iter().fold(Techniques::ALL, |all, one| all.intersection(one.techniques()))
            }
            Self::Compare(left, operator, right) => Techniques::filter(|technique| {
                let [left, right] = [left, right].map(|operand| operand.of_technique(technique));
                let values = left.zip(right);
                values.is_none_or(|(left, right)| {
                    left.compare(&right).is_some_and(|ordering| operator.holds(ordering))
                })
            }),
            Self::In(left, list) => Techniques::filter(|technique| {
                let is_in = |value: Value<'_>| {
                    let mut values = list.iter().map(|(literal, _)| literal.value());
                    values.any(|other| value.compare(&other) == Some(Ordering::Equal))
                };
                left.of_technique(technique).is_none_or(is_in)
            }),
            Self::Not(_) | Self::Truth(_) => Techniques::ALL,
        }
    }
}

impl Operand<ColumnSource> {
    /// Returns the value for records of this technique, if it follows from the technique.
    fn of_technique(&self, technique: Technique) -> Option<Value<'_>> {
        match self {
            Self::Column(ColumnSource::Computed(Column::Technique)) => {
                Some(Value::Technique(technique))
            }
            Self::Column(_) => None,
            Self::Literal(literal, _) => Some(literal.value()),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::super::Condition;
    use super::*;

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
            ("not (technique == 'x-wing')", "full-house", Technique::COUNT),
        ] {
            let parsed: Condition = condition.parse().unwrap();
            let techniques = parsed.resolve(&crate::cli::generate::ROWS, &[]).unwrap().techniques();
            let names: Vec<_> = techniques.iter().map(Technique::name).collect();
            assert_eq!((names[0], names.len()), (first, count), "{condition}");
        }
    }
}
