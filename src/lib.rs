//! A batch engine for sudoku: it reads puzzle lines, solves them on all cores, and writes one
//! row for each, in order, with a histogram of the time they took.
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
//! vector. What is asked is said by [`Limits`], what was found by an [`Outcome`] for each puzzle.
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
//! [`Pipeline::run`] does what the command does, on all cores: from any reader of lines, tables,
//! grids or JSON to rows in any [`Sink`](pipeline::Sink), in order, whatever the input has.
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
//! More in `examples/`; [`canon`] has canonical forms, [`isomorph`] draws
//! isomorphs, [`rating`] says how hard a puzzle is, [`generate`] makes puzzles, [`solver`] says
//! which engine suits what.
//!
//! # Features
//!
//! Without features there are puzzles, engines, canonical forms and generators. The feature
//! `pipeline` adds the modules that read and write records; `gzip`, `zstd`, `xz`, `bzip2` and `lz4`
//! add compressed inputs, the first two also outputs; `parquet` reads and writes Parquet files.
//! `serde` writes and reads puzzles, grids and pencil marks as text. `cli` adds what only the
//! command needs. All are on by default.
//!
//! Items that are hidden from this documentation serve the command, the package for Python and the
//! fuzz targets. They may change with every release.

#[cfg(feature = "serde")]
mod as_text;
#[doc(hidden)]
pub mod bundled;
pub mod canon;
pub mod check;
mod chute;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod compression;
pub mod generate;
#[cfg(feature = "pipeline")]
pub mod input;
pub mod isomorph;
pub mod marks;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod measure;
mod named;
#[cfg(feature = "pipeline")]
pub mod output;
#[cfg(feature = "pipeline")]
pub mod pipeline;
mod prefetch;
#[doc(hidden)]
pub mod propagate;
pub mod puzzle;
mod random;
pub mod rating;
#[doc(hidden)]
pub mod simd;
pub mod solver;
#[cfg(feature = "pipeline")]
pub mod stats;
#[doc(hidden)]
pub mod status;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod tail;
#[cfg_attr(not(feature = "pipeline"), allow(dead_code, reason = "rows are not written"))]
mod text;

pub use canon::Canonical;
#[cfg(feature = "pipeline")]
pub use compression::Compression;
#[cfg(feature = "pipeline")]
pub use input::Source;
pub use marks::Marks;
#[cfg(feature = "pipeline")]
pub use pipeline::{Pipeline, Progress, Report};
pub use puzzle::{Grid, Malformed, Puzzle};
pub use simd::SimdLevel;
pub use solver::{Batch, Engine, EngineKind, Limits, Outcome, Solutions, StopFlag, solve_batch};
pub use status::Status;
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub use tail::Tail;

/// The README's example is a test, too.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
