//! A board with what most techniques need to know about it.

use super::counting::{boxes_with, columns_with, rows_with};
use crate::board::{ALL, Bits, Board, Cells, UNIT_CELLS, UNITS, UNITS_OF, boxes_as_rows};
use crate::board::{size, transpose};

/// A board, and facts derived from it.
#[derive(Clone, Debug)]
pub struct Position {
    /// The number of updates so far, at least 1, by which memories recognize the board.
    pub version: u64,
    /// The board.
    pub board: Board,
    /// The candidates of each open cell: bit `d` for digit `d`; 0 for placed cells.
    pub masks: [u16; 81],
    /// `exactly[n]` has the open cells with exactly `n` candidates, for `n` up to 4.
    pub exactly: [Cells; 5],
    /// The open cells of each digit.
    pub open: [Cells; 9],
    /// The open cells in which a digit is one of exactly two places in its row, column, and box.
    pub strong: [[Cells; 3]; 9],
    /// The open cells of each digit with row `i` at bit `9 * i`; the same for columns and boxes.
    layouts: [[Cells; 9]; 3],
    /// What new instances of the next technique involve.
    pub changed: Changed,
}

impl Position {
    /// Returns the position of a board.
    pub fn of(board: &Board) -> Self {
        let mut position = Self {
            version: 0,
            board: *board,
            masks: [0; 81],
            exactly: [0; 5],
            open: [0; 9],
            strong: [[0; 3]; 9],
            layouts: [[0; 9]; 3],
            changed: Changed::ALL,
        };
        position.update(Changed::ALL);
        position
    }

    /// Derives all facts that depend on these changes of the board.
    pub fn update(&mut self, changed: Changed) {
        self.version += 1;
        for digit in 0..9 {
            if changed.digits >> digit & 1 != 0 {
                let open = self.board.open(digit);
                self.open[digit] = open;
                self.strong[digit] =
                    [rows_with::<2>(open), columns_with::<2>(open), boxes_with::<2>(open)]
                        .map(|units| units & open);
                self.layouts[0][digit] = open;
                self.layouts[1][digit] = transpose(open);
                self.layouts[2][digit] = boxes_as_rows(open);
            }
        }
        Bits(changed.cells).for_each(|cell| self.masks[cell] = 0);
        for (digit, &open) in self.open.iter().enumerate() {
            Bits(open & changed.cells).for_each(|cell| self.masks[cell] |= 1 << digit);
        }
        let (mut one, mut two, mut three, mut four, mut five) = (0, 0, 0, 0, 0);
        for &cells in &self.open {
            five |= four & cells;
            four |= three & cells;
            three |= two & cells;
            two |= one & cells;
            one |= cells;
        }
        let none = !(one | self.board.placed) & ALL;
        self.exactly = [none, one & !two, two & !three, three & !four, four & !five];
    }

    /// Returns the open cells.
    pub fn open_cells(&self) -> Cells {
        ALL & !self.board.placed
    }

    /// Returns the candidates of the cells of a unit; none for placed ones.
    #[inline(always)]
    pub fn unit_masks(&self, unit: usize) -> [u16; 9] {
        UNIT_CELLS[unit].map(|cell| self.masks[usize::from(cell)])
    }

    /// Returns the number of candidates in open cells.
    pub fn candidates(&self) -> usize {
        self.masks.iter().map(|&mask| size(mask)).sum()
    }

    /// Returns the positions of a digit in a unit: bit `i` for the unit's cell `i`.
    #[inline(always)]
    pub fn places(&self, unit: usize, digit: usize) -> u16 {
        (self.layouts[unit / 9][digit] >> (9 * (unit % 9))) as u16 & 0x1ff
    }

    /// Returns the positions of a digit in each row (0), column (1), or box (2).
    #[inline(always)]
    pub fn all_places(&self, kind: usize, digit: usize) -> [u16; 9] {
        let layout = self.layouts[kind][digit];
        // Seven units from the lower word, two from the bits above.
        let (low, high) = (layout as u64, (layout >> 63) as u64);
        std::array::from_fn(|i| {
            let bits = if i < 7 { low >> (9 * i) } else { high >> (9 * (i - 7)) };
            bits as u16 & 0x1ff
        })
    }

    /// Returns the places of a digit with row (0), column (1), or box (2) `i` at bit `9 * i`.
    #[inline(always)]
    pub fn layout(&self, kind: usize, digit: usize) -> Cells {
        self.layouts[kind][digit]
    }

    /// Returns the other place of a strong link of this digit in the cell's row (0), column (1), or
    /// box (2), if the cell has one there.
    #[inline(always)]
    pub fn partner(&self, digit: usize, cell: usize, kind: usize) -> Option<usize> {
        let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
        let is_strong = self.strong[digit][kind] >> cell & 1 != 0;
        is_strong.then(|| (self.open[digit] & unit & !(1 << cell)).trailing_zeros() as usize)
    }
}

/// What has changed since a technique was last tried on the board and all its instances were
/// applied. New instances involve a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The digits that lost candidates.
    pub digits: u16,
    /// The cells that lost candidates or whose digit was placed.
    pub cells: Cells,
}

impl Changed {
    /// Nothing has changed.
    pub const NONE: Self = Self { digits: 0, cells: 0 };
    /// Anything may have changed.
    pub const ALL: Self = Self { digits: 0x1ff, cells: ALL };

    /// Adds changes.
    #[inline(always)]
    pub fn add(&mut self, other: Self) {
        self.digits |= other.digits;
        self.cells |= other.cells;
    }

    /// Returns the digits and cells in which two boards differ.
    fn between(before: &Board, after: &Board) -> Self {
        let mut changed = Self { digits: 0, cells: before.placed ^ after.placed };
        for digit in 0..9 {
            let cells = before.open(digit) ^ after.open(digit);
            changed.digits |= u16::from(cells != 0) << digit;
            changed.cells |= cells;
        }
        changed
    }
}

/// The position of a path, and what has changed since each of a list of rules was last tried. A rule
/// that has been tried passes its changes on to the next one.
#[derive(Debug)]
pub struct Tracker {
    pub position: Position,
    pub pending: Vec<Changed>,
    /// Whether the position is that of an earlier path.
    is_stale: bool,
}

impl Tracker {
    pub fn new(rules: usize) -> Self {
        let position = Position::of(&Board { digits: [ALL; 9], placed: 0 });
        Self { position, pending: vec![Changed::NONE; rules + 1], is_stale: true }
    }

    /// Starts a path.
    #[inline(always)]
    pub fn start(&mut self) {
        self.pending.fill(Changed::NONE);
        self.is_stale = true;
    }

    /// Continues with a board of the path.
    pub fn update(&mut self, board: &Board) {
        let is_stale = std::mem::replace(&mut self.is_stale, false);
        let changed =
            if is_stale { Changed::ALL } else { Changed::between(&self.position.board, board) };
        self.position.board = *board;
        self.position.update(changed);
        self.pending[0].add(changed);
    }

    /// Sets what has changed since a rule was last tried.
    #[inline(always)]
    pub fn select(&mut self, rule: usize) {
        let changed = std::mem::replace(&mut self.pending[rule], Changed::NONE);
        self.pending[rule + 1].add(changed);
        self.position.changed = changed;
    }
}
