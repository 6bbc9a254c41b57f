//! Which records have rows, and in which output.

use std::sync::{Arc, Mutex};

use super::NO_PANIC;
use crate::canon::Seen;
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
    /// What stands for all puzzles that are the same: the canonical form, or the puzzle itself.
    /// `None` if there is none: the record is malformed, clues contradict themselves, or pencil
    /// marks say more than clues.
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
