//! How a run proceeds: reader, workers and writer together.

use std::hint::spin_loop;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use super::NO_PANIC;
use super::block::{Block, FreeBlocks, Then};
use super::plan::Pipeline;
use super::progress::Progress;
use super::reader::{Reader, Reading};
use super::report::{OutputFailure, Report};
use super::sink::{Checkpoint, Sink};
use super::threads::Threads;
use super::turns::Turns;
use super::worker::Worker;
use super::writer::{self, Desk, Direct, EndOfAll, Writer, Written};
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

    pub(super) fn write_header(&self, sink: &mut impl Sink) -> Result<(), OutputFailure> {
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
}

/// Locks what other threads mostly hold for as long as it takes to copy a block, some ten
/// microseconds. A thread that sleeps for that is woken late, so this one spins. Where the lock is
/// held longer (a slow pipe) sleeping is better, so it spins for a while only.
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
