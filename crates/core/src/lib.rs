//! The core of [bulkdoku](https://docs.rs/bulkdoku): puzzles, engines, canonical forms, isomorphs,
//! generators, and checking, without input and output.
//!
//! The crate `bulkdoku` re-exports all of this and adds the pipeline: use it unless you need few
//! dependencies.
//!
//! ```
//! use bulkdoku_core::Puzzle;
//!
//! let puzzle: Puzzle =
//!     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
//! println!("{}", puzzle.solve().expect("it has a solution"));
//! assert_eq!(puzzle.count(2), 1); // it is the only one
//! # Ok::<(), bulkdoku_core::Malformed>(())
//! ```
//!
//! # Features
//!
//! `serde` serializes puzzles, grids, and pencil marks as text. `js` measures time on
//! `wasm32-unknown-unknown` with `performance.now`; without it, latencies there are 0. `portable`
//! adds the SIMD level of the same name on every CPU, for tests.

#[cfg(feature = "serde")]
mod as_text;
pub mod bands;
#[doc(hidden)]
pub mod board;
#[cfg(test)]
#[allow(dead_code, reason = "the names are for the command")]
#[path = "../../../src/bundled.rs"]
mod bundled;
pub mod canon;
pub mod check;
mod chute;
#[doc(hidden)]
pub mod clock;
pub mod forms;
pub mod generate;
pub mod isomorph;
pub mod marks;
#[doc(hidden)]
pub mod named;
#[doc(hidden)]
pub mod prefetch;
pub mod puzzle;
mod random;
#[doc(hidden)]
pub mod rating;
pub mod simd;
pub mod solver;
#[doc(hidden)]
pub mod status;
#[doc(hidden)]
pub mod text;

pub use canon::Canonical;
pub use marks::Marks;
pub use puzzle::{Grid, Malformed, Puzzle};
pub use simd::SimdLevel;
pub use solver::{
    Batch, Engine, EngineKind, Limits, Outcome, Query, Solutions, StopFlag, solve_batch,
};
pub use status::Status;
