//! Where a field of a record is in its block, and how it is written there.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// Where a field is, without the quotes around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Bytes before it.
    pub start: u32,
    /// Bytes before its end.
    pub end: u32,
    /// How it is written.
    pub form: FieldForm,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldForm {
    /// As it is.
    #[default]
    Plain,
    /// In the quotes of a table: two quotes in it mean one.
    Quoted,
    /// In the quotes of JSON: backslashes mean something.
    JsonString,
    /// As a JSON value that is no string.
    JsonValue,
    /// Not at all: there is no such key, or `null`.
    Missing,
    /// Not in the block, but among the texts of the records.
    Own,
}

impl Field {
    /// A field that stands between two places.
    pub fn new(range: Range<usize>, form: FieldForm) -> Self {
        Self { start: range.start as u32, end: range.end as u32, form }
    }

    /// There is none.
    pub const MISSING: Self = Self { start: 0, end: 0, form: FieldForm::Missing };

    /// Its bytes among those in which it was found.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// What it says: its bytes with the quotes undoubled, or what its escapes mean.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.of(bytes);
        match self.form {
            FieldForm::Quoted if memchr(b'"', raw).is_some() => undoubled(raw),
            FieldForm::JsonString if memchr(b'\\', raw).is_some() => {
                let quoted = &bytes[self.start as usize - 1..=self.end as usize];
                // Half of a pair of escapes is no text: it stays as it is.
                let text = serde_json::from_slice::<String>(quoted);
                text.map_or(Cow::Borrowed(raw), |text| Cow::Owned(text.into_bytes()))
            }
            _ => Cow::Borrowed(raw),
        }
    }

    /// The same field where `by` more bytes stand before it.
    #[must_use]
    pub fn moved(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by, ..self }
    }
}

/// The text of a field with doubled quotes.
fn undoubled(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Vec::with_capacity(raw.len());
    let mut pieces = raw.split_inclusive(|&byte| byte == b'"');
    while let Some(piece) = pieces.next() {
        text.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            // The second of two.
            pieces.next();
        }
    }
    Cow::Owned(text)
}
