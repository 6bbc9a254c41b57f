//! JSON lines: one object per record, with the chosen columns as keys.
//!
//! Numbers are JSON numbers, missing solutions and reasons are `null`, and everything else is a
//! string. Invalid UTF-8 in a text input becomes U+FFFD; values of Parquet files that are not UTF-8
//! are arrays of bytes.

use super::columns::InputTexts;
use super::plain::STATUS_NAMES;
use super::{
    Column, ColumnSource, Encoder, Format, Kind, Needs, OutputColumn, Row, RowBuffer, Rows, SHORT,
    Short, Value,
};
use crate::forms::list::ArrayStyle;
use crate::input::{ColumnType, FieldForm, OtherKeys, is_finite, names};
use crate::puzzle::CELLS;

/// One JSON object per row, with the given columns. Kept fields of the input are strings, or the
/// JSON values of the input.
#[derive(Clone, Debug)]
pub struct JsonRows {
    columns: Vec<OutputColumn>,
    /// The number of leading columns replaced by the input's object.
    copied: usize,
    /// The key of each column, including punctuation.
    keys: Vec<WrittenKey>,
    /// An upper bound for the length of all keys and of all values except text.
    key_bytes: usize,
    /// The number of computed columns with text of the input.
    texts: usize,
    /// Whether the input's solutions and fields are among the columns.
    shows: InputTexts,
    /// The indices of the input's puzzle and solution, if they are replaced in its object.
    replaced: [Option<usize>; 2],
    /// Whether the texts of each input field are JSON values.
    json: Vec<bool>,
    /// Whether the input fields are those of Parquet files.
    is_parquet: bool,
}

impl JsonRows {
    /// Creates a format with computed columns.
    ///
    /// # Panics
    /// Panics if there are none.
    pub fn new(columns: impl AsRef<[Column]>) -> Self {
        Self::of(OutputColumn::list(columns.as_ref(), &[]))
    }

    /// Creates a format with computed columns and fields of the input.
    ///
    /// # Panics
    /// Panics if there are none.
    pub fn of(columns: Vec<OutputColumn>) -> Self {
        assert!(!columns.is_empty(), "rows need at least one column");
        let before = std::iter::once('{').chain(std::iter::repeat(','));
        let key = |(column, before): (&OutputColumn, char)| {
            WrittenKey::of(format!("{before}{}:", serde_json::Value::from(column.name.as_str())))
        };
        let keys: Vec<_> = columns.iter().zip(before).map(key).collect();
        let shows = InputTexts::of(&columns);
        let texts = columns.iter().filter(|column| column.kind() == Kind::Text).count();
        Self {
            key_bytes: keys.iter().map(WrittenKey::len).sum::<usize>()
                + (columns.len() - shows.inputs) * VALUE
                + shows.inputs * "null".len(),
            texts: texts - shows.inputs,
            keys,
            columns,
            shows,
            copied: 0,
            replaced: [None; 2],
            json: Vec::new(),
            is_parquet: false,
        }
    }

    /// Writes fields of the input as the numbers or lists that they are in Parquet files.
    #[must_use]
    pub fn typed(self, types: &[Option<ColumnType>]) -> Self {
        let is_json = |of: &Option<ColumnType>| of.as_ref().is_some_and(ColumnType::is_json);
        let is_parquet = types.iter().any(Option::is_some);
        Self { json: types.iter().map(is_json).collect(), is_parquet, ..self }
    }

    /// Copies the input's object instead of the first `count` columns, which are its fields. Other
    /// columns become further keys of the object.
    #[must_use]
    pub fn copying(self, count: usize) -> Self {
        Self { copied: count, ..self }
    }

    /// Replaces the puzzle and the solution in copied objects, which are the fields of the input at
    /// these indices.
    #[must_use]
    pub fn replacing(self, cells: [Option<usize>; 2]) -> Self {
        Self { replaced: cells, ..self }
    }

    /// Returns an upper bound for the length of an object. An escape may take six bytes.
    #[inline(always)]
    fn max_bytes(&self, row: &Row<'_>, style: Option<ArrayStyle<'_>>) -> usize {
        let (text, kept) = self.shows.bytes(row);
        let copied = if self.copied > 0 { row.line_text().len() + 2 * VALUE } else { 0 };
        let arrays = style.map_or(0, |_| 2 * ArrayStyle::MAX_BYTES);
        self.key_bytes + self.texts * 6 * text + 6 * kept + copied + arrays + 1
    }
}

