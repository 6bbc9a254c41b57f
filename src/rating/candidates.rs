//! The candidates of a puzzle as bitmasks, digit by digit, and the rules that remove candidates.

use crate::chute::{ASSERTED, CELLS_OF, Minirows, POSSIBLE};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Puzzle};

/// A set of cells of one band: bit `9 * row + column`.
type Band = u32;

const ALL: Band = (1 << 27) - 1;
const ROW: Band = 0b1_1111_1111;
/// The first cell of each row. Multiplied by a set of columns, it yields these columns in all three
/// rows.
const EACH_ROW: Band = 1 | 1 << 9 | 1 << 18;
const BOX: Band = 0b111 * EACH_ROW;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It has removed candidates.
    Something,
    /// It does not apply.
    Nothing,
    /// No solution is left.
    Contradiction,
}

#[derive(Clone, Debug)]
pub(super) struct Candidates {
    /// The cells that may have each digit, in each of the three bands.
    digits: [[Band; 3]; 9],
    /// The cells whose only candidate has been removed from their peers.
    settled: [Band; 3],
}

impl From<&Puzzle> for Candidates {
    fn from(puzzle: &Puzzle) -> Self {
        let mut candidates = Self { digits: [[ALL; 3]; 9], settled: [0; 3] };
        for cell in 0..CELLS {
            let clue = usize::from(puzzle.cells()[cell]);
            if clue != 0 {
                candidates.assign(clue - 1, cell / 27, cell % 27);
            }
        }
        candidates
    }
}

impl From<&Marks> for Candidates {
    fn from(marks: &Marks) -> Self {
        let mut digits = [[0; 3]; 9];
        for (cell, mask) in marks.masks().iter().enumerate() {
            for (digit, bands) in digits.iter_mut().enumerate() {
                bands[cell / 27] |= Band::from(mask >> (digit + 1) & 1) << (cell % 27);
            }
        }
        Self { digits, settled: [0; 3] }
    }
}

impl Candidates {
    /// Whether every cell has its digit.
    pub fn is_solved(&self) -> bool {
        self.settled == [ALL; 3]
    }

    /// Naked singles: removes the only candidate of a cell from its peers, repeatedly.
    pub fn naked_singles(&mut self) -> Found {
        let mut found = Found::Nothing;
        loop {
            let mut has_new = false;
            for band in 0..3 {
                let (mut once, mut twice) = (0, 0);
                for digit in &self.digits {
                    twice |= once & digit[band];
                    once |= digit[band];
                }
                if once != ALL {
                    return Found::Contradiction;
                }
                let mut singles = once & !twice & !self.settled[band];
                has_new |= singles != 0;
                while singles != 0 {
                    let cell = singles.trailing_zeros() as usize;
                    singles &= singles - 1;
                    // A cell that has just lost its candidate to a peer is found empty in the next
                    // round.
                    let holds = |digit: &usize| self.digits[*digit][band] >> cell & 1 != 0;
                    if let Some(digit) = (0..9).find(holds) {
                        self.take_from_peers(digit, band, cell);
                    }
                }
            }
            if !has_new {
                return found;
            }
            found = Found::Something;
        }
    }

    /// Hidden singles: the only cell of a unit that may have a digit loses all others.
    pub fn hidden_singles(&mut self) -> Found {
        let mut found = Found::Nothing;
        for digit in 0..9 {
            let Some(hidden) = only_places(&self.digits[digit]) else {
                return Found::Contradiction;
            };
            for band in 0..3 {
                // Earlier hidden singles are settled by now.
                let new = hidden[band] & !self.settled[band];
                if new == 0 {
                    continue;
                }
                found = Found::Something;
                for other in (0..9).filter(|&other| other != digit) {
                    self.digits[other][band] &= !new;
                }
            }
        }
        found
    }

    /// Locked candidates of all bands and stacks; minirows that three digits fill lose all other
    /// candidates.
    pub fn chutes(&mut self) -> Found {
        let before = self.digits;
        for chute in 0..3 {
            if !self.band(chute) || !self.stack(chute) {
                return Found::Contradiction;
            }
        }
        if self.digits == before { Found::Nothing } else { Found::Something }
    }

    /// Applies the rule to a band; returns whether each digit still has a place.
    fn band(&mut self, band: usize) -> bool {
        let filled = Filled::of(self.digits.map(|digit| minirows(digit[band])));
        for (digit, allowed) in self.digits.iter_mut().zip(filled.allowed) {
            digit[band] &= CELLS_OF[usize::from(allowed)];
        }
        filled.all_have_places
    }

