//! Output rows: one trait, and a file for each format.
//!
//! | file | what it writes |
//! |---|---|
//! | [`csv`] | chosen columns, separated by commas or tabs, and a header |
//! | [`jsonl`] | chosen columns, one JSON object per line |
//! | [`lines`] | only solutions or only canonical forms, one per line |
//! | [`npy`] | an array of cells |
//! | `parquet` | chosen columns as a Parquet file, behind the feature of that name |
//! | [`grid`] | nine lines per solution, and a label |
//! | [`judge`] | nine lines per solution, and nothing else |
//!
//! | `row` | everything that a format may output about a record |
//! | [`compress`] | compression of rows |

mod buffer;
mod columns;
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused, unreachable_code, reason = "there is no compression to choose")
)]
#[doc(hidden)]
pub mod compress;
#[doc(hidden)]
pub mod csv;
#[doc(hidden)]
pub mod grid;
#[doc(hidden)]
pub mod jsonl;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod lines;
#[doc(hidden)]
pub mod npy;
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub mod parquet;
mod plain;
mod row;

pub use buffer::RowBuffer;
pub use columns::{Column, UnknownColumn};
pub use csv::{CsvRows, TsvRows};
pub use jsonl::JsonRows;
pub use lines::SolutionLines;
pub use npy::NpyRows;
#[cfg(feature = "parquet")]
pub use parquet::ParquetRows;
pub use row::{Row, Rows};

// Used only by the command and the Python package.
#[doc(hidden)]
pub use buffer::{Fields, SHORT, Short};
#[doc(hidden)]
pub use columns::names_of_kept;
#[doc(hidden)]
pub use compress::Packer;
#[doc(hidden)]
pub use grid::{LabelledGrids, PuzzleGrids};
#[doc(hidden)]
pub use judge::JudgeGrids;
#[doc(hidden)]
pub use lines::{FormLines, PuzzleLines};
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub use parquet::ParquetFile;
#[doc(hidden)]
pub use row::{Kept, Outcomes, PuzzleRow, PuzzleRows, Wanted};

/// Formats rows as bytes. Workers share a format and call it concurrently.
pub trait RowFormat: Sync {
    /// Appends the header, which precedes the first row, if there is one.
    fn header(&self, _out: &mut RowBuffer) {}

    /// Appends the rows of a block.
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer);

    /// The final header, if it depends on the rows: a function from the number of bytes after the
    /// header. It has the same length as the first header.
    fn whole_header(&self) -> Option<fn(u64) -> Vec<u8>> {
        None
    }

    /// The columns, if the rows are encoded for a Parquet file.
    #[cfg(feature = "parquet")]
    fn parquet_columns(&self) -> Option<&[(String, parquet::Kind)]> {
        None
    }

    /// Whether a record without a solution has a row; if not, it has a message.
    fn shows_failures(&self) -> bool {
        true
    }
}
