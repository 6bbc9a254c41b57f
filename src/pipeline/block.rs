//! What travels from reader to worker to writer and back.

use std::sync::{Arc, Condvar, Mutex};

use memchr::memchr_iter;

use super::NO_PANIC;
use super::attached::Attached;
use super::tally::Tally;
use crate::input::{Layout, Position, Records};
use crate::output::RowBuffer;
use crate::stats::Counts;

/// The largest block: about 1,400 puzzle lines. A worker often has two in turn, one of which waits
/// for those before it: with their puzzles, outcomes and rows they take a megabyte, which
/// second-level caches hold. Lanes that run empty at a block's end, and threads that wake each
/// other for it, cost little.
pub const BLOCK_BYTES: usize = 112 * 1024;

/// Whole lines of one input, and the rows made from them.
///
/// A fixed number of blocks circulates; each keeps its room when it is used again.
#[derive(Debug)]
pub(super) struct Block {
    /// The worker in whose cache it may still be: the last that had it.
    pub worker: usize,
    /// Its place in the order of the input, from 0.
    pub number: u64,
    /// The input that its lines come from.
    pub file: Arc<str>,
    /// The place of that input among all.
    pub source: usize,
    /// How records lie in it.
    pub layout: Layout,
    /// The number of its first line in that input, from 1.
    pub first_line: u64,
    /// Where in that input it ends.
    pub end: Position,
    /// The input's bytes; only the first `length` are filled.
    pub bytes: Box<[u8]>,
    /// How many of `bytes` are whole lines of this block.
    pub length: usize,
    /// Whether the last line is too long for a block: its rest was skipped.
    pub cut_short: bool,
    /// Whether the input failed where it ends.
    pub input_failed: bool,
    /// The answers to its records, if they stand in another input.
    pub answers: Option<Attached>,
    /// What becomes of the run behind it.
    pub then: Then,
    /// The rows.
    pub rows: RowBuffer,
    /// The rows compressed, where they are to be.
    pub packed: Option<Vec<u8>>,
    /// The rows of the outputs behind the first, compressed where they are to be.
    pub others: Vec<Vec<u8>>,
    /// Messages about bad records, one a line.
    pub diagnostics: Vec<u8>,
    /// What its lines were.
    pub counts: Counts,
    /// The line of its last record in that input, if it has one.
    pub last_record: Option<u64>,
    /// What its puzzles are, as far as that is counted.
    pub tally: Tally,
    /// Of the puzzles that an engine solved, in nanoseconds, and how many there are of each.
    pub latencies: Vec<(u64, u64)>,
}

/// What becomes of the run behind a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It goes on.
    GoOn,
    /// It ends, because it was stopped.
    End,
    /// It has ended before this block, which was stopped: its rows are not wanted.
    EndBefore,
}

impl Block {
    /// An empty block for at most `bytes` bytes of input, for this worker.
    pub(super) fn new(bytes: usize, worker: usize) -> Self {
        Self {
            worker,
            number: 0,
            file: Arc::from(""),
            source: 0,
            layout: Layout::default(),
            first_line: 1,
            end: Position::default(),
            bytes: vec![0; bytes].into(),
            length: 0,
            cut_short: false,
            input_failed: false,
            answers: None,
            then: Then::GoOn,
            rows: RowBuffer::default(),
            packed: None,
            others: Vec::new(),
            diagnostics: Vec::new(),
            counts: Counts::default(),
            last_record: None,
            tally: Tally::default(),
            latencies: Vec::with_capacity(Records::most_in(bytes)),
        }
    }

    /// The rows, as they will be written.
    pub(super) fn output(&self) -> &[u8] {
        self.packed.as_deref().unwrap_or_else(|| self.rows.as_slice())
    }

    /// Leaves the whole records before one of its lines, which are counted from 0: the run is
    /// stopped there.
    pub(super) fn end_before(&mut self, line: u32) {
        let mut ends = memchr_iter(b'\n', self.lines());
        let start = line.checked_sub(1).and_then(|line| ends.nth(line as usize));
        let length = self.layout.last_end(&self.bytes[..start.map_or(0, |end| end + 1)]);
        let offset = self.end.offset - self.length as u64;
        let begin = Position { offset, line: self.first_line, ..Position::default() };
        let kept = &self.bytes[..length];
        self.end = begin.behind(kept, offset + length as u64, false);
        self.then = if length == 0 { Then::EndBefore } else { Then::End };
        self.length = length;
        self.cut_short = false;
        self.input_failed = false;
    }

    /// The lines.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// The blocks that no worker has at the moment.
///
/// A worker gets back one that it has had itself, the last one put here: it may still be in the
/// cache of its core. Blocks that are never needed are never made.
#[derive(Debug)]
pub(super) struct FreeBlocks {
    /// Bytes of input for each block, at most.
    bytes: usize,
    /// `None` once no more are given out.
    stock: Mutex<Option<Stock>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Stock {
    /// Those that each worker has had.
    of_workers: Vec<Vec<Block>>,
    /// How many can still be made.
    not_made: usize,
}

impl Stock {
    fn is_empty(&self) -> bool {
        self.not_made == 0 && self.of_workers.iter().all(Vec::is_empty)
    }

    /// One of this worker's own, or a new one, or any.
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
    /// A number of blocks for at most `bytes` bytes of input each, for a number of workers.
    pub(super) fn new(count: usize, bytes: usize, workers: usize) -> Self {
        let mut of_workers = Vec::new();
        // A worker mostly has four or fewer.
        of_workers.resize_with(workers, || Vec::with_capacity(8));
        let stock = Stock { of_workers, not_made: count };
        Self { bytes, stock: Mutex::new(Some(stock)), changed: Condvar::new() }
    }

    /// Waits for a block; `None` if no more are given out.
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

    /// From now on no more are given out.
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