    /// Applies the rule to a stack; returns whether each digit still has a place.
    fn stack(&mut self, stack: usize) -> bool {
        let minicolumns = |digit: [Band; 3]| {
            let [a, b, c] = digit.map(|cells| (columns(cells) >> (3 * stack) & 0b111) as Minirows);
            a | b << 3 | c << 6
        };
        let filled = Filled::of(self.digits.map(minicolumns));
        for (digit, allowed) in self.digits.iter_mut().zip(filled.allowed) {
            for (band, cells) in digit.iter_mut().enumerate() {
                let taken = Band::from(!allowed >> (3 * band) & 0b111) << (3 * stack);
                *cells &= !(taken * EACH_ROW);
            }
        }
        filled.all_have_places
    }

    fn assign(&mut self, digit: usize, band: usize, cell: usize) {
        for other in (0..9).filter(|&other| other != digit) {
            self.digits[other][band] &= !(1 << cell);
        }
        self.take_from_peers(digit, band, cell);
    }

    fn take_from_peers(&mut self, digit: usize, band: usize, cell: usize) {
        let (row, column) = (cell / 9, cell % 9);
        let in_column = EACH_ROW << column;
        let peers = ROW << (9 * row) | BOX << (column / 3 * 3) | in_column;
        let [a, b, c] = &mut self.digits[digit];
        *a &= !in_column;
        *b &= !in_column;
        *c &= !in_column;
        let own = &mut self.digits[digit][band];
        // If clues conflict, a peer may have removed it before.
        *own = *own & !peers | 1 << cell;
        self.settled[band] |= 1 << cell;
    }
}

/// The candidates that remain in the minirows of a chute.
struct Filled {
    allowed: [Minirows; 9],
    all_have_places: bool,
}

impl Filled {
    /// Applies the tables to the minirows of each digit.
    fn of(candidates: [Minirows; 9]) -> Self {
        let possible = candidates.map(|minirows| POSSIBLE[usize::from(minirows)]);
        let asserted = possible.map(|minirows| ASSERTED[usize::from(minirows)]);
        let (mut one, mut two, mut three) = (0, 0, 0);
        for digit in asserted {
            three |= two & digit;
            two |= one & digit;
            one |= digit;
        }
        let mut allowed = possible;
        for (digit, own) in allowed.iter_mut().zip(asserted) {
            *digit &= !three | own;
        }
        Self { allowed, all_have_places: possible.iter().all(|&minirows| minirows != 0) }
    }
}

/// The cells that are the only place of a digit in a unit; `None` if a unit has no place.
fn only_places(digit: &[Band; 3]) -> Option<[Band; 3]> {
    let mut only = [0; 3];
    let (mut once, mut twice) = (0, 0);
    for (band, &cells) in digit.iter().enumerate() {
        for i in 0..3 {
            for unit in [ROW << (9 * i), BOX << (3 * i)] {
                let places = cells & unit;
                if places == 0 {
                    return None;
                }
                if places.is_power_of_two() {
                    only[band] |= places;
                }
            }
            let row = cells >> (9 * i) & ROW;
            twice |= once & row;
            once |= row;
        }
    }
    if once != ROW {
        return None;
    }
    let columns = once & !twice;
    Some(std::array::from_fn(|band| only[band] | digit[band] & (columns * EACH_ROW)))
}

/// The minirows that contain any of these cells of a band.
fn minirows(cells: Band) -> Minirows {
    let firsts = (cells | cells >> 1 | cells >> 2) & 0o111_111_111;
    // Gathers the bits 0, 3, 6, …, first in groups of three.
    let threes = (firsts | firsts >> 2 | firsts >> 4) & 0o7_007_007;
    (threes & 0b111 | threes >> 6 & 0b111_000 | threes >> 12 & 0b111_000_000) as Minirows
}

/// The columns that contain any of these cells of a band.
fn columns(cells: Band) -> Band {
    (cells | cells >> 9 | cells >> 18) & ROW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minirows_and_columns_of_each_cell() {
        for cell in 0..27 {
            assert_eq!(minirows(1 << cell), 1 << (cell / 3));
            assert_eq!(columns(1 << cell), 1 << (cell % 9));
        }
        assert_eq!((minirows(ALL), columns(ALL)), (0b1_1111_1111, 0b1_1111_1111));
    }

    #[test]
    fn locked_candidates_leave_the_rest_of_the_row() {
        // Boxes 1 and 2 can have it only in rows 1 and 2, so box 3 has it in row 3.
        let candidates = 0b111_011_011;
        assert_eq!(POSSIBLE[candidates], 0b100_011_011);
        assert_eq!(ASSERTED[candidates], 0b100_000_000);
    }
}
