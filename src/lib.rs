//! A batch engine for sudoku. It reads puzzles, solves them on all cores, and writes one row for
//! each, in order, with a histogram of solving times.
//!
//! # One puzzle
//!
//! ```
//! use bulkdoku::Puzzle;
//!
//! let puzzle: Puzzle =
//!     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
//! println!("{}", puzzle.solve().expect("it has a solution"));
//! assert_eq!(puzzle.count(2), 1); // it is the only one
//! assert_eq!(Puzzle::EMPTY.solutions().take(10).count(), 10); // a lazy iterator
//! # Ok::<(), bulkdoku::Malformed>(())
//! ```
//!
//! # A batch
//!
//! [`solve_batch`] solves a slice on the calling thread, many puzzles at once in the lanes of a
//! vector. [`Limits`] bound the searches; each puzzle has an [`Outcome`].
//!
//! ```
//! use bulkdoku::{Limits, Outcome, Puzzle, solve_batch};
//!
//! let puzzles = vec![Puzzle::EMPTY; 1000];
//! let mut outcomes = vec![Outcome::NONE; puzzles.len()];
//! solve_batch(&puzzles, Limits::PROOF, &mut outcomes);
//! assert!(outcomes.iter().all(|outcome| outcome.solutions == 2)); // at least two
//! ```
//!
//! # A stream
//!
//! [`Pipeline::run`] does the work of the command on all cores: it reads lines, tables, grids, or
//! JSON from any reader and writes rows, in order, to any [`Sink`](pipeline::Sink).
//!
//! ```
//! use bulkdoku::{Pipeline, Progress, Source, Status};
//!
//! let lines = b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n?\n";
//! let (mut rows, mut messages) = (Vec::new(), Vec::new());
//! let sources = [Source::new("example", &lines[..])];
//! let report = Pipeline::default().run(sources, &mut rows, &mut messages, &Progress::default())?;
//! assert_eq!(report.counts.of(Status::Unique), 1);
//! assert_eq!(report.counts.of(Status::Malformed), 1);
//! # Ok::<(), bulkdoku::pipeline::OutputFailure>(())
//! ```
//!
//! See `examples/` for more. [`canon`] computes canonical forms, [`isomorph`] draws isomorphs,
//! [`rating`] rates puzzles, [`generate`] generates puzzles, and [`solver`] explains which engine
//! suits which task.
//!
//! # Features
//!
//! Puzzles, engines, canonical forms, and generators are the crate [`bulkdoku_core`], and human
//! techniques the crate [`bulkdoku_logic`]. The feature `stream` adds [`bulkdoku_stream`]: inputs, the
//! pipeline, and rows. All of them are re-exported here and can be used alone. The features `gzip`
//! and `zstd` add compressed inputs and outputs. `parquet` reads and writes Parquet files. `cli` adds
//! the command and its dependencies, and `completions` scripts for shells. `cli` and `gzip` are enabled
//! by default; `full` enables all of these. `js` measures time on `wasm32-unknown-unknown` with
//! `performance.now`; without it, latencies there are 0.

pub mod bundled;

pub use bulkdoku_core::*;
pub use bulkdoku_logic as logic;
#[cfg(feature = "stream")]
pub use bulkdoku_stream::{
    Compression, Pipeline, Progress, Report, Source, check_sum, condition, features, input, output,
    pipeline, sets, stats,
};

/// Tests the example of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
const GUIDE: () = ();
