//! The job that searches for hard puzzles, and its source.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Job, RowCondition, Solve, Solver, Stopped, Worker};
use crate::input::{Position, Records};
use crate::output::Results;
use crate::pipeline::block::{Block, BlockSource, Contents, Fill};
use crate::pipeline::properties;
use bulkdoku_core::generate::Recipe;
use bulkdoku_core::generate::islands::{Islands, Objective};
use bulkdoku_core::puzzle::{CELLS, Puzzle};
use bulkdoku_core::simd::SimdLevel;
use bulkdoku_core::solver::StopFlag;
use bulkdoku_logic::Techniques;
use bulkdoku_logic::generate::{Measure, TechniqueFilter};

/// A job that solves hard puzzles, which its [source](HardSource) finds on islands.
pub struct Hard {
    /// The job that solves the puzzles.
    pub solve: Solve,
    /// The seed of the islands.
    pub seed: u64,
    /// The measure of difficulty.
    pub measure: Measure,
    /// The least value of the measure.
    pub at_least: f64,
    /// The puzzles at which islands start; random minimal puzzles of the recipe if it is empty.
    pub pool: Arc<[Puzzle]>,
    /// How solution grids of random puzzles are drawn.
    pub recipe: Recipe,
    /// The condition that rows meet, if there is one.
    pub condition: Option<RowCondition>,
    /// The SIMD level of the search.
    pub simd: SimdLevel,
}

impl Job for Arc<Hard> {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        Box::new(HardSolver { seed: self.seed, solver: Solver::new(&self.solve, stop) })
    }
}

struct HardSolver {
    seed: u64,
    solver: Solver,
}

impl Worker for HardSolver {
    fn run(
        &mut self,
        block: &Block,
        records: &mut Records,
        results: &mut Results,
    ) -> ControlFlow<Stopped> {
        results.seed = Some(self.seed);
        self.solver.run(block, records, results)
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        Some(&mut self.solver)
    }
}

/// A source of puzzles found on islands, in order: those of the first island as its generations
/// end, then those of the next one. Islands take turns among the threads of the search.
///
/// Its position has the number of the island and of its puzzles so far as one number,
/// `island << 32 | puzzles`, and the number of rows. Continuing there repeats the island's search.
pub struct HardSource {
    /// For each thread, the puzzles of its islands. The end of an island is an empty vector.
    searches: Vec<Receiver<Vec<Puzzle>>>,
    threads: Vec<JoinHandle<()>>,
    /// The flag that ends the search.
    end: StopFlag,
    /// The run's flag.
    stop: StopFlag,
    /// The island whose turn it is, and the number of islands before it in this run.
    number: u64,
    explored: usize,
    /// The number of puzzles of the island so far, and how many an earlier run has written.
    puzzles: u64,
    written: u64,
    pending: VecDeque<Puzzle>,
    rows: u64,
    /// The island and the row at which the source ends.
    ends: (u64, u64),
}

/// The interval at which a source that waits checks whether the run has been stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of puzzles of a block.
const PER_BLOCK: usize = 512;
/// The number of generations with puzzles that may wait for the turn of their island: some islands.
const WAITING: usize = 2048;

impl Hard {
    /// Starts the search on `threads` threads, from island `first`, until it has found `count`
    /// rows. Continues at a position of an earlier run, if there is one.
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
        let (at, rows) = position.map_or((islands.start << 32, 0), |at| (at.offset, at.line));
        let (number, written) = (at >> 32, at & u64::from(u32::MAX));
        let (end, count_of_threads) = (StopFlag::default(), Arc::new(OnceLock::new()));
        let (mut searches, mut started) = (Vec::new(), Vec::new());
        for thread in 0..threads {
            let (sender, receiver) = sync_channel(WAITING);
            let (job, end, count) = (Arc::clone(self), end.clone(), Arc::clone(&count_of_threads));
            let first = number + thread as u64;
            let search = move || {
                let own = (first..islands.end).step_by(*count.wait());
                job.search(own, &end, &sender);
            };
            // The operating system may refuse some threads.
            let Ok(thread) = thread::Builder::new().spawn(search) else { break };
            searches.push(receiver);
            started.push(thread);
        }
        assert!(!started.is_empty(), "a thread for the search cannot be started");
        count_of_threads.get_or_init(|| started.len());
        HardSource {
            searches,
            threads: started,
            end,
            stop,
            number,
            explored: 0,
            puzzles: 0,
            written,
            pending: VecDeque::new(),
            rows,
            ends: (islands.end, count),
        }
    }

    /// Explores islands until the search ends.
    fn search(
        &self,
        numbers: impl Iterator<Item = u64>,
        end: &StopFlag,
        puzzles: &SyncSender<Vec<Puzzle>>,
    ) {
        let objective: Box<dyn Objective> = self.measure.objective(self.at_least, end);
        let (pool, recipe) = (Arc::clone(&self.pool), self.recipe.clone());
        let mut islands = Islands::new(self.simd, objective, pool, recipe, end);
        let mut filter = self.condition.as_ref().map(|condition| Filter::new(self, condition, end));
        for number in numbers {
            let explored = islands.explore(self.seed, number, |found| {
                let found = match &mut filter {
                    Some(filter) => filter.select(found)?,
                    None => found.to_vec(),
                };
                if found.is_empty() {
                    return ControlFlow::Continue(());
                }
                // Nothing receives puzzles after the last row.
                puzzles.send(found).map_or(ControlFlow::Break(()), ControlFlow::Continue)
            });
            if explored.is_break() || puzzles.send(Vec::new()).is_err() {
                return;
            }
        }
    }
}

