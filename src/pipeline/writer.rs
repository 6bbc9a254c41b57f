//! The writer: puts blocks back in order and sends them home empty.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::NO_PANIC;
use super::block::{Block, FreeBlocks, Then};
use super::progress::Progress;
use super::sink::{Checkpoint, Output, Sink};
use super::turns::Turns;

/// What could not be written, and why.
pub(super) type Failed = (Output, io::Error);

/// Takes finished blocks in any order, writes their rows in the input's order.
pub(super) struct Writer<'a, S> {
    sink: &'a mut S,
    progress: &'a Progress,
    checkpoint: Checkpoint,
    failure: Option<Failed>,
    /// Whether nothing more is written.
    is_over: bool,
    /// Whether that is because the run was stopped in a block.
    was_stopped: bool,
    /// The number of the block that is to be written next.
    next: u64,
    /// Finished blocks behind that one, each at its number modulo the number of all blocks: the
    /// next one is always among them.
    early: Vec<Option<Block>>,
    free: &'a FreeBlocks,
}

/// How the writing ended.
pub(super) struct Written {
    /// How far it has come.
    pub checkpoint: Checkpoint,
    /// What has failed, if anything has.
    pub failure: Option<Failed>,
    /// Whether it was stopped in a block.
    pub was_stopped: bool,
}

impl<'a, S: Sink> Writer<'a, S> {
    /// Continues from `start`, with this many blocks in all.
    pub(super) fn new(
        sink: &'a mut S,
        start: Checkpoint,
        blocks: usize,
        free: &'a FreeBlocks,
        progress: &'a Progress,
    ) -> Self {
        let mut early = Vec::new();
        early.resize_with(blocks, || None);
        let (failure, is_over, was_stopped) = (None, false, false);
        Self {
            sink,
            progress,
            checkpoint: start,
            failure,
            is_over,
            was_stopped,
            next: 0,
            early,
            free,
        }
    }

    /// Writes what is there of the finished blocks; when the writing is over nothing wants them.
    fn write(&mut self, done: &Receiver<Block>) {
        let blocks = self.early.len();
        for block in done.try_iter() {
            let place = block.number as usize % blocks;
            self.early[place] = Some(block);
        }
        while !self.is_over
            && let Some(block) = self.early[self.next as usize % blocks].take()
        {
            let written = write(&block, self.sink, &mut self.checkpoint, self.progress);
            self.was_stopped = block.then != Then::GoOn;
            match written {
                Ok(()) if !self.was_stopped => self.free.put(block),
                written => self.end_with(written),
            }
            self.next += 1;
        }
    }

    /// Writes rows of the next block that is not finished; `false` if nothing wants them.
    fn write_part(&mut self, rows: &[u8]) -> bool {
        if !self.is_over
            && let Err(error) = self.sink.rows(rows)
        {
            self.end_with(Err((Output::Rows, error)));
        }
        !self.is_over
    }

    fn end_with(&mut self, written: Result<(), Failed>) {
        self.failure = written.err();
        self.is_over = true;
        self.free.close();
    }

    /// Nothing more comes.
    fn end(self) -> Written {
        let Self { sink, checkpoint, failure, was_stopped, .. } = self;
        let failure = failure.or_else(|| finish(sink, &checkpoint).err());
        Written { checkpoint, failure, was_stopped }
    }
}

/// Where workers put finished blocks, and one of them at a time is the writer.
pub(super) struct Desk<'a, S> {
    writer: Mutex<Writer<'a, S>>,
    /// Other blocks may be the next: who waits for that looks again.
    moved: Condvar,
    /// Whether blocks may wait for their turn.
    in_turns: bool,
    done: (Sender<Block>, Receiver<Block>),
}

impl<'a, S: Sink> Desk<'a, S> {
    /// For this many blocks in all.
    pub(super) fn new(writer: Writer<'a, S>, blocks: usize, in_turns: bool) -> Self {
        let done = bounded(blocks);
        Self { writer: Mutex::new(writer), moved: Condvar::new(), in_turns, done }
    }

    /// Takes a finished block, and writes whatever can be.
    pub(super) fn put(&self, block: Block) {
        let (sender, done) = &self.done;
        sender.send(block).expect("the receiver is here");
        if self.in_turns {
            self.writer.lock().expect(NO_PANIC).write(done);
            self.moved.notify_all();
            return;
        }
        // Who finds another one writing leaves it to that one, who looks again at the end.
        while !done.is_empty()
            && let Ok(mut writer) = self.writer.try_lock()
        {
            writer.write(done);
        }
    }

