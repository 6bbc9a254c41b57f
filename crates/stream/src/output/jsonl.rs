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
use crate::input::{FieldForm, KeptCells, OtherKeys};
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
        Self::of(OutputColumn::list(columns.as_ref()))
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
        let mut replaced = Vec::new();
        if let Some(KeptCells { field, path }) = puzzle {
            // Its cells keep the style of an array.
            let source = match &*path {
                "" => ColumnSource::Computed(Column::Puzzle),
                _ => ColumnSource::Input(field),
            };
            replaced.push((field, source));
        }
        if let Some(KeptCells { field, .. }) = answer
            && replaced.iter().all(|(replaced, _)| *replaced != field)
        {
            replaced.push((field, ColumnSource::Input(field)));
        }
        Self { replaced, ..self }
    }

    /// Returns the use of keys that the first object of an input lacks.
    pub fn other_keys(&self) -> OtherKeys {
        if self.copied == 0 {
            return OtherKeys::Refused;
        }
        let computed = self.columns[self.copied..].iter().map(|column| column.name.clone());
        OtherKeys::Copied {
            computed: computed.collect(),
            lacks_solutions: matches!(
                self.replaced[..],
                [(_, ColumnSource::Computed(Column::Puzzle))]
            ),
        }
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
        let copied = if self.copied > 0 { row.object() } else { None };
        let skipped = copied.map_or(0, |text| {
            self.copy(text, row, style, out);
            self.copied
        });
        for (column, key) in self.columns.iter().zip(&self.keys).skip(skipped) {
            match key {
                WrittenKey::Short(key) => out.short(key),
                WrittenKey::Long(key) => out.append(key),
            }
            push_column(row, column.source, style, out);
        }
        out.append_first(2, b"}\n");
    }

    /// Copies an object, in which the puzzle and the solution are replaced by those of the row.
    #[inline(never)]
    fn copy(&self, text: &[u8], row: &Row<'_>, style: Option<ArrayStyle<'_>>, out: &mut RowBuffer) {
        let start = row.position_of(text);
        let value =
            |(index, source): &(usize, ColumnSource)| Some((row.json_value(*index)?, *source));
        let mut values: Vec<_> = self.replaced.iter().filter_map(value).collect();
        values.sort_by_key(|(range, _)| range.start);
        let has_nan = row.rows.records.has_nan;
        let copy = |out: &mut RowBuffer, part| {
            if has_nan { out.append(&nulls_for_nan(part)) } else { out.append(part) }
        };
        let mut copied = 0;
        for (range, source) in values {
            copy(out, &text[copied..range.start - start]);
            push_column(row, source, style, out);
            copied = range.end - start;
        }
        copy(out, &text[copied..]);
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

/// Appends a value of a row. Cells of a record that is an array of this style are an array.
#[inline(always)]
fn push_column(
    row: &Row<'_>,
    source: ColumnSource,
    style: Option<ArrayStyle<'_>>,
    out: &mut RowBuffer,
) {
    let value = source.value(row);
    if let Some(style) = style
        && let ColumnSource::Computed(column) = source
        && push_array(style, row, column, &value, out)
    {
        return;
    }
    push_value(value, out);
}

/// Appends cells as an array; returns `false` for any other value.
#[cold]
#[inline(never)]
fn push_array(
    style: ArrayStyle<'_>,
    row: &Row<'_>,
    column: Column,
    value: &Value<'_>,
    out: &mut RowBuffer,
) -> bool {
    let mut array = Vec::new();
    match (column, value) {
        (Column::Puzzle, Value::Cells(cells)) => style.write(*cells, &mut array),
        (Column::Solution, Value::Grid(grid)) if row.has_array_of_solution() => {
            style.write(&grid.cells().map(|digit| b'0' + digit), &mut array);
        }
        _ => return false,
    }
    out.append(&array);
    true
}

/// Inlined, because otherwise JSON rows take 12% more instructions.
#[inline(always)]
fn push_value(value: Value<'_>, out: &mut RowBuffer) {
    match value {
        Value::None => out.append(b"null"),
        Value::Number(number) => out.number(number),
        Value::Decimal(number) => out.short(&Short::decimal(number)),
        Value::Tenths(tenths) => out.short(&Short::tenths(tenths)),
        Value::Technique(technique) => push_string(technique.name(), out),
        Value::Difficulty(difficulty) => push_string(difficulty.name(), out),
        Value::Counts(path) => push_string(&path.counts_text(), out),
        Value::Truth(is) => out.append(if is { &b"true"[..] } else { b"false" }),
        Value::Status(status) => {
            out.append(b"\"");
            out.short(&STATUS_NAMES[status as usize]);
            out.append(b"\"");
        }
        Value::Cells(cells) => push_cells(cells, out),
        Value::Grid(grid) => push_cells(&grid.text(), out),
        Value::Form(form) => push_cells(&form.text(), out),
        Value::Text(text) => push_string(&String::from_utf8_lossy(text), out),
        Value::Field(text, form) => push_field(&text, form, out),
    }
}

fn push_field(text: &[u8], form: FieldForm, out: &mut RowBuffer) {
    match form {
        // Numbers of columns that JSON does not have.
        FieldForm::JsonValue if matches!(text, b"NaN" | b"inf" | b"-inf") => out.append(b"null"),
        FieldForm::JsonValue if matches!(text, [b'[' | b'{', ..]) => {
            out.append(&nulls_for_nan(text));
        }
        FieldForm::JsonValue => out.append(text),
        FieldForm::Missing | FieldForm::Null => out.append(b"null"),
        _ => push_string(&String::from_utf8_lossy(text), out),
    }
}

/// Appends 81 characters that need no escapes.
fn push_cells(cells: &[u8; CELLS], out: &mut RowBuffer) {
    out.push(b'"');
    out.append_first(CELLS, cells);
    out.push(b'"');
}

fn push_string(text: &str, out: &mut RowBuffer) {
    serde_json::to_writer(out, text).expect("memory accepts all bytes");
}
