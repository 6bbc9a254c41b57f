//! Puzzles written as nine lines of nine cells; [`sheet`](bulkdoku_core::forms::sheet) has the rules.

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
        records.clear();
        let sheet = GridText { bytes: block, is_all: true };
        let mut above = LinesAbove::default();
        let mut place = LinePosition { line: 0, start: 0, indent: 0 };
        while let Ok(Some(Part { what, end })) = sheet.part(place.start as usize) {
            let text = &block[place.start as usize..end];
            let count = lines::count(text);
            if self.labels && matches!(what, PartContent::Rows(_) | PartContent::TooLong(_)) {
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
