//! The engines `backtrack-scan`, `backtrack-flags`, `backtrack-mask`: the textbooks' first method.
//! It fills the blanks in row order, tries digits in ascending order, and backtracks.
//!
//! They differ only in how they test whether a digit is allowed in a cell ([`ask`]): their outcomes
//! are the same, and their first solution is the smallest. They do not propagate, so a puzzle can
//! take billions of nodes; set a limit of nodes.

mod ask;

use super::contract::{Question, Unanswered, count_solutions, search_each};
use super::{Engine, Outcome, StopFlag};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid};
pub use ask::{Ask, Flags, Mask, Scan};

/// Solves row by row, with the test `A`.
///
/// Its nodes are the puzzle and each digit placed. Since it never knows whether a digit is the only
/// one, every node with a digit in its next blank counts as a guess.
#[derive(Clone, Debug)]
pub struct Backtrack<A> {
    ask: A,
    /// The candidates of each cell. A single one is a clue.
    marks: Marks,
    /// The clues, and the digits placed in blanks; 0 for a blank.
    cells: [u8; CELLS],
    /// The blanks in row order. This is also the stack: those before the present one have digits.
    blanks: Vec<u8>,
    /// The place of the current blank in `blanks`, from 1; 0 if the search is complete.
    at: usize,
    stop: StopFlag,
}

impl<A: Ask> Backtrack<A> {
    /// Loads the clues; returns `false` if two clues conflict or a cell has no candidate.
    fn load(&mut self, marks: Marks) -> bool {
        self.marks = marks;
        self.ask = A::default();
        self.cells = [0; CELLS];
        self.blanks.clear();
        for (cell, &clue) in marks.clues().cells().iter().enumerate() {
            if marks.of_cell(cell).is_empty() {
                return false;
            } else if clue == 0 {
                self.blanks.push(cell as u8);
            } else if self.ask.allows(&self.cells, cell, clue) {
                self.ask.record(cell, clue, true);
                self.cells[cell] = clue;
            } else {
                return false;
            }
        }
        true
    }

    /// The next solution; `None` after the last one.
    #[inline(always)]
    fn next(&mut self, max_nodes: u64, outcome: &mut Outcome) -> Result<Option<Grid>, Unanswered> {
        if outcome.nodes == 0 {
            self.stop.check(0)?;
            outcome.nodes = 1;
        }
        while self.at > 0 {
            let Some(&cell) = self.blanks.get(self.at - 1) else {
                self.at -= 1;
                return Ok(Some(Grid(self.cells)));
            };
            let cell = usize::from(cell);
            let tried = self.take_back(cell);
            let untried = self.marks.of_cell(cell).above(tried);
            if let Some(digit) = self.ask.next(&self.cells, cell, untried) {
                if outcome.nodes == max_nodes {
                    return Err(Unanswered::GaveUp);
                }
                outcome.nodes += 1;
                self.stop.check(outcome.nodes)?;
                outcome.guesses += u64::from(tried == 0);
                self.ask.record(cell, digit, true);
                self.cells[cell] = digit;
                self.at += 1;
            } else {
                self.at -= 1;
            }
        }
        Ok(None)
    }

    /// Removes and returns the digit of a cell, 0 if it is blank.
    fn take_back(&mut self, cell: usize) -> u8 {
        let digit = std::mem::take(&mut self.cells[cell]);
        if digit != 0 {
            self.ask.record(cell, digit, false);
        }
        digit
    }
}

impl<A: Ask> Default for Backtrack<A> {
    fn default() -> Self {
        Self {
            ask: A::default(),
            marks: Marks::ALL,
            cells: [0; CELLS],
            blanks: Vec::with_capacity(CELLS),
            at: 0,
            stop: StopFlag::default(),
        }
    }
}

impl<A: Ask> Engine for Backtrack<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn answer(&mut self, question: &Question<'_>, outcomes: &mut [Outcome]) -> usize {
        let limits = question.limits;
        search_each(outcomes, |i| {
            self.at = usize::from(self.load(question.batch.marks(i)));
            count_solutions(limits, question.known(i), |outcome| {
                self.next(limits.max_nodes(), outcome)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Batch, Limits};

    /// A puzzle, its solution, and the smallest change of it that has no solution.
    const PUZZLES: [&str; 3] = [
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
        "554678912672195348198342567859761423426853791713924856961537284287419635345286179",
    ];

    fn outcomes<A: Ask>(limits: Limits) -> [Outcome; 3] {
        let puzzles = PUZZLES.map(|text| text.parse().unwrap());
        let mut outcomes = [Outcome::NONE; 3];
        Backtrack::<A>::default().solve(Batch::Puzzles(&puzzles), limits, &mut outcomes);
        outcomes.map(|outcome| Outcome { latency_ns: 0, ..outcome })
    }

    #[test]
    fn all_tests_search_alike() {
        for limits in [Limits::FIRST, Limits::PROOF] {
            let scanned = outcomes::<Scan>(limits);
            assert_eq!(outcomes::<Flags>(limits), scanned);
            assert_eq!(outcomes::<Mask>(limits), scanned);
            assert_eq!(scanned.map(|outcome| outcome.solutions), [1, 1, 0]);
        }
    }

    #[test]
    fn nodes_are_the_puzzle_and_the_digits_placed() {
        let [_, full, contradictory] = outcomes::<Mask>(Limits::PROOF);
        assert_eq!((full.nodes, full.guesses), (1, 0));
        assert_eq!((contradictory.nodes, contradictory.guesses), (1, 0));
    }
}
