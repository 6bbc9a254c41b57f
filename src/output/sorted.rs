//! Sorted rows: workers encode rows with their keys, and an assembler sorts them.

use std::io;

use super::{Assembler, Emit, Format, Needs, Row, RowBuffer, RowEncoder};
use crate::input::OtherKeys;
use crate::sets::sort::{ExternalSort, for_each_entry, head};

/// Appends the sort key of a row.
pub type Key = Box<dyn Fn(&Row<'_>, &mut SortKey) + Send + Sync>;

/// The sort key of a row.
#[derive(Clone, Debug, Default)]
pub struct SortKey {
    /// The key, which is compared by its bytes; it starts with the type of the value.
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
    /// The format of the rows.
    pub format: Box<dyn Format>,
    /// The sort key.
    pub key: Key,
    /// The properties that `key` reads.
    pub needs: Needs,
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

    fn row_encoder(&self) -> Box<RowEncoder<'_>> {
        let (mut encode, mut encoded) = (self.format.row_encoder(), RowBuffer::default());
        let (mut key, mut value) = (SortKey::default(), Vec::new());
        Box::new(move |row, out| {
            encoded.clear();
            encode(row, &mut encoded);
            key.bytes.clear();
            key.as_text.clear();
            (self.key)(row, &mut key);
            value.clear();
            let length = (key.as_text.len() as u32).to_le_bytes();
            for bytes in [&length[..], &key.as_text, encoded.as_slice()] {
                value.extend_from_slice(bytes);
            }
            for bytes in [&head(&key.bytes, &value)[..], &key.bytes, &value] {
                out.append(bytes);
            }
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
