//! Conditions on rows of which not everything is known.

use std::cmp::Ordering;

use bulkdoku_logic::{SeRating, Technique};

use super::{Expression, Operand, Predicate};
use crate::output::{Column, ColumnSource, Needs, Row, Value};

/// What is known about a value.
#[derive(Clone, Debug)]
pub(super) enum Known<'a> {
    Value(Value<'a>),
    /// It is a number in this closed interval, or techniques in this range.
    Within(f64, f64),
    Unknown,
}

impl Predicate {
    /// Returns whether a record meets the condition, whatever the ratings of further steps are, or
    /// `None` if it depends on them or on properties that are not computed yet. While no digit is
    /// placed, `ep` is 0.
    pub(crate) fn decided_early(
        &self,
        row: &Row<'_>,
        so_far: SeRating,
        computed: Needs,
    ) -> Option<bool> {
        let SeRating { er, ep, ed } = so_far;
        self.decided(&|source| match source {
            ColumnSource::Computed(Column::Se121Ep) if ep > 0 => Known::Value(Value::Tenths(ep)),
            ColumnSource::Computed(Column::Se121 | Column::Se121Ep) => {
                Known::Within(f64::from(er) / 10.0, f64::INFINITY)
            }
            ColumnSource::Computed(Column::Se121Ed) => Known::Value(Value::Tenths(ed)),
            _ if computed.include(source.needs()) => Known::Value(source.value(row)),
            _ => Known::Unknown,
        })
    }

    /// Returns whether the condition holds, or `None` if that depends on what is not known.
    pub(super) fn decided<'a>(
        &'a self,
        known: &impl Fn(ColumnSource) -> Known<'a>,
    ) -> Option<bool> {
        self.expression.decided(&|index| known(self.columns[index]))
    }
}

impl Expression {
    fn decided<'a>(&'a self, known: &impl Fn(usize) -> Known<'a>) -> Option<bool> {
        match self {
            Self::Any(any) => either(any.iter().map(|one| one.decided(known)), true),
            Self::All(all) => either(all.iter().map(|one| one.decided(known)), false),
            Self::Not(one) => one.decided(known).map(|holds| !holds),
            // A value equals itself, unless it is missing.
            Self::Compare((_, Operand::Column(left)), orderings, (_, Operand::Column(right)))
                if left == right && !orderings.contains(&Ordering::Equal) =>
            {
                Some(false)
            }
            Self::Compare((_, left), orderings, (_, right)) => {
                compared(&left.known(known), orderings, &right.known(known))
            }
            Self::Has((_, operand), (_, name)) => match operand.known(known) {
                Known::Value(value) => Some(value.text().is_some_and(|text| {
                    let counts = String::from_utf8_lossy(&text);
                    let mut counts = counts.split_whitespace();
                    counts.any(|count| count.split(':').next() == Some(name))
                })),
                Known::Within(_, hardest) => {
                    let place = f64::from(name.parse::<Technique>().ok()? as u8);
                    // The hardest one is used.
                    match place.total_cmp(&hardest) {
                        Ordering::Less => None,
                        order => Some(order.is_eq()),
                    }
                }
                Known::Unknown => None,
            },
            Self::Truth((_, operand)) => match operand.known(known) {
                Known::Value(value) => Some(matches!(value, Value::Truth(true))),
                _ => None,
            },
        }
    }
}

/// Returns whether any condition is decided in one way, or all in the other way.
fn either(all: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut rest = Some(!decisive);
    for one in all {
        match one {
            Some(holds) if holds == decisive => return one,
            Some(_) => {}
            None => rest = None,
        }
    }
    rest
}

/// Compares two values, if the result does not depend on what is unknown.
fn compared(left: &Known<'_>, orderings: &[Ordering], right: &Known<'_>) -> Option<bool> {
    match (left, right) {
        // A comparison with a missing value is false.
        (Known::Value(Value::None), _) | (_, Known::Value(Value::None)) => return Some(false),
        (Known::Value(left), Known::Value(right)) => {
            return Some(left.compare(right).is_some_and(|order| orderings.contains(&order)));
        }
        _ => {}
    }
    let interval = |known: &Known<'_>| match known {
        Known::Value(value) => value.number().map(|number| (number, number)),
        Known::Within(least, most) => Some((*least, *most)),
        Known::Unknown => None,
    };
    let [(a, b), (c, d)] = [interval(left)?, interval(right)?];
    let possible =
        [(a < d, Ordering::Less), (a <= d && c <= b, Ordering::Equal), (b > c, Ordering::Greater)];
    let possible = possible.into_iter().filter(|(is_possible, _)| *is_possible);
    let mut holds = possible.map(|(_, order)| orderings.contains(&order));
    let first = holds.next()?;
    holds.all(|other| other == first).then_some(first)
}

impl Operand {
    fn known<'a>(&'a self, known: &impl Fn(usize) -> Known<'a>) -> Known<'a> {
        Known::Value(match self {
            Self::Column(index) => match known(*index) {
                Known::Value(Value::Text([])) => Value::None,
                known => return known,
            },
            Self::Number(number) => Value::Decimal(*number),
            Self::Text(text) => Value::Text(text.as_bytes()),
            Self::Truth(is) => Value::Truth(*is),
        })
    }
}
