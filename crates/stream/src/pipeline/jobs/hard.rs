//! The search for hard puzzles on several threads, as a source of puzzles.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rayon::ThreadPool;

use super::generate::Drawer;
use super::{Generate, stopped};
use crate::input::{Position, Records};
use crate::pipeline::{Block, BlockSource, Contents, Work, threads};
use bulkdoku_core::generate::{Generator, Recipe, islands::explore};
use bulkdoku_core::isomorph::SeededRng;
use bulkdoku_core::{Puzzle, SimdLevel, StopFlag};
use bulkdoku_logic::generate::Measure;

/// The number of starting points of an island.
const STARTS: u64 = 100;
/// The number of islands per thread that are explored before their turn, at most.
const AHEAD: usize = 4;

/// A search for hard puzzles on islands.
pub struct Hard {
    /// The job that solves the puzzles, with the seed, the condition for rows, and the recipe.
    pub generate: Generate,
    /// The measure of difficulty.
    pub measure: Measure,
    /// The least value of the measure.
    pub at_least: f64,
    /// Puzzles with one solution at which islands start; if it is empty, random minimal ones.
    pub pool: Arc<[Puzzle]>,
    /// The SIMD level of the search.
    pub simd: SimdLevel,
}

/// A source of puzzles found on islands: those of an island as its generations end, then the next.
///
/// Its position has the number of the island and of its puzzles so far as one number,
/// `island << 32 | puzzles`, and the number of rows. Continuing there repeats the island's search.
pub struct HardSource {
    job: Arc<Hard>,
    threads: ThreadPool,
    /// The islands that have not been queued.
    numbers: Range<u64>,
    /// The islands in the queue and those that have left it, from the one whose turn it is. The
    /// end of an island is an empty vector.
    islands: VecDeque<Receiver<Vec<Puzzle>>>,
    /// The position, and the number of puzzles before it that the search has not yet repeated.
    at: u64,
    written: u64,
    rows: Range<u64>,
    /// The flag that ends the search, and the run's flag.
    end: StopFlag,
    stop: StopFlag,
}

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
        let mut source = HardSource {
            job: Arc::clone(self),
            threads: threads::pool(threads).expect("a thread can be started"),
            numbers: at >> 32..islands.end,
            islands: VecDeque::new(),
            at,
            written: at & u64::from(u32::MAX),
            rows: row..count,
            end: StopFlag::default(),
            stop,
        };
        let ahead = AHEAD * source.threads.current_num_threads();
        (0..ahead).for_each(|_| source.queue_next());
        source
    }

    /// Sends the puzzles of an island, and an empty vector at its end. Returns `None` if stopped.
    fn search(&self, number: u64, to: &Sender<Vec<Puzzle>>, stop: &StopFlag) -> Option<()> {
        let Generate { solve, recipe, condition, seed, .. } = &self.generate;
        let mut random = SeededRng::of_stream(*seed, [number, 0, 3]);
        let starts: Vec<Puzzle> = if self.pool.is_empty() {
            let mut generator = Generator::with((solve.engine)());
            generator.stop_at(stop.clone());
            let recipe = Recipe { grids: recipe.grids, ..Recipe::default() };
            generator.puzzles(&recipe, *seed, number * STARTS..(number + 1) * STARTS)
        } else {
            (0..STARTS).map(|_| self.pool[random.below(self.pool.len())]).collect()
        };
        let objective = self.measure.objective(self.at_least, stop);
        let mut drawer = Drawer::new(&self.generate, stop);
        let mut work = Work::new(0, 0);
        for mut found in explore(self.simd, objective, &starts, random, stop) {
            if let Some(condition) = condition {
                let mut meets = drawer.meets(condition, &found, &mut work).ok()?.into_iter();
                found.retain(|_| meets.next() == Some(true));
            }
            if !found.is_empty() {
                to.send(found).ok()?;
            }
        }
        to.send(Vec::new()).ok()
    }
}

impl HardSource {
    fn queue_next(&mut self) {
        if let Some(number) = self.numbers.next() {
            let (sender, receiver) = unbounded();
            let (job, end) = (Arc::clone(&self.job), self.end.clone());
            self.threads.spawn(move || {
                let _ = job.search(number, &sender, &end);
            });
            self.islands.push_back(receiver);
        }
    }
}

impl BlockSource for HardSource {
    fn fill(&mut self, block: &mut Block) -> io::Result<bool> {
        while !self.rows.is_empty() {
            let Some(island) = self.islands.front() else { return Ok(false) };
            let mut found = match island.recv_timeout(Duration::from_millis(50)) {
                _ if self.stop.is_requested() => return Err(stopped()),
                Err(RecvTimeoutError::Disconnected) => panic!("the search of an island has failed"),
                Err(RecvTimeoutError::Timeout) => continue,
                Ok(found) => found,
            };
            if found.is_empty() {
                (self.at, self.written) = (((self.at >> 32) + 1) << 32, 0);
                self.islands.pop_front();
                self.queue_next();
                continue;
            }
            let written = self.written.min(found.len() as u64);
            self.written -= written;
            found.drain(..written as usize);
            found.truncate(usize::try_from(self.rows.end - self.rows.start).unwrap_or(usize::MAX));
            if !found.is_empty() {
                (block.first, block.count, block.length) = (self.rows.start, found.len() as u64, 0);
                self.rows.start += block.count;
                self.at += block.count;
                block.end =
                    Position { offset: self.at, line: self.rows.start, ..Position::default() };
                block.contents = Arc::new(found);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Drop for HardSource {
    fn drop(&mut self) {
        self.end.request();
    }
}

/// Puzzles that were found.
impl Contents for Vec<Puzzle> {
    fn read(&self, _: &Block, records: &mut Records) {
        records.clear();
        self.iter().for_each(|puzzle| records.push_row(&puzzle.text()));
    }
}
