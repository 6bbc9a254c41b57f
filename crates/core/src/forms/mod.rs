//! The forms in which one puzzle may be written. A line, a field, and a string accept the same
//! forms.
//!
//! | file | form |
//! |---|---|
//! | here | 81 cells, perhaps in quotes; groups of nine or three cells; 81 characters with spaces for blanks; 729 characters of pencil marks |
//! | `list` | cells written as a list: `[5, 3, 0, …]`; 81 fields, some of them empty |
//! | `hodoku` | lines of `HoDoKu`'s library; cells and removed candidates without the other fields |
//! | `sheet` | nine lines: plain, drawn with borders, with candidates, or with labels; perhaps in a code fence, with a line of text before and after |
//! | `row`, `drawn` | one of these lines, and its kind |
//! | `answer` | the grid in the answer of a language model |
//! | `symbols` | characters that stand for others: `…`, `·`, `□`, `–` |

mod answer;
mod drawn;
mod hodoku;
#[doc(hidden)]
pub mod list;
pub(crate) mod row;
#[doc(hidden)]
pub mod sheet;
#[doc(hidden)]
pub mod symbols;

pub use self::answer::{answer, grids};
use crate::marks::{self, Marks};
use crate::puzzle::{CELLS, Grid, Malformed, Puzzle};
use crate::text::{Line, column, is_cell};

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
    ///
    /// # Panics
    /// When the form has cells that are not valid; those that are read are.
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
        && let Some(form) = sheet::read_one(text).ok().or_else(|| in_one_line(trimmed))
    {
        return Some(form);
    }
    if trimmed.first() == Some(&b':') {
        return hodoku::read(trimmed);
    }
    if let Some(cells) = unquoted(trimmed).and_then(|inner| <&Line>::try_from(inner).ok()) {
        return Puzzle::from_text(cells).map(|_| Form::Cells(*cells));
    }
    let cells = || {
        spaced(text)
            .or_else(|| list::puzzle(trimmed))
            .or_else(|| list::with_empty_cells(without_end(text)))
            .or_else(|| grouped(trimmed))
    };
    let plain = || {
        let plain = symbols::replaced(trimmed)?;
        <Line>::try_from(&plain[..]).ok().filter(|cells| Puzzle::from_text(cells).is_some())
    };
    cells().or_else(plain).map(Form::Cells).or_else(|| hodoku::without_head(trimmed))
}

/// Parses the only puzzle of a text in which it fills a line, with at most one line of words before and
/// after it, or code fences.
fn in_one_line(text: &[u8]) -> Option<Form> {
    let lines = text.split(|byte| *byte == b'\n').map(trimmed);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"```"));
    let lines: Vec<_> = lines.take(4).collect();
    let mut found = lines.iter().map(|line| form(line)).enumerate();
    let mut found = found.by_ref().filter_map(|(at, form)| Some((at, form?)));
    let ((before, form), None) = (found.next()?, found.next()) else { return None };
    let mut others = lines.iter().enumerate().filter(|(at, _)| *at != before);
    let are_words = others.all(|(_, line)| line.iter().any(u8::is_ascii_alphabetic));
    (before <= 1 && lines.len() - before <= 2 && are_words).then_some(form)
}

/// Returns the fault of a text that is a word, or has several.
pub(crate) fn prose(text: &[u8]) -> Option<Malformed> {
    const LONGEST: usize = 40;

    let text = std::str::from_utf8(text).ok().filter(|text| !text.starts_with(['[', '{', '(']))?;
    let is_word = |word: &&str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        let letters = word.chars().all(|c| c.is_alphabetic() || c == '\'');
        word.len() > 1 && letters && word.chars().any(|c| !"OoIlxX'".contains(c))
    };
    let words =
        text.split_whitespace().filter(|word| !matches!(*word, "null" | "None" | "NaN" | "nan"));
    let mut words = words.filter(is_word);
    let is_word = words.next() == Some(text.trim());
    if !is_word && (words.next().is_none() || list::may_be(text.as_bytes())) {
        return None;
    }
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let begin: String = text.chars().take(LONGEST).map(visible).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    let what = format!("text instead of 81 cells: \"{begin}{more}\"");
    Some(Malformed { column: 1, what })
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
    let inner = unquoted(trimmed).filter(|inner| inner.len() == CELLS);
    let at = match trimmed {
        [b':', ..] => trimmed_at + hodoku::offset_of_cell(trimmed, cell)?,
        _ if trimmed.len() == CELLS => trimmed_at + cell,
        _ if text.len() == CELLS => cell,
        _ if inner.is_some() => inner?.as_ptr().addr() - text.as_ptr().addr() + cell,
        _ if grouped(trimmed).is_some() => {
            let is_cell = |(_, byte): &(usize, &u8)| crate::puzzle::is_cell(**byte);
            trimmed_at + trimmed.iter().enumerate().filter(is_cell).nth(cell)?.0
        }
        _ if trimmed.len() == marks::TEXT => trimmed_at + cell * marks::TEXT / CELLS,
        _ => match symbols::offset_of_cell(trimmed, cell) {
            Some(at) => trimmed_at + at,
            None => in_list()?,
        },
    };
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Some((sheet::line_feeds(&text[..start]), column(&text[start..], at - start)))
}

