//! The job that checks the solutions in the input.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Job, Solve, Solver, Worker};
use crate::input::{PuzzleRef, Records};
use crate::output::{Outcomes, Results};
use crate::pipeline::{Block, Work};
use bulkdoku_core::check::{self, Mismatch};
use bulkdoku_core::{Status, StopFlag};

/// A job that checks the input's solution of each record ([`check`]).
pub struct Check {
    /// The engine that determines whether the solution is the only one. If the limit is one
    /// solution, no engine is used, and only the solution itself is checked.
    pub solve: Solve,
    /// Whether answers from another input are shifted.
    pub shifts: Arc<Shifts>,
    /// Whether solutions are texts with a grid, such as the answers of language models
    /// ([`forms::answer`](bulkdoku_core::forms::answer())).
    pub answers_are_texts: bool,
}

/// The largest shift of answers that is recognized.
const MAX_SHIFT: usize = 8;

/// The number of wrong answers of a block for which others are tried.
const TRIED_PER_BLOCK: usize = 32;

/// Counts records with a wrong answer to which a near record has the right one, because a line was
/// lost or added before all of them.
#[derive(Debug, Default)]
pub struct Shifts {
    tried: AtomicU64,
    /// The records whose answer is one later, one earlier, two later, and so on.
    mended: [AtomicU64; 2 * MAX_SHIFT],
}

/// Returns all shifts: how much later the right answer is.
fn shifts() -> impl Iterator<Item = isize> {
    (1..=MAX_SHIFT.cast_signed()).flat_map(|shift| [shift, -shift])
}

impl Shifts {
    /// Returns by how many records most wrong answers are shifted, if they are: positive if the right
    /// ones are later.
    pub fn likely(&self) -> Option<isize> {
        let tried = self.tried.load(Ordering::Relaxed);
        let mended = self.mended.iter().map(|mended| mended.load(Ordering::Relaxed));
        shifts().zip(mended).find(|(_, mended)| 2 * mended > tried).map(|(shift, _)| shift)
    }
}

impl Job for Check {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        let proves = self.solve.limits.solutions.get() > 1;
        Box::new(Checker { job: self, solver: proves.then(|| Solver::new(&self.solve, stop)) })
    }
}

/// The engine of [`Check`], if it proves that solutions are the only ones.
struct Checker<'j> {
    job: &'j Check,
    solver: Option<Solver>,
}

impl Worker for Checker<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        let Self { job, solver } = self;
        if job.answers_are_texts {
            work.records.find_grids_in_answers(work.block.filled());
        }
        if let Some(solver) = solver {
            solver.solve(&work.records, &mut work.results)?;
        }
        let Work { block, records, results, .. } = work;
        for (index, record) in records.all.iter().enumerate() {
            results.statuses.push(match record.puzzle {
                Err(_) => Status::Malformed,
                Ok(puzzle) if results.failed.contains(&puzzle) => Status::InternalError,
                Ok(puzzle) => {
                    let answer = records.answer(index, block.filled());
                    let checked = job.check(records, puzzle, answer, &results.outcomes);
                    checked.unwrap_or_else(|mut mismatch| {
                        let answers = block.answers.as_ref();
                        let has_ended = answers.is_some_and(|answers| answers.has_ended(index));
                        if has_ended && mismatch == Mismatch::Missing {
                            mismatch = Mismatch::Ended;
                        }
                        let outcome = results.outcomes.of(puzzle);
                        let is_unsolvable =
                            solver.is_some() && outcome.solutions == 0 && !outcome.gave_up;
                        let is_news = is_unsolvable && !matches!(mismatch, Mismatch::Clues(_));
                        let end = if is_news { "; the puzzle has no solution" } else { "" };
                        results.reasons.push(format!("{mismatch}{end}"));
                        Status::Mismatch
                    })
                }
            });
        }
        if block.answers.is_some() {
            job.try_shifts(block, records, results);
        }
        Ok(())
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        self.solver.as_mut()
    }
}

impl Check {
    /// Creates a job that checks answers with the engine of another job.
    pub fn new(solve: Solve) -> Self {
        Self { solve, shifts: Arc::default(), answers_are_texts: false }
    }

    /// Tries the answers of near records, if most answers of a block are wrong.
    fn try_shifts(&self, block: &Block, records: &Records, results: &Results) {
        let all = records.all.iter().zip(&results.statuses).enumerate();
        let wrong = all.filter_map(|(index, (record, status))| {
            let puzzle = record.puzzle.ok().filter(|_| *status == Status::Mismatch);
            puzzle.map(|puzzle| (index, puzzle))
        });
        let wrong: Vec<_> = wrong.collect();
        if 2 * wrong.len() <= records.all.len() {
            return;
        }
        let tried = &wrong[..wrong.len().min(TRIED_PER_BLOCK)];
        self.shifts.tried.fetch_add(tried.len() as u64, Ordering::Relaxed);
        for (shift, count) in shifts().zip(&self.shifts.mended) {
            let is_mended = |(index, puzzle): &&(usize, PuzzleRef)| {
                let other = index.checked_add_signed(shift).filter(|it| *it < records.all.len());
                let answer = other.map(|other| records.answer(other, block.filled()));
                answer.is_some_and(|answer| {
                    self.check(records, *puzzle, answer, &results.outcomes).is_ok()
                })
            };
            let mended = tried.iter().filter(is_mended).count();
            count.fetch_add(mended as u64, Ordering::Relaxed);
        }
    }

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