impl Default for JsonRows {
    fn default() -> Self {
        Self::new(Column::DEFAULT)
    }
}

impl Format for JsonRows {
    fn needs(&self) -> Needs {
        OutputColumn::needs(&self.columns)
    }

    fn other_keys(&self) -> OtherKeys {
        if self.copied == 0 {
            return OtherKeys::Refused;
        }
        let mut computed: Vec<_> =
            self.columns[self.copied..].iter().map(|column| column.name.clone()).collect();
        if let [Some(_), None] = self.replaced {
            computed.extend(names::SOLUTIONS.iter().map(ToString::to_string));
        }
        OtherKeys::Copied(computed)
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| {
                let style = row.array();
                out.append_row(self.max_bytes(row, style), b'\n', |fields| {
                    fields.by(|room| {
                        let mut object = Object { room, length: 0, is_parquet: self.is_parquet };
                        let copied = if self.copied > 0 { row.object() } else { None };
                        let skipped = copied.map_or(0, |text| {
                            object.copy(text, row, self.replaced, style);
                            self.copied
                        });
                        let columns = self.columns.iter().zip(&self.keys).skip(skipped);
                        for (column, key) in columns {
                            object.key(key);
                            match column.source {
                                ColumnSource::Computed(column) => {
                                    object.computed(row, column, style);
                                }
                                ColumnSource::Input(index) => {
                                    let is_json = self.json.get(index).is_some_and(|json| *json);
                                    object.field(row, index, is_json);
                                }
                            }
                        }
                        object.put(b"}");
                        object.length
                    });
                });
            });
        })
    }
}

/// The longest value except text, a grid in quotes, with the bytes written after it.
const VALUE: usize = CELLS + 2 + SHORT;

/// A key with punctuation. Most keys are short, and are copied with a constant length.
#[derive(Clone, Debug)]
enum WrittenKey {
    Short(Short),
    Long(Vec<u8>),
}

impl WrittenKey {
    fn of(text: String) -> Self {
        if text.len() <= SHORT {
            Self::Short(Short::new(&text))
        } else {
            Self::Long(text.into_bytes())
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Short(_) => SHORT,
            Self::Long(text) => text.len(),
        }
    }
}

struct Object<'a> {
    room: &'a mut [u8],
    length: usize,
    /// Whether the kept fields are those of Parquet files.
    is_parquet: bool,
}

