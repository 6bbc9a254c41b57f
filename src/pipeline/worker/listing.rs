//! Lists several solutions of each puzzle, each in a row of its own.
//!
//! They may not fit in memory, so a puzzle's rows are made some hundred at a time.

use std::mem;
use std::num::NonZeroU64;

use super::several::SeveralRows;
use crate::input::{Field, Record};
use crate::marks::Marks;
use crate::puzzle::Grid;
use crate::solver::{Outcome, SolutionWalk, StopFlag, Unanswered};
use crate::status::Status;

/// The number of solutions that are found before their rows are written.
const AT_ONCE: usize = 256;

/// Finds the solutions of a puzzle after the first.
pub(super) struct Lister {
    walk: SolutionWalk,
    /// The number of solutions that are still to be found.
    left: u32,
    /// Whether the row of the first one is still to be written.
    is_first: bool,
    /// The solutions that are found but not written.
    found: Vec<Grid>,
    rows: SeveralRows,
}

/// How a search for more solutions ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// There may be more.
    Open,
    /// All solutions, or as many as requested, are found.
    Done,
    /// The node limit was reached.
    GaveUp,
    /// The run is stopped.
    Stopped,
}

impl Lister {
    pub(super) fn new(stop: StopFlag) -> Self {
        Self {
            walk: SolutionWalk::new(stop),
            left: 0,
            is_first: false,
            found: Vec::new(),
            rows: SeveralRows::default(),
        }
    }

    /// Takes the next puzzle, to find up to `count` solutions after the first.
    pub(super) fn begin(&mut self, marks: &Marks, first: &Grid, count: u32) {
        (self.left, self.is_first) = (count, true);
        if count > 0 {
            self.walk.begin_after(marks, first);
        }
    }

    /// Finds some more solutions, each within `nodes` states.
    pub(super) fn search(&mut self, nodes: Option<NonZeroU64>) -> Search {
        self.found.clear();
        while self.found.len() < AT_ONCE && self.left > 0 {
            match self.walk.next(nodes) {
                Ok(Some(grid)) => {
                    self.found.push(grid);
                    self.left -= 1;
                }
                Ok(None) => return Search::Done,
                Err(Unanswered::GaveUp) => return Search::GaveUp,
                Err(Unanswered::Stopped) => return Search::Stopped,
            }
        }
        if self.left > 0 { Search::Open } else { Search::Done }
    }

    /// A row for each solution of the last search, after that of the first solution.
    pub(super) fn rows(
        &mut self,
        record: &Record,
        outcome: Outcome,
        status: Status,
        kept: &[Field],
    ) -> &SeveralRows {
        self.rows.clear();
        if mem::take(&mut self.is_first) {
            self.rows.push(record, outcome, status, kept);
        }
        for grid in &self.found {
            self.rows.push(record, Outcome { grid: *grid, ..outcome }, status, kept);
        }
        &self.rows
    }

    /// The row of a record that is no puzzle.
    pub(super) fn row_alone(
        &mut self,
        record: &Record,
        status: Status,
        kept: &[Field],
    ) -> &SeveralRows {
        self.rows.clear();
        self.rows.push(record, Outcome::NONE, status, kept);
        &self.rows
    }
}
