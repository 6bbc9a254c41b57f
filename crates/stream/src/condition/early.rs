//! Conditions on rows of which not everything is known.

use std::cmp::Ordering;

use bulkdoku_logic::{SeRating, Technique};

use super::{Expression, Literal, Operand, Operator, Predicate};
use crate::output::{Column, ColumnSource, Needs, Row, Value};

/// What is known about a value.
#[derive(Clone, Debug)]
pub(super) enum Known<'a> {
    Value(Value<'a>),
    /// It is a number in this closed interval, or techniques in this range.
    Within(f64, f64),
    Unknown,
}

impl Known<'_> {
    /// Returns the interval of a number.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        match self {
            Self::Value(value) => value.number().map(|number| (number, number)),
            Self::Within(least, most) => Some((*least, *most)),
            Self::Unknown => None,
        }
    }
}

impl Predicate {
    /// Returns whether a record meets the condition, whatever the ratings of further steps are, or
    /// `None` if it depends on them or on properties that are not computed yet. While no digit is
    /// placed, `ep` is 0.
    pub(crate) fn decided(&self, row: &Row<'_>, so_far: SeRating, computed: Needs) -> Option<bool> {
        let SeRating { er, ep, ed } = so_far;
        self.0.decided(&|source| match source {
            ColumnSource::Computed(Column::Se121Ep) if ep > 0 => Known::Value(Value::Tenths(ep)),
            ColumnSource::Computed(Column::Se121 | Column::Se121Ep) => {
                Known::Within(f64::from(er) / 10.0, f64::INFINITY)
            }
            ColumnSource::Computed(Column::Se121Ed) => Known::Value(Value::Tenths(ed)),
            _ if computed.include(source.needs()) => Known::Value(source.value(row)),
            _ => Known::Unknown,
        })
    }
}

impl Expression<ColumnSource> {
    /// Returns whether the condition holds, or `None` if that depends on what is not known.
    pub(super) fn decided<'a>(
        &'a self,
        known: &impl Fn(ColumnSource) -> Known<'a>,
    ) -> Option<bool> {
        match self {
            Self::Any(any) => either(any.iter().map(|one| one.decided(known)), true),
            Self::All(all) => either(all.iter().map(|one| one.decided(known)), false),
            Self::Not(one) => one.decided(known).map(|holds| !holds),
            Self::Compare(left, operator, right) => {
                compared(&left.known(known), *operator, &right.known(known))
            }
            Self::In(left, list) => {
                let left = left.known(known);
                let equal = |literal: &Literal| {
                    compared(&left, Operator::Equal, &Known::Value(literal.value()))
                };
                either(list.iter().map(|(literal, _)| equal(literal)), true)
            }
            Self::Has(operand, name, _) => match operand.known(known) {
                Known::Value(value) => Some(value.text().is_some_and(|text| {
                    let counts = String::from_utf8_lossy(&text);
                    let mut counts = counts.split_whitespace();
                    counts.any(|count| count.split(':').next() == Some(name))
                })),
                Known::Within(_, hardest) => {
                    let technique = name.parse::<Technique>();
                    let is_harder = |technique| f64::from(technique as u8) > hardest;
                    technique.is_ok_and(is_harder).then_some(false)
                }
                Known::Unknown => None,
            },
            Self::Truth(operand) => match operand.known(known) {
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
fn compared(left: &Known<'_>, operator: Operator, right: &Known<'_>) -> Option<bool> {
    match (left, right) {
        // A comparison with a missing value is false.
        (Known::Value(Value::None), _) | (_, Known::Value(Value::None)) => return Some(false),
        (Known::Value(left), Known::Value(right)) => {
            return Some(left.compare(right).is_some_and(|ordering| operator.holds(ordering)));
        }
        _ => {}
    }
    let [(a, b), (c, d)] = [left.interval()?, right.interval()?];
    let possible =
        [(a < d, Ordering::Less), (a <= d && c <= b, Ordering::Equal), (b > c, Ordering::Greater)];
    let mut holds =
        possible.into_iter().filter(|(is, _)| *is).map(|(_, ordering)| operator.holds(ordering));
    let first = holds.next()?;
    holds.all(|other| other == first).then_some(first)
}

impl Operand<ColumnSource> {
    fn known<'a>(&'a self, known: &impl Fn(ColumnSource) -> Known<'a>) -> Known<'a> {
        match self {
            Self::Column(source) => match known(*source) {
                Known::Value(Value::Text([])) => Known::Value(Value::None),
                known => known,
            },
            Self::Literal(literal, _) => Known::Value(literal.value()),
        }
    }
}