/// Returns the text of a complete grid, in any form, with other digits in its cells. Everything else
/// remains. Returns `None` for other texts, and if the cells cannot be located.
///
/// ```
/// use bulkdoku_core::{Grid, Puzzle, forms};
///
/// let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// let rows: Vec<_> = line.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect();
/// let other = Grid::try_from(*line.parse::<Puzzle>()?.cells())?;
/// let text = forms::with_digits(format!("{rows:?}").as_bytes(), &other);
/// assert_eq!(text.unwrap(), format!("{rows:?}").as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_digits(text: &[u8], digits: &Grid) -> Option<Vec<u8>> {
    let wanted = digits.cells().map(|digit| b'0' + digit);
    if text.len() == CELLS && text.iter().all(|byte| matches!(byte, b'1'..=b'9')) {
        return Some(wanted.to_vec());
    }
    let cells = form(text)?.cells()?;
    let is_digit = |at: &usize| matches!(text[*at], b'1'..=b'9');
    let written: Vec<_> = (0..text.len()).filter(is_digit).collect();
    // Those that are not in the label of a row.
    let is_own = |at: &&usize| {
        text.get(*at + 1) != Some(&b':')
            && !at.checked_sub(1).is_some_and(|before| text[before].is_ascii_alphabetic())
    };
    let unlabeled: Vec<_> = written.iter().filter(is_own).copied().collect();
    let in_list: Vec<_> =
        list::offsets_of_cells(text).filter_map(|at| (at..text.len()).find(is_digit)).collect();
    let are_cells =
        |places: &&[usize]| places.iter().zip(&cells).all(|(at, cell)| text[*at] == *cell);
    // Other digits are those of names, such as `int8`.
    let places = [&written, &in_list, &unlabeled].into_iter().flat_map(|it| it.windows(CELLS));
    places
        .filter(are_cells)
        .map(|places| {
            let mut text = text.to_vec();
            places.iter().zip(&wanted).for_each(|(at, digit)| text[*at] = *digit);
            text
        })
        .find(|text| form(text).and_then(|form| form.cells()) == Some(wanted))
}

/// Returns the error for a text that is not a puzzle in any form.
fn malformed(text: &[u8]) -> Malformed {
    let trimmed = trimmed(text);
    let indent = trimmed.as_ptr().addr() - text.as_ptr().addr();
    let has_form = trimmed.len() <= LONGEST;
    let is_marks = trimmed.len() == marks::TEXT && !trimmed.contains(&b'\n');
    let marks = || is_marks.then(|| Marks::parse(trimmed).err()).flatten();
    let fault = || {
        let hodoku = || (trimmed.first() == Some(&b':')).then(|| hodoku::fault(trimmed));
        hodoku().or_else(|| list::fault(trimmed)).or_else(marks)
    };
    let after_cells = || {
        let (cells, rest) = trimmed.split_first_chunk::<CELLS>()?;
        rest.first().filter(|byte| byte.is_ascii_whitespace()).and(Puzzle::from_text(cells))?;
        let shown: String = String::from_utf8_lossy(rest).trim().chars().take(40).collect();
        let what = format!("text after the {CELLS} cells: {shown:?}");
        Some(Malformed { column: CELLS + 1, what })
    };
    let malformed = match has_form.then(fault).flatten() {
        Some(fault) => fault,
        None if has_form && trimmed.contains(&b'\n') => match sheet::read_one(text) {
            Err(fault) => return fault,
            Ok(_) => Malformed::new(trimmed),
        },
        // The number of cells is wrong, not their symbols.
        None => after_cells().unwrap_or_else(|| match symbols::replaced(trimmed) {
            Some(cells) if cells.iter().all(|cell| is_cell(*cell)) => {
                Malformed { column: 1, ..Malformed::new(&cells) }
            }
            _ => Malformed::new(trimmed),
        }),
    };
    Malformed { column: indent + malformed.column, ..malformed }
}

