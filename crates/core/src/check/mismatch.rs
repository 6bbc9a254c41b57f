//! The reasons that a solution in the input is wrong.

use std::fmt;

use crate::marks::Digits;
use crate::puzzle::{Contradiction, Malformed, cell_name};

/// The reason that the input's solution is wrong: the first one that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The solution is missing.
    Missing,
    /// The solution is missing because there are fewer solutions than puzzles.
    Ended,
    /// The solution is not a grid.
    NoGrid(Malformed),
    /// A cell of the solution is blank.
    Blank {
        /// The first such cell.
        cell: usize,
    },
    /// The puzzle's clues break the rules, so no solution is right.
    Clues(Contradiction),
    /// A clue differs from the digit in the input's solution.
    Clue {
        /// The first such cell.
        cell: usize,
        /// The clue of the puzzle.
        clue: u8,
        /// The digit of the input's solution.
        digit: u8,
    },
    /// A digit is not a candidate of its cell.
    Candidate {
        /// The first such cell.
        cell: usize,
        /// The candidates of the puzzle.
        candidates: Digits,
        /// The digit of the input's solution.
        digit: u8,
    },
    /// A digit occurs twice in a unit of the input's solution.
    Twice(Contradiction),
    /// The solution is right, but not the only one.
    Several,
    /// The solution is right, but written in a form in which its digits cannot be replaced.
    Form,
}

impl Mismatch {
    /// Returns the first cell of the input's solution that is wrong, if one is.
    pub fn cell(&self) -> Option<usize> {
        match self {
            Self::Blank { cell } | Self::Clue { cell, .. } | Self::Candidate { cell, .. } => {
                Some(*cell)
            }
            Self::Twice(found) => Some(found.cells[1]),
            Self::Missing
            | Self::Ended
            | Self::NoGrid(_)
            | Self::Clues(_)
            | Self::Several
            | Self::Form => None,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the solution is missing"),
            Self::Ended => {
                f.write_str("the solution is missing: there are fewer solutions than puzzles")
            }
            Self::NoGrid(malformed) => {
                write!(f, "the solution is not a grid: {}", malformed.without_advice())
            }
            Self::Blank { cell } => {
                write!(f, "the solution is not complete: {} is blank", cell_name(*cell))
            }
            Self::Clues(found) => write!(f, "the puzzle's clues contradict each other: {found}"),
            Self::Clue { cell, clue, digit } => {
                let cell = cell_name(*cell);
                write!(
                    f,
                    "a clue is changed: {cell} is {clue} in the puzzle, {digit} in the solution"
                )
            }
            Self::Candidate { cell, candidates, digit } => {
                let cell = cell_name(*cell);
                let candidates = match candidates.len() {
                    0 => "nothing".into(),
                    _ => candidates.to_string(),
                };
                write!(
                    f,
                    "not a candidate: {cell} can be {candidates} in the puzzle, {digit} in the solution"
                )
            }
            Self::Twice(found) => write!(f, "the solution breaks the rules: {found}"),
            Self::Several => f.write_str("the puzzle has more than one solution"),
            Self::Form => f.write_str(
                "the solution is in a form in which that of an isomorph cannot be written; write 81 digits",
            ),
        }
    }
}
