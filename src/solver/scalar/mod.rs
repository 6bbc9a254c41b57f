//! The engine `scalar`: one puzzle at a time, the reference for the vector engine.
//!
//! Three layers: `tables` has the implications for one digit in a band, `board` has the candidates
//! of a puzzle and propagates them, and this file searches: it propagates, guesses a digit in the
//! cell with the fewest candidates, and on a contradiction returns to the last waiting board.

mod board;
mod tables;
mod walk;

use super::contract::{OneAtATime, Question, Stopped, Stopper};
use super::{Batch, Limits, Outcome};
use crate::puzzle::{CELLS, Grid};
use board::{Board, Progress};
pub use walk::SolutionWalk;

/// Solves one puzzle at a time, on candidates kept as bitmasks, without a vector instruction.
#[derive(Debug)]
pub struct Scalar {
    /// The other sides of the guesses that lead to the present board. Each guess settles a cell, so
    /// 81 are enough.
    waiting: Vec<Board>,
    stop: Stopper,
}

impl Scalar {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self { waiting: Vec::with_capacity(CELLS), stop: Stopper::default() }
    }

    /// Searches depth first until the search is complete or a limit is reached. The `known`
    /// solution does not count.
    fn search_board(
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
}

impl Default for Scalar {
    fn default() -> Self {
        Self::new()
    }
}

impl OneAtATime for Scalar {
    const NAME: &'static str = "scalar";

    fn set_stop(&mut self, stop: Stopper) {
        self.stop = stop;
    }

    fn search(&mut self, question: &Question<'_>, i: usize) -> Result<Outcome, Stopped> {
        let board = match question.batch {
            Batch::Puzzles(puzzles) => Board::new(&puzzles[i]),
            Batch::Marks(marks) => Board::of_marks(&marks[i]),
        };
        self.search_board(board, question.limits, question.known(i))
    }
}
