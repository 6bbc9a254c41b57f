//! The engine `scalar`: one puzzle at a time, the reference beside the vector engine.
//!
//! Three parts, from the bottom up: `tables` holds what is known of a band before any puzzle is
//! seen, `board` holds the candidates of one puzzle and draws conclusions from them, and this
//! file searches: propagate; stuck, assume a digit in the cell with the fewest candidates; stuck
//! with a contradiction, go back to the last board that waits.

mod board;
mod tables;
mod walk;

use super::contract::{Question, Stopped, Stopper, one_at_a_time};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::puzzle::{CELLS, Grid};
use board::{Board, Progress};
pub use walk::SolutionWalk;

/// Solves one puzzle at a time, on candidates kept as bitmasks, without a vector instruction.
#[derive(Debug)]
pub struct Scalar {
    /// Boards that wait: the other sides of the guesses on the way to the present board. Each
    /// guess settled a cell, so the room for 81 that was made at construction is enough.
    waiting: Vec<Board>,
    stop: Stopper,
}

impl Scalar {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self { waiting: Vec::with_capacity(CELLS), stop: Stopper::default() }
    }

    /// Searches for solutions depth first, until there is nothing left or a limit is reached. The
    /// `known` solution does not count.
    fn search(
        &mut self,
        mut board: Board,
        limits: Limits,
        known: Option<&Grid>,
    ) -> Result<Outcome, Stopped> {
        let max_nodes = limits.nodes.map_or(u64::MAX, std::num::NonZero::get);
        let mut outcome = Outcome::NONE;
        self.waiting.clear();
        loop {
            if outcome.nodes == max_nodes {
                outcome.gave_up = true;
                return Ok(outcome);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            match board.propagate() {
                Progress::Stuck => {
                    outcome.guesses += 1;
                    let guess = board.most_constrained();
                    self.waiting.push(board.clone());
                    self.waiting.last_mut().expect("just pushed").exclude(guess);
                    board.assume(guess);
                    continue;
                }
                Progress::Solved if known.is_some_and(|known| *known == board.grid()) => {}
                Progress::Solved => {
                    if outcome.solutions == 0 {
                        outcome.grid = board.grid();
                    }
                    outcome.solutions += 1;
                    if outcome.solutions == limits.solutions.get() {
                        return Ok(outcome);
                    }
                }
                Progress::Contradiction => {}
            }
            match self.waiting.pop() {
                Some(other_side) => board = other_side,
                None => return Ok(outcome),
            }
        }
    }

    /// Answers a question, one puzzle after the other.
    fn answer(&mut self, question: Question<'_>, outcomes: &mut [Outcome]) -> usize {
        one_at_a_time(question.batch, outcomes, |i| {
            let board = match question.batch {
                Batch::Puzzles(puzzles) => Board::new(&puzzles[i]),
                Batch::Marks(marks) => Board::of_marks(&marks[i]),
            };
            self.search(board, question.limits, question.known(i))
        })
    }
}

impl Default for Scalar {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = Stopper::new(stop);
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        self.answer(Question::all(batch, limits), outcomes)
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.answer(Question::other(batch, known, limits), outcomes)
    }
}
