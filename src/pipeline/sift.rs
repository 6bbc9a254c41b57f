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
pub struct Sift {
    /// Which puzzles count as the same.
    pub by: Sameness,
    /// Whether it needs all blocks in order; a resumed run then starts at the first record.
    pub in_order: bool,
    /// Whether it needs [`Sifted::guesses`].
    pub needs_guesses: bool,
    /// Decides about the records of a block. A failure ends the run before the block.
    pub decide: Decide,
}

/// Decides about the records of a block ([`Sift::decide`]).
pub type Decide = Box<dyn Fn(&mut [Sifted]) -> io::Result<()> + Send + Sync>;

impl Sift {
    /// Takes blocks in any order, and needs no guesses.
    pub fn new(
        by: Sameness,
        decide: impl Fn(&mut [Sifted]) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { by, in_order: false, needs_guesses: false, decide: Box::new(decide) }
    }

    /// Keeps the first of puzzles that are the same. Its memory lasts for several runs.
    pub fn distinct(by: Sameness) -> Self {
        let seen = Mutex::new(Seen::default());
        let decide = move |block: &mut [Sifted]| {
            let mut seen = seen.lock().expect(NO_PANIC);
            for sifted in block {
                if sifted.puzzle.is_some_and(|puzzle| !seen.insert(Seen::hash(&puzzle))) {
                    sifted.fate = Fate::Status(Status::Duplicate);
                }
            }
            Ok(())
        };
        Self { in_order: true, ..Self::new(by, decide) }
    }
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
