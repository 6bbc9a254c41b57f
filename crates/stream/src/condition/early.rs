//! Conditions on rows whose ratings are incomplete.

use std::cmp::Ordering;

use bulkdoku_logic::SeRating;

use super::{Expression, Literal, Operand, Operator, Predicate};
use crate::output::{Column, ColumnSource, Needs, Row, Value};

/// What is known about a value.
enum Known<'a> {
    Value(Value<'a>),
    /// It is at least this number.
    AtLeast(Value<'a>),
    Unknown,
}

/// A row with the ratings of the steps so far.
struct Partial<'a, 'r> {
    row: &'a Row<'r>,
    so_far: SeRating,
    computed: Needs,
}

impl Predicate {
    /// Returns whether a record meets the condition, whatever the ratings of further steps are, or
    /// `None` if it depends on them or on properties that are not computed yet. While no digit is
    /// placed, `ep` is 0.
    pub(crate) fn decided(&self, row: &Row<'_>, so_far: SeRating, computed: Needs) -> Option<bool> {
        self.0.decided(&Partial { row, so_far, computed })
    }
}

impl Expression<ColumnSource> {
    fn decided(&self, partial: &Partial<'_, '_>) -> Option<bool> {
        match self {
            Self::Any(any) => either(any, partial, true),
            Self::All(all) => either(all, partial, false),
            Self::Not(one) => one.decided(partial).map(|holds| !holds),
            Self::Compare(left, operator, right) => {
                compared(&left.known(partial), *operator, &right.known(partial))
            }
            Self::In(left, list) => {
                let left = left.known(partial);
                let equal = |literal: &Literal| {
                    compared(&left, Operator::Equal, &Known::Value(literal.value()))
                };
                let all: Vec<_> = list.iter().map(|(literal, _)| equal(literal)).collect();
                if all.contains(&Some(true)) {
                    return Some(true);
                }
                all.iter().all(|&is| is == Some(false)).then_some(false)
            }
            Self::Has(operand, ..) | Self::Truth(operand) => {
                matches!(operand.known(partial), Known::Value(_)).then(|| self.holds(partial.row))
            }
        }
    }
}

/// Returns whether any condition is decided in one way, or all in the other way.
fn either(
    all: &[Expression<ColumnSource>],
    partial: &Partial<'_, '_>,
    decisive: bool,
) -> Option<bool> {
    let mut rest = Some(!decisive);
    for one in all {
        match one.decided(partial) {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => rest = None,
        }
    }
    rest
}

/// Compares two values, if the result does not depend on what is unknown.
fn compared(left: &Known<'_>, operator: Operator, right: &Known<'_>) -> Option<bool> {
    let (ordering, grows) = match (left, right) {
        (Known::Value(left), Known::Value(right)) => (left.compare(right), None),
        (Known::AtLeast(least), Known::Value(right)) => {
            (least.compare(right), Some(Ordering::Greater))
        }
        (Known::Value(left), Known::AtLeast(least)) => (left.compare(least), Some(Ordering::Less)),
        _ => return None,
    };
    // A comparison with a missing value is false.
    let Some(ordering) = ordering else { return Some(false) };
    let holds = operator.holds(ordering);
    let Some(grows) = grows else { return Some(holds) };
    let possible: &[Ordering] = match ordering {
        Ordering::Equal => &[Ordering::Equal, grows],
        ordering if ordering == grows => &[grows],
        _ => &[Ordering::Less, Ordering::Equal, Ordering::Greater],
    };
    possible.iter().all(|&ordering| operator.holds(ordering) == holds).then_some(holds)
}

impl Operand<ColumnSource> {
    fn known<'a>(&'a self, partial: &Partial<'a, 'a>) -> Known<'a> {
        let SeRating { er, ep, ed } = partial.so_far;
        let Self::Column(column) = self else { return Known::Value(self.value(partial.row)) };
        match column {
            ColumnSource::Computed(Column::Se121) => Known::AtLeast(Value::Tenths(er)),
            ColumnSource::Computed(Column::Se121Ep) if ep == 0 => Known::AtLeast(Value::Tenths(er)),
            ColumnSource::Computed(Column::Se121Ep) => Known::Value(Value::Tenths(ep)),
            ColumnSource::Computed(Column::Se121Ed) => Known::Value(Value::Tenths(ed)),
            _ if partial.computed.include(column.needs()) => Known::Value(self.value(partial.row)),
            _ => Known::Unknown,
        }
    }
}
