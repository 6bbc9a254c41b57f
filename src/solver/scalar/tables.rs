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

/// The six configurations of a digit in a band: it stands once in each row and once in each box,
/// so its minirows (bit `3 * row + box`) form a permutation matrix.
const CONFIGURATIONS: [u16; 6] =
    [0b100_010_001, 0b010_100_001, 0b100_001_010, 0b001_100_010, 0b010_001_100, 0b001_010_100];

/// A digit that has candidates in these nine minirows of a band (bit `3 * row + box`): the cells
/// of the minirows in which it can really stand.
///
/// An entry is the union of the configurations that are left: locked candidates in both
/// directions, and 0 where none is left.
pub static CLOSURE: [Cells; 512] = closure();

/// A digit that has candidates in these nine columns of a band: the cells that it leaves to the
/// digit in the stack's other bands. Where a box has one column left, they lose that column.
pub static LOCKED: [Cells; 512] = columns_left(1);

/// A digit that has candidates in these nine columns of two bands together: the cells that they
/// leave to the digit in the third. Where two boxes have two columns left, it loses both.
pub static PAIR: [Cells; 512] = columns_left(2);

/// A digit that stands in a cell of a band: the cells of that band it can still stand in.
pub static PLACED: [Cells; 27] = placed();

/// The cells of each unit in each of the three bands: rows, columns, boxes.
pub static UNITS: [[Cells; 3]; 27] = units();

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
    let mut table = [0; 512];
    let mut minirows = 0;
    while minirows < 512 {
        let mut i = 0;
        while i < CONFIGURATIONS.len() {
            if CONFIGURATIONS[i] & !(minirows as u16) == 0 {
                table[minirows] |= cells_of(CONFIGURATIONS[i]);
            }
            i += 1;
        }
        minirows += 1;
    }
    table
}

/// The cells of these nine minirows.
const fn cells_of(minirows: u16) -> Cells {
    let mut cells = 0;
    let mut minirow = 0;
    while minirow < 9 {
        if minirows >> minirow & 1 != 0 {
            cells |= 0b111 << (3 * minirow);
        }
        minirow += 1;
    }
    cells
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
        let square = (0b111 * EACH_ROW) << (cell % 9 / 3 * 3);
        table[cell] = ALL & !(row | square) | 1 << cell;
        cell += 1;
    }
    table
}

const fn units() -> [[Cells; 3]; 27] {
    let mut table = [[0; 3]; 27];
    let mut i = 0;
    while i < 9 {
        table[i][i / 3] = 0b1_1111_1111 << (i % 3 * 9);
        table[9 + i] = [EACH_ROW << i; 3];
        table[18 + i][i / 3] = (0b111 * EACH_ROW) << (i % 3 * 3);
        i += 1;
    }
    table
}
