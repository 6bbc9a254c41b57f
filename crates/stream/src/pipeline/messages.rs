//! Messages about invalid records, with file, line, and column.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use memchr::{memchr_iter, memrchr};
use serde::{Deserialize, Serialize};

use crate::input::Unit;
use crate::output::{Row, Rows};
use bulkdoku_core::Status;

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

/// Returns a text in which control characters are escaped, so that a name can neither end its line
/// nor control a terminal.
///
/// ```
/// assert_eq!(bulkdoku_stream::pipeline::visible("a\n\u{1b}[31mb"), "a\\n\\u{1b}[31mb");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped = |character: char| {
        if character.is_control() {
            character.escape_default().to_string()
        } else {
            character.into()
        }
    };
    text.chars().map(escaped).collect::<String>().into()
}

/// Appends a message for each invalid record, and for each with one of the `reported` statuses.
#[expect(clippy::missing_panics_doc, reason = "a vector takes every write")]
pub fn write_messages(
    rows: &Rows<'_>,
    reported: &[Status],
    format: MessageFormat,
    messages: &mut Vec<u8>,
) {
    if rows.results.statuses.iter().all(|status| status.is_good()) {
        return;
    }
    // The number of lines before the last record.
    let (mut last, mut line) = (0, 0);
    for row in rows.records().filter(|row| !row.status().is_good()) {
        let Some(mut reason) = reason(&row, reported) else { continue };
        if let (Status::Mismatch, Some(answers)) = (row.status(), rows.answers) {
            reason = format!("{reason} ({})", answers.place(row.index)).into();
        }
        let at = row.record.start as usize;
        let passed = rows.bytes.get(last..at).unwrap_or_default();
        line += memchr_iter(b'\n', passed).count() as u64;
        last = last.max(at);
        let column = row.outcome().map_or_else(|malformed| malformed.column, |_| 1);
        let column = characters_before(rows.bytes, at) + column;
        if rows.records.unit == Unit::Element {
            let number = row.line();
            reason =
                format!("{reason} (element {number} of the array, column {column} in it)").into();
        }
        let message = Message {
            file: row.file().into(),
            line: match rows.records.unit {
                Unit::Line => rows.first_line + line,
                Unit::Element | Unit::Row => row.line(),
            },
            column,
            status: row.status().name().into(),
            reason,
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

/// Returns the number of characters before an offset in its line.
fn characters_before(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    let start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    String::from_utf8_lossy(&before[start..]).chars().count()
}

/// Returns what is wrong with a record, if it has a message.
fn reason<'a>(row: &Row<'a>, reported: &[Status]) -> Option<Cow<'a, str>> {
    use Status::{
        Contradictory, GaveUp, InternalError, Malformed, Mismatch, Multiple, NoForm, Unsolvable,
    };
    let is_reported = reported.contains(&row.status());
    Some(match row.status() {
        Malformed | Contradictory | Mismatch | NoForm | InternalError => row.reason(),
        Unsolvable if is_reported => "there is no solution".into(),
        Multiple if is_reported => "there is more than one solution".into(),
        GaveUp if is_reported && row.solution().is_none() => row.reason(),
        _ => return None,
    })
}
