//! The engines `backtrack-scan`, `backtrack-flags`, and `backtrack-mask`: the simplest textbook
//! method. It fills the blanks in row order, tries digits in ascending order, and backtracks.
//!
//! The engines differ only in how they test whether a digit is allowed in a cell ([`digit_test`]):
//! their outcomes are the same, and their first solution is the smallest. They do not propagate, so
//! a puzzle can take billions of nodes; set a node limit.

mod digit_test;

use super::contract::{Query, Unfinished, count_solutions, search_each};
use super::{Engine, Outcome, StopFlag};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid};
pub use digit_test::{DigitTest, Flags, Mask, Scan};

/// An engine that fills blanks row by row, with the test `A`.
///
/// Its nodes are the puzzle and each digit placed. Since it cannot detect that only one digit is
/// possible, every node with a digit in its next blank counts as a guess.
#[derive(Clone, Debug)]
pub struct Backtrack<A> {
    digit_test: A,
    /// The candidates of each cell. A single candidate is a clue.
    marks: Marks,
    /// The clues, and the digits placed in blanks; 0 for a blank.
    cells: [u8; CELLS],
    /// The blanks in row order. This is also the stack: the blanks before the current one have
    /// digits.
    blanks: Vec<u8>,
    /// The position of the current blank in `blanks`, from 1; 0 if the search is complete.
    depth: usize,
    stop: StopFlag,
}

impl<A: DigitTest> Backtrack<A> {
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

    /// Returns the next solution, or `None` after the last one.
    #[inline(always)]
    fn next(&mut self, max_nodes: u64, outcome: &mut Outcome) -> Result<Option<Grid>, Unfinished> {
        if outcome.nodes == 0 {
            self.stop.check(0)?;
            outcome.nodes = 1;
        }
        while self.depth > 0 {
            let Some(&cell) = self.blanks.get(self.depth - 1) else {
                self.depth -= 1;
                return Ok(Some(Grid(self.cells)));
            };
            let cell = usize::from(cell);
            let tried = self.remove_digit(cell);
            let untried = self.marks.of_cell(cell).above(tried);
            if let Some(digit) = self.digit_test.next(&self.cells, cell, untried) {
                if outcome.nodes == max_nodes {
                    return Err(Unfinished::GaveUp);
                }
                outcome.nodes += 1;
                self.stop.check(outcome.nodes)?;
                outcome.guesses += u64::from(tried == 0);
                self.digit_test.record(cell, digit, true);
                self.cells[cell] = digit;
                self.depth += 1;
            } else {
                self.depth -= 1;
            }
        }
        Ok(None)
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

impl<A: DigitTest> Default for Backtrack<A> {
    fn default() -> Self {
        Self {
            digit_test: A::default(),
            marks: Marks::ALL,
            cells: [0; CELLS],
            blanks: Vec::with_capacity(CELLS),
            depth: 0,
            stop: StopFlag::default(),
        }
    }
}

impl<A: DigitTest> Engine for Backtrack<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        let limits = query.limits;
        search_each(outcomes, |i| {
            self.depth = usize::from(self.load(query.batch.marks(i)));
            count_solutions(limits, query.known(i), |outcome| {
                self.next(limits.max_nodes(), outcome)
            })
        })
    }
}
