//! The only loop over blocks: [`fold_blocks`].

use std::hint::spin_loop;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};

use super::filter::Filters;
use super::jobs::stopped;
use super::sequencer::Sequencer;
use super::threads::Threads;
use super::{
    BLOCK_BYTES, BlockSource, Filter, Job, MessageFormat, Statistics, Work, Worker, cores,
    properties,
};
use crate::input::Position;
use crate::output::{Needs, Rows};
use crate::stats::Counts;
use bulkdoku_core::clock::Instant;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Status, StopFlag};

/// Settings of a run that do not affect its rows.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of workers. A single worker runs on the calling thread.
    pub threads: NonZeroUsize,
    /// The flag that ends the run within a fraction of a second, at a block boundary.
    pub stop: Arc<AtomicBool>,
    /// The capacity of a block in bytes. The rest of a longer line is skipped.
    pub block_bytes: usize,
    /// Properties needed only to count puzzles by difficulty ([`Statistics`]); `None`: do not
    /// count.
    pub statistics: Option<Needs>,
    /// How messages are written.
    pub messages: MessageFormat,
    /// Statuses of valid records that have messages as well, since they have no row: some of
    /// `unsolvable`, `multiple`, and `gave_up`.
    pub reported: &'static [Status],
}

impl Default for Options {
    /// Uses all cores.
    fn default() -> Self {
        Self {
            threads: cores(),
            stop: Arc::default(),
            block_bytes: BLOCK_BYTES,
            statistics: None,
            messages: MessageFormat::Text,
            reported: &[],
        }
    }
}

/// Totals of a block, passed to `reduce` with its last part.
#[derive(Debug, Default)]
pub struct BlockSummary {
    /// The name of the input.
    pub file: Arc<str>,
    /// The index of the input.
    pub source: usize,
    /// The position in that input after the block.
    pub position: Position,
    /// The number of raw bytes of all inputs up to there ([`Block::raw_bytes`]).
    pub(crate) raw_bytes: u64,
    /// The number of verified bytes of the input, if it failed after the block.
    pub failed: Option<u64>,
    /// Records by status, and other lines.
    pub counts: Counts,
    /// The line of the last record that has rows.
    pub last_record: Option<u64>,
    /// Latencies in nanoseconds, each with its number of puzzles.
    pub latencies: Vec<(u64, u64)>,
    /// The difficulty of the block's puzzles, if it is counted.
    pub statistics: Statistics,
}

impl BlockSummary {
    fn update(&mut self, work: &Work, has_statistics: bool) {
        let Work { block, records, results, .. } = work;
        self.file.clone_from(&block.file);
        self.source = block.source;
        self.position = block.end;
        self.raw_bytes = block.raw_bytes;
        self.failed = block.failed;
        self.counts = results.counts(records);
        self.last_record = if results.is_unfiltered() {
            records.all.last().map(|last| block.first + u64::from(last.line))
        } else {
            let rows = work.rows();
            let written = rows.records().filter(|row| results.destination(row.index).is_some());
            written.last().map(|row| row.line())
        };
        results.collect_latencies(records, &mut self.latencies);
        if has_statistics {
            self.statistics = Statistics::of(&work.rows());
        }
    }
}

/// The size of the next block of text in bytes, learned from the time that earlier ones took.
///
/// A stopped run loses its current blocks, and the last ones occupy few cores, so a block should not
/// take long. If all records are fast, sizes do not depend on time, so neither do compressed rows.
struct BlockSize {
    /// The time that a block should take, in seconds.
    limit: f64,
    /// The bytes of recent blocks, of which earlier ones weigh less, and their time in seconds.
    recent: (f64, f64),
    /// The maximum size, which doubles with each block.
    most: usize,
}

impl BlockSize {
    /// Creates the size for records that take long, of which the first block has one, or for others,
    /// of which the first block is small so that every worker has a block soon.
    fn new(are_slow: bool) -> Self {
        let (limit, seconds) = if are_slow { (0.05, 0.05) } else { (0.5, 0.0) };
        Self { limit, recent: (1.0, seconds), most: 16 * 1024 }
    }

    fn add(&mut self, bytes: usize, time: Duration) {
        let (earlier, seconds) = self.recent;
        self.recent = (earlier / 2.0 + bytes as f64, seconds / 2.0 + time.as_secs_f64());
    }

    fn next(&mut self) -> usize {
        let (bytes, seconds) = self.recent;
        let next = ((self.limit * bytes / seconds) as usize).clamp(1, self.most);
        self.most = (2 * self.most).min(BLOCK_BYTES);
        next
    }
}

