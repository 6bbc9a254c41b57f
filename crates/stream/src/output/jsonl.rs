//! JSON lines: one object per record, with the chosen columns as keys.
//!
//! Numbers are JSON numbers, missing solutions and reasons are `null`, and everything else is a
//! string. Invalid UTF-8 becomes U+FFFD.

use super::buffer::{SHORT, Short};
use super::plain::STATUS_NAMES;
use super::{
    Column, ColumnSource, Encoder, Format, Needs, OutputColumn, Row, RowBuffer, Value, each_row,
};
use crate::input::json::nulls_for_nan;
use crate::input::{FieldForm, KeptCells, OtherKeys, names};
use bulkdoku_core::forms::list::ArrayStyle;
use bulkdoku_core::puzzle::CELLS;

/// One JSON object per row, with the given columns. Kept fields of the input are strings, or the
/// JSON values of the input.
#[derive(Clone, Debug)]
pub struct JsonRows {
    columns: Vec<OutputColumn>,
    /// The number of leading columns replaced by the input's object.
    copied: usize,
    /// The key of each column, including punctuation.
    keys: Vec<WrittenKey>,
    /// The fields of the input's object that are replaced, and with what.
    replaced: Vec<(usize, ColumnSource)>,
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
        let keys = columns.iter().zip(before).map(key).collect();
        Self { columns, copied: 0, keys, replaced: Vec::new() }
    }

    /// Copies the input's object instead of the first `count` columns, which are its fields. Other
    /// columns become further keys of the object.
    #[must_use]
    pub fn copying(self, count: usize) -> Self {
        Self { copied: count, ..self }
    }

    /// Replaces the puzzle and the solution in copied objects, which have them at these places.
    #[must_use]
    pub fn replacing(self, [puzzle, answer]: [Option<KeptCells>; 2]) -> Self {
        let is_puzzle = puzzle.as_ref().is_some_and(|puzzle| puzzle.path.is_empty());
        let mut replaced: Vec<_> =
            [puzzle, answer].into_iter().flatten().map(|it| it.field).collect();
        replaced.dedup();
        let source = |field| (field, ColumnSource::Input(field));
        let mut replaced: Vec<_> = replaced.into_iter().map(source).collect();
        // Its cells keep the style of an array.
        replaced.first_mut().filter(|_| is_puzzle).into_iter().for_each(|(_, source)| {
            *source = ColumnSource::Computed(Column::Puzzle);
        });
        Self { replaced, ..self }
    }

    /// Returns the use of keys that the first object of an input lacks.
    pub fn other_keys(&self) -> OtherKeys {
        if self.copied == 0 {
            return OtherKeys::Refused;
        }
        let mut computed: Vec<_> =
            self.columns[self.copied..].iter().map(|column| column.name.clone()).collect();
        if let [(_, ColumnSource::Computed(Column::Puzzle))] = self.replaced[..] {
            computed.extend(names::SOLUTIONS.iter().map(ToString::to_string));
        }
        OtherKeys::Copied(computed)
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

    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(|row, out| self.push_row(row, out))
    }
}

impl JsonRows {
    #[inline(always)]
    fn push_row(&self, row: &Row<'_>, out: &mut RowBuffer) {
        let style = row.array();
        let mut object = Object { out };
        let copied = if self.copied > 0 { row.object() } else { None };
        let skipped = copied.map_or(0, |text| {
            object.copy(text, row, &self.replaced, style);
            self.copied
        });
        for (column, key) in self.columns.iter().zip(&self.keys).skip(skipped) {
            object.key(key);
            object.column(row, column.source, style);
        }
        out.append_first(2, b"}\n");
    }
}

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
}

struct Object<'a> {
    out: &'a mut RowBuffer,
}

