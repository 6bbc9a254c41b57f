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
//! Two doors lead in. [`solve_batch`] solves a slice of puzzles on the calling thread;
//! [`Pipeline::run`] does what the command does, from any reader to any writer.

pub mod bundled;
pub mod canon;
pub mod check;
pub mod compression;
pub mod generate;
pub mod input;
pub mod marks;
pub mod measure;
pub mod output;
pub mod pipeline;
pub mod propagate;
pub mod puzzle;
pub mod rating;
pub mod simd;
pub mod solver;
pub mod stats;
pub mod status;
pub mod tail;
mod text;
mod touch;

pub use canon::Canonical;
pub use compression::Compression;
pub use input::Source;
pub use marks::Marks;
pub use pipeline::{Pipeline, Progress, Report};
pub use puzzle::{Grid, Malformed, Puzzle};
pub use simd::SimdLevel;
pub use solver::{Batch, Engine, EngineKind, Limits, Outcome, StopFlag, solve_batch};
pub use status::Status;
pub use tail::Tail;

/// The README's example is a test, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
