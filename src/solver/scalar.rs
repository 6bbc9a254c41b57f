//! The engine `scalar`: one puzzle at a time.
//!
//! A first form: naked singles and the cell with the fewest candidates.

use std::time::Instant;

use super::{Engine, Limits, Outcome};
use crate::puzzle::{CELLS, Grid, Puzzle};

/// One puzzle at a time.
#[derive(Debug, Default)]
pub struct Scalar {}

impl Scalar {
    /// An engine ready for its first batch.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Engine for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn solve(&mut self, puzzles: &[Puzzle], limits: Limits, outcomes: &mut [Outcome]) {
        assert_eq!(puzzles.len(), outcomes.len());
        for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
            let start = Instant::now();
            *outcome = Outcome::NONE;
            let mut cells = [0; CELLS];
            if puzzle.contradiction().is_none() {
                cells = *puzzle.cells();
                search(&mut cells, limits, outcome);
            }
            let _ = cells;
            outcome.latency_ns = start.elapsed().as_nanos() as u64;
        }
    }
}

fn candidates(cells: &[u8; CELLS], cell: usize) -> u16 {
    let (r, c) = (cell / 9, cell % 9);
    let mut used = 0_u16;
    for i in 0..9 {
        used |= 1 << cells[r * 9 + i];
        used |= 1 << cells[i * 9 + c];
        used |= 1 << cells[(r / 3 * 3 + i / 3) * 9 + c / 3 * 3 + i % 3];
    }
    !used & 0b11_1111_1110
}

/// Whether to go on.
fn search(cells: &mut [u8; CELLS], limits: Limits, outcome: &mut Outcome) -> bool {
    if limits.nodes.is_some_and(|limit| outcome.nodes >= limit.get()) {
        outcome.gave_up = true;
        return false;
    }
    outcome.nodes += 1;
    let open = (0..CELLS).filter(|&i| cells[i] == 0);
    let Some(cell) = open.min_by_key(|&i| candidates(cells, i).count_ones()) else {
        if outcome.solutions == 0 {
            outcome.grid = Grid(*cells);
        }
        outcome.solutions += 1;
        return outcome.solutions < limits.solutions.get();
    };
    let mut left = candidates(cells, cell);
    outcome.guesses += u64::from(left.count_ones() > 1);
    while left != 0 {
        cells[cell] = left.trailing_zeros() as u8;
        if !search(cells, limits, outcome) {
            return false;
        }
        left &= left - 1;
    }
    cells[cell] = 0;
    true
}
