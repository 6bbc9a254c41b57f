//! Symmetries of the cells that hold clues.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::puzzle::CELLS;

/// A symmetry of the pattern of clues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symmetry {
    /// None.
    #[default]
    None,
    /// A half turn.
    Rot180,
    /// A quarter turn.
    Rot90,
    /// The reflection that makes rows of columns.
    Diagonal,
    /// The reflection that makes the last column of the first.
    Horizontal,
    /// The reflection that makes the last row of the first.
    Vertical,
}

impl Symmetry {
    /// All, the default first.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Rot180, Self::Rot90, Self::Diagonal, Self::Horizontal, Self::Vertical];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rot180 => "rot180",
            Self::Rot90 => "rot90",
            Self::Diagonal => "diagonal",
            Self::Horizontal => "horizontal",
            Self::Vertical => "vertical",
        }
    }

    /// The cells that a clue in this cell goes with: itself, and up to three others. Some may be
    /// named more than once.
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

    /// Whether a set of cells has it.
    pub fn is_of(self, cells: u128) -> bool {
        let is_in = |cell: usize| cells >> cell & 1 != 0;
        (0..CELLS).all(|cell| self.images(cell).iter().all(|&image| is_in(image) == is_in(cell)))
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A symmetry was asked for that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is none of {names}", names = Symmetry::ALL.map(Symmetry::name).join(", "))]
pub struct UnknownSymmetry(String);

impl FromStr for Symmetry {
    type Err = UnknownSymmetry;

    fn from_str(name: &str) -> Result<Self, UnknownSymmetry> {
        let found = Self::ALL.into_iter().find(|symmetry| symmetry.name() == name);
        found.ok_or_else(|| UnknownSymmetry(name.into()))
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
