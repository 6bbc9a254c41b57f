//! Splits rows into fields and finds the last complete row of a block.

use std::fmt;

use memchr::{memchr, memchr_iter, memchr2};

use crate::input::{Field, FieldForm, lines};
use bulkdoku_core::puzzle::is_cell;

/// The separator of the fields of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// A single byte; fields may be quoted.
    Byte(u8),
    /// Any number of spaces and tabs; fields in quotes may have some.
    Blanks,
}

impl Delimiter {
    /// Creates a delimiter, unless the byte is a cell, a quote, `#`, or part of a line end.
    pub fn new(byte: u8) -> Option<Self> {
        let is_taken =
            is_cell(byte) || matches!(byte, b'"' | b'\n' | b'\r' | b'#') || !byte.is_ascii();
        (!is_taken).then_some(Self::Byte(byte))
    }

    /// Returns whether this byte is whitespace outside the fields.
    pub(super) fn is_blank(self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') && self != Self::Byte(byte)
    }

    /// Splits the row at the start of `bytes`; calls `found` with the positions of its fields.
    #[inline(always)]
    pub fn split(self, bytes: &[u8], found: impl FnMut(Field)) -> SplitRow {
        match self {
            Self::Byte(delimiter) => split_at_byte(bytes, delimiter, found),
            Self::Blanks => split_at_blanks(bytes, found),
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(b',') => f.write_str("CSV"),
            Self::Byte(b'\t') => f.write_str("TSV"),
            Self::Byte(byte) => write!(f, "CSV with {:?}", char::from(*byte)),
            Self::Blanks => f.write_str("fields between blanks"),
        }
    }
}

/// The result of splitting a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRow {
    /// The row ends with a line feed or at the end of the bytes.
    Whole {
        /// The length in bytes, including the line feed.
        length: usize,
    },
    /// Text follows a closing quote. Only the first line is certain to belong to the row.
    TextAfterQuote {
        /// The number of bytes before that text.
        at: usize,
    },
    /// A quoted field does not end in these bytes.
    Open {
        /// The number of bytes before its opening quote.
        at: usize,
    },
}

#[inline(always)]
fn split_at_byte(bytes: &[u8], delimiter: u8, mut found: impl FnMut(Field)) -> SplitRow {
    let mut at = 0;
    loop {
        let is_quoted = bytes.get(at) == Some(&b'"');
        let end = if is_quoted {
            let Some(length) = quoted_length(&bytes[at + 1..]) else {
                return SplitRow::Open { at };
            };
            let end = at + 1 + length;
            found(Field::new(at + 1..end, FieldForm::Quoted));
            end + 1
        } else {
            let rest = &bytes[at..];
            let end = at + memchr2(delimiter, b'\n', rest).unwrap_or(rest.len());
            let is_last = bytes.get(end) != Some(&delimiter);
            let has_return = is_last && end > at && bytes[end - 1] == b'\r';
            found(Field::new(at..end - usize::from(has_return), FieldForm::Plain));
            end
        };
        let length = match &bytes[end..] {
            [next, ..] if *next == delimiter => {
                at = end + 1;
                continue;
            }
            [] => end,
            [b'\n', ..] | [b'\r'] => end + 1,
            [b'\r', b'\n', ..] => end + 2,
            _ => return SplitRow::TextAfterQuote { at: end },
        };
        return SplitRow::Whole { length };
    }
}

/// Returns the length of the quoted field whose opening quote precedes `bytes`.
#[inline(always)]
fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'"', &bytes[at..])?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[inline(always)]
fn split_at_blanks(bytes: &[u8], mut found: impl FnMut(Field)) -> SplitRow {
    let end = memchr(b'\n', bytes).unwrap_or(bytes.len());
    let mut at = 0;
    while let Some(start) = position(&bytes[..end], at, |byte| !is_white(byte)) {
        if let Some(length) = closed_length(&bytes[start..end]) {
            at = start + length;
            found(Field::new(start + 1..at - 1, FieldForm::Quoted));
        } else {
            at = position(&bytes[..end], start, is_white).unwrap_or(end);
            found(Field::new(start..at, FieldForm::Plain));
        }
    }
    SplitRow::Whole { length: (end + 1).min(bytes.len()) }
}

/// Returns the length of the field in quotes at the start of a line, if a blank follows it. R writes
/// a backslash before a quote in a field.
fn closed_length(line: &[u8]) -> Option<usize> {
    let inner = line.strip_prefix(b"\"")?;
    let mut quotes = memchr_iter(b'"', inner).filter(|at| !inner[..*at].ends_with(b"\\"));
    let end = quotes.find(|at| inner.get(at + 1).is_none_or(|byte| is_white(*byte)))?;
    Some(end + 2)
}

fn position(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> Option<usize> {
    Some(from + bytes[from..].iter().position(|&byte| is(byte))?)
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Returns the end of the last complete row in `bytes`, which start at a row; 0 if there is none.
pub(in crate::input) fn last_end(delimiter: Delimiter, bytes: &[u8]) -> usize {
    if delimiter == Delimiter::Blanks {
        return lines::last_end(bytes);
    }
    let mut end = 0;
    // Rows without quotes are lines.
    while let Some(quote) = memchr(b'"', &bytes[end..]) {
        end += lines::last_end(&bytes[end..end + quote]);
        match row_end(delimiter, &bytes[end..]) {
            Some(length) => end += length,
            None => return end,
        }
    }
    end + lines::last_end(&bytes[end..])
}

/// Returns whether a line is Excel's declaration of a delimiter, `sep=;`.
pub(in crate::input) fn is_separator_line(line: &[u8]) -> bool {
    declared_delimiter(line).is_some()
}

pub(in crate::input) fn declared_delimiter(line: &[u8]) -> Option<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => Some(*delimiter),
        _ => None,
    }
}

/// Returns the end of the row or other line at the start of `bytes`, if it is complete.
fn row_end(delimiter: Delimiter, bytes: &[u8]) -> Option<usize> {
    let row = match first_text(delimiter, bytes) {
        Some(b'#') => SplitRow::TextAfterQuote { at: 0 },
        _ => delimiter.split(bytes, |_| {}),
    };
    match row {
        SplitRow::Whole { length } => bytes[..length].ends_with(b"\n").then_some(length),
        SplitRow::TextAfterQuote { .. } => lines::first_end(bytes),
        SplitRow::Open { .. } => None,
    }
}

pub(super) fn first_text(delimiter: Delimiter, bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|&byte| !delimiter.is_blank(byte))
}
