//! The candidates of one puzzle, and what follows from them.

use super::tables::{
    ALL, CLOSURE, CONFIGURATIONS, CONFIGURATIONS_LEFT, Cells, EACH_ROW, LOCKED, MINIROWS_OF_ROW,
    PAIR, PLACED,
};
use crate::puzzle::{CELLS, Grid, Puzzle};

/// How far propagation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Every cell has one digit, and they obey the rules.
    Solved,
    /// Nothing more follows; some cells still have several candidates.
    Stuck,
    /// Some digit or cell has no place left.
    Contradiction,
}

/// A digit (0 to 8) in a band (0 to 2), and the cells that either side of the guess leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    digit: usize,
    band: usize,
    sides: [Cells; 2],
}

/// The candidates of one puzzle, digit by digit and band by band.
///
/// A digit's candidates in a band are the 27 low bits of one word; three words hold a digit,
/// 27 the board (a fourth word pads each digit to a vector of 128 bits):
///
/// ```text
///              box 0     box 1     box 2
///           ┌─────────┬─────────┬─────────┐
///     row 0 │  0  1  2│  3  4  5│  6  7  8│   a row is 9 bits,
///     row 1 │  9 10 11│ 12 13 14│ 15 16 17│   a minirow 3 bits,
///     row 2 │ 18 19 20│ 21 22 23│ 24 25 26│   a band 27 bits
///           └─────────┴─────────┴─────────┘
/// ```
///
/// So one step treats a digit's 27 cells at once: which minirows and columns it can stand in is
/// two or three lookups ([`Board::settle`]), and a pass over the nine digits counts the
/// candidates of all cells ([`Board::count_candidates`]).
///
/// Bitboards of one digit in one band, with tables for what a band implies, are the idea of
/// zhouyundong's and JCZ's solvers in the New Sudoku Players' Forum. The closure over the six
/// permutations of a band is what tdoku calls its configurations.
#[derive(Clone, Debug)]
pub struct Board {
    /// `candidates[digit][band]`.
    candidates: [[Cells; 4]; 9],
    /// `columns[digit][band]`: the columns (9 bits) of the candidates when last settled.
    columns: [[u16; 4]; 9],
    /// The cells whose digit has been taken from all others' candidates.
    settled: [Cells; 4],
    /// Bit `4 * digit + band`: these candidates have changed since they were settled.
    changed: u64,
}

impl Board {
    /// The candidates that the clues leave.
    pub fn new(puzzle: &Puzzle) -> Self {
        let mut board = Self {
            candidates: [[ALL; 4]; 9],
            columns: [[0b1_1111_1111; 4]; 9],
            settled: [0; 4],
            changed: 0x7_7777_7777,
        };
        let mut clues = [[0; 4]; 9];
        for (i, &clue) in puzzle.cells().iter().enumerate() {
            if clue != 0 {
                let (digit, band, cell) = (usize::from(clue) - 1, i / 27, i % 27);
                clues[digit][band] |= 1 << cell;
                board.settled[band] |= 1 << cell;
                board.candidates[digit][band] &= PLACED[cell];
                let column = EACH_ROW << (cell % 9);
                board.candidates[digit][(band + 1) % 3] &= !column;
                board.candidates[digit][(band + 2) % 3] &= !column;
            }
        }
        for digit in 0..9 {
            for band in 0..3 {
                board.candidates[digit][band] &= !board.settled[band] | clues[digit][band];
            }
        }
        board
    }

    /// Draws conclusions until nothing more follows.
    pub fn propagate(&mut self) -> Progress {
        loop {
            while self.changed != 0 {
                let first = self.changed.trailing_zeros() as usize;
                self.changed &= self.changed - 1;
                if !self.settle(first / 4, first % 4) {
                    return Progress::Contradiction;
                }
            }
            if self.settled[..3] == [ALL; 3] {
                return Progress::Solved;
            }
            let [one, two] = self.count_candidates();
            if (0..3).any(|band| one[band] != ALL) {
                return Progress::Contradiction;
            }
            for band in 0..3 {
                self.place_naked_singles(band, !two[band] & !self.settled[band] & ALL);
            }
            if self.changed == 0 {
                return Progress::Stuck;
            }
        }
    }

    /// What follows from a digit's candidates in a band, for the digit and for the cells in which
    /// it must stand. `false` when it has no place left.
    ///
    /// Locked candidates within the band; locked columns towards the stack's other bands; hidden
    /// singles. Those of rows only: the closure turns a hidden single of a box or of a column
    /// into one of its row.
    fn settle(&mut self, digit: usize, band: usize) -> bool {
        let cells = self.candidates[digit][band];
        let cells = cells & CLOSURE[minirows(cells)];
        if cells == 0 {
            return false;
        }
        self.candidates[digit][band] = cells;
        let columns = (cells | cells >> 9 | cells >> 18) & 0b1_1111_1111;
        self.columns[digit][band] = columns as u16;
        let (next, last) = ((band + 1) % 3, (band + 2) % 3);
        self.lock_columns(digit, columns, next, last);
        self.lock_columns(digit, columns, last, next);

        let new = hidden_singles(cells) & !self.settled[band];
        if new != 0 {
            self.settled[band] |= new;
            for other in 0..9 {
                self.restrict(other, band, !new);
            }
            self.candidates[digit][band] = cells;
            self.changed &= !(1 << (4 * digit + band));
        }
        true
    }

