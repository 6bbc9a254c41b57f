//! The engine `scalar`: one puzzle at a time, the reference for the vector engine.
//!
//! Three layers: `tables` has the implications for one digit in a band, `board` has the candidates
//! of a puzzle and propagates them, and this file searches: it propagates, guesses a digit in the
//! cell with the fewest candidates, and on a contradiction returns to the last waiting board.
//! `solutions` lists all solutions by the same search.

mod board;
mod solutions;
mod tables;

use super::contract::{Question, Unanswered, count_solutions, search_each};
use super::{Batch, Engine, Outcome, StopFlag};
use crate::puzzle::CELLS;
use board::{Board, Guess, Progress};
pub use solutions::Solutions;

/// Solves one puzzle at a time, on candidates kept as bitmasks, without a vector instruction.
#[derive(Debug)]
pub struct Scalar {
    /// Unexplored boards, the next one on top. Each has at least one open
    /// cell more than the next, so there are at most 82.
    waiting: Vec<Board>,
    stop: StopFlag,
}

impl Scalar {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self { waiting: Vec::with_capacity(CELLS + 1), stop: StopFlag::default() }
    }

    /// Starts a search.
    fn begin(&mut self, board: Board) {
        self.waiting.clear();
        self.waiting.push(board);
    }

    /// Splits the top board at a guess: the side with its digit is next.
    fn branch(&mut self, guess: Guess) {
        self.waiting.push(self.waiting.last().expect("a board to split").clone());
        let [.., other, next] = &mut self.waiting[..] else { unreachable!("one was pushed") };
        other.exclude(guess);
        next.assume(guess);
    }

    /// The next solved board, depth first; `None` after the last one. A stuck board is split at the
    /// guess that `choose` returns.
    #[inline(always)]
    fn next(
        &mut self,
        choose: impl Fn(&Board) -> Guess,
        max_nodes: u64,
        outcome: &mut Outcome,
    ) -> Result<Option<Board>, Unanswered> {
        while let Some(board) = self.waiting.last_mut() {
            if outcome.nodes == max_nodes {
                return Err(Unanswered::GaveUp);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            match board.propagate() {
                Progress::Stuck => {
                    outcome.guesses += 1;
                    let guess = choose(board);
                    self.branch(guess);
                }
                Progress::Solved => return Ok(self.waiting.pop()),
                Progress::Contradiction => {
                    self.waiting.pop();
                }
            }
        }
        Ok(None)
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
        self.stop = stop;
    }

    fn answer(&mut self, question: &Question<'_>, outcomes: &mut [Outcome]) -> usize {
        let limits = question.limits;
        search_each(outcomes, |i| {
            self.begin(match question.batch {
                Batch::Puzzles(puzzles) => Board::new(&puzzles[i]),
                Batch::Marks(marks) => Board::of_marks(&marks[i]),
            });
            count_solutions(limits, question.known(i), |outcome| {
                self.next(Board::most_constrained, limits.max_nodes(), outcome)
            })
        })
    }
}
