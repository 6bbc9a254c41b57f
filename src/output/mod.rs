//! Rows: one trait, one file a format.
//!
//! | file | what it writes |
//! |---|---|
//! | [`csv`] | chosen columns with commas or tabs between them, and a header |
//! | [`jsonl`] | chosen columns as a JSON object a line |
//! | [`lines`] | solutions only, or canonical forms only, one a line |
//! | [`npy`] | an array of cells |
//! | `parquet` | chosen columns in groups of rows, with the feature of that name |
//! | [`grid`] | nine lines a solution, and a label |
//! | [`judge`] | nine lines a solution, and nothing else |
//!
//! | `row` | what is known of each record, for a format to say |
//! | [`compress`] | rows, compressed |

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
mod facts;
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

// What only the command and the package for Python need.
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

/// Turns rows into bytes. Workers share one and call it side by side.
pub trait RowFormat: Sync {
    /// Appends what stands before the first row.
    fn header(&self, out: &mut RowBuffer);

    /// Appends the rows of a block.
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer);

    /// The header as it has to be when all rows are written, as long as that before the first one, from
    /// the number of bytes behind it; `None` if it is the same.
    fn whole_header(&self) -> Option<fn(u64) -> Vec<u8>> {
        None
    }

    /// The columns of a Parquet file, if the rows, which are CSV without a header, are to become one.
    #[cfg(feature = "parquet")]
    fn parquet_columns(&self) -> Option<&[(String, parquet::Kind)]> {
        None
    }

    /// Whether a record without solution has a row; if not, there is a message for it.
    fn shows_failures(&self) -> bool {
        true
    }
}
