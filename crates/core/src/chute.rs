//! The cells of a band as bits, and the implications for one digit in a chute: tables over the 512
//! sets of minirows with candidates.

/// A set of cells of one band: bit `9 * row + column`.
pub(crate) type Cells = u32;

/// All 27 cells of a band.
pub(crate) const ALL: Cells = (1 << 27) - 1;
/// The first row of a band.
pub(crate) const ROW: Cells = 0b1_1111_1111;
/// The first cell of each row of a band. Multiplied by a set of columns, it yields these columns in
/// each row.
pub(crate) const EACH_ROW: Cells = 1 | 1 << 9 | 1 << 18;
/// The first box of a band.
pub(crate) const BOX: Cells = 0b111 * EACH_ROW;

/// For a digit placed in a cell of a band, the digit's remaining cells in that band.
pub(crate) static PLACED: [Cells; 27] = {
    let mut table = [0; 27];
    let mut cell = 0;
    while cell < 27 {
        let peers = ROW << (cell / 9 * 9) | BOX << (cell % 9 / 3 * 3);
        table[cell] = ALL & !peers | 1 << cell;
        cell += 1;
    }
    table
};

/// The cells of each unit (rows, columns, boxes) in each of the three bands.
pub(crate) static UNITS: [[Cells; 3]; 27] = {
    let mut table = [[0; 3]; 27];
    let mut i = 0;
    while i < 9 {
        table[i][i / 3] = ROW << (i % 3 * 9);
        table[9 + i] = [EACH_ROW << i; 3];
        table[18 + i][i / 3] = BOX << (i % 3 * 3);
        i += 1;
    }
    table
};

/// A set of minirows of a chute: bit `3 * line + box` in a band, bit `3 * box + line` in a stack.
/// Permutation matrices are closed under transposition, so the tables serve both.
pub(crate) type Minirows = u16;

/// The six configurations of a digit in a chute: once in each line and once in each box.
const CONFIGURATIONS: [Minirows; 6] =
    [0b100_010_001, 0b010_100_001, 0b100_001_010, 0b001_100_010, 0b010_001_100, 0b001_010_100];

/// The minirows that can have the digit: the union of all possible configurations. This is locked
/// candidates in both directions, and 0 if the digit has no place.
pub(crate) static POSSIBLE: [Minirows; 512] = {
    let mut table = [0; 512];
    let mut minirows = 0;
    while minirows < 512 {
        let mut i = 0;
        while i < CONFIGURATIONS.len() {
            if CONFIGURATIONS[i] & !(minirows as Minirows) == 0 {
                table[minirows] |= CONFIGURATIONS[i];
            }
            i += 1;
        }
        minirows += 1;
    }
    table
};

/// The cells of these minirows of a band: bit `9 * row + column`.
pub(crate) static CELLS_OF: [Cells; 512] = {
    let mut table = [0; 512];
    let mut minirows = 0;
    while minirows < 512 {
        let mut minirow = 0;
        while minirow < 9 {
            if minirows >> minirow & 1 != 0 {
                table[minirows] |= 0b111 << (3 * minirow);
            }
            minirow += 1;
        }
        minirows += 1;
    }
    table
};
