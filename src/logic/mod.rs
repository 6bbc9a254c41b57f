//! The rules that people use, on bitmasks of candidates: [`Level`] names them in order of
//! difficulty, and [`Candidates::deduce`] applies them, the weakest first.
//!
//! A [`Watch`] observes each step, so the steps of the command's `show` are those that determine
//! the level of a puzzle. The engine `propagate` searches with the same rules.

mod candidates;
mod level;

use std::fmt;

use crate::puzzle::Unit;
pub use candidates::{BandCells, Candidates};
pub use level::{Level, UnknownLevel};

/// An observer of deductions and searches. The observer `()` ignores them.
pub trait Watch {
    /// Observes a step, which is computed only if it is used.
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
        /// Why it has this digit.
        rule: Rule,
    },
    /// Cells lose a candidate.
    Eliminated {
        /// The cells.
        cells: BandCells,
        /// The candidate.
        digit: u8,
        /// Why; `None` if it follows from the last assignment.
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
    /// The search goes back.
    Retreated {
        /// The number of guesses so far.
        depth: usize,
        /// The contradiction that was found.
        why: Contradiction,
    },
}

/// Why a digit is assigned to a cell, or candidates are eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is a clue.
    Clue,
    /// It is a guess.
    Guess,
    /// The cell has no other candidate left.
    OnlyCandidate,
    /// The unit has no other place left for it.
    OnlyPlace(Unit),
    /// Its places in the rows (or columns) and boxes of a chute are elsewhere.
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
    /// `rows 1 to 3`, `columns 7 to 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = if self.0 < 3 { "rows" } else { "columns" };
        let first = self.0 % 3 * 3 + 1;
        write!(f, "{lines} {first} to {}", first + 2)
    }
}

/// Why the candidates admit no solution. Digits are 1 to 9.
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
