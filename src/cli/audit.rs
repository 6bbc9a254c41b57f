//! The audit of solutions for the page of `check`: wrong records by reason, and duplicates.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkdoku::Status;
use bulkdoku::output::{Decision, Needs, Row};
use bulkdoku::pipeline::Filter;
use bulkdoku::sets::{Sameness, Seen};

/// The number of examples for each reason, and of duplicates.
const MAX_EXAMPLES: usize = 5;

/// The memory for the puzzles that later ones are compared with.
const SEEN_BYTES: usize = 256 << 20;

/// The findings of a run, which its filter collects.
#[derive(Clone, Default)]
pub struct Audit(Arc<Mutex<Findings>>);

#[derive(Default)]
pub struct Findings {
    pub records: u64,
    pub right: u64,
    /// The other records, by status and type of reason.
    pub wrong: BTreeMap<(usize, String), Group>,
    /// Records whose puzzle occurred before.
    pub duplicates: Group,
    /// The number of puzzles that were compared, if the memory did not suffice for all.
    pub compared: Option<u64>,
    seen: Seen,
}

/// Records with the same fault.
#[derive(Default)]
pub struct Group {
    pub records: u64,
    /// Where the first ones are, and what is wrong with them.
    pub examples: Vec<(String, String)>,
}

impl Audit {
    pub fn findings(&self) -> MutexGuard<'_, Findings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a filter that keeps all records.
    pub fn filter<'a>(&self) -> Filter<'a> {
        let audit = self.clone();
        let collect = move |row: &Row<'_>| {
            audit.findings().add(row);
            Ok(Decision::Keep)
        };
        Filter::InOrder(Needs::NONE, Box::new(collect))
    }
}

impl Findings {
    fn add(&mut self, row: &Row<'_>) {
        self.records += 1;
        let place = || format!("{}:{}", row.file(), row.line());
        if row.status() == Status::Ok {
            self.right += 1;
        } else {
            let (status, reason) = (row.status(), row.reason());
            // Reasons for wrong solutions have a type, and then details.
            let reason_type = match status {
                Status::Mismatch => reason.split([':', ';']).next().unwrap_or_default(),
                Status::Malformed => "not a puzzle",
                _ => reason,
            };
            let group = self.wrong.entry((status as usize, reason_type.into())).or_default();
            group.add(place, reason);
        }
        let (Some(hash), None) = (Sameness::Puzzle.hash(row), self.compared) else { return };
        match self.seen.insert_within(hash, SEEN_BYTES) {
            Some(true) => {}
            Some(false) => self.duplicates.add(place, row.status().name()),
            None => self.compared = Some(self.records - 1),
        }
    }
}

impl Group {
    fn add(&mut self, place: impl FnOnce() -> String, what: &str) {
        self.records += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push((place(), what.into()));
        }
    }
}
