//! Where a block may end.

use memchr::memchr;

use super::split::Row;
use super::{Delimiter, Table};
use crate::input::lines;

/// The end of the last whole row in `bytes`, which begin with one; 0 if there is none.
pub fn last_end(table: &Table, bytes: &[u8]) -> usize {
    if table.delimiter == Delimiter::Blanks {
        return lines::last_end(bytes);
    }
    let mut end = 0;
    // Rows without quotes are lines.
    while let Some(quote) = memchr(b'"', &bytes[end..]) {
        end += lines::last_end(&bytes[end..end + quote]);
        match row_end(table.delimiter, &bytes[end..]) {
            Some(length) => end += length,
            None => return end,
        }
    }
    end + lines::last_end(&bytes[end..])
}

/// The end of the row or other line at the start of `bytes`, if they hold it.
fn row_end(delimiter: Delimiter, bytes: &[u8]) -> Option<usize> {
    let row = match first_text(delimiter, bytes) {
        Some(b'#') => Row::BehindQuote { at: 0 },
        _ => delimiter.split(bytes, |_, _| {}),
    };
    match row {
        Row::Whole { length, .. } => bytes[..length].ends_with(b"\n").then_some(length),
        Row::BehindQuote { .. } => first_line_end(bytes),
        Row::Open { .. } => None,
    }
}

/// The first byte of a line that is not white space.
pub(super) fn first_text(delimiter: Delimiter, bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|&byte| !delimiter.is_blank(byte))
}

/// Behind the first line feed.
pub fn first_line_end(bytes: &[u8]) -> Option<usize> {
    memchr(b'\n', bytes).map(|at| at + 1)
}
