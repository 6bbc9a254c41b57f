//! The smallest solution, with any engine.
//!
//! Solutions are compared as 81-digit numbers. For each blank, row by row, the engine tries digits
//! in ascending order and keeps the first one for which a solution exists. No digit above that of a
//! known solution is tried.

use std::time::Instant;

use super::{Batch, Engine, Limits, Outcome, Scalar, StopFlag};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, peers};
use crate::simd::SimdLevel;

/// An engine that returns smallest solutions.
///
/// The node limit applies to each search of the engine; if one reaches it, the outcome has given up
/// and has no solution. Guesses, nodes and latency are totals over all searches.
pub struct LexFirst {
    engine: Box<dyn Engine>,
    /// Runs the small batches of searches, if `engine` is made for large ones.
    one_at_a_time: Option<Scalar>,
    finds_smallest: bool,
}

/// Why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It reached the limit of nodes.
    GaveUp,
    /// The engine was asked to stop.
    Stopped,
}

impl LexFirst {
    /// Wraps `engine`; `finds_smallest` tells that its first solution is already the smallest.
    pub fn new(engine: Box<dyn Engine>, finds_smallest: bool) -> Self {
        Self { engine, one_at_a_time: None, finds_smallest }
    }

    /// Wraps an engine that is made for large batches: further searches for each puzzle use the
    /// engine `scalar`.
    pub fn of_batches(engine: Box<dyn Engine>) -> Self {
        Self { engine, one_at_a_time: Some(Scalar::new()), finds_smallest: false }
    }

    /// Finds the smallest solution of `marks`, given a solution.
    fn smallest(
        &mut self,
        marks: &Marks,
        mut known: Grid,
        limits: Limits,
        asked: &mut Asked,
    ) -> Result<Grid, Unanswered> {
        for cell in 0..CELLS {
            let from = prefix(marks, &known, cell);
            let digits = marks.of_cell(cell).below(known.cells()[cell]);
            if let Some(smaller) = self.first_of(&from, cell, digits, limits, asked)? {
                known = smaller;
            }
        }
        Ok(known)
    }

    /// A solution of `marks` with the first of these digits in `cell` that admits one.
    fn first_of(
        &mut self,
        marks: &Marks,
        cell: usize,
        digits: Digits,
        limits: Limits,
        asked: &mut Asked,
    ) -> Result<Option<Grid>, Unanswered> {
        let mut questions = [*marks; 9];
        let mut count = 0;
        for digit in digits.into_iter().filter(|digit| is_free(marks, cell, *digit)) {
            questions[count].set(cell, Digits::one(digit));
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let mut outcomes = [Outcome::NONE; 9];
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        let questions = Batch::Marks(&questions[..count]);
        let engine: &mut dyn Engine = match &mut self.one_at_a_time {
            Some(scalar) => scalar,
            None => &mut *self.engine,
        };
        if engine.solve(questions, limits, &mut outcomes[..count]) < count {
            return Err(Unanswered::Stopped);
        }
        for outcome in &outcomes[..count] {
            asked.guesses += outcome.guesses;
            asked.nodes += outcome.nodes;
        }
        for outcome in &outcomes[..count] {
            if outcome.solutions > 0 {
                return Ok(Some(outcome.grid));
            }
            if outcome.gave_up {
                return Err(Unanswered::GaveUp);
            }
        }
        Ok(None)
    }

    /// Whether there may be a smaller solution.
    fn may_have_smaller(&self, outcome: &Outcome, limits: Limits) -> bool {
        // A search that ended by itself has found every solution.
        let is_only = outcome.solutions < limits.solutions.get() && !outcome.gave_up;
        !self.finds_smallest && (outcome.solutions > 1 || outcome.solutions == 1 && !is_only)
    }

    /// Replaces the solution of an outcome by the smallest one; returns `false` if stopped.
    fn refine(&mut self, marks: &Marks, limits: Limits, outcome: &mut Outcome) -> bool {
        let start = Instant::now();
        let mut asked = Asked::default();
        match self.smallest(marks, outcome.grid, limits, &mut asked) {
            Ok(grid) => outcome.grid = grid,
            Err(Unanswered::Stopped) => return false,
            Err(Unanswered::GaveUp) => {
                *outcome = Outcome { grid: Grid::BLANK, solutions: 0, gave_up: true, ..*outcome };
            }
        }
        outcome.guesses += asked.guesses;
        outcome.nodes += asked.nodes;
        outcome.latency_ns += start.elapsed().as_nanos() as u64;
        true
    }
}

impl Engine for LexFirst {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn simd(&self) -> Option<SimdLevel> {
        self.engine.simd()
    }

    fn stop_at(&mut self, stop: StopFlag) {
        if let Some(scalar) = &mut self.one_at_a_time {
            scalar.stop_at(stop.clone());
        }
        self.engine.stop_at(stop);
    }

    /// Searches for any other solution, not for the smallest.
    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.engine.solve_other(batch, known, limits, outcomes)
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        let found = self.engine.solve(batch, limits, outcomes);
        for (i, outcome) in outcomes[..found].iter_mut().enumerate() {
            if self.may_have_smaller(outcome, limits)
                && !self.refine(&batch.marks(i), limits, outcome)
            {
                return i;
            }
        }
        found
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    guesses: u64,
    nodes: u64,
}

/// The marks, with the digits of a solution in the cells before `cell`.
fn prefix(marks: &Marks, solution: &Grid, cell: usize) -> Marks {
    let mut from = *marks;
    for before in 0..cell {
        from.set(before, Digits::one(solution.cells()[before]));
    }
    from
}

/// Whether no peer of the cell has the digit as its only candidate.
fn is_free(marks: &Marks, cell: usize, digit: u8) -> bool {
    let digit = Digits::one(digit);
    peers(cell).iter().all(|&peer| marks.of_cell(usize::from(peer)) != digit)
}
