//! Puzzles written as nine lines of nine cells: finds the lines of a grid in a text, and parses them.
//!
//! - **Row**: nine cells, with or without spaces and bars (`|`, `!`, `:`, `+`, `=`, `│` and the
//!   other box drawing characters) around them. Blank cells must be written. Rows in programming
//!   notation are accepted as well: separated by commas, semicolons, or tabs, where blank cells may
//!   be empty (`5,3,,,7,,,,`); in brackets (`[5, 3, 0, 0, 7, 0, 0, 0, 0],`); as floating-point
//!   numbers (`5.000e+00`). A typographic ellipsis is read as three dots.
//! - **Pencil marks**: nine rows of nine texts separated by spaces or bars. Each text lists the
//!   candidates of a cell (`1679`, in steps of `bulkdoku show` `*1679-7`) or has one position per digit (`1____67_9`); a single blank cell
//!   means all candidates. At least two cells have several candidates.
//! - **Border**: a line of bars and `-`, `_`, `*`, `.`, `'`, mostly of the first three:
//!   `------+-------+------`, `*-----------*`, `:---------+---------:`. These three are also blank
//!   cells, so a line of exactly nine cells is a row unless it contains `+`, `=`, or a box drawing
//!   joint: `---|---|---` is a row of nine blank cells, and `---+---+---` is a border. If a grid
//!   has more than nine rows, but exactly nine without the rows of dashes, those are borders.
//! - **Spaces for blanks**: nine rows of digits and spaces, if bars or the width of the lines determine
//!   the cells: three boxes of the same width between bars, nine cells between bars, or lines of
//!   exactly nine cells, or of nine cells with a space between them.
//! - **Lines next to a grid** that are not rows, such as a rating (`5.6/5.6/3.2`): a complete grid
//!   does not need them. They are counted as comments. They start with a date or have other punctuation,
//!   or too few or too many characters for a row.
//! - **Other lines**: blank lines, comments (`#`), section headers (`[Puzzle]`), and labels, which
//!   contain a word (`Grid 01`). They are counted as blank lines and comments. Rows directly below
//!   a section header other than `[Puzzle]` (such as `[State]` in `.sdk` files) are also counted as
//!   comments.
//! - **Grid**: nine rows between other lines. A border between two rows is skipped; two consecutive
//!   borders end a grid. Three times three rows separated by blank lines are also a grid. Any other
//!   number of rows is one malformed grid, and so are nine rows with an invalid one; the next grid
//!   then begins after the next other line. As an exception, the first nine of 18 or more
//!   consecutive rows are a grid, and reading continues with the tenth. So files without separators
//!   can be read, and the length of a grid is bounded.
//! - **Label of a grid**: the label or comment above it, separated by at most one blank line,
//!   border, or section header.
//!
//! A line of more than [`LONGEST_LINE`] bytes that is not a comment is a malformed record. A grid
//! therefore takes less than 10 KB, and results do not depend on block boundaries.

use super::Form;
pub use super::drawn::LONGEST_LINE;
use super::drawn::{
    LineKind as Kind, Piece, is_bracket, is_dashes, marks_of_row, pieces, plain_cells,
    spaced_cells, tokens,
};
use super::row::{self, cells_of_row};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Malformed};
use crate::text::{Line, column};

/// The number of consecutive rows that are read as more than one grid.
const MIN_ROWS_OF_SEVERAL: usize = 18;

/// The most consecutive lines next to a grid that are not rows.
const MAX_STRAYS: usize = 2;

/// More bytes are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotYet;

/// The position of a line, without its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset of the end.
    pub end: u32,
}

impl Span {
    /// Returns the bytes of the line.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }
}

/// A part of the text that is read independently of its neighbors.
pub struct Part {
    /// The content.
    pub what: PartContent,
    /// The offset of its end.
    pub end: usize,
}

/// The content of a part.
pub enum PartContent {
    /// A blank line.
    Blank,
    /// A border.
    Border,
    /// The header of the section with the puzzle.
    Head,
    /// A section of another program, a label or a comment, or lines next to a grid that are not rows.
    Text,
    /// A line that is too long for a row.
    TooLong(Span),
    /// The rows of a grid.
    Rows(RowLines),
}

/// The rows of a grid.
#[derive(Clone, Debug)]
pub struct RowLines {
    /// The lines without their ends.
    lines: [Span; MIN_ROWS_OF_SEVERAL],
    count: usize,
    /// The number of blank lines between them.
    pub blank_lines: u64,
    /// The number of lines after them that are not rows.
    pub strays: u64,
    /// Whether more rows follow, which are another grid.
    is_first_of_several: bool,
    end: usize,
}

