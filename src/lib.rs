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
//! Without features, the crate has puzzles, engines, canonical forms, and generators. The feature
//! `pipeline` adds the modules that read and write records. `gzip`, `zstd`, `xz`, `bzip2`, and
//! `lz4` add compressed inputs, and the first two also compressed outputs. `parquet` reads and
//! writes Parquet files. `serde` serializes puzzles, grids, and pencil marks as text. `cli` adds
//! the command and its dependencies, `hlog` writes latencies as interval logs of `HdrHistogram`,
//! and `pages` prints completions and manual pages. `cli`, `gzip`, and `serde` are enabled by
//! default; `full` enables all of these. `js` measures time on `wasm32-unknown-unknown` with
//! `performance.now`; without it, latencies there are 0.
//!
//! Items that are hidden from this documentation are for the command, the Python package, and the
//! fuzz targets. They may change in any release.

#![cfg_attr(
    not(feature = "pipeline"),
    allow(rustdoc::broken_intra_doc_links, reason = "some link to the pipeline")
)]

#[doc(hidden)]
pub mod bundled;
pub mod canon;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod compression;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod external_sort;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod features;
#[cfg(feature = "pipeline")]
pub mod input;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod measure;
#[cfg(feature = "pipeline")]
pub mod output;
#[cfg(feature = "pipeline")]
pub mod pipeline;
#[cfg(feature = "pipeline")]
pub mod stats;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod tail;

pub use bulkdoku_core::*;
#[cfg(feature = "pipeline")]
pub use compression::Compression;
#[cfg(feature = "pipeline")]
pub use input::Source;
#[cfg(feature = "pipeline")]
pub use pipeline::{Pipeline, Progress, Report};
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use tail::Tail;

/// Tests the examples of the quick start.
#[cfg(all(doctest, feature = "pipeline"))]
#[doc = include_str!("../docs/start/library.md")]
struct QuickStart;
