//! The place of a field in its block, and how it is quoted.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The place of a field, without its quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset of its end.
    pub end: u32,
    /// How it is written.
    pub form: FieldForm,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldForm {
    /// Without quotes.
    #[default]
    Plain,
    /// Quoted as in CSV: a doubled quote means one quote.
    Quoted,
    /// A JSON string, which may have escapes.
    JsonString,
    /// Another JSON value.
    JsonValue,
    /// Absent: there is no such key, or its value is `null`.
    Missing,
    /// The empty field that a null of a Parquet file is read as.
    Null,
    /// Not in the block, but in `Records::texts`.
    Own,
}

impl Field {
    /// A field at these offsets.
    pub fn new(range: Range<usize>, form: FieldForm) -> Self {
        Self { start: range.start as u32, end: range.end as u32, form }
    }

    /// An absent field.
    pub const MISSING: Self = Self { start: 0, end: 0, form: FieldForm::Missing };

    /// Its raw bytes; `bytes` is the block.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// Its text: quotes undoubled, escapes decoded.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.of(bytes);
        match self.form {
            FieldForm::Quoted if memchr(b'"', raw).is_some() => undoubled(raw),
            FieldForm::JsonString if memchr(b'\\', raw).is_some() => {
                let quoted = &bytes[self.start as usize - 1..=self.end as usize];
                // A lone surrogate cannot be decoded: the text stays as it is.
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
