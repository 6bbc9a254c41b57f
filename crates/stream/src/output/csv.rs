//! CSV (RFC 4180, with LF line ends) or TSV: a header, then one row per record.
//!
//! Digits, numbers, and status names never need quotes; text of the input (malformed lines, file
//! names) may.

use bulkdoku_core::simd::vectors::{Simd, dispatch};

use super::buffer::Short;
use super::plain::{PlainRows, STATUS_NAMES};
use super::value::without_controls;
use super::{
    Column, ColumnSource, Encoder, Format, Needs, OutputColumn, Row, RowBuffer, Rows, Value,
    each_row,
};
use bulkdoku_core::SimdLevel;
use bulkdoku_core::puzzle::CELLS;

/// CSV or TSV rows with the given columns.
#[derive(Clone, Debug)]
pub struct CsvRows {
    columns: Vec<OutputColumn>,
    separator: u8,
    /// The number of leading columns that are fields of the input, to copy together as written.
    copied: usize,
    has_header: bool,
}

impl CsvRows {
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
        Self { columns, separator: b',', copied: 0, has_header: true }
    }

    /// Separates fields by tabs. They are quoted as in CSV, for CSV readers with a tab as delimiter.
    #[must_use]
    pub fn tabbed(self) -> Self {
        Self { separator: b'\t', ..self }
    }

    /// Copies the first `count` columns as written in the input, if they are its first fields and it
    /// has the same separator.
    #[must_use]
    pub fn copying(self, count: usize) -> Self {
        let mut copied = self.columns[..count].iter().enumerate();
        let is_copied = copied.all(|(at, column)| column.source == ColumnSource::Input(at));
        Self { copied: if is_copied { count } else { 0 }, ..self }
    }

    /// Sets whether there is a header.
    #[must_use]
    pub fn headed(self, has_header: bool) -> Self {
        Self { has_header, ..self }
    }

    /// Boxes the format here, since callers may be compiled with less optimization.
    #[inline(never)]
    pub fn boxed(self) -> Box<dyn Format> {
        Box::new(self)
    }
}

impl Default for CsvRows {
    fn default() -> Self {
        Self::new(Column::DEFAULT)
    }
}

impl Format for CsvRows {
    fn needs(&self) -> Needs {
        OutputColumn::needs(&self.columns)
    }

    fn header(&self) -> Vec<u8> {
        if !self.has_header {
            return Vec::new();
        }
        let mut out = RowBuffer::default();
        for column in &self.columns {
            push_text(self.separator, column.name.as_bytes(), &mut out);
            out.push(self.separator);
        }
        out.end_row();
        out.as_slice().to_vec()
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        let are = |columns: &[Column]| self.columns == OutputColumn::list(columns);
        if are(&Column::DEFAULT_OF_CHECK) {
            return each_row(|row, out| push_row_of_check(self.separator, row, out));
        }
        if !are(&Column::DEFAULT) {
            return each_row(|row, out| self.push_row(row, out));
        }
        let simd = SimdLevel::best().token();
        Box::new(move |rows, out| {
            // Two fields of 81 bytes, which vectors move, are most of a row.
            dispatch!(simd, simd => simd.vectorize(
                #[inline(always)]
                || self.push_default_rows(simd, rows, out)
            ));
        })
    }
}

impl CsvRows {
    #[inline(always)]
    fn push_default_rows<S: Simd>(&self, simd: S, rows: &Rows<'_>, out: &mut RowBuffer) {
        let mut plain = PlainRows::new(self.separator);
        rows.for_each_run(
            out,
            #[inline(always)]
            |out, rows| plain.write_all(simd, rows, out),
            |out, row| self.push_row(row, out),
        );
    }

    #[inline(never)]
    fn push_row(&self, row: &Row<'_>, out: &mut RowBuffer) {
        let mut rest = &self.columns[..];
        if self.copied > 1
            && let Some(span) = row.span(self.copied, self.separator)
        {
            out.append(span);
            out.push(self.separator);
            rest = &self.columns[self.copied..];
        }
        let is_only = self.columns.len() == 1;
        for column in rest {
            push_value(self.separator, column.source.value(row), is_only, out);
        }
        out.end_row();
    }
}

/// Appends a row of [`Column::DEFAULT_OF_CHECK`]. Because each column is a constant, the compiler
/// inlines the values, which makes a row a third faster.
#[inline(never)]
fn push_row_of_check(separator: u8, row: &Row<'_>, out: &mut RowBuffer) {
    push_value(separator, Column::Line.value(row), false, out);
    push_value(separator, Column::Puzzle.value(row), false, out);
    push_value(separator, Column::Answer.value(row), false, out);
    push_value(separator, Column::Status.value(row), false, out);
    push_value(separator, Column::Reason.value(row), false, out);
    out.end_row();
}

/// Appends a value and a separator; `is_only` is true if the row has no other values.
#[inline(always)]
fn push_value(separator: u8, value: Value<'_>, is_only: bool, out: &mut RowBuffer) {
    match value {
        // An empty line would not be a row.
        _ if is_only && value.is_empty() => out.append(b"\"\""),
        Value::None => {}
        Value::Number(number) => out.number(number),
        Value::Decimal(number) => out.short(&Short::decimal(number)),
        Value::Tenths(tenths) => out.short(&Short::tenths(tenths)),
        Value::Technique(_) | Value::Difficulty(_) | Value::Counts(_) | Value::Truth(_) => {
            out.append(&value.text().unwrap_or_default());
        }
        Value::Status(status) => out.short(&STATUS_NAMES[status as usize]),
        Value::Cells(cells) => out.append_first(CELLS, cells),
        Value::Grid(grid) => out.grid(grid),
        Value::Form(form) => out.append_first(CELLS, &form.text()),
        Value::Text(text) => push_text(separator, &without_controls(text), out),
        Value::Field(text, _) => push_text(separator, &text, out),
    }
    out.push(separator);
}

/// Appends text, quoted if necessary.
#[inline(never)]
fn push_text(separator: u8, text: &[u8], out: &mut RowBuffer) {
    if !text.iter().any(|&byte| byte == separator || matches!(byte, b'"' | b'\n' | b'\r')) {
        return out.append(text);
    }
    out.push(b'"');
    for part in text.split_inclusive(|&byte| byte == b'"') {
        out.append(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}
