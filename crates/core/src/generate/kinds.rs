//! Kinds of puzzles that are derived from minimal puzzles, and easy puzzles.

use std::ops::RangeInclusive;

use super::recipe::Grids;
use super::symmetry::Symmetry;
use super::{Cells, Kind};
use crate::puzzle::{CELLS, Puzzle, peers};
use crate::random::SeededRng;
use crate::rating::Level;
use crate::solver::{Limits, Outcome, StopFlag, outcome_of};

/// Number of moves in the search for a hard puzzle.
const MOVES_PER_CLIMB: usize = 1000;

/// Number of those moves that start at a puzzle of the pool.
const MOVES_FROM_POOL: usize = 50;

/// The range of the number of clues of an easy puzzle.
pub const EASY_CLUES: RangeInclusive<usize> = 30..=37;

/// Derives a puzzle of this kind from a minimal puzzle; returns `None` if that is impossible.
pub fn from_minimal(
    kind: Kind,
    cells: Cells,
    solution: &Cells,
    random: &mut SeededRng,
    stop: &StopFlag,
) -> Option<Cells> {
    match kind {
        Kind::Hard => Some(hard(cells, false, random, stop)),
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
    let target = least + random.below((clues.end() + 1).checked_sub(least)?.max(1));
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

/// Removes every redundant clue, in random order.
fn reduce(mut cells: Cells, random: &mut SeededRng) -> Cells {
    for cell in random.order::<CELLS>() {
        let clue = std::mem::take(&mut cells[cell]);
        if clue != 0 && solve(cells).solutions != 1 {
            cells[cell] = clue;
        }
    }
    cells
}

/// Searches for a hard puzzle by hill climbing from a minimal puzzle.
///
/// A move removes one or two clues, adds others until there is one solution, and removes redundant
/// ones. It is accepted if the puzzle needs at least as many guesses. If `stop` is set, the search
/// ends early.
///
/// A climb from a puzzle of the pool ends at a different one. A hard puzzle often needs more
/// guesses than all its neighbors, so the climb starts at the best of a few neighbors. With more of
/// them, other rows would start at the same one.
pub fn hard(start: Cells, is_of_pool: bool, random: &mut SeededRng, stop: &StopFlag) -> Cells {
    let mut best = start;
    let (near_start, mut guesses) =
        if is_of_pool { (MOVES_FROM_POOL, 0) } else { (0, solve(start).guesses) };
    for i in (0..MOVES_PER_CLIMB).take_while(|_| !stop.is_requested()) {
        let from = if i < near_start { start } else { best };
        let Some(next) = neighbor(from, random) else { continue };
        let outcome = solve(next);
        if outcome.guesses >= guesses && !(is_of_pool && next == start) {
            (best, guesses) = (next, outcome.guesses);
        }
    }
    best
}

/// Returns a minimal puzzle that differs from this one in a few clues.
fn neighbor(mut cells: Cells, random: &mut SeededRng) -> Option<Cells> {
    let clues = random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0);
    let taken: Vec<usize> = clues.take(1 + random.below(2)).collect();
    taken.into_iter().for_each(|cell| cells[cell] = 0);
    // Each clue comes from a solution of the clues so far, so there always is a solution.
    for cell in random.order::<CELLS>() {
        if cells[cell] == 0 {
            let outcome = solve(cells);
            if outcome.solutions == 1 {
                return Some(reduce(cells, random));
            }
            cells[cell] = outcome.solution()?.cells()[cell];
        }
    }
    None
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

/// Searches for up to two solutions.
pub fn solve(cells: Cells) -> Outcome {
    outcome_of(&Puzzle(cells), Limits::PROOF)
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
