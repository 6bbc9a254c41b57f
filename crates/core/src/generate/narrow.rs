//! Puzzles with clues in exactly the given cells.
//!
//! The digits of a random grid in few given cells hardly ever have one solution. So this module
//! searches for digits by hill climbing: a move replaces one to three clues, and is accepted if the
//! number of solutions does not increase.

use super::recipe::Grids;
use super::{Cells, Yield, masked};
use crate::puzzle::{CELLS, Puzzle};
use crate::random::SeededRng;
use crate::solver::{Limits, Outcome, StopFlag, outcome_of};

/// Maximum number of solutions that are counted at the start of a climb.
const MAX_SOLUTIONS: u32 = 4_000;
/// Number of moves before a climb restarts.
const MOVES_PER_CLIMB: usize = 4_000;

/// Returns a grid whose digits in these cells have no other solution, or `None` if stopped. Each
/// climb counts as one drawn puzzle.
pub fn search(
    pattern: u128,
    grids: Grids,
    random: &mut SeededRng,
    yields: &Yield,
    stop: &StopFlag,
) -> Option<Cells> {
    let cells: Vec<usize> = (0..CELLS).filter(|&cell| pattern >> cell & 1 != 0).collect();
    loop {
        yields.add(1, 0);
        let mut clues = masked(&grids.fill(random), pattern);
        let mut outcome = count(&clues, MAX_SOLUTIONS);
        for _ in 0..MOVES_PER_CLIMB {
            if stop.is_requested() {
                return None;
            }
            if outcome.solutions == 1 {
                return Some(outcome.grid.0);
            }
            let next = neighbor(&clues, &cells, random);
            let found = count(&next, outcome.solutions.saturating_add(1));
            if (1..=outcome.solutions).contains(&found.solutions) {
                (clues, outcome) = (next, found);
            }
        }
    }
}

/// Replaces digits in one to three of the cells such that there is still a solution.
fn neighbor(clues: &Cells, cells: &[usize], random: &mut SeededRng) -> Cells {
    let mut next = *clues;
    let mut free = [0; 3];
    let free = &mut free[..=random.below(3)];
    for cell in &mut *free {
        *cell = cells[random.below(cells.len())];
        next[*cell] = 0;
    }
    for &mut cell in free {
        for digit in random.order::<9>() {
            next[cell] = digit as u8 + 1;
            if Puzzle(next).contradiction().is_none() && count(&next, 1).solutions == 1 {
                break;
            }
        }
    }
    next
}

fn count(clues: &Cells, limit: u32) -> Outcome {
    outcome_of(&Puzzle(*clues), Limits::count(limit.try_into().expect("at least 1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses clues in 24 cells, where random grids never have one solution.
    #[test]
    fn the_search_finds_digits_with_one_solution() {
        let puzzle: Puzzle =
            "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
                .parse()
                .unwrap();
        let more = [0, 4, 8, 18, 36, 40, 62, 80];
        let allowed = (0..CELLS)
            .filter(|&cell| puzzle.0[cell] != 0 || more.contains(&cell))
            .fold(0, |allowed, cell| allowed | 1 << cell);
        let yields = Yield::default();
        for index in 0..3 {
            let mut random = SeededRng::of_row(1, index);
            let stop = StopFlag::default();
            let grid = search(allowed, Grids::Rows, &mut random, &yields, &stop).unwrap();
            let found = count(&masked(&grid, allowed), 2);
            assert!(found.solutions == 1 && found.grid.0 == grid, "{index}");
        }
        let stop = StopFlag::default();
        stop.request();
        let mut random = SeededRng::of_row(1, 0);
        assert!(search(allowed, Grids::Rows, &mut random, &yields, &stop).is_none());
    }
}
