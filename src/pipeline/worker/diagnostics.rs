//! Messages about bad records, with file, line and column.

use std::io::Write;

use memchr::{memchr_iter, memrchr};

use crate::check::Place;
use crate::input::{self, Record, Text};
use crate::marks::{self, Marks};
use crate::output::Row;
use crate::puzzle::{CELLS, Contradiction, Puzzle};
use crate::status::Status;

/// Appends `file:line:column: status: what is wrong` if a record is bad in itself, or if it has no
/// solution and `also_failures` are reported. `answer_at` finds the place of its own solution, if
/// that is in another input.
pub(super) fn write_diagnostic(
    row: &Row<'_>,
    record: &Record,
    block: &[u8],
    answer_at: impl FnOnce() -> Option<String>,
    also_failures: bool,
    diagnostics: &mut Vec<u8>,
) {
    let start = (0, row.indent + 1);
    let ((below, column), what) = match (row.status, row.outcome) {
        (_, Err(malformed)) => ((record.fault, malformed.column), malformed.what.clone()),
        (Status::Contradictory, _) => {
            let Some((clue_at, found)) = contradiction_in(row.text) else { return };
            let place = match record.text {
                Text::Block(_) => Some((0, start.1 + clue_at)),
                Text::Own { start, .. } => {
                    let cell = clue_at / (row.text.len() / CELLS);
                    input::cell_place(&block[start as usize..], cell)
                        .map(|(below, at)| (below, if below == 0 { row.indent + at } else { at }))
                }
            };
            (place.unwrap_or(start), found.to_string())
        }
        (Status::Mismatch, _) => {
            let Some(mismatch) = row.mismatch else { return };
            let text = mismatch.text;
            match answer_at() {
                Some(place) => (start, format!("{text} ({place})")),
                None => (mismatch_place(row, record, block, mismatch.place), text.into()),
            }
        }
        (Status::NoForm | Status::InternalError, _) => (start, row.reason().into()),
        (Status::Unsolvable, _) if also_failures => (start, "there is no solution".into()),
        (Status::GaveUp, Ok(outcome)) if also_failures && outcome.solutions == 0 => {
            (start, row.reason().into())
        }
        _ => return,
    };
    let (file, line, status) = (row.file, row.line + u64::from(below), row.status.name());
    writeln!(diagnostics, "{file}:{line}:{column}: {status}: {what}")
        .expect("a vector takes every write");
}

/// The number of lines below the record's first one, and the column from 1.
fn mismatch_place(row: &Row<'_>, record: &Record, block: &[u8], place: Place) -> (u32, usize) {
    let start = row.indent + 1;
    match (place, row.answer().start(), &record.text) {
        (Place::Answer(at), Some(answer), Text::Block(text)) => {
            // A quoted field between them may have line feeds.
            let before = &block[text.start as usize - row.indent..answer];
            let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
            (memchr_iter(b'\n', before).count() as u32, before.len() - line + at + 1)
        }
        (Place::Puzzle(cell), ..) => (0, start + row.text.len() / CELLS * cell),
        (Place::Answer(_), ..) => (0, start),
    }
}

/// The contradiction between the clues of a text, 81 cells or pencil marks, and the place of the
/// second clue in the text.
fn contradiction_in(text: &[u8]) -> Option<(usize, Contradiction)> {
    if text.len() == marks::TEXT {
        let found = Marks::parse(text).ok()?.clues().contradiction()?;
        Some((9 * found.cells[1] + usize::from(found.digit) - 1, found))
    } else {
        let found = Puzzle::parse(text).ok()?.contradiction()?;
        Some((found.cells[1], found))
    }
}
