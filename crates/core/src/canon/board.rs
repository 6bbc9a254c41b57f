//! The board in both orientations.

use crate::puzzle::CELLS;

/// A row of the form: nine labels of four bits, the first in the highest.
pub(super) type Value = u64;

/// Nine cells, padded to a power of two. Each is four times its digit: the shift of its label in
/// [`Labels`](super::partial::Labels).
pub(super) type Line = [u8; 16];

/// A puzzle whose clues obey the rules: its rows, and its columns read as rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    /// As given, and transposed.
    pub lines: [[Line; 9]; 2],
    /// For each orientation, the rows without a clue, one bit per row.
    pub blank: [u16; 2],
    /// For each orientation and row, the cells with a clue, one bit per cell.
    filled: [[u16; 9]; 2],
    /// Whether every cell has a clue.
    pub is_complete: bool,
}

impl Board {
    /// `None` if a unit has two equal clues.
    pub fn new(cells: &[u8; CELLS]) -> Option<Self> {
        let mut lines = [[[0; 16]; 9]; 2];
        let (mut rows, mut columns, mut boxes) = ([0_u16; 9], [0_u16; 9], [0_u16; 9]);
        // The digits that occur twice in a unit.
        let mut twice = 0;
        let mut filled = [[0; 9]; 2];
        for (r, row) in cells.as_chunks::<9>().0.iter().enumerate() {
            for (c, &digit) in row.iter().enumerate() {
                lines[0][r][c] = 4 * digit;
                lines[1][c][r] = 4 * digit;
                let bit = 1 << digit & !1;
                let b = r / 3 * 3 + c / 3;
                twice |= (rows[r] | columns[c] | boxes[b]) & bit;
                rows[r] |= bit;
                columns[c] |= bit;
                boxes[b] |= bit;
                let is_filled = u16::from(digit != 0);
                filled[0][r] |= is_filled << c;
                filled[1][c] |= is_filled << r;
            }
        }
        let blank =
            filled.map(|lines| (0..9).fold(0, |blank, i| blank | u16::from(lines[i] == 0) << i));
        let is_complete = filled[0] == [0x1FF; 9];
        (twice == 0).then_some(Self { lines, blank, filled, is_complete })
    }

    /// The smallest first row of the form, if it is this row.
    #[inline(always)]
    pub fn first_value(&self, orientation: usize, row: usize) -> Value {
        FIRST_VALUES[usize::from(self.filled[orientation][row])]
    }
}

/// Indexed by the cells with a clue: the fullest stack is last, and blanks are first in each stack.
const FIRST_VALUES: [Value; 512] = {
    let mut values = [0; 512];
    let mut filled = 0;
    while filled < 512 {
        // The number of stacks with more than 0, 1 and 2 clues.
        let mut stacks = [0; 3];
        let mut s = 0;
        while s < 3 {
            let mut clues = (filled >> (3 * s) & 7_usize).count_ones() as usize;
            while clues > 0 {
                clues -= 1;
                stacks[clues] += 1;
            }
            s += 1;
        }
        let (mut place, mut label) = (0, 0);
        while place < 9 {
            // This stack has a clue in this column if enough stacks have that many clues.
            let is_filled = stacks[2 - place % 3] + place / 3 >= 3;
            if is_filled {
                label += 1;
            }
            values[filled] = values[filled] << 4 | if is_filled { label } else { 0 };
            place += 1;
        }
        filled += 1;
    }
    values
};