impl Default for RowLines {
    fn default() -> Self {
        let (count, blank_lines, strays, is_first_of_several, end) = (0, 0, 0, false, 0);
        let lines = [Span::default(); MIN_ROWS_OF_SEVERAL];
        Self { lines, count, blank_lines, strays, is_first_of_several, end }
    }
}

impl RowLines {
    /// Returns the lines.
    pub fn as_slice(&self) -> &[Span] {
        &self.lines[..self.count]
    }

    /// Returns the end of the last row on which the result depends, if it is after the end of the grid:
    /// the first nine of several rows are a grid only if there are enough others.
    pub fn needed_end(&self) -> Option<usize> {
        self.is_first_of_several.then(|| self.lines[MIN_ROWS_OF_SEVERAL - 1].end as usize)
    }

    /// Returns the lines after the last row that are not rows.
    fn after<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let last = self.as_slice().last().map_or(self.end, |line| line.end as usize);
        if self.strays > 0 { &bytes[last..self.end] } else { &[] }
    }

    fn push(&mut self, line: Span) {
        self.lines[self.count] = line;
        self.count += 1;
    }

    /// Appends a blank line and the rows of `others`.
    fn and_band(mut self, others: &Self) -> Self {
        others.as_slice().iter().for_each(|&line| self.push(line));
        let strays = self.strays + others.strays;
        Self { blank_lines: self.blank_lines + 1, strays, end: others.end, ..self }
    }
}

/// Parses a text that contains one grid, and otherwise only borders, blank lines, code fences, and at
/// most one line of text before and after the grid.
///
/// # Errors
/// [`Malformed`], with the line of the fault in the message, and its column.
pub(super) fn read_one(text: &[u8]) -> Result<Form, Malformed> {
    let sheet = GridText { bytes: text, is_all: true };
    let (mut at, mut grid, mut sentences) = (0, None, [0; 2]);
    while let Ok(Some(Part { what, end })) = sheet.part(at) {
        let in_line = |line: Span, malformed: Malformed| {
            let number = 1 + line_feeds(&text[..line.start as usize]);
            let Malformed { column, what } = malformed;
            Malformed { what: format!("line {number}, column {column}: {what}"), column: 1 }
        };
        let is_other = match what {
            PartContent::Blank | PartContent::Border | PartContent::Head => false,
            PartContent::Rows(rows) if grid.is_none() => {
                grid = Some(sheet.form(&rows).map_err(|(line, fault)| in_line(line, fault))?);
                sentences[1] = sentence_count(rows.after(text));
                false
            }
            PartContent::Text => {
                sentences[usize::from(grid.is_some())] += sentence_count(&text[at..end]);
                false
            }
            PartContent::Rows(_) | PartContent::TooLong(_) => true,
        };
        if is_other || sentences.iter().any(|count| *count > 1) {
            let line = Span { start: at as u32, end: end as u32 };
            let what = "expected nothing but nine rows of nine cells".into();
            return Err(in_line(line, Malformed { column: 1, what }));
        }
        at = end;
    }
    grid.ok_or_else(|| Malformed { column: 1, what: "0 cells, 81 expected".into() })
}

/// Returns the number of lines that are neither blank nor surround code.
fn sentence_count(lines: &[u8]) -> usize {
    let lines = lines.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"```")).count()
}

/// Returns the position of a cell of the well-formed grid at the start of these bytes: the number
/// of lines before it, and its column in characters, from 1.
pub(super) fn cell_place(grid: &[u8], cell: usize) -> Option<(u32, usize)> {
    let sheet = GridText { bytes: grid, is_all: true };
    let mut start = 0;
    let rows = loop {
        let Part { what, end } = sheet.part(start).ok()??;
        match what {
            PartContent::Rows(rows) => break rows,
            _ => start = end,
        }
    };
    let rows = sheet.counted(&rows);
    // A tenth row has labels of columns.
    let line = *rows.as_slice().get(rows.count.saturating_sub(9) + cell / 9)?;
    let row = line.of(grid);
    let at = if tokens(row).count() == 9 {
        tokens(row).nth(cell % 9)?.0
    } else {
        plain_cells(row).ok()?;
        let mut cells = pieces(row).filter(|(_, piece)| matches!(piece, Piece::Cell(_)));
        cells.nth(cell % 9)?.0
    };
    Some((line_feeds(&grid[..line.start as usize]), column(row, at)))
}

/// Counts line feeds.
pub(super) fn line_feeds(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte == b'\n')).sum()
}

/// Returns whether a line is a row in any form.
fn is_row(line: &[u8]) -> bool {
    cells_of_row(line, 1).is_ok() || marks_of_row(line).is_some() || spaced_cells(line).is_some()
}

