//! The difficulty of a puzzle, in well-defined numbers.
//!
//! | number | meaning |
//! |---|---|
//! | [`Level`] | the weakest of three sets of rules that solves the puzzle, if any does |
//! | rating | the number of guesses in the proof that there is one solution |
//!
//! The level is the same for all isomorphs of a puzzle. The number of guesses differs between
//! isomorphs of a hard puzzle, but its geometric mean over some isomorphs of the canonical form is
//! the same for all of them. Neither number is a rating like that of Sudoku Explainer, which
//! searches for the steps that people take.

pub use crate::bands::Level;
use crate::isomorph::{Permutation, SeededRng};

/// Returns the permutations over which ratings are averaged, which are always the same.
pub fn isomorphs() -> impl Iterator<Item = Permutation> {
    let mut rng = SeededRng::new(0);
    std::iter::repeat_with(move || Permutation::random(&mut rng))
}
