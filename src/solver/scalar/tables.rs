//! What is known of one digit in one band, before any puzzle is seen: tables made at compile
//! time, each with 512 entries, one for each set of nine things (columns or minirows).

/// A set of cells of one band: bit `9 * row + column`, for the band's three rows.
pub type Cells = u32;

/// All 27 cells of a band.
pub const ALL: Cells = (1 << 27) - 1;

/// The first cell of each row of a band. Times nine columns, it is these columns in each row.
pub const EACH_ROW: Cells = 1 | 1 << 9 | 1 << 18;

/// The three minirows of a row that hold any of its nine cells.
pub static MINIROWS_OF_ROW: [u8; 512] = minirows_of_row();

/// A digit that has candidates in these nine minirows of a band (bit `3 * row + box`): the cells
/// of the minirows in which it can really stand.
///
/// The band holds the digit once in each row and once in each box, so its three minirows form
/// one of six permutation matrices. An entry is the union of those that fit: locked candidates
/// in both directions, and 0 where none fits.
pub static CLOSURE: [Cells; 512] = closure();

/// A digit that has candidates in these nine columns of a band: the cells that it leaves to the
/// digit in the stack's other bands. Where a box has one column left, they lose that column.
pub static LOCKED: [Cells; 512] = columns_left(1);

/// A digit that has candidates in these nine columns of two bands together: the cells that they
/// leave to the digit in the third. Where two boxes have two columns left, it loses both.
pub static PAIR: [Cells; 512] = columns_left(2);

/// A digit that stands in a cell of a band: the cells of that band it can still stand in.
pub static PLACED: [Cells; 27] = placed();

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

const fn closure() -> [Cells; 512] {
    // The box of rows 0, 1 and 2.
    const PERMUTATIONS: [[u32; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut table = [0; 512];
    let mut minirows = 0;
    while minirows < 512 {
        let mut i = 0;
        while i < 6 {
            let [a, b, c] = PERMUTATIONS[i];
            let (a, b, c) = (a, 3 + b, 6 + c);
            let permutation = 1 << a | 1 << b | 1 << c;
            if minirows & permutation == permutation {
                table[minirows] |= 0b111 << (3 * a) | 0b111 << (3 * b) | 0b111 << (3 * c);
            }
            i += 1;
        }
        minirows += 1;
    }
    table
}

/// `boxes` boxes of a stack with no more columns than boxes use up those columns.
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

const fn placed() -> [Cells; 27] {
    let mut table = [0; 27];
    let mut cell = 0;
    while cell < 27 {
        let row = 0b1_1111_1111 << (cell / 9 * 9);
        let square = 0b111 * EACH_ROW << (cell % 9 / 3 * 3);
        table[cell] = ALL & !(row | square) | 1 << cell;
        cell += 1;
    }
    table
}
