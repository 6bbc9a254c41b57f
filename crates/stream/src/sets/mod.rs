//! Sets of puzzles: which records are the same, and in which part of a set each of them is.

mod seen;
mod split;

use crate::output::{Needs, Row};
use bulkdoku_core::{Puzzle, Status};

pub(crate) use seen::Hashes;
pub use seen::Seen;
pub use split::Split;

/// The criterion by which two puzzles are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They have the same clues in the same cells.
    Puzzle,
    /// They are isomorphic.
    Class,
    /// Each has exactly one solution, and these solutions are isomorphic.
    Grid,
}

impl Sameness {
    /// Returns the properties that [`Sameness::representative`] reads.
    pub const fn needs(self) -> Needs {
        match self {
            Self::Class => Needs::FORM,
            Self::Puzzle => Needs::NONE,
            Self::Grid => Needs::GRID,
        }
    }

    /// Returns a puzzle that is equal for all puzzles that are the same. Returns `None` if the record
    /// is malformed or contradictory, has pencil marks that clues cannot express, or has no such
    /// grid.
    pub fn representative(self, row: &Row<'_>) -> Option<Puzzle> {
        match self {
            Self::Class => row.properties().form.map(|canonical| canonical.form),
            Self::Puzzle => row.puzzle().filter(|_| row.status() != Status::Contradictory),
            Self::Grid => row.properties().grid.map(Puzzle::from),
        }
    }

    /// Returns the hash of that puzzle, for a [`Seen`].
    pub fn hash(self, row: &Row<'_>) -> Option<u128> {
        self.representative(row).map(|puzzle| Seen::hash(&puzzle))
    }
}
