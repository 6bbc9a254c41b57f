//! The writer: puts blocks back in order and sends them home empty.

use std::io;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;

use super::Progress;
use super::block::{Block, FreeBlocks};
use super::sink::{Output, Sink, SoFar};

/// What could not be written, and why.
pub(super) type Failed = (Output, io::Error);

/// Takes finished blocks in any order, writes their rows in the input's order.
pub(super) struct Writer<'a, S> {
    sink: &'a mut S,
    progress: &'a Progress,
    so_far: SoFar,
    failure: Option<Failed>,
    /// The number of the block that is to be written next.
    next: u64,
    /// Finished blocks behind that one, each at its number modulo the number of all blocks: the
    /// next one is always among them.
    early: Vec<Option<Block>>,
    free: &'a FreeBlocks,
}

impl<'a, S: Sink> Writer<'a, S> {
    /// Goes on from `start`, with so many blocks in all.
    pub(super) fn new(
        sink: &'a mut S,
        start: SoFar,
        blocks: usize,
        free: &'a FreeBlocks,
        progress: &'a Progress,
    ) -> Self {
        let mut early = Vec::new();
        early.resize_with(blocks, || None);
        Self { sink, progress, so_far: start, failure: None, next: 0, early, free }
    }

    /// Writes what is there of the finished blocks; after a failure nobody wants them.
    pub(super) fn write(&mut self, done: &Receiver<Block>) {
        let blocks = self.early.len();
        for block in done.try_iter() {
            let place = block.number as usize % blocks;
            self.early[place] = Some(block);
        }
        while self.failure.is_none()
            && let Some(block) = self.early[self.next as usize % blocks].take()
        {
            match write(&block, self.sink, &mut self.so_far, self.progress) {
                Ok(()) => self.free.put(block),
                Err(failure) => {
                    self.failure = Some(failure);
                    self.free.close();
                }
            }
            self.next += 1;
        }
    }

    /// Nothing more comes: how far it has come, and what has failed if anything has.
    pub(super) fn end(self) -> (SoFar, Option<Failed>) {
        let Self { sink, so_far, failure, .. } = self;
        let failure = failure.or_else(|| finish(sink, &so_far).err());
        (so_far, failure)
    }
}

/// Writes what became of the next block.
pub(super) fn write(
    block: &Block,
    sink: &mut impl Sink,
    so_far: &mut SoFar,
    progress: &Progress,
) -> Result<(), Failed> {
    sink.rows(block.output()).map_err(|error| (Output::Rows, error))?;
    sink.notes(&block.notes).map_err(|error| (Output::Notes, error))?;
    so_far.add(block);
    progress.records.fetch_add(block.counts.records(), Ordering::Relaxed);
    sink.reached(so_far).map_err(|error| (Output::State, error))
}

/// Writes what stands before the first row.
pub(super) fn begin(sink: &mut impl Sink, header: &[u8]) -> Result<(), Failed> {
    sink.rows(header).map_err(|error| (Output::Rows, error))?;
    sink.reached(&SoFar::default()).map_err(|error| (Output::State, error))
}

/// Ends what was written.
pub(super) fn finish(sink: &mut impl Sink, so_far: &SoFar) -> Result<(), Failed> {
    sink.finish(so_far).map_err(|error| (Output::Rows, error))
}
