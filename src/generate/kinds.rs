//! Other kinds, made from minimal puzzles, and easy puzzles.

use super::recipe::Grids;
use super::{Cells, Kind};
use crate::puzzle::{CELLS, Puzzle, peers};
use crate::random::SeededRng;
use crate::rating::Level;
use crate::solver::{Limits, Outcome, StopFlag, outcome_of};

/// The number of moves in the search for a hard puzzle.
const MOVES: usize = 1000;

/// The number of those from a puzzle of a pool.
const MOVES_NEAR_START: usize = 50;

/// The number of clues of an easy puzzle.
pub const EASY_CLUES: std::ops::RangeInclusive<usize> = 30..=37;

/// Makes a puzzle of this kind from a minimal puzzle; `None` if that is impossible.
pub fn of_minimal(
    kind: Kind,
    cells: Cells,
    solution: &Cells,
    random: &mut SeededRng,
    stop: &StopFlag,
) -> Option<Cells> {
    match kind {
        Kind::Hard => Some(hard(cells, false, random, stop)),
        Kind::Several => Some(several(cells, random)),
        Kind::Unsolvable => unsolvable(cells, solution, random),
        Kind::Minimal | Kind::Solved | Kind::Easy => Some(cells),
    }
}

/// Removes every clue that can be removed, in random order.
fn reduce(mut cells: Cells, random: &mut SeededRng) -> Cells {
    for cell in random.order::<CELLS>() {
        let clue = std::mem::take(&mut cells[cell]);
        if clue != 0 && solve(cells).solutions != 1 {
            cells[cell] = clue;
        }
    }
    cells
}

/// Hill climbing from a minimal puzzle: a move removes one or two clues, adds others until there is
/// one solution, and removes redundant ones. It is accepted if the puzzle needs at least as many
/// guesses. If the search is stopped, it ends early.
///
/// A climb from a puzzle of a pool ends at another one. A hard puzzle often needs more guesses than
/// all its neighbors, so the climb starts at the best of a few of them. With more, other rows would
/// find the same one.
pub fn hard(start: Cells, is_of_pool: bool, random: &mut SeededRng, stop: &StopFlag) -> Cells {
    let mut best = start;
    let (near_start, mut guesses) =
        if is_of_pool { (MOVES_NEAR_START, 0) } else { (0, solve(start).guesses) };
    for i in (0..MOVES).take_while(|_| !stop.is_requested()) {
        let from = if i < near_start { start } else { best };
        let Some(next) = neighbour(from, random) else { continue };
        let outcome = solve(next);
        if outcome.guesses >= guesses && !(is_of_pool && next == start) {
            (best, guesses) = (next, outcome.guesses);
        }
    }
    best
}

/// A minimal puzzle that differs from this one in a few clues.
fn neighbour(mut cells: Cells, random: &mut SeededRng) -> Option<Cells> {
    let clues = random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0);
    let taken: Vec<usize> = clues.take(1 + random.below(2)).collect();
    taken.into_iter().for_each(|cell| cells[cell] = 0);
    // Each clue comes from a solution of the clues so far, so there always is one.
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

/// A minimal puzzle without one to three of its clues.
fn several(mut cells: Cells, random: &mut SeededRng) -> Cells {
    let clues: Vec<usize> =
        random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0).collect();
    for &cell in &clues[..=random.below(3)] {
        cells[cell] = 0;
    }
    cells
}

/// Adds a clue that is not in the only solution, so there is none. `None` if every blank cell has
/// only its own digit as candidate.
fn unsolvable(mut cells: Cells, solution: &Cells, random: &mut SeededRng) -> Option<Cells> {
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

/// Removes clues of a full grid in random order, as long as naked singles solve it.
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

/// The candidates of a cell (bits 1 to 9): digits that no peer has.
fn candidates(cells: &Cells, cell: usize) -> u16 {
    let digit = |&peer: &u8| cells[usize::from(peer)];
    let taken = peers(cell).iter().fold(0_u16, |taken, peer| taken | 1 << digit(peer));
    !taken & 0b11_1111_1110
}
