//! Why an input is not read: it is not known where its puzzles are, or their solutions.

use std::fmt;

use thiserror::Error;

use crate::input::foreign::Foreign;

/// Why it is not known where the puzzles are.
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
        /// The columns that may be meant.
        which: Columns,
        /// All columns.
        columns: Columns,
    },
    /// A table without solutions, where they are wanted.
    #[error("no column holds solutions; there are {0}")]
    NoSolutions(Columns),
    /// Something else that has no place for solutions, where they are wanted.
    #[error("grids of nine lines have no solutions; tables can have them, and lines of puzzles")]
    OnlyPuzzles,
    /// The column that was named for the solutions is that of the puzzles.
    #[error("the puzzles are in column {0:?}, their solutions cannot be there, too")]
    SameColumn(String),
    /// A column was named that is not there.
    #[error("no column {name:?}; there are {columns}")]
    NoColumn {
        /// What was asked for.
        name: String,
        /// The columns that are there.
        columns: Columns,
    },
}

/// Columns as messages name them: `"id"`, or `1 ("53..7…")` where they have no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(pub(super) Vec<String>);

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}
