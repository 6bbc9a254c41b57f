//! The settings of a run.

use std::fmt;
use std::num::{NonZeroU8, NonZeroU32, NonZeroUsize};
use std::sync::Mutex;
use std::thread;

use super::answers::AnswerInput;
use super::block::BLOCK_BYTES;
use super::requested::{Augment, RequestedFacts, RequestedTally};
use super::sift::{Sameness, Sift};
use crate::compression::Compression;
use crate::output::{CsvRows, RowFormat};
use crate::rating::Level;
use crate::simd::SimdLevel;
use crate::solver::{Engine, EngineKind, Limits};
use crate::status::Status;

/// The largest block if several solutions of each puzzle are listed. The rows of a block may then
/// take hours, and a stopped run is resumed before the block.
const LISTED_BYTES: usize = 2 * 1024;

/// Makes an engine, one for each worker.
pub type MakeEngine = Box<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// Chooses the output for the row of a record with this status and level, if it has a row.
pub type Route = Box<dyn Fn(Status, Option<Level>) -> Option<u8> + Send + Sync>;

/// How records become rows.
///
/// ```
/// use bulkdoku::{Pipeline, Progress, Source, Status};
///
/// let puzzles = "# two puzzles\n\
///     ..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9\n\
///     55...............................................................................\n";
/// let mut rows = Vec::new();
/// let mut diagnostics = Vec::new();
/// let sources = [Source::new("example", puzzles.as_bytes())];
/// let (pipeline, progress) = (Pipeline::default(), Progress::default());
/// let report = pipeline.run(sources, &mut rows, &mut diagnostics, &progress).unwrap();
///
/// let rows = String::from_utf8(rows).unwrap();
/// let rows: Vec<&str> = rows.lines().collect();
/// assert_eq!(rows[0], "line,puzzle,solution,status,solutions,guesses,latency_ns");
/// assert!(rows[1].starts_with("2,..............3.85..1.2"));
/// assert!(rows[2].contains(",contradictory,0,"));
/// assert_eq!(
///     String::from_utf8(diagnostics).unwrap(),
///     "example:3:2: contradictory: 5 stands twice in row 1, at r1c1 and r1c2\n"
/// );
/// assert_eq!((report.counts.of(Status::Unique), report.counts.comments), (1, 1));
/// ```
pub struct Pipeline {
    /// The number of workers. Fewer are started if more would gain nothing, or if the system lacks
    /// threads or memory ([`Report::threads`](super::Report::threads)).
    pub threads: NonZeroUsize,
    /// Makes each worker's engine, and a new one after a panic.
    pub engine: MakeEngine,
    /// Where each search ends.
    pub limits: Limits,
    /// Whether each record's own solution is checked ([`check`](crate::check)). If the limit is one
    /// solution, no engine is used.
    pub check: bool,
    /// The input with the solutions to check, if they are not beside the puzzles. It is read once.
    #[doc(hidden)]
    pub answers: Option<Mutex<AnswerInput>>,
    /// If set, a puzzle has a row for each solution, up to this number and [`Limits::solutions`],
    /// the smallest first. The engine has to find the smallest one
    /// ([`LexFirst`](crate::solver::LexFirst)).
    pub list: Option<NonZeroU32>,
    /// Whether canonical forms are found in place of solutions. Nothing is solved then.
    pub canon: bool,
    /// The facts to find about puzzles.
    #[doc(hidden)]
    pub facts: RequestedFacts,
    /// What is counted of puzzles ([`Report::tally`](super::Report::tally)).
    #[doc(hidden)]
    pub tally: RequestedTally,
    /// Decides which records have rows.
    #[doc(hidden)]
    pub sift: Option<Sift>,
    /// Chooses the output of a row.
    #[doc(hidden)]
    pub route: Option<Route>,
    /// The number of outputs of rows.
    #[doc(hidden)]
    pub outputs: NonZeroU8,
    /// The isomorphs that are written in place of each record. Nothing is solved then.
    #[doc(hidden)]
    pub augment: Option<Augment>,
    /// How rows are written.
    pub format: Box<dyn RowFormat + Send>,
    /// Whether the rows of each block are compressed, as a stream of their own.
    pub compression: Option<Compression>,
    /// The most bytes of input in one block. A longer line is not read whole.
    pub block_bytes: usize,
}

impl Default for Pipeline {
    /// All cores, the default engine at the best vector level, proof of uniqueness, CSV rows.
    fn default() -> Self {
        let simd = SimdLevel::best();
        Self {
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            engine: Box::new(move || EngineKind::default().build(simd)),
            limits: Limits::PROOF,
            check: false,
            answers: None,
            list: None,
            canon: false,
            facts: RequestedFacts::default(),
            tally: RequestedTally::default(),
            sift: None,
            route: None,
            outputs: NonZeroU8::MIN,
            augment: None,
            format: Box::new(CsvRows::default()),
            compression: None,
            block_bytes: BLOCK_BYTES,
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("threads", &self.threads)
            .field("limits", &self.limits)
            .field("check", &self.check)
            .field("block_bytes", &self.block_bytes)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    /// Whether records need an engine.
    pub(crate) fn uses_engine(&self) -> bool {
        let solves = !self.canon && self.augment.is_none();
        solves && (!self.check || self.limits.solutions.get() > 1)
    }

    /// Whether the canonical form of each puzzle is needed.
    pub(super) fn needs_forms(&self) -> bool {
        self.facts.form || self.sift.as_ref().is_some_and(|sift| sift.by == Sameness::Class)
    }

    /// The most bytes of input that a block should have.
    pub(super) fn target_block_bytes(&self) -> usize {
        if self.list.is_some() { LISTED_BYTES.min(self.block_bytes) } else { self.block_bytes }
    }
}
