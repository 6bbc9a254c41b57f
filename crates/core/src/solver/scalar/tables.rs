//! Implications for one digit in one band, computed at compile time. Most tables have 512 entries,
//! one for each set of nine columns or minirows.

use crate::chute::{ALL, CELLS_OF, Cells, EACH_ROW, POSSIBLE};

/// The minirows that contain any of a set of cells of a row.
pub static MINIROWS_OF_ROW: [u8; 512] = minirows_of_row();

/// For a digit with candidates in these minirows of a band (bit `3 * row + box`), the cells of the
/// possible minirows.
///
/// An entry is the union of the possible configurations: locked candidates in both directions, and
/// 0 if no configuration is possible.
pub static CLOSURE: [Cells; 512] = {
    let mut table = [0; 512];
    let mut minirows = 0;
    while minirows < 512 {
        table[minirows] = CELLS_OF[POSSIBLE[minirows] as usize];
        minirows += 1;
    }
    table
};

/// For a digit with candidates in these columns of a band, the cells that remain in the other bands
/// of the stack: if a box has one column left, they lose that column.
pub static LOCKED_BY_ONE_BAND: [Cells; 512] = columns_left(1);

/// For a digit with candidates in these columns of two bands together, the cells that remain in the
/// third band: if two boxes have two columns left, it loses both.
pub static LOCKED_BY_TWO_BANDS: [Cells; 512] = columns_left(2);

const fn minirows_of_row() -> [u8; 512] {
    let mut table = [0; 512];
    let mut columns = 0;
    while columns < 512 {
        let mut minirow = 0;
        while minirow < 3 {
            if columns >> (3 * minirow) & 0b111 != 0 {
                table[columns] |= 1 << minirow;
            }
            minirow += 1;
        }
        columns += 1;
    }
    table
}

/// Returns the cells without the columns that `boxes` boxes of a stack use up because they have no
/// more columns than boxes.
const fn columns_left(boxes: u32) -> [Cells; 512] {
    let mut table = [ALL; 512];
    let mut columns: u32 = 0;
    while columns < 512 {
        let mut stack = 0;
        while stack < 3 {
            let of_stack = columns & 0b111 << (3 * stack);
            if of_stack.count_ones() <= boxes {
                table[columns as usize] &= !(of_stack * EACH_ROW);
            }
            stack += 1;
        }
        columns += 1;
    }
    table
}
