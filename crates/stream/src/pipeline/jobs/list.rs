//! The job that lists the solutions of puzzles.

use std::io;
use std::num::NonZeroU32;

use super::{Job, Solve, Solver, Worker, derive_rows, stopped};
use crate::output::Derived;
use crate::pipeline::Work;
use bulkdoku_core::solver::Unfinished;
use bulkdoku_core::{Solutions, Status, StopFlag};

/// A job that lists the solutions of each puzzle in ascending order, one row per solution.
pub struct List {
    /// The search for the smallest solution, with an engine such as
    /// [`LexFirst`](bulkdoku_core::solver::LexFirst).
    pub solve: Solve,
    /// Maximum number of rows per record.
    pub solutions: NonZeroU32,
}

/// The engines of [`List`].
struct Lister<'j> {
    job: &'j List,
    solver: Solver,
    solutions: Solutions,
}

impl Job for List {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        let solver = Solver::new(&self.solve, stop);
        let solutions = Solutions::stopped_by(stop.clone());
        Box::new(Lister { job: self, solver, solutions })
    }

    /// Keeps blocks small, because their rows may take hours, and a resumed run repeats a block.
    fn block_bytes(&self) -> usize {
        2 * 1024
    }
}

impl Worker for Lister<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        self.solver.run(work)
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let Self { job, solutions, .. } = self;
        let mut gave_up = Vec::new();
        let has_more = derive_rows(work, |row, copy| {
            let listed = |solution| Some(Derived { copy, solution, ..Derived::default() });
            let outcome = row.outcome_or_none();
            if copy == 0 {
                let first = outcome.solution().copied();
                if let Some((first, marks)) = first.zip(row.marks()) {
                    solutions.begin_after(&marks, &first);
                }
                return Ok(listed(first));
            }
            if copy >= outcome.solutions.min(job.solutions.get()) {
                return Ok(None);
            }
            match solutions.next_within(job.solve.limits.nodes) {
                Ok(next) => Ok(next.and_then(|next| listed(Some(next)))),
                Err(Unfinished::GaveUp) => {
                    gave_up.extend(row.record.puzzle.map(|puzzle| (row.index, puzzle)));
                    Ok(None)
                }
                Err(Unfinished::Stopped) => Err(stopped()),
            }
        })?;
        for (index, puzzle) in gave_up {
            work.results.statuses[index] = Status::GaveUp;
            if let Some(outcome) = work.results.outcomes.of_mut(puzzle) {
                outcome.gave_up = true;
            }
        }
        Ok(has_more)
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        Some(&mut self.solver)
    }
}