/// Returns the text in quotes, which may be escaped, in brackets, after the letter of a type or an equals
/// sign, or followed by a comma or a semicolon.
fn unquoted(text: &[u8]) -> Option<&[u8]> {
    const QUOTES: &str = "\"'`“”„‘’\\[(";
    let text = str::from_utf8(text).ok().filter(|text| text.len() <= CELLS + 16)?;
    let quoted = text.strip_prefix(['b', 'u', '=']).unwrap_or(text);
    let is_around = |c: char| QUOTES.contains(c) || "]),; ".contains(c);
    let is_quoted = quoted.starts_with(|c| QUOTES.contains(c));
    is_quoted.then(|| quoted.trim_matches(is_around).as_bytes())
}

/// Returns the cells of nine groups of nine cells, or of 27 groups of three, between spaces, bars, or
/// line feeds that are written as `\n`. A row of pencil marks with nine places per cell is not a puzzle.
fn grouped(text: &[u8]) -> Option<Line> {
    let is_between = |byte: &u8| b" \t/|,;\\n".contains(byte);
    let groups = || text.split(is_between).filter(|group| !group.is_empty());
    let width = groups().next().map_or(0, <[u8]>::len);
    let cells = <Line>::try_from(groups().flatten().copied().collect::<Vec<_>>()).ok()?;
    let is_in_place = |(digit, cell): (u8, &u8)| *cell == digit || !matches!(cell, b'1'..=b'9');
    let is_row_of_marks = cells.chunks(9).all(|group| (b'1'..).zip(group).all(is_in_place));
    let is_puzzle = matches!(width, 3 | 9)
        && groups().all(|group| group.len() == width)
        && !is_row_of_marks
        && Puzzle::from_text(&cells).is_some();
    is_puzzle.then_some(cells)
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
            (&"1,,2,,,,,,,".repeat(9)[..98].to_owned(), 2, (0, 4)),
            (&"1.2......\n".repeat(9), 9, (1, 1)),
            (&format!(":0300:2:+{line}:::"), 9, (0, 19)),
            (&marks, 2, (0, 19)),
            (&format!("[\"{line}\"]"), 2, (0, 5)),
            (&"1.2....../".repeat(9), 9, (0, 11)),
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

    #[test]
    fn quotes_and_groups_are_forms() {
        let line =
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let groups = |between: &str| {
            let rows: Vec<_> =
                line.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect();
            rows.join(between)
        };
        let threes: Vec<_> =
            line.as_bytes().chunks(3).map(|cells| str::from_utf8(cells).unwrap()).collect();
        for text in [
            format!("\"{line}\""),
            format!("'{line}'"),
            format!("  \"{line}\",\r\n"),
            format!("[\"{line}\"]"),
            format!("\"\\\"{line}\\\"\""),
            format!("b'{line}'"),
            format!("('{line}',)"),
            groups("\\n"),
            threes.join(" "),
            groups(" "),
            groups("/"),
            groups(" | "),
        ] {
            let found = form(text.as_bytes());
            assert_eq!(found, Some(Form::Cells(line.as_bytes().try_into().unwrap())), "{text}");
        }
        let marks = ["1____67_9"; 9].join(" ");
        assert_eq!(form(marks.as_bytes()), None, "a row of candidates");
    }

    #[test]
    fn faults_are_named() {
        let cells = "5".repeat(80);
        for (text, what) in [
            (&format!(":0300:2:{cells}:::"), "80 cells, 81 expected"),
            (&format!(":0300:2:{cells}a:::"), "'a' is not a cell"),
            (&format!(":0300:2:{cells}+.:::"), "no digit after +"),
            (&format!(":0300:2:{cells}5:10::"), "\"10\" is not a removed candidate"),
            (&":name:5".to_owned(), "not a line of HoDoKu"),
            (&format!("{}…", &cells[..70]), "73 cells, 81 expected"),
        ] {
            let fault = read(text.as_bytes()).unwrap_err();
            assert!(fault.what.contains(what), "{text}: {fault}");
        }
    }
}
