//! The results for the records of a block: one entry per record and type of result.

use crate::input::{PuzzleRef, Records};
use crate::pipeline::properties::{Needs, Properties};
use crate::stats::{Counts, in_runs};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Outcome, Status};

/// The results for the records of a block. Reused for each block.
#[derive(Debug, Default)]
pub struct Results {
    /// The status of each record.
    pub statuses: Vec<Status>,
    /// The outcomes of the engine, if one is used.
    pub outcomes: Outcomes,
    /// The puzzles on which the engine failed.
    pub(crate) failed: Vec<PuzzleRef>,
    /// The reasons for [`Status::Mismatch`], in order.
    pub reasons: Vec<String>,
    /// Whether the outcomes have the latencies of an engine.
    pub(crate) are_timed: bool,
    /// The seed of generated puzzles.
    pub seed: Option<u64>,
    /// The properties of each record, or none if no property is computed.
    pub(crate) properties: Vec<Properties>,
    /// The properties that are computed.
    pub computed: Needs,
    /// The output of each record's rows, or `None` for a dropped record. Empty if all rows belong
    /// to the first output.
    pub(super) destinations: Vec<Option<u8>>,
}

/// The decision of a filter about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Keeps the record in its current output, by default the first.
    Keep,
    /// Keeps the record and sets its status.
    KeepAs(Status),
    /// Moves the record to this output.
    To(u8),
    /// Drops the record's rows.
    Drop,
    /// Drops the record's rows and sets its status.
    DropAs(Status),
}

impl Results {
    /// Clears the results, except the outcomes. The engine overwrites these, and clearing them
    /// would write 156 KB per block.
    pub fn clear(&mut self) {
        self.statuses.clear();
        self.failed.clear();
        self.reasons.clear();
        self.properties.clear();
        self.computed = Needs::NONE;
        self.destinations.clear();
    }

    /// Returns the output of a record's rows, or `None` if the record is dropped.
    #[inline(always)]
    pub fn destination(&self, record: usize) -> Option<u8> {
        if self.destinations.is_empty() { Some(0) } else { self.destinations[record] }
    }

    /// Returns whether no filter has dropped a record or moved it to another output.
    pub fn is_unfiltered(&self) -> bool {
        self.destinations.is_empty()
    }

    pub(crate) fn has_rows_for(&self, output: u8) -> bool {
        if self.destinations.is_empty() {
            output == 0
        } else {
            self.destinations.contains(&Some(output))
        }
    }

    /// Applies one decision per record. Dropped records remain dropped.
    pub fn decide(&mut self, decisions: &[Decision]) {
        if decisions.iter().all(|decision| matches!(decision, Decision::Keep | Decision::To(0)))
            && self.destinations.is_empty()
        {
            return;
        }
        if self.destinations.is_empty() {
            self.destinations.resize(decisions.len(), Some(0));
        }
        let records = self.destinations.iter_mut().zip(&mut self.statuses).zip(decisions);
        for ((destination, status), decision) in records {
            match *decision {
                _ if destination.is_none() => {}
                Decision::Keep => {}
                Decision::KeepAs(new) => *status = new,
                Decision::To(output) => *destination = Some(output),
                Decision::Drop => *destination = None,
                Decision::DropAs(new) => (*destination, *status) = (None, new),
            }
        }
    }

    /// Counts the records by status, and the other lines of the block.
    pub fn counts(&self, records: &Records) -> Counts {
        let Records { blank_lines, comments, dotted, .. } = *records;
        let mut counts = Counts { blank_lines, comments, dotted, ..Counts::default() };
        for run in self.statuses.chunk_by(|a, b| a == b) {
            counts.add(run[0], run.len());
        }
        counts
    }

    /// Replaces `into` with the measured latencies in nanoseconds, each with its number of records.
    pub(crate) fn collect_latencies(&self, records: &Records, into: &mut Vec<(u64, u64)>) {
        into.clear();
        if !self.are_timed {
            return;
        }
        if records.all.len() == records.puzzles.len() && self.failed.is_empty() {
            let latencies = self.outcomes.puzzles.iter().map(|outcome| outcome.latency_ns);
            return in_runs(latencies, |run| into.push(run));
        }
        let timed = records.all.iter().filter_map(|record| record.puzzle.ok());
        let timed = timed.filter(|puzzle| !self.failed.contains(puzzle));
        in_runs(timed.map(|puzzle| self.outcomes.of(puzzle).latency_ns), |run| into.push(run));
    }
}

/// The outcomes for the puzzles and pencil marks of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// One per puzzle.
    pub puzzles: Vec<Outcome>,
    /// One per record with pencil marks.
    pub marks: Vec<Outcome>,
}

impl Outcomes {
    /// Returns the outcome of a record, or [`Outcome::NONE`] if no engine was used.
    #[inline(always)]
    pub(crate) fn of(&self, puzzle: PuzzleRef) -> &Outcome {
        let outcome = match puzzle {
            PuzzleRef::Puzzle(index) => self.puzzles.get(index as usize),
            PuzzleRef::Marks(index) => self.marks.get(index as usize),
        };
        outcome.unwrap_or(&Outcome::NONE)
    }

    pub(crate) fn of_mut(&mut self, puzzle: PuzzleRef) -> Option<&mut Outcome> {
        match puzzle {
            PuzzleRef::Puzzle(index) => self.puzzles.get_mut(index as usize),
            PuzzleRef::Marks(index) => self.marks.get_mut(index as usize),
        }
    }

    /// Resizes to the number of records; new outcomes are [`Outcome::NONE`].
    pub fn resize(&mut self, records: &Records) {
        self.puzzles.resize(records.puzzles.len(), Outcome::NONE);
        self.marks.resize(records.marks.len(), Outcome::NONE);
    }
}

/// A row that a job derives from a record: an isomorph, a neighbor, or one of several solutions.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// The index of the record in the block.
    pub record: u32,
    /// The index of the row among those of its record.
    pub copy: u32,
    /// The cells, if they differ from the record's.
    pub cells: Option<[u8; CELLS]>,
    /// The solution.
    pub solution: Option<Grid>,
    /// The status, if it differs from the record's.
    pub status: Option<Status>,
    /// Whether it is minimal, if that is determined.
    pub minimal: Option<bool>,
}
