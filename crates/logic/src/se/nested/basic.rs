//! Locked candidates, pairs, and X-wings within a net.

use super::super::nets::{self, Grid};
use super::{Removals, offs};
use crate::board::{Bits, Board, Cells, UNIT_CELLS, UNITS, UNITS_OF, digits_of, size};

/// Finds what the easiest of these techniques removes that removes anything.
pub fn find(board: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    for technique in [locked, hidden_pairs, naked_pairs, x_wings] {
        technique(board, source, grid, out);
        if !out.is_empty() {
            return;
        }
    }
}

/// Boxes, columns, and rows, by their first unit.
const UNIT_ORDER: [usize; 3] = [18, 9, 0];

/// Pairs of positions in the order of their bits as numbers.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (1..9).flat_map(|second| (0..second).map(move |first| (first, second)))
}

fn locked(_: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    for (kind, other) in [(2, 1), (2, 0), (1, 2), (0, 2)] {
        for digit in 0..9 {
            for unit in 9 * kind..9 * kind + 9 {
                let places = grid.open[digit] & UNITS[unit];
                if places & places.wrapping_sub(1) == 0 {
                    continue;
                }
                let cover = UNITS[usize::from(UNITS_OF[places.trailing_zeros() as usize][other])];
                let removed = grid.open[digit] & cover & !UNITS[unit];
                if places & !cover == 0 && removed != 0 {
                    let first = out.pool.len();
                    let gone = source.open[digit] & UNITS[unit] & !cover & !grid.open[digit];
                    out.pool.extend(offs(gone, digit));
                    if out.add(first, 0, 0) {
                        out.remove(Bits(removed).map(|cell| (cell, 1 << digit)).collect());
                    }
                }
            }
        }
    }
}

/// The cells of units with at least a number of open ones, in order.
fn units(board: &Board, open: u32) -> impl Iterator<Item = [usize; 9]> {
    UNIT_ORDER
        .into_iter()
        .flat_map(|first| first..first + 9)
        .filter(move |&unit| (UNITS[unit] & !board.placed).count_ones() >= open)
        .map(|unit| UNIT_CELLS[unit].map(usize::from))
}

fn hidden_pairs(board: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    for cells in units(board, 5) {
        let unit = cells.iter().fold(0, |unit, &cell| unit | 1 << cell);
        let places: [Cells; 9] = std::array::from_fn(|digit| grid.open[digit] & unit);
        for (a, b) in pairs() {
            let both = places[a];
            if both != places[b] || both.count_ones() != 2 {
                continue;
            }
            let digits = 1 << a | 1 << b;
            let removed: Vec<_> = Bits(both)
                .map(|cell| (cell, grid.masks[cell] & !digits))
                .filter(|&(_, mask)| mask != 0)
                .collect();
            if removed.is_empty() {
                continue;
            }
            let first = out.pool.len();
            for cell in cells.into_iter().filter(|&cell| both >> cell & 1 == 0) {
                let gone = digits_of(source.masks[cell] & digits);
                out.pool.extend(gone.map(|digit| nets::off(cell, digit)));
            }
            if out.add(first, 0, 0) {
                out.remove(removed);
            }
        }
    }
}

fn naked_pairs(board: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    for cells in units(board, 4) {
        for (a, b) in pairs() {
            let digits = grid.masks[cells[a]];
            if digits != grid.masks[cells[b]] || size(digits) != 2 {
                continue;
            }
            let removed: Vec<_> = (0..9)
                .filter(|&i| i != a && i != b)
                .map(|i| (cells[i], grid.masks[cells[i]] & digits))
                .filter(|&(_, mask)| mask != 0)
                .collect();
            if removed.is_empty() {
                continue;
            }
            let first = out.pool.len();
            for cell in [cells[a], cells[b]] {
                let gone = digits_of(source.masks[cell] & !digits);
                out.pool.extend(gone.map(|digit| nets::off(cell, digit)));
            }
            if out.add(first, 0, 0) {
                out.remove(removed);
            }
        }
    }
}

fn x_wings(board: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    let count = |digit: usize| (board.digits[digit] & board.placed).count_ones();
    for (base, cover) in [(1, 0), (0, 1)] {
        for (a, b) in pairs() {
            for digit in (0..9).filter(|&digit| count(digit) <= 5) {
                let [a, b] = [a, b].map(|line| UNITS[9 * base + line]);
                let places = grid.open[digit] & (a | b);
                if (places & a).count_ones() != 2 || (places & b).count_ones() != 2 {
                    continue;
                }
                let covers = Bits(places & a)
                    .fold(0, |covers, cell| covers | UNITS[usize::from(UNITS_OF[cell][cover])]);
                let removed = grid.open[digit] & covers & !a & !b;
                if places & !covers != 0 || removed == 0 {
                    continue;
                }
                let first = out.pool.len();
                for base in [a, b] {
                    let gone = source.open[digit] & base & !covers & !grid.open[digit];
                    out.pool.extend(offs(gone, digit));
                }
                if out.add(first, 0, 0) {
                    // Cover line by cover line.
                    let lines =
                        Bits(places & a).map(|cell| UNITS[usize::from(UNITS_OF[cell][cover])]);
                    let cells = lines.flat_map(|line| Bits(removed & line));
                    out.remove(cells.map(|cell| (cell, 1 << digit)).collect());
                }
            }
        }
    }
}
