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

use std::io;

use self::frame::write_frame;
use self::piece::Piece;
use self::values::push_value;
use super::{Assembler, Emit, Encoder, Format, Needs, OutputColumn, RowBuffer, Rows};

pub use super::Kind;
pub use file::{GROUP, ParquetFile, Value};

/// Rows as a Parquet file with these columns.
#[derive(Clone, Debug)]
pub struct ParquetRows {
    columns: Vec<OutputColumn>,
}

impl ParquetRows {
    /// Creates a format with computed columns and fields of the input.
    pub fn of(columns: Vec<OutputColumn>) -> Self {
        Self { columns }
    }
}

impl Format for ParquetRows {
    fn needs(&self) -> Needs {
        OutputColumn::needs(&self.columns)
    }

    /// Encodes the columns of a block: frames for the assembler.
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        let mut pieces: Vec<_> = self.columns.iter().map(|_| Piece::default()).collect();
        Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
            pieces.iter_mut().for_each(Piece::clear);
            rows.for_each(|row| {
                for (piece, column) in pieces.iter_mut().zip(&self.columns) {
                    push_value(column, row, piece);
                }
            });
            pieces.iter_mut().for_each(Piece::end);
            write_frame(&pieces, out);
        })
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        let columns: Vec<_> =
            self.columns.iter().map(|column| (column.name().to_owned(), column.kind())).collect();
        Ok(Some(Box::new(ParquetFile::new(&columns)?)))
    }
}

impl Assembler for ParquetFile {
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        self.take(encoded)?;
        self.emit(emit)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        self.end()?;
        self.emit(emit)
    }
}
