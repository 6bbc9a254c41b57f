//! Puzzles and grids of 81 cells: parsing, formatting, and checking against the rules.
//!
//! Cells are numbered in row order, 0 (top left) to 80 (bottom right).

mod conversions;
mod malformed;
mod units;

use thiserror::Error;

use crate::text;
pub use crate::text::{BLANKS, is_cell};
pub use malformed::Malformed;
pub(crate) use units::row_column_box;
pub use units::{Unit, peers};

/// Number of cells of a puzzle.
pub const CELLS: usize = text::CELLS;

/// A puzzle: 81 cells in row order, 0 for a blank, 1 to 9 for a clue.
///
/// A puzzle may have any number of solutions, and its clues may break the rules: see
/// [`Puzzle::contradiction`].
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::Puzzle;
///
/// let puzzle: Puzzle =
///     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
///         .parse()?;
/// assert_eq!(puzzle.clues(), 30);
/// assert_eq!(puzzle.cells()[..3], [5, 3, 0]);
/// assert_eq!(puzzle.contradiction(), None);
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Puzzle(pub(crate) [u8; CELLS]);

impl Puzzle {
    /// The puzzle without clues.
    pub const EMPTY: Self = Self([0; CELLS]);

    /// Parses exactly 81 characters, digits `1` to `9` or one of [`BLANKS`].
    ///
    /// # Errors
    /// [`Malformed`], with the fault and its column, from 1.
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        text.try_into().ok().and_then(Self::from_text).ok_or_else(|| Malformed::new(text))
    }

    /// Parses 81 characters; returns `None` if one is not a cell ([`Puzzle::parse`] reports which).
    pub fn from_text(text: &[u8; CELLS]) -> Option<Self> {
        let mut puzzle = Self::EMPTY;
        text::read(text, puzzle.cells_mut()).then_some(puzzle)
    }

    /// Creates a puzzle from 81 values, 0 to 9; returns `None` if one is larger.
    pub fn from_cells(cells: [u8; CELLS]) -> Option<Self> {
        // Without an early exit, the compiler vectorizes this.
        cells.iter().fold(true, |all, &c| all & (c <= 9)).then_some(Self(cells))
    }

    /// Returns the cells in row order, 0 for a blank.
    #[inline]
    pub fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Returns the cells. Values must be 9 or less.
    #[doc(hidden)]
    #[inline]
    pub fn cells_mut(&mut self) -> &mut [u8; CELLS] {
        &mut self.0
    }

    /// Formats 81 characters, with `.` for a blank.
    #[inline]
    pub fn text(&self) -> [u8; CELLS] {
        self.0.map(|c| if c == 0 { b'.' } else { b'0' + c })
    }

    /// Returns the number of clues.
    pub fn clues(&self) -> usize {
        self.0.iter().filter(|&&c| c != 0).count()
    }

    /// Returns the cells of the clues.
    pub fn clue_cells(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let cells = self.0;
        (0..CELLS).filter(move |&cell| cells[cell] != 0)
    }

    /// Returns the first pair of equal clues in one unit, by unit (rows, then columns, then boxes),
    /// then by cell.
    pub fn contradiction(&self) -> Option<Contradiction> {
        if self.obeys_rules() {
            return None;
        }
        Unit::all().find_map(|unit| {
            let cells = unit.cells();
            let mut seen = 0_u16;
            let second = cells.into_iter().find(|&cell| {
                // A blank sets no bit.
                let digit = 1 << self.0[cell] & !1;
                let is_seen = seen & digit != 0;
                seen |= digit;
                is_seen
            })?;
            let digit = self.0[second];
            let first = cells.into_iter().find(|&cell| self.0[cell] == digit)?;
            Some(Contradiction { digit, cells: [first, second], unit })
        })
    }

    /// Whether no two equal clues share a unit.
    fn obeys_rules(&self) -> bool {
        // How often each digit occurs in a unit: four bits per digit, blanks in the lowest four.
        let (mut columns, mut all) = ([0_u64; 9], 0);
        for band in self.0.as_chunks::<27>().0 {
            let mut boxes = [0_u64; 3];
            for row in band.as_chunks::<9>().0 {
                let ones = row.map(|cell| 1_u64 << (4 * cell));
                for (column, one) in ones.into_iter().enumerate() {
                    columns[column] += one;
                    boxes[column / 3] += one;
                }
                all |= ones.iter().sum::<u64>();
            }
            all |= boxes[0] | boxes[1] | boxes[2];
        }
        all = columns.iter().fold(all, |all, column| all | column);
        all & 0xEE_EEEE_EEE0 == 0
    }
}

/// A solution: 81 digits in row order.
///
/// [`Grid::BLANK`] stands for a missing solution. [`Grid::is_valid`] and [`Grid::solves`] check a
/// grid against the rules. Grids and puzzles are ordered like 81-digit numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid(pub(crate) [u8; CELLS]);

impl Grid {
    /// A grid without digits, for a missing solution.
    pub const BLANK: Self = Self([0; CELLS]);

    /// Returns the digits in row order.
    #[inline]
    pub fn cells(&self) -> &[u8; CELLS] {
        &self.0
    }

    /// Formats 81 characters, with `.` for a missing digit.
    #[inline]
    pub fn text(&self) -> [u8; CELLS] {
        Puzzle(self.0).text()
    }

    /// Returns whether this grid obeys the rules and keeps every clue of `puzzle`.
    pub fn solves(&self, puzzle: &Puzzle) -> bool {
        let keeps_clues =
            (self.0.iter()).zip(puzzle.cells()).all(|(&digit, &clue)| clue == 0 || clue == digit);
        keeps_clues && self.is_valid()
    }

    /// Returns whether every unit has every digit.
    pub fn is_valid(&self) -> bool {
        !self.0.contains(&0) && Puzzle(self.0).obeys_rules()
    }
}

/// Two equal clues in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{digit} occurs twice in {unit}, at {} and {}", cell_name(cells[0]), cell_name(cells[1]))]
#[non_exhaustive]
pub struct Contradiction {
    /// The repeated digit.
    pub digit: u8,
    /// Both cells, in row order.
    pub cells: [usize; 2],
    /// The first unit that holds both.
    pub unit: Unit,
}

/// Returns the usual name of a cell, `r1c1` to `r9c9`.
#[doc(hidden)]
pub fn cell_name(cell: usize) -> String {
    format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)
}

/// A puzzle with one solution, for tests.
#[doc(hidden)]
pub const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// The solution of [`CLASSIC`], for tests.
#[doc(hidden)]
pub const SOLVED: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_blank_characters_parse_to_the_same_puzzle() {
        for &blank in BLANKS {
            let text = CLASSIC.replace('.', std::str::from_utf8(&[blank]).unwrap());
            assert_eq!(text.parse::<Puzzle>().unwrap().to_string(), CLASSIC);
        }
    }

    #[test]
    fn a_contradiction_names_cells_and_unit() {
        let found = CLASSIC.replacen("53..7", "53..5", 1).parse::<Puzzle>().unwrap();
        let found = found.contradiction().unwrap();
        assert_eq!(found.to_string(), "5 occurs twice in row 1, at r1c1 and r1c5");
        let mut cells = [0; CELLS];
        (cells[0], cells[10]) = (7, 7);
        let found = Puzzle::from_cells(cells).unwrap().contradiction().unwrap();
        assert_eq!(found.unit, Unit::Box(0));
    }
}