impl Object<'_> {
    fn field(&mut self, row: &Row<'_>, index: usize, is_json: bool) {
        match row.field(index) {
            (text, FieldForm::Plain | FieldForm::Quoted) if is_json => {
                self.put(if is_finite(&text) { &text } else { b"null" });
            }
            (text, FieldForm::JsonValue) => self.put(&text),
            (_, FieldForm::Missing | FieldForm::Null) => self.put(b"null"),
            (text, _) => match str::from_utf8(&text) {
                Ok(text) => self.string(text),
                // The bytes of a Parquet column must stay different.
                Err(_) if self.is_parquet => self.bytes(&text),
                Err(_) => self.string(&String::from_utf8_lossy(&text)),
            },
        }
    }

    /// Copies an object, in which the puzzle and the solution are replaced by those of the row.
    #[inline(never)]
    fn copy(
        &mut self,
        text: &[u8],
        row: &Row<'_>,
        replaced: [Option<usize>; 2],
        style: Option<ArrayStyle<'_>>,
    ) {
        let start = row.position_of(text);
        let columns = [Column::Puzzle, Column::Solution].into_iter().zip(replaced);
        let value = |(column, index): (Column, Option<usize>)| {
            let range = row.json_value(index?)?;
            Some((range, column)).filter(|_| !matches!(column.value(row), Value::None))
        };
        let mut values: Vec<_> = columns.filter_map(value).collect();
        values.sort_by_key(|(range, _)| range.start);
        let mut copied = 0;
        for (range, column) in values {
            self.put(&text[copied..range.start - start]);
            self.computed(row, column, style);
            copied = range.end - start;
        }
        self.put(&text[copied..]);
    }

    /// Appends bytes that are not text as an array of numbers.
    fn bytes(&mut self, bytes: &[u8]) {
        for (at, &byte) in bytes.iter().enumerate() {
            self.put(if at == 0 { b"[" } else { b"," });
            self.put(itoa::Buffer::new().format(byte).as_bytes());
        }
        self.put(b"]");
    }

    #[inline(always)]
    fn key(&mut self, key: &WrittenKey) {
        match key {
            WrittenKey::Short(key) => self.short(key),
            WrittenKey::Long(key) => self.put(key),
        }
    }

    #[inline(always)]
    fn short(&mut self, text: &Short) {
        self.length += text.copy_to(&mut self.room[self.length..]);
    }

    /// Writes a computed value. Cells of a record that is an array of this style are an array.
    #[inline(always)]
    fn computed(&mut self, row: &Row<'_>, column: Column, style: Option<ArrayStyle<'_>>) {
        let value = column.value(row);
        if let Some(style) = style
            && self.array(style, row, column, value)
        {
            return;
        }
        self.value(value);
    }

    /// Writes cells as an array; returns `false` for any other value.
    #[cold]
    #[inline(never)]
    fn array(
        &mut self,
        style: ArrayStyle<'_>,
        row: &Row<'_>,
        column: Column,
        value: Value<'_>,
    ) -> bool {
        let is_array = match column {
            Column::Puzzle => true,
            Column::Solution => row.has_array_of_solution(),
            _ => false,
        };
        if !is_array {
            return false;
        }
        let mut array = Vec::new();
        match value {
            Value::Cells(cells) => style.write(cells, &mut array),
            Value::Grid(grid) => style.write(&grid.cells().map(|digit| b'0' + digit), &mut array),
            _ => return false,
        }
        self.put(&array);
        true
    }

    /// Inlined, because otherwise JSON rows take 12% more instructions.
    #[inline(always)]
    fn value(&mut self, value: Value<'_>) {
        match value {
            Value::None => self.put(b"null"),
            Value::Number(number) => self.put(itoa::Buffer::new().format(number).as_bytes()),
            Value::Decimal(number) => self.short(&Short::decimal(number)),
            Value::Tenths(tenths) => self.short(&Short::tenths(tenths)),
            Value::Technique(technique) => self.string(technique.name()),
            Value::Counts(path) => self.string(&path.counts_text()),
            Value::Truth(is) => self.short(&Short::truth(is)),
            Value::Status(status) => {
                self.put(b"\"");
                self.short(&STATUS_NAMES[status as usize]);
                self.put(b"\"");
            }
            Value::Cells(cells) => self.cells(cells),
            Value::Grid(grid) => self.cells(&grid.cells().map(|digit| digit + b'0')),
            Value::Form(form) => self.cells(&form.text()),
            Value::Text(text) => self.string(&String::from_utf8_lossy(text)),
        }
    }

    /// Appends 81 characters that need no escapes.
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

    #[inline(always)]
    fn put(&mut self, text: &[u8]) {
        self.room[self.length..][..text.len()].copy_from_slice(text);
        self.length += text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Field, FieldForm, Record, RecordList, Records};
    use crate::output::{Results, rows_of};
    use crate::puzzle::Malformed;
    use crate::rating::Level;
    use crate::status::Status;

    #[test]
    fn the_longest_escapes_fit() {
        let bytes = [1; 1000];
        let text = Field::new(0..1000, FieldForm::Plain);
        let puzzle = Err(0);
        let record = Record { line: 0, indent: 0, fault: 0, start: 0, text, written: 0, puzzle };
        let records = Records {
            all: RecordList::from_iter([record]),
            malformed: vec![Malformed { column: 1, what: "\u{1}".repeat(9) }],
            ..Records::default()
        };
        let results = Results {
            statuses: vec![Status::InternalError],
            forms: vec![None],
            levels: vec![Some(Level::ALL[0])],
            ratings: vec![Some(f64::MAX.ln())],
            minimal: vec![Some(false)],
            ..Results::default()
        };
        let file = "\u{1f}".repeat(100);
        let mut out = RowBuffer::default();
        let rows = rows_of((&file, u64::MAX), &bytes, &records, &results);
        let format = JsonRows::new([Column::ALL, Column::ALL].concat());
        format.encoder().encode(&rows, &mut out);
        let text = std::str::from_utf8(out.as_slice()).unwrap();
        assert_eq!(text.matches("\\u0001").count(), 2 * (1000 + 9));
        assert!(text.starts_with("{\"file\":\"\\u001f") && text.ends_with("}\n"));
    }
}
