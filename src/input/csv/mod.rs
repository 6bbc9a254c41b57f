//! CSV and similar tables: each row has a field that holds a puzzle.
//!
//! Fields are separated by commas, semicolons, tabs or other bytes and may be quoted (RFC 4180), or
//! they are separated by blanks and cannot be quoted (the rows of puzzle banks: `hash puzzle
//! rating`). Blank lines and lines that start with `#` are not rows, as in other layouts: a first
//! field that starts with `#` must be quoted.
//!
//! A quote opens a quoted field only at the start of a field, and the closing quote must end the
//! field. If a quoted field does not end like that within the block, only the line of its opening
//! quote is malformed, and reading continues at the next line. No text is swallowed. A block begins
//! with a row and holds any row that is shorter than a block, so the result does not depend on
//! where blocks end.
//!
//! This file describes the columns of a table, `rows` splits rows into fields and finds where a
//! block may end, `read` reads the records of a block.

mod read;
mod rows;

use std::fmt;
use std::sync::Arc;

pub(super) use read::read;
pub use rows::Delimiter;
pub(super) use rows::{Row, count, last_end};

use super::{ColumnType, names};

/// The columns of a table, as detected at the start of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Separates the fields.
    pub delimiter: Delimiter,
    /// The names of the columns, if the first row has them.
    pub header: Option<Header>,
    /// The number of fields in a row.
    pub fields: usize,
    /// The column of the puzzles, from 0.
    pub puzzle: usize,
    /// The column of the input's own solutions, from 0, if they are requested.
    pub answer: Option<usize>,
    /// The columns that are copied to the output, from 0, in output order.
    pub kept: Vec<usize>,
    /// The types of the columns of a Parquet file, each of whose rows counts as one line, and whose
    /// nulls are empty fields without quotes.
    pub types: Option<Arc<[ColumnType]>>,
}

/// A row of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The line number of its first line, from 1.
    pub line: u64,
    /// The name of each column.
    pub names: Vec<String>,
    /// These names with surrounding blanks, if they have some.
    pub written: Vec<String>,
}

impl Table {
    /// The name of a column: from the header, or `column_1` and so on.
    pub fn name(&self, column: usize) -> String {
        let named = self.header.as_ref().and_then(|header| header.names.get(column));
        let named = named.filter(|name| !name.is_empty());
        named.cloned().unwrap_or_else(|| format!("column_{}", column + 1))
    }

    pub(super) fn names(&self) -> Vec<String> {
        (0..self.fields).map(|column| self.name(column)).collect()
    }

    /// Whether a field of the puzzle column is its heading: a header in the middle of the table.
    fn is_heading(&self, field: &[u8]) -> bool {
        let own = self.header.as_ref().and_then(|header| header.names.get(self.puzzle));
        names::is_puzzles(field)
            || own.is_some_and(|name| !name.is_empty() && name.as_bytes() == field)
    }
}

impl fmt::Display for Table {
    /// `CSV, puzzles in column "quizzes" (1 of 2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, fields) = (self.puzzle + 1, self.fields);
        write!(f, "{}, puzzles in column ", self.delimiter)?;
        match &self.header {
            Some(_) => write!(f, "{:?} ({number} of {fields})", self.name(self.puzzle))?,
            None => write!(f, "{number} of {fields}, no header")?,
        }
        match (self.answer, &self.header) {
            (Some(answer), Some(_)) => {
                write!(f, ", solutions in column {:?} ({})", self.name(answer), answer + 1)
            }
            (Some(answer), None) => write!(f, ", solutions in column {}", answer + 1),
            (None, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_display_of_a_table_names_its_puzzle_column() {
        let names = vec!["id".into(), "quiz \"a\"".into()];
        let header = Header { line: 1, written: Vec::clone(&names), names };
        let table = Table {
            delimiter: Delimiter::Byte(b','),
            header: Some(header),
            fields: 2,
            puzzle: 1,
            answer: None,
            kept: vec![],
            types: None,
        };
        assert_eq!(table.to_string(), "CSV, puzzles in column \"quiz \\\"a\\\"\" (2 of 2)");
        let table = Table { header: None, delimiter: Delimiter::Blanks, ..table };
        assert_eq!(table.to_string(), "fields between blanks, puzzles in column 2 of 2, no header");
        assert_eq!(table.name(1), "column_2");
        let table = Table { answer: Some(0), ..table };
        assert!(table.to_string().ends_with("no header, solutions in column 1"), "{table}");
    }
}
