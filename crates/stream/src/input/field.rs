//! The position of a field in its block, and its quoting.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The position of a field, without its quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset of the end.
    pub end: u32,
    /// How the field is written.
    pub form: FieldForm,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldForm {
    /// Without quotes.
    #[default]
    Plain,
    /// Quoted as in CSV, with doubled quotes.
    Quoted,
    /// A JSON string, possibly with escapes.
    JsonString,
    /// Another JSON value.
    JsonValue,
    /// Missing: the key does not exist, or its value is `null`.
    Missing,
    /// A null of a Parquet file, which is read as an empty field.
    Null,
    /// Stored in `Records::texts` instead of the block.
    Own,
}

impl Field {
    /// Creates a field at these offsets.
    pub fn new(range: Range<usize>, form: FieldForm) -> Self {
        Self { start: range.start as u32, end: range.end as u32, form }
    }

    /// A missing field.
    pub(crate) const MISSING: Self = Self { start: 0, end: 0, form: FieldForm::Missing };

    /// Returns the raw bytes.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// Returns the text with quotes and escapes decoded.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.of(bytes);
        match self.form {
            FieldForm::Quoted if memchr(b'"', raw).is_some() => undoubled(raw),
            FieldForm::JsonString if memchr(b'\\', raw).is_some() => {
                let quoted = &bytes[self.start as usize - 1..=self.end as usize];
                // A lone surrogate cannot be decoded and remains escaped.
                let text = serde_json::from_slice::<String>(quoted);
                text.map_or(Cow::Borrowed(raw), |text| Cow::Owned(text.into_bytes()))
            }
            _ => Cow::Borrowed(raw),
        }
    }

    /// Returns the field moved by `by` bytes.
    #[must_use]
    pub fn moved(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by, ..self }
    }
}

fn undoubled(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Vec::with_capacity(raw.len());
    let mut pieces = raw.split_inclusive(|&byte| byte == b'"');
    while let Some(piece) = pieces.next() {
        text.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            // The second quote of a pair.
            pieces.next();
        }
    }
    Cow::Owned(text)
}
