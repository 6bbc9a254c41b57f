//! Random isomorphs: permutations that preserve the difficulty and the number of solutions of a
//! puzzle.
//!
//! A permutation relabels the digits, permutes bands, stacks, the rows of a band and the columns of
//! a stack, and may transpose the board: the 9! × 2 × 6⁸ symmetries of sudoku. With random
//! isomorphs, a solver cannot profit from the order of the cells in a file.

use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle};

pub use crate::random::SeededRng;

/// The kinds of symmetries from which permutations are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any combination is possible")]
pub struct Kinds {
    /// Relabels digits.
    pub digits: bool,
    /// Permutes the rows of a band and the columns of a stack.
    pub rows: bool,
    /// Permutes bands and stacks.
    pub bands: bool,
    /// Transposes the board.
    pub transpose: bool,
}

impl Kinds {
    /// All kinds.
    pub const ALL: Self = Self { digits: true, rows: true, bands: true, transpose: true };

    /// Returns a random order of nine rows or columns.
    fn lines(self, rng: &mut SeededRng) -> [u8; 9] {
        let threes = ordered(rng, self.bands, [0, 3, 6]);
        let members: [[u8; 3]; 3] = std::array::from_fn(|_| ordered(rng, self.rows, [0, 1, 2]));
        std::array::from_fn(|i| threes[i / 3] + members[i / 3][i % 3])
    }
}

/// Returns these numbers in random order, if it `is_random`.
fn ordered<const N: usize>(rng: &mut SeededRng, is_random: bool, mut numbers: [u8; N]) -> [u8; N] {
    if is_random {
        rng.shuffle(&mut numbers);
    }
    numbers
}

/// A symmetry of sudoku, which maps puzzles to isomorphic puzzles.
#[derive(Clone, Debug)]
pub struct Permutation {
    /// The cell from which each cell is taken.
    source: [u8; CELLS],
    /// The new label of each digit; a blank remains a blank. The other entries avoid bounds checks.
    digits: [u8; 16],
}

impl Permutation {
    /// Draws a random permutation. All are equally likely.
    pub fn random(rng: &mut SeededRng) -> Self {
        Self::of_kinds(rng, Kinds::ALL)
    }

    /// Draws a random combination of permutations of these kinds. All are equally likely.
    pub fn of_kinds(rng: &mut SeededRng, kinds: Kinds) -> Self {
        let (rows, columns) = (kinds.lines(rng), kinds.lines(rng));
        let transpose = kinds.transpose && rng.below(2) == 1;
        let (down, right) = if transpose { (1, 9) } else { (9, 1) };
        let (rows, columns) = (rows.map(|row| row * down), columns.map(|column| column * right));
        let mut source = [0; CELLS];
        for (cells, row) in source.as_chunks_mut::<9>().0.iter_mut().zip(rows) {
            *cells = columns.map(|column| row + column);
        }
        let mut digits = [0; 16];
        digits[1..=9].copy_from_slice(&ordered(rng, kinds.digits, [1, 2, 3, 4, 5, 6, 7, 8, 9]));
        Self { source, digits }
    }

    /// Permutes a puzzle.
    #[must_use]
    pub fn puzzle(&self, puzzle: &Puzzle) -> Puzzle {
        Puzzle(self.cells(puzzle.cells()))
    }

    /// Permutes a grid. The solutions of a puzzle become solutions of the permuted puzzle.
    #[must_use]
    pub fn grid(&self, grid: &Grid) -> Grid {
        Grid(self.cells(grid.cells()))
    }

    /// Permutes a puzzle and its solution.
    #[must_use]
    pub fn puzzle_and_grid(&self, puzzle: &Puzzle, grid: &Grid) -> (Puzzle, Grid) {
        // Both share a byte, so the cells are permuted once.
        let both: [u8; CELLS] =
            std::array::from_fn(|cell| puzzle.cells()[cell] << 4 | grid.cells()[cell]);
        let both = self.source.map(|from| both[usize::from(from)]);
        let renamed = both.map(|both| self.digits[usize::from(both & 15)]);
        let clues = both.map(|both| self.digits[usize::from(both >> 4)]);
        (Puzzle(clues), Grid(renamed))
    }

