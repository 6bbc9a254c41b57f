//! Errors of layout detection.

use std::fmt;

use thiserror::Error;

use crate::input::foreign::Foreign;

/// The reason why the layout of an input could not be detected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DetectError {
    /// An unsupported type of file.
    #[error("{0}")]
    Foreign(Foreign),
    /// No layout of puzzles was recognized.
    #[error("no puzzles: neither lines, a table, JSON lines, nor grids of them")]
    NotPuzzles,
    /// A JSON object that is not on a line of its own.
    #[error(
        "a JSON object in several lines; expected one object per line, or one array: convert it \
         with jq -c ."
    )]
    ObjectInLines,
    /// A table without a puzzle column.
    #[error("no column contains puzzles; the columns are {0}")]
    NoPuzzles(ColumnNames),
    /// A table with several puzzle columns.
    #[error("several columns may contain the puzzles: {which}; the columns are {columns}")]
    Several {
        /// The candidates.
        which: ColumnNames,
        /// All columns.
        columns: ColumnNames,
    },
    /// A table without a solution column, although solutions are required.
    #[error("no column contains solutions; the columns are {0}")]
    NoSolutions(ColumnNames),
    /// A layout that cannot contain the required solutions.
    #[error("grids of nine lines cannot have solutions; use a table or lines of puzzles")]
    OnlyPuzzles,
    /// Lines of puzzles without the required solutions.
    #[error("no line has a solution after its puzzle")]
    BareLines,
    /// A requested name is that of several columns.
    #[error("several columns are named {0:?}: name the column by its number")]
    Repeated(String),
    /// A requested name is that of a column of the input and of a computed one.
    #[error(
        "the input has a column {0:?}, and bulkdoku computes one: input_{0} is that of the input, \
         computed_{0} the other"
    )]
    Ambiguous(String),
    /// The same column was named for puzzles and solutions.
    #[error("the puzzles are in column {0:?}, so their solutions cannot be there as well")]
    SameColumn(String),
    /// A requested column does not exist.
    #[error("no column {name:?}; there are {columns}")]
    NoColumn {
        /// The name.
        name: String,
        /// The columns of the input.
        columns: ColumnNames,
    },
}

/// Column names for messages: `"id"`, or `1 ("53..7…")` without a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnNames(pub(super) Vec<String>);

impl ColumnNames {
    pub(super) fn quoted(names: &[impl AsRef<str>]) -> Self {
        Self(names.iter().map(|name| format!("{:?}", name.as_ref())).collect())
    }

    /// Selects columns by index.
    pub(super) fn only(&self, columns: &[usize]) -> Self {
        Self(columns.iter().map(|&column| self.0[column].clone()).collect())
    }
}

impl fmt::Display for ColumnNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}
