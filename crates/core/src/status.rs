//! The status of a record.

use crate::named::named_enum;
use crate::puzzle::Puzzle;
use crate::solver::{Limits, Outcome};

named_enum! {
    /// The status of a record, in the order of the summary. Every record has exactly one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Status {
        /// The puzzle has exactly one solution, which is proved.
        Unique = "unique",
        /// The puzzle has a solution; uniqueness was not checked.
        Solved = "solved",
        /// The input's solution is right and unique, or the puzzle has a canonical form.
        Ok = "ok",
        /// The puzzle equals an earlier one, so it has no row.
        Duplicate = "duplicate",
        /// The puzzle equals one of another set, so it has no row.
        Known = "known",
        /// The puzzle has at least two solutions.
        Multiple = "multiple",
        /// The clues obey the rules, but no solution exists.
        Unsolvable = "unsolvable",
        /// Two equal clues share a unit.
        Contradictory = "contradictory",
        /// The input's solution is wrong ([`crate::check`]).
        Mismatch = "mismatch",
        /// The record is not a puzzle.
        Malformed = "malformed",
        /// The pencil marks are not equivalent to a puzzle, so they have no canonical form.
        NoForm = "no_form",
        /// The node limit ended the search.
        GaveUp = "gave_up",
        /// The engine failed on this record.
        InternalError = "internal_error",
    }

    /// The requested status does not exist.
    UnknownStatus = "unknown status; expected {names}"
}

impl Status {
    /// Returns the status of `puzzle`, whose `outcome` was found under `limits`. For pencil marks,
    /// `puzzle` is their [clues](crate::Marks::clues).
    #[inline]
    pub fn of(puzzle: &Puzzle, limits: Limits, outcome: &Outcome) -> Self {
        match outcome.solutions {
            0 if puzzle.contradiction().is_some() => Self::Contradictory,
            _ if outcome.gave_up => Self::GaveUp,
            0 => Self::Unsolvable,
            1 if limits.solutions.get() == 1 => Self::Solved,
            1 => Self::Unique,
            _ => Self::Multiple,
        }
    }

    /// Returns whether a run that has only such records ends with exit status 0.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Unique | Self::Solved | Self::Ok | Self::Duplicate | Self::Known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(cells: [u8; 3], limits: Limits, solutions: u32, gave_up: bool) -> Status {
        let mut all = [0; 81];
        all[..3].copy_from_slice(&cells);
        let puzzle = Puzzle::from_cells(all).unwrap();
        Status::of(&puzzle, limits, &Outcome { solutions, gave_up, ..Outcome::NONE })
    }

    #[test]
    fn one_solution_is_unique_only_after_a_search_for_a_second() {
        assert_eq!(status([1, 2, 3], Limits::FIRST, 1, false), Status::Solved);
        assert_eq!(status([1, 2, 3], Limits::PROOF, 1, false), Status::Unique);
        assert_eq!(status([1, 2, 3], Limits::PROOF, 1, true), Status::GaveUp);
        assert_eq!(status([1, 2, 3], Limits::PROOF, 2, false), Status::Multiple);
    }

    #[test]
    fn a_contradiction_is_named_even_when_the_search_gave_up() {
        assert_eq!(status([1, 0, 1], Limits::PROOF, 0, true), Status::Contradictory);
        assert_eq!(status([1, 0, 2], Limits::PROOF, 0, true), Status::GaveUp);
        assert_eq!(status([1, 0, 2], Limits::PROOF, 0, false), Status::Unsolvable);
    }
}
