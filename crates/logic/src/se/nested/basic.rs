//! Locked candidates, pairs, and X-wings within a net.

use super::super::super::counting::{columns_with, rows_with};
use super::super::nets::{Grid, Pairs};
use super::{Removals, offs};
use crate::board::{Bits, Board, Cells, PEERS, UNIT_CELLS, UNITS, UNITS_OF};
use crate::board::{digits_of, set_of, size};

/// Finds what the easiest of these techniques removes that removes anything.
pub fn find(board: &Board, source: &Grid, grid: &Grid, out: &mut Removals) {
    // The first grid has no instances.
    let is_new = |digit: usize| grid.open[digit] != source.open[digit];
    locked(source, grid, set_of(std::array::from_fn(is_new)), out);
    if !out.is_empty() {
        return;
    }
    let pairs = grid.pairs();
    for technique in [hidden_pairs, naked_pairs, x_wings] {
        technique(board, source, grid, &pairs, out);
        if !out.is_empty() {
            return;
        }
    }
}

/// Returns whether a digit has a box with all places in one row, or a row with all places in one
/// box, and other places in the other unit; the same with columns.
fn is_locked(open: Cells) -> bool {
    /// Whether this is so, for each set of minirows of three boxes that are in line: bit `3 * row +
    /// box`.
    static LOCKED: [bool; 512] = {
        let mut table = [false; 512];
        let mut set = 0;
        while set < 512 {
            let mut i = 0;
            while i < 9 {
                let (row, column) = (set >> (i / 3 * 3) & 7, set >> (i % 3) & 0o111);
                let only = 1 << (i % 3);
                let is_only = [row == only, column == 1 << (i / 3 * 3)];
                table[set] |= set >> i & 1 != 0 && is_only[0] != is_only[1];
                i += 1;
            }
            set += 1;
        }
        table
    };
    // Whether each minirow, and each part of a column in a box, has a place.
    let rows = open | open >> 1 | open >> 2;
    let columns = open | open >> 9 | open >> 18;
    (0..3).any(|i| {
        let row = |row: usize| (rows >> (9 * (3 * i + row))) as usize & 0o111;
        let column = |band: usize| (columns >> (27 * band + 3 * i)) as usize & 7;
        let minirows = [0, 1, 2].map(row).map(|row| (row | row >> 2 | row >> 4) & 7);
        let [a, b, c] = minirows;
        let in_rows = a | b << 3 | c << 6;
        LOCKED[in_rows] || LOCKED[column(0) | column(1) << 3 | column(2) << 6]
    })
}

/// Boxes, columns, and rows, by their first unit.
const UNIT_ORDER: [usize; 3] = [18, 9, 0];

/// Pairs of positions in the order of their bits as numbers.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (1..9).flat_map(|second| (0..second).map(move |first| (first, second)))
}

fn locked(source: &Grid, grid: &Grid, digits: u16, out: &mut Removals) {
    let is_locked = |digit: usize| digits >> digit & 1 != 0 && is_locked(grid.open[digit]);
    let digits = set_of(std::array::from_fn(is_locked));
    for (kind, other) in [(2, 1), (2, 0), (1, 2), (0, 2)] {
        for digit in digits_of(digits) {
            for unit in 9 * kind..9 * kind + 9 {
                let places = grid.open[digit] & UNITS[unit];
                if places & places.wrapping_sub(1) == 0 {
                    continue;
                }
                let cover = UNITS[usize::from(UNITS_OF[places.trailing_zeros() as usize][other])];
                let removed = grid.open[digit] & cover & !UNITS[unit];
                if places & !cover == 0 && removed != 0 {
                    let gone = source.open[digit] & UNITS[unit] & !cover & !grid.open[digit];
                    let removed = Bits(removed).map(|cell| (cell, 1 << digit)).collect();
                    out.infer(offs(gone, 1 << digit), removed);
                }
            }
        }
    }
}

/// The cells of a set of units with at least a number of open ones, in order.
fn units(board: &Board, units: u32, open: u32) -> impl Iterator<Item = [usize; 9]> {
    let all = UNIT_ORDER.into_iter().filter(move |first| units >> first & 0x1ff != 0);
    all.flat_map(|first| first..first + 9)
        .filter(move |&unit| units >> unit & 1 != 0)
        .filter(move |&unit| (UNITS[unit] & !board.placed).count_ones() >= open)
        .map(|unit| UNIT_CELLS[unit].map(usize::from))
}

fn hidden_pairs(board: &Board, source: &Grid, grid: &Grid, pairs_of: &Pairs, out: &mut Removals) {
    // The units with cells in which two digits have a pair of places.
    let mut hidden = 0;
    for (a, b) in pairs() {
        for kind in 0..3 {
            let both = pairs_of.places[a][kind] & pairs_of.places[b][kind];
            for cell in Bits(both) {
                hidden |= 1 << UNITS_OF[cell][kind];
            }
        }
    }
    for cells in units(board, hidden, 5) {
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
            let others = cells.into_iter().filter(|&cell| both >> cell & 1 == 0);
            out.infer(others.flat_map(|it| offs(1 << it, source.masks[it] & digits)), removed);
        }
    }
}

fn naked_pairs(board: &Board, source: &Grid, grid: &Grid, pairs_of: &Pairs, out: &mut Removals) {
    // The units with cells that have the same two candidates.
    let mut naked = 0;
    for cell in Bits(pairs_of.cells) {
        let same = digits_of(grid.masks[cell])
            .fold(PEERS[cell] & pairs_of.cells, |same, digit| same & grid.open[digit]);
        if same != 0 {
            UNITS_OF[cell].iter().for_each(|&unit| naked |= 1 << unit);
        }
    }
    for cells in units(board, naked, 4) {
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
            let pair = [cells[a], cells[b]].into_iter();
            out.infer(pair.flat_map(|it| offs(1 << it, source.masks[it] & !digits)), removed);
        }
    }
}

fn x_wings(board: &Board, source: &Grid, grid: &Grid, pairs_of: &Pairs, out: &mut Removals) {
    let count = |digit: usize| (board.digits[digit] & board.placed).count_ones();
    for (base, cover) in [(1, 0), (0, 1)] {
        // The digits with several places of pairs in a cover line.
        let has_several = |digit: usize| {
            let places = pairs_of.places[digit][base];
            let alone = if cover == 0 { rows_with::<1>(places) } else { columns_with::<1>(places) };
            places & !alone != 0 && count(digit) <= 5
        };
        let digits = set_of(std::array::from_fn(has_several));
        for (a, b) in pairs().filter(|_| digits != 0) {
            for digit in digits_of(digits) {
                let [a, b] = [a, b].map(|line| UNITS[9 * base + line]);
                let places = grid.open[digit] & (a | b);
                if (places & a).count_ones() != 2 || (places & b).count_ones() != 2 {
                    continue;
                }
                let lines = Bits(places & a).map(|cell| UNITS[usize::from(UNITS_OF[cell][cover])]);
                let covers = lines.clone().fold(0, |covers, line| covers | line);
                let removed = grid.open[digit] & covers & !a & !b;
                if places & !covers != 0 || removed == 0 {
                    continue;
                }
                let gone = source.open[digit] & !covers & !grid.open[digit];
                let reasons = [a, b].into_iter().flat_map(|base| offs(gone & base, 1 << digit));
                // Cover line by cover line.
                let cells = lines.flat_map(|line| Bits(removed & line));
                out.infer(reasons, cells.map(|cell| (cell, 1 << digit)).collect());
            }
        }
    }
}
