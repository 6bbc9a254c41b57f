//! A batch engine for sudoku: it reads puzzle lines, solves them on all cores, and writes one
//! row for each, in order, with a histogram of the time they took.

pub mod bundled;
pub mod measure;
pub mod puzzle;
pub mod simd;
pub mod solver;

pub use puzzle::{Grid, Malformed, Puzzle};
pub use simd::SimdLevel;
pub use solver::{Engine, EngineKind, Limits, Outcome, solve_batch};
