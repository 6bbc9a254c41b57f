//! CSV (RFC 4180, lines end with LF): a header, then one row a record.
//!
//! Digits, numbers and status names never need quoting and go straight into the block's buffer;
//! text from outside (a malformed line, a file's name) goes through `csv_core` where it needs to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Fields, Row, RowBuffer, RowFormat, Rows, Short};
use crate::puzzle::CELLS;
use crate::status::Status;

/// A column of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The input's name.
    File,
    /// The physical line number within its input, from 1.
    Line,
    /// The cells as they were written; the whole line of a malformed record.
    Puzzle,
    /// 81 digits; empty when there is no solution.
    Solution,
    /// One of [`Status::ALL`](crate::Status::ALL).
    Status,
    /// Solutions found, up to the limit.
    Solutions,
    /// Places at which the search had to assume something.
    Guesses,
    /// States that the search looked at.
    Nodes,
    /// Nanoseconds from the puzzle's entry into the engine to its outcome.
    LatencyNs,
}

impl Column {
    /// Every column, in an order in which they read well.
    pub const ALL: [Self; 9] = [
        Self::File,
        Self::Line,
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::Nodes,
        Self::LatencyNs,
    ];

    /// The columns when nobody chooses; with several inputs [`Column::File`] comes before them.
    pub const DEFAULT: [Self; 7] = [
        Self::Line,
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::LatencyNs,
    ];

    /// Its name in the header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Line => "line",
            Self::Puzzle => "puzzle",
            Self::Solution => "solution",
            Self::Status => "status",
            Self::Solutions => "solutions",
            Self::Guesses => "guesses",
            Self::Nodes => "nodes",
            Self::LatencyNs => "latency_ns",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Column {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Self, UnknownColumn> {
        let found = Self::ALL.into_iter().find(|column| column.name() == name);
        found.ok_or_else(|| UnknownColumn(name.into()))
    }
}

/// A column was asked for that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no column {0:?}; there are {list}", list = Column::ALL.map(Column::name).join(", "))]
pub struct UnknownColumn(String);

/// CSV rows with these columns, in this order.
#[derive(Clone, Debug)]
pub struct CsvRows {
    columns: Vec<Column>,
}

impl CsvRows {
    /// Chooses columns.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(columns: impl Into<Vec<Column>>) -> Self {
        let columns = columns.into();
        assert!(!columns.is_empty(), "rows need at least one column");
        Self { columns }
    }
}

impl Default for CsvRows {
    fn default() -> Self {
        Self::new(Column::DEFAULT)
    }
}

impl RowFormat for CsvRows {
    fn header(&self, out: &mut RowBuffer) {
        let names = || self.columns.iter().map(|column| column.name().as_bytes());
        let room = names().map(|name| name.len() + 1).sum();
        out.append_row(room, SEPARATOR, |fields| names().for_each(|name| fields.text(name)));
    }

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        let has_default_columns = self.columns == Column::DEFAULT;
        for row in rows.iter() {
            out.append_row(self.room(&row), SEPARATOR, |fields| {
                if has_default_columns {
                    push_default_columns(&row, fields);
                } else {
                    self.push_columns(&row, fields);
                }
            });
        }
    }
}

impl CsvRows {
    /// The most bytes that a row can take: text from outside may double when it is quoted, in
    /// every column that shows it.
    #[inline(always)]
    fn room(&self, row: &Row<'_>) -> usize {
        self.columns.len() * (FIELD + 2 * (row.file.len() + row.text.len() + 2))
    }

    fn push_columns(&self, row: &Row<'_>, out: &mut Fields<'_>) {
        if self.columns == [Column::Solution] && row.outcome_or_none().solution().is_none() {
            // Quoted, though empty: an empty line would be no row.
            out.text(b"\"\"");
        } else {
            self.columns.iter().for_each(|column| push_column(*column, row, out));
        }
    }
}

const SEPARATOR: u8 = b',';

/// The longest field that is not text from outside: a grid, and the comma behind it.
const FIELD: usize = CELLS + 1;

/// The columns of [`Column::DEFAULT`], one by one: with each a constant, nothing is left of the
/// choice between them, which is worth a third of the time of a row.
#[inline(always)]
fn push_default_columns(row: &Row<'_>, out: &mut Fields<'_>) {
    push_column(Column::Line, row, out);
    push_column(Column::Puzzle, row, out);
    push_column(Column::Solution, row, out);
    push_column(Column::Status, row, out);
    push_column(Column::Solutions, row, out);
    push_column(Column::Guesses, row, out);
    push_column(Column::LatencyNs, row, out);
}