/// Number of mapped blocks of each worker: one in use, and three that wait for earlier blocks.
const MAPPED_BLOCKS_PER_WORKER: usize = 4;

/// The value that `map` produced from a block. It moves between its worker and the reducer.
struct MappedBlock<P> {
    /// The index of the worker to which it returns.
    worker: usize,
    value: P,
    summary: BlockSummary,
}

/// A consumer that passes mapped blocks to `reduce`, and then returns them to their workers.
struct Reducer<'a, P> {
    reduce: &'a mut (dyn FnMut(&mut P, Option<&BlockSummary>) -> io::Result<()> + Send),
    /// One channel per worker. Removing them wakes workers that wait for a mapped block.
    recycle: Vec<Sender<MappedBlock<P>>>,
    end: io::Result<()>,
}

impl<P> Reducer<'_, P> {
    fn reduce(&mut self, value: &mut P, summary: Option<&BlockSummary>) -> ControlFlow<()> {
        self.end = (self.reduce)(value, summary);
        if self.end.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn end_early(&mut self, error: io::Error) -> ControlFlow<()> {
        self.end = Err(error);
        ControlFlow::Break(())
    }

    /// Consumes a block, or the end of the run before it.
    fn consume(&mut self, mapped: io::Result<MappedBlock<P>>) -> ControlFlow<()> {
        let mut mapped = match mapped {
            Ok(mapped) => mapped,
            Err(error) => return self.end_early(error),
        };
        self.reduce(&mut mapped.value, Some(&mapped.summary))?;
        if let Some(worker) = self.recycle.get(mapped.worker) {
            // A worker that has ended needs no more mapped blocks.
            let _ = worker.send(mapped);
        }
        ControlFlow::Continue(())
    }

    fn close(&mut self) {
        self.recycle.clear();
    }
}

/// The result of a fold, except the values that `reduce` received.
#[derive(Debug)]
pub struct Folded {
    /// The failure of an output or a filter, or [`io::ErrorKind::Interrupted`] if the run was stopped.
    pub end: io::Result<()>,
    /// The number of workers that were started.
    pub threads: usize,
    /// Whether the operating system lacked threads or memory for more workers.
    pub threads_refused: bool,
}

/// A function that maps the rows of a block to a value, which it replaces.
pub type Map<'a, P> = dyn FnMut(&Rows<'_>, &mut P) + 'a;

/// Runs a job on all blocks of a source, and folds the results in order.
///
/// Workers `map` the rows of each block to a `P`, and whichever worker has the turn passes it to
/// `reduce`. Values are reused, so `map` must clear them first. `map` is called once per worker and
/// returns the function that the worker uses.
///
/// `reduce` receives a block in parts only if [`Worker::derive`] returns `true`; the last part comes
/// with the summary of the block. A run that is stopped or fails ends at a block boundary.
///
/// It is compiled once per `P`, since a virtual call per block costs nothing.
pub fn fold_blocks<'m, P: Default + Send>(
    source: &mut dyn BlockSource,
    job: &dyn Job,
    filters: &mut [Filter<'_>],
    needs: Needs,
    options: &Options,
    map: &(dyn Fn() -> Box<Map<'m, P>> + Sync),
    mut reduce: impl FnMut(&mut P, Option<&BlockSummary>) -> io::Result<()> + Send,
) -> Folded {
    let threads = Threads::start(options.threads);
    let count = threads.count();
    // A single worker never waits, and reusing one block in turn keeps it in the cache.
    let mapped_blocks = if count == 1 { 1 } else { MAPPED_BLOCKS_PER_WORKER };
    let (recycle, free): (Vec<_>, Vec<_>) = (0..count).map(|_| bounded(mapped_blocks)).unzip();
    for (worker, sender) in recycle.iter().enumerate() {
        for _ in 0..mapped_blocks {
            let (value, summary) = (P::default(), BlockSummary::default());
            let mapped = MappedBlock { worker, value, summary };
            sender.send(mapped).unwrap_or_else(|_| unreachable!("the receiver is here"));
        }
    }
    let reducer = Reducer { reduce: &mut reduce, recycle, end: Ok(()) };
    let needs = needs.union(options.statistics.unwrap_or_default());
    let filters = Filters::new(filters, needs);
    let all_needs = needs.union(filters.needs);
    let fold = Fold {
        source: Mutex::new(NumberedSource {
            source,
            next: 0,
            size: BlockSize::new(all_needs.are_slow()),
            end: Ok(()),
        }),
        job,
        filters,
        needs,
        options,
        stop: StopFlag::from(Arc::clone(&options.stop)),
        sequencer: Sequencer::new(reducer, mapped_blocks * count, Reducer::consume, Reducer::close),
    };
    let work = |index: usize| {
        let mut worker = FoldWorker::new(&fold);
        // The first block in order has a mapped block, because it is taken before filling.
        while let Ok(mapped) = free[index].recv()
            && let Some(number) = fold.fill(&mut worker)
        {
            let processed = fold.process(number, &mut worker, map, mapped);
            worker.shrink();
            if processed.is_break() {
                break;
            }
        }
    };
    threads.run(|index| {
        // After a panic, no other worker may wait forever.
        catch_unwind(AssertUnwindSafe(|| work(index))).unwrap_or_else(|panic| {
            fold.sequencer.close();
            fold.filters.close();
            resume_unwind(panic)
        });
    });
    let source = fold.source.into_inner().unwrap_or_else(PoisonError::into_inner);
    let end = fold.sequencer.into_consumer().end.and(source.end);
    Folded { end, threads: threads.count(), threads_refused: threads.are_refused }
}

/// The state that the workers of a run share.
struct Fold<'a, 'f, 'r, P> {
    source: Mutex<NumberedSource<'a>>,
    job: &'a dyn Job,
    filters: Filters<'a, 'f>,
    /// The properties that the rows show.
    needs: Needs,
    options: &'a Options,
    stop: StopFlag,
    sequencer: Sequencer<Reducer<'r, P>, io::Result<MappedBlock<P>>>,
}

