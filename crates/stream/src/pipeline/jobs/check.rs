//! The job that checks the solutions in the input.

use std::ops::ControlFlow;

use super::solve::Solver;
use super::{Job, PropertyEngine, Solve, Stopped};
use crate::check::{self, Mismatch};
use crate::input::{PuzzleRef, Records};
use crate::output::{Outcomes, Results, Timed};
use crate::pipeline::block::Block;
use crate::solver::StopFlag;
use crate::status::Status;

/// A job that checks the input's solution of each record ([`check`]).
pub struct Check {
    /// The engine that determines whether the solution is the only one. If the limit is one
    /// solution, no engine is used, and only the solution itself is checked.
    pub solve: Solve,
}

impl Job for Check {
    type Worker = Option<Solver>;

    fn worker(&self, stop: &StopFlag) -> Option<Solver> {
        (self.solve.limits.solutions.get() > 1).then(|| self.solve.worker(stop))
    }

    fn run(
        &self,
        solver: &mut Option<Solver>,
        block: &Block,
        records: &mut Records,
        results: &mut Results,
    ) -> ControlFlow<Stopped> {
        match solver {
            Some(solver) => self.solve.solve(solver, records, results)?,
            None => results.timed = Timed::Nothing,
        }
        for (index, record) in records.all.iter().enumerate() {
            results.statuses.push(match record.puzzle {
                Err(_) => Status::Malformed,
                Ok(puzzle) if results.failed.contains(&puzzle) => Status::InternalError,
                Ok(puzzle) => {
                    let answer = records.answer(index, block.filled());
                    let checked = self.check(records, puzzle, answer, &results.outcomes);
                    checked.unwrap_or_else(|mut mismatch| {
                        let answers = block.answers.as_ref();
                        let has_ended = answers.is_some_and(|answers| answers.has_ended(index));
                        if has_ended && mismatch == Mismatch::Missing {
                            mismatch = Mismatch::Ended;
                        }
                        let outcome = results.outcomes.of(puzzle);
                        let is_unsolvable =
                            solver.is_some() && outcome.solutions == 0 && !outcome.gave_up;
                        results.reasons.push(&mismatch, is_unsolvable);
                        Status::Mismatch
                    })
                }
            });
        }
        ControlFlow::Continue(())
    }

    fn engine<'w>(&self, solver: &'w mut Option<Solver>) -> Option<PropertyEngine<'w>> {
        self.solve.engine(solver.as_mut()?)
    }
}

impl Check {
    /// Returns the status of a record whose answer is correct, or the mismatch.
    #[inline(always)]
    fn check(
        &self,
        records: &Records,
        puzzle: PuzzleRef,
        answer: &[u8],
        outcomes: &Outcomes,
    ) -> Result<Status, Mismatch> {
        let outcome = outcomes.of(puzzle);
        let solves = outcome.solutions == 1 && check::equals_grid(answer, &outcome.grid)
            || match puzzle {
                PuzzleRef::Puzzle(index) => check::solves(&records.puzzles[index as usize], answer),
                PuzzleRef::Marks(_) => false,
            };
        if !solves {
            check::compare(&records.as_marks(puzzle), answer)?;
        }
        check::judge(answer, self.solve.limits, outcome)
    }
}
