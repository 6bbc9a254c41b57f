//! The engine `propagate`: two rules (the only candidate of a cell, and the only place in a unit),
//! then a search on the cell with the fewest candidates, as in Peter Norvig's article "Solving
//! Every Sudoku Puzzle".

use super::depth_first::{DepthFirst, Nodes};
use super::{Batch, Outcome};
use crate::bands::{Bands, Level};
use crate::board::{Board, digits_of};
use crate::puzzle::{CELLS, Grid};

/// An engine that solves one puzzle at a time with [`Bands`]. It guesses in the first cell
/// with the fewest candidates and tries digits in ascending order.
pub type Propagate = DepthFirst<Guesses>;

/// Unexplored guesses.
#[derive(Debug)]
pub struct Guesses {
    /// The highest level of the rules that are applied.
    rules: Level,
    /// The next one is the last. Each guess replaces a node with at most nine.
    pending: Vec<Node>,
    solution: Option<Grid>,
}

/// A state, and the guess to assign in it.
#[derive(Debug)]
pub struct Node {
    bands: Bands,
    /// The cell and its digit (from 0); `None` at the root.
    guess: Option<(usize, usize)>,
}

impl Propagate {
    /// Returns an engine that applies the rules up to a level.
    pub fn new(rules: Level) -> Self {
        Self::of(Guesses { rules, pending: Vec::with_capacity(8 * CELLS + 1), solution: None })
    }
}

impl Guesses {
    /// Adds a node for each candidate of the first open cell with the fewest candidates.
    fn branch(&mut self, bands: &Bands) {
        let board = bands.board();
        let open = (0..CELLS).filter(|&cell| board.placed >> cell & 1 == 0);
        let fewest =
            open.map(|cell| (board.mask(cell), cell)).min_by_key(|(mask, _)| mask.count_ones());
        let (mask, cell) = fewest.expect("a cell is open");
        let first = self.pending.len();
        self.pending.extend(
            digits_of(mask).map(|digit| Node { bands: bands.clone(), guess: Some((cell, digit)) }),
        );
        self.pending[first..].reverse();
    }
}

impl Nodes for Guesses {
    const NAME: &'static str = "propagate";

    type Node = Node;

    type Solved = Grid;

    fn start(&mut self, batch: Batch<'_>, puzzle: usize) {
        let bands = match batch {
            Batch::Puzzles(puzzles) => Bands::of(&puzzles[puzzle]),
            Batch::Marks(marks) => (&Board::from(&marks[puzzle])).into(),
        };
        self.pending.clear();
        self.pending.push(Node { bands, guess: None });
    }

    fn next(&mut self) -> Option<Node> {
        self.pending.pop()
    }

    #[inline(always)]
    fn explore(&mut self, node: Node, outcome: &mut Outcome) -> bool {
        let Node { mut bands, guess } = node;
        if let Some((cell, digit)) = guess {
            bands.assign(digit, cell);
        }
        if bands.deduce(self.rules).is_err() {
            return false;
        }
        if bands.is_full() {
            self.solution = bands.board().grid();
            return true;
        }
        outcome.guesses += 1;
        self.branch(&bands);
        false
    }

    fn take_solution(&mut self) -> Grid {
        self.solution.take().expect("a full board has a grid")
    }
}
