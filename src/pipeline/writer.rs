//! The writer: puts blocks back in order and sends them home empty.

use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};

use super::Progress;
use super::block::Block;
use super::sink::{Output, OutputFailure, Sink, SoFar};

/// Takes finished blocks in any order, writes their rows in the input's order.
pub(super) struct Writer<'a> {
    pub done: Receiver<Block>,
    pub free: Sender<Block>,
    /// How many blocks there are: the next one wanted is always among them.
    pub blocks: usize,
    pub progress: &'a Progress,
}

impl Writer<'_> {
    /// Writes until no worker is left; adds what was done to `so_far`.
    pub(super) fn run(
        self,
        sink: &mut impl Sink,
        mut so_far: SoFar,
    ) -> Result<SoFar, OutputFailure> {
        let mut early: Vec<Option<Block>> = Vec::new();
        early.resize_with(self.blocks, || None);
        let mut next = 0;
        for block in &self.done {
            let place = block.number as usize % self.blocks;
            early[place] = Some(block);
            while let Some(block) = early[next % self.blocks].take() {
                write(&block, sink, &mut so_far, self.progress)?;
                next += 1;
                // Nobody waits for it when the reader has come to the end.
                let _ = self.free.send(block);
            }
        }
        sink.finish(&so_far).map_err(|error| so_far.failure(Output::Rows, error))?;
        Ok(so_far)
    }
}

/// Writes what became of the next block.
pub(super) fn write(
    block: &Block,
    sink: &mut impl Sink,
    so_far: &mut SoFar,
    progress: &Progress,
) -> Result<(), OutputFailure> {
    (sink.rows(block.output())).map_err(|error| so_far.failure(Output::Rows, error))?;
    sink.notes(&block.notes).map_err(|error| so_far.failure(Output::Notes, error))?;
    so_far.add(block);
    progress.records.fetch_add(block.counts.records(), Ordering::Relaxed);
    sink.reached(so_far).map_err(|error| so_far.failure(Output::State, error))
}
