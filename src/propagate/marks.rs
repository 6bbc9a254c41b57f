//! Pencil marks: the candidates of all cells as text, and back.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Candidates, Contradiction, Digits, Names};
use crate::puzzle::{BLANKS, CELLS, Puzzle};

/// What may stand in each cell as somebody wrote it down, with no conclusion drawn.
///
/// As text it is one of
/// - 729 characters, nine for each cell: the n-th is `n` if n is a candidate, `.` if not;
/// - nine rows of nine cells, each cell its candidates (`1679`) or a blank for all of them; bars
///   between the boxes and lines of `-`, `+` and `=` are passed over, and so is what follows the
///   ninth row;
/// - 81 cells as for [`Puzzle`]: a clue is the only candidate of its cell.
///
/// ```
/// use bulkdoku::propagate::{Candidates, Marks};
///
/// let hard =
///     "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......".parse()?;
/// let candidates = Candidates::of(&hard).unwrap();
/// let marks = candidates.marks().to_string();
/// assert_eq!(&marks[..18], "...4.....1....67.9");
/// let read: Marks = marks.parse().unwrap();
/// assert_eq!(Candidates::of_marks(&read), Ok(candidates));
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks([Digits; CELLS]);

impl Marks {
    /// What the clues say of their own cells, and nothing of the others.
    pub fn of(puzzle: &Puzzle) -> Self {
        Self(puzzle.cells().map(|clue| if clue == 0 { Digits::ALL } else { Digits::one(clue) }))
    }

    /// The puzzle, if each cell is either one clue or a blank.
    pub fn puzzle(&self) -> Option<Puzzle> {
        let mut cells = [0; CELLS];
        for (cell, digits) in cells.iter_mut().zip(self.0) {
            match digits.len() {
                1 => *cell = digits.into_iter().next()?,
                9 => {}
                _ => return None,
            }
        }
        Puzzle::from_cells(cells)
    }

    /// What may stand in a cell.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn of_cell(&self, cell: usize) -> Digits {
        self.0[cell]
    }

    fn from_729(text: &str) -> Result<Self, BadMarks> {
        let mut cells = [Digits::default(); CELLS];
        for (i, byte) in text.bytes().enumerate() {
            let (cell, digit) = (i / 9, (i % 9) as u8 + 1);
            if byte == b'0' + digit {
                cells[cell].insert(digit);
            } else if !BLANKS.contains(&byte) {
                let (column, name) = (i + 1, Names::Letters.of(cell));
                return Err(BadMarks(format!(
                    "column {column}: {:?} where {name} has {digit} or a blank",
                    char::from(byte)
                )));
            }
        }
        Ok(Self(cells))
    }

    fn from_grid(text: &str) -> Result<Self, BadMarks> {
        let mut cells = Vec::with_capacity(CELLS);
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || is_rule(line) {
                continue;
            }
            let row = cells_of_row(line)
                .map_err(|what| BadMarks(format!("line {number}: {what}: {line}")))?;
            cells.extend(row);
            if cells.len() == CELLS {
                break;
            }
        }
        let rows = cells.len() / 9;
        let cells = cells.try_into();
        cells.map(Self).map_err(|_| BadMarks(format!("{rows} rows of cells, nine expected")))
    }
}

/// Whether a line lies between the boxes.
fn is_rule(line: &str) -> bool {
    line.contains(['-', '=', '+']) && line.bytes().all(|byte| b"-=+| ".contains(&byte))
}

/// Nine cells, with spaces or bars between them or, all of them single, with none.
fn cells_of_row(line: &str) -> Result<[Digits; 9], &'static str> {
    let tokens: Vec<&str> =
        line.split([' ', '\t', '|']).filter(|token| !token.is_empty()).collect();
    let joined;
    let cells: Vec<&str> = if tokens.len() == 9 {
        tokens
    } else {
        joined = tokens.concat();
        joined.split("").filter(|cell| !cell.is_empty()).collect()
    };
    let cells: [&str; 9] = cells.try_into().map_err(|_| "not nine cells")?;
    let mut row = [Digits::ALL; 9];
    for (digits, cell) in row.iter_mut().zip(cells) {
        let is_blank = cell.len() == 1 && BLANKS.contains(&cell.as_bytes()[0]);
        if !is_blank {
            *digits = Digits::default();
            for byte in cell.bytes() {
                if !(b'1'..=b'9').contains(&byte) {
                    return Err("a cell that is neither digits nor a blank");
                }
                digits.insert(byte - b'0');
            }
        }
    }
    Ok(row)
}

impl FromStr for Marks {
    type Err = BadMarks;

    fn from_str(text: &str) -> Result<Self, BadMarks> {
        let text = text.trim();
        if text.contains(['\n', ' ', '|']) {
            Self::from_grid(text)
        } else if text.len() == CELLS * 9 {
            Self::from_729(text)
        } else {
            let puzzle = text.parse();
            puzzle.map(|puzzle| Self::of(&puzzle)).map_err(|error: crate::Malformed| {
                BadMarks(format!("column {}: {}", error.column, error.what))
            })
        }
    }
}

impl fmt::Display for Marks {
    /// 729 characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_cell = |digits: &Digits| {
            let digits = *digits;
            (1..=9).map(move |n| if digits.contains(n) { char::from(b'0' + n) } else { '.' })
        };
        f.pad(&self.0.iter().flat_map(of_cell).collect::<String>())
    }
}

/// A text is neither a puzzle nor pencil marks: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BadMarks(String);

impl Candidates {
    /// The candidates of every cell, to be written down.
    pub fn marks(&self) -> Marks {
        Marks(std::array::from_fn(|cell| self.candidates(cell)))
    }

    /// What pencil marks imply: what is not marked is eliminated.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn of_marks(marks: &Marks) -> Result<Self, Contradiction> {
        let mut candidates = Self::ALL;
        candidates.eliminate_unmarked(marks, &mut super::NoWatch)?;
        Ok(candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARD: &str =
        "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";

    #[test]
    fn puzzles_and_grids_of_all_kinds_read_alike() {
        let marks: Marks = HARD.parse().unwrap();
        let rows: Vec<&str> = (0..9).map(|row| &HARD[row * 9..][..9]).collect();
        let spaced = |row: &&str| {
            let cells: Vec<String> = row.chars().map(String::from).collect();
            cells.chunks(3).map(|three| three.join(" ")).collect::<Vec<_>>().join(" | ")
        };
        let plain = rows.join("\n");
        let with_rules = rows.iter().map(spaced).collect::<Vec<_>>().join("\n------+-------+---\n");
        for text in [plain, format!("# grid\n\n{with_rules}\nstuck, 60 open"), marks.to_string()] {
            assert_eq!(text.parse(), Ok(marks), "{text}");
        }
    }

    #[test]
    fn bad_texts_are_told_where() {
        let error = |text: &str| text.parse::<Marks>().unwrap_err().to_string();
        assert!(error("12").contains("column 3: 2 cells"), "{}", error("12"));
        assert!(error(&"2".repeat(729)).starts_with("column 1: '2' where A1 has 1"));
        assert!(error("1 2\n3").starts_with("line 1: not nine cells"));
        assert_eq!(error("123456789\n456789123"), "2 rows of cells, nine expected");
    }
}