    /// Permutes pencil marks and relabels their candidates.
    #[must_use]
    pub fn marks(&self, marks: &Marks) -> Marks {
        Marks::from_cells(self.source.map(|from| {
            let mut renamed = Digits::default();
            for digit in marks.of_cell(usize::from(from)) {
                renamed.insert(self.digits[usize::from(digit)]);
            }
            renamed
        }))
    }

    pub(crate) fn cells(&self, cells: &[u8; CELLS]) -> [u8; CELLS] {
        self.source.map(|from| self.digits[usize::from(cells[usize::from(from)] & 15)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::puzzle::CLASSIC;
    use crate::solver::{Limits, Outcome, solve_batch};

    fn solve(puzzle: Puzzle) -> Outcome {
        let mut outcomes = [Outcome::NONE];
        solve_batch(&[puzzle], Limits::PROOF, &mut outcomes);
        outcomes[0]
    }

    proptest! {
        #[test]
        fn a_permuted_puzzle_has_the_permuted_solution(seed: u64) {
            let puzzle: Puzzle = CLASSIC.parse().unwrap();
            let permutation = Permutation::random(&mut SeededRng::new(seed));
            let permuted = permutation.puzzle(&puzzle);
            prop_assert_eq!(permutation.marks(&Marks::from(&puzzle)), Marks::from(&permuted));
            let solution = permutation.grid(&solve(puzzle).grid);
            prop_assert!(solution.solves(&permuted));
            let found = solve(permuted);
            prop_assert_eq!((found.solutions, found.grid), (1, solution));
        }
    }

    #[test]
    fn the_same_seed_yields_the_same_permutation() {
        let permuted = |seed| {
            let puzzle = CLASSIC.parse().unwrap();
            Permutation::random(&mut SeededRng::new(seed)).puzzle(&puzzle)
        };
        assert_eq!(permuted(7), permuted(7));
        assert_ne!(permuted(7), permuted(8));
    }

    #[test]
    fn single_kinds_change_only_what_they_permute() {
        let none = Kinds { digits: false, rows: false, bands: false, transpose: false };
        let grid: [u8; CELLS] = std::array::from_fn(|cell| (cell / 9) as u8 + 1);
        for seed in 0..20 {
            let cells =
                |kinds| Permutation::of_kinds(&mut SeededRng::new(seed), kinds).cells(&grid);
            assert_eq!(cells(none), grid);
            // Each row has one digit, unless the board is transposed.
            let rows =
                |cells: [u8; CELLS]| -> Vec<_> { (0..9).map(|row| cells[9 * row]).collect() };
            let bands = rows(cells(Kinds { bands: true, ..none }));
            assert!(bands.chunks(3).all(|band| band[1] == band[0] + 1 && band[2] == band[0] + 2));
            let lines = rows(cells(Kinds { rows: true, ..none }));
            assert!(
                lines
                    .iter()
                    .enumerate()
                    .all(|(row, &digit)| row / 3 == (usize::from(digit) - 1) / 3)
            );
            let turned = cells(Kinds { transpose: true, ..none });
            assert!(turned == grid || turned[..9] == [1, 2, 3, 4, 5, 6, 7, 8, 9]);
            let renamed = cells(Kinds { digits: true, ..none });
            assert!(renamed.chunks(9).all(|row| row.iter().all(|&digit| digit == row[0])));
        }
    }

    #[test]
    fn every_cell_and_digit_is_reached() {
        let mut rng = SeededRng::new(1);
        let mut cells = [0; CELLS];
        cells[0] = 1;
        let corner = Puzzle::from_cells(cells).unwrap();
        let mut places = [[false; 10]; CELLS];
        for _ in 0..20_000 {
            let permuted = Permutation::random(&mut rng).puzzle(&corner);
            let cell = permuted.cells().iter().position(|&c| c != 0).unwrap();
            places[cell][usize::from(permuted.cells()[cell])] = true;
        }
        assert!(places.iter().all(|digits| digits[1..].iter().all(|&seen| seen)));
    }

    #[test]
    fn shuffling_keeps_the_items() {
        let mut items: Vec<_> = (0..100).collect();
        SeededRng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
