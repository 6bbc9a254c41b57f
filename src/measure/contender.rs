//! One engine, at one vector level, on a number of threads: what is timed against others.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::record::{What, mode};
use super::rows::RowSlice;
use super::text::{self, Line};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::{Batch, Engine, EngineKind, Limits, Outcome};

/// An engine to measure, and how it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The engine.
    pub engine: EngineKind,
    /// The vector level, for an engine with vectors.
    pub simd: SimdLevel,
    /// The number of threads, each with an engine of its own.
    pub threads: NonZeroUsize,
}

/// Engines and the threads that run them.
pub(super) struct Contender {
    pub engine: EngineKind,
    /// The vector level that it uses.
    pub simd: Option<SimdLevel>,
    pool: Arc<ThreadPool>,
    /// One for each thread of the pool, so no lock is contended.
    workers: Vec<Mutex<Worker>>,
    batch: usize,
    limits: Limits,
}

impl Contender {
    /// Makes the engines. The pool has the configuration's threads.
    pub fn new(
        configuration: Configuration,
        pool: Arc<ThreadPool>,
        batch: usize,
        limits: Limits,
    ) -> Self {
        let engines =
            (0..pool.current_num_threads()).map(|_| configuration.engine.build(configuration.simd));
        let workers: Vec<_> =
            engines.map(|engine| Mutex::new(Worker::new(engine, configuration.simd))).collect();
        let simd = workers[0].lock().expect("a new lock").engine.simd();
        Self { engine: configuration.engine, simd, pool, workers, batch, limits }
    }

    /// Makes room in every worker for batches of these rows, outside the timing.
    pub fn make_room(&self, rows: RowSlice<'_>) {
        let batch = rows.part(0..rows.len().min(self.batch));
        for worker in &self.workers {
            worker.lock().expect("each has its own").make_room(batch);
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// The identity of its measurement.
    pub fn what(&self, set: &str, limits: Limits) -> What {
        What {
            set: set.into(),
            engine: self.engine.name(),
            simd: self.simd.map(SimdLevel::name),
            threads: self.threads(),
            mode: mode(limits),
        }
    }

    /// The name in messages.
    pub fn title(&self) -> String {
        let simd = self.simd.map_or(String::new(), |simd| format!(" {simd}"));
        format!("{}{simd} on {} threads", self.engine, self.threads())
    }

    /// Whether a measurement of the other one would be the same.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.engine, self.simd, self.threads()) == (other.engine, other.simd, other.threads())
    }

    /// The time to read, solve and write `rows`.
    pub fn time(&self, rows: RowSlice<'_>) -> Duration {
        self.pass(rows, |_, _| {})
    }

    /// The outcome of each row, in another pass.
    pub fn outcomes(&self, rows: RowSlice<'_>) -> Vec<Outcome> {
        let mut outcomes = vec![Outcome::NONE; rows.len()];
        let places: Vec<_> = outcomes.chunks_mut(self.batch).map(Mutex::new).collect();
        self.pass(rows, |batch, found| {
            places[batch].lock().expect("no thread panics with it").copy_from_slice(found);
        });
        drop(places);
        outcomes
    }

    /// Distributes batches to the threads; `keep` gets the number and outcomes of each. Returns the
    /// time from the start of the first batch to the end of the last one, without waking threads.
    fn pass(&self, rows: RowSlice<'_>, keep: impl Fn(usize, &[Outcome]) + Sync) -> Duration {
        let batches = rows.len().div_ceil(self.batch);
        let next = AtomicUsize::new(0);
        let times = self.pool.broadcast(|thread| {
            let mut worker = self.workers[thread.index()].lock().expect("each has its own");
            let start = Instant::now();
            loop {
                let batch = next.fetch_add(1, Ordering::Relaxed);
                if batch >= batches {
                    break;
                }
                let first = batch * self.batch;
                let rows = rows.part(first..rows.len().min(first + self.batch));
                keep(batch, worker.solve(rows, self.limits));
            }
            (start, Instant::now())
        });
        let start = times.iter().map(|&(start, _)| start).min().expect("a thread");
        let end = times.iter().map(|&(_, end)| end).max().expect("a thread");
        end.duration_since(start)
    }
}

/// One engine and its buffers for a batch.
struct Worker {
    engine: Box<dyn Engine>,
    /// The level for reading and writing text.
    simd: SimdLevel,
    puzzles: Vec<Puzzle>,
    marks: Vec<Marks>,
    outcomes: Vec<Outcome>,
    output: Vec<Line>,
}

impl Worker {
    fn new(engine: Box<dyn Engine>, simd: SimdLevel) -> Self {
        let (puzzles, marks) = (Vec::new(), Vec::new());
        Self { engine, simd, puzzles, marks, outcomes: Vec::new(), output: Vec::new() }
    }

    /// Makes room for rows of this kind and number.
    fn make_room(&mut self, like: RowSlice<'_>) {
        let rows = like.len();
        match like {
            RowSlice::Puzzles(_) if self.puzzles.len() < rows => {
                self.puzzles.resize(rows, Puzzle::EMPTY);
            }
            RowSlice::Marks(_) if self.marks.len() < rows => self.marks.resize(rows, Marks::ALL),
            _ => {}
        }
        if self.outcomes.len() < rows {
            self.outcomes.resize(rows, Outcome::NONE);
            self.output.resize(rows, [b'.'; CELLS]);
        }
    }

    /// Solves rows from text to text. This is what is timed.
    fn solve(&mut self, rows: RowSlice<'_>, limits: Limits) -> &[Outcome] {
        self.make_room(rows);
        let outcomes = &mut self.outcomes[..rows.len()];
        let batch = match rows {
            RowSlice::Puzzles(lines) => {
                let puzzles = &mut self.puzzles[..lines.len()];
                text::read(self.simd, lines, puzzles);
                Batch::Puzzles(puzzles)
            }
            RowSlice::Marks(lines) => {
                let marks = &mut self.marks[..lines.len()];
                text::read_marks(lines, marks);
                Batch::Marks(marks)
            }
        };
        self.engine.solve(batch, limits, outcomes);
        text::write(self.simd, outcomes, &mut self.output);
        black_box(&self.output);
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;

    #[test]
    fn every_row_is_solved_once_whatever_the_batch_and_the_threads() {
        let (one, none) = (CLASSIC.as_bytes().try_into().unwrap(), Puzzle::EMPTY.text());
        let rows: Vec<_> = (0..50).map(|i| if i % 3 == 0 { none } else { one }).collect();
        let as_marks = |line: &Line| text::marks_line(&Marks::from(&text::puzzle(line)));
        let marks: Vec<_> = rows.iter().map(as_marks).collect();
        for (threads, batch) in [(1, 7), (2, 7), (3, 50), (2, 1000), (1, 1)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let configuration = Configuration {
                engine: EngineKind::Scalar,
                simd: SimdLevel::best(),
                threads: NonZeroUsize::new(threads).unwrap(),
            };
            let contender = Contender::new(configuration, Arc::new(pool), batch, Limits::PROOF);
            assert_eq!(contender.threads(), threads);
            let expected: Vec<_> = (0..50).map(|i| if i % 3 == 0 { 2 } else { 1 }).collect();
            for rows in [RowSlice::Puzzles(&rows), RowSlice::Marks(&marks)] {
                let found: Vec<_> = contender.outcomes(rows).iter().map(|o| o.solutions).collect();
                assert_eq!(found, expected);
                assert!(contender.time(rows) > Duration::ZERO);
            }
        }
    }
}
