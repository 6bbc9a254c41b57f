//! Boards, and tables and functions for sets of cells.

pub use bulkdoku_core::board::*;
use bulkdoku_core::puzzle::CELLS;

/// The cells of each unit, in row order.
pub static UNIT_CELLS: [[u8; 9]; 27] = {
    let mut table = [[0; 9]; 27];
    let mut unit = 0;
    while unit < 27 {
        let (mut cell, mut i) = (0, 0);
        while cell < CELLS {
            if UNITS[unit] >> cell & 1 != 0 {
                table[unit][i] = cell as u8;
                i += 1;
            }
            cell += 1;
        }
        unit += 1;
    }
    table
};

/// The first cell of each row of a set of rows.
static ROW_STARTS: [Cells; 512] = {
    let mut table = [0; 512];
    let mut rows = 1;
    while rows < 512 {
        let first = (rows as u16).trailing_zeros();
        table[rows] = table[rows & (rows - 1)] | 1 << (9 * first);
        rows += 1;
    }
    table
};

/// Returns the cells of a set of rows.
#[inline(always)]
pub fn rows(rows: u16) -> Cells {
    let starts = ROW_STARTS[usize::from(rows & 0x1ff)];
    (starts << 9) - starts
}

/// Returns the cells of a set of columns.
#[inline(always)]
pub fn columns(columns: u16) -> Cells {
    Cells::from(columns) * FIRST
}

/// Exchanges rows and columns.
#[inline(always)]
pub fn transpose(cells: Cells) -> Cells {
    (0..9).fold(0, |all, row| all | ROW_STARTS[(cells >> (9 * row)) as usize & 0x1ff] << row)
}

/// Exchanges rows and boxes: the cells of box `b`, in row order, become the cells of row `b`.
#[inline(always)]
pub fn boxes_as_rows(cells: Cells) -> Cells {
    const BANDS: Cells = 1 | 1 << 27 | 1 << 54;
    let swap = |cells: Cells, distance: u32, mask: Cells| {
        let differing = (cells ^ cells >> distance) & (mask * BANDS);
        cells ^ differing ^ differing << distance
    };
    swap(swap(cells, 6, 0o700_070), 12, 0o700)
}

/// Returns the cells at these positions of a unit: bit `i` for its cell `i`.
#[inline(always)]
pub fn cells_at(unit: usize, positions: u16) -> Cells {
    match unit / 9 {
        0 => Cells::from(positions) << (9 * unit),
        1 => ROW_STARTS[usize::from(positions & 0x1ff)] << (unit - 9),
        _ => boxes_as_rows(Cells::from(positions) << (9 * (unit - 18))),
    }
}

/// Returns the positions of these cells in a unit: bit `i` for its cell `i`.
pub fn positions_in(unit: usize, cells: Cells) -> u16 {
    set_of(UNIT_CELLS[unit].map(|cell| cells >> cell & 1 != 0))
}

/// Returns the numbers, such as of digits, for which an array is true.
#[inline(always)]
pub fn set_of(includes: [bool; 9]) -> u16 {
    includes.iter().rev().fold(0, |set, &includes| set << 1 | u16::from(includes))
}

/// The number of digits or positions in each set of nine.
pub static SIZES: [u8; 512] = {
    let mut table = [0; 512];
    let mut set = 0;
    while set < 512 {
        table[set] = (set as u16).count_ones() as u8;
        set += 1;
    }
    table
};

/// Returns the number of digits or positions in a set of nine.
#[inline(always)]
pub fn size(set: u16) -> usize {
    usize::from(SIZES[usize::from(set & 0x1ff)])
}

/// Returns the cells that are peers of any of these cells.
#[inline(always)]
pub fn any_peers(cells: Cells) -> Cells {
    Bits(cells).fold(0, |all, cell| all | PEERS[cell])
}

/// Returns the cells that are peers of all of these cells.
#[inline(always)]
pub fn common_peers(cells: Cells) -> Cells {
    Bits(cells).fold(ALL, |common, cell| common & PEERS[cell])
}
