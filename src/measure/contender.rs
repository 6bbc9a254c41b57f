//! One engine, at one SIMD level, on a number of threads.

use std::convert::Infallible;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::BenchError;
use super::set::{ROWS_ARE_VALID, SetRows};
use super::task::grow;
use crate::clock::Instant;
use crate::marks::{self, Marks};
use crate::prefetch::prefetch_all;
use crate::puzzle::{CELLS, Puzzle};
use crate::simd::SimdLevel;
use crate::simd::vectors::{Simd, dispatch};
use crate::solver::{Batch, Engine, EngineKind, Limits, Outcome};
use crate::text::{Line, read_cells, write_cells};

/// Number of lines or puzzles that are prefetched ahead.
const PREFETCH_DISTANCE: usize = 8;

/// An engine to measure, its SIMD level, and its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The engine.
    pub engine: EngineKind,
    /// The SIMD level, for an engine with vectors.
    pub simd: SimdLevel,
    /// The number of threads, each with its own engine.
    pub threads: NonZeroUsize,
}

/// A configuration that is ready to run: its engines and threads.
pub(super) struct Contender {
    pub configuration: Configuration,
    pool: ThreadPool,
    /// One worker per thread of the pool, so no lock is contended.
    workers: Vec<Mutex<EngineWorker>>,
    batch: usize,
    limits: Limits,
}

impl Contender {
    /// Starts the threads and builds the engines.
    pub fn new(
        configuration: Configuration,
        batch: usize,
        limits: Limits,
    ) -> Result<Self, BenchError> {
        let threads = configuration.threads.get();
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| BenchError::Threads(threads, error))?;
        let workers = (0..threads).map(|_| Mutex::new(EngineWorker::new(configuration))).collect();
        Ok(Self { configuration, pool, workers, batch, limits })
    }

    /// Doubles the number of rows until a pass would take longer than `at_most`. Returns the number
    /// of rows and the time of the last pass.
    pub fn warm_up(&self, rows: &SetRows, at_most: Duration) -> (usize, Duration) {
        let mut time = Duration::ZERO;
        let Ok(count) = grow(rows.len(), 2, |count, growth| {
            time = self.time(rows, count);
            Ok::<_, Infallible>(time.mul_f64(growth) > at_most)
        });
        (count, time)
    }

    /// Measures the time to parse, solve, and write the first `count` rows.
    pub fn time(&self, rows: &SetRows, count: usize) -> Duration {
        self.pass(rows, count, |_, _| {})
    }

    /// Returns the outcomes of the first `count` rows, in another pass.
    pub fn outcomes(&self, rows: &SetRows, count: usize) -> Vec<Outcome> {
        let all = Mutex::new(vec![Outcome::NONE; count]);
        self.pass(rows, count, |first, outcomes| {
            let mut all = all.lock().expect("copying does not panic");
            all[first..first + outcomes.len()].copy_from_slice(outcomes);
        });
        all.into_inner().expect("copying does not panic")
    }

    /// Distributes batches to the threads; `keep` receives the first row and the outcomes of each.
    /// Returns the time from the start of the first batch to the end of the last one, without the
    /// time to wake threads.
    fn pass(
        &self,
        rows: &SetRows,
        count: usize,
        keep: impl Fn(usize, &[Outcome]) + Sync,
    ) -> Duration {
        let next = AtomicUsize::new(0);
        let times = self.pool.broadcast(|thread| {
            let mut worker = self.workers[thread.index()].lock().expect("each has its own");
            worker.allocate(rows, self.batch.min(count));
            let start = Instant::now();
            loop {
                let first = next.fetch_add(self.batch, Ordering::Relaxed);
                if first >= count {
                    break;
                }
                let text = rows.text(first..count.min(first + self.batch));
                keep(first, worker.solve(text, rows.has_marks, self.limits));
            }
            (start, Instant::now())
        });
        let start = times.iter().map(|&(start, _)| start).min().expect("a thread");
        let end = times.iter().map(|&(_, end)| end).max().expect("a thread");
        end.duration_since(start)
    }
}

/// One engine and its buffers for a batch.
struct EngineWorker {
    engine: Box<dyn Engine>,
    /// The level for parsing and writing text.
    simd: SimdLevel,
    puzzles: Vec<Puzzle>,
    marks: Vec<Marks>,
    outcomes: Vec<Outcome>,
    output: Vec<Line>,
}

