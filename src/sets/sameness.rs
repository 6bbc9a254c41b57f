//! The criterion by which two records are the same.

use super::Seen;
use crate::output::{Needs, Row};
use crate::puzzle::Puzzle;
use crate::status::Status;

/// The criterion by which two puzzles are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sameness {
    /// They have the same clues in the same cells.
    Puzzle,
    /// They are isomorphic.
    Class,
    /// Each has exactly one solution, and these solutions are isomorphic.
    Grid,
    /// They are isomorphic after removing up to this number of clues from each, 1 or 2.
    Near(u8),
}

impl Sameness {
    /// Returns the properties that [`Sameness::hash`] reads.
    pub const fn needs(self) -> Needs {
        match self {
            Self::Class => Needs::FORM,
            Self::Puzzle => Needs::NONE,
            Self::Grid => Needs::GRID,
            Self::Near(1) => Needs::NEAR_1,
            Self::Near(_) => Needs::NEAR_2,
        }
    }

    /// Returns a hash that is equal for all puzzles that are the same. Returns `None` if the record
    /// is malformed or contradictory, has pencil marks that clues cannot express, or has no such
    /// grid.
    pub fn hash(self, row: &Row<'_>) -> Option<u128> {
        let puzzle = match self {
            Self::Class => row.results().forms[row.index].map(|canonical| canonical.form),
            Self::Puzzle => row.puzzle().filter(|_| row.status() != Status::Contradictory),
            Self::Grid => row.results().grids[row.index].map(Puzzle::from),
            Self::Near(_) => return row.results().near[row.index].first().copied(),
        };
        puzzle.map(|puzzle| Seen::hash(&puzzle))
    }

    /// Returns hashes, at least one of which is shared by records that are the same.
    pub fn hashes<'a>(self, row: &Row<'a>) -> impl Iterator<Item = u128> + use<'a> {
        let near = match self {
            Self::Near(_) => &row.results().near[row.index][..],
            _ => &[],
        };
        let one = if near.is_empty() { self.hash(row) } else { None };
        one.into_iter().chain(near.iter().copied())
    }
}

/// The hashes by which a record is compared.
#[derive(Clone, Debug)]
pub struct RecordHashes {
    /// The status of the record.
    pub status: Status,
    /// The line of the record in its input.
    pub line: u64,
    /// The hash for comparing the record itself, if it has one.
    pub first: Option<u128>,
    /// With [`Sameness::Near`], the hashes with clues removed.
    pub others: Vec<u128>,
}

impl RecordHashes {
    /// Returns the hashes of a record by a criterion.
    #[inline]
    pub fn of(by: Sameness, row: &Row<'_>) -> Self {
        let mut hashes = by.hashes(row);
        let (status, line) = (row.status(), row.line());
        Self { status, line, first: hashes.next(), others: hashes.collect() }
    }

    /// Returns all hashes.
    pub fn hashes(&self) -> impl Iterator<Item = u128> {
        self.first.into_iter().chain(self.others.iter().copied())
    }
}
