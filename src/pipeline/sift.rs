//! Decides which records have rows, and in which output.

use std::io;
use std::sync::Mutex;

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
    /// Which puzzles count as the same.
    fn by(&self) -> Sameness;

    /// Whether it needs all blocks in order; a resumed run then starts at the first record.
    fn in_order(&self) -> bool {
        false
    }

    /// Whether it needs [`Sifted::guesses`].
    fn needs_guesses(&self) -> bool {
        false
    }

    /// Decides about the records of a block.
    ///
    /// # Errors
    /// A failure ends the run before the block.
    fn sift(&self, block: &mut [Sifted]) -> io::Result<()>;
}

/// A record to decide about.
#[derive(Clone, Debug)]
pub struct Sifted {
    /// The place of its input among all.
    pub source: usize,
    /// Its line in that input, from 1.
    pub line: u64,
    /// The representative of all puzzles that are the same: the canonical form, or the puzzle
    /// itself. `None` if the record is malformed, its clues are contradictory, or its pencil marks
    /// are more than clues.
    pub puzzle: Option<Puzzle>,
    /// Guesses of the proof of that puzzle, if they are needed.
    pub guesses: u64,
    /// The decision, by default a row in the first output.
    pub fate: Fate,
}

/// The decision about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has a row in this output.
    Row(u8),
    /// It has no row.
    NoRow,
    /// It has no row, and this status.
    Status(Status),
}

/// Stands for no output.
pub(super) const NOWHERE: u8 = u8::MAX;

/// Keeps the first of puzzles that are the same. Its memory lasts for several runs.
#[derive(Debug)]
pub struct Distinct {
    by: Sameness,
    seen: Mutex<Seen>,
}

impl Distinct {
    /// Has seen no puzzles yet.
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

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let mut seen = self.seen.lock().expect(NO_PANIC);
        for sifted in block {
            if sifted.puzzle.is_some_and(|puzzle| !seen.insert(Seen::hash(&puzzle))) {
                sifted.fate = Fate::Status(Status::Duplicate);
            }
        }
        Ok(())
    }
}
