//! What a run does: everything that is set before it starts.

use std::fmt;
use std::num::{NonZeroU8, NonZeroU32, NonZeroUsize};
use std::sync::Mutex;
use std::thread;

use super::answers::AnswerInput;
use super::block::BLOCK_BYTES;
use super::sift::{Sameness, Sift};
use super::wanted::{Augment, WantedFacts, WantedTally};
use crate::compression::Compression;
use crate::output::{CsvRows, RowFormat};
use crate::rating::Level;
use crate::simd::SimdLevel;
use crate::solver::{Engine, EngineKind, Limits};
use crate::status::Status;

/// The largest block where several solutions of each puzzle are listed. The rows of a block may
/// take hours then, and a run that is stopped is resumed before the block.
const LISTED_BYTES: usize = 2 * 1024;

/// Makes an engine, one for each worker.
pub type MakeEngine = Box<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// The output that takes the row of a record with this status and level, if any does.
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
/// let mut notes = Vec::new();
/// let sources = [Source::new("example", puzzles.as_bytes())];
/// let report =
///     Pipeline::default().run(sources, &mut rows, &mut notes, &Progress::default()).unwrap();
///
/// let rows = String::from_utf8(rows).unwrap();
/// let rows: Vec<&str> = rows.lines().collect();
/// assert_eq!(rows[0], "line,puzzle,solution,status,solutions,guesses,latency_ns");
/// assert!(rows[1].starts_with("2,..............3.85..1.2"));
/// assert!(rows[2].contains(",contradictory,0,"));
/// assert_eq!(
///     String::from_utf8(notes).unwrap(),
///     "example:3:2: contradictory: 5 stands twice in row 1, at r1c1 and r1c2\n"
/// );
/// assert_eq!((report.counts.of(Status::Unique), report.counts.comments), (1, 1));
/// ```
pub struct Pipeline {
    /// Workers; fewer are started if more would gain nothing, or if the system has no more threads
    /// or memory ([`Report::threads`](super::Report::threads)).
    pub threads: NonZeroUsize,
    /// Makes each worker's engine, and a new one after a panic.
    pub engine: MakeEngine,
    /// Where each search ends.
    pub limits: Limits,
    /// Whether each record's own solution is checked ([`check`](crate::check)). Where the limit is
    /// one solution, no engine is asked.
    pub check: bool,
    /// The input with the solutions to be checked, if they do not stand beside the puzzles. It is
    /// read once.
    #[doc(hidden)]
    pub answers: Option<Mutex<AnswerInput>>,
    /// Whether to give a puzzle a row for each of several solutions, the smallest first, and for
    /// how many; no more are listed than [`Limits::solutions`] lets be counted. The engine has to
    /// find the smallest one ([`LexFirst`](crate::solver::LexFirst)).
    pub list: Option<NonZeroU32>,
    /// Whether canonical forms are found in place of solutions: nothing is solved.
    pub canon: bool,
    /// What else is to be found out about puzzles.
    #[doc(hidden)]
    pub facts: WantedFacts,
    /// What is to be counted of them ([`Report::tally`](super::Report::tally)).
    #[doc(hidden)]
    pub tally: WantedTally,
    /// Decides which records have rows.
    #[doc(hidden)]
    pub sift: Option<Box<dyn Sift>>,
    /// Decides likewise, by status and level, in which output.
    #[doc(hidden)]
    pub route: Option<Route>,
    /// How many outputs of rows there are.
    #[doc(hidden)]
    pub outputs: NonZeroU8,
    /// The isomorphs that are written in place of each record: nothing is solved.
    #[doc(hidden)]
    pub augment: Option<Augment>,
    /// How rows are written.
    pub format: Box<dyn RowFormat + Send>,
    /// Whether the rows of each block are compressed, as a stream of their own.
    pub compression: Option<Compression>,
    /// The most bytes of input in one block, which is also the longest line that is read whole.
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
            facts: WantedFacts::default(),
            tally: WantedTally::default(),
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
    /// Whether the answer to what is asked about a record may depend on an engine.
    pub(crate) fn asks_engine(&self) -> bool {
        let solves = !self.canon && self.augment.is_none();
        solves && (!self.check || self.limits.solutions.get() > 1)
    }

    /// Whether each puzzle's canonical form is to be found.
    pub(super) fn needs_forms(&self) -> bool {
        self.facts.form || self.sift.as_ref().is_some_and(|sift| sift.by() == Sameness::Class)
    }

    /// How many bytes of input a block should have at most.
    pub(super) fn most_at_once(&self) -> usize {
        if self.list.is_some() { LISTED_BYTES.min(self.block_bytes) } else { self.block_bytes }
    }
}
