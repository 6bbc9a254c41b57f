//! The engines `backtrack-scan`, `backtrack-flags`, and `backtrack-mask`: the simplest textbook
//! method. It fills the blanks in row order, tries digits in ascending order, and backtracks.
//!
//! The engines differ only in how they test whether a digit is allowed in a cell ([`digit_test`]):
//! their outcomes are the same, and their first solution is the smallest. They do not propagate, so
//! a puzzle can take billions of nodes; set a node limit.

mod digit_test;

use super::depth_first::{DepthFirst, Nodes};
use super::{Batch, Outcome};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid};
pub use digit_test::{DigitTest, Flags, Mask, Scan};

/// An engine that fills blanks row by row, with the test `A`.
///
/// Its nodes are the puzzle and each digit placed. Since it cannot detect that only one digit is
/// possible, every node with a digit in its next blank counts as a guess.
pub type Backtrack<A> = DepthFirst<Placements<A>>;

/// The digits placed in the blanks of a puzzle.
#[derive(Clone, Debug)]
pub struct Placements<A> {
    digit_test: A,
    /// The candidates of each cell. A single candidate is a clue.
    marks: Marks,
    /// The clues, and the digits placed in blanks; 0 for a blank.
    cells: [u8; CELLS],
    /// The blanks in row order. This is also the stack: the blanks before the current one have
    /// digits.
    blanks: Vec<u8>,
    /// The position of the current blank in `blanks`, from 1; 0 if no digit remains to be tried.
    depth: usize,
    /// Whether the clues are valid, until the puzzle itself is explored.
    root: Option<bool>,
}

/// A node that is found, and explored next.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// The puzzle, and whether its clues are valid.
    Root { is_valid: bool },
    /// A digit in the current blank, a cell, and whether it is the first one there.
    Digit { cell: usize, digit: u8, is_first: bool },
}

impl<A: DigitTest> Placements<A> {
    /// Loads the clues; returns `false` if two clues conflict or a cell has no candidate.
    fn load(&mut self, marks: Marks) -> bool {
        self.marks = marks;
        self.digit_test = A::default();
        self.cells = [0; CELLS];
        self.blanks.clear();
        for (cell, &clue) in marks.clues().cells().iter().enumerate() {
            if marks.of_cell(cell).is_empty() {
                return false;
            } else if clue == 0 {
                self.blanks.push(cell as u8);
            } else if self.digit_test.allows(&self.cells, cell, clue) {
                self.digit_test.record(cell, clue, true);
                self.cells[cell] = clue;
            } else {
                return false;
            }
        }
        true
    }

    /// Removes and returns the digit of a cell, 0 if it is blank.
    fn remove_digit(&mut self, cell: usize) -> u8 {
        let digit = std::mem::take(&mut self.cells[cell]);
        if digit != 0 {
            self.digit_test.record(cell, digit, false);
        }
        digit
    }
}

impl<A: DigitTest> Default for Placements<A> {
    fn default() -> Self {
        Self {
            digit_test: A::default(),
            marks: Marks::ALL,
            cells: [0; CELLS],
            blanks: Vec::with_capacity(CELLS),
            depth: 0,
            root: None,
        }
    }
}

impl<A: DigitTest> Nodes for Placements<A> {
    const NAME: &'static str = A::NAME;

    type Node = Node;

    type Solved = Grid;

    fn start(&mut self, batch: Batch<'_>, puzzle: usize) {
        self.root = Some(self.load(batch.marks(puzzle)));
        self.depth = 0;
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Node> {
        while self.depth > 0 {
            let cell = usize::from(self.blanks[self.depth - 1]);
            let tried = self.remove_digit(cell);
            let untried = self.marks.of_cell(cell).above(tried);
            if let Some(digit) = self.digit_test.next(&self.cells, cell, untried) {
                return Some(Node::Digit { cell, digit, is_first: tried == 0 });
            }
            self.depth -= 1;
        }
        self.root.take().map(|is_valid| Node::Root { is_valid })
    }

    #[inline(always)]
    fn explore(&mut self, node: Node, outcome: &mut Outcome) -> bool {
        match node {
            Node::Root { is_valid } => self.depth = usize::from(is_valid),
            Node::Digit { cell, digit, is_first } => {
                outcome.guesses += u64::from(is_first);
                self.digit_test.record(cell, digit, true);
                self.cells[cell] = digit;
                self.depth += 1;
            }
        }
        self.depth > self.blanks.len()
    }

    fn take_solution(&mut self) -> Grid {
        self.depth -= 1;
        Grid(self.cells)
    }
}
