//! Corpora: random puzzles of a wanted kind.
//!
//! Puzzle `index` of a seed depends on the two alone: each has its own stream of random numbers,
//! so a corpus is the same however many threads make it, and any part of it can be made again.

mod random;

use std::fmt;

use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::solver::{Batch, Engine, Limits, Outcome, Scalar};
use random::Random;

/// What kind of puzzle to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One solution, and no clue can be taken without making it several.
    Minimal,
    /// One solution, 30 to 37 clues, solved by naked singles alone.
    Easy,
    /// Minimal, and takes the engine `scalar` many guesses: found by search.
    Hard,
    /// More than one solution.
    Several,
    /// Legal clues, no solution.
    Unsolvable,
}

impl Kind {
    /// Every kind, the default first.
    pub const ALL: &[Self] =
        &[Self::Minimal, Self::Easy, Self::Hard, Self::Several, Self::Unsolvable];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Easy => "easy",
            Self::Hard => "hard",
            Self::Several => "several",
            Self::Unsolvable => "unsolvable",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Makes puzzles; each thread has its own.
///
/// ```
/// use bulkdoku::generate::{Generator, Kind};
///
/// let mut generator = Generator::new();
/// let puzzle = generator.puzzle(Kind::Minimal, 7, 0);
/// assert_eq!(puzzle, Generator::new().puzzle(Kind::Minimal, 7, 0));
/// assert!((17..=40).contains(&puzzle.clues()));
/// ```
#[derive(Debug, Default)]
pub struct Generator {
    engine: Scalar,
}

/// How many moves the search for a hard puzzle tries.
const MOVES: usize = 1000;

/// The clues that an easy puzzle keeps.
const EASY_CLUES: std::ops::RangeInclusive<usize> = 30..=37;

impl Generator {
    /// A generator.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puzzle `index` (from 0) of the corpus that `seed` stands for.
    pub fn puzzle(&mut self, kind: Kind, seed: u64, index: u64) -> Puzzle {
        let mut random = Random::new(seed, index);
        let cells = match kind {
            Kind::Minimal => self.minimal(&mut random).0,
            Kind::Easy => easy(&mut random),
            Kind::Hard => self.hard(&mut random),
            Kind::Several => self.several(&mut random),
            Kind::Unsolvable => self.unsolvable(&mut random),
        };
        puzzle(cells)
    }

    /// A minimal puzzle and its solution: clues are taken from a full grid in random order, as
    /// long as the solution stays the only one.
    fn minimal(&mut self, random: &mut Random) -> (Cells, Cells) {
        let solution = full_grid(random);
        (self.reduce(solution, random), solution)
    }

    /// Takes every clue that can be taken, in random order.
    fn reduce(&mut self, mut cells: Cells, random: &mut Random) -> Cells {
        for cell in random.order::<CELLS>() {
            let clue = std::mem::take(&mut cells[cell]);
            if clue != 0 && self.solve(cells).solutions != 1 {
                cells[cell] = clue;
            }
        }
        cells
    }

    /// A climb from a minimal puzzle: take one or two clues, add others until the solution is
    /// the only one again, take what has become needless; keep the result if it needs no fewer
    /// guesses.
    fn hard(&mut self, random: &mut Random) -> Cells {
        let (mut best, _) = self.minimal(random);
        let mut guesses = self.solve(best).guesses;
        for _ in 0..MOVES {
            let Some(next) = self.neighbour(best, random) else { continue };
            let outcome = self.solve(next);
            if outcome.guesses >= guesses {
                (best, guesses) = (next, outcome.guesses);
            }
        }
        best
    }

    /// A minimal puzzle a few clues from this one.
    fn neighbour(&mut self, mut cells: Cells, random: &mut Random) -> Option<Cells> {
        let clues = random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0);
        let taken: Vec<usize> = clues.take(1 + random.below(2)).collect();
        taken.into_iter().for_each(|cell| cells[cell] = 0);
        // Each clue comes from a solution of those before, so there always is one.
        for cell in random.order::<CELLS>() {
            if cells[cell] == 0 {
                let outcome = self.solve(cells);
                if outcome.solutions == 1 {
                    return Some(self.reduce(cells, random));
                }
                cells[cell] = outcome.solution()?.cells()[cell];
            }
        }
        None
    }

    /// A minimal puzzle without one to three of its clues.
    fn several(&mut self, random: &mut Random) -> Cells {
        let (mut cells, _) = self.minimal(random);
        let clues: Vec<usize> =
            random.order::<CELLS>().into_iter().filter(|&cell| cells[cell] != 0).collect();
        for &cell in &clues[..=random.below(3)] {
            cells[cell] = 0;
        }
        cells
    }

    /// A puzzle with one solution, with a clue that is not in it: no solution is left.
    fn unsolvable(&mut self, random: &mut Random) -> Cells {
        let (cells, solution) = self.minimal(random);
        let mut ways: Vec<(usize, u8)> = Vec::new();
        for cell in (0..CELLS).filter(|&cell| cells[cell] == 0) {
            let wrong = candidates(&cells, cell) & !(1 << solution[cell]);
            ways.extend((1..=9).filter(|digit| wrong >> digit & 1 != 0).map(|d| (cell, d)));
        }
        // A minimal puzzle that naked singles did not already fill leaves a choice somewhere.
        if ways.is_empty() {
            return self.unsolvable(random);
        }
        let (cell, digit) = ways[random.below(ways.len())];
        let mut cells = cells;
        cells[cell] = digit;
        cells
    }

