//! Blocks, which circulate from reader to worker to writer and back.

use std::io;
use std::sync::{Arc, Condvar, Mutex};

use memchr::memchr_iter;

use super::NO_PANIC;
use super::attached::Attached;
use super::tally::Tally;
use crate::input::{Layout, Position, Records};
use crate::output::RowBuffer;
use crate::stats::Counts;

/// The largest block: about 1,400 puzzle lines. A worker often alternates between two, one of which
/// waits for earlier ones. With puzzles, outcomes and rows they take a megabyte, which fits in
/// second-level caches. The costs at a block's end, idle lanes and wake-ups, are still small.
pub const BLOCK_BYTES: usize = 112 * 1024;

/// Whole lines of one input, and the rows made from them.
///
/// A fixed number of blocks circulates. Each keeps its memory when it is reused.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The last worker that had it, in whose cache it may still be.
    pub worker: usize,
    /// Its place in the order of the input, from 0.
    pub number: u64,
    /// The input of its lines.
    pub file: Arc<str>,
    /// The place of that input among all.
    pub source: usize,
    /// The layout of its records.
    pub layout: Layout,
    /// The number of its first line in that input, from 1.
    pub first_line: u64,
    /// Its end in that input.
    pub end: Position,
    /// The input's bytes; only the first `length` are filled.
    pub bytes: Box<[u8]>,
    /// The bytes of whole lines.
    pub length: usize,
    /// Whether the last line is too long for a block, so its rest was skipped.
    pub cut_short: bool,
    /// Whether the input failed at its end.
    pub input_failed: bool,
    /// The answers to its records, if they have an input of their own.
    pub answers: Option<Attached>,
    /// Whether the run ends at this block.
    pub stop: Stop,
    /// Why the selection of its records failed.
    pub failure: Option<io::Error>,
    /// The rows.
    pub rows: RowBuffer,
    /// The compressed rows, if rows are compressed.
    pub packed: Option<Vec<u8>>,
    /// The rows of the outputs after the first, compressed if rows are compressed.
    pub others: Vec<Vec<u8>>,
    /// Messages about bad records, a line each.
    pub diagnostics: Vec<u8>,
    /// Records by status, and other lines.
    pub counts: Counts,
    /// The line of its last record in that input, if it has one.
    pub last_record: Option<u64>,
    /// The requested counts of its puzzles.
    pub tally: Tally,
    /// Latencies of solved puzzles in nanoseconds, each with its number of puzzles.
    pub latencies: Vec<(u64, u64)>,
}

/// Whether a run ends at a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stop {
    /// It continues.
    #[default]
    No,
    /// It was stopped and ends after the block.
    After,
    /// It was stopped and ends before the block, whose rows are dropped.
    Before,
}

impl Block {
    /// An empty block for at most `bytes` bytes of input, for this worker.
    pub(super) fn new(bytes: usize, worker: usize) -> Self {
        Self {
            worker,
            bytes: vec![0; bytes].into(),
            latencies: Vec::with_capacity(Records::most_in(bytes)),
            ..Self::default()
        }
    }

    /// The rows, as they will be written.
    pub(super) fn output(&self) -> &[u8] {
        self.packed.as_deref().unwrap_or_else(|| self.rows.as_slice())
    }

    /// Keeps the whole records before a line, counted from 0, where the run is stopped.
    pub(super) fn end_before(&mut self, line: u32) {
        let mut ends = memchr_iter(b'\n', self.lines());
        let start = line.checked_sub(1).and_then(|line| ends.nth(line as usize));
        let length = self.layout.last_end(&self.bytes[..start.map_or(0, |end| end + 1)]);
        let offset = self.end.offset - self.length as u64;
        let begin = Position { offset, line: self.first_line, ..Position::default() };
        let kept = &self.bytes[..length];
        self.end = begin.behind(kept, offset + length as u64, false);
        self.stop = if length == 0 { Stop::Before } else { Stop::After };
        self.length = length;
        self.cut_short = false;
        self.input_failed = false;
    }

    /// The lines.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// The blocks that no worker has.
///
/// A worker gets the last block that it has put back itself, which may still be in the cache of its
/// core. Unneeded blocks are never allocated.
#[derive(Debug)]
pub(super) struct FreeBlocks {
    /// The most bytes of input in each block.
    bytes: usize,
    /// `None` after the end.
    stock: Mutex<Option<Stock>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Stock {
    /// The blocks that each worker had.
    of_workers: Vec<Vec<Block>>,
    /// The number of blocks that can still be allocated.
    not_made: usize,
}

impl Stock {
    fn is_empty(&self) -> bool {
        self.not_made == 0 && self.of_workers.iter().all(Vec::is_empty)
    }

    /// Takes one of this worker's own, else a new one, else any.
    fn take(&mut self, worker: usize, bytes: usize) -> Option<Block> {
        if let Some(block) = self.of_workers[worker].pop() {
            return Some(block);
        }
        if self.not_made > 0 {
            self.not_made -= 1;
            return Some(Block::new(bytes, worker));
        }
        let block = self.of_workers.iter_mut().find_map(Vec::pop)?;
        Some(Block { worker, ..block })
    }
}

impl FreeBlocks {
    /// `count` blocks for at most `bytes` bytes of input each.
    pub(super) fn new(count: usize, bytes: usize, workers: usize) -> Self {
        let mut of_workers = Vec::new();
        // A worker mostly has four or fewer.
        of_workers.resize_with(workers, || Vec::with_capacity(8));
        let stock = Stock { of_workers, not_made: count };
        Self { bytes, stock: Mutex::new(Some(stock)), changed: Condvar::new() }
    }

    /// Waits for a block; `None` after the end.
    pub(super) fn take(&self, worker: usize) -> Option<Block> {
        let stock = self.stock.lock().expect(NO_PANIC);
        let is_empty = |stock: &mut Option<Stock>| stock.as_ref().is_some_and(Stock::is_empty);
        let mut stock = self.changed.wait_while(stock, is_empty).expect(NO_PANIC);
        stock.as_mut()?.take(worker, self.bytes)
    }

    /// Takes a block back.
    pub(super) fn put(&self, block: Block) {
        if let Some(stock) = self.stock.lock().expect(NO_PANIC).as_mut() {
            stock.of_workers[block.worker].push(block);
        }
        self.changed.notify_one();
    }

    /// Ends the circulation.
    pub(super) fn close(&self) {
        self.stock.lock().expect(NO_PANIC).take();
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_gets_its_own_blocks_back_then_new_ones_then_any() {
        let free = FreeBlocks::new(3, 1000, 2);
        let numbered = |worker, number| Block { number, ..free.take(worker).unwrap() };
        let (first, second, third) = (numbered(0, 1), numbered(1, 2), numbered(0, 3));
        free.put(second);
        free.put(first);
        free.put(third);
        let taken = [0, 1, 1].map(|worker| {
            let block = free.take(worker).unwrap();
            (block.worker, block.number)
        });
        assert_eq!(taken, [(0, 3), (1, 2), (1, 1)]);
        free.close();
        assert!(free.take(0).is_none());
    }
}