impl EngineWorker {
    fn new(Configuration { engine, simd, .. }: Configuration) -> Self {
        Self {
            engine: engine.build(simd),
            simd,
            puzzles: Vec::new(),
            marks: Vec::new(),
            outcomes: Vec::new(),
            output: Vec::new(),
        }
    }

    /// Allocates memory for a batch of rows, outside the timing.
    fn allocate(&mut self, rows: &SetRows, batch: usize) {
        if rows.has_marks {
            self.marks.resize(batch, Marks::ALL);
        } else {
            self.puzzles.resize(batch, Puzzle::EMPTY);
        }
        self.outcomes.resize(batch, Outcome::NONE);
        self.output.resize(batch, [b'.'; CELLS]);
    }

    /// Solves rows from text to text. Only this is timed.
    fn solve(&mut self, text: &[u8], has_marks: bool, limits: Limits) -> &[Outcome] {
        let batch = if has_marks {
            let lines = text.as_chunks::<{ marks::TEXT }>().0;
            for (line, marks) in lines.iter().zip(&mut self.marks) {
                *marks = Marks::parse(line).expect(ROWS_ARE_VALID);
            }
            Batch::Marks(&self.marks[..lines.len()])
        } else {
            let lines = text.as_chunks::<CELLS>().0;
            parse_lines(self.simd, lines, &mut self.puzzles);
            Batch::Puzzles(&self.puzzles[..lines.len()])
        };
        let outcomes = &mut self.outcomes[..batch.len()];
        self.engine.solve(batch, limits, outcomes);
        write_solutions(self.simd, outcomes, &mut self.output);
        black_box(&self.output);
        outcomes
    }
}

/// Parses a batch of lines.
fn parse_lines(simd: SimdLevel, lines: &[Line], puzzles: &mut [Puzzle]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (i, line) in lines.iter().enumerate() {
                prefetch_all(puzzles.get(i + PREFETCH_DISTANCE));
                assert!(read_cells(s, line, puzzles[i].cells_mut()), "{ROWS_ARE_VALID}");
            }
        }
    ));
}

/// Writes the solutions of a batch, with `.` in every cell if there is none.
fn write_solutions(simd: SimdLevel, outcomes: &[Outcome], lines: &mut [Line]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (i, outcome) in outcomes.iter().enumerate() {
                prefetch_all(lines.get(i + PREFETCH_DISTANCE));
                write_cells(s, outcome.grid.cells(), &mut lines[i]);
            }
        }
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Content, Plan, PuzzleSet};
    use crate::puzzle::CLASSIC;

    #[test]
    fn every_row_is_solved_once_for_every_batch_and_number_of_threads() {
        let one: Puzzle = CLASSIC.parse().unwrap();
        let puzzles: Vec<_> =
            (0..50).map(|i| if i % 3 == 0 { Puzzle::EMPTY } else { one }).collect();
        let marks = puzzles.iter().map(Marks::from).collect();
        let plan = Plan { rows_at_least: 0, seed: None, ..Plan::tested(&[]) };
        let sets = [Content::Puzzles(puzzles), Content::Marks(marks)]
            .map(|content| PuzzleSet::new("", content, 0).rows(&plan));
        let expected: Vec<_> = (0..50).map(|i| if i % 3 == 0 { 2 } else { 1 }).collect();
        for (threads, batch) in [(1, 7), (2, 7), (3, 50), (2, 1000), (1, 50), (1, 1)] {
            let configuration = Configuration {
                engine: EngineKind::Scalar,
                simd: SimdLevel::best(),
                threads: NonZeroUsize::new(threads).unwrap(),
            };
            let contender = Contender::new(configuration, batch, Limits::PROOF).unwrap();
            for rows in &sets {
                let outcomes = contender.outcomes(rows, 50);
                assert_eq!(outcomes.iter().map(|o| o.solutions).collect::<Vec<_>>(), expected);
                assert!(contender.time(rows, 50) > Duration::ZERO);
                // The output of the last batch, which is the only one if it is large.
                let worker = contender.workers[0].lock().unwrap();
                if threads == 1 && batch >= 50 {
                    let text: Vec<_> = outcomes.iter().map(|o| o.grid.to_string()).collect();
                    assert_eq!(worker.output.as_flattened(), text.concat().as_bytes());
                }
            }
        }
    }
}
