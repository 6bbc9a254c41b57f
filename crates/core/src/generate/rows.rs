//! Solution grids that are filled row by row.

use super::Cells;
use crate::board::UNITS_OF;
use crate::puzzle::CELLS;
use crate::random::SeededRng;

/// Maximum number of cells that a search enters before it restarts.
const MAX_STEPS: u32 = 2_000;

/// Fills a grid cell by cell, trying digits in random order. Restarts in the rare case of a long
/// search.
pub fn fill(random: &mut SeededRng) -> Cells {
    loop {
        if let Some(cells) = Filling::default().fill(random) {
            return cells;
        }
    }
}

/// The digits in each row, column, and box so far: bit 0 for digit 1.
#[derive(Debug, Default)]
struct Filling {
    units: [u16; 27],
}

#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    digits: u16,
    /// The digits that have not been tried, in the order of the trials, four bits per digit.
    order: u64,
}

impl Choice {
    /// Takes the next digit in the order, less 1.
    #[inline(always)]
    fn take(&mut self) -> Option<u16> {
        if self.digits == 0 {
            return None;
        }
        loop {
            let digit = self.order as u16 & 15;
            self.order >>= 4;
            if self.digits >> digit & 1 != 0 {
                self.digits &= !(1 << digit);
                return Some(digit);
            }
        }
    }
}

impl Filling {
    fn fill(mut self, random: &mut SeededRng) -> Option<Cells> {
        let mut choices = [Choice::default(); CELLS];
        let mut cells = [0; CELLS];
        let mut cell = 0;
        let mut steps = MAX_STEPS;
        choices[0] = self.enter(0, random);
        loop {
            if let Some(digit) = choices[cell].take() {
                cells[cell] = digit as u8 + 1;
                self.toggle(cell, digit);
                cell += 1;
                if cell == CELLS {
                    return Some(cells);
                }
                steps -= 1;
                choices[cell] = self.enter(cell, random);
                if steps == 1 {
                    return None;
                }
            } else {
                cell = cell.checked_sub(1)?;
                self.toggle(cell, u16::from(cells[cell]) - 1);
            }
        }
    }

    /// Returns the candidates of a cell, in random order. With at most one candidate, no random
    /// numbers are used.
    #[inline(always)]
    fn enter(&self, cell: usize, random: &mut SeededRng) -> Choice {
        let [row, column, in_box] = UNITS_OF[cell].map(|unit| self.units[usize::from(unit)]);
        let digits = !(row | column | in_box) & 0b1_1111_1111;
        if digits & digits.wrapping_sub(1) == 0 {
            random.skip_eight();
            return Choice { digits, order: digits.trailing_zeros().into() };
        }
        let swaps = random.swaps_of_nine();
        let mut order = 0x8_7654_3210_u64;
        for (last, swap) in (1..9_u32).rev().zip(swaps) {
            let (a, b) = (4 * u32::from(swap), 4 * last);
            let difference = (order >> a ^ order >> b) & 15;
            order ^= difference << a ^ difference << b;
        }
        Choice { digits, order }
    }

    /// Places a digit in a cell, or removes it.
    #[inline(always)]
    fn toggle(&mut self, cell: usize, digit: u16) {
        UNITS_OF[cell].iter().for_each(|&unit| self.units[usize::from(unit)] ^= 1 << digit);
    }
}
