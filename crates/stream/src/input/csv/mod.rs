//! CSV and similar tables with one puzzle per row.
//!
//! Fields are separated by a single byte (comma, semicolon, tab, …) and may be quoted (RFC 4180),
//! or by spaces and tabs (`hash puzzle rating`, as in puzzle banks), where quotes only enclose blanks. As in other layouts, blank lines and lines that start with `#` are skipped; a first
//! field that starts with `#` must be quoted.
//!
//! A quote opens a quoted field only at the start of a field, and the closing quote must end the
//! field. If a quoted field does not end this way within the block, only the line of its opening
//! quote is malformed, and reading continues at the next line. A block starts at a row and can hold
//! any row that is shorter than a block, so results do not depend on block boundaries.

mod read;
mod rows;

use std::fmt;

use read::read;
pub use rows::Delimiter;
pub(super) use rows::{SplitRow, declared_delimiter, is_separator_line};

use super::{Field, KeptCells, Layout, LayoutKind, NAME_BYTES, Records, lines, names};

/// The columns of a table, detected at the start of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The separator of the fields.
    pub delimiter: Delimiter,
    /// The column names, if the first row contains them.
    pub header: Option<Header>,
    /// The number of fields in a row.
    pub fields: usize,
    /// The index of the puzzle column.
    pub puzzle: usize,
    /// The index of the solution column, if solutions are read.
    pub answer: Option<usize>,
    /// The indices of the columns copied to the output, in output order.
    pub kept: Vec<usize>,
}

/// The header row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of its first line, from 1.
    pub line: u64,
    /// The name of each column, without surrounding spaces.
    pub names: Vec<String>,
    /// The names with those spaces.
    pub written: Vec<String>,
}

impl Table {
    /// Returns the name of a column: from the header, or `column_1` and so on.
    pub fn name(&self, column: usize) -> String {
        let named = self.header.as_ref().and_then(|header| header.names.get(column));
        let named = named.filter(|name| !name.is_empty());
        named.cloned().unwrap_or_else(|| format!("column_{}", column + 1))
    }

    /// Returns the number of bytes of the names of the kept columns, with punctuation.
    pub fn name_bytes(&self) -> usize {
        let names = self.header.as_ref().map(|header| &header.names);
        let name =
            |column: &usize| names.and_then(|names| names.get(*column)).map_or(0, String::len);
        self.kept.iter().map(|column| name(column) + NAME_BYTES).sum()
    }

    pub(super) fn names(&self) -> Vec<String> {
        (0..self.fields).map(|column| self.name(column)).collect()
    }

    /// Returns whether a value of the puzzle column is its name, as in a repeated header.
    fn is_heading(&self, field: &[u8]) -> bool {
        let own = self.header.as_ref().and_then(|header| header.names.get(self.puzzle));
        names::is_puzzles(field)
            || own.is_some_and(|name| !name.is_empty() && name.as_bytes() == field)
    }
}

impl Layout for Table {
    fn kind(&self) -> LayoutKind {
        LayoutKind::Table(self.delimiter)
    }

    fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
        read(self, block, first_line, cut_short, records);
    }

    fn last_end(&self, bytes: &[u8]) -> usize {
        rows::last_end(self.delimiter, bytes)
    }

    fn forced_end(&self, bytes: &[u8]) -> usize {
        lines::first_end(bytes).unwrap_or(0)
    }

    fn record_bytes(&self) -> usize {
        self.name_bytes() + self.kept.len() * size_of::<Field>()
    }

    fn has_answers(&self) -> bool {
        self.answer.is_some()
    }

    fn kept(&self) -> Vec<String> {
        self.kept.iter().map(|&column| self.name(column)).collect()
    }

    fn kept_cells(&self) -> [Option<KeptCells>; 2] {
        [Some(self.puzzle), self.answer].map(|column| {
            let field = self.kept.iter().position(|kept| Some(*kept) == column)?;
            Some(KeptCells { field, path: String::new() })
        })
    }
}

impl fmt::Display for Table {
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
