//! Several rows of one record, in place of its own.

use crate::input::{Field, Record, RecordList};
use crate::output::{Outcomes, Rows, Wanted};
use crate::rating::Facts;
use crate::solver::Outcome;
use crate::status::Status;

/// The rows of one record, some at a time.
#[derive(Default)]
pub(super) struct SeveralRows {
    records: RecordList,
    outcomes: Outcomes,
    statuses: Vec<Status>,
    kept: Vec<Field>,
    /// Those of each row, or none.
    pub facts: Vec<Facts>,
}

impl SeveralRows {
    pub fn clear(&mut self) {
        self.records.clear();
        self.outcomes.clear();
        self.statuses.clear();
        self.kept.clear();
        self.facts.clear();
    }

    pub fn push(&mut self, record: &Record, outcome: Outcome, status: Status, kept: &[Field]) {
        let puzzle = record.puzzle.map(|given| self.outcomes.push(given, outcome));
        self.records.push(Record { puzzle, ..record.clone() });
        self.statuses.push(status);
        self.kept.extend_from_slice(kept);
    }

    /// These rows in place of those of a block.
    pub fn in_place_of<'a>(&'a self, all: Rows<'a>) -> Rows<'a> {
        Rows {
            records: &self.records,
            statuses: &self.statuses,
            outcomes: &self.outcomes,
            kept: &self.kept,
            answers: &[],
            forms: &[],
            facts: &self.facts,
            wanted: Wanted::All,
            ..all
        }
    }
}
