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
mod trace;
mod value;

use std::io;

use crate::input::OtherKeys;

pub use buffer::RowBuffer;
pub use columns::unique_names;
pub use columns::{Column, ColumnSource, Kind, OutputColumn, UnknownColumn};
pub use csv::{CsvRows, TsvRows};
pub use entries::entries;
pub use jsonl::JsonRows;
pub use lines::{Lines, input_lines};
pub use npy::NpyRows;
pub use pages::{PrintedPages, caption};
#[cfg(feature = "parquet")]
pub use parquet::ParquetRows;
pub use results::{Decision, Derived, Needs, Outcomes, Properties, Results, Timed};
pub use row::{Kept, Row, Rows};
pub use trace::{boards, json_steps};
pub use value::Value;

// Used only by the command and the Python package.
pub use compress::{Compressed, Packer};
pub use grid::{judge_grids, labeled_grids, puzzle_grids};
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

    /// Creates the encoder of a worker for single rows, which an assembler accepts in any order.
    fn row_encoder(&self) -> Box<RowEncoder<'_>>;

    /// Creates the encoder of a worker for blocks.
    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(self.row_encoder())
    }

    /// Creates the assembler of an output, if the format has one. Such outputs cannot be resumed.
    ///
    /// # Errors
    /// Fails if no file can have these columns.
    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(None)
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

/// Appends the rows of a block that belong to one output.
pub type Encoder<'a> = dyn FnMut(&Rows<'_>, &mut RowBuffer) + 'a;

/// Creates an encoder that appends one row after another.
fn each_row<'a>(mut append: impl FnMut(&Row<'_>, &mut RowBuffer) + 'a) -> Box<Encoder<'a>> {
    Box::new(move |rows, out| rows.for_each(|row| append(row, out)))
}

/// A format in which each row is a text.
pub struct TextRows {
    needs: Needs,
    shows_failures: bool,
    encoder: Box<dyn Fn() -> Box<RowEncoder<'static>> + Send + Sync>,
}

impl TextRows {
    /// Creates a format from a function that creates the encoder of a worker.
    fn new<F: FnMut(&Row<'_>, &mut RowBuffer) + 'static>(
        encoder: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        let encoder = Box::new(move || Box::new(encoder()) as Box<RowEncoder<'_>>);
        Self { needs: Needs::NONE, shows_failures: true, encoder }
    }
}

impl Format for TextRows {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn row_encoder(&self) -> Box<RowEncoder<'_>> {
        (self.encoder)()
    }

    fn shows_failures(&self) -> bool {
        self.shows_failures
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
