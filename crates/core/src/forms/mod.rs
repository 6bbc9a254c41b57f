//! The forms in which one puzzle may be written. A line, a field, and a string accept the same
//! forms.
//!
//! | file | form |
//! |---|---|
//! | here | 81 cells; 81 characters with spaces for blanks; 729 characters of pencil marks |
//! | `list` | cells written as a list: `[5, 3, 0, …]`; 81 fields, some of them empty |
//! | `hodoku` | lines of `HoDoKu`'s library |
//! | `sheet` | nine lines: plain, drawn with borders, or with candidates |
//! | `row` | one of these lines |
//! | `symbols` | characters that stand for others: `…`, `·`, `□`, `–` |

mod hodoku;
#[doc(hidden)]
pub mod list;
pub(crate) mod row;
#[doc(hidden)]
pub mod sheet;
#[doc(hidden)]
pub mod symbols;

use crate::marks::{self, Marks};
use crate::puzzle::{CELLS, Malformed, Puzzle};
use crate::text::{Line, column};

/// The longest text of a form. Longer ones are not searched for cells.
const LONGEST: usize = 64 << 10;

/// A puzzle or pencil marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Valid cells, as written if each is one ASCII character.
    Cells(Line),
    /// Pencil marks.
    Marks(Box<Marks>),
    /// A state of a solution, in which some cells are solved but not given.
    Placed {
        /// Cells or pencil marks, including the solved cells.
        state: Box<Self>,
        /// The given cells.
        givens: Puzzle,
    },
}

impl Form {
    /// Returns the cells; `None` for pencil marks that cells cannot express.
    pub fn cells(&self) -> Option<Line> {
        match self {
            Self::Cells(cells) => Some(*cells),
            Self::Marks(marks) => marks.puzzle().map(|puzzle| puzzle.text()),
            Self::Placed { state, .. } => state.cells(),
        }
    }

    /// Converts cells to pencil marks.
    pub fn marks(&self) -> Marks {
        match self {
            Self::Cells(cells) => {
                Marks::from(&Puzzle::from_text(cells).expect("all cells are valid"))
            }
            Self::Marks(marks) => **marks,
            Self::Placed { state, .. } => state.marks(),
        }
    }
}

/// Parses the text of one record, which contains nothing else: a line, a field, or a string.
///
/// # Errors
/// [`Malformed`], with the fault and its column in the text, from 1.
pub fn read(text: &[u8]) -> Result<Form, Malformed> {
    form(text).ok_or_else(|| malformed(text))
}

/// Parses the text of one record like [`read`], and returns `None` for other texts.
pub fn form(text: &[u8]) -> Option<Form> {
    let trimmed = trimmed(text);
    if let Ok(cells) = <&Line>::try_from(trimmed)
        && Puzzle::from_text(cells).is_some()
    {
        return Some(Form::Cells(*cells));
    }
    if trimmed.len() == marks::TEXT
        && let Ok(marks) = Marks::parse(trimmed)
    {
        return Some(Form::Marks(Box::new(marks)));
    }
    if trimmed.len() > LONGEST {
        return None;
    }
    if trimmed.contains(&b'\n')
        && let Ok(form) = sheet::read_one(text)
    {
        return Some(form);
    }
    if trimmed.first() == Some(&b':') {
        return hodoku::read(trimmed);
    }
    let cells = || {
        spaced(text)
            .or_else(|| list::puzzle(trimmed))
            .or_else(|| list::with_empty_cells(without_end(text)))
    };
    let plain = || {
        let plain = symbols::replaced(trimmed)?;
        <Line>::try_from(&plain[..]).ok().filter(|cells| Puzzle::from_text(cells).is_some())
    };
    cells().or_else(plain).map(Form::Cells)
}

/// Returns the place of a cell in the text of a puzzle in any form: the number of lines before it, and
/// its column in characters, from 1.
pub fn place_of_cell(text: &[u8], cell: usize) -> Option<(u32, usize)> {
    // Only a list may have several lines, and be in one of a table.
    if text.contains(&b'\n') && !text.starts_with(b"[") {
        return sheet::cell_place(text, cell);
    }
    let trimmed = trimmed(text);
    let trimmed_at = trimmed.as_ptr().addr() - text.as_ptr().addr();
    let in_list = || {
        list::offset_of_cell(text, CELLS - 1)
            .and_then(|_| list::offset_of_cell(text, cell))
            .or_else(|| list::offset_among_empty(text, cell))
    };
    let at = match trimmed {
        [b':', ..] => trimmed_at + hodoku::offset_of_cell(trimmed, cell)?,
        _ if trimmed.len() == CELLS => trimmed_at + cell,
        _ if text.len() == CELLS => cell,
        _ if trimmed.len() == marks::TEXT => trimmed_at + cell * marks::TEXT / CELLS,
        _ => match symbols::offset_of_cell(trimmed, cell) {
            Some(at) => trimmed_at + at,
            None => in_list()?,
        },
    };
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Some((sheet::line_feeds(&text[..start]), column(&text[start..], at - start)))
}