impl Object<'_> {
    /// Writes a value of a row. Cells of a record that is an array of this style are an array.
    #[inline(always)]
    fn column(&mut self, row: &Row<'_>, source: ColumnSource, style: Option<ArrayStyle<'_>>) {
        let value = source.value(row);
        if let Some(style) = style
            && let ColumnSource::Computed(column) = source
            && self.array(style, row, column, &value)
        {
            return;
        }
        self.value(value);
    }

    fn field(&mut self, text: &[u8], form: FieldForm) {
        match form {
            // Numbers of columns that JSON does not have.
            FieldForm::JsonValue if matches!(text, b"NaN" | b"inf" | b"-inf") => {
                self.out.append(b"null");
            }
            FieldForm::JsonValue if matches!(text, [b'[' | b'{', ..]) => {
                self.out.append(&nulls_for_nan(text));
            }
            FieldForm::JsonValue => self.out.append(text),
            FieldForm::Missing | FieldForm::Null => self.out.append(b"null"),
            _ => self.string(&String::from_utf8_lossy(text)),
        }
    }

    /// Copies an object, in which the puzzle and the solution are replaced by those of the row.
    #[inline(never)]
    fn copy(
        &mut self,
        text: &[u8],
        row: &Row<'_>,
        replaced: &[(usize, ColumnSource)],
        style: Option<ArrayStyle<'_>>,
    ) {
        let start = row.position_of(text);
        let value =
            |(index, source): &(usize, ColumnSource)| Some((row.json_value(*index)?, *source));
        let mut values: Vec<_> = replaced.iter().filter_map(value).collect();
        values.sort_by_key(|(range, _)| range.start);
        let copy = |out: &mut RowBuffer, part| {
            if row.has_nan() { out.append(&nulls_for_nan(part)) } else { out.append(part) }
        };
        let mut copied = 0;
        for (range, source) in values {
            copy(self.out, &text[copied..range.start - start]);
            self.column(row, source, style);
            copied = range.end - start;
        }
        copy(self.out, &text[copied..]);
    }

    #[inline(always)]
    fn key(&mut self, key: &WrittenKey) {
        match key {
            WrittenKey::Short(key) => self.out.short(key),
            WrittenKey::Long(key) => self.out.append(key),
        }
    }

    /// Writes cells as an array; returns `false` for any other value.
    #[cold]
    #[inline(never)]
    fn array(
        &mut self,
        style: ArrayStyle<'_>,
        row: &Row<'_>,
        column: Column,
        value: &Value<'_>,
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
            Value::Cells(cells) => style.write(*cells, &mut array),
            Value::Grid(grid) => style.write(&grid.cells().map(|digit| b'0' + digit), &mut array),
            _ => return false,
        }
        self.out.append(&array);
        true
    }

    /// Inlined, because otherwise JSON rows take 12% more instructions.
    #[inline(always)]
    fn value(&mut self, value: Value<'_>) {
        match value {
            Value::None => self.out.append(b"null"),
            Value::Number(number) => self.out.number(number),
            Value::Decimal(number) => self.out.short(&Short::decimal(number)),
            Value::Tenths(tenths) => self.out.short(&Short::tenths(tenths)),
            Value::Technique(technique) => self.string(technique.name()),
            Value::Difficulty(difficulty) => self.string(difficulty.name()),
            Value::Counts(path) => self.string(&path.counts_text()),
            Value::Truth(is) => self.out.short(&Short::truth(is)),
            Value::Status(status) => {
                self.out.append(b"\"");
                self.out.short(&STATUS_NAMES[status as usize]);
                self.out.append(b"\"");
            }
            Value::Cells(cells) => self.cells(cells),
            Value::Grid(grid) => self.cells(&grid.text()),
            Value::Form(form) => self.cells(&form.text()),
            Value::Text(text) => self.string(&String::from_utf8_lossy(text)),
            Value::Field(text, form) => self.field(&text, form),
        }
    }

    /// Appends 81 characters that need no escapes.
    fn cells(&mut self, cells: &[u8; CELLS]) {
        self.out.push(b'"');
        self.out.append_first(CELLS, cells);
        self.out.push(b'"');
    }

    fn string(&mut self, text: &str) {
        serde_json::to_writer(&mut *self.out, text).expect("memory accepts all bytes");
    }
}
