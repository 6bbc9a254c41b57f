//! Units that have a digit in an exact number of places, for all units at once, by additions
//! within words.

use crate::board::{ALL, Cells, FIRST};

/// The last cell of each row.
const LAST: Cells = FIRST << 8;
/// The first cell of each minirow.
const MINIROWS: Cells = FIRST | FIRST << 3 | FIRST << 6;
/// The first cell of each box.
const BOXES: Cells = MINIROWS & (0x1ff | 0x1ff << 27 | 0x1ff << 54);

/// Returns the last cell of each row that has any of these cells.
#[inline(always)]
fn any_in_row(cells: Cells) -> Cells {
    (((cells & !LAST) + FIRST * 0xff) | cells) & LAST
}

/// Removes the first cell of each row. `any` has the last cell of each row that has a cell.
#[inline(always)]
fn without_first(cells: Cells, any: Cells) -> Cells {
    cells & cells.wrapping_sub(any >> 8)
}

/// Adds three sets of counters that are saturated at three.
#[inline(always)]
fn add(a: [Cells; 3], b: [Cells; 3]) -> [Cells; 3] {
    [a[0] | b[0], a[1] | b[1] | a[0] & b[0], a[2] | b[2] | a[1] & b[0] | a[0] & b[1]]
}

/// Returns those that count exactly `N`, which is 1 or 2.
#[inline(always)]
fn exactly<const N: usize>(counters: [Cells; 3]) -> Cells {
    counters[N - 1] & !counters[N]
}

/// Returns all cells of the rows that have exactly `N` (1 or 2) of these cells.
#[inline(always)]
pub fn rows_with<const N: usize>(cells: Cells) -> Cells {
    let one = any_in_row(cells);
    let rest = without_first(cells, one);
    let two = any_in_row(rest);
    let three = if N == 2 { any_in_row(without_first(rest, two)) } else { 0 };
    let last = exactly::<N>([one, two, three]);
    (last << 1).wrapping_sub(last >> 8) & ALL
}

/// Returns one cell of each row, column, and box that has any of these cells.
#[inline(always)]
pub fn units_of(cells: Cells) -> [Cells; 3] {
    let in_band = cells | cells >> 27 | cells >> 54;
    let in_minirow = (cells | cells >> 1 | cells >> 2) & MINIROWS;
    [
        any_in_row(cells),
        (in_band | in_band >> 9 | in_band >> 18) & 0x1ff,
        (in_minirow | in_minirow >> 9 | in_minirow >> 18) & BOXES,
    ]
}

/// Returns all cells of the columns that have exactly `N` (1 or 2) of these cells.
#[inline(always)]
pub fn columns_with<const N: usize>(cells: Cells) -> Cells {
    // Four rows onto four, then two onto two, then one onto one, and the last row.
    let four = 0xf_ffff_ffff;
    let [a, b] = [cells & four, cells >> 36 & four];
    let counters = [a | b, a & b, 0];
    let counters = add(counters, counters.map(|cells| cells >> 18));
    let counters = add(counters, counters.map(|cells| cells >> 9));
    let counters = add(counters, [cells >> 72, 0, 0]);
    (exactly::<N>(counters) & 0x1ff) * FIRST
}

/// Returns all cells of the boxes that have exactly `N` (1 or 2) of these cells.
#[inline(always)]
pub fn boxes_with<const N: usize>(cells: Cells) -> Cells {
    let [a, b, c] = [0, 1, 2].map(|i| [cells >> i & MINIROWS, 0, 0]);
    let minirows = add(add(a, b), c);
    let [a, b, c] = [0, 9, 18].map(|i| minirows.map(|cells| cells >> i & BOXES));
    let only = exactly::<N>(add(add(a, b), c));
    (only | only << 9 | only << 18) * 0x7
}
