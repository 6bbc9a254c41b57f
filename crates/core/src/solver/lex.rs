//! Finding the smallest solution, with any engine.
//!
//! Solutions are compared as 81-digit numbers. For each blank, row by row, the engine tries digits
//! in ascending order and keeps the first one for which a solution exists. It never tries a digit
//! above that of a known solution.

use super::{Batch, Engine, Limits, Outcome, Query, Scalar, StopFlag, Unfinished};
use crate::clock::Instant;
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, peers};
use crate::simd::SimdLevel;

/// An engine that returns the smallest solution of each puzzle.
///
/// The node limit applies to each search of the inner engine; if one reaches it, the outcome has
/// given up and has no solution. Guesses, nodes, and latency are totals over all searches.
pub struct LexFirst {
    pub(super) engine: Box<dyn Engine>,
    /// The engine for small batches, if `engine` is efficient only in large ones.
    pub(super) one_at_a_time: Option<Scalar>,
    /// Whether the first solution of `engine` is already the smallest.
    pub(super) finds_smallest: bool,
}

impl LexFirst {
    /// Finds the smallest solution of `marks`, starting from the solution in `outcome`. Adds
    /// guesses and nodes to the outcome.
    fn smallest(
        &mut self,
        marks: &Marks,
        limits: Limits,
        outcome: &mut Outcome,
    ) -> Result<Grid, Unfinished> {
        let mut known = outcome.grid;
        for cell in 0..CELLS {
            let from = prefix(marks, &known, cell);
            let digits = marks.of_cell(cell).below(known.cells()[cell]);
            if let Some(smaller) =
                self.solution_with_one_of(&from, cell, digits, limits, outcome)?
            {
                known = smaller;
            }
        }
        Ok(known)
    }

    /// Returns a solution of `marks` with the first of these digits in `cell` that allows one.
    fn solution_with_one_of(
        &mut self,
        marks: &Marks,
        cell: usize,
        digits: Digits,
        limits: Limits,
        total: &mut Outcome,
    ) -> Result<Option<Grid>, Unfinished> {
        let mut candidates = [*marks; 9];
        let mut count = 0;
        for digit in digits.into_iter().filter(|digit| is_free(marks, cell, *digit)) {
            candidates[count].set(cell, Digits::one(digit));
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let mut outcomes = [Outcome::NONE; 9];
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        let batch = Batch::Marks(&candidates[..count]);
        let engine: &mut dyn Engine = match &mut self.one_at_a_time {
            Some(scalar) => scalar,
            None => &mut *self.engine,
        };
        if engine.solve(batch, limits, &mut outcomes[..count]) < count {
            return Err(Unfinished::Stopped);
        }
        for outcome in &outcomes[..count] {
            total.guesses += outcome.guesses;
            total.nodes += outcome.nodes;
        }
        for outcome in &outcomes[..count] {
            if outcome.solutions > 0 {
                return Ok(Some(outcome.grid));
            }
            if outcome.gave_up {
                return Err(Unfinished::GaveUp);
            }
        }
        Ok(None)
    }

    /// Returns whether there may be a smaller solution.
    fn may_have_smaller(&self, outcome: &Outcome, limits: Limits) -> bool {
        // A search that was not limited has found every solution.
        let is_only = outcome.solutions < limits.solutions.get() && !outcome.gave_up;
        !self.finds_smallest && (outcome.solutions > 1 || outcome.solutions == 1 && !is_only)
    }

    /// Replaces the solution of an outcome with the smallest one; returns `false` if stopped.
    fn refine(&mut self, marks: &Marks, limits: Limits, outcome: &mut Outcome) -> bool {
        let start = Instant::now();
        match self.smallest(marks, limits, outcome) {
            Ok(grid) => outcome.grid = grid,
            Err(Unfinished::Stopped) => return false,
            Err(Unfinished::GaveUp) => {
                *outcome = Outcome { grid: Grid::BLANK, solutions: 0, gave_up: true, ..*outcome };
            }
        }
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

    /// Finds any other solution, not the smallest, if solutions are known.
    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        let found = self.engine.search(query, outcomes);
        if query.known.is_some() {
            return found;
        }
        for (i, outcome) in outcomes[..found].iter_mut().enumerate() {
            if self.may_have_smaller(outcome, query.limits)
                && !self.refine(&query.batch.marks(i), query.limits, outcome)
            {
                return i;
            }
        }
        found
    }
}

/// Returns the marks with the digits of a solution in the cells before `cell`.
fn prefix(marks: &Marks, solution: &Grid, cell: usize) -> Marks {
    let mut from = *marks;
    for before in 0..cell {
        from.set(before, Digits::one(solution.cells()[before]));
    }
    from
}

/// Returns whether no peer of the cell has the digit as its only candidate.
fn is_free(marks: &Marks, cell: usize, digit: u8) -> bool {
    let digit = Digits::one(digit);
    peers(cell).iter().all(|&peer| marks.of_cell(usize::from(peer)) != digit)
}
