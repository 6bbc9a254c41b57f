//! Three ways to test whether a digit is allowed in a cell.

use crate::marks::Digits;
use crate::puzzle::{CELLS, peers, row_column_box};

/// A record of the placed digits that tells which digits are allowed in a cell.
pub trait Ask: Default + Send {
    /// The name of the engine with this test.
    const NAME: &'static str;

    /// Whether `digit` is allowed in the blank `cell` of the grid `cells`.
    fn allows(&self, cells: &[u8; CELLS], cell: usize, digit: u8) -> bool;

    /// The smallest digit of `untried` that is allowed in the blank `cell`.
    #[inline(always)]
    fn next(&self, cells: &[u8; CELLS], cell: usize, untried: Digits) -> Option<u8> {
        untried.into_iter().find(|&digit| self.allows(cells, cell, digit))
    }

    /// Records that `digit` was placed in `cell`.
    fn place(&mut self, cell: usize, digit: u8);

    /// Records that `digit` was removed from `cell`.
    fn take_back(&mut self, cell: usize, digit: u8);
}

/// No record: checks the 20 peers each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan;

impl Ask for Scan {
    const NAME: &'static str = "backtrack-scan";

    #[inline(always)]
    fn allows(&self, cells: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        peers(cell).iter().all(|&peer| cells[usize::from(peer)] != digit)
    }

    fn place(&mut self, _: usize, _: u8) {}

    fn take_back(&mut self, _: usize, _: u8) {}
}

/// A boolean for each digit in each unit: whether it is placed there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// `[row][digit]`.
    row: [[bool; 10]; 9],
    /// `[column][digit]`.
    column: [[bool; 10]; 9],
    /// `[band][stack][digit]`.
    block: [[[bool; 10]; 3]; 3],
}

impl Flags {
    #[inline(always)]
    fn set(&mut self, cell: usize, digit: u8, is_placed: bool) {
        let (row, column, digit) = (cell / 9, cell % 9, usize::from(digit));
        self.row[row][digit] = is_placed;
        self.column[column][digit] = is_placed;
        self.block[row / 3][column / 3][digit] = is_placed;
    }
}

impl Ask for Flags {
    const NAME: &'static str = "backtrack-flags";

    #[inline(always)]
    fn allows(&self, _: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        let (row, column, digit) = (cell / 9, cell % 9, usize::from(digit));
        let is_placed = self.row[row][digit]
            || self.column[column][digit]
            || self.block[row / 3][column / 3][digit];
        !is_placed
    }

    #[inline(always)]
    fn place(&mut self, cell: usize, digit: u8) {
        self.set(cell, digit, true);
    }

    #[inline(always)]
    fn take_back(&mut self, cell: usize, digit: u8) {
        self.set(cell, digit, false);
    }
}

/// A bitmask for each unit: the digits that are placed there (bit n for digit n).
#[derive(Clone, Copy, Debug, Default)]
pub struct Mask {
    row: [u16; 9],
    column: [u16; 9],
    square: [u16; 9],
}

impl Mask {
    #[inline(always)]
    fn taken(&self, cell: usize) -> u16 {
        let [row, column, square] = row_column_box(cell);
        self.row[row] | self.column[column] | self.square[square]
    }

    #[inline(always)]
    fn flip(&mut self, cell: usize, digit: u8) {
        let [row, column, square] = row_column_box(cell);
        self.row[row] ^= 1 << digit;
        self.column[column] ^= 1 << digit;
        self.square[square] ^= 1 << digit;
    }
}

impl Ask for Mask {
    const NAME: &'static str = "backtrack-mask";

    #[inline(always)]
    fn allows(&self, _: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        self.taken(cell) >> digit & 1 == 0
    }

    /// Tests all nine digits at once, which only masks can do.
    #[inline(always)]
    fn next(&self, _: &[u8; CELLS], cell: usize, untried: Digits) -> Option<u8> {
        Digits(untried.0 & !self.taken(cell)).into_iter().next()
    }

    #[inline(always)]
    fn place(&mut self, cell: usize, digit: u8) {
        self.flip(cell, digit);
    }

    #[inline(always)]
    fn take_back(&mut self, cell: usize, digit: u8) {
        self.flip(cell, digit);
    }
}