    /// Looks for up to two solutions.
    fn solve(&mut self, cells: Cells) -> Outcome {
        let mut outcome = [Outcome::NONE];
        self.engine.solve(Batch::Puzzles(&[puzzle(cells)]), Limits::PROOF, &mut outcome);
        outcome[0]
    }
}

/// 81 cells in row order, 0 for a blank.
type Cells = [u8; CELLS];

fn puzzle(cells: Cells) -> Puzzle {
    Puzzle::from_cells(cells).expect("digits are at most 9")
}

/// A full grid less clues in random order, as long as naked singles suffice.
fn easy(random: &mut Random) -> Cells {
    loop {
        let mut cells = full_grid(random);
        let wanted = EASY_CLUES.start() + random.below(EASY_CLUES.count());
        let mut clues = CELLS;
        for cell in random.order::<CELLS>() {
            let clue = std::mem::take(&mut cells[cell]);
            if clues > wanted && solved_by_naked_singles(&cells) {
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

/// Whether cells with a single candidate, filled one after the other, fill the grid.
///
/// Such a puzzle has exactly one solution: nothing is ever assumed.
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

/// The digit of a set that has one.
fn only_digit(digits: u16) -> Option<u8> {
    digits.is_power_of_two().then(|| digits.trailing_zeros() as u8)
}

/// The digits (bits 1 to 9) that no peer of a cell has.
fn candidates(cells: &Cells, cell: usize) -> u16 {
    let (row, column) = (cell / 9, cell % 9);
    let corner = row / 3 * 27 + column / 3 * 3;
    let taken = (0..9).fold(0_u16, |taken, i| {
        let peers = [row * 9 + i, i * 9 + column, corner + i / 3 * 9 + i % 3];
        peers.iter().fold(taken, |taken, &peer| taken | 1 << cells[peer])
    });
    !taken & 0b11_1111_1110
}

/// A random full grid: cell by cell, digits in random order. Rarely does that run into a long
/// search; then it starts afresh.
fn full_grid(random: &mut Random) -> Cells {
    loop {
        let mut cells = [0; CELLS];
        let mut steps = 2_000;
        if fill(&mut cells, 0, &mut steps, random) {
            return cells;
        }
    }
}

/// Fills the cells from `cell` on; recursion ends at the 81st.
fn fill(cells: &mut Cells, cell: usize, steps: &mut u32, random: &mut Random) -> bool {
    if cell == CELLS {
        return true;
    }
    *steps = steps.saturating_sub(1);
    let candidates = candidates(cells, cell);
    for digit in random.order::<9>().map(|i| i as u8 + 1) {
        if *steps > 0 && candidates >> digit & 1 != 0 {
            cells[cell] = digit;
            if fill(cells, cell + 1, steps, random) {
                return true;
            }
        }
    }
    cells[cell] = 0;
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solutions, up to two, and guesses.
    fn solve(puzzle: &Puzzle) -> Outcome {
        Generator::new().solve(*puzzle.cells())
    }

    fn corpus(kind: Kind, seed: u64, count: u64) -> Vec<Puzzle> {
        let mut generator = Generator::new();
        (0..count).map(|index| generator.puzzle(kind, seed, index)).collect()
    }

    #[test]
    fn minimal_puzzles_have_one_solution_and_no_needless_clue() {
        for puzzle in corpus(Kind::Minimal, 1, 20) {
            assert_eq!(solve(&puzzle).solutions, 1);
            for cell in (0..CELLS).filter(|&cell| puzzle.cells()[cell] != 0) {
                let mut cells = *puzzle.cells();
                cells[cell] = 0;
                assert_eq!(solve(&super::puzzle(cells)).solutions, 2);
            }
        }
    }

    #[test]
    fn the_other_kinds_are_what_they_say() {
        for puzzle in corpus(Kind::Easy, 1, 20) {
            assert!(EASY_CLUES.contains(&puzzle.clues()));
            assert!(solved_by_naked_singles(puzzle.cells()));
            assert_eq!(solve(&puzzle).solutions, 1);
        }
        for puzzle in corpus(Kind::Several, 1, 20) {
            assert_eq!(solve(&puzzle).solutions, 2);
        }
        for puzzle in corpus(Kind::Unsolvable, 1, 20) {
            assert_eq!((solve(&puzzle).solutions, puzzle.contradiction()), (0, None));
        }
        for puzzle in corpus(Kind::Hard, 1, 2) {
            let outcome = solve(&puzzle);
            assert!(outcome.solutions == 1 && outcome.guesses > 4, "{puzzle}: {outcome:?}");
        }
    }

    #[test]
    fn seeds_and_indices_make_different_puzzles() {
        let mut all = [corpus(Kind::Minimal, 1, 10), corpus(Kind::Minimal, 2, 10)].concat();
        all.sort_unstable_by_key(ToString::to_string);
        all.dedup();
        assert_eq!(all.len(), 20);
    }
}
