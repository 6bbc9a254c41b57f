//! Which records have rows, and in which output.

use std::sync::{Arc, Mutex};

use super::NO_PANIC;
use super::block::{Block, Then};
use super::worker::{Worker, other_counts};
use crate::canon::Seen;
use crate::input::PuzzleRef;
use crate::puzzle::Puzzle;
use crate::status::Status;

/// When two puzzles are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They are isomorphic.
    Class,
    /// They have the same clues in the same cells.
    Exact,
}

/// Decides which records have rows. Workers share one.
pub trait Sift: Send + Sync {
    /// Which puzzles are the same to it.
    fn by(&self) -> Sameness;

    /// Whether it has to see blocks in their order, and a run that is resumed from the start.
    fn in_order(&self) -> bool {
        false
    }

    /// Whether it asks for [`Sifted::guesses`].
    fn asks_guesses(&self) -> bool {
        false
    }

    /// Decides about the records of a block; `false` ends the run before it.
    fn sift(&self, block: &mut [Sifted]) -> bool;

    /// Why it has ended the run.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// One that others ask for what it has seen.
impl<T: Sift + ?Sized> Sift for Arc<T> {
    fn by(&self) -> Sameness {
        (**self).by()
    }

    fn in_order(&self) -> bool {
        (**self).in_order()
    }

    fn asks_guesses(&self) -> bool {
        (**self).asks_guesses()
    }

    fn sift(&self, block: &mut [Sifted]) -> bool {
        (**self).sift(block)
    }

    fn failure(&self) -> Option<String> {
        (**self).failure()
    }
}

/// A record that is to be decided about.
#[derive(Clone, Debug)]
pub struct Sifted {
    /// The place of its input among all.
    pub source: usize,
    /// Its line in that input, from 1.
    pub line: u64,
    /// What stands for all puzzles that are the same: the canonical form, or the puzzle itself. `None`
    /// if there is none: the record is malformed, clues contradict themselves, or pencil marks say more
    /// than clues.
    pub puzzle: Option<Puzzle>,
    /// Guesses of the proof of that puzzle, if they are asked for.
    pub guesses: u64,
    /// What becomes of it; until it is decided, a row in the first output.
    pub fate: Fate,
}

/// What becomes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has a row in this output.
    Row(u8),
    /// It has no row.
    NoRow,
    /// It has no row, and this status.
    Status(Status),
}

/// In the place of an output: none.
pub(super) const NOWHERE: u8 = u8::MAX;

/// Keeps the first of puzzles that are the same. What it has seen it remembers from run to run.
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

impl Sift for Distinct {
    fn by(&self) -> Sameness {
        self.by
    }

    fn in_order(&self) -> bool {
        true
    }

    fn sift(&self, block: &mut [Sifted]) -> bool {
        let mut seen = self.seen.lock().expect(NO_PANIC);
        for sifted in block {
            if sifted.puzzle.is_some_and(|puzzle| !seen.insert(Seen::hash(&puzzle))) {
                sifted.fate = Fate::Status(Status::Duplicate);
            }
        }
        true
    }
}

impl Worker<'_> {
    /// Decides which records of a judged block have rows.
    pub(super) fn sift(&mut self, block: &mut Block) {
        self.outputs.clear();
        if let Some(sift) = &self.pipeline.sift {
            let is_done = self.gather(&**sift, block) && self.decide(&**sift, block);
            if !is_done {
                block.then = Then::EndBefore;
            }
        }
        if let Some(route) = &self.pipeline.route {
            self.outputs.resize(self.statuses.len(), 0);
            for (i, output) in self.outputs.iter_mut().enumerate() {
                if *output != NOWHERE {
                    let level = self.facts.get(i).and_then(|facts| facts.level);
                    *output = route(self.statuses[i], level).unwrap_or(NOWHERE);
                }
            }
        }
        if self.outputs.is_empty() {
            return;
        }
        let has_row = |(i, _): &(usize, _)| self.outputs[*i] != NOWHERE;
        let last = self.records.all.iter().enumerate().filter(has_row).last();
        block.last_record = last.map(|(_, record)| block.first_line + u64::from(record.line));
    }

    /// Lists what is to be decided about; `false` if the run is stopped meanwhile.
    fn gather(&mut self, sift: &dyn Sift, block: &Block) -> bool {
        let mut all = std::mem::take(&mut self.sifted);
        all.clear();
        for (i, record) in self.records.all.iter().enumerate() {
            let is_puzzle = !matches!(self.statuses[i], Status::Malformed | Status::Contradictory);
            let puzzle = match (sift.by(), record.puzzle) {
                (Sameness::Class, _) => self.forms[i].map(|canonical| canonical.form),
                (Sameness::Exact, Ok(given)) if is_puzzle => self.puzzle(given),
                (Sameness::Exact, _) => None,
            };
            let line = block.first_line + u64::from(record.line);
            let (guesses, fate) = (0, Fate::Row(0));
            all.push(Sifted { source: block.source, line, puzzle, guesses, fate });
        }
        let has_guesses = !sift.asks_guesses() || self.find_guesses(&mut all);
        self.sifted = all;
        has_guesses
    }

    fn find_guesses(&mut self, all: &mut [Sifted]) -> bool {
        let puzzles: Vec<_> = all.iter().filter_map(|sifted| sifted.puzzle).collect();
        let Some(outcomes) = self.solve_others(&puzzles) else { return false };
        let with_puzzle = all.iter_mut().filter(|sifted| sifted.puzzle.is_some());
        for (sifted, outcome) in with_puzzle.zip(&outcomes) {
            sifted.guesses = outcome.guesses;
        }
        true
    }

    /// Asks, and does what is said; `false` ends the run before the block.
    fn decide(&mut self, sift: &dyn Sift, block: &mut Block) -> bool {
        let all = &mut self.sifted;
        let goes_on = if sift.in_order() {
            self.turns.take(block.number, || sift.sift(all))
        } else {
            sift.sift(all)
        };
        if all.iter().all(|sifted| sifted.fate == Fate::Row(0)) {
            return goes_on;
        }
        for (sifted, status) in all.iter().zip(&mut self.statuses) {
            self.outputs.push(match sifted.fate {
                Fate::Row(output) => output,
                Fate::NoRow => NOWHERE,
                Fate::Status(new) => {
                    *status = new;
                    NOWHERE
                }
            });
        }
        block.counts = other_counts(&self.records);
        self.statuses.iter().for_each(|&status| block.counts.add(status, 1));
        goes_on
    }

    /// The puzzle that a record gives; pencil marks that say more than clues are none.
    pub(super) fn puzzle(&self, given: PuzzleRef) -> Option<Puzzle> {
        match given {
            PuzzleRef::Puzzle(place) => Some(self.records.puzzles[place as usize]),
            PuzzleRef::Marks(place) => self.records.marks[place as usize].puzzle(),
        }
    }
}