struct NumberedSource<'a> {
    source: &'a mut dyn BlockSource,
    next: u64,
    size: BlockSize,
    end: io::Result<()>,
}

/// A worker of a run. The buffers are reused for all blocks.
struct FoldWorker<'j, 'm, P> {
    work: Work,
    /// The maximum size of the block in bytes.
    largest: usize,
    /// The time that the block took, without waiting.
    time: Duration,
    /// The job, and the function that maps its rows, created when the first block arrives.
    job: Option<Box<dyn Worker + 'j>>,
    map: Option<Box<Map<'m, P>>>,
}

impl<P> FoldWorker<'_, '_, P> {
    fn new(fold: &Fold<'_, '_, '_, P>) -> Self {
        let bytes = fold.options.block_bytes;
        let largest = fold.job.block_bytes().min(bytes);
        let work = Work::new(bytes, largest);
        Self { work, largest, time: Duration::ZERO, job: None, map: None }
    }

    /// Frees the memory for a long record.
    fn shrink(&mut self) {
        self.work.block.shrink();
        if self.work.records.texts.capacity() > LARGEST_TEXTS {
            self.work.records.texts = Vec::new();
        }
    }
}

/// The largest buffer of texts that is kept for the next block, in bytes.
const LARGEST_TEXTS: usize = 1 << 20;

impl<'a, P> Fold<'a, '_, '_, P> {
    /// Fills the block of a worker and returns its number, or `None` at the end.
    fn fill(&self, worker: &mut FoldWorker<'_, '_, P>) -> Option<u64> {
        let FoldWorker { work: Work { block, .. }, largest, time, .. } = worker;
        let NumberedSource { source, next, size, end } = &mut *spin_then_lock(&self.source);
        // A row of columns counts as many bytes as a line.
        let bytes = block.length.max(block.count as usize * (CELLS + 1));
        if bytes > 0 {
            size.add(bytes, *time);
        }
        block.target_bytes = size.next().min(*largest);
        match if self.stop.is_requested() { Err(stopped()) } else { source.fill(block) } {
            Ok(true) => {
                *next += 1;
                return Some(*next - 1);
            }
            Ok(false) => {}
            Err(error) => *end = Err(error),
        }
        None
    }

