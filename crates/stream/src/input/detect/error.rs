//! Errors of layout detection.

use thiserror::Error;

/// The reason why the layout of an input could not be detected. Columns are listed as `"id"`, or as
/// `1 (53..7…)` without a header.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DetectError {
    /// An unsupported type of file, with what to do, or of its columns.
    #[error("{0}")]
    Foreign(String),
    /// No layout of puzzles was recognized.
    #[error("no puzzles: neither lines, a table, JSON lines, nor grids of them")]
    NotPuzzles,
    /// A JSON object that is not on a line of its own.
    #[error(
        "a JSON object in several lines; expected one object per line, or one array: convert it \
         with jq -c . FILE > NEW"
    )]
    ObjectInLines,
    /// JSON in which each record is an array of records, with the filter of jq that unpacks them.
    #[error("the records are in inner arrays; unpack them: jq -c '{0}' FILE > NEW")]
    Nested(String),
    /// A table without a puzzle column.
    #[error("no column contains puzzles; the columns are {}", .0.join(", "))]
    NoPuzzles(Vec<String>),
    /// A table with several puzzle columns.
    #[error(
        "several columns may contain the puzzles: {}; the columns are {}",
        .which.join(", "), .columns.join(", ")
    )]
    Several {
        /// The candidates.
        which: Vec<String>,
        /// All columns.
        columns: Vec<String>,
    },
    /// A table without a solution column, although solutions are required.
    #[error("no column contains solutions; the columns are {}", .0.join(", "))]
    NoSolutions(Vec<String>),
    /// Several columns of solutions, although one is required.
    #[error("several columns may contain the solutions: {}", .0.join(", "))]
    SeveralSolutions(Vec<String>),
    /// A layout that cannot contain the required solutions.
    #[error(
        "grids of nine lines cannot have solutions, nor can texts of JSON; use a table, objects, or lines of puzzles"
    )]
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
    /// Numbers of 81 digits of which only the first ones are right.
    #[error(
        "81 cells that were stored as floating-point numbers, which keep 17 digits: write the column as \
         text where it comes from"
    )]
    LostDigits,
    /// A requested column is an element of an array.
    #[error(
        "no column {0:?}, but elements of arrays can become columns: jq -c '{{puzzle: .{0}}}' FILE > NEW"
    )]
    Element(String),
    /// A requested column does not exist.
    #[error("no column {name:?}; there are {}", .columns.join(", "))]
    NoColumn {
        /// The name.
        name: String,
        /// The columns of the input.
        columns: Vec<String>,
    },
}

pub(super) fn quoted(names: &[impl AsRef<str>]) -> Vec<String> {
    names.iter().map(|name| format!("{:?}", name.as_ref())).collect()
}

pub(super) fn several(which: &[usize], columns: Vec<String>) -> DetectError {
    let which = which.iter().map(|&column| columns[column].clone()).collect();
    DetectError::Several { which, columns }
}
