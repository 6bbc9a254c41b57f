//! Pencil marks: the given candidates of all cells.
//!
//! | file | contents |
//! |---|---|
//! | `digits` | sets of digits |

mod digits;

use std::fmt;
use std::str::FromStr;

pub use digits::{Digits, Upward};

use crate::forms;
use crate::prefetch::Prefetch;
use crate::puzzle::{BLANKS, CELLS, Grid, Malformed, Puzzle, Unit, cell_name};
use crate::text;

/// Length of pencil marks as text: nine characters per cell.
pub const TEXT: usize = text::MARKS;

/// Pencil marks: the given candidates of each cell, which need not be consistent.
///
/// A puzzle is a special case, with one candidate in cells with a clue, and all nine in blanks.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::marks::{Digits, Marks};
///
/// let mut marks = Marks::parse(format!("...4.....1....67.9{}", ".".repeat(711)).as_bytes())?;
/// assert_eq!(marks.of_cell(1).to_string(), "1679");
/// marks.set(1, Digits::one(6));
/// assert_eq!(marks.clues().cells()[..3], [4, 6, 0]);
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Marks([u16; CELLS]);

impl Marks {
    /// All candidates in every cell: the puzzle without clues.
    pub const ALL: Self = Self([Digits::ALL.0; CELLS]);

    /// Parses exactly 729 characters, nine for each cell in row order. The `n`-th one is the digit
    /// `n` if it is a candidate, otherwise one of [`BLANKS`].
    ///
    /// # Errors
    /// [`Malformed`], with the fault and its column, from 1.
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        if text.len() != TEXT {
            let what = format!("{} characters, {TEXT} expected for pencil marks", text.len());
            return Err(Malformed { column: text.len().min(TEXT) + 1, what });
        }
        let mut marks = Self([0; CELLS]);
        for (at, &byte) in text.iter().enumerate() {
            let (cell, digit) = (at / 9, (at % 9) as u8 + 1);
            if byte == b'0' + digit {
                marks.0[cell] |= 1 << digit;
            } else if byte.is_ascii_digit() && byte != b'0' {
                let (found, cell) = (char::from(byte), cell_name(cell));
                let what = format!(
                    "pencil marks: {found} in the place of {digit} of {cell}; {digit} or . there"
                );
                return Err(Malformed { column: at + 1, what });
            } else if !BLANKS.contains(&byte) {
                return Err(Malformed::not_a_cell(text, at));
            }
        }
        Ok(marks)
    }

    /// Creates pencil marks from the candidates of each cell.
    pub fn from_cells(cells: [Digits; CELLS]) -> Self {
        Self(cells.map(|Digits(mask)| mask))
    }

    /// Returns the candidates of a cell.
    ///
    /// # Panics
    /// When `cell` is above 80.
    #[inline]
    pub fn of_cell(&self, cell: usize) -> Digits {
        Digits(self.0[cell])
    }

    /// Sets the candidates of a cell.
    ///
    /// # Panics
    /// When `cell` is above 80.
    #[inline]
    pub fn set(&mut self, cell: usize, digits: Digits) {
        self.0[cell] = digits.0;
    }

    /// Returns the candidates of each cell as bit masks: bit `d` for digit `d`.
    pub(crate) fn masks(&self) -> &[u16; CELLS] {
        &self.0
    }

    /// Returns the cells with one candidate as clues.
    #[expect(clippy::missing_panics_doc, reason = "candidates are digits")]
    pub fn clues(&self) -> Puzzle {
        let clue = |mask: u16| if mask.is_power_of_two() { mask.trailing_zeros() as u8 } else { 0 };
        Puzzle::from_cells(self.0.map(clue)).expect("candidates are digits")
    }

    /// Returns the equivalent puzzle, if the cells with one candidate exclude all candidates that are
    /// missing in the others.
    pub fn puzzle(&self) -> Option<Puzzle> {
        let clues = self.clues();
        let mut excluded = [0_u16; 27];
        for (cell, clue) in clues.cells().iter().enumerate().filter(|(_, clue)| **clue != 0) {
            Unit::of_cell(cell).into_iter().for_each(|unit| excluded[unit.number()] |= 1 << clue);
        }
        let is_explained = |cell: usize| {
            let units = Unit::of_cell(cell).into_iter();
            let gone = units.fold(0, |gone, unit| gone | excluded[unit.number()]);
            clues[cell] != 0 || self.0[cell] | gone == Digits::ALL.0
        };
        (0..CELLS).all(is_explained).then_some(clues)
    }

    /// Returns whether `grid` obeys the rules and every digit is a candidate of its cell.
    pub fn is_solved_by(&self, grid: &Grid) -> bool {
        let are_candidates = (0..CELLS).all(|cell| self.of_cell(cell).contains(grid.cells()[cell]));
        are_candidates && grid.is_valid()
    }
}

impl Prefetch for Marks {
    #[inline(always)]
    fn prefetch(&self) -> u8 {
        let masks = self.masks();
        (masks[0] ^ masks[31] ^ masks[62]) as u8
    }
}

impl From<&Puzzle> for Marks {
    /// Converts clues to single candidates, and blanks to all nine.
    fn from(puzzle: &Puzzle) -> Self {
        Self(puzzle.cells().map(|clue| if clue == 0 { Digits::ALL.0 } else { 1 << clue }))
    }
}

impl FromStr for Marks {
    type Err = Malformed;

    /// Parses any [form](crate::forms) of a puzzle that a line or a field of an input may have, or nine
    /// rows of nine cells, each with its candidates (`1679`, or in nine places `1____67_9`) or a blank
    /// for all of them. A clue is the only candidate of its cell.
    ///
    /// Error messages include the line or the column.
    fn from_str(text: &str) -> Result<Self, Malformed> {
        let form = forms::read(text.as_bytes()).map_err(|Malformed { column, what }| {
            let has_line = what.starts_with("line ");
            let what = if has_line { what } else { format!("column {column}: {what}") };
            Malformed { column, what }
        });
        Ok(form?.marks())
    }
}

