//! Random permutations that leave a puzzle what it is: as hard, with as many solutions.
//!
//! A permutation renames the digits and exchanges bands, stacks, the rows of a band, the columns
//! of a stack, and perhaps rows with columns: all symmetries that sudoku has, 9! x 2 x 6^8 of
//! them. A solver that happens to look first where a file hides its clues gains nothing then.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::puzzle::{CELLS, Grid, Puzzle};

/// Random numbers from a seed, the same on every machine.
#[derive(Clone, Debug)]
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The same seed, the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of the numbers below `end`, which must not be 0.
    fn below(&mut self, end: usize) -> usize {
        // Of 2^64 equally likely products; for the small `end` here they favour none.
        ((u128::from(self.0.next_u64()) * end as u128) >> 64) as usize
    }

    /// Puts `items` into an order of which all are equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// The numbers below `N`, shuffled.
    fn order<const N: usize>(&mut self) -> [usize; N] {
        let mut order = std::array::from_fn(|i| i);
        self.shuffle(&mut order);
        order
    }

    /// Nine rows or columns: the threes exchanged, and the members of each three.
    fn lines(&mut self) -> [usize; 9] {
        let threes = self.order::<3>();
        let members: [[usize; 3]; 3] = std::array::from_fn(|_| self.order());
        std::array::from_fn(|i| threes[i / 3] * 3 + members[i / 3][i % 3])
    }
}

/// One symmetry of sudoku.
#[derive(Clone, Debug)]
pub struct Permutation {
    /// The cell from which each cell is taken.
    source: [u8; CELLS],
    /// What each digit becomes; a blank stays a blank.
    digits: [u8; 10],
}

impl Permutation {
    /// One of all, equally likely.
    pub fn random(chance: &mut Chance) -> Self {
        let (rows, columns, transpose) = (chance.lines(), chance.lines(), chance.below(2) == 1);
        let source = std::array::from_fn(|cell| {
            let (row, column) = (rows[cell / 9], columns[cell % 9]);
            (if transpose { column * 9 + row } else { row * 9 + column }) as u8
        });
        let renamed = chance.order::<9>();
        let digits = std::array::from_fn(|d| if d == 0 { 0 } else { renamed[d - 1] as u8 + 1 });
        Self { source, digits }
    }

    /// The puzzle permuted.
    #[must_use]
    pub fn puzzle(&self, puzzle: &Puzzle) -> Puzzle {
        Puzzle::from_cells(self.cells(puzzle.cells())).expect("digits stay digits")
    }

    /// The grid permuted: the solution of a puzzle becomes that of the permuted puzzle.
    #[must_use]
    pub fn grid(&self, grid: &Grid) -> Grid {
        Grid(self.cells(grid.cells()))
    }

    fn cells(&self, cells: &[u8; CELLS]) -> [u8; CELLS] {
        self.source.map(|from| self.digits[usize::from(cells[usize::from(from)])])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solver::{Limits, Outcome, solve_batch};

    const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn solve(puzzle: Puzzle) -> Outcome {
        let mut outcomes = [Outcome::NONE];
        solve_batch(&[puzzle], Limits::PROOF, &mut outcomes);
        outcomes[0]
    }

    proptest! {
        #[test]
        fn a_permuted_puzzle_has_the_permuted_solution(seed: u64) {
            let puzzle: Puzzle = CLASSIC.parse().unwrap();
            let permutation = Permutation::random(&mut Chance::new(seed));
            let permuted = permutation.puzzle(&puzzle);
            let solution = permutation.grid(&solve(puzzle).grid);
            prop_assert!(solution.solves(&permuted));
            let found = solve(permuted);
            prop_assert_eq!((found.solutions, found.grid), (1, solution));
        }
    }

    #[test]
    fn a_seed_fixes_the_permutation() {
        let permuted = |seed| {
            let puzzle = CLASSIC.parse().unwrap();
            Permutation::random(&mut Chance::new(seed)).puzzle(&puzzle)
        };
        assert_eq!(permuted(7), permuted(7));
        assert_ne!(permuted(7), permuted(8));
    }

    #[test]
    fn every_cell_and_digit_is_reached() {
        let mut chance = Chance::new(1);
        let mut cells = [0; CELLS];
        cells[0] = 1;
        let corner = Puzzle::from_cells(cells).unwrap();
        let mut places = [[false; 10]; CELLS];
        for _ in 0..20_000 {
            let permuted = Permutation::random(&mut chance).puzzle(&corner);
            let cell = permuted.cells().iter().position(|&c| c != 0).unwrap();
            places[cell][usize::from(permuted.cells()[cell])] = true;
        }
        assert!(places.iter().all(|digits| digits[1..].iter().all(|&seen| seen)));
    }

    #[test]
    fn shuffling_keeps_the_items() {
        let mut items: Vec<_> = (0..100).collect();
        Chance::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
