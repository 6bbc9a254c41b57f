//! Puzzles written as nine lines of nine cells.
//!
//! - **Row**: nine cells, with or without spaces and bars (`|`, `!`, `:`, `+`, `=`, `│` and the
//!   other box drawing characters) around them. Blank cells must be written. Rows in programming
//!   notation are accepted as well: separated by commas, semicolons, or tabs, where blank cells may
//!   be empty (`5,3,,,7,,,,`); in brackets (`[5, 3, 0, 0, 7, 0, 0, 0, 0],`); as floating-point
//!   numbers (`5.000e+00`). A typographic ellipsis is read as three dots.
//! - **Pencil marks**: nine rows of nine texts separated by spaces or bars. Each text lists the
//!   candidates of a cell (`1679`) or has one position per digit (`1____67_9`); a single blank cell
//!   means all candidates. At least two cells have several candidates.
//! - **Border**: a line of bars and `-`, `_`, `*`, `.`, `'`, mostly of the first three:
//!   `------+-------+------`, `*-----------*`, `:---------+---------:`. These three are also blank
//!   cells, so a line of exactly nine cells is a row unless it contains `+`, `=`, or a box drawing
//!   joint: `---|---|---` is a row of nine blank cells, and `---+---+---` is a border. If a grid
//!   has more than nine rows, but exactly nine without the rows of dashes, those are borders.
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

mod row;

use memchr::memchr;

use self::row::cells_of_row;
use super::field::{Field, FieldForm};
use super::{CellsOrMarks, LinePosition, Records, lines, list};
pub use crate::marks::drawn::LONGEST_LINE;
use crate::marks::drawn::{
    LineKind as Kind, Piece, is_dashes, marks_of_row, pieces, plain_cells, tokens,
};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Malformed};
use crate::text::Line;

/// The name of the column for grid labels.
pub const LABEL: &str = "label";

/// The number of consecutive rows that are read as more than one grid.
const MIN_ROWS_OF_SEVERAL: usize = 18;

/// Returns the end of the last complete grid or other line in `bytes`, which start at one; 0 if
/// there is none. If labels are kept, a trailing label is excluded because it may belong to the
/// next grid.
pub fn last_end(bytes: &[u8], keeps_labels: bool) -> usize {
    let sheet = GridText { bytes, is_all: false };
    let (mut end, mut above) = (0, LinesAbove::default());
    while let Ok(Some(part)) = sheet.part(end) {
        above.pass(&part.what);
        end = part.end;
    }
    let label = above.label.filter(|_| keeps_labels);
    label.map_or(end, |line| line.start as usize)
}

/// Reads the records of a block of complete grids and other lines, and optionally labels.
pub fn read(block: &[u8], keeps_labels: bool, records: &mut Records) {
    records.clear();
    let sheet = GridText { bytes: block, is_all: true };
    let mut above = LinesAbove::default();
    let mut place = LinePosition { line: 0, start: 0, indent: 0 };
    while let Ok(Some(Part { what, end })) = sheet.part(place.start as usize) {
        let text = &block[place.start as usize..end];
        let count = lines::count(text);
        if keeps_labels && matches!(what, PartContent::Rows(_) | PartContent::TooLong(_)) {
            records.kept.push(above.field(block));
        }
        above.pass(&what);
        match what {
            PartContent::Blank => records.blank_lines += 1,
            PartContent::Border => {}
            PartContent::Label(_) | PartContent::Head | PartContent::Text => {
                records.comments += count;
            }
            PartContent::TooLong(line) => {
                let what =
                    format!("a line of more than {LONGEST_LINE} bytes is not a row of a grid");
                let malformed = Malformed { column: LONGEST_LINE + 1, what };
                records.push_bad(place, 0, line, malformed);
            }
            PartContent::Rows(rows) => {
                records.blank_lines += rows.blank_lines;
                match sheet.drawn(&rows) {
                    Ok(drawn) => {
                        records.push_cells_or_marks(place, &drawn);
                        records.dotted += u64::from(list::has_ellipsis(text));
                    }
                    Err((line, malformed)) => {
                        let below = &block[place.start as usize..line.start as usize];
                        records.push_bad(place, line_feeds(below), line, malformed);
                    }
                }
            }
        }
        place.line += count as u32;
        place.start = end as u32;
    }
}

