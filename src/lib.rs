//! A batch engine for sudoku: it reads puzzle lines, solves them on all cores, and writes one
//! row for each, in order, with a histogram of the time they took.
//!
//! ```text
//!  files, stdin        blocks            blocks                rows              files, stdout
//!              ┌──────────────────┐   ┌────────────┐   ┌───────────────────┐   ┌─────────────┐
//!   bytes ────▶│ reader           ├──▶│ workers    ├──▶│ writer            ├──▶│ results.csv │
//!              │ cuts at line end │   │ parse      │   │ puts blocks back  │   │ latency.csv │
//!              │ numbers blocks   │   │ solve      │   │ in order          │   │ summary     │
//!              └────────▲─────────┘   │ format     │   └─────────┬─────────┘   └─────────────┘
//!                       │             │ record     │             │
//!                       │             └────────────┘             │
//!                       └──────────── empty blocks ◀─────────────┘
//! ```
//!
//! | room | what is in it |
//! |---|---|
//! | [`puzzle`] | 81 cells: parse, print, check |
//! | [`marks`] | candidates as somebody wrote them down |
//! | [`propagate`] | what clues imply: candidates, units, peers |
//! | [`input`] | sources, and the records in their lines |
//! | [`check`] | whether the solutions that an input gives are right |
//! | [`solver`] | the contract that every engine keeps, and the engines |
//! | [`status`] | what became of a record |
//! | [`output`] | rows: one trait, one file a format |
//! | [`pipeline`] | the way: reader, blocks, workers, writer |
//! | [`stats`] | counts and the latency histogram |
//! | [`measure`] | how fast the engines are, measured fairly |
//! | [`canon`] | canonical forms: which puzzles are the same but for names and order |
//! | [`rating`] | how hard a puzzle is: which rules solve it, how many guesses its proof takes |
//! | [`generate`] | corpora: random puzzles of a wanted kind |
//! | [`compression`] | the kinds of compressed streams, by name and first bytes |
//! | [`bundled`] | small puzzle sets in the binary |
//! | [`simd`] | which vector instructions to use |
//! | [`tail`] | the end of what was read or written, remembered by its check sum |
//!
//! Without features there are puzzles, engines, canonical forms and generators. The feature
//! `pipeline` adds the modules that read and write records, and [`measure`]; `gzip`, `zstd`, `xz`,
//! `bzip2` and `lz4` add compressed inputs, the first two also outputs. The feature `cli` adds what
//! only the command needs. All are on by default.
//!
//! Two doors lead in. [`solve_batch`] solves a slice of puzzles on the calling thread;
//! [`Pipeline::run`] does what the command does, from any reader to any writer.

pub mod bundled;
pub mod canon;
pub mod check;
#[cfg(feature = "pipeline")]
pub mod compression;
pub mod generate;
#[cfg(feature = "pipeline")]
pub mod input;
pub mod marks;
#[cfg(feature = "pipeline")]
pub mod measure;
#[cfg(feature = "pipeline")]
pub mod output;
#[cfg(feature = "pipeline")]
pub mod pipeline;
pub mod propagate;
pub mod puzzle;
pub mod rating;
pub mod simd;
pub mod solver;
#[cfg(feature = "pipeline")]
pub mod stats;
pub mod status;
#[cfg(feature = "pipeline")]
pub mod tail;
#[cfg_attr(not(feature = "pipeline"), allow(dead_code, reason = "rows are not written"))]
mod text;
mod touch;

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
pub use solver::{Batch, Engine, EngineKind, Limits, Outcome, StopFlag, solve_batch};
pub use status::Status;
#[cfg(feature = "pipeline")]
pub use tail::Tail;

/// The README's example is a test, too.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
