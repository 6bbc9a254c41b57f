//! JSON lines: one object per record, the chosen columns as its keys.
//!
//! Numbers are JSON numbers; a missing solution or reason is `null`; everything else is a string.
//! Bytes of a malformed line that are not UTF-8 become U+FFFD.

use super::columns::names_of_kept;
use super::plain::STATUS_NAMES;
use super::row::RowValue;
use super::{Column, Row, RowBuffer, RowFormat, Rows, Short};
use crate::input::FieldForm;
use crate::puzzle::{CELLS, Grid};

/// One JSON object per record, with these columns in this order.
#[derive(Clone, Debug)]
pub struct JsonRows {
    /// Each column, and its key with punctuation.
    columns: Vec<(Column, Short)>,
    /// The number of columns with foreign text.
    texts: usize,
    /// The kept columns of the input, which follow: each key with punctuation.
    kept: Vec<Vec<u8>>,
}

impl JsonRows {
    /// Chooses columns.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(columns: &[Column]) -> Self {
        assert!(!columns.is_empty(), "rows need at least one column");
        let before = std::iter::once('{').chain(std::iter::repeat(','));
        let keys = columns.iter().zip(before).map(|(column, before)| {
            (*column, Short::new(&format!("{before}\"{}\":", column.name())))
        });
        let is_text = |column: &&Column| {
            matches!(
                column,
                Column::File | Column::Seed | Column::Puzzle | Column::Answer | Column::Reason
            )
        };
        Self {
            columns: keys.collect(),
            texts: columns.iter().filter(is_text).count(),
            kept: Vec::new(),
        }
    }

    /// Appends columns of the input; a name that is already taken is prefixed with `input_`. Their
    /// values are strings, or the JSON values of the input.
    #[must_use]
    pub fn keeping(self, names: &[String]) -> Self {
        let own: Vec<_> = self.columns.iter().map(|(column, _)| *column).collect();
        let key = |name: &String| format!(",{}:", serde_json::Value::from(name.as_str()));
        let names = names_of_kept(&own, names);
        Self { kept: names.iter().map(|name| key(name).into_bytes()).collect(), ..self }
    }

    /// The most bytes that an object can take: a character may become an escape of six bytes.
    fn room(&self, row: &Row<'_>) -> usize {
        let outside = row.file.len() + row.text.len() + row.answer().length() + row.reason().len();
        let own = self.columns.len() * FIELD + self.texts * 6 * outside;
        // Each value has two quotes or is `null`.
        let keys: usize = self.kept.iter().map(|key| key.len() + 4).sum();
        own + keys + 6 * row.kept().length() + 1
    }
}

impl Default for JsonRows {
    fn default() -> Self {
        Self::new(&Column::DEFAULT)
    }
}

impl RowFormat for JsonRows {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(self.room(&row), b'\n', |fields| {
                fields.by(|room| {
                    let mut object = Object { room, length: 0 };
                    for (column, key) in &self.columns {
                        object.short(key);
                        object.value(*column, row.value(*column));
                    }
                    for (key, (text, form)) in self.kept.iter().zip(row.kept().forms()) {
                        object.put(key);
                        match form {
                            FieldForm::JsonValue => object.put(&text),
                            FieldForm::Missing => object.put(b"null"),
                            _ => object.string(&String::from_utf8_lossy(&text)),
                        }
                    }
                    object.put(b"}");
                    object.length
                });
            });
        }
    }
}

/// The longest key, and the longest value that is not foreign text: a grid in quotes.
const FIELD: usize = super::SHORT + CELLS + 2;

struct Object<'a> {
    room: &'a mut [u8],
    length: usize,
}

fn is_number(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|number| number.to_string() == text)
}

impl Object<'_> {
    fn value(&mut self, column: Column, value: RowValue<'_>) {
        match value {
            RowValue::None => self.put(b"null"),
            RowValue::Number(number) => self.put(itoa::Buffer::new().format(number).as_bytes()),
            RowValue::Decimal(number) => self.short(&Short::decimal(number)),
            RowValue::Truth(is) => self.short(&Short::truth(is)),
            RowValue::Status(status) => {
                self.put(b"\"");
                self.short(&STATUS_NAMES[status as usize]);
                self.put(b"\"");
            }
            RowValue::Cells(cells) => self.cells(cells),
            RowValue::Grid(Grid(digits)) => self.cells(&digits.map(|digit| digit + b'0')),
            RowValue::Form(form) => self.cells(&form.text()),
            RowValue::Text(text) => match String::from_utf8_lossy(text) {
                // The name of a corpus is its seed.
                seed if column == Column::Seed && is_number(&seed) => self.put(text),
                text => self.string(&text),
            },
        }
    }

    /// 81 characters that need no escape.
    fn cells(&mut self, cells: &[u8; CELLS]) {
        self.put(b"\"");
        self.put(cells);
        self.put(b"\"");
    }

    fn string(&mut self, text: &str) {
        let mut rest = &mut self.room[self.length..];
        let before = rest.len();
        serde_json::to_writer(&mut rest, text).expect("a row fits in the space that it reserved");
        self.length += before - rest.len();
    }

    fn short(&mut self, text: &Short) {
        self.length += text.copy_to(&mut self.room[self.length..]);
    }

    #[inline(always)]
    fn put(&mut self, text: &[u8]) {
        self.room[self.length..][..text.len()].copy_from_slice(text);
        self.length += text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Record, RecordList, Text};
    use crate::output::Outcomes;
    use crate::status::Status;

    #[test]
    fn the_longest_escapes_fit() {
        let bytes = [1; 1000];
        let text = Text::Block(0..1000);
        let record = Record { line: 0, indent: 0, fault: 0, text, puzzle: Err(0) };
        let (file, outcomes) = ("\u{1f}".repeat(100), Outcomes::default());
        let records = RecordList::from_iter([record]);
        let statuses = [Status::InternalError];
        let rows = Rows::of_records((&file, u64::MAX), &bytes, &records, &statuses, &outcomes);
        let mut out = RowBuffer::default();
        JsonRows::new(&[Column::ALL, Column::ALL].concat()).rows(rows, &mut out);
        let text = std::str::from_utf8(out.as_slice()).unwrap();
        assert_eq!(text.matches("\\u0001").count(), 2000);
        assert!(text.starts_with("{\"file\":\"\\u001f") && text.ends_with("}\n"));
    }
}
