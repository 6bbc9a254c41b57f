//! Rows, columns, boxes, and peers of cells, computed at compile time.

use std::fmt;

use super::CELLS;

/// A row, column, or box, with its index 0 to 8 (boxes in row order).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Nine cells side by side.
    Row(u8),
    /// Nine cells one above the other.
    Column(u8),
    /// A square of nine cells.
    Box(u8),
}

impl Unit {
    /// Iterates over all 27 units: rows, then columns, then boxes.
    pub fn all() -> impl Iterator<Item = Self> {
        let rows = (0..9).map(Self::Row);
        let columns = (0..9).map(Self::Column);
        rows.chain(columns).chain((0..9).map(Self::Box))
    }

    /// Returns the number of this unit in the order of [`Unit::all`].
    pub fn number(self) -> usize {
        match self {
            Self::Row(i) => i.into(),
            Self::Column(i) => 9 + usize::from(i),
            Self::Box(i) => 18 + usize::from(i),
        }
    }

    /// Returns the row, the column, and the box of a cell.
    ///
    /// # Panics
    /// When `cell` is above 80.
    pub fn of_cell(cell: usize) -> [Self; 3] {
        assert!(cell < CELLS, "cells are 0 to 80");
        let [row, column, square] = row_column_box(cell).map(|index| index as u8);
        [Self::Row(row), Self::Column(column), Self::Box(square)]
    }

    /// Returns the nine cells of this unit, in row order.
    pub fn cells(self) -> [usize; 9] {
        std::array::from_fn(|i| match self {
            Self::Row(r) => usize::from(r) * 9 + i,
            Self::Column(c) => i * 9 + usize::from(c),
            Self::Box(b) => {
                let (band, stack) = (usize::from(b) / 3, usize::from(b) % 3);
                (band * 3 + i / 3) * 9 + stack * 3 + i % 3
            }
        })
    }
}

impl fmt::Display for Unit {
    /// Formats it as `row 1`, `column 1`, or `box 1`, counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, index) = match self {
            Self::Row(i) => ("row", i),
            Self::Column(i) => ("column", i),
            Self::Box(i) => ("box", i),
        };
        write!(f, "{name} {}", index + 1)
    }
}

/// Returns the 20 cells that share a unit with a cell, in row order.
///
/// # Panics
/// When `cell` is above 80.
pub fn peers(cell: usize) -> &'static [u8; 20] {
    &PEERS[cell]
}

static PEERS: [[u8; 20]; CELLS] = {
    let mut peers = [[0; 20]; CELLS];
    let mut pair = 0;
    let mut count = 0;
    while pair < CELLS * CELLS {
        let (cell, other) = (pair / CELLS, pair % CELLS);
        let ([row, column, square], [r, c, s]) = (row_column_box(cell), row_column_box(other));
        if cell != other && (row == r || column == c || square == s) {
            peers[cell][count % 20] = other as u8;
            count += 1;
        }
        pair += 1;
    }
    peers
};

/// Returns the row, column, and box of a cell, counted from 0.
#[inline(always)]
pub(crate) const fn row_column_box(cell: usize) -> [usize; 3] {
    let (row, column) = (cell / 9, cell % 9);
    [row, column, row / 3 * 3 + column / 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_every_cell_three_times() {
        let mut units = [const { Vec::new() }; CELLS];
        Unit::all().for_each(|unit| unit.cells().iter().for_each(|&cell| units[cell].push(unit)));
        assert!((0..CELLS).all(|cell| units[cell] == Unit::of_cell(cell)));
    }

    #[test]
    fn peers_share_a_unit() {
        for cell in 0..CELLS {
            let units = Unit::of_cell(cell).into_iter().flat_map(Unit::cells);
            let mut others: Vec<_> = units.filter(|&other| other != cell).collect();
            others.sort_unstable();
            others.dedup();
            assert!(others.iter().eq(peers(cell).map(usize::from).iter()), "{cell}");
        }
    }
}
