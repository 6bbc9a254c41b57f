//! Symmetries of the cells that are clues.

use crate::named::named_enum;
use crate::puzzle::CELLS;

named_enum! {
    /// A symmetry of the cells that are clues.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Symmetry {
        /// No symmetry.
        #[default]
        None = "none",
        /// A half turn.
        Rot180 = "rot180",
        /// A quarter turn.
        Rot90 = "rot90",
        /// The reflection that exchanges rows and columns.
        Diagonal = "diagonal",
        /// The reflection that exchanges the first and the last column.
        Horizontal = "horizontal",
        /// The reflection that exchanges the first and the last row.
        Vertical = "vertical",
    }

    /// The requested symmetry does not exist.
    UnknownSymmetry = "unknown symmetry {0:?}; expected {names}"
}

impl Symmetry {
    /// Returns the cells that are symmetric to this one: the cell itself, and up to three others,
    /// possibly with repetitions.
    pub fn images(self, cell: usize) -> [usize; 4] {
        let (row, column) = (cell / 9, cell % 9);
        let (down, across) = (8 - row, 8 - column);
        let at = |row: usize, column: usize| row * 9 + column;
        match self {
            Self::None => [cell; 4],
            Self::Rot180 => [cell, cell, at(down, across), cell],
            Self::Rot90 => [cell, at(column, down), at(down, across), at(across, row)],
            Self::Diagonal => [cell, at(column, row), cell, cell],
            Self::Horizontal => [cell, at(row, across), cell, cell],
            Self::Vertical => [cell, at(down, column), cell, cell],
        }
    }

    /// Returns whether a set of cells has this symmetry.
    pub fn is_of(self, cells: u128) -> bool {
        let is_in = |cell: usize| cells >> cell & 1 != 0;
        (0..CELLS).all(|cell| self.images(cell).iter().all(|&image| is_in(image) == is_in(cell)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_images_are_images() {
        for symmetry in Symmetry::ALL {
            for cell in 0..CELLS {
                let mut images = symmetry.images(cell);
                assert_eq!(images[0], cell);
                images.sort_unstable();
                for image in images {
                    let mut others = symmetry.images(image);
                    others.sort_unstable();
                    let distinct = |mut all: Vec<usize>| {
                        all.dedup();
                        all
                    };
                    assert_eq!(distinct(others.to_vec()), distinct(images.to_vec()), "{symmetry}");
                }
            }
            assert_eq!(symmetry.name().parse(), Ok(symmetry));
        }
        let two_cells = |a: usize, b: usize| 1 << a | 1 << b;
        assert!(Symmetry::Rot180.is_of(two_cells(0, 80)));
        assert!(Symmetry::Diagonal.is_of(two_cells(1, 9)));
        assert!(Symmetry::Horizontal.is_of(two_cells(0, 8)));
        assert!(Symmetry::Vertical.is_of(two_cells(0, 72)));
        assert!(!Symmetry::Rot90.is_of(two_cells(0, 80)));
        assert!(Symmetry::Rot90.is_of(two_cells(0, 80) | two_cells(8, 72)));
    }
}