    /// What `columns`, those of a digit in one band, leave to it in band `to`, the third band
    /// being `third`.
    fn lock_columns(&mut self, digit: usize, columns: Cells, to: usize, third: usize) {
        let both = columns as usize | usize::from(self.columns[digit][third]);
        self.restrict(digit, to, LOCKED[columns as usize] & PAIR[both]);
    }

    /// Keeps only the candidates of a digit that stand in `cells`.
    fn restrict(&mut self, digit: usize, band: usize, cells: Cells) {
        let candidates = &mut self.candidates[digit][band];
        let changes = *candidates & !cells != 0;
        *candidates &= cells;
        self.changed |= u64::from(changes) << (4 * digit + band);
    }

    /// Counts the candidates of all cells at once: the cells of each band that have at least
    /// one, and at least two.
    fn count_candidates(&self) -> [[Cells; 4]; 2] {
        let [mut one, mut two] = [[0; 4]; 2];
        for digit in &self.candidates {
            for band in 0..4 {
                two[band] |= one[band] & digit[band];
                one[band] |= digit[band];
            }
        }
        [one, two]
    }

    /// Places the only candidate of each of these cells.
    fn place_naked_singles(&mut self, band: usize, mut singles: Cells) {
        while singles != 0 {
            let cell = singles.trailing_zeros() as usize;
            singles &= singles - 1;
            let digit = (0..9).find(|&digit| self.candidates[digit][band] >> cell & 1 != 0);
            if let Some(digit) = digit {
                self.candidates[digit][band] &= PLACED[cell];
                self.changed |= 1 << (4 * digit + band);
            }
        }
    }

    /// What to guess on a stuck board: where the fewest possibilities are left.
    pub fn most_constrained(&self) -> Guess {
        self.fewest_configurations().unwrap_or_else(|| self.fewest_candidates())
    }

    /// A digit that has two configurations left in a band, else three: it takes the first of
    /// them, or one of the others. Of several, one in the band that has the fewest in all.
    ///
    /// tdoku's choice. It takes half the guesses of [`Board::fewest_candidates`], and sees where
    /// some digits share too few cells, which can cost that one millions.
    fn fewest_configurations(&self) -> Option<Guess> {
        let mut fewest: Option<((u8, u8), usize, usize)> = None;
        for band in 0..3 {
            let left = |digit: &[Cells; 4]| CONFIGURATIONS_LEFT[minirows(digit[band])];
            let left = self.candidates.each_ref().map(left);
            let in_all: u8 = left.iter().sum();
            for (digit, &left) in left.iter().enumerate() {
                let score = (left, in_all);
                if (2..=3).contains(&left) && fewest.is_none_or(|(least, ..)| score < least) {
                    fewest = Some((score, digit, band));
                }
            }
        }
        let (_, digit, band) = fewest?;
        let minirows = minirows(self.candidates[digit][band]);
        let left = CONFIGURATIONS.map(usize::from).into_iter().filter(|&c| c & !minirows == 0);
        let mut cells = left.map(|configuration| CLOSURE[configuration]);
        let first = cells.next()?;
        // Of three, the other two make a union that does not hold the first.
        Some(Guess { digit, band, sides: [first, cells.fold(0, |union, cells| union | cells)] })
    }

    /// A candidate of the first of the unsettled cells that have the fewest.
    fn fewest_candidates(&self) -> Guess {
        let open = (0..CELLS).map(|i| (i / 27, i % 27));
        let open = open.filter(|&(band, cell)| self.settled[band] >> cell & 1 == 0);
        let count = |&(band, cell): &(usize, usize)| {
            self.candidates.iter().filter(|digit| digit[band] >> cell & 1 != 0).count()
        };
        let (band, cell) = open.min_by_key(count).expect("a stuck board has unsettled cells");
        let digit = (0..9).find(|&digit| self.candidates[digit][band] >> cell & 1 != 0);
        let digit = digit.expect("a stuck board has candidates in every cell");
        Guess { digit, band, sides: [PLACED[cell], !(1 << cell)] }
    }

    /// Takes one side of a guess; both lose a candidate by it.
    pub fn take(&mut self, guess: &Guess, side: usize) {
        self.restrict(guess.digit, guess.band, guess.sides[side]);
    }

    /// The solution of a solved board.
    pub fn grid(&self) -> Grid {
        let mut cells = [0; CELLS];
        for (digit, bands) in self.candidates.iter().enumerate() {
            for row in 0..9 {
                let column = (bands[row / 3] >> (row % 3 * 9)).trailing_zeros() as usize;
                cells[row * 9 + column] = digit as u8 + 1;
            }
        }
        Grid(cells)
    }
}

/// The nine minirows (bit `3 * row + box`) that hold any of these cells.
fn minirows(cells: Cells) -> usize {
    let of_row = |row: u32| usize::from(MINIROWS_OF_ROW[(cells >> (9 * row) & 0x1FF) as usize]);
    of_row(0) | of_row(1) << 3 | of_row(2) << 6
}

/// The cells that are alone in their row; no row may be empty.
fn hidden_singles(cells: Cells) -> Cells {
    // Each row without its first cell.
    let others = cells & (cells - EACH_ROW);
    let alone = |row: u32| {
        let row = 0x1FF << (9 * row);
        if others & row == 0 { row } else { 0 }
    };
    cells & (alone(0) | alone(1) | alone(2))
}
