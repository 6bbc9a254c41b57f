//! Rows: their contents, and one file per output format.

mod buffer;
mod columns;
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused, unreachable_code, reason = "there is no compression to choose")
)]
pub mod compress;
pub mod csv;
mod entries;
pub mod grid;
pub mod jsonl;
pub mod lines;
pub mod npy;
mod pages;
#[cfg(feature = "parquet")]
pub mod parquet;
mod plain;
mod results;
mod row;
mod sorted;
mod trace;
mod trainer;

use std::io;

use crate::input::OtherKeys;

pub use buffer::RowBuffer;
pub use columns::unique_names;
pub use columns::{Column, ColumnSource, Kind, OutputColumn, UnknownColumn};
pub use csv::{CsvRows, TsvRows};
pub use entries::Entries;
pub use jsonl::JsonRows;
pub use lines::{InputLines, Lines};
pub use npy::NpyRows;
pub use pages::{PrintedPages, caption};
#[cfg(feature = "parquet")]
pub use parquet::ParquetRows;
pub use results::{Decision, Derived, Needs, Outcomes, Results, Timed};
pub use row::{Kept, Row, Rows, Value};
pub use sorted::{Key, KeyType, SortKey, Sorted};
pub use trace::{Boards, HodokuSteps, JsonSteps, TraceArrays};
pub use trainer::TrainerFiles;

// Used only by the command and the Python package.
pub use compress::{Compressed, Packer};
pub use grid::{JudgeGrids, LabeledGrids, PuzzleGrids};
#[cfg(feature = "parquet")]
pub use parquet::ParquetFile;

/// An output format. Workers encode; an assembler works in order, for files that are more than
/// concatenated blocks.
pub trait Format: Send + Sync {
    /// Returns the properties needed for the rows.
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// Returns the first bytes of each output.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Returns the header of a complete output with this number of rows, if it differs from the
    /// first header. Both have the same length.
    fn final_header(&self, _rows: u64) -> Option<Vec<u8>> {
        None
    }

    /// Creates the encoder of a worker.
    fn encoder(&self) -> Box<dyn Encoder + '_>;

    /// Creates an encoder of single rows, if an assembler needs one to accept them in any order.
    fn row_encoder(&self) -> Option<Box<RowEncoder<'_>>> {
        None
    }

    /// Creates the assembler of an output, if the format has one. Such outputs cannot be resumed.
    ///
    /// # Errors
    /// Fails if no file can have these columns.
    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(None)
    }

    /// Returns the formats of the files, if an output has several. Each file has all rows, a
    /// separate header, encoder, and assembler, and is a separate output for the sink.
    fn files(&self) -> &[Box<dyn Format>] {
        &[]
    }

    /// Returns the use of JSON keys that the first object of an input lacks, if all keys are kept.
    fn other_keys(&self) -> OtherKeys {
        OtherKeys::Ignored
    }

    /// Returns whether a record without a solution has a row. Otherwise, it has a message.
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

impl<F: FnMut(&Rows<'_>, &mut RowBuffer)> Encoder for F {
    fn encode(&mut self, rows: &Rows<'_>, out: &mut RowBuffer) {
        self(rows, out);
    }
}

/// Writes bytes of a file.
pub type Emit<'a> = dyn FnMut(&[u8]) -> io::Result<()> + 'a;

/// Assembles encoded blocks into a file.
pub trait Assembler: Send {
    /// Adds an encoded block, and emits the complete bytes of the file.
    ///
    /// # Errors
    /// Fails if they cannot be emitted.
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()>;

    /// Emits the end of the file.
    ///
    /// # Errors
    /// Fails if it cannot be emitted.
    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()>;

    /// Returns the header of the finished file, of equal length, if it differs from the first one.
    fn final_header(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Returns the rows of records read from `bytes`.
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
