//! Messages about invalid records, with file, line, and column.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use memchr::{memchr_iter, memrchr};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::input::Unit;
use crate::output::{Row, Rows};
use bulkdoku_core::check::{self, Mismatch};
use bulkdoku_core::forms::place_of_cell;
use bulkdoku_core::marks::{self};
use bulkdoku_core::puzzle::Contradiction;
use bulkdoku_core::{Marks, Puzzle, Status};

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
    file: Cow<'a, str>,
    line: u64,
    column: usize,
    status: Cow<'a, str>,
    reason: Cow<'a, str>,
    /// The cells as written, or the whole line of a malformed record.
    text: Cow<'a, str>,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, status, .. } = self;
        let [file, reason] = [&self.file, &self.reason].map(|text| visible(text));
        write!(f, "{file}:{line}:{column}: {status}: {reason}")
    }
}

/// Returns a text in which control characters, and those that turn the direction of the text, are
/// escaped, so that a name can neither end its line, nor control a terminal, nor show another one.
///
/// ```
/// assert_eq!(bulkdoku_stream::pipeline::visible("a\n\u{1b}[31mb"), "a\\n\\u{1b}[31mb");
/// assert_eq!(bulkdoku_stream::pipeline::visible("\u{202e}vsc.a"), "\\u{202e}vsc.a");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character.escape_default().to_string())
}

/// Escapes the same characters in JSON.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    escaped(json, |character| format!("\\u{:04x}", u32::from(character)))
}

fn escaped(text: &str, escape: fn(char) -> String) -> Cow<'_, str> {
    const MARKS: [RangeInclusive<char>; 3] =
        ['\u{200e}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    let is_hidden = |c: char| c.is_control() || MARKS.iter().any(|marks| marks.contains(&c));
    if !text.contains(is_hidden) {
        return text.into();
    }
    let shown = |c: char| if is_hidden(c) { escape(c) } else { c.into() };
    text.chars().map(shown).collect::<String>().into()
}

/// Appends a message for each invalid record, and for each with one of the `reported` statuses.
pub fn write_messages(
    rows: &Rows<'_>,
    reported: &[Status],
    format: MessageFormat,
    messages: &mut Vec<u8>,
) {
    if rows.results.statuses.iter().all(|status| status.is_good()) {
        return;
    }
    // The number of lines before the last place.
    let (mut last, mut line) = (0, 0);
    for row in rows.records().filter(|row| !row.status().is_good()) {
        let answer_at = rows.answers.map(|answers| answers.place(row.index));
        let message = message(&row, answer_at, reported);
        let Some((Place { at, below, column }, mut reason)) = message else { continue };
        let passed = rows.bytes.get(last..at).unwrap_or_default();
        line += memchr_iter(b'\n', passed).count() as u64;
        last = last.max(at);
        let column = if below == 0 { characters_before(rows.bytes, at) + column } else { column };
        if rows.records.unit == Unit::Element {
            let number = row.line();
            reason = format!("{reason} (element {number} of the array, column {column} in it)");
        }
        let message = Message {
            file: row.file().into(),
            line: match rows.records.unit {
                Unit::Line => rows.first_line + line + u64::from(below),
                Unit::Element | Unit::Row => row.line(),
            },
            column,
            status: row.status().name().into(),
            reason: reason.into(),
            text: String::from_utf8_lossy(row.text()),
        };
        let line = match format {
            MessageFormat::Text => format!("{message}\n"),
            MessageFormat::Json => visible_json(&json!(message).to_string()).into_owned() + "\n",
        };
        messages.extend_from_slice(line.as_bytes());
    }
}

/// Returns the number of characters before an offset in its line.
fn characters_before(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    let start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    String::from_utf8_lossy(&before[start..]).chars().count()
}

/// The place of a fault in a block.
struct Place {
    /// The offset of the puzzle, the solution, or the malformed text.
    at: usize,
    /// The number of lines from there.
    below: u32,
    /// The column from 1, counted from there in the same line.
    column: usize,
}

impl Place {
    fn start_of(at: usize) -> Self {
        Self { at, below: 0, column: 1 }
    }

    /// Returns the place of a cell in a text at this offset, or the start of the text.
    fn of_cell(at: usize, text: &[u8], cell: usize) -> Self {
        let (below, column) = place_of_cell(text, cell).unwrap_or((0, 1));
        Self { at, below, column }
    }
}

fn message(
    row: &Row<'_>,
    answer_at: Option<String>,
    reported: &[Status],
) -> Option<(Place, String)> {
    let start = || Place::start_of(row.record.start as usize);
    Some(match (row.status(), row.outcome()) {
        (_, Err(fault)) => (Place { column: fault.column, ..start() }, fault.what.clone()),
        (Status::Contradictory, _) => {
            let contradiction = contradiction_in(row.text())?;
            (place_of_clue(row, &contradiction), contradiction.to_string())
        }
        (Status::Mismatch, _) => match (row.mismatch?, answer_at) {
            (mismatch, Some(place)) => (start(), format!("{mismatch} ({place})")),
            (mismatch, None) => (place_of_mismatch(row), mismatch.into()),
        },
        (Status::NoForm | Status::InternalError, _) => (start(), row.reason().into()),
        (status, _) if !reported.contains(&status) => return None,
        (Status::Unsolvable, _) => (start(), "there is no solution".into()),
        (Status::Multiple, _) => (start(), "there is more than one solution".into()),
        (Status::GaveUp, Ok(outcome)) if outcome.solutions == 0 => (start(), row.reason().into()),
        _ => return None,
    })
}

/// Returns the place of the second clue of a contradiction.
fn place_of_clue(row: &Row<'_>, contradiction: &Contradiction) -> Place {
    let text = row.written_puzzle();
    let place = Place::of_cell(row.record.start as usize, text, contradiction.cells[1]);
    // Each cell has nine characters.
    let digit = if text.len() == marks::TEXT { usize::from(contradiction.digit) - 1 } else { 0 };
    Place { column: place.column + digit, ..place }
}

/// Compares the solution with the puzzle again, and returns where they differ.
fn place_of_mismatch(row: &Row<'_>) -> Place {
    let start = Place::start_of(row.record.start as usize);
    let Some(marks) = row.marks() else { return start };
    let mismatch = check::compare(&marks, row.answer());
    match (mismatch, row.written_answer()) {
        (Err(Mismatch::Clues(contradiction)), _) => place_of_clue(row, &contradiction),
        (Err(Mismatch::NoGrid(malformed)), Some((at, text))) if !text.is_empty() => {
            Place { column: malformed.column, ..Place::start_of(at) }
        }
        (Err(mismatch), Some((at, text))) => match mismatch.cell() {
            Some(cell) => Place::of_cell(at, text, cell),
            None => Place::start_of(at),
        },
        (Ok(()), _) | (Err(_), None) => start,
    }
}

/// Returns the contradiction between the clues of a text, 81 cells or pencil marks.
fn contradiction_in(text: &[u8]) -> Option<Contradiction> {
    if text.len() == marks::TEXT {
        Marks::parse(text).ok()?.clues().contradiction()
    } else {
        Puzzle::parse(text).ok()?.contradiction()
    }
}
