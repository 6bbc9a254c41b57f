//! The smallest solution, whatever the engine, and those that follow it.
//!
//! Solutions are compared as 81-digit numbers. The smallest is found by asking: take the blanks
//! row by row, try digits upward, keep the first for which a solution still exists. What the
//! engine finds on the way is made use of: no digit above that of a known solution is tried.

use std::time::Instant;

use super::{Engine, Limits, Outcome};
use crate::propagate::peers;
use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::simd::SimdLevel;

/// An engine whose solutions are the smallest ones.
///
/// Each question has the node limit to itself; when one reaches it the outcome has given up, and
/// no solution. Guesses, nodes and latency are those of all questions together.
pub struct LexFirst {
    engine: Box<dyn Engine>,
    finds_smallest: bool,
}

/// A question reached the limit of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

impl LexFirst {
    /// Asks `engine`; `finds_smallest` if its first solution is the smallest as it is.
    pub fn new(engine: Box<dyn Engine>, finds_smallest: bool) -> Self {
        Self { engine, finds_smallest }
    }

    /// The smallest solution that is larger than `after`, which must be a solution.
    ///
    /// # Errors
    /// When a question reached the limit of nodes.
    pub fn next(
        &mut self,
        puzzle: &Puzzle,
        after: &Grid,
        limits: Limits,
    ) -> Result<Option<Grid>, GaveUp> {
        let mut asked = Asked::default();
        for cell in (0..CELLS).rev().filter(|&cell| puzzle.cells()[cell] == 0) {
            let from = prefix(puzzle, after, cell);
            let digits = after.cells()[cell] + 1..=9;
            if let Some(grid) = self.first_of(&from, cell, digits, limits, &mut asked)? {
                if self.finds_smallest {
                    return Ok(Some(grid));
                }
                let from = prefix(puzzle, &grid, cell + 1);
                return self.smallest(&from, grid, limits, &mut asked).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes a solution the smallest that has the clues of `puzzle`.
    fn smallest(
        &mut self,
        puzzle: &Puzzle,
        mut known: Grid,
        limits: Limits,
        asked: &mut Asked,
    ) -> Result<Grid, GaveUp> {
        for cell in (0..CELLS).filter(|&cell| puzzle.cells()[cell] == 0) {
            let from = prefix(puzzle, &known, cell);
            let digits = 1..=known.cells()[cell] - 1;
            if let Some(smaller) = self.first_of(&from, cell, digits, limits, asked)? {
                known = smaller;
            }
        }
        Ok(known)
    }

    /// A solution of `puzzle` with the first of these digits in `cell` for which there is one.
    fn first_of(
        &mut self,
        puzzle: &Puzzle,
        cell: usize,
        digits: impl Iterator<Item = u8>,
        limits: Limits,
        asked: &mut Asked,
    ) -> Result<Option<Grid>, GaveUp> {
        let mut questions = [Puzzle::EMPTY; 9];
        let mut count = 0;
        for digit in digits.filter(|digit| is_free(puzzle, cell, *digit)) {
            questions[count] = with(puzzle, cell, digit);
            count += 1;
        }
        let mut outcomes = [Outcome::NONE; 9];
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        self.engine.solve(&questions[..count], limits, &mut outcomes[..count]);
        for outcome in &outcomes[..count] {
            asked.guesses += outcome.guesses;
            asked.nodes += outcome.nodes;
        }
        for outcome in &outcomes[..count] {
            if outcome.solutions > 0 {
                return Ok(Some(outcome.grid));
            }
            if outcome.gave_up {
                return Err(GaveUp);
            }
        }
        Ok(None)
    }

    /// Replaces the solution of an outcome by the smallest one.
    fn refine(&mut self, puzzle: &Puzzle, limits: Limits, outcome: &mut Outcome) {
        let start = Instant::now();
        let mut asked = Asked::default();
        match self.smallest(puzzle, outcome.grid, limits, &mut asked) {
            Ok(grid) => outcome.grid = grid,
            Err(GaveUp) => {
                *outcome = Outcome { grid: Grid::BLANK, solutions: 0, gave_up: true, ..*outcome };
            }
        }
        outcome.guesses += asked.guesses;
        outcome.nodes += asked.nodes;
        outcome.latency_ns += start.elapsed().as_nanos() as u64;
    }
}

impl Engine for LexFirst {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn simd(&self) -> Option<SimdLevel> {
        self.engine.simd()
    }

    fn solve(&mut self, puzzles: &[Puzzle], limits: Limits, outcomes: &mut [Outcome]) {
        self.engine.solve(puzzles, limits, outcomes);
        if self.finds_smallest {
            return;
        }
        for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
            // A search that ended by itself has seen every solution.
            let is_only = outcome.solutions < limits.solutions.get() && !outcome.gave_up;
            if outcome.solutions > 1 || outcome.solutions == 1 && !is_only {
                self.refine(puzzle, limits, outcome);
            }
        }
    }
}

/// What the questions cost.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    guesses: u64,
    nodes: u64,
}

/// The puzzle, and the digits of a solution in its blanks before `cell`.
fn prefix(puzzle: &Puzzle, solution: &Grid, cell: usize) -> Puzzle {
    let mut cells = *puzzle.cells();
    cells[..cell].copy_from_slice(&solution.cells()[..cell]);
    Puzzle::from_cells(cells).expect("digits up to 9")
}

fn with(puzzle: &Puzzle, cell: usize, digit: u8) -> Puzzle {
    let mut cells = *puzzle.cells();
    cells[cell] = digit;
    Puzzle::from_cells(cells).expect("digits up to 9")
}

/// Whether no peer of the cell has the digit.
fn is_free(puzzle: &Puzzle, cell: usize, digit: u8) -> bool {
    peers(cell).iter().all(|&peer| puzzle.cells()[usize::from(peer)] != digit)
}
