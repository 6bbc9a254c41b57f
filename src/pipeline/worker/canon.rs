//! Finds canonical forms, in place of solutions or in addition.

use std::time::Instant;

use super::{Worker, other_counts};
use crate::canon::Canonical;
use crate::puzzle::Puzzle;
use crate::stats::{Counts, in_runs};
use crate::status::Status;

/// The form of a puzzle, if it is requested, or why it has none.
type Found = Result<Option<Canonical<Puzzle>>, Status>;

impl Worker<'_> {
    /// Finds forms and statuses of all records of a block, and lists latencies.
    pub(super) fn find_forms(&mut self, latencies: &mut Vec<(u64, u64)>) -> Counts {
        let needs_forms = self.pipeline.needs_forms();
        self.statuses.clear();
        self.forms.clear();
        let mut start = Instant::now();
        for record in &self.records.all {
            let found = match record.puzzle {
                Err(_) => Err(Status::Malformed),
                Ok(given) => self.puzzle(given).ok_or(Status::NoForm).and_then(|puzzle| {
                    let found = find(&puzzle, needs_forms);
                    let end = Instant::now();
                    let outcome = self.outcomes.of_mut(given);
                    outcome.latency_ns = end.duration_since(start).as_nanos() as u64;
                    start = end;
                    found
                }),
            };
            self.statuses.push(found.err().unwrap_or(Status::Ok));
            self.forms.push(found.ok().flatten());
        }
        latencies.clear();
        in_runs(self.latencies(), |run| latencies.push(run));
        let mut counts = other_counts(&self.records);
        self.statuses.iter().for_each(|&status| counts.add(status, 1));
        counts
    }

    /// Finds the forms of records that were solved.
    pub(super) fn add_forms(&mut self) {
        self.forms.clear();
        for record in &self.records.all {
            let puzzle = record.puzzle.ok().and_then(|given| self.puzzle(given));
            self.forms.push(puzzle.and_then(|puzzle| puzzle.canonical().ok()));
        }
    }

    /// The latency of each form.
    fn latencies(&self) -> impl Iterator<Item = u64> {
        let all = self.records.all.iter().zip(&self.forms);
        let found = all.filter(|(_, form)| form.is_some());
        found.filter_map(|(record, _)| Some(self.outcomes.of(record.puzzle.ok()?).latency_ns))
    }
}

fn find(puzzle: &Puzzle, needs_form: bool) -> Found {
    let contradicts = |_| Status::Contradictory;
    if needs_form {
        return puzzle.canonical().map(Some).map_err(contradicts);
    }
    puzzle.contradiction().map_or(Ok(None), |found| Err(contradicts(found)))
}