impl fmt::Display for Marks {
    /// Formats 729 characters, with `.` for a digit that is not a candidate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'.'; TEXT];
        for cell in 0..CELLS {
            for digit in self.of_cell(cell) {
                text[9 * cell + usize::from(digit) - 1] = b'0' + digit;
            }
        }
        f.pad(std::str::from_utf8(&text).expect("digits and dots are ASCII"))
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Marks({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CLASSIC, SOLVED};

    fn classic() -> Puzzle {
        CLASSIC.parse().unwrap()
    }

    #[test]
    fn formats_a_puzzle_as_729_characters() {
        let marks = Marks::from(&classic());
        let text = marks.to_string();
        assert_eq!(&text[..27], "....5......3......123456789");
        assert_eq!(Marks::parse(text.as_bytes()), Ok(marks));
        for &blank in BLANKS {
            let text = text.replace('.', std::str::from_utf8(&[blank]).unwrap());
            assert_eq!(Marks::parse(text.as_bytes()), Ok(marks));
        }
        assert_eq!((marks.puzzle(), marks.clues()), (Some(classic()), classic()));
        assert_eq!(Marks::from(&Puzzle::EMPTY), Marks::ALL);
    }

    #[test]
    fn errors_have_columns() {
        let error = |text: &str| {
            let Malformed { column, what } = Marks::parse(text.as_bytes()).unwrap_err();
            (column, what)
        };
        let all = Marks::ALL.to_string();
        assert_eq!(error(&all[1..]), (729, "728 characters, 729 expected for pencil marks".into()));
        assert_eq!(
            error(&(all.clone() + ".")),
            (730, "730 characters, 729 expected for pencil marks".into())
        );
        let wrong_place = all.replacen("12345678912", "12345678921", 1);
        assert_eq!(
            error(&wrong_place),
            (10, "pencil marks: 2 in the place of 1 of r1c2; 1 or . there".into())
        );
        let (column, what) = error(&all.replacen('9', "O", 1));
        assert_eq!(column, 9);
        assert!(what.starts_with("letter O"), "{what}");
    }

    #[test]
    fn only_clues_and_blanks_convert_to_a_puzzle() {
        let mut marks = Marks::from(&classic());
        marks.set(2, Digits::default());
        assert_eq!((marks.puzzle(), marks.clues()), (None, classic()));
        marks.set(2, Digits::one(4));
        assert_eq!(marks.puzzle().map(|puzzle| puzzle.clues()), Some(31));
    }

    #[test]
    fn candidates_that_single_cells_exclude_may_be_missing() {
        let mut marks = Marks::from(&classic());
        // All that the clues exclude is missing, or a half of it.
        for step in [2, 1] {
            for (cell, clue) in classic().cells().iter().enumerate().filter(|(_, it)| **it != 0) {
                for &peer in crate::puzzle::peers(cell).iter().step_by(step) {
                    let mut digits = marks.of_cell(peer.into());
                    digits.remove(*clue);
                    marks.set(peer.into(), digits);
                }
            }
            assert_eq!(marks.puzzle(), Some(marks.clues()));
        }
        // r1c3 cannot be 5 or 3, but 2 is not excluded.
        let mut digits = marks.of_cell(2);
        assert!(digits.contains(2) && !digits.contains(5));
        digits.remove(2);
        marks.set(2, digits);
        assert_eq!(marks.puzzle(), None);
    }

    #[test]
    fn a_grid_solves_marks_if_each_digit_is_a_candidate() {
        let solved: Puzzle = SOLVED.parse().unwrap();
        let mut marks = Marks::from(&classic());
        assert!(marks.is_solved_by(&Grid(*solved.cells())));
        marks.set(2, Digits::one(1));
        assert!(!marks.is_solved_by(&Grid(*solved.cells())));
        // Candidates alone are not sufficient.
        assert!(!Marks::ALL.is_solved_by(&Grid([1; CELLS])));
        assert!(!Marks::ALL.is_solved_by(&Grid::BLANK));
    }

    #[test]
    fn parses_candidates_in_places_and_forum_frames() {
        let marks: Marks = CLASSIC.parse().unwrap();
        let cell = |cell: usize| -> String {
            let digits = marks.of_cell(cell);
            (1..=9)
                .map(|digit| if digits.contains(digit) { char::from(b'0' + digit) } else { '_' })
                .collect()
        };
        let rows: Vec<String> = (0..9)
            .map(|row| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" "))
            .collect();
        let placed = rows.join("\n");
        let framed =
            format!(".-----.-----.\n| {} |\n'-----'-----'", rows.join(" |\n:-----+-----:\n│ "));
        let dotted = CLASSIC.replace("...", "…");
        for text in [placed, framed, dotted] {
            assert_eq!(text.parse(), Ok(marks), "{text}");
        }
    }

    #[test]
    fn errors_have_a_line_or_column() {
        let error = |text: &str| text.parse::<Marks>().unwrap_err().to_string();
        assert!(error("12").contains("column 3: 2 cells"), "{}", error("12"));
        assert!(error(&"2".repeat(729)).starts_with("column 1: pencil marks: 2 in the place of 1"));
        assert_eq!(
            error("1 2\n3"),
            "line 1, column 4: row 1 of the grid has 2 cells, nine expected"
        );
        assert_eq!(
            error("123456789\n456789123"),
            "line 1, column 1: a grid of 2 rows, nine expected"
        );
    }
}
