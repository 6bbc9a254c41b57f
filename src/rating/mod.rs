//! How hard a puzzle is, in numbers that mean what they say.
//!
//! | number | what it is |
//! |---|---|
//! | [`Level`] | the weakest of three sets of rules that solves the puzzle, or that none does |
//! | [`Facts::rating`] | how many guesses the proof takes that there is one solution |
//!
//! A level is the same for all isomorphs of a puzzle. Guesses are those of one drawing of the puzzle:
//! two drawings of a hard one differ. Their geometric mean over some isomorphs of the canonical form is
//! the same for all isomorphs again. Neither is a rating of Sudoku Explainer's kind: that one looks for
//! the steps that people take.

mod candidates;
mod level;
mod tables;

use crate::isomorph::{Permutation, SeededRng};
pub use level::{Level, UnknownLevel};

/// What is known of a puzzle, as far as it was wanted and has an answer.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// How many clues there are.
    pub clues: Option<u8>,
    /// Which rules the puzzle needs.
    pub level: Option<Level>,
    /// Guesses of the proof, or their geometric mean over isomorphs: of guesses and 1, less 1.
    pub rating: Option<f64>,
    /// Whether no clue can be taken without making the solutions several.
    pub minimal: Option<bool>,
    /// Which isomorph of a record it is: 0 is the record itself.
    pub copy: Option<u32>,
}

/// The permutations over which ratings are averaged, always the same ones.
#[doc(hidden)]
pub fn isomorphs() -> impl Iterator<Item = Permutation> {
    let mut chance = SeededRng::new(0);
    std::iter::repeat_with(move || Permutation::random(&mut chance))
}
