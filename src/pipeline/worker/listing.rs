//! Lists several solutions of each puzzle, each in a row of its own.
//!
//! They may not fit in memory, so a puzzle's rows are made some hundred at a time.

use std::mem;
use std::num::NonZeroU64;

use crate::check::Reasons;
use crate::input::{Field, Record, RecordList, Records};
use crate::marks::Marks;
use crate::output::{Outcomes, RowFormat, Rows, Wanted};
use crate::pipeline::block::Block;
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
    rows: ListedRows,
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
            rows: ListedRows::default(),
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

    /// Appends a row for each solution of the last search, after that of the first solution.
    pub(super) fn write(
        &mut self,
        record: &Record,
        outcome: &Outcome,
        status: Status,
        of: Listed<'_>,
        block: &mut Block,
    ) {
        self.rows.clear();
        if mem::take(&mut self.is_first) {
            self.rows.push(record, *outcome, status, of.kept);
        }
        for grid in &self.found {
            self.rows.push(record, Outcome { grid: *grid, ..*outcome }, status, of.kept);
        }
        self.rows.write(of, block);
    }

    /// Appends the row of a record that is no puzzle.
    pub(super) fn write_alone(
        &mut self,
        record: &Record,
        status: Status,
        of: Listed<'_>,
        block: &mut Block,
    ) {
        self.rows.clear();
        self.rows.push(record, Outcome::NONE, status, of.kept);
        self.rows.write(of, block);
    }
}

/// What rows of one record have besides solutions.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    /// All records of the block.
    pub records: &'a Records,
    /// The kept fields of the record.
    pub kept: &'a [Field],
    /// Empty, as no solution is checked.
    pub reasons: &'a Reasons,
    /// The format of rows.
    pub format: &'a dyn RowFormat,
}

/// The rows of one record.
#[derive(Default)]
struct ListedRows {
    records: RecordList,
    outcomes: Outcomes,
    statuses: Vec<Status>,
    kept: Vec<Field>,
}

impl ListedRows {
    fn clear(&mut self) {
        self.records.clear();
        self.outcomes.clear();
        self.statuses.clear();
        self.kept.clear();
    }

    fn push(&mut self, record: &Record, outcome: Outcome, status: Status, kept: &[Field]) {
        let puzzle = record.puzzle.map(|given| self.outcomes.push(given, outcome));
        self.records.push(Record { puzzle, ..record.clone() });
        self.statuses.push(status);
        self.kept.extend_from_slice(kept);
    }

    fn write(&self, of: Listed<'_>, block: &mut Block) {
        let Block { file, first_line, bytes, length, rows, .. } = block;
        let all = Rows {
            file,
            first_line: *first_line,
            bytes: &bytes[..*length],
            records: &self.records,
            malformed: &of.records.malformed,
            texts: &of.records.texts,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
            kept: &self.kept,
            answers: &[],
            reasons: of.reasons,
            forms: &[],
            facts: &[],
            wanted: Wanted::All,
        };
        of.format.rows(all, rows);
    }
}