    /// Processes a block and passes it to the sequencer. Breaks if the run has ended.
    fn process<'m>(
        &self,
        number: u64,
        worker: &mut FoldWorker<'a, 'm, P>,
        make_map: &dyn Fn() -> Box<Map<'m, P>>,
        mut mapped: MappedBlock<P>,
    ) -> ControlFlow<()> {
        let begin = Instant::now();
        let FoldWorker { work, job, map, time, .. } = worker;
        let job = &mut **job.get_or_insert_with(|| self.job.start(&self.stop));
        let map = &mut **map.get_or_insert_with(make_map);
        let Some(waited) = self.evaluate(number, job, work) else {
            return ControlFlow::Break(());
        };
        let part = waited.and_then(|waited| {
            let part = self.map_part(job, map, work, &mut mapped);
            *time = begin.elapsed().saturating_sub(waited);
            part
        });
        match part {
            Ok(true) => {}
            Ok(false) => {
                self.sequencer.submit(number, Ok(mapped));
                return ControlFlow::Continue(());
            }
            Err(error) => {
                self.sequencer.submit(number, Err(error));
                return ControlFlow::Break(());
            }
        }
        // A block in parts keeps its turn from the first part to the last.
        self.sequencer.in_turn(number, |reducer| {
            loop {
                reducer.reduce(&mut mapped.value, None)?;
                match self.map_part(job, map, work, &mut mapped) {
                    Ok(true) => {}
                    Ok(false) => return reducer.consume(Ok(mapped)),
                    Err(error) => return reducer.end_early(error),
                }
            }
        })
    }

    /// Maps the next part of a block, and returns whether more parts follow.
    fn map_part(
        &self,
        job: &mut dyn Worker,
        map: &mut Map<'_, P>,
        work: &mut Work,
        mapped: &mut MappedBlock<P>,
    ) -> io::Result<bool> {
        work.derived.iter_mut().for_each(Vec::clear);
        let has_more = job.derive(work)?;
        let derived = work.derived.as_deref();
        map(&Rows { derived, is_last_part: !has_more, ..work.rows() }, &mut mapped.value);
        // Encoders that search end early as well.
        if self.stop.is_requested() {
            return Err(stopped());
        }
        if !has_more {
            mapped.summary.update(work, self.options.statistics.is_some());
        }
        Ok(has_more)
    }

    /// Computes the results of a block, and returns the time that filters took, which may wait for
    /// earlier blocks; `None` if another block has ended the run.
    fn evaluate(
        &self,
        number: u64,
        job: &mut dyn Worker,
        work: &mut Work,
    ) -> Option<io::Result<Duration>> {
        if let Err(error) = self.run_job(job, work) {
            // The block must still take its turn, or later blocks would wait forever.
            self.filters.take_turn(number);
            return Some(Err(error));
        }
        let begin = Instant::now();
        let filtered = self.filters.apply(number, work)?;
        let waited = begin.elapsed();
        let computed =
            filtered.and_then(|()| properties::compute(job.solver(), self.needs, None, work));
        Some(computed.map(|()| waited))
    }

    /// Reads a block, runs the job, and computes the properties that filters read.
    fn run_job(&self, job: &mut dyn Worker, work: &mut Work) -> io::Result<()> {
        let Work { block, records, results, .. } = work;
        block.read(records);
        results.clear();
        work.next = (0, 0);
        if let Some((line, why)) = records.refused.take() {
            let what = format!("{}:{}: {why}", block.file, block.first + u64::from(line));
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        // Statistics count records without rows as well.
        let early = self.filters.early.filter(|_| self.options.statistics.is_none());
        job.run(work)?;
        properties::compute(job.solver(), self.filters.needs, early, work)
    }
}

/// Locks the source. Other workers mostly hold it for some ten microseconds, to copy a block. A
/// sleeping thread would wake up late, so this spins first.
fn spin_then_lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    const TRIES: u32 = 20;
    const PAUSES: u32 = 32;
    for _ in 0..TRIES {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        (0..PAUSES).for_each(|_| spin_loop());
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_about_the_same_time() {
        let mut slow = BlockSize::new(true);
        assert_eq!(slow.next(), 1);
        // A record takes longer than a block should.
        slow.add(82, Duration::from_secs(1));
        assert!(slow.next() < 82);
        for _ in 0..20 {
            slow.add(8200, Duration::from_millis(10));
        }
        assert!((8200 * 4..8200 * 6).contains(&slow.next()), "{:?}", slow.recent);
        // Blocks of fast records do not depend on time, even if one of them was delayed.
        let mut fast = BlockSize::new(false);
        for bytes in [16, 32, 64, 112, 112, 112].map(|kilobytes| kilobytes * 1024) {
            assert_eq!(fast.next(), bytes);
            let delay = if bytes == 64 * 1024 { 100_000 } else { 100 };
            fast.add(bytes, Duration::from_micros(delay));
        }
        fast.add(16 * 1024, Duration::from_secs(10));
        assert!(fast.next() < 16 * 1024);
    }
}
