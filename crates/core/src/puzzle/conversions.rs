//! Conversions of puzzles and grids.

use std::fmt;
use std::ops::Index;
use std::str::FromStr;

use super::{CELLS, Grid, Malformed, Puzzle};
use crate::prefetch::Prefetch;

macro_rules! conversions {
    ($type:ident, $default:ident, $name:literal) => {
        impl Default for $type {
            #[doc = concat!("[`", stringify!($type), "::", stringify!($default), "`].")]
            fn default() -> Self {
                Self::$default
            }
        }

        impl Index<usize> for $type {
            type Output = u8;

            #[doc = concat!("The ", $name, " in a cell, 0 to 80 in row order; 0 if it is blank.")]
            fn index(&self, cell: usize) -> &u8 {
                &self.0[cell]
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self)
            }
        }

        impl Prefetch for $type {
            #[inline(always)]
            fn prefetch(&self) -> u8 {
                self.0.prefetch()
            }
        }
    };
}

conversions!(Puzzle, EMPTY, "clue");
conversions!(Grid, BLANK, "digit");

impl FromStr for Puzzle {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        Self::parse(text.as_bytes())
    }
}

impl FromStr for Grid {
    type Err = Malformed;

    /// Parses 81 digits, or 81 blanks for [`Grid::BLANK`]. Does not check the rules: see
    /// [`Grid::is_valid`].
    fn from_str(text: &str) -> Result<Self, Malformed> {
        let puzzle: Puzzle = text.parse()?;
        match puzzle.cells().iter().position(|&cell| cell == 0) {
            Some(at) if puzzle != Puzzle::EMPTY => {
                let what = "a blank in a grid, which has a digit in every cell".into();
                Err(Malformed { column: at + 1, what })
            }
            _ => Ok(Self(*puzzle.cells())),
        }
    }
}

impl TryFrom<[u8; CELLS]> for Grid {
    type Error = Malformed;

    /// Converts 81 numbers from 1 to 9, or 0 in every cell for [`Grid::BLANK`].
    fn try_from(cells: [u8; CELLS]) -> Result<Self, Malformed> {
        let are_digits = cells.iter().all(|cell| (1..=9).contains(cell));
        if are_digits || cells == Self::BLANK.0 {
            return Ok(Self(cells));
        }
        let at = cells.iter().position(|cell| !(1..=9).contains(cell)).expect("one is wrong");
        let what = format!("{} is not a cell; the numbers are 1 to 9", cells[at]);
        Err(Malformed { column: at + 1, what })
    }
}

impl From<Grid> for Puzzle {
    /// Converts a grid to the puzzle in which every cell is a clue.
    fn from(grid: Grid) -> Self {
        Self(grid.0)
    }
}

impl fmt::Display for Puzzle {
    /// Formats 81 characters, with `.` for a blank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(std::str::from_utf8(&self.text()).expect("digits and dots are ASCII"))
    }
}

impl fmt::Display for Grid {
    /// Formats 81 characters, with `.` for a missing digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Puzzle(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::SOLVED;

    #[test]
    fn text_and_numbers_yield_the_same_grid() {
        let grid: Grid = SOLVED.parse().unwrap();
        assert_eq!((grid[0], grid[80], grid.to_string()), (5, 9, SOLVED.to_owned()));
        assert_eq!(Grid::try_from(*grid.cells()), Ok(grid));
        assert_eq!(Puzzle::from_cells(*grid.cells()), Some(Puzzle::from(grid)));
        assert!(grid.is_valid() && grid > Grid::default() && Puzzle::default() < grid.into());
        assert_eq!(Grid::BLANK.to_string().parse(), Ok(Grid::BLANK));
        assert_eq!(Grid::try_from([0; CELLS]), Ok(Grid::BLANK));
        assert!(!Grid::BLANK.is_valid());
    }

    #[test]
    fn the_error_names_the_first_wrong_cell() {
        let error = SOLVED.replacen("46", "4.", 1).parse::<Grid>().unwrap_err();
        assert_eq!((error.column, error.what.contains("blank")), (4, true), "{error}");
        let mut cells = [1; CELLS];
        (cells[7], cells[9]) = (0, 10);
        let error = Grid::try_from(cells).unwrap_err();
        assert_eq!(error.to_string(), "0 is not a cell; the numbers are 1 to 9");
        assert_eq!((error.column, Puzzle::from_cells(cells)), (8, None));
    }
}
