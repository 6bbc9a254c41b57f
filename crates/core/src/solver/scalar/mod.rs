//! The engine `scalar`: one puzzle at a time, the reference for the lane engine.
//!
//! There are three layers. `tables` has the implications for one digit in a band, `board`
//! propagates the candidates of a puzzle, and this module has the nodes of the search: boards, which
//! are split at a guess of a digit in the most constrained cell or unit. `solutions` lists all
//! solutions with the same search.

mod board;
mod solutions;
mod tables;

use super::depth_first::{DepthFirst, Nodes};
use super::{Batch, Outcome};
use crate::marks::Marks;
use crate::puzzle::CELLS;
use board::{BitBoard, Guess, Propagation};
pub use solutions::Solutions;

/// An engine that solves one puzzle at a time with bitmasks of candidates, without vector
/// instructions.
pub type Scalar = DepthFirst<Boards<false>>;

/// Unexplored boards. If `IS_SORTED`, guesses are in the first open cell, the smallest digit first,
/// so that solutions are in ascending order.
#[derive(Debug)]
pub struct Boards<const IS_SORTED: bool> {
    /// The next board is the last. Each has at least one more open cell than the next, so there are
    /// at most 82.
    pending: Vec<BitBoard>,
}

impl<const IS_SORTED: bool> Boards<IS_SORTED> {
    fn start_at(&mut self, board: BitBoard) {
        self.pending.clear();
        self.pending.push(board);
    }

    /// Splits the next board at a guess. The alternative with its digit is explored first.
    fn branch(&mut self, guess: Guess) {
        self.pending.push(self.pending.last().expect("a board to split").clone());
        let [.., other, next] = &mut self.pending[..] else { unreachable!("one was pushed") };
        other.exclude(guess);
        next.assign(guess);
    }

    /// Splits the next board after a solution of `marks`: the boards that remain have the larger
    /// ones.
    fn start_after(&mut self, marks: &Marks, cells: &[u8; CELLS]) {
        self.start_at(BitBoard::from_marks(marks));
        while let Some(board) = self.pending.last_mut() {
            if board.propagate() != Propagation::Stuck {
                self.pending.pop();
                break;
            }
            let guess = board.first_of_first_open();
            if guess.digit() == cells[guess.board_cell()] {
                self.branch(guess);
            } else {
                board.exclude(guess);
            }
        }
    }
}

impl<const IS_SORTED: bool> Default for Boards<IS_SORTED> {
    fn default() -> Self {
        Self { pending: Vec::with_capacity(CELLS + 1) }
    }
}

impl<const IS_SORTED: bool> Nodes for Boards<IS_SORTED> {
    const NAME: &'static str = "scalar";

    /// The last board is the next node.
    type Node = ();

    type Solved = BitBoard;

    fn start(&mut self, batch: Batch<'_>, puzzle: usize) {
        self.start_at(match batch {
            Batch::Puzzles(puzzles) => BitBoard::new(&puzzles[puzzle]),
            Batch::Marks(marks) => BitBoard::from_marks(&marks[puzzle]),
        });
    }

    #[inline(always)]
    fn next(&mut self) -> Option<()> {
        (!self.pending.is_empty()).then_some(())
    }

    #[inline(always)]
    fn explore(&mut self, (): (), outcome: &mut Outcome) -> bool {
        let board = self.pending.last_mut().expect("a next board");
        match board.propagate() {
            Propagation::Stuck => {
                outcome.guesses += 1;
                let guess =
                    if IS_SORTED { board.first_of_first_open() } else { board.most_constrained() };
                self.branch(guess);
                false
            }
            Propagation::Solved => true,
            Propagation::Contradiction => {
                self.pending.pop();
                false
            }
        }
    }

    #[inline(always)]
    fn take_solution(&mut self) -> BitBoard {
        self.pending.pop().expect("the solved board")
    }
}
