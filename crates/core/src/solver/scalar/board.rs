//! The candidates of one puzzle, and their propagation.

use super::tables::{CLOSURE, LOCKED_BY_ONE_BAND, LOCKED_BY_TWO_BANDS, MINIROWS_OF_ROW};
use crate::chute::{ALL, Cells, EACH_ROW, PLACED, UNITS};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid, Puzzle};

/// The result of propagation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// Every cell has a digit, and the grid is valid.
    Solved,
    /// No rule applies; some cells still have several candidates.
    Stuck,
    /// A digit has no place left, or a cell has no candidate.
    Contradiction,
}

/// A digit (0 to 8) in a cell (0 to 26) of a band (0 to 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    digit: usize,
    band: usize,
    cell: usize,
}

impl Guess {
    /// Returns the digit, 1 to 9.
    pub fn digit(self) -> u8 {
        self.digit as u8 + 1
    }

    /// Returns the cell, 0 to 80.
    pub fn board_cell(self) -> usize {
        27 * self.band + self.cell
    }
}

/// The candidates of one puzzle, digit by digit and band by band.
///
/// The candidates of a digit in a band are the low 27 bits of one word. A digit has three words,
/// and the board 27 (a fourth word pads each digit to a vector of 128 bits):
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
/// One step handles a digit's 27 cells at once: two or three lookups yield its possible minirows
/// and columns ([`BitBoard::apply_rules`]), and a pass over the nine digits counts the candidates
/// of all cells ([`BitBoard::count_candidates`]).
///
/// Bitboards of one digit in one band, with tables of implications, come from zhouyundong's and
/// JCZ's solvers in the New Sudoku Players' Forum. The closure over the six permutations of a band
/// is what tdoku calls configurations.
#[derive(Clone, Debug)]
pub struct BitBoard {
    /// `candidates[digit][band]`.
    candidates: [[Cells; 4]; 9],
    /// `columns[digit][band]`: the columns (9 bits) of the candidates at the last update.
    columns: [[u16; 4]; 9],
    /// The cells whose digit has been removed from all other candidates.
    placed: [Cells; 4],
    /// Bit `4 * digit + band`: whether these candidates have changed since the last update.
    changed: u64,
}

impl BitBoard {
    /// Returns the candidates that the clues leave.
    pub fn new(puzzle: &Puzzle) -> Self {
        let mut board = Self {
            candidates: [[ALL; 4]; 9],
            columns: [[0b1_1111_1111; 4]; 9],
            placed: [0; 4],
            changed: 0x7_7777_7777,
        };
        let mut clues = [[0; 4]; 9];
        for (i, &clue) in puzzle.cells().iter().enumerate() {
            if clue != 0 {
                let (digit, band, cell) = (usize::from(clue) - 1, i / 27, i % 27);
                clues[digit][band] |= 1 << cell;
                board.placed[band] |= 1 << cell;
                board.candidates[digit][band] &= PLACED[cell];
                let column = EACH_ROW << (cell % 9);
                board.candidates[digit][(band + 1) % 3] &= !column;
                board.candidates[digit][(band + 2) % 3] &= !column;
            }
        }
        for digit in 0..9 {
            for band in 0..3 {
                board.candidates[digit][band] &= !board.placed[band] | clues[digit][band];
            }
        }
        board
    }

    /// Returns the candidates of `marks`, without those that single candidates exclude.
    pub fn from_marks(marks: &Marks) -> Self {
        let mut board = Self::new(&marks.clues());
        for (i, mask) in marks.masks().iter().enumerate() {
            for (digit, bands) in board.candidates.iter_mut().enumerate() {
                let is_marked = Cells::from(mask >> (digit + 1) & 1);
                bands[i / 27] &= !(1 << (i % 27)) | is_marked << (i % 27);
            }
        }
        board
    }

    /// Applies the rules until none applies.
    pub fn propagate(&mut self) -> Propagation {
        loop {
            while self.changed != 0 {
                let first = self.changed.trailing_zeros() as usize;
                self.changed &= self.changed - 1;
                if !self.apply_rules(first / 4, first % 4) {
                    return Propagation::Contradiction;
                }
            }
            if self.placed[..3] == [ALL; 3] {
                return Propagation::Solved;
            }
            let [one, two] = self.count_candidates();
            if (0..3).any(|band| one[band] != ALL) {
                return Propagation::Contradiction;
            }
            for band in 0..3 {
                self.place_naked_singles(band, !two[band] & !self.placed[band] & ALL);
            }
            if self.changed == 0 {
                return Propagation::Stuck;
            }
        }
    }

    /// Applies the rules to a digit's candidates in a band. Returns `false` if the digit has no
    /// place left.
    ///
    /// The rules are locked candidates within the band, locked columns towards the other bands of
    /// the stack, and hidden singles of rows. (The closure turns a hidden single of a box or column
    /// into one of its row.)
    fn apply_rules(&mut self, digit: usize, band: usize) -> bool {
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

        let new = hidden_singles(cells) & !self.placed[band];
        if new != 0 {
            self.placed[band] |= new;
            for other in 0..9 {
                self.restrict(other, band, !new);
            }
            self.candidates[digit][band] = cells;
            self.changed &= !(1 << (4 * digit + band));
        }
        true
    }

    /// Restricts a digit in band `to` by its columns in another band; `third` is the third band.
    fn lock_columns(&mut self, digit: usize, columns: Cells, to: usize, third: usize) {
        let both = columns as usize | usize::from(self.columns[digit][third]);
        self.restrict(digit, to, LOCKED_BY_ONE_BAND[columns as usize] & LOCKED_BY_TWO_BANDS[both]);
    }