/// Returns whether a line next to a grid cannot be a damaged row: it starts with a date, or it has other
/// punctuation than rows, such as the `/` of a rating, or it is too short for a row, or it has other
/// characters than cells and is too long.
fn is_stray(line: &[u8]) -> bool {
    if is_date(line) {
        return !is_row(line);
    }
    if (8..=10).contains(&tokens(line).count()) {
        return false;
    }
    let (mut cells, mut others, mut has_sign) = (0, 0, false);
    for (_, piece) in pieces(line) {
        match piece {
            Piece::Cell(_) => cells += 1,
            Piece::Space | Piece::Bar | Piece::Joint => {}
            Piece::Other(byte) if is_bracket(byte) => {}
            Piece::Other(b',' | b';' | b'"' | b'\'') => return false,
            Piece::Other(byte) => {
                // The continuation bytes of a character do not count.
                others += usize::from(byte & 0xC0 != 0x80);
                has_sign |= byte.is_ascii_punctuation();
            }
        }
    }
    let length = cells + others;
    !is_row(line) && (has_sign || length < 8 || others > 0 && length > 10)
}

/// Returns whether the first word of a line is a date: `2024-01-31`, `31.1.2024`.
fn is_date(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
    let word = word.unwrap_or_default();
    let signs: Vec<_> = word.iter().filter(|byte| !byte.is_ascii_digit()).collect();
    let lengths: Vec<_> = word.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len).collect();
    matches!(signs[..], [b'-', b'-'] | [b'.', b'.'] | [b'/', b'/'])
        && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4])
}

/// A text with grids, or the start of one.
pub struct GridText<'a> {
    /// The bytes, which start at a part.
    pub bytes: &'a [u8],
    /// Whether the input ends with these bytes.
    pub is_all: bool,
}

