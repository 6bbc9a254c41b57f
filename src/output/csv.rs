//! CSV (RFC 4180, lines end with LF): a header, then one row per record. TSV is the same with tabs.
//!
//! Digits, numbers and status names never need quoting and are written straight into the buffer.
//! Foreign text (a malformed line, a file name) goes through `csv_core` if it needs quoting.

use crate::simd::vectors::{Simd, dispatch};

use super::columns::names_of_kept;
use super::plain::{PlainRows, STATUS_NAMES};
use super::row::RowValue;
use super::{Column, Fields, Kept, Row, RowBuffer, RowFormat, Rows, Short};
use crate::puzzle::CELLS;
use crate::simd::SimdLevel;

/// CSV rows.
pub type CsvRows = SeparatedRows<b','>;

/// TSV rows: fields are quoted as in CSV, for CSV readers with a tab as delimiter.
pub type TsvRows = SeparatedRows<b'\t'>;

/// Rows with these columns, in this order. The separator is a constant for speed.
#[derive(Clone, Debug)]
pub struct SeparatedRows<const SEPARATOR: u8> {
    columns: Vec<Column>,
    /// Whether some columns are about the input's own solutions.
    shows_check: bool,
    /// The names of the input's columns that follow them.
    kept: Vec<String>,
}

impl<const SEPARATOR: u8> SeparatedRows<SEPARATOR> {
    /// Chooses columns.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(columns: impl Into<Vec<Column>>) -> Self {
        let columns = columns.into();
        assert!(!columns.is_empty(), "rows need at least one column");
        let shows_check = columns.iter().any(|column| column.is_about_check());
        Self { columns, shows_check, kept: Vec::new() }
    }

    /// Appends columns of the input; a name that is already taken is prefixed with `input_`.
    #[must_use]
    pub fn keeping(self, names: &[String]) -> Self {
        Self { kept: names_of_kept(&self.columns, names), ..self }
    }
}

impl<const SEPARATOR: u8> Default for SeparatedRows<SEPARATOR> {
    fn default() -> Self {
        Self::new(Column::DEFAULT)
    }
}

impl<const SEPARATOR: u8> RowFormat for SeparatedRows<SEPARATOR> {
    fn header(&self, out: &mut RowBuffer) {
        let own = self.columns.iter().map(|column| column.name());
        let names = || own.clone().chain(self.kept.iter().map(String::as_str));
        let room = names().map(|name| quoted_room(name.len())).sum();
        out.append_row(room, SEPARATOR, |fields| {
            names().for_each(|name| fields.by(|room| quote::<SEPARATOR>(name.as_bytes(), room)));
        });
    }

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        // Most of a row are two fields of 81 bytes, which vectors move.
        dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
            #[inline(always)]
            || self.push_rows(simd, rows, out)
        ));
    }
}

impl<const SEPARATOR: u8> SeparatedRows<SEPARATOR> {
    #[inline(always)]
    fn push_rows<S: Simd>(&self, simd: S, rows: Rows<'_>, out: &mut RowBuffer) {
        if self.columns != Column::DEFAULT || !self.kept.is_empty() {
            return rows.iter().for_each(|row| self.push_any(&row, out));
        }
        let mut plain = PlainRows::new(SEPARATOR);
        rows.for_each(
            out,
            #[inline(always)]
            |out, rows| plain.write_all(simd, rows, out),
            |out, row| self.push_any(&row, out),
        );
    }

    #[inline(never)]
    fn push_any(&self, row: &Row<'_>, out: &mut RowBuffer) {
        out.append_row(self.room(row), SEPARATOR, |fields| {
            if self.columns == Column::DEFAULT_OF_CHECK {
                push_columns_of_check::<SEPARATOR>(row, fields);
            } else {
                self.push_columns(row, fields);
            }
            if !self.kept.is_empty() {
                fields.by(|room| write_kept::<SEPARATOR>(row.kept(), room));
            }
        });
    }

    /// The most bytes that a row can take: foreign text may double when it is quoted.
    #[inline(always)]
    fn room(&self, row: &Row<'_>) -> usize {
        let mut outside = row.file.len() + row.text.len();
        if self.shows_check {
            outside += row.answer().length() + row.reason().len();
        }
        let own = self.columns.len() * (FIELD + quoted_room(outside));
        if self.kept.is_empty() {
            return own;
        }
        own + quoted_room(row.kept().length()) + self.kept.len() * quoted_room(0)
    }

    fn push_columns(&self, row: &Row<'_>, out: &mut Fields<'_>) {
        match self.columns[..] {
            // Quoted, because an empty line would not be a row.
            [column] if self.kept.is_empty() && row.value(column).is_empty() => out.text(b"\"\""),
            _ => self.columns.iter().for_each(|column| push_column::<SEPARATOR>(*column, row, out)),
        }
    }
}

/// The longest field that is not foreign text: a grid and its separator.
const FIELD: usize = CELLS + 1;

/// Appends the columns of [`Column::DEFAULT_OF_CHECK`]. Because each is a constant, the compiler
/// removes the choice between columns, a third of the time of a row.
#[inline(always)]
fn push_columns_of_check<const SEPARATOR: u8>(row: &Row<'_>, out: &mut Fields<'_>) {
    push_column::<SEPARATOR>(Column::Line, row, out);
    push_column::<SEPARATOR>(Column::Puzzle, row, out);
    push_column::<SEPARATOR>(Column::Answer, row, out);
    push_column::<SEPARATOR>(Column::Status, row, out);
    push_column::<SEPARATOR>(Column::Reason, row, out);
}

