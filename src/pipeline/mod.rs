//! The way of the data: reader, workers, writer, and the blocks that circulate between them.
//!
//! ```text
//!            full blocks            finished blocks
//!  reader ───────────────▶ workers ────────────────▶ writer
//!    ▲                                                 │
//!    └───────────────── empty blocks ◀─────────────────┘
//! ```
//!
//! The number of blocks is fixed. That alone bounds the memory and the reordering, holds the
//! reader back when the output is slow, and leaves nothing to allocate once all blocks have been
//! round. The workers are a rayon pool. Reader and writer have no threads of their own, which would
//! have to be woken for every block and would take their turns on the workers' cores: a worker has
//! its block filled when it needs one, and the first to finish one writes whatever is finished. A
//! source that takes longer to read than a copy does may read ahead by itself
//! ([`ReadAhead`](crate::input::ReadAhead)).

mod answers;
mod augment;
mod block;
mod canon;
mod corpus;
mod diagnostics;
mod facts;
mod listing;
mod reader;
mod records;
mod sift;
mod sink;
mod tally;
mod threads;
mod turns;
mod worker;
mod writer;

use std::fmt;
use std::hint::spin_loop;
use std::io::{self, Read, Write};
use std::num::{NonZeroU8, NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

pub use self::answers::AnswerInput;
pub use self::augment::Augment;
use self::block::{Block, FreeBlocks, Then};
pub use self::corpus::Corpus;
pub use self::facts::{Rated, WantedFacts};
use self::reader::{Reader, Reading};
pub use self::records::{ReadRecord, RecordReader};
pub use self::sift::{Distinct, Fate, Sameness, Sift, Sifted};
pub use self::sink::{Checkpoint, Output, OutputFailure, RecordName, Sink};
pub use self::tally::{Tally, WantedTally};
use self::threads::Threads;
use self::turns::Turns;
use self::worker::Worker;
use self::writer::{Desk, Direct, EndOfAll, Failed, Writer, Written};
use crate::compression::Compression;
use crate::input::Source;
use crate::output::{CsvRows, Packer, RowBuffer, RowFormat};
use crate::rating::Level;
use crate::simd::SimdLevel;
use crate::solver::{Engine, EngineKind, Limits, StopFlag};
use crate::stats::{Counts, Latencies};
use crate::status::Status;

/// The largest block: about 1,400 puzzle lines. A worker often has two in turn, one of which waits for
/// those before it: with their puzzles, outcomes and rows they take a megabyte, which second-level
/// caches hold. Lanes that run empty at a block's end, and threads that wake each other for it, cost
/// little.
pub const BLOCK_BYTES: usize = 112 * 1024;

/// The same where several solutions of each puzzle are listed: rows of a block may take hours, and a run
/// that is stopped goes on before the block.
const LISTED_BYTES: usize = 2 * 1024;

const NO_PANIC: &str = "who panics ends the run";

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
    /// Workers; fewer are started if more would gain nothing, or if the system has no more threads or
    /// memory ([`Report::threads`]).
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
    pub answers: Option<Mutex<AnswerInput>>,
    /// Whether to give a puzzle a row for each of several solutions, the smallest first, and for how
    /// many; no more are listed than [`Limits::solutions`] lets be counted. The engine has to find
    /// the smallest one ([`LexFirst`](crate::solver::LexFirst)).
    pub list: Option<NonZeroU32>,
    /// Whether canonical forms are found in place of solutions: nothing is solved.
    pub canon: bool,
    /// What else is to be found out about puzzles.
    pub facts: WantedFacts,
    /// What is to be counted of them ([`Report::tally`]).
    pub tally: WantedTally,
    /// Decides which records have rows.
    pub sift: Option<Box<dyn Sift>>,
    /// Decides likewise, by status and level, in which output.
    pub route: Option<Route>,
    /// How many outputs of rows there are.
    pub outputs: NonZeroU8,
    /// The isomorphs that are written in place of each record: nothing is solved.
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

/// How far a run has come, to be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Records whose rows are written.
    pub records: AtomicU64,
    /// Set to end the run early, within a fraction of a second: what is solved gets its rows, the rest
    /// is left.
    pub stop: Arc<AtomicBool>,
}