    /// The part of a block that is written before the block is finished.
    pub(super) fn parts(&self) -> Parts<'_, 'a, S> {
        Parts { desk: self, writer: None }
    }

    /// Waits until all before this block is written; nothing if the writing is over.
    fn wait_for_turn(&self, number: u64) -> MutexGuard<'_, Writer<'a, S>> {
        let mut writer = self.writer.lock().expect(NO_PANIC);
        loop {
            writer.write(&self.done.1);
            if writer.is_over || writer.next == number {
                return writer;
            }
            writer = self.moved.wait(writer).expect(NO_PANIC);
        }
    }

    /// Nothing more comes.
    pub(super) fn end(self) -> Written {
        self.writer.into_inner().expect(NO_PANIC).end()
    }
}

/// Where a worker ends, all come to their end: there is no more to read, or nothing wants it, or
/// this one has panicked and others would wait for its rows for ever.
pub(super) struct EndOfAll<'d, 'a, S: Sink> {
    pub free: &'a FreeBlocks,
    pub desk: &'d Desk<'a, S>,
    pub turns: &'d Turns,
}

impl<S: Sink> Drop for EndOfAll<'_, '_, S> {
    fn drop(&mut self) {
        let Self { free, desk, turns } = self;
        free.close();
        if thread::panicking() {
            if let Ok(mut writer) = desk.writer.lock() {
                writer.is_over = true;
            }
            desk.moved.notify_all();
            turns.abandon();
        }
    }
}

/// Takes rows of a block before it is finished.
pub(super) trait TakeParts {
    /// Writes rows of the block with this number, behind all that are before them. Waits until
    /// these are written; `false` if nothing wants rows any more.
    fn take(&mut self, number: u64, rows: &[u8]) -> bool;
}

/// Parts of one block; the writer is held from the first of them on.
pub(super) struct Parts<'d, 'a, S> {
    desk: &'d Desk<'a, S>,
    writer: Option<MutexGuard<'d, Writer<'a, S>>>,
}

impl<S: Sink> TakeParts for Parts<'_, '_, S> {
    fn take(&mut self, number: u64, rows: &[u8]) -> bool {
        self.writer.get_or_insert_with(|| self.desk.wait_for_turn(number)).write_part(rows)
    }
}

/// Takes all in order, with a failure if there was one: for one who has the sink to himself.
pub(super) struct Direct<'a, S> {
    /// Where rows go.
    pub sink: &'a mut S,
    /// What has failed.
    pub written: Result<(), Failed>,
}

impl<S: Sink> TakeParts for Direct<'_, S> {
    fn take(&mut self, _: u64, rows: &[u8]) -> bool {
        self.written = self.sink.rows(rows).map_err(|error| (Output::Rows, error));
        self.written.is_ok()
    }
}

/// Writes what became of the next block.
pub(super) fn write(
    block: &Block,
    sink: &mut impl Sink,
    checkpoint: &mut Checkpoint,
    progress: &Progress,
) -> Result<(), Failed> {
    if block.then == Then::EndBefore {
        return Ok(());
    }
    sink.rows(block.output()).map_err(|error| (Output::Rows, error))?;
    for (output, rows) in (1..).zip(&block.others).filter(|(_, rows)| !rows.is_empty()) {
        sink.other_rows(output, rows).map_err(|error| (Output::Rows, error))?;
    }
    sink.diagnostics(&block.diagnostics).map_err(|error| (Output::Diagnostics, error))?;
    checkpoint.add(block);
    progress.records.fetch_add(block.counts.records(), Ordering::Relaxed);
    sink.reached(checkpoint).map_err(|error| (Output::State, error))
}

/// Writes what stands before the first row.
pub(super) fn begin(sink: &mut impl Sink, header: &[u8], outputs: u8) -> Result<(), Failed> {
    sink.rows(header).map_err(|error| (Output::Rows, error))?;
    for output in 1..outputs {
        sink.other_rows(output, header).map_err(|error| (Output::Rows, error))?;
    }
    sink.reached(&Checkpoint::default()).map_err(|error| (Output::State, error))
}

/// Ends what was written.
pub(super) fn finish(sink: &mut impl Sink, checkpoint: &Checkpoint) -> Result<(), Failed> {
    sink.finish(checkpoint).map_err(|error| (Output::Rows, error))
}