    /// Removes the candidates of a digit that are not in `cells`.
    fn restrict(&mut self, digit: usize, band: usize, cells: Cells) {
        let candidates = &mut self.candidates[digit][band];
        let changes = *candidates & !cells != 0;
        *candidates &= cells;
        self.changed |= u64::from(changes) << (4 * digit + band);
    }

    /// Returns the cells of each band that have at least one candidate, and at least two.
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

    fn place_naked_singles(&mut self, band: usize, mut singles: Cells) {
        while singles != 0 {
            let cell = singles.trailing_zeros() as usize;
            singles &= singles - 1;
            // If an earlier single has removed the digit, propagation detects its empty row.
            let digit = (0..9).find(|&digit| self.candidates[digit][band] >> cell & 1 != 0);
            if let Some(digit) = digit {
                self.assign(Guess { digit, band, cell });
            }
        }
    }

    /// Returns the guess with the fewest alternatives on a stuck board: in the first cell with two
    /// candidates, otherwise by [`BitBoard::fewest_ways`].
    ///
    /// A cell with two candidates is preferred because both alternatives determine its digit.
    /// (tdoku guesses the minirows of a digit. That takes a tenth fewer guesses on hard puzzles,
    /// but millions on some nearly empty grids.)
    pub fn most_constrained(&self) -> Guess {
        let [mut two, mut three] = [[0; 4]; 2];
        let mut one = [0; 4];
        for digit in &self.candidates {
            for band in 0..4 {
                three[band] |= two[band] & digit[band];
                two[band] |= one[band] & digit[band];
                one[band] |= digit[band];
            }
        }
        for band in 0..3 {
            let pairs = two[band] & !three[band];
            if pairs != 0 {
                let cell = pairs.trailing_zeros() as usize;
                return Guess { digit: self.first_candidate(band, cell), band, cell };
            }
        }
        self.fewest_ways()
    }

    /// Returns the first option of the most constrained choice: the digit of a cell, or the place
    /// of a digit in a unit.
    fn fewest_ways(&self) -> Guess {
        let cells = (0..CELLS).map(|i| (i / 27, i % 27)).map(|(band, cell)| {
            let count = self.candidates.iter().map(|digit| digit[band] >> cell & 1).sum();
            (count, self.first_candidate(band, cell), band, cell)
        });
        let digits = (0..9).flat_map(|digit| UNITS.iter().map(move |unit| (digit, unit)));
        let places = digits.filter_map(|(digit, unit)| {
            let places = |band: usize| self.candidates[digit][band] & unit[band];
            let band = (0..3).find(|&band| places(band) != 0)?;
            let count = (0..3).map(|band| places(band).count_ones()).sum();
            Some((count, digit, band, places(band).trailing_zeros() as usize))
        });
        let choices =
            cells.chain(places).filter(|choice: &(u32, usize, usize, usize)| choice.0 > 1);
        let fewest = choices.min_by_key(|choice| choice.0);
        let (_, digit, band, cell) = fewest.expect("a stuck board has open cells");
        Guess { digit, band, cell }
    }

    /// Returns the smallest digit of the first open cell, row by row. The board must be stuck.
    pub fn first_of_first_open(&self) -> Guess {
        let [_, two] = self.count_candidates();
        let open = (0..3).find(|&band| two[band] != 0);
        let band = open.expect("a stuck board has open cells");
        let cell = two[band].trailing_zeros() as usize;
        Guess { digit: self.first_candidate(band, cell), band, cell }
    }

    fn first_candidate(&self, band: usize, cell: usize) -> usize {
        let digit = (0..9).find(|&digit| self.candidates[digit][band] >> cell & 1 != 0);
        digit.expect("every cell has candidates unless there is a contradiction")
    }

    /// Assigns the digit to the cell.
    pub fn assign(&mut self, Guess { digit, band, cell }: Guess) {
        self.candidates[digit][band] &= PLACED[cell];
        self.changed |= 1 << (4 * digit + band);
    }

    /// Removes the digit from the cell: the other alternative of a guess.
    pub fn exclude(&mut self, Guess { digit, band, cell }: Guess) {
        self.restrict(digit, band, !(1 << cell));
    }
}

impl From<BitBoard> for Grid {
    /// Returns the solution of a solved board.
    fn from(board: BitBoard) -> Self {
        let mut cells = [0; CELLS];
        for (digit, bands) in board.candidates.iter().enumerate() {
            for row in 0..9 {
                let column = (bands[row / 3] >> (row % 3 * 9)).trailing_zeros() as usize;
                cells[row * 9 + column] = digit as u8 + 1;
            }
        }
        Self(cells)
    }
}

/// Returns the minirows (bit `3 * row + box`) that contain any of these cells.
fn minirows(cells: Cells) -> usize {
    let of_row = |row: u32| usize::from(MINIROWS_OF_ROW[(cells >> (9 * row) & 0x1FF) as usize]);
    of_row(0) | of_row(1) << 3 | of_row(2) << 6
}

/// Returns the cells that are the only ones in their row; no row may be empty.
fn hidden_singles(cells: Cells) -> Cells {
    // The cells of each row except its first.
    let others = cells & (cells - EACH_ROW);
    let alone = |row: u32| {
        let row = 0x1FF << (9 * row);
        if others & row == 0 { row } else { 0 }
    };
    cells & (alone(0) | alone(1) | alone(2))
}
