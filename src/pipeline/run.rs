//! Runs reader, workers and writer.

use std::hint::spin_loop;
use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use super::NO_PANIC;
use super::block::{Block, FreeBlocks, Stop};
use super::plan::Pipeline;
use super::progress::Progress;
use super::reader::{Reader, Reading};
use super::report::{OutputFailure, Report};
use super::sink::{Checkpoint, Sink};
use super::threads::Threads;
use super::turns::Turns;
use super::worker::Worker;
use super::writer::{self, StopAllOnExit, WriteQueue, Writer, Written};
use crate::input::Source;
use crate::output::{Packer, RowBuffer};
use crate::solver::StopFlag;

impl Pipeline {
    /// Reads all `sources` one after the other, writes a header and one row for each record to
    /// `rows`, in order, and a line for each bad record to `diagnostics` (`file:line:column:
    /// status: what is wrong`). Both are given whole lines.
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

    /// The same into a sink, which also gets checkpoints.
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

    pub(super) fn write_header(&self, sink: &mut impl Sink) -> Result<(), OutputFailure> {
        let began = Instant::now();
        // A report has a histogram, so it is made only for a failure.
        let header = self.header();
        let begun = (0..self.outputs.get()).try_for_each(|output| sink.header(output, &header));
        let Err(error) = begun else { return Ok(()) };
        let written = Written { failure: Some(error), ..Written::default() };
        Report::of(0, began, Reading::default(), None, written).map(drop)
    }

    /// Attaches the answers to a block, if they have an input of their own; `false` if they cannot
    /// be read.
    fn attach_answers(&self, block: &mut Block) -> bool {
        self.answers.as_ref().is_none_or(|answers| answers.lock().expect(NO_PANIC).attach(block))
    }

    /// Starts reading the answers, after those of an earlier run.
    fn begin_answers(&self, records: u64, progress: &Progress) {
        if let Some(answers) = &self.answers {
            let mut answers = answers.lock().expect(NO_PANIC);
            answers.begin(&progress.stop);
            answers.skip(records);
        }
    }

    /// How reading ended, including that of the answers.
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

    /// The header. Compressed it is never empty, as an output without rows has to be a stream, too.
    fn header(&self) -> Vec<u8> {
        let mut header = RowBuffer::default();
        self.format.header(&mut header);
        let mut bytes = header.as_slice().to_vec();
        if let Some(compression) = self.compression {
            Packer::new(compression).pack(header.as_slice(), &mut bytes);
        }
        bytes
    }

    /// The same on the calling thread, for small inputs, where starting threads would take longer
    /// than the work.
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
        let most = self.target_block_bytes();
        let mut reader = Reader::new(0, sources.into_iter(), most, &progress.stop);
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
            worker.process(&mut block, |rows| {
                written = sink.rows(0, rows);
                written.is_ok()
            });
            let checkpoint = &mut checkpoint;
            written = written.and_then(|()| writer::write(&mut block, sink, checkpoint, progress));
            was_stopped = block.stop != Stop::No;
        }
        let reading = self.end_of(reader.end());
        let is_complete = !reading.stopped && !was_stopped;
        let failure = written.and_then(|()| writer::finish(sink, &checkpoint, is_complete)).err();
        let written = Written { checkpoint, failure, was_stopped };
        Report::of(0, began, reading, None, written)
    }

    /// Resumes a run at a checkpoint. No header is written. `sources` start with the input of the
    /// checkpoint, at its position. The report covers both runs.
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
        self.begin_answers(records_before, progress);
        let most = self.target_block_bytes();
        let reader = Reader::new(start.source, sources.into_iter(), most, &progress.stop);
        let reader = Mutex::new(reader);
        let fill = |block: &mut Block| {
            let mut reader = spin_then_lock(&reader);
            reader.fill(block) && self.attach_answers(block)
        };
        let (threads, written) =
            self.run_workers(sink, start, progress, fill, |_| |_: &mut Block| {}, false);
        let reading = self.end_of(reader.into_inner().expect(NO_PANIC).end());
        Report::of(records_before, began, reading, Some(&threads), written)
    }

    /// Lets workers process and write blocks, until `fill` has no more of them. `prepare` makes,
    /// for each worker, what is done to a block before it is processed. With `whole_blocks` a run
    /// that is stopped in a block ends before it, so compressed rows do not depend on where a run
    /// was stopped.
    pub(super) fn run_workers<P: FnMut(&mut Block)>(
        &self,
        sink: &mut impl Sink,
        start: Checkpoint,
        progress: &Progress,
        fill: impl Fn(&mut Block) -> bool + Sync,
        prepare: impl Fn(&StopFlag) -> P + Sync,
        whole_blocks: bool,
    ) -> (Threads, Written) {
        // For each worker one in work and three in reserve, as one slow block must not soon stop
        // the others, and some that are being written.
        let threads = Threads::start(self.threads);
        let blocks = 4 * threads.count().get() + 4;
        let free = &FreeBlocks::new(blocks, self.block_bytes, threads.count().get());
        let stop = &StopFlag::from(Arc::clone(&progress.stop));
        let writer = Writer::new(sink, start, blocks, free, progress);
        let queue = WriteQueue::new(writer, blocks, self.list.is_some());
        let turns = &Turns::new();
        threads.run(|number| {
            let _end = StopAllOnExit { free, queue: &queue, turns };
            let mut worker = None;
            while let Some(mut block) = free.take(number) {
                if !fill(&mut block) {
                    break;
                }
                // They are made when there is work for them.
                let (prepare, worker) =
                    worker.get_or_insert_with(|| (prepare(stop), Worker::new(self, turns, stop)));
                prepare(&mut block);
                if block.stop == Stop::No {
                    let parts = queue.parts(block.number);
                    worker.process(&mut block, parts);
                }
                if whole_blocks && block.stop == Stop::After {
                    block.stop = Stop::Before;
                }
                queue.put(block);
            }
        });
        (threads, queue.end(!progress.stop.load(Ordering::Relaxed)))
    }
}

/// Locks the reader, which other threads mostly hold for some ten microseconds, to copy a block. A
/// sleeping thread would be woken late, so this spins. If the lock is held longer, because of a
/// slow pipe, it sleeps.
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
