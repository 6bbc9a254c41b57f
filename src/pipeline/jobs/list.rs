//! The job that lists the solutions of puzzles.

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use super::solve::Solver;
use super::{CHUNK_BYTES, DerivedRows, Job, PropertyEngine, ROW_BYTES, Solve, Stopped};
use crate::input::Records;
use crate::output::{Derived, Results};
use crate::pipeline::block::Block;
use crate::solver::{Solutions, StopFlag, Unanswered};
use crate::status::Status;

/// A job that lists the solutions of each puzzle, one row per solution, the smallest first.
pub struct List {
    /// The search for the smallest solution, with an engine such as
    /// [`LexFirst`](crate::solver::LexFirst).
    pub solve: Solve,
    /// Maximum number of rows per record.
    pub solutions: NonZeroU32,
}

/// The engine of [`List`], and its progress within a block.
pub struct Lister {
    solver: Solver,
    solutions: Solutions,
    /// The index of the current record.
    record: usize,
    /// The number of rows of the current record so far.
    rows: u32,
}

impl Job for List {
    type Worker = Lister;

    fn worker(&self, stop: &StopFlag) -> Lister {
        let (solver, solutions) = (self.solve.worker(stop), Solutions::stopped_by(stop.clone()));
        Lister { solver, solutions, record: 0, rows: 0 }
    }

    fn run(
        &self,
        lister: &mut Lister,
        block: &Block,
        records: &mut Records,
        results: &mut Results,
    ) -> ControlFlow<Stopped> {
        (lister.record, lister.rows) = (0, 0);
        self.solve.run(&mut lister.solver, block, records, results)
    }

    fn derive(
        &self,
        lister: &mut Lister,
        block: &Block,
        records: &Records,
        results: &mut Results,
        rows: &mut Vec<Derived>,
    ) -> ControlFlow<Stopped, DerivedRows> {
        let mut all = records.all.iter();
        all.skip_records(lister.record);
        let mut bytes = 0;
        for record in all {
            let index = lister.record;
            let row_bytes = ROW_BYTES + records.kept_bytes(index, block.filled());
            loop {
                if bytes >= CHUNK_BYTES {
                    return ControlFlow::Continue(DerivedRows::More);
                }
                let solution = match (record.puzzle, lister.rows) {
                    (Err(_), 0) => None,
                    (Ok(puzzle), 0) => {
                        let first = results.outcomes.of(puzzle).solution().copied();
                        if let Some(first) = &first {
                            lister.solutions.begin_after(&records.as_marks(puzzle), first);
                        }
                        first
                    }
                    (Ok(puzzle), listed) => {
                        let outcome = results.outcomes.of_mut(puzzle);
                        let solutions = outcome.as_ref().map_or(0, |outcome| outcome.solutions);
                        if listed >= solutions.min(self.solutions.get()) {
                            break;
                        }
                        match lister.solutions.next_within(self.solve.limits.nodes) {
                            Ok(Some(grid)) => Some(grid),
                            Ok(None) => break,
                            Err(Unanswered::GaveUp) => {
                                outcome.into_iter().for_each(|outcome| outcome.gave_up = true);
                                results.statuses[index] = Status::GaveUp;
                                break;
                            }
                            Err(Unanswered::Stopped) => return ControlFlow::Break(Stopped),
                        }
                    }
                    (Err(_), _) => break,
                };
                rows.push(Derived {
                    record: index as u32,
                    copy: lister.rows,
                    cells: None,
                    solution,
                });
                lister.rows += 1;
                bytes += row_bytes;
            }
            (lister.record, lister.rows) = (index + 1, 0);
        }
        ControlFlow::Continue(DerivedRows::Last)
    }

    fn engine<'w>(&self, lister: &'w mut Lister) -> Option<PropertyEngine<'w>> {
        self.solve.engine(&mut lister.solver)
    }

    /// Keeps blocks small: their rows may take hours, and a stopped run is resumed before the
    /// block.
    fn block_bytes(&self) -> usize {
        2 * 1024
    }
}