/// Returns the error for a text that is not a puzzle in any form.
fn malformed(text: &[u8]) -> Malformed {
    let trimmed = trimmed(text);
    let indent = trimmed.as_ptr().addr() - text.as_ptr().addr();
    let has_form = trimmed.len() <= LONGEST;
    let is_marks = trimmed.len() == marks::TEXT && !trimmed.contains(&b'\n');
    let marks = || is_marks.then(|| Marks::parse(trimmed).err()).flatten();
    let fault = || list::fault(trimmed).or_else(marks);
    let malformed = match has_form.then(fault).flatten() {
        Some(fault) => fault,
        None if has_form && trimmed.contains(&b'\n') => match sheet::read_one(text) {
            Err(fault) => return fault,
            Ok(_) => Malformed::new(trimmed),
        },
        None => Malformed::new(trimmed),
    };
    Malformed { column: indent + malformed.column, ..malformed }
}

/// Returns 81 cells of which the blanks are spaces: exactly 81 spaces and digits from 1 to 9, which are
/// not trimmed. A list of 41 digits with spaces between them has as many characters.
pub fn spaced(text: &[u8]) -> Option<Line> {
    let line = <&Line>::try_from(without_end(text)).ok()?;
    let is_list =
        line.chunks(2).all(|pair| pair[0] != b' ' && pair.get(1).is_none_or(|it| *it == b' '));
    let is_spaced = line.iter().all(|byte| matches!(byte, b'1'..=b'9' | b' '))
        && line.iter().any(u8::is_ascii_digit)
        && !is_list;
    is_spaced.then(|| line.map(|byte| if byte == b' ' { b'.' } else { byte }))
}

fn without_end(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// Returns whether a byte around a record has no meaning: whitespace, or the end-of-file character
/// of DOS.
pub fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0B | 0x1A)
}

/// Removes whitespace and end-of-file characters around a text.
pub fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().take_while(|byte| is_space(**byte)).count();
    let end = text[start..].iter().rev().take_while(|byte| is_space(**byte)).count();
    &text[start..text.len() - end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;

    #[test]
    fn cells_are_located_in_every_form() {
        let rows: Vec<_> = (0..9).map(|row| format!("[{row}, {}]", ["0"; 8].join(", "))).collect();
        let list = format!("[{}]", rows.join(",\n  "));
        let line = "1.2......".repeat(9);
        let marks = Marks::ALL.to_string();
        for (text, cell, place) in [
            (&list, 0, (0, 3)),
            (&list, 9, (1, 4)),
            (&list, 80, (8, 28)),
            (&line, 9, (0, 10)),
            (&format!("\x0B{line}"), 9, (0, 11)),
            (&line.replace('.', "·"), 9, (0, 10)),
            (&line.replace("...", "…"), 9, (0, 6)),
            (&line.replace('.', "").replace("12", "1,,2,,,,,,,"), 2, (0, 4)),
            (&"1.2......\n".repeat(9), 9, (1, 1)),
            (&format!(":0300:2:+{line}:::"), 9, (0, 19)),
            (&marks, 2, (0, 19)),
        ] {
            assert_eq!(place_of_cell(text.as_bytes(), cell), Some(place), "{text}");
        }
        assert_eq!(place_of_cell(b"no puzzle", 9), None);
    }

    #[test]
    fn half_a_list_is_not_a_puzzle_with_spaces() {
        let spaces = CLASSIC.replace('.', " ");
        assert_eq!(
            form(spaces.as_bytes()).unwrap().marks(),
            read(CLASSIC.as_bytes()).unwrap().marks()
        );
        // 41 cells with spaces between them are 81 characters as well.
        for blank in ["0", "7"] {
            let cells: Vec<_> = CLASSIC.replace('.', blank).chars().map(String::from).collect();
            let half = cells[..41].join(" ");
            assert_eq!((half.len(), form(half.as_bytes())), (81, None), "{half}");
        }
    }
}
