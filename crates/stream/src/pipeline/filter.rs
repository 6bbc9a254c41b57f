//! Filters, which choose the output of each record's rows, if any.

use std::io;

use super::block::Block;
use super::sequencer::Sequencer;
use crate::condition::Predicate;
use crate::input::Records;
use crate::output::{Decision, Needs, Results, Row};
use crate::sets::{Sameness, Seen};
use bulkdoku_core::status::Status;
use bulkdoku_logic::Techniques;

type Decide<'a> = dyn Fn(&Row<'_>) -> io::Result<Decision> + Send + Sync + 'a;
type DecideInOrder<'a> = dyn FnMut(&Row<'_>) -> io::Result<Decision> + Send + 'a;

/// A decision about each record. A run applies a list of filters in order; each receives the
/// records that the earlier ones have kept. If a filter fails, the run ends before the block.
pub enum Filter<'a> {
    /// Decides from the record alone, so blocks are filtered in parallel.
    Local(Needs, Box<Decide<'a>>),
    /// Drops the records that do not meet a condition. If it is the first filter, it ends the
    /// ratings of records as soon as it is decided.
    Condition(Predicate, Box<Decide<'a>>),
    /// Keeps state across records, which it receives in the order of the input.
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
            Self::Condition(condition, _) => condition.needs(),
        }
    }

    fn decide(&mut self, row: &Row<'_>) -> io::Result<Decision> {
        match self {
            Self::Local(_, decide) | Self::Condition(_, decide) => decide(row),
            Self::InOrder(_, decide) => decide(row),
        }
    }
}

/// The filters of a run. Those from the first to the last ordered one share one turn; local filters
/// before and after them run in parallel.
pub(super) struct Filters<'a, 'f> {
    /// The properties that the filters read.
    pub(super) needs: Needs,
    /// The condition that the first filter tests, the hardest techniques with which puzzles can meet
    /// it, and the properties that the other filters read.
    pub(super) condition: Option<(Predicate, Techniques, Needs)>,
    before_ordered: Vec<&'a Decide<'f>>,
    /// The sequencer guards stateful closures, which cannot be shared.
    in_order: Option<Sequencer<&'a mut [Filter<'f>]>>,
    after_ordered: Vec<&'a Decide<'f>>,
}

impl<'a, 'f> Filters<'a, 'f> {
    pub(super) fn new(all: &'a mut [Filter<'f>]) -> Self {
        let needs_of = |filters: &[Filter<'_>]| {
            filters.iter().fold(Needs::NONE, |needs, filter| needs.union(filter.needs()))
        };
        let needs = needs_of(all);
        let condition = match all.split_first() {
            Some((Filter::Condition(condition, _), others)) => {
                let has_path = condition.needs().include(Needs::PATH);
                let techniques = if has_path { condition.techniques() } else { Techniques::ALL };
                Some((condition.clone(), techniques, needs_of(others)))
            }
            _ => None,
        };
        let last = all.iter().rposition(Filter::is_in_order).map_or(0, |last| last + 1);
        let (ordered, after) = all.split_at_mut(last);
        let first = ordered.iter().position(Filter::is_in_order).unwrap_or(0);
        let (before, in_order) = ordered.split_at_mut(first);
        let in_order = (!in_order.is_empty()).then(|| Sequencer::without_items(in_order));
        let local = |filters: &'a [Filter<'f>]| {
            let decide = filters.iter().filter_map(|filter| match filter {
                Filter::Local(_, decide) | Filter::Condition(_, decide) => Some(&**decide),
                Filter::InOrder(..) => None,
            });
            decide.collect()
        };
        let [before_ordered, after_ordered] = [local(before), local(after)];
        Self { needs, condition, before_ordered, in_order, after_ordered }
    }

    /// Applies all filters to a block. Returns `None` once the run has ended.
    pub(super) fn apply(
        &self,
        number: u64,
        block: &Block,
        records: &Records,
        results: &mut Results,
    ) -> Option<io::Result<()>> {
        let local = |filters: &[&Decide<'_>], results: &mut Results| {
            filters.iter().try_for_each(|decide| apply(block, records, results, decide))
        };
        let mut applied = local(&self.before_ordered, results);
        if let Some(sequencer) = &self.in_order {
            let mut turn = sequencer.wait_for_turn(number)?;
            applied = applied.and_then(|()| {
                turn.iter_mut()
                    .try_for_each(|filter| apply(block, records, results, |row| filter.decide(row)))
            });
        }
        Some(applied.and_then(|()| local(&self.after_ordered, results)))
    }

    /// Takes the turn of a block that was stopped, so that later blocks can follow.
    pub(super) fn take_turn(&self, number: u64) {
        if let Some(sequencer) = &self.in_order {
            drop(sequencer.wait_for_turn(number));
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
    block: &Block,
    records: &Records,
    results: &mut Results,
    mut decide: impl FnMut(&Row<'_>) -> io::Result<Decision>,
) -> io::Result<()> {
    let rows = block.rows(records, results);
    let decisions: io::Result<Vec<_>> = rows
        .records()
        .map(|row| match results.destination(row.index) {
            Some(_) => decide(&row),
            None => Ok(Decision::Keep),
        })
        .collect();
    results.decide(&decisions?);
    Ok(())
}