impl GridText<'_> {
    /// Returns the part at an offset, or `None` at the end.
    ///
    /// # Errors
    /// Fails if more bytes are needed.
    pub fn part(&self, at: usize) -> Result<Option<Part>, NotYet> {
        let Some((kind, line, end)) = self.line(at)? else { return Ok(None) };
        let what = match kind {
            Kind::Row => {
                if let Some(end) = self.strays_end(at)? {
                    return Ok(Some(Part { what: PartContent::Text, end }));
                }
                let rows = self.grid(at)?;
                return Ok(Some(Part { end: rows.end, what: PartContent::Rows(rows) }));
            }
            Kind::OtherSection => {
                let end = self.section_end(end)?;
                return Ok(Some(Part { what: PartContent::Text, end }));
            }
            Kind::Blank => PartContent::Blank,
            Kind::Border => PartContent::Border,
            Kind::Text => PartContent::Text,
            Kind::Head => PartContent::Head,
            Kind::TooLong => PartContent::TooLong(line),
        };
        let is_whole = self.is_all || self.bytes[..end].ends_with(b"\n");
        if is_whole { Ok(Some(Part { what, end })) } else { Err(NotYet) }
    }

    /// Returns whether the first rows are a grid. One invalid row is enough to decide.
    ///
    /// # Errors
    /// Fails if more bytes are needed.
    pub fn starts_with_grid(&self) -> Result<bool, NotYet> {
        let mut at = 0;
        loop {
            match self.line(at)? {
                Some((Kind::Row, line, _)) => {
                    let Some(end) = self.strays_end(at)? else {
                        let line = line.of(self.bytes);
                        let is_row = is_row(line)
                            || row::are_labels(line)
                            || row::cells_after_label(line, 1).is_some();
                        return Ok(is_row && self.form(&self.grid(at)?).is_ok());
                    };
                    at = end;
                }
                Some((Kind::TooLong, ..)) | None => return Ok(false),
                Some(_) => at = self.part(at)?.map_or(at, |part| part.end),
            }
        }
    }

    /// Returns the number of rows of nine cells, and of all lines that are not borders, labels, or blank.
    pub fn count_rows(&self) -> (usize, usize) {
        let (mut at, mut rows, mut lines) = (0, 0, 0);
        while let Ok(Some((kind, line, end))) = self.line(at) {
            let is_line = matches!(kind, Kind::Row | Kind::TooLong);
            lines += usize::from(is_line);
            rows += usize::from(is_line && is_row(line.of(self.bytes)));
            at = end;
        }
        (rows, lines)
    }

    /// Returns the kind of the line at an offset, its text, and the start of the next line.
    fn line(&self, at: usize) -> Result<Option<(Kind, Span, usize)>, NotYet> {
        let rest = &self.bytes[at..];
        if rest.is_empty() {
            return if self.is_all { Ok(None) } else { Err(NotYet) };
        }
        let length = find_end(rest);
        let line = &rest[..length.unwrap_or(rest.len())];
        let end = at + length.map_or(rest.len(), |length| length + 1);
        // The kind of a long line does not depend on its end.
        if length.is_none() && !self.is_all && line.len() <= LONGEST_LINE + 1 {
            return Err(NotYet);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let place = Span { start: at as u32, end: (at + line.len()) as u32 };
        Ok(Some((Kind::of(line), place, end)))
    }

    fn grid(&self, at: usize) -> Result<RowLines, NotYet> {
        let first = self.rows(at)?;
        if first.count == 3
            && let Some(second) = self.next_band(&first)?
            && let Some(third) = self.next_band(&second)?
        {
            return Ok(first.and_band(&second).and_band(&third));
        }
        Ok(first)
    }

    /// Returns the next three rows, if they follow a blank line.
    fn next_band(&self, rows: &RowLines) -> Result<Option<RowLines>, NotYet> {
        let Some((Kind::Blank, _, end)) = self.line(rows.end)? else { return Ok(None) };
        let rows = self.rows(end)?;
        Ok((rows.count == 3).then_some(rows))
    }

    /// Returns the consecutive rows from an offset on, skipping single borders, up to the first line
    /// that is not a row after a grid or its last band.
    fn rows(&self, at: usize) -> Result<RowLines, NotYet> {
        let mut rows = RowLines { end: at, ..RowLines::default() };
        let (mut at, mut is_behind_border, mut ninth_end) = (at, false, at);
        while rows.count < MIN_ROWS_OF_SEVERAL {
            match self.line(at)? {
                Some((Kind::Row, line, end)) => {
                    if matches!(rows.count, 3 | 9)
                        && rows.as_slice().iter().all(|row| is_row(row.of(self.bytes)))
                    {
                        if is_stray(line.of(self.bytes))
                            && let Some((strays, end)) = self.strays_after(at, rows.count == 9)?
                        {
                            return Ok(RowLines { strays, end, ..rows });
                        }
                        // A line after a grid that is not a row, nor before one.
                        if rows.count == 9
                            && !is_row(line.of(self.bytes))
                            && !matches!(self.line(end)?, Some((Kind::Row, ..)))
                        {
                            return Ok(RowLines { strays: 1, end, ..rows });
                        }
                    }
                    rows.push(line);
                    rows.end = end;
                    if rows.count == 9 {
                        ninth_end = end;
                    }
                    (at, is_behind_border) = (end, false);
                }
                Some((Kind::Border, _, end)) if !is_behind_border => {
                    (at, is_behind_border) = (end, true);
                }
                _ => return Ok(rows),
            }
        }
        // The first nine rows; the others are another grid.
        Ok(RowLines { count: 9, end: ninth_end, is_first_of_several: true, ..rows })
    }

    /// Returns the number and the end of the lines at an offset that are not rows; `None` if there
    /// are too many, or rows follow that must not.
    fn strays_after(&self, at: usize, may_precede: bool) -> Result<Option<(u64, usize)>, NotYet> {
        let (mut at, mut count) = (at, 0);
        while count <= MAX_STRAYS {
            match self.line(at)? {
                Some((Kind::Row, line, end)) if is_stray(line.of(self.bytes)) => {
                    (at, count) = (end, count + 1);
                }
                Some((Kind::Row, ..)) if !may_precede => return Ok(None),
                _ => return Ok(Some((count as u64, at))),
            }
        }
        Ok(None)
    }

    /// Returns the end of the lines at an offset that are not rows, if a complete grid follows.
    fn strays_end(&self, at: usize) -> Result<Option<usize>, NotYet> {
        let mut end = at;
        for _ in 0..=MAX_STRAYS {
            match self.line(end)? {
                Some((Kind::Row, line, next)) if is_stray(line.of(self.bytes)) => end = next,
                Some((Kind::Row, line, _)) if end > at && is_row(line.of(self.bytes)) => {
                    let rows = self.grid(end)?;
                    let is_grid = !rows.is_first_of_several && self.form(&rows).is_ok();
                    return Ok(is_grid.then_some(end));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the end of the section whose header ends here, including its rows.
    fn section_end(&self, at: usize) -> Result<usize, NotYet> {
        match self.line(at)? {
            Some((Kind::Row, ..)) => Ok(self.grid(at)?.end),
            _ => Ok(at),
        }
    }

    /// Removes rows without cells, of dashes or spaces, if exactly nine rows remain.
    fn counted(&self, rows: &RowLines) -> RowLines {
        let mut solid = RowLines::default();
        let lines = rows.as_slice().iter();
        lines.filter(|line| !is_dashes(line.of(self.bytes))).for_each(|&line| solid.push(line));
        let counts = if rows.count != 9 && solid.count == 9 { &solid } else { rows };
        RowLines { lines: counts.lines, count: counts.count, ..solid }
    }

    /// Returns the content of a grid.
    ///
    /// # Errors
    /// Fails with the invalid line.
    pub fn form(&self, rows: &RowLines) -> Result<Form, (Span, Malformed)> {
        self.cells(rows).map(Form::Cells).or_else(|fault| {
            let marks = || self.marks(rows).map(|marks| Form::Marks(Box::new(marks)));
            let spaced = || self.spaced_cells(rows).map(Form::Cells);
            let labeled = || self.labeled_cells(rows).map(Form::Cells);
            spaced().or_else(marks).or_else(labeled).ok_or(fault)
        })
    }

    /// Returns the cells of a table with labels before its rows, or above its columns, or both.
    fn labeled_cells(&self, rows: &RowLines) -> Option<Line> {
        let lines: Vec<_> = rows.as_slice().iter().map(|line| line.of(self.bytes)).collect();
        let is_head = row::are_labels(lines.first()?);
        let body = &lines[usize::from(is_head)..];
        let mut cells = [b'.'; CELLS];
        // Digits from 1 to 9 may also be a row.
        let is_certain = |head: &[u8]| {
            head.iter().any(u8::is_ascii_alphabetic)
                || head.iter().find(|byte| byte.is_ascii_digit()) == Some(&b'0')
        };
        if is_head && body.len() == 9 && is_certain(lines[0]) {
            let rows = (1..).zip(body).map(|(number, line)| cells_of_row(line, number));
            if let Ok(rows) = rows.collect::<Result<Vec<_>, _>>() {
                return rows.concat().try_into().ok();
            }
        }
        let (mut labels, mut are_distinct) = (Vec::new(), true);
        for (number, (into, line)) in (1..).zip(cells.chunks_exact_mut(9).zip(body)) {
            let row = row::cells_after_label(line, number)?;
            into.copy_from_slice(&row.cells);
            labels.push(row.label);
            are_distinct &= row.is_distinct;
        }
        (body.len() == 9 && (is_head || are_distinct) && row::are_consecutive(&labels))
            .then_some(cells)
    }

    /// Returns the pencil marks of a grid, if it has any. (One text with several candidates may be
    /// two cells without a space between them.)
    fn marks(&self, rows: &RowLines) -> Option<Marks> {
        let rows = self.counted(rows);
        if rows.count != 9 {
            return None;
        }
        let (mut cells, mut several) = ([Digits::ALL; CELLS], 0);
        for (into, line) in cells.chunks_exact_mut(9).zip(rows.as_slice()) {
            let row = line.of(self.bytes);
            into.copy_from_slice(&marks_of_row(row)?);
            several += tokens(row).filter(|(_, token)| token.len() > 1).count();
        }
        (several > 1).then(|| Marks::from_cells(cells))
    }

    /// Returns the cells of a grid in which all blanks are spaces.
    fn spaced_cells(&self, rows: &RowLines) -> Option<Line> {
        let solid = self.counted(rows);
        // A row without any cell may be only a border.
        let rows = if solid.count == 9 { &solid } else { rows };
        let mut cells = [b'.'; CELLS];
        for (into, line) in cells.chunks_exact_mut(9).zip(rows.as_slice()) {
            into.copy_from_slice(&spaced_cells(line.of(self.bytes))?);
        }
        (rows.count == 9).then_some(cells)
    }

    /// Returns the cells of a grid, or the invalid line.
    fn cells(&self, rows: &RowLines) -> Result<Line, (Span, Malformed)> {
        let rows = self.counted(rows);
        let mut cells = [b'.'; CELLS];
        for (number, (into, &line)) in (1..).zip(cells.chunks_exact_mut(9).zip(rows.as_slice())) {
            let row = cells_of_row(line.of(self.bytes), number);
            into.copy_from_slice(&row.map_err(|malformed| (line, malformed))?);
        }
        if rows.count == 9 {
            return Ok(cells);
        }
        let s = if rows.count == 1 { "" } else { "s" };
        let what = format!("a grid of {} row{s}, nine expected", rows.count);
        let line = *rows.as_slice().get(9).unwrap_or(&rows.lines[0]);
        Err((line, Malformed { column: 1, what }))
    }
}

/// Returns the offset of the first line feed.
fn find_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == b'\n')
}
