//! The errors of detection.

use std::fmt;

use thiserror::Error;

use crate::input::foreign::Foreign;

/// Why the layout of an input could not be detected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DetectError {
    /// A file of another kind.
    #[error("{0}")]
    Foreign(Foreign),
    /// A table without puzzles.
    #[error("no column holds puzzles; there are {0}")]
    NoPuzzles(Columns),
    /// A table with several columns of puzzles.
    #[error("the puzzles may be in {which}; the columns are {columns}")]
    Several {
        /// The candidates.
        which: Columns,
        /// All columns.
        columns: Columns,
    },
    /// A table without solutions, where they are required.
    #[error("no column holds solutions; there are {0}")]
    NoSolutions(Columns),
    /// Another layout, which has no place for solutions, where they are required.
    #[error("grids of nine lines have no solutions; tables can have them, and lines of puzzles")]
    OnlyPuzzles,
    /// Lines of puzzles alone, where solutions are required.
    #[error("no line has a solution after its puzzle")]
    BareLines,
    /// The column named for the solutions is that of the puzzles.
    #[error("the puzzles are in column {0:?}, so their solutions cannot be there as well")]
    SameColumn(String),
    /// A column that would be read is not one of values or lists.
    #[error(
        "the column {0:?} is a struct, a map, or a list of lists; expected values or lists of them: \
         name other columns"
    )]
    Nested(String),
    /// A named column does not exist.
    #[error("no column {name:?}; there are {columns}")]
    NoColumn {
        /// The name.
        name: String,
        /// The columns of the input.
        columns: Columns,
    },
}

/// Columns as messages name them: `"id"`, or `1 ("53..7…")` where they have no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(pub(super) Vec<String>);

impl Columns {
    pub(super) fn quoted(names: &[impl AsRef<str>]) -> Self {
        Self(names.iter().map(|name| format!("{:?}", name.as_ref())).collect())
    }

    /// These columns, by their indices.
    pub(super) fn only(&self, columns: &[usize]) -> Self {
        Self(columns.iter().map(|&column| self.0[column].clone()).collect())
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}
