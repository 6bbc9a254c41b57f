//! Rows: their contents, and one file per output format.

mod buffer;
mod columns;
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused, unreachable_code, reason = "there is no compression to choose")
)]
pub(crate) mod compress;
pub mod csv;
mod entries;
pub mod jsonl;
mod lines;
pub mod npy;
mod pages;
mod plain;
mod results;
mod row;
mod trace;
mod value;

use std::any::Any;
use std::io;

pub use crate::pipeline::properties::Needs;
pub use buffer::RowBuffer;
pub use columns::{Column, ColumnSource, Kind, OutputColumn, UnknownColumn};
pub use csv::CsvRows;
pub use entries::entries;
pub use jsonl::JsonRows;
pub use lines::{input_lines, judge_grids, labeled_grids, lines, puzzle_grids};
pub use npy::NpyRows;
pub use pages::{PrintedPages, facts};
pub use results::{Decision, Derived, Outcomes, Results};
pub use row::{Row, Rows};
pub use trace::{
    PATHS_HEADER, PathPages, board_svg, boards, clue_cells, json_steps, path_section, path_text,
    push_path_text, steps_html, without_candidates,
};
pub use value::Value;

// Used only by the command and the Python package.
pub use compress::{Compressed, Compression};

/// An output format. Workers encode rows; an assembler works in order, for files that are more than
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

    /// Creates the encoder of a worker.
    fn encoder(&self) -> Box<Encoder<'_>>;

    /// Creates the assembler of an output, if it is a whole file. Such an output cannot be resumed.
    ///
    /// # Errors
    /// Fails if no file can have these columns.
    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(None)
    }
}

/// Appends the rows of a block that belong to one output, or attaches them to the buffer as a value.
pub type Encoder<'a> = dyn FnMut(&Rows<'_>, &mut RowBuffer) + 'a;

/// Creates an encoder that appends one row after another.
fn each_row<'a>(mut append: impl FnMut(&Row<'_>, &mut RowBuffer) + 'a) -> Box<Encoder<'a>> {
    Box::new(move |rows, out| rows.for_each(|row| append(row, out)))
}

/// A format in which each row is a text.
pub struct TextRows {
    needs: Needs,
    encoder: Box<dyn Fn() -> Box<Encoder<'static>> + Send + Sync>,
}

impl TextRows {
    /// Creates a format from a function that appends a row, of which each worker has a copy.
    fn new(append: impl FnMut(&Row<'_>, &mut RowBuffer) + Clone + Send + Sync + 'static) -> Self {
        Self { needs: Needs::NONE, encoder: Box::new(move || each_row(append.clone())) }
    }
}

impl Format for TextRows {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        (self.encoder)()
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

    /// Like [`Assembler::add`], for a block that the encoder has attached as a value.
    ///
    /// # Errors
    /// Fails if its bytes cannot be emitted.
    fn add_value(&mut self, _: Box<dyn Any + Send>, _: &mut Emit<'_>) -> io::Result<()> {
        unreachable!("only formats whose encoders attach values receive them")
    }

    /// Emits the end of the file, and returns its header, of equal length, if that differs from the
    /// first one.
    ///
    /// # Errors
    /// Fails if the end cannot be emitted.
    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>>;
}
