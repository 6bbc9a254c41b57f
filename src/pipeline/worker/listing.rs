//! Several solutions of each puzzle, each in a row of its own.
//!
//! There may be more of them than memory holds: a puzzle's rows are made some hundred at a time.

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

/// How many solutions are looked for before their rows are written.
const AT_ONCE: usize = 256;

/// Finds the solutions of one puzzle behind the first.
pub(super) struct Lister {
    walk: SolutionWalk,
    /// How many more are wanted.
    wanted: u32,
    /// Whether the row of the first is still to be written.
    is_first: bool,
    /// Found and not written yet.
    found: Vec<Grid>,
    rows: ListedRows,
}

/// How the search for some more solutions ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// There may be more.
    Open,
    /// These are all, or as many as are wanted.
    Done,
    /// The limit of nodes was reached.
    GaveUp,
    /// The run is to be ended.
    Stopped,
}

impl Lister {
    pub(super) fn new(stop: StopFlag) -> Self {
        Self {
            walk: SolutionWalk::new(stop),
            wanted: 0,
            is_first: false,
            found: Vec::new(),
            rows: ListedRows::default(),
        }
    }

    /// Takes the next puzzle, of which `wanted` solutions behind the first are to be found.
    pub(super) fn begin(&mut self, marks: &Marks, first: &Grid, wanted: u32) {
        (self.wanted, self.is_first) = (wanted, true);
        if wanted > 0 {
            self.walk.begin_after(marks, first);
        }
    }

    /// Finds some more of its solutions, each by looking at no more than `nodes` states.
    pub(super) fn search(&mut self, nodes: Option<NonZeroU64>) -> Search {
        self.found.clear();
        while self.found.len() < AT_ONCE && self.wanted > 0 {
            match self.walk.next(nodes) {
                Ok(Some(grid)) => {
                    self.found.push(grid);
                    self.wanted -= 1;
                }
                Ok(None) => return Search::Done,
                Err(Unanswered::GaveUp) => return Search::GaveUp,
                Err(Unanswered::Stopped) => return Search::Stopped,
            }
        }
        if self.wanted > 0 { Search::Open } else { Search::Done }
    }

    /// Appends a row for each solution that was found by the last search, the very first before
    /// them.
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

/// What rows of one record say besides its solutions.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    /// All records of the block.
    pub records: &'a Records,
    /// Those fields of the record that are carried into the output.
    pub kept: &'a [Field],
    /// What is wrong with solutions that are checked: nothing.
    pub reasons: &'a Reasons,
    /// How rows are written.
    pub format: &'a dyn RowFormat,
}

/// Rows of one record.
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
