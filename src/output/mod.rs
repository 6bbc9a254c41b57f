//! Rows: one trait, one file a format.
//!
//! | file | what it writes |
//! |---|---|
//! | [`csv`] | chosen columns, with a header |
//! | [`lines`] | solutions only, one a line |

mod buffer;
pub mod csv;
pub mod lines;

pub use buffer::{Fields, RowBuffer, Short};
pub use csv::{Column, CsvRows};
pub use lines::SolutionLines;

use crate::puzzle::Malformed;
use crate::solver::Outcome;
use crate::status::Status;

/// Everything that a format may say of one record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The record's line in that input, from 1.
    pub line: u64,
    /// The cells as they were written, or the whole line of a malformed record.
    pub text: &'a [u8],
    /// What became of it.
    pub status: Status,
    /// What the engine found; nothing for a malformed record.
    pub outcome: &'a Outcome,
    /// What was wrong with a malformed record.
    pub malformed: Option<&'a Malformed>,
}

/// Turns rows into bytes. Workers share one and call it side by side.
pub trait RowFormat: Sync {
    /// Appends what stands before the first row.
    fn header(&self, out: &mut RowBuffer);

    /// Appends one row, its end included.
    fn row(&self, row: &Row<'_>, out: &mut RowBuffer);
}