/// Returns the position of a cell of the well-formed grid at the start of these bytes: the number
/// of lines before it, and its column in characters, from 1.
pub fn cell_place(grid: &[u8], cell: usize) -> Option<(u32, usize)> {
    let sheet = GridText { bytes: grid, is_all: true };
    let rows = sheet.grid(0).ok()?;
    let line = *sheet.counted(&rows).as_slice().get(cell / 9)?;
    let row = line.of(grid);
    let at = if tokens(row).count() == 9 {
        tokens(row).nth(cell % 9)?.0
    } else {
        plain_cells(row).ok()?;
        let mut cells = pieces(row).filter(|(_, piece)| matches!(piece, Piece::Cell(_)));
        cells.nth(cell % 9)?.0
    };
    Some((line_feeds(&grid[..line.start as usize]), lines::column(row, at)))
}

/// Returns whether an input that starts with these bytes consists of grids, or `None` if it needs
/// more bytes. `Some(true)` means that the first rows are a well-formed grid.
pub fn looks_like_grid(start: &[u8], is_all: bool) -> Option<bool> {
    let sheet = GridText { bytes: start, is_all };
    sheet.starts_with_grid().ok()
}

struct NotYet;

/// A part of the text that is read independently of its neighbors.
struct Part {
    what: PartContent,
    end: usize,
}

#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
enum PartContent {
    Blank,
    Border,
    Label(Field),
    /// The header of the section with the puzzle.
    Head,
    /// A section of another program, or a comment that is too long for a label.
    Text,
    TooLong(Field),
    Rows(RowLines),
}

/// The lines above the next grid.
#[derive(Default)]
struct LinesAbove {
    label: Option<Field>,
    /// Whether a line separates the label from the grid.
    has_gap: bool,
}

impl LinesAbove {
    fn pass(&mut self, what: &PartContent) {
        *self = match what {
            PartContent::Label(line) => Self { label: Some(*line), has_gap: false },
            PartContent::Blank | PartContent::Border | PartContent::Head if !self.has_gap => {
                Self { has_gap: true, ..*self }
            }
            _ => Self::default(),
        };
    }

    /// Returns the label without surrounding spaces and the `#` of a comment.
    fn field(&self, bytes: &[u8]) -> Field {
        let Some(line) = self.label else { return Field::default() };
        let is_sign = |byte: &&u8| **byte == b'#' || byte.is_ascii_whitespace();
        let text = line.of(bytes).trim_ascii_end();
        let signs = text.iter().take_while(is_sign).count();
        let (start, end) = (line.start + signs as u32, line.start + text.len() as u32);
        Field { start, end, ..line }
    }
}

#[derive(Default)]
struct RowLines {
    /// The lines without their ends.
    lines: [Field; MIN_ROWS_OF_SEVERAL],
    count: usize,
    blank_lines: u64,
    end: usize,
}

impl RowLines {
    fn as_slice(&self) -> &[Field] {
        &self.lines[..self.count]
    }

    fn push(&mut self, line: Field) {
        self.lines[self.count] = line;
        self.count += 1;
    }

    /// Truncates the rows to nine.
    fn first_grid(mut self, sheet: &GridText<'_>) -> Self {
        self.count = 9;
        self.end = sheet.end_of_line(self.lines[8].end as usize);
        self
    }

    /// Appends a blank line and the rows of `others`.
    fn and_band(mut self, others: &Self) -> Self {
        others.as_slice().iter().for_each(|&line| self.push(line));
        Self { blank_lines: self.blank_lines + 1, end: others.end, ..self }
    }
}

/// A block, or the start of one.
struct GridText<'a> {
    bytes: &'a [u8],
    /// Whether the input ends with these bytes.
    is_all: bool,
}

