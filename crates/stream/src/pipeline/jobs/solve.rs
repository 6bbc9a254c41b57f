//! The job that solves puzzles.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Job, Worker, stopped};
use crate::input::{PuzzleRef, Records};
use crate::output::Results;
use crate::pipeline::Work;
use bulkdoku_core::generate::islands::Explorer;
use bulkdoku_core::{Batch, Engine, EngineKind, Limits, Outcome, SimdLevel, Status, StopFlag};

/// A job that searches for solutions.
#[derive(Clone)]
pub struct Solve {
    /// The function that creates each worker's engine, again after a panic.
    pub engine: Arc<dyn Fn() -> Box<dyn Engine> + Send + Sync>,
    /// The limits of each search.
    pub limits: Limits,
    /// The number of isomorphs over which ratings are averaged; 0 rates the puzzle itself.
    pub rating_isomorphs: u32,
}

impl Default for Solve {
    /// Proves uniqueness with the default engine at the best SIMD level.
    fn default() -> Self {
        let simd = SimdLevel::best();
        let engine = Arc::new(move || EngineKind::default().build(simd));
        Self { engine, limits: Limits::PROOF, rating_isomorphs: 0 }
    }
}

impl Job for Solve {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        Box::new(Solver::new(self, stop))
    }
}

/// The engine of one worker, which also computes properties of puzzles.
pub struct Solver {
    /// What it searches for. Only the node limit applies to searches for properties.
    pub(in crate::pipeline) job: Solve,
    pub(in crate::pipeline) engine: Box<dyn Engine>,
    /// The engine that tests whether puzzles are minimal, once that is needed.
    pub(in crate::pipeline) explorer: Option<Explorer>,
    /// The flag at which searches end.
    pub(in crate::pipeline) stop: StopFlag,
}

impl Worker for Solver {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        let Work { records, results, .. } = work;
        self.solve(records, results)?;
        let limits = self.job.limits;
        if records.all.len() == records.puzzles.len() && results.failed.is_empty() {
            let solved = records.puzzles.iter().zip(&results.outcomes.puzzles);
            let statuses = solved.map(|(puzzle, outcome)| Status::of(puzzle, limits, outcome));
            results.statuses.extend(statuses);
        } else {
            for record in &records.all {
                results.statuses.push(match record.puzzle {
                    Err(_) => Status::Malformed,
                    Ok(puzzle) if results.failed.contains(&puzzle) => Status::InternalError,
                    Ok(puzzle) => status(limits, puzzle, records, results.outcomes.of(puzzle)),
                });
            }
        }
        Ok(())
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        Some(self)
    }
}

impl Solver {
    pub(super) fn new(job: &Solve, stop: &StopFlag) -> Self {
        let mut engine = (job.engine)();
        engine.stop_at(stop.clone());
        Self { job: job.clone(), engine, explorer: None, stop: stop.clone() }
    }

    /// Computes the outcome of each record, and detects the puzzles on which the engine failed.
    pub(super) fn solve(&mut self, records: &Records, results: &mut Results) -> io::Result<()> {
        results.are_timed = true;
        let Results { outcomes, failed, .. } = results;
        outcomes.resize(records);
        let puzzles = Batch::Puzzles(&records.puzzles);
        self.solve_batch(puzzles, &mut outcomes.puzzles, |index| {
            failed.push(PuzzleRef::Puzzle(index));
        })?;
        let marks = Batch::Marks(&records.marks);
        self.solve_batch(marks, &mut outcomes.marks, |index| {
            failed.push(PuzzleRef::Marks(index));
        })
    }

    /// Solves a batch. Calls `fail` with the index of each puzzle on which the engine panics.
    fn solve_batch(
        &mut self,
        batch: Batch<'_>,
        outcomes: &mut [Outcome],
        mut fail: impl FnMut(u32),
    ) -> io::Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        // Returns the number of outcomes, or creates a new engine after a panic.
        let mut solve = |batch: Batch<'_>, outcomes: &mut [Outcome]| {
            let (engine, limits) = (&mut self.engine, self.job.limits);
            let solved = catch_unwind(AssertUnwindSafe(|| engine.solve(batch, limits, outcomes)));
            solved.map_err(|_| *self = Self::new(&self.job, &self.stop))
        };
        match solve(batch, outcomes) {
            Ok(solved) if solved == batch.len() => return Ok(()),
            Ok(_) => return Err(stopped()),
            Err(()) => {}
        }
        // Solve puzzles individually to find the one on which the engine failed.
        for (index, outcome) in outcomes.chunks_mut(1).enumerate() {
            match solve(batch.part(index..index + 1), outcome) {
                Ok(0) => return Err(stopped()),
                Ok(_) => {}
                Err(()) => {
                    outcome[0] = Outcome::NONE;
                    fail(index as u32);
                }
            }
        }
        Ok(())
    }
}

/// Returns the status of a record that the engine has solved.
#[inline(always)]
fn status(limits: Limits, puzzle: PuzzleRef, records: &Records, outcome: &Outcome) -> Status {
    match puzzle {
        PuzzleRef::Puzzle(index) => Status::of(&records.puzzles[index as usize], limits, outcome),
        PuzzleRef::Marks(index) => {
            Status::of(&records.marks[index as usize].clues(), limits, outcome)
        }
    }
}
