//! The search for hard puzzles on several threads, as a source of puzzles.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::Generate;
use super::generate::Drawer;
use crate::input::{Position, Records};
use crate::output::Results;
use crate::pipeline::block::{Block, BlockSource, Contents, Fill};
use bulkdoku_core::generate::islands::Islands;
use bulkdoku_core::puzzle::Puzzle;
use bulkdoku_core::simd::SimdLevel;
use bulkdoku_core::solver::StopFlag;
use bulkdoku_logic::generate::Measure;

/// A search for hard puzzles on islands.
pub struct Hard {
    /// The job that solves the puzzles. It has the seed, the condition for rows, and the method for
    /// drawing the solution grids of random puzzles.
    pub generate: Generate,
    /// The measure of difficulty.
    pub measure: Measure,
    /// The least value of the measure.
    pub at_least: f64,
    /// The puzzles at which islands start; random minimal puzzles if it is empty.
    pub pool: Arc<[Puzzle]>,
    /// The SIMD level of the search.
    pub simd: SimdLevel,
}

/// An island to explore, and where its puzzles go. Its end is an empty vector.
type Task = (u64, Sender<Vec<Puzzle>>);

/// A source of puzzles found on islands, in order: those of the first island as its generations
/// end, then those of the next one.
///
/// Its position has the number of the island and of its puzzles so far as one number,
/// `island << 32 | puzzles`, and the number of rows. Continuing there repeats the island's search.
pub struct HardSource {
    /// The islands that have not been queued.
    numbers: Range<u64>,
    queue: Sender<Task>,
    /// The islands in the queue and those that have left it, from the one whose turn it is.
    islands: VecDeque<(u64, Receiver<Vec<Puzzle>>)>,
    /// The puzzles of the island that wait, the number of those before, and the number of those
    /// that an earlier run has written.
    pending: VecDeque<Puzzle>,
    puzzles: usize,
    written: usize,
    rows: Range<u64>,
    /// The flag that ends the search, and the run's flag.
    end: StopFlag,
    stop: StopFlag,
}

/// The interval at which a source that waits checks whether the run has been stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of puzzles of a block.
const PER_BLOCK: usize = 512;
/// The number of islands per thread that are explored before their turn, at most.
const AHEAD: usize = 4;

impl Hard {
    /// Starts the search on `threads` threads until it has found `count` rows. Continues at a
    /// position of an earlier run, if there is one.
    ///
    /// # Panics
    /// When no thread can be started.
    pub fn source(
        self: &Arc<Self>,
        islands: Range<u64>,
        count: u64,
        position: Option<Position>,
        threads: usize,
        stop: StopFlag,
    ) -> HardSource {
        let (at, row) = position.map_or((islands.start << 32, 0), |at| (at.offset, at.line));
        let (queue, tasks) = unbounded();
        let end = StopFlag::default();
        let start = |_: &usize| {
            let (job, tasks, end) = (Arc::clone(self), tasks.clone(), end.clone());
            thread::Builder::new().spawn(move || job.search(&tasks, &end)).is_ok()
        };
        // The operating system may refuse some threads.
        let threads = (0..threads).take_while(start).count();
        assert!(threads > 0, "a thread for the search cannot be started");
        let mut source = HardSource {
            numbers: at >> 32..islands.end,
            queue,
            islands: VecDeque::new(),
            pending: VecDeque::new(),
            puzzles: 0,
            written: (at & u64::from(u32::MAX)) as usize,
            rows: row..count,
            end,
            stop,
        };
        (0..threads * AHEAD).for_each(|_| source.queue_next());
        source
    }

    /// Explores islands until the search ends. Returns `None` if it ends within one.
    fn search(&self, tasks: &Receiver<Task>, end: &StopFlag) -> Option<()> {
        let objective = self.measure.objective(self.at_least, end);
        let (pool, grids) = (Arc::clone(&self.pool), self.generate.recipe.grids);
        let mut islands = Islands::new(self.simd, objective, pool, grids, end);
        let mut drawer = Drawer::new(&self.generate, end);
        let (block, mut records) = (Block::new(0, 0), Records::for_blocks_of(0));
        let mut results = Results::default();
        for (number, sender) in tasks {
            islands.explore(self.generate.seed, number, |found| {
                let mut found = found.to_vec();
                if let Some(condition) = &self.generate.condition {
                    let buffers = (&mut records, &mut results);
                    let meets = drawer.meets(condition, &found, &block, buffers);
                    let mut meets = meets.continue_value()?.into_iter();
                    found.retain(|_| meets.next() == Some(true));
                }
                if found.is_empty() { Some(()) } else { sender.send(found).ok() }
            })?;
            sender.send(Vec::new()).ok()?;
        }
        Some(())
    }
}

impl HardSource {
    fn queue_next(&mut self) {
        if let Some(number) = self.numbers.next() {
            let (sender, receiver) = unbounded();
            // Threads take tasks as long as the source exists, unless one has failed.
            let _ = self.queue.send((number, sender));
            self.islands.push_back((number, receiver));
        }
    }

    /// Receives puzzles until some are pending. Returns the number of their island, or the result of
    /// filling a block if there are none.
    fn receive(&mut self) -> Result<u64, Fill> {
        loop {
            let (number, island) = self.islands.front().ok_or(Fill::End)?;
            if !self.pending.is_empty() {
                return Ok(*number);
            }
            if self.stop.is_requested() {
                return Err(Fill::Stopped);
            }
            match island.recv_timeout(CHECK_INTERVAL) {
                Ok(found) if found.is_empty() => {
                    (self.puzzles, self.written) = (0, 0);
                    self.islands.pop_front();
                    self.queue_next();
                }
                Ok(found) => {
                    let skipped = (self.written - self.puzzles.min(self.written)).min(found.len());
                    self.puzzles += skipped;
                    self.pending.extend(&found[skipped..]);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the search of an island has failed"),
            }
        }
    }
}

impl BlockSource for HardSource {
    fn fill(&mut self, block: &mut Block) -> Fill {
        if self.rows.is_empty() {
            return Fill::End;
        }
        let number = match self.receive() {
            Ok(number) => number,
            Err(fill) => return fill,
        };
        let left = usize::try_from(self.rows.end - self.rows.start).unwrap_or(usize::MAX);
        let count = self.pending.len().min(left).min(PER_BLOCK);
        (block.first, block.count, block.length) = (self.rows.start, count as u64, 0);
        block.contents = Arc::new(Found(self.pending.drain(..count).collect()));
        self.rows.start += count as u64;
        self.puzzles += count;
        let offset = number << 32 | self.puzzles as u64;
        block.end = Position { offset, line: self.rows.start, ..Position::default() };
        Fill::Filled
    }
}

impl Drop for HardSource {
    fn drop(&mut self) {
        self.end.request();
    }
}

/// Puzzles that were found.
struct Found(Vec<Puzzle>);

impl Contents for Found {
    fn read(&self, _: &Block, records: &mut Records) {
        records.clear();
        self.0.iter().for_each(|puzzle| records.push_row(&puzzle.text()));
    }
}
