//! CSV (RFC 4180, lines end with LF): a header, then one row a record.
//!
//! Digits, numbers and status names never need quoting and go straight into the block's buffer;
//! text from outside (a malformed line, a file's name) goes through `csv_core` where it needs to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::buffer::SHORT;
use super::{Fields, Row, RowBuffer, RowFormat};
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
        let names: Vec<_> = self.columns.iter().map(|column| column.name()).collect();
        let names = names.join(",") + "\n";
        out.append(names.len(), |fields| fields.push(names.as_bytes()));
    }

    #[inline]
    fn row(&self, row: &Row<'_>, out: &mut RowBuffer) {
        // Any text from outside may double when it is quoted, in every column that shows it.
        let outside = 2 * (row.file.len() + row.text.len() + 2);
        let room = self.columns.len() * (FIELD + outside);
        out.append(room, |fields| {
            if self.columns == Column::DEFAULT {
                push_default_columns(row, fields);
            } else {
                self.columns.iter().for_each(|column| push_column(*column, row, fields));
            }
            if fields.len() == 1 {
                // A single empty field is quoted: an empty line would be no row.
                fields.replace_last(b'"');
                fields.push(b"\",");
            }
            // The last comma ends the line instead.
            fields.replace_last(b'\n');
        });
    }
}

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

/// A field and the comma behind it.
#[inline(always)]
fn push_column(column: Column, row: &Row<'_>, out: &mut Fields<'_>) {
    match column {
        Column::File => out.push_by(|out| push_text(row.file.as_bytes(), out)),
        Column::Line => out.push_number(row.line),
        Column::Puzzle => match <&[u8; CELLS]>::try_from(row.text) {
            Ok(cells) if row.malformed.is_none() => out.push_array(cells),
            _ => out.push_by(|out| push_text(row.text, out)),
        },
        Column::Solution => {
            if let Some(grid) = row.outcome.solution() {
                out.push_grid(grid);
            }
        }
        Column::Status => {
            let (name, length) = &STATUS_NAMES[row.status as usize];
            out.push_short(name, *length);
        }
        Column::Solutions => out.push_number(row.outcome.solutions.into()),
        Column::Guesses => out.push_number(row.outcome.guesses),
        Column::Nodes => out.push_number(row.outcome.nodes),
        Column::LatencyNs => out.push_number(row.outcome.latency_ns),
    }
    out.push_byte(b',');
}

/// The statuses' names as short fields, with their lengths.
const STATUS_NAMES: [([u8; SHORT], usize); Status::ALL.len()] = {
    let mut names = [([0; SHORT], 0); Status::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        let name = Status::ALL[i].name().as_bytes();
        let (field, _) = names[i].0.split_at_mut(name.len());
        field.copy_from_slice(name);
        names[i].1 = name.len();
        i += 1;
    }
    names
};

/// Text from outside, quoted where CSV needs it.
fn push_text(text: &[u8], out: &mut Fields<'_>) {
    if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return out.push(text);
    }
    let mut writer = csv_core::Writer::new();
    let mut rest = text;
    let mut buffer = [0; 256];
    loop {
        let (result, read, written) = writer.field(rest, &mut buffer);
        out.push(&buffer[..written]);
        rest = &rest[read..];
        if result == csv_core::WriteResult::InputEmpty {
            break;
        }
    }
    let (_, written) = writer.finish(&mut buffer);
    out.push(&buffer[..written]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Outcome;
    use crate::status::Status;

    fn row(text: &[u8], status: Status, columns: &[Column]) -> String {
        let row =
            Row { file: "a,b", line: 12, text, status, outcome: &Outcome::NONE, malformed: None };
        let mut out = RowBuffer::default();
        CsvRows::new(columns).row(&row, &mut out);
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
