//! Rows: what they contain, and one file per output format.
//!
//! | file | contents |
//! |---|---|
//! | `results` | what is known about the records of a block |
//! | `row` | the rows of a block, and everything that a format may write about one |
//! | `columns` | the table of columns |
//! | [`csv`] | chosen columns, separated by commas or tabs, and a header |
//! | [`jsonl`] | chosen columns, one JSON object per line |
//! | [`lines`] | one column of cells, one line per row |
//! | [`npy`] | an array of cells |
//! | `trainer` | several arrays and their indices, as trainers load them |
//! | `parquet` | chosen columns as a Parquet file, with the feature of that name |
//! | [`grid`] | nine lines per solution or puzzle |
//! | `sorted` | the rows of another format, sorted |
//! | [`compress`] | compression of any other format |

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
pub mod lines;
#[doc(hidden)]
pub mod npy;
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub mod parquet;
mod plain;
mod results;
mod row;
mod sorted;
mod trainer;

use std::io;

pub use buffer::RowBuffer;
#[doc(hidden)]
pub use columns::unique_names;
pub use columns::{Column, ColumnSource, Kind, OutputColumn, UnknownColumn};
pub use csv::{CsvRows, TsvRows};
pub use jsonl::JsonRows;
pub use lines::{InputLines, Lines};
pub use npy::NpyRows;
#[cfg(feature = "parquet")]
pub use parquet::ParquetRows;
pub use results::{Decision, Derived, Needs, Outcomes, Results, Timed};
pub use row::{Kept, Row, Rows, Value};
pub use sorted::{Key, Sorted};
#[doc(hidden)]
pub use trainer::TrainerFiles;

// Used only by the command and the Python package.
#[doc(hidden)]
pub use buffer::{Fields, SHORT, Short};
#[doc(hidden)]
pub use columns::Subcommand;
#[doc(hidden)]
pub use compress::{Compressed, Packer};
#[doc(hidden)]
pub use grid::{JudgeGrids, LabeledGrids, PuzzleGrids};
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub use parquet::ParquetFile;

/// An output format. Workers encode; an assembler, where a file is more than its blocks one after
/// another, works in order.
pub trait Format: Send + Sync {
    /// Returns the properties of puzzles that the rows show.
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// Returns the first bytes of each output.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Returns the header of a complete output with this number of rows, if it differs from the
    /// first one. It has the same length.
    fn final_header(&self, _rows: u64) -> Option<Vec<u8>> {
        None
    }

    /// Creates the encoder of one worker, with its buffers.
    fn encoder(&self) -> Box<dyn Encoder + '_>;

    /// Creates an encoder of single rows, which the assembler accepts in any order, if there is one.
    /// Formats of lines need none.
    fn row_encoder(&self) -> Option<Box<RowEncoder<'_>>> {
        None
    }

    /// Creates the assembler of one output, if the format has one. Such an output cannot be resumed.
    ///
    /// # Errors
    /// When no file can have these columns.
    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(None)
    }

    /// Returns the format of each file, if an output consists of several. Each has all rows, its own
    /// header, encoder, and assembler, and is an output of its own for the sink.
    fn files(&self) -> &[Box<dyn Format>] {
        &[]
    }

    /// Returns whether a record without a solution has a row; otherwise it has a message.
    fn shows_failures(&self) -> bool {
        true
    }
}

/// Appends one row.
pub type RowEncoder<'a> = dyn FnMut(&Row<'_>, &mut RowBuffer) + 'a;

/// Encodes the rows of one block after another.
pub trait Encoder {
    /// Appends the rows of one output.
    fn encode(&mut self, rows: &Rows<'_>, out: &mut RowBuffer);
}

/// Functions without buffers are encoders.
impl<F: FnMut(&Rows<'_>, &mut RowBuffer)> Encoder for F {
    fn encode(&mut self, rows: &Rows<'_>, out: &mut RowBuffer) {
        self(rows, out);
    }
}

/// Passes bytes of a file on.
pub type Emit<'a> = dyn FnMut(&[u8]) -> io::Result<()> + 'a;

/// Assembles encoded blocks into a file.
pub trait Assembler: Send {
    /// Adds an encoded block and emits the bytes of the file that are complete.
    ///
    /// # Errors
    /// When they cannot be emitted.
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()>;

    /// Emits the end of the file.
    ///
    /// # Errors
    /// When it cannot be emitted.
    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()>;

    /// Returns the header of the finished file, if it differs from the first one. It has the same
    /// length.
    fn final_header(&self) -> Option<Vec<u8>> {
        None
    }
}

/// The rows of records that were read from `bytes`, for tests.
#[cfg(test)]
pub(crate) fn rows_of<'a>(
    (file, first_line): (&'a str, u64),
    bytes: &'a [u8],
    records: &'a crate::input::Records,
    results: &'a Results,
) -> Rows<'a> {
    let (derived, output, answers, is_last_part) = (None, 0, None, true);
    let source = 0;
    Rows {
        file,
        source,
        first_line,
        bytes,
        records,
        results,
        derived,
        output,
        answers,
        is_last_part,
    }
}
