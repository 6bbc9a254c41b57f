//! Kinds of puzzles that are derived from minimal puzzles, and easy puzzles.

use std::ops::RangeInclusive;

use super::recipe::Grids;
use super::symmetry::Symmetry;
use super::{Cells, Kind};
use crate::puzzle::{CELLS, Puzzle, peers};
use crate::random::SeededRng;
use crate::rating::Level;

/// The range of the number of clues of an easy puzzle.
pub const EASY_CLUES: RangeInclusive<usize> = 30..=37;

/// Derives a puzzle of this kind from a minimal puzzle; returns `None` if that is impossible.
pub fn from_minimal(
    kind: Kind,
    cells: Cells,
    solution: &Cells,
    random: &mut SeededRng,
) -> Option<Cells> {
    match kind {
        Kind::Several => Some(with_several_solutions(cells, random)),
        Kind::Unsolvable => with_no_solution(cells, solution, random),
        Kind::Minimal | Kind::Unique | Kind::Solved | Kind::Easy => Some(cells),
    }
}

/// Adds clues of the solution to a minimal puzzle, in random order and with their images, until it
/// has a number of clues that is drawn from `clues`; returns `None` if that is impossible.
pub fn with_more_clues(
    mut cells: Cells,
    solution: &Cells,
    clues: &RangeInclusive<usize>,
    symmetry: Symmetry,
    random: &mut SeededRng,
) -> Option<Cells> {
    let mut count = Puzzle(cells).clues();
    let least = count.max(*clues.start());
    let most = (*clues.end()).min(CELLS);
    let target = least + random.below((most + 1).checked_sub(least)?.max(1));
    for cell in random.order::<CELLS>() {
        let mut more = cells;
        symmetry.images(cell).iter().for_each(|&image| more[image] = solution[image]);
        let longer = Puzzle(more).clues();
        if longer <= target {
            (cells, count) = (more, longer);
        }
    }
    clues.contains(&count).then_some(cells)
}

/// Removes one to three clues of a minimal puzzle, so that it has several solutions.
fn with_several_solutions(mut cells: Cells, random: &mut SeededRng) -> Cells {
    let clues: Vec<usize> =
        random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0).collect();
    for &cell in &clues[..=random.below(3)] {
        cells[cell] = 0;
    }
    cells
}

/// Adds a clue that is not in the only solution, so that there is none. Returns `None` if no blank
/// cell has another candidate.
fn with_no_solution(mut cells: Cells, solution: &Cells, random: &mut SeededRng) -> Option<Cells> {
    let mut ways: Vec<(usize, u8)> = Vec::new();
    for cell in (0..CELLS).filter(|&cell| cells[cell] == 0) {
        let wrong = candidates(&cells, cell) & !(1 << solution[cell]);
        ways.extend((1..=9).filter(|digit| wrong >> digit & 1 != 0).map(|d| (cell, d)));
    }
    if ways.is_empty() {
        return None;
    }
    let (cell, digit) = ways[random.below(ways.len())];
    cells[cell] = digit;
    Some(cells)
}

/// Removes clues of a full grid in random order while naked singles solve the puzzle.
pub fn easy(grids: Grids, random: &mut SeededRng) -> Cells {
    loop {
        let mut cells = grids.fill(random);
        let target = EASY_CLUES.start() + random.below(EASY_CLUES.count());
        let mut clues = CELLS;
        for cell in random.order::<CELLS>() {
            let clue = std::mem::take(&mut cells[cell]);
            if clues > target && Level::of(&Puzzle(cells)) == Level::NakedSingles {
                clues -= 1;
            } else {
                cells[cell] = clue;
            }
        }
        if EASY_CLUES.contains(&clues) {
            return cells;
        }
    }
}

/// Returns the candidates of a cell (bits 1 to 9): the digits that no peer has.
fn candidates(cells: &Cells, cell: usize) -> u16 {
    let digit = |&peer: &u8| cells[usize::from(peer)];
    let taken = peers(cell).iter().fold(0_u16, |taken, peer| taken | 1 << digit(peer));
    !taken & 0b11_1111_1110
}
