//! How hard a puzzle is, in numbers that mean what they say.
//!
//! | number | what it is |
//! |---|---|
//! | [`Level`] | the weakest of three sets of rules that solves the puzzle, or that none does |
//!
//! A level is the same for all isomorphs of a puzzle.

mod candidates;
mod level;
mod tables;

pub use level::{Level, UnknownLevel};
