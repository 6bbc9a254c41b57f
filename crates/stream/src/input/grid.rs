//! Puzzles written as nine lines of nine cells.
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

use super::{Field, FieldForm, Layout, LayoutKind, LinePosition, Records, lines};
pub use bulkdoku_core::forms::sheet::LONGEST_LINE;
use bulkdoku_core::forms::sheet::{GridText, Part, PartContent, Span};
use bulkdoku_core::puzzle::Malformed;

/// The name of the column for grid labels.
pub(crate) const LABEL: &str = "label";

/// Nine lines per puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Grids {
    /// Whether the label above them is kept.
    pub labels: bool,
}

impl Layout for Grids {
    fn kind(&self) -> LayoutKind {
        LayoutKind::Grids
    }

    fn read(&self, block: &[u8], _: u64, _: bool, records: &mut Records) {
        read(block, self.labels, records);
    }

    fn last_end(&self, bytes: &[u8]) -> usize {
        last_end(bytes, self.labels)
    }

    fn last_end_of_all(&self, bytes: &[u8]) -> usize {
        last_end(bytes, false)
    }

    /// The lines of a grid are shorter than a block.
    fn has_long_records(&self) -> bool {
        false
    }

    fn kept(&self) -> Vec<String> {
        if self.labels { vec![LABEL.into()] } else { Vec::new() }
    }
}

/// Returns the end of the last complete grid or other line in `bytes`, which start at one; 0 if
/// there is none. If labels are kept, a trailing label is excluded because it may belong to the
/// next grid. The parts up to the end do not depend on the bytes behind it.
fn last_end(bytes: &[u8], keeps_labels: bool) -> usize {
    let sheet = GridText { bytes, is_all: false };
    let (mut at, mut needed_end, mut above) = (0, 0, LinesAbove::default());
    let (mut end, mut label) = (0, None);
    while let Ok(Some(part)) = sheet.part(at) {
        above.pass(&part.what);
        at = part.end;
        if at >= needed_end {
            (end, label) = (at, above.label);
        }
        if let PartContent::Rows(rows) = &part.what {
            needed_end = rows.needed_end().unwrap_or(needed_end);
        }
    }
    label.filter(|_| keeps_labels).map_or(end, |line| line.start as usize)
}

/// Reads the records of a block of complete grids and other lines, and optionally labels.
fn read(block: &[u8], keeps_labels: bool, records: &mut Records) {
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
                records.push_malformed_text(place, (block, field(line)), malformed);
            }
            PartContent::Rows(rows) => {
                records.blank_lines += rows.blank_lines;
                records.comments += rows.strays;
                match sheet.form(&rows) {
                    Ok(form) => records.push_form(place, text.len(), &form, text),
                    Err((line, malformed)) => {
                        records.push_malformed_text(place, (block, field(line)), malformed);
                    }
                }
            }
        }
        place.line += count as u32;
        place.start = end as u32;
    }
}

/// Returns whether an input that starts with these bytes consists of grids, or `None` if it needs
/// more bytes. `Some(true)` means that the first rows are a well-formed grid.
pub fn looks_like_grid(start: &[u8], is_all: bool) -> Option<bool> {
    let sheet = GridText { bytes: start, is_all };
    sheet.starts_with_grid().ok()
}

/// Returns whether at least seven lines of a text, and most of them, are rows of nine cells, as in
/// grids of which one is invalid.
pub(super) fn has_rows(text: &[u8]) -> bool {
    let (rows, lines) = GridText { bytes: text, is_all: true }.count_rows();
    rows >= 7 && 4 * rows >= 3 * lines
}

#[derive(Default)]
struct LinesAbove {
    label: Option<Span>,
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
        field(Span { start, end })
    }
}

fn field(line: Span) -> Field {
    Field { start: line.start, end: line.end, form: FieldForm::Plain }
}
