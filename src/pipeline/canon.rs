//! Canonical forms in place of solutions.

use std::mem;
use std::sync::Mutex;
use std::time::Instant;

use super::NO_PANIC;
use super::worker::{Worker, other_counts};
use crate::canon::{Canonical, Seen};
use crate::input::Given;
use crate::puzzle::Puzzle;
use crate::stats::{Counts, in_runs};
use crate::status::Status;

/// What to find out about the canonical forms of puzzles ([`canon`](crate::canon)).
#[derive(Debug, Default)]
pub struct Canon {
    /// Whether rows show forms. If not, they are found only where `distinct` needs them.
    pub forms: bool,
    /// Whether a puzzle that is the same as an earlier one has no row.
    pub distinct: Option<Distinct>,
}

/// When two puzzles are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They are isomorphic.
    Class,
    /// They have the same clues in the same cells.
    Exact,
}

/// The puzzles so far. It is kept from run to run.
#[derive(Debug)]
pub struct Distinct {
    by: Sameness,
    seen: Mutex<Seen>,
}

impl Distinct {
    /// None so far.
    pub fn new(by: Sameness) -> Self {
        Self { by, seen: Mutex::default() }
    }
}

impl Canon {
    fn needs_forms(&self) -> bool {
        self.forms || self.distinct.as_ref().is_some_and(|distinct| distinct.by == Sameness::Class)
    }
}

/// What was found about a puzzle.
type Found = Result<Option<Canonical<Puzzle>>, Status>;

impl Worker<'_> {
    /// Finds forms and statuses of all records of a block, takes away the records that are to have
    /// no row, and lists how long each took.
    pub(super) fn find_forms(
        &mut self,
        canon: &Canon,
        block: u64,
        latencies: &mut Vec<(u64, u64)>,
    ) -> Counts {
        self.statuses.clear();
        self.forms.clear();
        let mut start = Instant::now();
        for record in &self.records.all {
            let found = match record.puzzle {
                Err(_) => Err(Status::Malformed),
                Ok(given) => self.puzzle(given).ok_or(Status::NoForm).and_then(|puzzle| {
                    let found = find(&puzzle, canon.needs_forms());
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
        if let Some(distinct) = &canon.distinct {
            self.mark_duplicates(distinct, block);
        }
        let mut counts = other_counts(&self.records);
        self.statuses.iter().for_each(|&status| counts.add(status, 1));
        if counts.of(Status::Duplicate) > 0 {
            self.drop_duplicates();
        }
        counts
    }

    /// The puzzle that a record gives; pencil marks that say more than clues are none.
    fn puzzle(&self, given: Given) -> Option<Puzzle> {
        match given {
            Given::Puzzle(place) => Some(self.records.puzzles[place as usize]),
            Given::Marks(place) => self.records.marks[place as usize].puzzle(),
        }
    }

    /// How long each form took.
    fn latencies(&self) -> impl Iterator<Item = u64> {
        let all = self.records.all.iter().zip(&self.forms);
        let found = all.filter(|(_, form)| form.is_some());
        found.filter_map(|(record, _)| Some(self.outcomes.of(record.puzzle.ok()?).latency_ns))
    }

    /// Finds out which puzzles of a block were there before, in the order of the blocks.
    fn mark_duplicates(&mut self, distinct: &Distinct, block: u64) {
        self.hashes.clear();
        for ((record, form), status) in self.records.all.iter().zip(&self.forms).zip(&self.statuses)
        {
            let puzzle = match (status, distinct.by) {
                (Status::Ok, Sameness::Class) => form.map(|canonical| canonical.form),
                (Status::Ok, Sameness::Exact) => {
                    record.puzzle.ok().and_then(|given| self.puzzle(given))
                }
                _ => None,
            };
            self.hashes.push(puzzle.as_ref().map(Seen::hash));
        }
        let (hashes, statuses) = (&self.hashes, &mut self.statuses);
        self.turns.take(block, || {
            let mut seen = distinct.seen.lock().expect(NO_PANIC);
            for (hash, status) in hashes.iter().zip(statuses) {
                if hash.is_some_and(|hash| !seen.insert(hash)) {
                    *status = Status::Duplicate;
                }
            }
        });
    }

    /// Takes duplicates out of the records and of all that is listed for each record.
    fn drop_duplicates(&mut self) {
        let records = mem::take(&mut self.records.all);
        let kept_each = self.records.kept.len() / records.len();
        let mut length = 0;
        for (place, record) in records.iter().enumerate() {
            let status = self.statuses[place];
            if status != Status::Duplicate {
                self.records.all.push(record);
                self.statuses[length] = status;
                self.forms[length] = self.forms[place];
                let kept = place * kept_each..(place + 1) * kept_each;
                self.records.kept.copy_within(kept, length * kept_each);
                length += 1;
            }
        }
        self.statuses.truncate(length);
        self.forms.truncate(length);
        self.records.kept.truncate(length * kept_each);
    }
}

/// The form of a puzzle if it is wanted, or why it has none.
fn find(puzzle: &Puzzle, wants_form: bool) -> Found {
    let contradicts = |_| Status::Contradictory;
    if wants_form {
        return puzzle.canonical().map(Some).map_err(contradicts);
    }
    puzzle.contradiction().map_or(Ok(None), |found| Err(contradicts(found)))
}