#[inline(always)]
fn push_column<const SEPARATOR: u8>(column: Column, row: &Row<'_>, out: &mut Fields<'_>) {
    match row.value(column) {
        RowValue::None => out.empty(),
        RowValue::Number(number) => out.number(number),
        RowValue::Decimal(number) => out.short(&Short::decimal(number)),
        RowValue::Truth(is) => out.short(&Short::truth(is)),
        RowValue::Status(status) => out.short(&STATUS_NAMES[status as usize]),
        RowValue::Cells(cells) => out.cells(cells),
        RowValue::Grid(grid) => out.grid(grid),
        RowValue::Form(form) => out.cells(&form.text()),
        RowValue::Text(text) => out.by(|room| quote::<SEPARATOR>(text, room)),
    }
}

#[inline(never)]
fn write_kept<const SEPARATOR: u8>(kept: Kept<'_>, room: &mut [u8]) -> usize {
    let mut fields = Fields::new(room, SEPARATOR);
    kept.texts().for_each(|text| fields.by(|room| quote::<SEPARATOR>(&text, room)));
    fields.len() - 1
}

/// The most bytes that a text of this length takes, with quotes and a separator.
#[inline(always)]
fn quoted_room(length: usize) -> usize {
    2 * length + 3
}

/// Writes foreign text, quoted if necessary; returns the length.
fn quote<const SEPARATOR: u8>(text: &[u8], room: &mut [u8]) -> usize {
    if !text.iter().any(|&byte| byte == SEPARATOR || matches!(byte, b'"' | b'\n' | b'\r')) {
        room[..text.len()].copy_from_slice(text);
        return text.len();
    }
    let mut writer = csv_core::WriterBuilder::new().delimiter(SEPARATOR).build();
    let (field, _, written) = writer.field(text, room);
    let (end, closed) = writer.finish(&mut room[written..]);
    let fits = (csv_core::WriteResult::InputEmpty, csv_core::WriteResult::InputEmpty);
    assert_eq!((field, end), fits, "a row fits in the space that it reserved");
    written + closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Record, RecordList, Records, Text, lines};
    use crate::output::Outcomes;
    use crate::solver::Outcome;
    use crate::status::Status;

    fn row(bytes: &[u8], status: Status, columns: &[Column]) -> String {
        let text = Text::Block(0..bytes.len() as u32);
        let record = Record { line: 2, indent: 0, fault: 0, text, puzzle: Err(0) };
        let records = RecordList::from_iter([record]);
        written(10, bytes, &records, &[status], &Outcomes::default(), columns)
    }

    fn written(
        first_line: u64,
        bytes: &[u8],
        records: &RecordList,
        statuses: &[Status],
        outcomes: &Outcomes,
        columns: &[Column],
    ) -> String {
        let rows = Rows::of_records(("a,b", first_line), bytes, records, statuses, outcomes);
        let mut out = RowBuffer::default();
        CsvRows::new(columns).rows(rows, &mut out);
        String::from_utf8(out.as_slice().to_vec()).unwrap()
    }

    #[test]
    fn columns_are_in_the_requested_order() {
        let columns = [Column::Status, Column::Line, Column::Solution, Column::File];
        assert_eq!(row(b"", Status::Unsolvable, &columns), "unsolvable,12,,\"a,b\"\n");
    }

    #[test]
    fn quoted_text_is_read_back() {
        for text in ["plain", "a,b", "say \"hi\"", "cr\rin it", &"long \"x\", ".repeat(300)] {
            let line = row(text.as_bytes(), Status::Malformed, &[Column::Puzzle, Column::Line]);
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let record = reader.records().next().unwrap().unwrap();
            assert_eq!((&record[0], &record[1]), (text, "12"));
        }
    }

    #[test]
    fn fast_and_general_code_write_the_same_rows() {
        // A list with the same columns twice takes the general code.
        for columns in [&Column::DEFAULT[..], &Column::DEFAULT_OF_CHECK] {
            let once = row(b"x", Status::GaveUp, columns);
            let twice = row(b"x", Status::GaveUp, &[columns, columns].concat());
            assert_eq!(twice, format!("{},{once}", once.trim_end()));
        }
        let once = rows_of_puzzles(&Column::DEFAULT);
        let twice = rows_of_puzzles(&[Column::DEFAULT, Column::DEFAULT].concat());
        assert_eq!(once.lines().count(), 1000);
        for (once, twice) in once.lines().zip(twice.lines()) {
            assert_eq!(twice, format!("{once},{once}"));
        }
    }

    /// Rows of puzzles with changing statuses and outcomes.
    fn rows_of_puzzles(columns: &[Column]) -> String {
        let line = format!("{}\n", "1........".repeat(9));
        let bytes = format!("{line}\n{line}{line}{line}").repeat(250);
        let mut records = Records::default();
        lines::read(bytes.as_bytes(), false, &mut records);
        let outcomes = (0_u32..1000).map(|i| Outcome {
            solutions: i % 3,
            guesses: 1 << (i % 60),
            latency_ns: u64::from(i).pow(i % 7),
            ..Outcome::NONE
        });
        let statuses: Vec<_> = Status::ALL.into_iter().cycle().skip(7).take(1000).collect();
        let outcomes = Outcomes { puzzles: outcomes.collect(), marks: Vec::new() };
        written(9_999, bytes.as_bytes(), &records.all, &statuses, &outcomes, columns)
    }

    #[test]
    fn a_row_of_one_empty_field_is_still_a_row() {
        assert_eq!(row(b"", Status::Unsolvable, &[Column::Solution]), "\"\"\n");
    }
}
