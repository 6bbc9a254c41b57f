//! Filters, which choose the output of each record's rows, if any.

use std::io;
use std::ops::ControlFlow;

use super::Work;
use super::properties::Early;
use super::sequencer::Sequencer;
use crate::condition::Predicate;
use crate::output::{Decision, Needs, Row};
use crate::sets::{Sameness, Seen};
use bulkdoku_core::Status;
use bulkdoku_logic::Techniques;

type Decide<'a> = dyn Fn(&Row<'_>) -> io::Result<Decision> + Send + Sync + 'a;
type DecideInOrder<'a> = dyn FnMut(&Row<'_>) -> io::Result<Decision> + Send + Sync + 'a;

/// A decision about each record. A run applies a list of filters in order; each receives the
/// records that the earlier ones have kept. If a filter fails, the run ends before the block.
pub enum Filter<'a> {
    /// Decides from the record alone, so blocks are filtered in parallel.
    Local(Needs, Box<Decide<'a>>),
    /// Drops the records that do not meet a condition. If it is the first filter, it ends the
    /// ratings of records as soon as it is decided.
    Condition(Predicate),
    /// Keeps state across records, which it receives in the order of the input. No filter follows it.
    InOrder(Needs, Box<DecideInOrder<'a>>),
}

impl<'a> Filter<'a> {
    /// Drops records that are the same as an earlier one, with the status `duplicate`.
    pub fn distinct(seen: &'a mut Seen, by: Sameness) -> Self {
        let decide = move |row: &Row<'_>| match by.hash(row) {
            Some(hash) if !seen.insert(hash)? => Ok(Decision::DropAs(Status::Duplicate)),
            _ => Ok(Decision::Keep),
        };
        Self::InOrder(by.needs(), Box::new(decide))
    }

    /// Drops malformed and contradictory records, which keep their status.
    pub fn valid() -> Self {
        let decide = |row: &Row<'_>| match row.status() {
            Status::Malformed | Status::Contradictory => Ok(Decision::Drop),
            _ => Ok(Decision::Keep),
        };
        Self::Local(Needs::NONE, Box::new(decide))
    }

    /// Drops records that are the same as one in `known`, or all others if it `keeps` them. Those
    /// that are the same have the status `known`.
    pub fn known(known: &'a Seen, by: Sameness, keeps: bool) -> Self {
        let decide = move |row: &Row<'_>| {
            let is_known = by.hash(row).is_some_and(|hash| known.contains(hash));
            Ok(match (is_known, keeps) {
                (true, true) => Decision::KeepAs(Status::Known),
                (true, false) => Decision::DropAs(Status::Known),
                (false, true) => Decision::Drop,
                (false, false) => Decision::Keep,
            })
        };
        Self::Local(by.needs(), Box::new(decide))
    }

    /// Returns whether decisions depend on earlier records.
    pub fn is_in_order(&self) -> bool {
        matches!(self, Self::InOrder(..))
    }

    /// Returns the required properties.
    pub fn needs(&self) -> Needs {
        match self {
            Self::Local(needs, _) | Self::InOrder(needs, _) => *needs,
            Self::Condition(condition) => condition.needs(),
        }
    }
}

/// The filters of a run. All but the last run in parallel.
pub(super) struct Filters<'a, 'f> {
    pub(super) needs: Needs,
    /// The condition that the first filter tests.
    pub(super) early: Option<Early<'a>>,
    local: &'a [Filter<'f>],
    in_order: Option<Sequencer<&'a mut DecideInOrder<'f>>>,
}

impl<'a, 'f> Filters<'a, 'f> {
    /// Creates the filters of a run whose rows show the properties `shown`.
    pub(super) fn new(all: &'a mut [Filter<'f>], shown: Needs) -> Self {
        let union = |needs: Needs, filter: &Filter<'_>| needs.union(filter.needs());
        let needs = all.iter().fold(Needs::NONE, union);
        let read = all.iter().skip(1).fold(shown, union);
        let count = all.iter().position(Filter::is_in_order).unwrap_or(all.len());
        let (local, last) = all.split_at_mut(count);
        assert!(last.len() <= 1, "no filter follows one that keeps state");
        let in_order = match last {
            [Filter::InOrder(_, decide)] => {
                Some(Sequencer::new(&mut **decide, 0, |_, item| match item {}, |_| {}))
            }
            _ => None,
        };
        let early = match &*local {
            [Filter::Condition(condition), ..] => {
                let has_path = condition.needs().include(Needs::PATH);
                let techniques = if has_path { condition.techniques() } else { Techniques::ALL };
                Some(Early { condition, techniques, read })
            }
            _ => None,
        };
        Self { needs, early, local, in_order }
    }

    /// Applies all filters to a block. Returns `None` once the run has ended.
    pub(super) fn apply(&self, number: u64, work: &mut Work) -> Option<io::Result<()>> {
        let mut applied = self.local.iter().try_for_each(|filter| match filter {
            Filter::Local(_, decide) => apply(work, decide),
            Filter::Condition(condition) => apply(work, |row| {
                Ok(if condition.holds(row) { Decision::Keep } else { Decision::Drop })
            }),
            Filter::InOrder(..) => Ok(()),
        });
        if let Some(sequencer) = &self.in_order {
            let passed = sequencer.in_turn(number, |decide| {
                if applied.is_ok() {
                    applied = apply(work, |row| decide(row));
                }
                ControlFlow::Continue(())
            });
            if passed.is_break() {
                return None;
            }
        }
        Some(applied)
    }

    /// Takes the turn of a block that was stopped, so that later blocks can follow.
    pub(super) fn take_turn(&self, number: u64) {
        if let Some(sequencer) = &self.in_order {
            let _ = sequencer.in_turn(number, |_| ControlFlow::Continue(()));
        }
        self.close();
    }

    /// Ends the run: workers that wait for their turn continue without it.
    pub(super) fn close(&self) {
        self.in_order.iter().for_each(Sequencer::close);
    }
}

/// Applies one filter to the records that earlier filters have kept.
fn apply(
    work: &mut Work,
    mut decide: impl FnMut(&Row<'_>) -> io::Result<Decision>,
) -> io::Result<()> {
    let rows = work.rows();
    let decisions: io::Result<Vec<_>> = rows
        .records()
        .map(|row| match rows.results.destination(row.index) {
            Some(_) => decide(&row),
            None => Ok(Decision::Keep),
        })
        .collect();
    work.results.decide(&decisions?);
    Ok(())
}
