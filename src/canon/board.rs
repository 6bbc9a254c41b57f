//! The board in both orientations, ready for labels.

use crate::puzzle::CELLS;

/// Nine cells, and room up to a power of two. Each is four times its digit: a shift that brings its
/// label down ([`Labels`](super::partial::Labels)).
pub(super) type Line = [u8; 16];

/// A puzzle whose clues obey the rules: its rows, and its columns read as rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    /// As it was given, and transposed.
    pub lines: [[Line; 9]; 2],
    /// For each orientation the rows without a clue, a bit each.
    pub blank: [u16; 2],
    /// Whether every cell is given.
    pub is_complete: bool,
}

impl Board {
    /// `None` if two equal clues see each other.
    pub fn new(cells: &[u8; CELLS]) -> Option<Self> {
        let mut lines = [[[0; 16]; 9]; 2];
        let (mut rows, mut columns, mut boxes) = ([0_u16; 9], [0_u16; 9], [0_u16; 9]);
        // A digit that a unit has already shows up here.
        let mut twice = 0;
        let mut clues = 0;
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
                clues += usize::from(digit != 0);
            }
        }
        let blank = [rows, columns]
            .map(|lines| (0..9).fold(0, |blank, i| blank | u16::from(lines[i] == 0) << i));
        (twice == 0).then_some(Self { lines, blank, is_complete: clues == CELLS })
    }
}
