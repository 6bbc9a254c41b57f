//! The job that lists the solutions of puzzles.

use std::io;
use std::num::NonZeroU32;

use super::{Job, Solve, Solver, Worker, derive_rows, stopped};
use crate::input::{PuzzleRef, Records};
use crate::output::{Derived, Results};
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

/// The engine of [`List`], and its progress within a block.
struct Lister<'j> {
    job: &'j List,
    solver: Solver,
    solutions: Solutions,
    record: usize,
    rows: u32,
}

impl List {
    fn next_row(
        &self,
        solutions: &mut Solutions,
        copy: u32,
        index: usize,
        puzzle: Option<PuzzleRef>,
        records: &Records,
        results: &mut Results,
    ) -> io::Result<Option<Derived>> {
        let row = |solution| Derived { copy, solution, ..Derived::default() };
        let Some(puzzle) = puzzle else {
            return Ok((copy == 0).then(|| row(None)));
        };
        if copy == 0 {
            let first = results.outcomes.of(puzzle).solution().copied();
            if let Some(first) = &first {
                solutions.begin_after(&records.as_marks(puzzle), first);
            }
            return Ok(Some(row(first)));
        }
        if copy >= results.outcomes.of(puzzle).solutions.min(self.solutions.get()) {
            return Ok(None);
        }
        match solutions.next_within(self.solve.limits.nodes) {
            Ok(next) => Ok(next.map(|next| row(Some(next)))),
            Err(Unfinished::GaveUp) => {
                if let Some(outcome) = results.outcomes.of_mut(puzzle) {
                    outcome.gave_up = true;
                }
                results.statuses[index] = Status::GaveUp;
                Ok(None)
            }
            Err(Unfinished::Stopped) => Err(stopped()),
        }
    }
}

impl Job for List {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        let solver = Solver::new(&self.solve, stop);
        let solutions = Solutions::stopped_by(stop.clone());
        Box::new(Lister { job: self, solver, solutions, record: 0, rows: 0 })
    }

    /// Keeps blocks small, because their rows may take hours, and a resumed run repeats a block.
    fn block_bytes(&self) -> usize {
        2 * 1024
    }
}

impl Worker for Lister<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        (self.record, self.rows) = (0, 0);
        self.solver.run(work)
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let Self { job, solutions, record, rows: copy, .. } = self;
        let Work { block, records, results, derived } = work;
        derive_rows(record, block, records, derived, |index, record| {
            let puzzle = record.puzzle.ok();
            let next = job.next_row(solutions, *copy, index, puzzle, records, results)?;
            *copy = if next.is_some() { *copy + 1 } else { 0 };
            Ok(next)
        })
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        Some(&mut self.solver)
    }
}
