//! The engine `scalar`: one puzzle at a time, the reference for the lane engine.
//!
//! There are three layers. `tables` has the implications for one digit in a band, `board`
//! propagates the candidates of a puzzle, and this module searches: it propagates, guesses a digit
//! in the most constrained cell or unit, and returns to the last pending board on a contradiction.
//! `solutions` lists all solutions with the same search.

mod board;
mod solutions;
mod tables;

use super::contract::{Query, Unfinished, count_solutions, search_each};
use super::{Batch, Engine, Outcome, StopFlag};
use crate::puzzle::CELLS;
use board::{BitBoard, Guess, Propagation};
pub use solutions::Solutions;

/// An engine that solves one puzzle at a time with bitmasks of candidates, without vector
/// instructions.
#[derive(Debug)]
pub struct Scalar {
    /// Unexplored boards, the next one last. Each has at least one more open cell than the next, so
    /// there are at most 82.
    pending: Vec<BitBoard>,
    stop: StopFlag,
}

impl Scalar {
    /// Returns an engine.
    pub fn new() -> Self {
        Self { pending: Vec::with_capacity(CELLS + 1), stop: StopFlag::default() }
    }

    /// Starts a search.
    fn begin(&mut self, board: BitBoard) {
        self.pending.clear();
        self.pending.push(board);
    }

    /// Splits the top board at a guess. The alternative with its digit is searched next.
    fn branch(&mut self, guess: Guess) {
        self.pending.push(self.pending.last().expect("a board to split").clone());
        let [.., other, next] = &mut self.pending[..] else { unreachable!("one was pushed") };
        other.exclude(guess);
        next.assign(guess);
    }

    /// Returns the next solved board, depth first, or `None` after the last one. Splits a stuck
    /// board at the guess that `choose` returns.
    #[inline(always)]
    fn next(
        &mut self,
        choose: impl Fn(&BitBoard) -> Guess,
        max_nodes: u64,
        outcome: &mut Outcome,
    ) -> Result<Option<BitBoard>, Unfinished> {
        while let Some(board) = self.pending.last_mut() {
            if outcome.nodes == max_nodes {
                return Err(Unfinished::GaveUp);
            }
            self.stop.check(outcome.nodes)?;
            outcome.nodes += 1;
            match board.propagate() {
                Propagation::Stuck => {
                    outcome.guesses += 1;
                    let guess = choose(board);
                    self.branch(guess);
                }
                Propagation::Solved => return Ok(self.pending.pop()),
                Propagation::Contradiction => {
                    self.pending.pop();
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

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        let limits = query.limits;
        search_each(outcomes, |i| {
            self.begin(match query.batch {
                Batch::Puzzles(puzzles) => BitBoard::new(&puzzles[i]),
                Batch::Marks(marks) => BitBoard::from_marks(&marks[i]),
            });
            count_solutions(limits, query.known(i), |outcome| {
                self.next(BitBoard::most_constrained, limits.max_nodes(), outcome)
            })
        })
    }
}
