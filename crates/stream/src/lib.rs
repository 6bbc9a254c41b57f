//! Streams of sudoku: readers of puzzle lines, tables, and grids, a parallel pipeline, and rows, in
//! order. The command of the package `bulkdoku` is built on this crate.
//!
//! [`Pipeline::run`] reads lines, tables, grids, or JSON from any reader, solves the puzzles on all
//! cores, and writes rows, in order, to any [`Sink`](pipeline::Sink).
//!
//! ```
//! use bulkdoku_core::Status;
//! use bulkdoku_stream::{Pipeline, Progress, Source};
//!
//! let lines = b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n?\n";
//! let (mut rows, mut messages) = (Vec::new(), Vec::new());
//! let sources = [Source::new("example", &lines[..])];
//! let report = Pipeline::default().run(sources, &mut rows, &mut messages, &Progress::default())?;
//! assert_eq!(report.counts.of(Status::Unique), 1);
//! assert!(rows.starts_with(b"line,puzzle,solution,status,solutions,guesses,latency_ns\n1,53..7...."));
//! assert!(messages.starts_with(b"example:2:2: malformed: "));
//! # Ok::<(), bulkdoku_stream::pipeline::OutputFailure>(())
//! ```
//!
//! # Features
//!
//! `gzip` and `zstd` add compressed inputs and outputs.

pub mod condition;
pub mod features;
pub mod input;
pub mod output;
pub mod pipeline;
pub mod sets;
pub mod stats;

pub use input::Source;
pub use output::Compression;
pub use pipeline::{Pipeline, Progress, Report};

/// Returns the lower 32 bits of the XXH3 hash of some bytes, by which a resumed run verifies that
/// files have not changed.
pub fn check_sum(bytes: &[u8]) -> u32 {
    twox_hash::XxHash3_128::oneshot(bytes) as u32
}