#[inline(always)]
fn push_column(column: Column, row: &Row<'_>, out: &mut Fields<'_>) {
    match column {
        Column::File => out.by(|room| quote(row.file.as_bytes(), room)),
        Column::Line => out.number(row.line),
        Column::Puzzle => match <&[u8; CELLS]>::try_from(row.text) {
            Ok(cells) if row.outcome.is_ok() => out.cells(cells),
            _ => out.by(|room| quote(row.text, room)),
        },
        Column::Solution => match row.outcome_or_none().solution() {
            Some(grid) => out.grid(grid),
            None => out.empty(),
        },
        Column::Status => out.short(&STATUS_NAMES[row.status as usize]),
        Column::Solutions => out.number(row.outcome_or_none().solutions.into()),
        Column::Guesses => out.number(row.outcome_or_none().guesses),
        Column::Nodes => out.number(row.outcome_or_none().nodes),
        Column::LatencyNs => out.number(row.outcome_or_none().latency_ns),
    }
}

const STATUS_NAMES: [Short; Status::ALL.len()] = {
    let mut names = [Short::new(""); Status::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Short::new(Status::ALL[i].name());
        i += 1;
    }
    names
};

/// Writes text from outside, quoted where CSV needs it; returns the length.
fn quote(text: &[u8], room: &mut [u8]) -> usize {
    if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        room[..text.len()].copy_from_slice(text);
        return text.len();
    }
    let mut writer = csv_core::Writer::new();
    let (field, _, written) = writer.field(text, room);
    let (end, closed) = writer.finish(&mut room[written..]);
    let fits = (csv_core::WriteResult::InputEmpty, csv_core::WriteResult::InputEmpty);
    assert_eq!((field, end), fits, "a row keeps to the room that it asked for");
    written + closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Record, Text};
    use crate::puzzle::Malformed;

    fn row(bytes: &[u8], status: Status, columns: &[Column]) -> String {
        let malformed = Malformed { column: 1, what: String::new() };
        let text = Text::Block(0..bytes.len() as u32);
        let record =
            Record { line: 2, indent: 0, fault: 0, text, puzzle: Err(Box::new(malformed)) };
        let rows = Rows {
            file: "a,b",
            first_line: 10,
            bytes,
            records: &[record],
            cells: &[],
            statuses: &[status],
            outcomes: &[],
        };
        let mut out = RowBuffer::default();
        CsvRows::new(columns).rows(rows, &mut out);
        String::from_utf8(out.as_slice().to_vec()).unwrap()
    }

    #[test]
    fn columns_come_in_the_order_asked_for() {
        let columns = [Column::Status, Column::Line, Column::Solution, Column::File];
        assert_eq!(row(b"", Status::Unsolvable, &columns), "unsolvable,12,,\"a,b\"\n");
    }

    #[test]
    fn outside_text_is_quoted_so_that_csv_reads_it_back() {
        for text in ["plain", "a,b", "say \"hi\"", "cr\rin it", &"long \"x\", ".repeat(300)] {
            let line = row(text.as_bytes(), Status::Malformed, &[Column::Puzzle, Column::Line]);
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let record = reader.records().next().unwrap().unwrap();
            assert_eq!((&record[0], &record[1]), (text, "12"));
        }
    }

    #[test]
    fn the_default_columns_are_those_of_the_constant() {
        // The same columns in another list take the other way.
        let twice = [Column::DEFAULT, Column::DEFAULT].concat();
        let once = row(b"x", Status::GaveUp, &Column::DEFAULT);
        assert_eq!(row(b"x", Status::GaveUp, &twice), format!("{},{once}", once.trim_end()));
    }

    #[test]
    fn a_row_of_one_empty_field_is_still_a_row() {
        assert_eq!(row(b"", Status::Unsolvable, &[Column::Solution]), "\"\"\n");
    }

    #[test]
    fn column_names_are_read_back_and_others_refused() {
        for column in Column::ALL {
            assert_eq!(column.name().parse(), Ok(column));
        }
        let error = "time".parse::<Column>().unwrap_err().to_string();
        assert!(error.contains("time") && error.contains("latency_ns"), "{error}");
    }
}
