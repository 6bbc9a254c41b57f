//! Units and peers of cells, computed at compile time.

use crate::puzzle::{CELLS, Unit};

/// The three units of a cell: its row, its column, its box.
///
/// # Panics
/// When there is no such cell.
pub const fn units(cell: usize) -> [Unit; 3] {
    let [row, column, square] = UNITS[cell];
    [Unit::Row(row), Unit::Column(column - 9), Unit::Box(square - 18)]
}

/// The 20 cells that share a unit with a cell, in row order.
///
/// # Panics
/// When there is no such cell.
pub const fn peers(cell: usize) -> &'static [u8; 20] {
    &PEERS[cell]
}

/// The units of each cell by number: 0 to 8 are the rows, 9 to 17 the columns, 18 to 26 the boxes.
pub(crate) static UNITS: [[u8; 3]; CELLS] = units_of_cells();

static PEERS: [[u8; 20]; CELLS] = peers_of_cells();

/// The unit with this number, as in [`UNITS`].
pub(crate) const fn unit_by_number(number: usize) -> Unit {
    let index = (number % 9) as u8;
    match number / 9 {
        0 => Unit::Row(index),
        1 => Unit::Column(index),
        _ => Unit::Box(index),
    }
}

/// A cell's row, column and box, each counted from 0.
pub(crate) const fn row_column_box(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, column, row / 3 * 3 + column / 3]
}

const fn units_of_cells() -> [[u8; 3]; CELLS] {
    let mut units = [[0; 3]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, square] = row_column_box(cell);
        units[cell] = [row as u8, 9 + column as u8, 18 + square as u8];
        cell += 1;
    }
    units
}

const fn peers_of_cells() -> [[u8; 20]; CELLS] {
    let mut peers = [[0; 20]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [row, column, square] = row_column_box(cell);
        let (mut other, mut found) = (0, 0);
        while other < CELLS {
            let [its_row, its_column, its_square] = row_column_box(other);
            let sees = row == its_row || column == its_column || square == its_square;
            if sees && other != cell {
                peers[cell][found] = other as u8;
                found += 1;
            }
            other += 1;
        }
        cell += 1;
    }
    peers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classic_article_s_own_checks() {
        // Peter Norvig's tests of C2: row C is the third, its column the second.
        let c2 = 2 * 9 + 1;
        assert_eq!(units(c2), [Unit::Row(2), Unit::Column(1), Unit::Box(0)]);
        let name = |&cell: &u8| format!("{}{}", char::from(b'A' + cell / 9), cell % 9 + 1);
        let names: Vec<_> = peers(c2).iter().map(name).collect();
        assert_eq!(names.join(" "), "A1 A2 A3 B1 B2 B3 C1 C3 C4 C5 C6 C7 C8 C9 D2 E2 F2 G2 H2 I2");
    }

    #[test]
    fn peers_share_a_unit() {
        for cell in 0..CELLS {
            for unit in units(cell) {
                assert!(unit.cells().contains(&cell));
                let others = unit.cells().into_iter().filter(|&other| other != cell);
                assert!(others.clone().count() == 8);
                for other in others {
                    assert!(peers(cell).contains(&(other as u8)), "{cell} {other}");
                }
            }
        }
    }
}
