//! Sorted rows: workers encode rows with their keys, and an assembler sorts them.

use std::io;

use memchr::memchr2_iter;

use super::{Assembler, Emit, Encoder, Format, Needs, Row, RowBuffer, Rows};
use crate::external_sort::{ExternalSort, head};
use crate::input::OtherKeys;

/// Appends the sort key of a row. Keys are compared by their bytes.
pub type Key = Box<dyn Fn(&Row<'_>, &mut Vec<u8>) + Send + Sync>;

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
        let (mut plain, mut key) = (RowBuffer::default(), Vec::new());
        let mut append = move |row: &Row<'_>, encoded: &[u8], out: &mut RowBuffer| {
            key.clear();
            (self.key)(row, &mut key);
            for bytes in [&head(&key, encoded)[..], &key, encoded] {
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
        Ok(Some(Box::new(Sorter { sort, rows })))
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

struct Sorter {
    sort: ExternalSort,
    rows: Option<Box<dyn Assembler>>,
}

impl Assembler for Sorter {
    fn add(&mut self, encoded: &[u8], _: &mut Emit<'_>) -> io::Result<()> {
        self.sort.push_all(encoded)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        let sorted = std::mem::take(&mut self.sort).finish();
        let mut entries = sorted.read()?;
        if let Some(rows) = &mut self.rows {
            while let Some((_, row)) = entries.next()? {
                rows.add(row, emit)?;
            }
            return rows.finish(emit);
        }
        let mut chunk = Vec::with_capacity(EMIT_BYTES);
        while let Some((_, row)) = entries.next()? {
            chunk.extend_from_slice(row);
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
