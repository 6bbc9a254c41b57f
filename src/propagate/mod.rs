//! Constraint propagation over units and peers, as in Peter Norvig's article "Solving Every Sudoku
//! Puzzle". Every cell has a set of candidates; [`assign`](Candidates::assign) and
//! [`eliminate`](Candidates::eliminate) maintain two rules.
//!
//! 1. If a cell has one candidate left, its 20 peers lose that candidate.
//! 2. If a unit has one place left for a digit, the digit is assigned there.
//!
//! These rules solve the article's first puzzle. The second one stays open, with the candidates
//! that the article prints:
//!
//! ```
//! use bulkdoku::propagate::{Candidates, peers, units};
//!
//! let easy =
//!     "003020600900305001001806400008102900700000008006708200002609500800203009005010300".parse()?;
//! let solved = Candidates::of(&easy).unwrap();
//! assert_eq!(
//!     solved.grid().unwrap().to_string(),
//!     "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
//! );
//!
//! let hard =
//!     "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......".parse()?;
//! let mut stuck = Candidates::of(&hard).unwrap();
//! let a2 = 1;
//! assert_eq!(stuck.candidates(a2).to_string(), "1679");
//! assert_eq!(stuck.grid(), None);
//!
//! // A cell has three units and 20 peers; what is assigned to it leaves all of them.
//! assert_eq!((units(a2).len(), peers(a2).len()), (3, 20));
//! stuck.assign(a2, 1).unwrap();
//! assert!(peers(a2).iter().all(|&peer| !stuck.candidates(peer.into()).contains(1)));
//!
//! // A contradiction names a cell and a unit.
//! let error = stuck.assign(peers(a2)[0].into(), 1).unwrap_err();
//! assert_eq!(error.to_string(), "no candidate is left in A1: 1 is taken in row 1");
//! # Ok::<(), bulkdoku::Malformed>(())
//! ```

mod candidates;
mod geometry;
mod names;

use std::fmt;

use thiserror::Error;

use crate::puzzle::Unit;
pub use candidates::Candidates;
pub(crate) use geometry::row_column_box;
pub use geometry::{peers, units};
pub use names::Names;

/// Why a digit was assigned to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is a clue.
    Clue,
    /// It is a guess.
    Guess,
    /// The cell had no other candidate left.
    OnlyCandidate,
    /// The unit had no other place left for it.
    OnlyPlace(Unit),
}

impl fmt::Display for Rule {
    /// `clue`, `guess`, `only candidate`, `only place in box 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clue => f.pad("clue"),
            Self::Guess => f.pad("guess"),
            Self::OnlyCandidate => f.pad("only candidate"),
            Self::OnlyPlace(unit) => write!(f, "only place in {unit}"),
        }
    }
}

/// An observer of every step. Each method does nothing by default.
pub trait Watch {
    /// A digit was assigned to a cell.
    fn assigned(&mut self, _cell: usize, _digit: u8, _rule: Rule) {}

    /// A cell has lost a candidate.
    fn eliminated(&mut self, _cell: usize, _digit: u8) {}

    /// A digit is guessed, after `depth - 1` other guesses; its assignment follows.
    fn guessed(&mut self, _depth: usize, _cell: usize, _digit: u8) {}

    /// The search goes back from a state with `depth` guesses.
    fn retreated(&mut self, _depth: usize, _why: Retreat) {}
}

/// Why a search goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retreat {
    /// The guesses contradict the puzzle.
    Contradiction(Contradiction),
    /// A solution was found; the search continues.
    Solution,
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// The candidates admit no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", self.explain(Names::Letters))]
pub struct Contradiction {
    /// The cell that has no candidate left, or that was the last place for the digit.
    pub cell: usize,
    /// The digit that was taken from it.
    pub digit: u8,
    /// The unit in which the digit is taken, or has no place left.
    pub unit: Unit,
    /// The kind of contradiction.
    pub why: Why,
}

/// The kinds of contradictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A cell has no candidate left.
    NoCandidate,
    /// A digit has no place left in a unit.
    NoPlace,
}

impl Contradiction {
    /// A description with cells named in this way.
    pub fn explain(&self, names: Names) -> String {
        let Self { digit, unit, why, .. } = self;
        let cell = names.of(self.cell);
        match why {
            Why::NoCandidate => {
                format!("no candidate is left in {cell}: {digit} is taken in {unit}")
            }
            Why::NoPlace => format!("no place is left for {digit} in {unit}: {cell} was the last"),
        }
    }
}

#[cfg(test)]
mod tests;
