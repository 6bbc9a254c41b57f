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
pub mod compress;
pub mod csv;
mod facts;
pub mod grid;
pub mod jsonl;
pub mod judge;
pub mod lines;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
mod plain;
mod row;

pub use buffer::{Fields, RowBuffer, SHORT, Short};
pub use columns::{Column, UnknownColumn, names_of_kept};
pub use compress::Packer;
pub use csv::{CsvRows, TsvRows};
pub use grid::{LabelledGrids, PuzzleGrids};
pub use jsonl::JsonRows;
pub use judge::JudgeGrids;
pub use lines::{FormLines, PuzzleLines, SolutionLines};
pub use npy::NpyRows;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetFile, ParquetRows};
pub use row::{Kept, Outcomes, PuzzleRow, PuzzleRows, Row, Rows, Wanted};

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
