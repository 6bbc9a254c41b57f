//! Three ways to test whether a digit is allowed in a cell.

use crate::marks::Digits;
use crate::puzzle::{CELLS, peers, row_column_box};

/// A record of placed digits that answers whether a digit is allowed in a cell.
pub trait DigitTest: Default + Send {
    /// The name of the engine with this test.
    const NAME: &'static str;

    /// Returns whether `digit` is allowed in the blank `cell` of the grid `cells`.
    fn allows(&self, cells: &[u8; CELLS], cell: usize, digit: u8) -> bool;

    /// Returns the smallest digit of `untried` that is allowed in the blank `cell`.
    #[inline(always)]
    fn next(&self, cells: &[u8; CELLS], cell: usize, untried: Digits) -> Option<u8> {
        untried.into_iter().find(|&digit| self.allows(cells, cell, digit))
    }

    /// Records that `digit` was placed in `cell`, or removed from it.
    fn record(&mut self, cell: usize, digit: u8, is_placed: bool);
}

/// A test without a record, which checks the 20 peers each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan;

impl DigitTest for Scan {
    const NAME: &'static str = "backtrack-scan";

    #[inline(always)]
    fn allows(&self, cells: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        peers(cell).iter().all(|&peer| cells[usize::from(peer)] != digit)
    }

    fn record(&mut self, _: usize, _: u8, _: bool) {}
}

/// A test with a boolean for each digit in each unit: whether it is placed there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    row: [[bool; 10]; 9],
    column: [[bool; 10]; 9],
    square: [[bool; 10]; 9],
}

impl DigitTest for Flags {
    const NAME: &'static str = "backtrack-flags";

    #[inline(always)]
    fn allows(&self, _: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        let ([row, column, square], digit) = (row_column_box(cell), usize::from(digit));
        !(self.row[row][digit] || self.column[column][digit] || self.square[square][digit])
    }

    #[inline(always)]
    fn record(&mut self, cell: usize, digit: u8, is_placed: bool) {
        let ([row, column, square], digit) = (row_column_box(cell), usize::from(digit));
        self.row[row][digit] = is_placed;
        self.column[column][digit] = is_placed;
        self.square[square][digit] = is_placed;
    }
}

/// A test with a bitmask for each unit: the digits that are placed there (bit `d` for digit `d`).
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
}

impl DigitTest for Mask {
    const NAME: &'static str = "backtrack-mask";

    #[inline(always)]
    fn allows(&self, _: &[u8; CELLS], cell: usize, digit: u8) -> bool {
        self.taken(cell) >> digit & 1 == 0
    }

    /// Tests all nine digits at once, which only bitmasks allow.
    #[inline(always)]
    fn next(&self, _: &[u8; CELLS], cell: usize, untried: Digits) -> Option<u8> {
        Digits(untried.0 & !self.taken(cell)).into_iter().next()
    }

    /// Flips the digit's bits, both to place and to remove it.
    #[inline(always)]
    fn record(&mut self, cell: usize, digit: u8, _: bool) {
        let [row, column, square] = row_column_box(cell);
        self.row[row] ^= 1 << digit;
        self.column[column] ^= 1 << digit;
        self.square[square] ^= 1 << digit;
    }
}
