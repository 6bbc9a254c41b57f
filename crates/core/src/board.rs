//! Candidates as one mask of 81 cells per digit.
//!
//! Digits are numbered from 0 here. Units are numbered 0 to 26: rows, columns, boxes.

use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle, row_column_box};

/// A set of cells: bit `9 * row + column`.
pub type Cells = u128;

/// A set of candidates: the cells of each digit.
pub type Candidates = [Cells; 9];

/// All 81 cells.
pub const ALL: Cells = (1 << CELLS) - 1;

/// The first cell of each row.
pub const FIRST: Cells = {
    let mut cells = 0;
    let mut row = 0;
    while row < 9 {
        cells |= 1 << (9 * row);
        row += 1;
    }
    cells
};

/// The cells of each unit.
pub const UNITS: [Cells; 27] = {
    let mut units = [0; 27];
    let mut i = 0;
    while i < 9 {
        units[i] = 0x1ff << (9 * i);
        units[9 + i] = FIRST << i;
        units[18 + i] = (0x7 | 0x7 << 9 | 0x7 << 18) << (27 * (i / 3) + 3 * (i % 3));
        i += 1;
    }
    units
};

/// The row, the column, and the box of each cell.
pub const UNITS_OF: [[u8; 3]; CELLS] = {
    let mut table = [[0; 3]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, square] = row_column_box(cell);
        table[cell] = [row as u8, 9 + column as u8, 18 + square as u8];
        cell += 1;
    }
    table
};

/// The 20 peers of each cell.
pub static PEERS: [Cells; CELLS] = {
    let mut peers = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, square] = UNITS_OF[cell];
        let all = UNITS[row as usize] | UNITS[column as usize] | UNITS[square as usize];
        peers[cell] = all & !(1 << cell);
        cell += 1;
    }
    peers
};

/// Iterates over the cells of a set.
#[derive(Clone, Debug)]
pub struct Bits(pub Cells);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        (self.0 != 0).then(|| {
            let cell = self.0.trailing_zeros() as usize;
            self.0 &= self.0 - 1;
            cell
        })
    }
}

/// Iterates over the digits of a mask.
#[inline(always)]
pub fn digits_of(mask: u16) -> impl Iterator<Item = usize> {
    let mut rest = u32::from(mask);
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let digit = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(digit)
    })
}

/// The candidates of a puzzle, and the cells whose digit has been placed.
///
/// A placed cell keeps its digit's bit, which is then no candidate of any peer. A cell with one
/// candidate is not placed until a naked single places it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The cells that can have each digit.
    pub digits: Candidates,
    /// The cells whose digit has been removed from their peers.
    pub placed: Cells,
}

impl Board {
    /// Returns the candidates that the clues leave, or `None` if a clue is repeated in a unit.
    pub fn of(puzzle: &Puzzle) -> Option<Self> {
        let mut clues = [0; 9];
        for (cell, &clue) in puzzle.cells().iter().enumerate() {
            if clue != 0 {
                clues[usize::from(clue) - 1] |= 1 << cell;
            }
        }
        let mut board = Self { digits: [ALL; 9], placed: 0 };
        board.place(&clues).then_some(board)
    }

    /// Places digits in cells, and removes them from the peers. Returns `false` if one of them was
    /// not a candidate, or no longer is.
    #[inline(always)]
    pub fn place(&mut self, placements: &Candidates) -> bool {
        let all = placements.iter().fold(0, |all, cells| all | cells);
        let mut is_valid = true;
        for (digit, &cells) in self.digits.iter_mut().zip(placements) {
            let seen = Bits(cells).fold(0, |seen, cell| seen | PEERS[cell]);
            *digit &= !seen & (!all | cells);
            is_valid &= cells & !*digit == 0;
        }
        self.placed |= all;
        is_valid
    }

    /// Removes candidates.
    #[inline(always)]
    pub fn remove(&mut self, removed: &Candidates) {
        for (digit, cells) in self.digits.iter_mut().zip(removed) {
            *digit &= !cells;
        }
    }

    /// Returns the cells without a placed digit that can have this digit.
    #[inline(always)]
    pub fn open(&self, digit: usize) -> Cells {
        self.digits[digit] & !self.placed
    }

    /// Returns whether all cells have a placed digit.
    #[inline(always)]
    pub fn is_solved(&self) -> bool {
        self.placed == ALL
    }

    /// Returns the candidates of a cell as a mask.
    #[inline(always)]
    pub fn mask(&self, cell: usize) -> u16 {
        (0..9).fold(0, |mask, digit| mask | ((self.digits[digit] >> cell & 1) as u16) << digit)
    }

    /// Returns the candidates as pencil marks.
    pub fn marks(&self) -> Marks {
        Marks::from_cells(std::array::from_fn(|cell| Digits(self.mask(cell) << 1)))
    }

    /// Returns the solution, if every cell has a placed digit.
    pub fn grid(&self) -> Option<Grid> {
        let digit = |cell| self.mask(cell).trailing_zeros() as u8 + 1;
        self.is_solved().then(|| Grid(std::array::from_fn(digit)))
    }
}

impl From<&Marks> for Board {
    /// Takes over the candidates; no cell is placed.
    fn from(marks: &Marks) -> Self {
        let mut digits = [0; 9];
        for (cell, mask) in marks.masks().iter().enumerate() {
            for (digit, cells) in digits.iter_mut().enumerate() {
                *cells |= Cells::from(mask >> (digit + 1) & 1) << cell;
            }
        }
        Self { digits, placed: 0 }
    }
}
