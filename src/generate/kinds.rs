//! Other kinds, made from minimal puzzles, and easy puzzles.

use super::recipe::Grids;
use super::{Cells, Kind};
use crate::puzzle::{CELLS, Grid, Puzzle, peers};
use crate::random::SeededRng;
use crate::solver::{Batch, Engine, Limits, Outcome, Scalar};

/// The number of moves in the search for a hard puzzle.
const MOVES: usize = 1000;

/// The number of clues of an easy puzzle.
pub const EASY_CLUES: std::ops::RangeInclusive<usize> = 30..=37;

/// Makes a puzzle of this kind from a minimal puzzle; `None` if that is impossible.
pub fn of_minimal(
    kind: Kind,
    cells: Cells,
    solution: &Cells,
    random: &mut SeededRng,
    scalar: &mut Scalar,
) -> Option<Cells> {
    match kind {
        Kind::Hard => Some(hard(cells, random, scalar)),
        Kind::Several => Some(several(cells, random)),
        Kind::Unsolvable => unsolvable(cells, solution, random),
        Kind::Minimal | Kind::Solved | Kind::Easy => Some(cells),
    }
}

/// Removes every clue that can be removed, in random order.
fn reduce(mut cells: Cells, random: &mut SeededRng, scalar: &mut Scalar) -> Cells {
    for cell in random.order::<CELLS>() {
        let clue = std::mem::take(&mut cells[cell]);
        if clue != 0 && solve(scalar, cells).solutions != 1 {
            cells[cell] = clue;
        }
    }
    cells
}

/// Hill climbing from a minimal puzzle: a move removes one or two clues, adds others until there is
/// one solution, and removes redundant ones. It is accepted if the puzzle needs at least as many
/// guesses.
pub fn hard(mut best: Cells, random: &mut SeededRng, scalar: &mut Scalar) -> Cells {
    let mut guesses = solve(scalar, best).guesses;
    for _ in 0..MOVES {
        let Some(next) = neighbour(best, random, scalar) else { continue };
        let outcome = solve(scalar, next);
        if outcome.guesses >= guesses {
            (best, guesses) = (next, outcome.guesses);
        }
    }
    best
}

/// A minimal puzzle that differs from this one in a few clues.
fn neighbour(mut cells: Cells, random: &mut SeededRng, scalar: &mut Scalar) -> Option<Cells> {
    let clues = random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0);
    let taken: Vec<usize> = clues.take(1 + random.below(2)).collect();
    taken.into_iter().for_each(|cell| cells[cell] = 0);
    // Each clue comes from a solution of the clues so far, so there always is one.
    for cell in random.order::<CELLS>() {
        if cells[cell] == 0 {
            let outcome = solve(scalar, cells);
            if outcome.solutions == 1 {
                return Some(reduce(cells, random, scalar));
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
pub fn solve(scalar: &mut Scalar, cells: Cells) -> Outcome {
    let mut outcome = [Outcome::NONE];
    scalar.solve(Batch::Puzzles(&[Puzzle(cells)]), Limits::PROOF, &mut outcome);
    outcome[0]
}

/// Removes clues of a full grid in random order, as long as naked singles solve it.
pub fn easy(grids: Grids, random: &mut SeededRng) -> Cells {
    loop {
        let mut cells = grids.fill(random);
        let target = EASY_CLUES.start() + random.below(EASY_CLUES.count());
        let mut clues = CELLS;
        for cell in random.order::<CELLS>() {
            let clue = std::mem::take(&mut cells[cell]);
            if clues > target && solved_by_naked_singles(&cells) {
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

/// Whether filling cells that have a single candidate, one after the other, fills the grid.
///
/// Such a puzzle has exactly one solution, because there are no guesses.
///
/// ```
/// use bulkdoku::generate::solved_by_naked_singles;
///
/// let easy = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let hard = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
/// assert!(solved_by_naked_singles(easy.parse::<bulkdoku::Puzzle>()?.cells()));
/// assert!(!solved_by_naked_singles(hard.parse::<bulkdoku::Puzzle>()?.cells()));
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
pub fn solved_by_naked_singles(cells: &[u8; CELLS]) -> bool {
    let mut cells = *cells;
    loop {
        let single = (0..CELLS)
            .filter(|&cell| cells[cell] == 0)
            .find_map(|cell| Some((cell, only_digit(candidates(&cells, cell))?)));
        match single {
            Some((cell, digit)) => cells[cell] = digit,
            None => return Grid(cells).solves(&Puzzle::EMPTY),
        }
    }
}

fn only_digit(digits: u16) -> Option<u8> {
    digits.is_power_of_two().then(|| digits.trailing_zeros() as u8)
}

/// The candidates of a cell (bits 1 to 9): digits that no peer has.
fn candidates(cells: &Cells, cell: usize) -> u16 {
    let digit = |&peer: &u8| cells[usize::from(peer)];
    let taken = peers(cell).iter().fold(0_u16, |taken, peer| taken | 1 << digit(peer));
    !taken & 0b11_1111_1110
}
