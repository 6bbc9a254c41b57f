//! Messages about invalid records, with file, line, and column.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use memchr::{memchr_iter, memrchr};
use serde::{Deserialize, Serialize};

use crate::check::Place;
use crate::input::{self, FieldForm};
use crate::marks::{self, Marks};
use crate::output::{Row, Rows};
use crate::puzzle::{CELLS, Contradiction, Puzzle};
use crate::status::Status;

/// The format of messages, one per line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageFormat {
    /// `file:line:column: status: reason`
    #[default]
    Text,
    /// JSON objects.
    Json,
}

/// A message about an invalid record.
#[derive(Debug, Serialize, Deserialize)]
pub struct Message<'a> {
    #[serde(borrow)]
    file: Cow<'a, str>,
    line: u64,
    column: usize,
    #[serde(borrow)]
    status: Cow<'a, str>,
    #[serde(borrow)]
    reason: Cow<'a, str>,
    /// The cells as written, or the whole line of a malformed record.
    #[serde(borrow)]
    text: Cow<'a, str>,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, status, reason, .. } = self;
        write!(f, "{file}:{line}:{column}: {status}: {reason}")
    }
}

/// Appends a message for each invalid record, and, if requested, for each without a solution.
pub(super) fn write_messages(
    rows: &Rows<'_>,
    report_failures: bool,
    format: MessageFormat,
    messages: &mut Vec<u8>,
) {
    if rows.results.statuses.iter().all(|status| status.is_good()) {
        return;
    }
    for row in rows.records().filter(|row| !row.status().is_good()) {
        let answer_at = rows.answers.map(|answers| answers.place(row.index));
        let message = message(&row, rows.bytes, answer_at, report_failures);
        let Some(((below, column), reason)) = message else { continue };
        let message = Message {
            file: row.file().into(),
            line: row.line() + u64::from(below),
            column,
            status: row.status().name().into(),
            reason: reason.into(),
            text: String::from_utf8_lossy(row.text()),
        };
        match format {
            MessageFormat::Text => write!(messages, "{message}"),
            MessageFormat::Json => {
                serde_json::to_writer(&mut *messages, &message).map_err(Into::into)
            }
        }
        .expect("a vector takes every write");
        messages.push(b'\n');
    }
}

/// The number of lines below the record's first line, and a column from 1.
type LineAndColumn = (u32, usize);

fn message(
    row: &Row<'_>,
    block: &[u8],
    answer_at: Option<String>,
    report_failures: bool,
) -> Option<(LineAndColumn, String)> {
    let indent = row.record.indent as usize;
    let line_start = row.record.start.checked_sub(row.record.indent);
    let before = line_start.and_then(|at| block.get(at as usize..row.record.start as usize));
    let before = before.map_or(indent, |text| String::from_utf8_lossy(text).chars().count());
    let start = (0, before + 1);
    let text = row.text();
    Some(match (row.status(), row.outcome()) {
        (_, Err(malformed)) => ((row.record.fault, malformed.column), malformed.what.clone()),
        (Status::Contradictory, _) => {
            let (clue_at, contradiction) = contradiction_in(text)?;
            let place = match row.record.text.form {
                FieldForm::Own => {
                    let cell = clue_at / (text.len() / CELLS);
                    let written = &block[row.record.start as usize..];
                    input::cell_place(&written[..row.record.written as usize], cell)
                        .map(|(below, at)| (below, if below == 0 { before + at } else { at }))
                }
                _ => Some((0, start.1 + clue_at)),
            };
            (place.unwrap_or(start), contradiction.to_string())
        }
        (Status::Mismatch, _) => {
            let mismatch = row.mismatch()?;
            match answer_at {
                Some(place) => (start, format!("{} ({place})", mismatch.text)),
                None => (mismatch_place(row, block, mismatch.place), mismatch.text.into()),
            }
        }
        (Status::NoForm | Status::InternalError, _) => (start, row.reason().into()),
        (Status::Unsolvable, _) if report_failures => (start, "there is no solution".into()),
        (Status::GaveUp, Ok(outcome)) if report_failures && outcome.solutions == 0 => {
            (start, row.reason().into())
        }
        _ => return None,
    })
}

fn mismatch_place(row: &Row<'_>, block: &[u8], place: Place) -> LineAndColumn {
    let indent = row.record.indent as usize;
    match (place, row.answer_start()) {
        (Place::Answer(at), Some(answer)) if row.record.text.form != FieldForm::Own => {
            // A quoted field before the solution may contain line feeds.
            let before = &block[row.record.start as usize - indent..answer];
            let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
            (memchr_iter(b'\n', before).count() as u32, before.len() - line + at + 1)
        }
        (Place::Puzzle(cell), ..) => (0, indent + 1 + row.text().len() / CELLS * cell),
        (Place::Answer(_), ..) => (0, indent + 1),
    }
}

/// Returns the contradiction between the clues of a text, 81 cells or pencil marks, and the place of
/// the second clue in the text.
fn contradiction_in(text: &[u8]) -> Option<(usize, Contradiction)> {
    if text.len() == marks::TEXT {
        let contradiction = Marks::parse(text).ok()?.clues().contradiction()?;
        let at = 9 * contradiction.cells[1] + usize::from(contradiction.digit) - 1;
        Some((at, contradiction))
    } else {
        let contradiction = Puzzle::parse(text).ok()?.contradiction()?;
        Some((contradiction.cells[1], contradiction))
    }
}
