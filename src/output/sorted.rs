//! Sorted rows: workers encode rows with their keys, and an assembler sorts them.

use std::io;

use memchr::memchr2_iter;

use super::{Assembler, Emit, Encoder, Format, Needs, Row, RowBuffer, Rows};
use crate::input::OtherKeys;
use crate::sets::sort::{ExternalSort, for_each_entry, head};

/// Appends the sort key of a row.
pub type Key = Box<dyn Fn(&Row<'_>, &mut SortKey) + Send + Sync>;

/// The sort key of a row.
#[derive(Clone, Debug, Default)]
pub struct SortKey {
    /// The key, which is compared by its bytes; it starts with its [`KeyType`].
    pub bytes: Vec<u8>,
    /// The key if the column is text, for a field of the input that is a number; otherwise empty.
    pub as_text: Vec<u8>,
}

/// The type of a value to sort by, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// A number.
    Number,
    /// A text. If the column has one, all its values are compared as texts.
    Text,
    /// No value.
    Missing,
}

/// The number of bytes of rows in memory beyond which they are written to a temporary file.
const MEMORY_BYTES: usize = 128 << 20;

/// The number of bytes emitted at once.
const EMIT_BYTES: usize = 1 << 20;

/// Another format with sorted rows.
pub struct Sorted {
    /// The format of the rows: lines, or single rows ([`Format::row_encoder`]).
    pub format: Box<dyn Format>,
    /// The sort key.
    pub key: Key,
    /// The properties that `key` reads.
    pub needs: Needs,
    /// Whether quoted fields may contain line feeds.
    pub has_quotes: bool,
}

impl Format for Sorted {
    fn needs(&self) -> Needs {
        self.format.needs().union(self.needs)
    }

    fn header(&self) -> Vec<u8> {
        self.format.header()
    }

    fn final_header(&self, rows: u64) -> Option<Vec<u8>> {
        self.format.final_header(rows)
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        let (mut plain, mut key, mut value) =
            (RowBuffer::default(), SortKey::default(), Vec::new());
        let mut append = move |row: &Row<'_>, encoded: &[u8], out: &mut RowBuffer| {
            key.bytes.clear();
            key.as_text.clear();
            (self.key)(row, &mut key);
            value.clear();
            for bytes in [&(key.as_text.len() as u32).to_le_bytes()[..], &key.as_text, encoded] {
                value.extend_from_slice(bytes);
            }
            for bytes in [&head(&key.bytes, &value)[..], &key.bytes, &value] {
                out.append(bytes);
            }
        };
        if let Some(mut encode_row) = self.format.row_encoder() {
            return Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
                rows.for_each(|row| {
                    plain.clear();
                    encode_row(row, &mut plain);
                    append(row, plain.as_slice(), out);
                });
            });
        }
        let mut encoder = self.format.encoder();
        Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
            plain.clear();
            encoder.encode(rows, &mut plain);
            let mut rest = plain.as_slice();
            rows.for_each(|row| {
                let (line, others) = rest.split_at(line_length(rest, self.has_quotes));
                rest = others;
                append(row, line, out);
            });
            assert!(rest.is_empty(), "each row is a line");
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        let (sort, rows) = (ExternalSort::new(MEMORY_BYTES), self.format.assembler()?);
        Ok(Some(Box::new(Sorter { sort, has_texts: false, has_numbers: false, rows })))
    }

    fn other_keys(&self) -> OtherKeys {
        self.format.other_keys()
    }

    fn shows_failures(&self) -> bool {
        self.format.shows_failures()
    }
}

/// Returns the length of the first row, including its line feed.
fn line_length(rows: &[u8], has_quotes: bool) -> usize {
    let mut is_quoted = false;
    for at in memchr2_iter(b'\n', b'"', rows) {
        match rows[at] {
            b'\n' if !is_quoted => return at + 1,
            b'"' if has_quotes => is_quoted = !is_quoted,
            _ => {}
        }
    }
    rows.len()
}

/// Splits the value of an entry into the key of a number as text and the row.
fn split_value(value: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = value.split_first_chunk().expect("a value starts with a length");
    rest.split_at(u32::from_le_bytes(*length) as usize)
}

struct Sorter {
    sort: ExternalSort,
    has_numbers: bool,
    has_texts: bool,
    rows: Option<Box<dyn Assembler>>,
}

impl Assembler for Sorter {
    fn add(&mut self, encoded: &[u8], _: &mut Emit<'_>) -> io::Result<()> {
        for_each_entry(encoded, |key, value| {
            self.has_numbers |= key[0] == KeyType::Number as u8;
            self.has_texts |= key[0] == KeyType::Text as u8;
            self.sort.push(key, value)
        })
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        let mut entries = std::mem::take(&mut self.sort).finish()?;
        if self.has_numbers && self.has_texts {
            let mut by_text = ExternalSort::new(MEMORY_BYTES);
            while let Some((key, value)) = entries.next()? {
                let (as_text, _) = split_value(value);
                by_text.push(if as_text.is_empty() { key } else { as_text }, value)?;
            }
            entries = by_text.finish()?;
        }
        if let Some(rows) = &mut self.rows {
            while let Some((_, value)) = entries.next()? {
                rows.add(split_value(value).1, emit)?;
            }
            return rows.finish(emit);
        }
        let mut chunk = Vec::with_capacity(EMIT_BYTES);
        while let Some((_, value)) = entries.next()? {
            chunk.extend_from_slice(split_value(value).1);
            if chunk.len() >= EMIT_BYTES {
                emit(&chunk)?;
                chunk.clear();
            }
        }
        if chunk.is_empty() { Ok(()) } else { emit(&chunk) }
    }

    fn final_header(&self) -> Option<Vec<u8>> {
        self.rows.as_ref().and_then(|rows| rows.final_header())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_at_line_feeds_outside_of_quotes() {
        assert_eq!(line_length(b"a,\"x\n\"\"\n\",b\nc\n", true), 12);
        assert_eq!(line_length(b"{\"a\\\"\":1}\n{}\n", false), 10);
        assert_eq!(line_length(b"\n\n", true), 1);
    }
}
