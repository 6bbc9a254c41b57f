//! The writer: puts finished blocks in order, writes their rows and releases them.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::NO_PANIC;
use super::block::{Block, FreeBlocks, Stop};
use super::progress::Progress;
use super::sink::{Checkpoint, Sink};
use super::turns::Turns;

/// Takes finished blocks in any order, and writes their rows in the input's order.
pub(super) struct Writer<'a, S> {
    sink: &'a mut S,
    progress: &'a Progress,
    checkpoint: Checkpoint,
    failure: Option<io::Error>,
    /// Whether writing has ended.
    is_over: bool,
    /// Whether it ended because the run was stopped in a block.
    was_stopped: bool,
    /// The number of the next block to write.
    next: u64,
    /// Finished blocks that wait for their turn, each at its number modulo the number of blocks.
    waiting: Vec<Option<Block>>,
    free: &'a FreeBlocks,
}

/// How the writing ended.
#[derive(Default)]
pub(super) struct Written {
    pub checkpoint: Checkpoint,
    pub failure: Option<io::Error>,
    /// Whether the run was stopped in a block.
    pub was_stopped: bool,
}

impl<'a, S: Sink> Writer<'a, S> {
    /// Continues at the checkpoint `start`. There are `blocks` in all.
    pub(super) fn new(
        sink: &'a mut S,
        start: Checkpoint,
        blocks: usize,
        free: &'a FreeBlocks,
        progress: &'a Progress,
    ) -> Self {
        let mut waiting = Vec::new();
        waiting.resize_with(blocks, || None);
        let (failure, is_over, was_stopped) = (None, false, false);
        Self {
            sink,
            progress,
            checkpoint: start,
            failure,
            is_over,
            was_stopped,
            next: 0,
            waiting,
            free,
        }
    }

    /// Writes the finished blocks that are next in order. After the end, drops them.
    fn write(&mut self, done: &Receiver<Block>) {
        let blocks = self.waiting.len();
        for block in done.try_iter() {
            let place = block.number as usize % blocks;
            self.waiting[place] = Some(block);
        }
        while !self.is_over
            && let Some(mut block) = self.waiting[self.next as usize % blocks].take()
        {
            let written = write(&mut block, self.sink, &mut self.checkpoint, self.progress);
            self.was_stopped = block.stop != Stop::No;
            match written {
                Ok(()) if !self.was_stopped => self.free.put(block),
                written => self.end_with(written),
            }
            self.next += 1;
        }
    }

    /// Writes some rows of the next block, which is not finished; `false` after the end.
    fn write_part(&mut self, rows: &[u8]) -> bool {
        if !self.is_over
            && let Err(error) = self.sink.rows(0, rows)
        {
            self.end_with(Err(error));
        }
        !self.is_over
    }

    fn end_with(&mut self, written: io::Result<()>) {
        self.failure = written.err();
        self.is_over = true;
        self.free.close();
    }

    /// Ends the output.
    fn end(self, is_complete: bool) -> Written {
        let Self { sink, checkpoint, failure, was_stopped, .. } = self;
        let is_complete = is_complete && !was_stopped;
        let failure = failure.or_else(|| finish(sink, &checkpoint, is_complete).err());
        Written { checkpoint, failure, was_stopped }
    }
}

/// The queue of finished blocks. One worker at a time writes them.
pub(super) struct WriteQueue<'a, S> {
    writer: Mutex<Writer<'a, S>>,
    /// Signals that another block is next.
    moved: Condvar,
    /// Whether workers may wait for the turn of their block.
    in_turns: bool,
    done: (Sender<Block>, Receiver<Block>),
}

impl<'a, S: Sink> WriteQueue<'a, S> {
    /// A queue for `blocks`.
    pub(super) fn new(writer: Writer<'a, S>, blocks: usize, in_turns: bool) -> Self {
        let done = bounded(blocks);
        Self { writer: Mutex::new(writer), moved: Condvar::new(), in_turns, done }
    }

    /// Takes a finished block, and writes all blocks that are next.
    pub(super) fn put(&self, block: Block) {
        let (sender, done) = &self.done;
        sender.send(block).expect("the receiver is here");
        if self.in_turns {
            self.writer.lock().expect(NO_PANIC).write(done);
            self.moved.notify_all();
            return;
        }
        // If the writer is locked, its holder checks the queue again before it leaves.
        while !done.is_empty()
            && let Ok(mut writer) = self.writer.try_lock()
        {
            writer.write(done);
        }
    }

    /// Writes parts of a block before the block is finished. From the first one on, which waits for
    /// the turn of the block, the writer is locked.
    pub(super) fn parts(&self, number: u64) -> impl FnMut(&[u8]) -> bool {
        let mut writer = None;
        move |rows| writer.get_or_insert_with(|| self.wait_for_turn(number)).write_part(rows)
    }

    /// Waits until all blocks before this one are written, or writing has ended.
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

    /// Ends the output.
    pub(super) fn end(self, is_complete: bool) -> Written {
        self.writer.into_inner().expect(NO_PANIC).end(is_complete)
    }
}

/// Stops all workers when one exits: there is no more to read, or writing has ended, or it has
/// panicked and others would wait for its rows forever.
pub(super) struct StopAllOnExit<'d, 'a, S: Sink> {
    pub free: &'a FreeBlocks,
    pub queue: &'d WriteQueue<'a, S>,
    pub turns: &'d Turns,
}

impl<S: Sink> Drop for StopAllOnExit<'_, '_, S> {
    fn drop(&mut self) {
        let Self { free, queue, turns } = self;
        free.close();
        if thread::panicking() {
            if let Ok(mut writer) = queue.writer.lock() {
                writer.is_over = true;
            }
            queue.moved.notify_all();
            turns.abandon();
        }
    }
}

/// Writes the next block.
pub(super) fn write(
    block: &mut Block,
    sink: &mut impl Sink,
    checkpoint: &mut Checkpoint,
    progress: &Progress,
) -> io::Result<()> {
    if block.stop == Stop::Before {
        return block.failure.take().map_or(Ok(()), Err);
    }
    let others = block.others.iter().map(Vec::as_slice);
    for (output, rows) in (0..).zip([block.output()].into_iter().chain(others)) {
        if !rows.is_empty() {
            sink.rows(output, rows)?;
        }
    }
    if !block.diagnostics.is_empty() {
        sink.messages(&block.diagnostics)?;
    }
    checkpoint.add(block);
    progress.records.fetch_add(block.counts.records(), Ordering::Relaxed);
    sink.checkpoint(checkpoint)
}

/// Ends the output.
pub(super) fn finish(
    sink: &mut impl Sink,
    checkpoint: &Checkpoint,
    is_complete: bool,
) -> io::Result<()> {
    sink.checkpoint(checkpoint)?;
    sink.finish(is_complete)
}