/// Selects the puzzles that meet a condition.
struct Filter<'a> {
    condition: &'a RowCondition,
    solver: Solver,
    /// Rejects puzzles by the techniques that the condition allows, if it does not allow all.
    techniques: Option<TechniqueFilter>,
    block: Block,
    records: Records,
    results: Results,
}

impl<'a> Filter<'a> {
    fn new(job: &Hard, condition: &'a RowCondition, stop: &StopFlag) -> Self {
        let is_limited = condition.techniques != Techniques::ALL;
        let mut techniques = is_limited.then(|| TechniqueFilter::new(condition.techniques));
        if let Some(techniques) = &mut techniques {
            techniques.stop_at(stop.clone());
        }
        let solver = Solver::new(&job.solve, stop);
        let (block, records) = (Block::new(0, 0), Records::for_blocks_of(0));
        Self { condition, solver, techniques, block, records, results: Results::default() }
    }

    fn select(&mut self, found: &[Puzzle]) -> ControlFlow<(), Vec<Puzzle>> {
        let Self { condition, solver, techniques, block, records, results } = self;
        let may_hold = |puzzle: &&Puzzle| {
            techniques.as_mut().is_none_or(|techniques| techniques.accepts(puzzle))
        };
        let candidates: Vec<Puzzle> = found.iter().filter(may_hold).copied().collect();
        records.clear();
        results.clear();
        candidates.iter().for_each(|puzzle| records.push_generated(puzzle));
        let mut evaluate = || {
            solver.run(block, records, results)?;
            properties::compute(Some(solver), condition.needs, None, block, records, results)
        };
        if evaluate().is_break() {
            return ControlFlow::Break(());
        }
        let rows = block.rows(records, results);
        let kept = rows.records().zip(&candidates).filter(|(row, _)| (condition.holds)(row));
        ControlFlow::Continue(kept.map(|(_, &puzzle)| puzzle).collect())
    }
}

impl HardSource {
    /// Receives puzzles until some are pending. Returns `None` if the run is stopped.
    fn receive(&mut self) -> Option<()> {
        while self.pending.is_empty() && self.number < self.ends.0 {
            if self.stop.is_requested() {
                return None;
            }
            let search = &self.searches[self.explored % self.searches.len()];
            match search.recv_timeout(CHECK_INTERVAL) {
                Ok(found) if found.is_empty() => {
                    (self.number, self.explored) = (self.number + 1, self.explored + 1);
                    (self.puzzles, self.written) = (0, 0);
                }
                Ok(found) => {
                    let skipped = (self.written.min(found.len() as u64)) as usize;
                    self.written -= skipped as u64;
                    self.puzzles += skipped as u64;
                    self.pending.extend(&found[skipped..]);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the search of an island has failed"),
            }
        }
        Some(())
    }
}

impl BlockSource for HardSource {
    fn fill(&mut self, block: &mut Block) -> Fill {
        if self.rows < self.ends.1 && self.receive().is_none() {
            return Fill::Stopped;
        }
        if self.rows >= self.ends.1 || self.pending.is_empty() {
            return Fill::End;
        }
        let left = usize::try_from(self.ends.1 - self.rows).unwrap_or(usize::MAX);
        let count = self.pending.len().min(left).min(PER_BLOCK);
        block.bytes.resize(block.bytes.len().max(count * CELLS), 0);
        for (place, puzzle) in
            block.bytes.as_chunks_mut::<CELLS>().0.iter_mut().zip(self.pending.drain(..count))
        {
            *place = *puzzle.cells();
        }
        (block.first, block.count, block.length) = (self.rows, count as u64, count * CELLS);
        block.contents = Arc::new(Generated);
        self.rows += count as u64;
        self.puzzles += count as u64;
        let offset = self.number << 32 | self.puzzles;
        block.end = Position { offset, line: self.rows, ..Position::default() };
        Fill::Filled
    }
}

impl Drop for HardSource {
    fn drop(&mut self) {
        self.end.request();
        self.searches.clear();
        for thread in self.threads.drain(..) {
            // A thread that has panicked has ended the run.
            let _ = thread.join();
        }
    }
}

/// The cells of generated puzzles.
struct Generated;

impl Contents for Generated {
    fn read(&self, block: &Block, records: &mut Records) {
        records.clear();
        for cells in block.filled().as_chunks::<CELLS>().0 {
            records.push_generated(&Puzzle::from_cells(*cells).expect("cells of a puzzle"));
        }
    }
}
