//! The engines `backtrack-scan`, `backtrack-flags`, `backtrack-mask`: what the textbooks begin
//! with. The blanks in row order, digits upward: place, go on to the next blank, take back.
//!
//! They differ in how they ask whether a digit may stand in a cell ([`ask`]), and in nothing else:
//! their outcomes are the same, and their first solution is the smallest. None draws a conclusion,
//! so that a puzzle can take them billions of nodes; a limit of nodes ends it.

mod ask;

use super::contract::{Question, Stopped, Stopper, one_at_a_time};
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid};
pub use ask::{Ask, Flags, Mask, Scan};

/// Solves row by row, asking as `A` does.
///
/// Its nodes are the puzzle and each digit placed. It never knows whether a digit is the only
/// one, so that each node with any digit in its next blank counts as a guess.
#[derive(Clone, Debug)]
pub struct Backtrack<A> {
    ask: A,
    /// What may stand in each cell. One that has a single candidate has a clue.
    marks: Marks,
    /// The clues, and the digits placed in blanks; 0 for a blank.
    cells: [u8; CELLS],
    /// The blanks in row order. It is the stack, too: those before the present one have digits.
    blanks: Vec<u8>,
    stop: Stopper,
}

impl<A: Ask> Backtrack<A> {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self {
            ask: A::default(),
            marks: Marks::ALL,
            cells: [0; CELLS],
            blanks: Vec::with_capacity(CELLS),
            stop: Stopper::default(),
        }
    }

    /// Takes the clues; `false` when two of them contradict each other, or when nothing may stand
    /// in a cell.
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
                self.ask.place(cell, clue);
                self.cells[cell] = clue;
            } else {
                return false;
            }
        }
        true
    }

    /// Searches until there is nothing left or a limit is reached. The `known` solution does not count.
    fn search(
        &mut self,
        marks: Marks,
        limits: Limits,
        known: Option<&Grid>,
    ) -> Result<Outcome, Stopped> {
        self.stop.check(0)?;
        let max_nodes = limits.nodes.map_or(u64::MAX, std::num::NonZero::get);
        let mut outcome = Outcome { nodes: 1, ..Outcome::NONE };
        if !self.load(marks) {
            return Ok(outcome);
        }
        let mut at = 0;
        loop {
            let Some(&cell) = self.blanks.get(at) else {
                if known.is_none_or(|known| known.0 != self.cells) {
                    if outcome.solutions == 0 {
                        outcome.grid = Grid(self.cells);
                    }
                    outcome.solutions += 1;
                }
                if at == 0 || outcome.solutions == limits.solutions.get() {
                    return Ok(outcome);
                }
                at -= 1;
                continue;
            };
            let cell = usize::from(cell);
            let tried = self.take_back(cell);
            let untried = self.marks.of_cell(cell).above(tried);
            if let Some(digit) = self.ask.next(&self.cells, cell, untried) {
                if outcome.nodes == max_nodes {
                    outcome.gave_up = true;
                    return Ok(outcome);
                }
                outcome.nodes += 1;
                self.stop.check(outcome.nodes)?;
                outcome.guesses += u64::from(tried == 0);
                self.ask.place(cell, digit);
                self.cells[cell] = digit;
                at += 1;
            } else if at > 0 {
                at -= 1;
            } else {
                return Ok(outcome);
            }
        }
    }

    /// Takes back the digit of a cell, 0 if it is blank.
    fn take_back(&mut self, cell: usize) -> u8 {
        let digit = std::mem::take(&mut self.cells[cell]);
        if digit != 0 {
            self.ask.take_back(cell, digit);
        }
        digit
    }

    /// Answers a question, one puzzle after the other.
    fn answer(&mut self, question: Question<'_>, outcomes: &mut [Outcome]) -> usize {
        one_at_a_time(question.batch, outcomes, |i| {
            let marks = match question.batch {
                Batch::Puzzles(puzzles) => (&puzzles[i]).into(),
                Batch::Marks(marks) => marks[i],
            };
            self.search(marks, question.limits, question.known(i))
        })
    }
}

impl<A: Ask> Default for Backtrack<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Ask> Engine for Backtrack<A> {
    fn name(&self) -> &'static str {
        A::NAME
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

#[cfg(test)]
mod tests {
    use super::*;

    /// From a puzzle with a solution to its smallest change without one.
    const PUZZLES: [&str; 3] = [
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
        "554678912672195348198342567859761423426853791713924856961537284287419635345286179",
    ];

    fn outcomes<A: Ask>(limits: Limits) -> [Outcome; 3] {
        let puzzles = PUZZLES.map(|text| text.parse().unwrap());
        let mut outcomes = [Outcome::NONE; 3];
        Backtrack::<A>::new().solve(Batch::Puzzles(&puzzles), limits, &mut outcomes);
        outcomes.map(|outcome| Outcome { latency_ns: 0, ..outcome })
    }

    #[test]
    fn all_ways_of_asking_search_alike() {
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