impl GridText<'_> {
    /// Returns the part at an offset, or `None` at the end.
    fn part(&self, at: usize) -> Result<Option<Part>, NotYet> {
        let Some((kind, line, end)) = self.line(at)? else { return Ok(None) };
        let what = match kind {
            Kind::Row => {
                let rows = self.grid(at)?;
                return Ok(Some(Part { end: rows.end, what: PartContent::Rows(rows) }));
            }
            Kind::OtherSection => {
                let end = self.section_end(end)?;
                return Ok(Some(Part { what: PartContent::Text, end }));
            }
            Kind::Blank => PartContent::Blank,
            Kind::Border => PartContent::Border,
            Kind::Text if line.of(self.bytes).len() <= LONGEST_LINE => PartContent::Label(line),
            Kind::Text => PartContent::Text,
            Kind::Head => PartContent::Head,
            Kind::TooLong => PartContent::TooLong(line),
        };
        let is_whole = self.is_all || self.bytes[..end].ends_with(b"\n");
        if is_whole { Ok(Some(Part { what, end })) } else { Err(NotYet) }
    }

    /// Returns whether the first rows are a grid. One invalid row is enough to decide.
    fn starts_with_grid(&self) -> Result<bool, NotYet> {
        let mut at = 0;
        loop {
            match self.line(at)? {
                Some((Kind::Row, line, _)) => {
                    let row = line.of(self.bytes);
                    let is_row = cells_of_row(row, 1).is_ok() || marks_of_row(row).is_some();
                    return Ok(is_row && self.drawn(&self.grid(at)?).is_ok());
                }
                Some((Kind::TooLong, ..)) | None => return Ok(false),
                Some(_) => at = self.part(at)?.map_or(at, |part| part.end),
            }
        }
    }

    /// Returns the kind of the line at an offset, its text, and the start of the next line.
    fn line(&self, at: usize) -> Result<Option<(Kind, Field, usize)>, NotYet> {
        let rest = &self.bytes[at..];
        if rest.is_empty() {
            return if self.is_all { Ok(None) } else { Err(NotYet) };
        }
        let length = memchr(b'\n', rest);
        let end = self.end_of_line(at + length.unwrap_or(rest.len()));
        let line = &rest[..length.unwrap_or(rest.len())];
        // The kind of a long line does not depend on its end.
        if length.is_none() && !self.is_all && line.len() <= LONGEST_LINE + 1 {
            return Err(NotYet);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let place = Field::new(at..at + line.len(), FieldForm::Plain);
        Ok(Some((Kind::of(line), place, end)))
    }

    fn end_of_line(&self, at: usize) -> usize {
        memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |length| at + length + 1)
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

    /// Returns the consecutive rows from an offset on, skipping single borders.
    fn rows(&self, at: usize) -> Result<RowLines, NotYet> {
        let mut rows = RowLines { end: at, ..RowLines::default() };
        let (mut at, mut is_behind_border) = (at, false);
        while rows.count < MIN_ROWS_OF_SEVERAL {
            match self.line(at)? {
                Some((Kind::Row, line, end)) => {
                    rows.push(line);
                    rows.end = end;
                    (at, is_behind_border) = (end, false);
                }
                Some((Kind::Border, _, end)) if !is_behind_border => {
                    (at, is_behind_border) = (end, true);
                }
                _ => return Ok(rows),
            }
        }
        Ok(rows.first_grid(self))
    }

    /// Returns the end of the section whose header ends here, including its rows.
    fn section_end(&self, at: usize) -> Result<usize, NotYet> {
        match self.line(at)? {
            Some((Kind::Row, ..)) => Ok(self.grid(at)?.end),
            _ => Ok(at),
        }
    }

    /// Removes rows of dashes if exactly nine rows remain.
    fn counted(&self, rows: &RowLines) -> RowLines {
        let mut solid = RowLines::default();
        let lines = rows.as_slice().iter();
        lines.filter(|line| !is_dashes(line.of(self.bytes))).for_each(|&line| solid.push(line));
        let counts = if rows.count != 9 && solid.count == 9 { &solid } else { rows };
        RowLines { lines: counts.lines, count: counts.count, ..solid }
    }

    /// Returns the content of a grid, or the invalid line.
    fn drawn(&self, rows: &RowLines) -> Result<CellsOrMarks, (Field, Malformed)> {
        self.cells(rows).map(CellsOrMarks::Cells).or_else(|fault| {
            let marks = self.marks(rows).ok_or(fault)?;
            Ok(CellsOrMarks::Marks(Box::new(marks)))
        })
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

    /// Returns the cells of a grid, or the invalid line.
    fn cells(&self, rows: &RowLines) -> Result<Line, (Field, Malformed)> {
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

fn line_feeds(bytes: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', bytes).count() as u32
}
