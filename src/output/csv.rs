//! CSV (RFC 4180, lines end with LF): a header, then one row a record.
//!
//! Digits, numbers and status names never need quoting and go straight into the block's buffer;
//! text from outside (a malformed line, a file's name) goes through `csv_core` where it needs to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Row, RowFormat};
use crate::puzzle::{CELLS, Grid};

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
    fn header(&self, out: &mut Vec<u8>) {
        let names: Vec<_> = self.columns.iter().map(|column| column.name()).collect();
        out.extend_from_slice(names.join(",").as_bytes());
        out.push(b'\n');
    }

    #[inline]
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        for column in &self.columns {
            push_column(*column, row, out);
            out.push(b',');
        }
        if out.len() == start + 1 {
            // A single empty field is quoted: an empty line would be no row.
            out.splice(start..start, *b"\"\"");
        }
        // The last comma ends the line instead.
        if let Some(last) = out.last_mut() {
            *last = b'\n';
        }
    }
}

#[inline]
fn push_column(column: Column, row: &Row<'_>, out: &mut Vec<u8>) {
    match column {
        Column::File => push_text(row.file.as_bytes(), out),
        Column::Line => push_number(row.line, out),
        Column::Puzzle => match <&[u8; CELLS]>::try_from(row.text) {
            Ok(cells) if row.malformed.is_none() => out.extend_from_slice(cells),
            _ => push_text(row.text, out),
        },
        Column::Solution => {
            if let Some(grid) = row.outcome.solution() {
                push_digits(grid, out);
            }
        }
        Column::Status => out.extend_from_slice(row.status.name().as_bytes()),
        Column::Solutions => push_number(row.outcome.solutions.into(), out),
        Column::Guesses => push_number(row.outcome.guesses, out),
        Column::Nodes => push_number(row.outcome.nodes, out),
        Column::LatencyNs => push_number(row.outcome.latency_ns, out),
    }
}

#[inline]
fn push_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The 81 digits of a grid.
#[inline]
pub(super) fn push_digits(grid: &Grid, out: &mut Vec<u8>) {
    out.extend_from_slice(&grid.cells().map(|digit| digit + b'0'));
}

/// Text from outside, quoted where CSV needs it.
fn push_text(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        out.extend_from_slice(text);
        return;
    }
    let mut writer = csv_core::Writer::new();
    let mut rest = text;
    let mut buffer = [0; 256];
    loop {
        let (result, read, written) = writer.field(rest, &mut buffer);
        out.extend_from_slice(&buffer[..written]);
        rest = &rest[read..];
        if result == csv_core::WriteResult::InputEmpty {
            break;
        }
    }
    let (_, written) = writer.finish(&mut buffer);
    out.extend_from_slice(&buffer[..written]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Outcome;
    use crate::status::Status;

    fn row(text: &[u8], status: Status, columns: &[Column]) -> String {
        let row =
            Row { file: "a,b", line: 12, text, status, outcome: &Outcome::NONE, malformed: None };
        let mut out = Vec::new();
        CsvRows::new(columns).row(&row, &mut out);
        String::from_utf8(out).unwrap()
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
