//! Puzzles written as nine lines of nine cells; [`sheet`](bulkdoku_core::forms::sheet) has the rules.

use super::{Field, FieldForm, Layout, LayoutKind, LinePosition, Records, lines};
pub use bulkdoku_core::forms::sheet::LONGEST_LINE;
use bulkdoku_core::forms::sheet::{GridText, Part, PartContent, Span};
use bulkdoku_core::puzzle::Malformed;

/// Nine lines per puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Grids;

impl Layout for Grids {
    fn kind(&self) -> LayoutKind {
        LayoutKind::Grids
    }

    fn read(&self, block: &[u8], _: u64, _: bool, records: &mut Records) {
        records.clear();
        let sheet = GridText { bytes: block, is_all: true };
        let mut place = LinePosition { line: 0, start: 0, indent: 0 };
        while let Ok(Some(Part { what, end })) = sheet.part(place.start as usize) {
            let text = &block[place.start as usize..end];
            let count = lines::count(text);
            match what {
                PartContent::Blank => records.blank_lines += 1,
                PartContent::Border => {}
                PartContent::Head | PartContent::Text => records.comments += count,
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

    /// The parts up to the end do not depend on the bytes after it.
    fn last_end(&self, bytes: &[u8]) -> usize {
        let sheet = GridText { bytes, is_all: false };
        let (mut at, mut needed_end, mut end) = (0, 0, 0);
        while let Ok(Some(part)) = sheet.part(at) {
            at = part.end;
            if at >= needed_end {
                end = at;
            }
            if let PartContent::Rows(rows) = &part.what {
                needed_end = rows.needed_end().unwrap_or(needed_end);
            }
        }
        end
    }

    /// The lines of a grid are shorter than a block.
    fn has_long_records(&self) -> bool {
        false
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

fn field(line: Span) -> Field {
    Field { start: line.start, end: line.end, form: FieldForm::Plain }
}