/// What a run did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Records by status, blank lines and comments.
    pub counts: Counts,
    /// Of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// What the puzzles are, as far as that was to be counted ([`Pipeline::tally`]).
    pub tally: Tally,
    /// How many of the records had their rows before this run, which went on from there.
    pub records_before: u64,
    /// The workers that were started, at most [`Pipeline::threads`].
    pub threads: NonZeroUsize,
    /// Whether the system gave fewer threads, or memory for fewer, than would have been of use.
    pub threads_refused: bool,
    /// From the first byte asked for to the last row written.
    pub wall: Duration,
    /// Inputs that could not be read to their end; the lines before that have their rows.
    pub failures: Vec<InputFailure>,
    /// Whether it was ended early ([`Progress::stop`]).
    pub stopped: bool,
}

impl Report {
    fn new(checkpoint: Checkpoint, records_before: u64, began: Instant, reading: Reading) -> Self {
        let Checkpoint { counts, latencies, last_record, tally, .. } = checkpoint;
        let Reading { failures, stopped } = reading;
        Self {
            counts,
            latencies,
            last_record,
            tally,
            records_before,
            threads: NonZeroUsize::MIN,
            threads_refused: false,
            wall: began.elapsed(),
            failures,
            stopped,
        }
    }

    /// This, or that an output failed.
    fn unless(self, failed: Option<Failed>) -> Result<Self, OutputFailure> {
        match failed {
            None => Ok(self),
            Some((output, error)) => Err(OutputFailure {
                output,
                error,
                report: Box::new(Self { stopped: true, ..self }),
            }),
        }
    }
}

/// An input that could not be read to its end.
#[derive(Debug, Error)]
#[error("{file}: {error}")]
pub struct InputFailure {
    /// The input's name.
    pub file: String,
    /// Why.
    pub error: io::Error,
}

impl Pipeline {
    /// Whether the answer to what is asked about a record may depend on an engine.
    pub(crate) fn asks_engine(&self) -> bool {
        let solves = !self.canon && self.augment.is_none();
        solves && (!self.check || self.limits.solutions.get() > 1)
    }

    /// Whether each puzzle's canonical form is to be found.
    fn needs_forms(&self) -> bool {
        self.facts.form || self.sift.as_ref().is_some_and(|sift| sift.by() == Sameness::Class)
    }

    /// Reads all `sources` one after the other, writes a header and one row for each record to
    /// `rows`, in order, and a line for each bad record to `diagnostics` (`file:line:column: status:
    /// what is wrong`). Both are given whole lines.
    ///
    /// # Errors
    /// When an output fails. Inputs that fail are named in the report.
    pub fn run<R: Read + Send>(
        &self,
        sources: impl IntoIterator<Item = Source<R>, IntoIter: Send>,
        rows: impl Write + Send,
        diagnostics: impl Write + Send,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        self.run_into(&mut (rows, diagnostics), sources, progress)
    }

    /// The same into a sink, which also learns how far the run has come.
    ///
    /// # Errors
    /// When an output fails. Inputs that fail are named in the report.
    pub fn run_into<R: Read + Send>(
        &self,
        sink: &mut impl Sink,
        sources: impl IntoIterator<Item = Source<R>, IntoIter: Send>,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        self.write_header(sink)?;
        self.resume(Checkpoint::default(), sink, sources, progress)
    }

    fn write_header(&self, sink: &mut impl Sink) -> Result<(), OutputFailure> {
        let began = Instant::now();
        // A report holds a histogram: one is made only if there is a failure to report.
        let begun = writer::begin(sink, &self.header(), self.outputs.get());
        let Err(failed) = begun else { return Ok(()) };
        let report = Report::new(Checkpoint::default(), 0, began, Reading::default());
        report.unless(Some(failed)).map(drop)
    }

    /// Gives a block its answers, if they stand in an input of their own; `false` if they cannot be
    /// read.
    fn attach_answers(&self, block: &mut Block) -> bool {
        self.answers.as_ref().is_none_or(|answers| answers.lock().expect(NO_PANIC).attach(block))
    }

    /// Begins to read the answers, behind those of an earlier run.
    fn begin_answers(&self, records: u64, progress: &Progress) {
        if let Some(answers) = &self.answers {
            let mut answers = answers.lock().expect(NO_PANIC);
            answers.begin(&progress.stop);
            answers.skip(records);
        }
    }

    /// How the reading ended, that of the answers included.
    fn end_of(&self, mut reading: Reading) -> Reading {
        if let Some(answers) = &self.answers
            && reading.failures.is_empty()
        {
            let mut answers = answers.lock().expect(NO_PANIC);
            reading.stopped |= answers.is_stopped();
            reading.failures = answers.finish();
        }
        reading
    }

    /// What stands before the first row. Compressed it is never nothing: without any row it still
    /// has to be a stream.
    fn header(&self) -> Vec<u8> {
        let mut header = RowBuffer::default();
        self.format.header(&mut header);
        let mut bytes = header.as_slice().to_vec();
        if let Some(compression) = self.compression {
            Packer::new(compression).pack(header.as_slice(), &mut bytes);
        }
        bytes
    }

