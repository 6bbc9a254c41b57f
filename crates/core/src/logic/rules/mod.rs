//! Rules that people use, on bitmasks of candidates. [`Level`] names them in order of difficulty,
//! and [`Candidates::deduce`] applies them, the weakest first.
//!
//! A [`Watch`] observes each step, so the command `show` prints the very steps that determine the
//! level of a puzzle. The engine `propagate` searches with the same rules.

mod candidates;
mod level;

use std::fmt;

use crate::puzzle::Unit;
pub use candidates::{BandCells, Candidates};
pub use level::{Level, UnknownLevel};

/// An observer of deductions and searches. The observer `()` ignores all steps.
pub trait Watch {
    /// Observes a step. `step` is called only if the observer uses the step.
    fn observe(&mut self, step: impl FnOnce() -> Step);
}

impl Watch for () {
    #[inline(always)]
    fn observe(&mut self, _: impl FnOnce() -> Step) {}
}

/// A step of a deduction or search. Digits are 1 to 9.
#[derive(Clone, Debug)]
pub enum Step {
    /// A digit is assigned to a cell.
    Assigned {
        /// The cell.
        cell: usize,
        /// Its digit.
        digit: u8,
        /// The reason for the digit.
        rule: Rule,
    },
    /// Cells lose a candidate.
    Eliminated {
        /// The cells.
        cells: BandCells,
        /// The candidate.
        digit: u8,
        /// The reason, or `None` if the elimination follows from the last assignment.
        rule: Option<Rule>,
    },
    /// A digit is guessed; its assignment follows.
    Guessed {
        /// The number of guesses up to and including this one.
        depth: usize,
        /// The cell.
        cell: usize,
        /// The digit.
        digit: u8,
    },
    /// The search returns to an earlier state.
    Retreated {
        /// The number of guesses so far.
        depth: usize,
        /// The contradiction that was detected.
        why: Contradiction,
    },
}

/// The reason for an assignment or an elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The digit is a clue.
    Clue,
    /// The digit is a guess.
    Guess,
    /// The cell has no other candidate.
    OnlyCandidate,
    /// The unit has no other place for the digit.
    OnlyPlace(Unit),
    /// The digit's places in the rows (or columns) and boxes of a chute are elsewhere.
    Locked(Chute),
    /// Three other digits fill the cells that a box shares with a row (or column).
    Filled(Chute),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clue => f.write_str("clue"),
            Self::Guess => f.write_str("guess"),
            Self::OnlyCandidate => f.write_str("only candidate"),
            Self::OnlyPlace(unit) => write!(f, "only place in {unit}"),
            Self::Locked(chute) => write!(f, "locked candidates in {chute}"),
            Self::Filled(chute) => write!(f, "three digits fill three cells in {chute}"),
        }
    }
}

/// Three rows (0 to 2) or three columns (3 to 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chute(pub u8);

impl fmt::Display for Chute {
    /// Formats it as `rows 1 to 3` or `columns 7 to 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = if self.0 < 3 { "rows" } else { "columns" };
        let first = self.0 % 3 * 3 + 1;
        write!(f, "{lines} {first} to {}", first + 2)
    }
}

/// The reason that candidates have no solution. Digits are 1 to 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The digit of a cell is already taken in one of its units.
    Taken {
        /// The cell.
        cell: usize,
        /// The digit.
        digit: u8,
        /// The unit.
        unit: Unit,
    },
    /// The cell has no candidate left.
    NoCandidate {
        /// The cell.
        cell: usize,
    },
    /// The digit has no place left in a unit.
    NoPlace {
        /// The digit.
        digit: u8,
        /// The unit.
        unit: Unit,
    },
    /// The digit cannot be placed in all rows and boxes, or columns and boxes, of a chute.
    NoPlaces {
        /// The digit.
        digit: u8,
        /// The chute.
        chute: Chute,
    },
}

#[cfg(test)]
mod tests;
