//! One engine, at one SIMD level, on a number of threads.

use std::hint::black_box;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bulkdoku::puzzle::{CELLS, Puzzle};
use bulkdoku::solver::{parse_lines, write_solutions};
use bulkdoku::text::Line;
use bulkdoku::{Batch, Engine, EngineKind, Limits, Outcome, SimdLevel};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::BenchArgs;
use super::measurement::{Contender, Measurement};
use super::task::Task;
use crate::cli::Failure;

pub struct EngineContender {
    engine: EngineKind,
    simd: SimdLevel,
    threads: NonZeroUsize,
    pool: ThreadPool,
    /// One worker per thread of the pool, so no lock is contended.
    workers: Vec<Mutex<Worker>>,
    batch: usize,
    limits: Limits,
}

impl EngineContender {
    pub fn new(
        engine: EngineKind,
        simd: SimdLevel,
        threads: NonZeroUsize,
        args: &BenchArgs,
    ) -> Result<Self, Failure> {
        let count = threads.get();
        let pool = ThreadPoolBuilder::new().num_threads(count).build();
        let pool =
            pool.map_err(|error| Failure::Usage(format!("cannot start {count} threads: {error}")))?;
        let workers = (0..count).map(|_| Mutex::new(Worker::new(engine, simd))).collect();
        let (batch, limits) = (args.batch.get(), args.limits());
        Ok(Self { engine, simd, threads, pool, workers, batch, limits })
    }

    /// Distributes batches of rows to the threads; `keep` receives the first row and the outcomes of
    /// each. Returns the time from the start of the first batch to the end of the last one, without the
    /// time to wake threads.
    fn solve(&self, lines: &[Line], keep: impl Fn(usize, &[Outcome]) + Sync) -> Duration {
        let (next, count) = (AtomicUsize::new(0), lines.len());
        let times = self.pool.broadcast(|thread| {
            let mut worker = self.workers[thread.index()].lock().expect("each has its own");
            worker.allocate(self.batch.min(count));
            let start = Instant::now();
            loop {
                let first = next.fetch_add(self.batch, Ordering::Relaxed);
                if first >= count {
                    break;
                }
                let batch = &lines[first..count.min(first + self.batch)];
                keep(first, worker.solve(batch, self.limits));
            }
            (start, Instant::now())
        });
        let start = times.iter().map(|&(start, _)| start).min().expect("a thread");
        let end = times.iter().map(|&(_, end)| end).max().expect("a thread");
        end.duration_since(start)
    }

    fn outcomes(&self, lines: &[Line]) -> Vec<Outcome> {
        let all = Mutex::new(vec![Outcome::NONE; lines.len()]);
        self.solve(lines, |first, outcomes| {
            let mut all = all.lock().expect("copying does not panic");
            all[first..first + outcomes.len()].copy_from_slice(outcomes);
        });
        all.into_inner().expect("copying does not panic")
    }
}

impl Contender for EngineContender {
    fn unmeasured(&self) -> Measurement {
        Measurement {
            engine: self.engine.name().into(),
            simd: self.engine.uses(self.simd).map(|simd| simd.name().into()),
            threads: self.threads.get(),
            batch: self.batch,
            ..Measurement::default()
        }
    }

    fn pass(&mut self, task: &Task, _first: usize, rows: usize) -> Result<Duration, String> {
        let all = &task.lines;
        let rest = Some(&all[..rows % all.len()]).filter(|rest| !rest.is_empty());
        let passes = iter::repeat_n(&all[..], rows / all.len()).chain(rest);
        Ok(passes.map(|lines| self.solve(lines, |_, _| {})).sum())
    }

    fn check(&mut self, task: &Task, rows: usize, into: &mut Measurement) -> Result<(), String> {
        let outcomes = self.outcomes(&task.lines[..rows]);
        into.set_outcomes(&outcomes);
        task.check_outcomes(&outcomes)
    }
}

struct Worker {
    engine: Box<dyn Engine>,
    /// The level for parsing and writing text.
    simd: SimdLevel,
    puzzles: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
    output: Vec<Line>,
}

impl Worker {
    fn new(engine: EngineKind, simd: SimdLevel) -> Self {
        let (puzzles, outcomes, output) = Default::default();
        Self { engine: engine.build(simd), simd, puzzles, outcomes, output }
    }

    /// Allocates memory for a batch of rows, outside the timing.
    fn allocate(&mut self, batch: usize) {
        self.puzzles.resize(batch, Puzzle::EMPTY);
        self.outcomes.resize(batch, Outcome::NONE);
        self.output.resize(batch, [b'.'; CELLS]);
    }

    /// Solves rows from text to text. Only this is timed.
    fn solve(&mut self, lines: &[Line], limits: Limits) -> &[Outcome] {
        assert!(parse_lines(self.simd, lines, &mut self.puzzles), "the rows are puzzles");
        let outcomes = &mut self.outcomes[..lines.len()];
        self.engine.solve(Batch::Puzzles(&self.puzzles[..lines.len()]), limits, outcomes);
        write_solutions(self.simd, outcomes, &mut self.output);
        black_box(&self.output);
        outcomes
    }
}