    /// The same on the calling thread alone, one block after the other: for small inputs, where
    /// starting threads would take longer than the work.
    ///
    /// # Errors
    /// When an output fails. Inputs that fail are named in the report.
    pub fn run_alone<R: Read>(
        &self,
        sink: &mut impl Sink,
        sources: impl IntoIterator<Item = Source<R>>,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let began = Instant::now();
        self.write_header(sink)?;
        let mut checkpoint = Checkpoint::default();
        let stop = StopFlag::from(Arc::clone(&progress.stop));
        let mut reader = Reader::new(0, sources.into_iter(), self.most_at_once(), progress);
        let turns = Turns::new();
        let mut worker = Worker::new(self, &turns, &stop);
        let mut block = Block::new(self.block_bytes, 0);
        let (mut written, mut was_stopped) = (Ok(()), false);
        self.begin_answers(0, progress);
        while written.is_ok()
            && !was_stopped
            && reader.fill(&mut block)
            && self.attach_answers(&mut block)
        {
            let mut parts = Direct { sink, written };
            worker.process(&mut block, &mut parts);
            let checkpoint = &mut checkpoint;
            written =
                parts.written.and_then(|()| writer::write(&block, sink, checkpoint, progress));
            was_stopped = block.then != Then::GoOn;
        }
        let written = written.and_then(|()| writer::finish(sink, &checkpoint));
        let mut reading = self.end_of(reader.end());
        reading.stopped |= was_stopped;
        Report::new(checkpoint, 0, began, reading).unless(written.err())
    }

    /// Goes on where a run was ended: no header, `sources` begin with the input in which `start`
    /// is, standing there, and the report is about both runs.
    ///
    /// # Errors
    /// When an output fails. Inputs that fail are named in the report.
    pub fn resume<R: Read + Send>(
        &self,
        start: Checkpoint,
        sink: &mut impl Sink,
        sources: impl IntoIterator<Item = Source<R>, IntoIter: Send>,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let began = Instant::now();
        let records_before = start.counts.records();
        // One in work and three in reserve for each worker, so that one slow block does not soon
        // stop the others; and some that are being written.
        let threads = Threads::start(self.threads);
        let blocks = 4 * threads.count().get() + 4;
        let free = &FreeBlocks::new(blocks, self.block_bytes, threads.count().get());
        let stop = &StopFlag::from(Arc::clone(&progress.stop));
        let reader = Reader::new(start.source, sources.into_iter(), self.most_at_once(), progress);
        let reader = Mutex::new(reader);
        let writer = Writer::new(sink, start, blocks, free, progress);
        self.begin_answers(records_before, progress);
        let desk = Desk::new(writer, blocks, self.list.is_some());
        let fill = |block: &mut Block| {
            let mut reader = spin_then_lock(&reader);
            reader.fill(block) && self.attach_answers(block)
        };
        let turns = &Turns::new();
        threads.run(|number| {
            let _end = EndOfAll { free, desk: &desk, turns };
            let mut worker = None;
            while let Some(mut block) = free.take(number) {
                if !fill(&mut block) {
                    break;
                }
                // Not before there is work for it.
                let worker = worker.get_or_insert_with(|| Worker::new(self, turns, stop));
                worker.process(&mut block, &mut desk.parts());
                desk.put(block);
            }
        });

        let Written { checkpoint, failure, was_stopped } = desk.end();
        let mut reading = self.end_of(reader.into_inner().expect(NO_PANIC).end());
        reading.stopped |= was_stopped;
        let report = Report::new(checkpoint, records_before, began, reading);
        let (threads, threads_refused) = (threads.count(), threads.are_refused());
        Report { threads, threads_refused, ..report }.unless(failure)
    }

    /// How many bytes of input a block should have at most.
    fn most_at_once(&self) -> usize {
        if self.list.is_some() { LISTED_BYTES.min(self.block_bytes) } else { self.block_bytes }
    }
}

/// Locks what others mostly hold as long as it takes to copy a block, some ten microseconds: who goes
/// to sleep for that is woken late. Where it takes longer (a slow pipe) that is the better way, so it
/// is tried for a while only.
fn spin_then_lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    const TRIES: u32 = 20;
    const PAUSES: u32 = 32;
    for _ in 0..TRIES {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        (0..PAUSES).for_each(|_| spin_loop());
    }
    mutex.lock().expect(NO_PANIC)
}
