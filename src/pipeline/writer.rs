//! The writer: puts blocks back in order and sends them home empty.

use std::io::Write;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, Sender};

use super::block::Block;
use super::{OutputFailure, Progress};
use crate::stats::Counts;

/// Takes finished blocks in any order, writes their rows in the input's order.
pub(super) struct Writer<'a> {
    pub done: Receiver<Block>,
    pub free: Sender<Block>,
    /// How many blocks there are: the next one wanted is always among them.
    pub blocks: usize,
    pub progress: &'a Progress,
}

impl Writer<'_> {
    /// Writes until no worker is left.
    pub(super) fn run(
        self,
        rows: &mut impl Write,
        notes: &mut impl Write,
    ) -> Result<Counts, OutputFailure> {
        let mut early: Vec<Option<Block>> = Vec::new();
        early.resize_with(self.blocks, || None);
        let mut counts = Counts::default();
        let mut next = 0;
        for block in &self.done {
            let place = block.number as usize % self.blocks;
            early[place] = Some(block);
            while let Some(block) = early[next % self.blocks].take() {
                rows.write_all(block.rows.as_slice()).map_err(OutputFailure::Rows)?;
                notes.write_all(&block.notes).map_err(OutputFailure::Notes)?;
                counts += &block.counts;
                self.progress.records.fetch_add(block.counts.records(), Ordering::Relaxed);
                next += 1;
                // Nobody waits for it when the reader has come to the end.
                let _ = self.free.send(block);
            }
        }
        rows.flush().map_err(OutputFailure::Rows)?;
        notes.flush().map_err(OutputFailure::Notes)?;
        Ok(counts)
    }
}
