//! Rows as a Parquet file.
//!
//! Workers encode the columns of their blocks. The writer makes pages of them, compressed with
//! zstd, and a row group of every [`GROUP`] rows. A page holds the rows of several blocks, which
//! compresses better. The format: <https://parquet.apache.org/docs/file-format/>.
//!
//! | file | what is in it |
//! |---|---|
//! | `values` | the values of rows in a column |
//! | `piece` | values of a column, encoded |
//! | `page` | a page: encoded values, compressed |
//! | `frame` | pieces as bytes |
//! | `file` | the file |

mod file;
mod frame;
mod page;
mod piece;
#[cfg(test)]
mod tests;
mod values;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::frame::write_frame;
use self::piece::Piece;
use self::values::{Source, push_value};
use super::{Column, RowBuffer, RowFormat, Rows, names_of_kept};

pub use file::{GROUP, ParquetFile, Value};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 64 bits.
    Number,
    /// Floating-point numbers.
    Double,
    /// `true` or `false`.
    Truth,
    /// Text.
    Text,
    /// Bytes that need not be text.
    Bytes,
    /// The name of a [`Status`](crate::Status).
    Status,
}

impl Kind {
    fn of(column: Column) -> Self {
        match column {
            Column::Line
            | Column::Id
            | Column::Seed
            | Column::Automorphisms
            | Column::Solutions
            | Column::Guesses
            | Column::Nodes
            | Column::LatencyNs
            | Column::Clues
            | Column::Level
            | Column::Copy => Self::Number,
            Column::Rating => Self::Double,
            Column::Minimal => Self::Truth,
            Column::Status => Self::Status,
            Column::File
            | Column::Reason
            | Column::Puzzle
            | Column::Solution
            | Column::Answer
            | Column::Canonical => Self::Text,
        }
    }
}

/// Rows for [`ParquetFile`]: encoded columns instead of text.
pub struct ParquetRows {
    columns: Vec<(String, Kind)>,
    sources: Vec<Source>,
    /// Buffers for encoding, a piece for each column, that no worker uses at the moment.
    free: Mutex<Vec<Vec<Piece>>>,
}

impl ParquetRows {
    /// Rows with these columns, followed by the kept columns of the input, as text.
    pub fn new(columns: &[Column], kept: &[String]) -> Self {
        let own = columns.iter().map(|&column| (column.name().to_owned(), Kind::of(column)));
        let kept_names = names_of_kept(columns, kept).into_iter();
        let all = own.chain(kept_names.map(|name| (name, Kind::Text))).collect();
        let sources = columns.iter().map(|&column| Source::Own(column));
        let sources = sources.chain((0..kept.len()).map(Source::Kept)).collect();
        Self { columns: all, sources, free: Mutex::default() }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<Piece>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ParquetRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetRows").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl RowFormat for ParquetRows {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        let free = self.free().pop();
        let mut pieces =
            free.unwrap_or_else(|| self.columns.iter().map(|_| Piece::default()).collect());
        pieces.iter_mut().for_each(Piece::clear);
        for row in rows.iter() {
            let columns = self.sources.iter().zip(&self.columns);
            for (piece, (source, (_, kind))) in pieces.iter_mut().zip(columns) {
                push_value(*source, *kind, &row, piece);
            }
        }
        pieces.iter_mut().for_each(Piece::end);
        write_frame(&pieces, out);
        self.free().push(pieces);
    }

    fn parquet_columns(&self) -> Option<&[(String, Kind)]> {
        Some(&self.columns)
    }
}
