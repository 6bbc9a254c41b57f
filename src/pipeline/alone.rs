//! One thread that is reader, worker and writer, with one block.

use super::block::Block;
use super::reader::Circle;
use super::sink::{OutputFailure, Sink, SoFar};
use super::worker::Worker;
use super::{Pipeline, Progress, writer};

/// Works on each block as soon as it is full.
pub(super) struct Alone<'a, S> {
    worker: Worker<'a>,
    sink: &'a mut S,
    progress: &'a Progress,
    /// The block, where the reader does not have it.
    block: Option<Block>,
    /// How far the run has come, or why it ended.
    pub so_far: Result<SoFar, OutputFailure>,
}

impl<'a, S: Sink> Alone<'a, S> {
    pub(super) fn new(
        pipeline: &'a Pipeline,
        start: SoFar,
        sink: &'a mut S,
        progress: &'a Progress,
    ) -> Self {
        let block = Some(Block::new(pipeline.block_bytes));
        Self { worker: Worker::new(pipeline), sink, progress, block, so_far: Ok(start) }
    }
}

impl<S: Sink> Circle for &mut Alone<'_, S> {
    fn empty(&mut self) -> Option<Block> {
        self.block.take()
    }

    fn full(&mut self, mut block: Block) -> Option<()> {
        let so_far = self.so_far.as_mut().ok()?;
        self.worker.process(&mut block);
        if let Err(failure) = writer::write(&block, self.sink, so_far, self.progress) {
            self.so_far = Err(failure);
            return None;
        }
        self.block = Some(block);
        Some(())
    }
}
