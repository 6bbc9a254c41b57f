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

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Which engine.
    pub engine: EngineKind,
    /// At which vector level, if it has a use for one.
    pub simd: SimdLevel,
    /// On how many threads, each with an engine of its own.
    pub threads: NonZeroUsize,
}

/// Engines that are ready, and the threads that run them.
pub(super) struct Contender {
    /// Which engine.
    pub engine: EngineKind,
    /// The vector level that it uses.
    pub simd: Option<SimdLevel>,
    pool: Arc<ThreadPool>,
    /// One for each thread of the pool; a lock that no other thread ever wants.
    workers: Vec<Mutex<Worker>>,
    batch: usize,
    limits: Limits,
}

impl Contender {
    /// Makes the engines. The pool has the configuration's threads.
    pub fn new(wanted: Configuration, pool: Arc<ThreadPool>, batch: usize, limits: Limits) -> Self {
        let engines = (0..pool.current_num_threads()).map(|_| wanted.engine.build(wanted.simd));
        let workers: Vec<_> =
            engines.map(|engine| Mutex::new(Worker::new(engine, wanted.simd))).collect();
        let simd = workers[0].lock().expect("a new lock").engine.simd();
        Self { engine: wanted.engine, simd, pool, workers, batch, limits }
    }

    /// Makes room in every worker for batches of these rows, outside the timing.
    pub fn make_room(&self, rows: RowSlice<'_>) {
        let batch = rows.part(0..rows.len().min(self.batch));
        for worker in &self.workers {
            worker.lock().expect("each has its own").make_room(batch);
        }
    }

    /// How many threads it runs on.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// What a measurement of it is of.
    pub fn what(&self, set: &str, limits: Limits) -> What {
        What {
            set: set.into(),
            engine: self.engine.name(),
            simd: self.simd.map(SimdLevel::name),
            threads: self.threads(),
            mode: mode(limits),
        }
    }

    /// How messages name it.
    pub fn title(&self) -> String {
        let simd = self.simd.map_or(String::new(), |simd| format!(" {simd}"));
        format!("{}{simd} on {} threads", self.engine, self.threads())
    }

    /// Whether measuring the other one as well would tell nothing.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.engine, self.simd, self.threads()) == (other.engine, other.simd, other.threads())
    }

    /// Reads, solves and writes `rows`, and takes the time.
    pub fn time(&self, rows: RowSlice<'_>) -> Duration {
        self.pass(rows, |_, _| {})
    }

    /// Does the same once more and keeps what was found out about each row.
    pub fn outcomes(&self, rows: RowSlice<'_>) -> Vec<Outcome> {
        let mut outcomes = vec![Outcome::NONE; rows.len()];
        let places: Vec<_> = outcomes.chunks_mut(self.batch).map(Mutex::new).collect();
        self.pass(rows, |batch, found| {
            places[batch].lock().expect("no thread panics with it").copy_from_slice(found);
        });
        drop(places);
        outcomes
    }

    /// Hands out batches to the threads; `keep` gets each one's number and outcomes. Takes the time
    /// from the first batch handed out to the last one done: waking threads is not what is
    /// measured.
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
    /// The level at which text is read and written.
    simd: SimdLevel,
    puzzles: Vec<Puzzle>,
    marks: Vec<Marks>,
    outcomes: Vec<Outcome>,
    output: Vec<Line>,
}

impl Worker {
    /// No room is made yet.
    fn new(engine: Box<dyn Engine>, simd: SimdLevel) -> Self {
        let (puzzles, marks) = (Vec::new(), Vec::new());
        Self { engine, simd, puzzles, marks, outcomes: Vec::new(), output: Vec::new() }
    }

    /// Makes room for rows like these.
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

    /// From text to text: the whole of what is timed.
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
    use crate::puzzle::Puzzle;

    const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    #[test]
    fn every_row_is_solved_once_whatever_the_batch_and_the_threads() {
        let (one, none) = (text::line(&CLASSIC.parse().unwrap()), text::line(&Puzzle::EMPTY));
        let rows: Vec<_> = (0..50).map(|i| if i % 3 == 0 { none } else { one }).collect();
        let as_marks = |line: &Line| text::marks_line(&Marks::from(&text::puzzle(line)));
        let marks: Vec<_> = rows.iter().map(as_marks).collect();
        for (threads, batch) in [(1, 7), (2, 7), (3, 50), (2, 1000), (1, 1)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let wanted = Configuration {
                engine: EngineKind::Scalar,
                simd: SimdLevel::best(),
                threads: NonZeroUsize::new(threads).unwrap(),
            };
            let contender = Contender::new(wanted, Arc::new(pool), batch, Limits::PROOF);
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
