//! Rows as a Parquet file.
//!
//! Workers write the rows of each block as a small Parquet file in memory, so pages are encoded and
//! compressed in parallel. The assembler copies these pages into row groups of several blocks and
//! writes one footer. For the format, see <https://parquet.apache.org/docs/file-format/>.

mod batch;
mod file;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::OnceLock;

use parquet::errors::ParquetError;

use self::batch::{RowBatch, Schema};
use self::file::SMALL_BATCH;
use super::{Assembler, Encoder, Format, Needs, OutputColumn, RowBuffer, RowEncoder, Rows};

pub use super::Kind;
pub use batch::Value;
pub use file::ParquetFile;

/// Rows as a Parquet file.
#[derive(Clone, Debug)]
pub struct ParquetRows {
    columns: Vec<OutputColumn>,
    schema: OnceLock<Schema>,
}

impl ParquetRows {
    /// Creates a format with computed columns and fields of the input.
    pub fn of(columns: Vec<OutputColumn>) -> Self {
        Self { columns, schema: OnceLock::new() }
    }

    fn schema(&self) -> io::Result<&Schema> {
        if let Some(schema) = self.schema.get() {
            return Ok(schema);
        }
        let column = |column: &OutputColumn| (column.name.clone(), column.kind());
        let schema = Schema::of(&self.columns.iter().map(column).collect::<Vec<_>>())?;
        Ok(self.schema.get_or_init(|| schema))
    }
}

impl Format for ParquetRows {
    fn needs(&self) -> Needs {
        OutputColumn::needs(&self.columns)
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        let batch = self.schema().and_then(RowBatch::new);
        let mut batch = batch.expect("the assembler has accepted these columns");
        Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| batch.push_row(&self.columns, row));
            if batch.rows() >= SMALL_BATCH {
                out.append(&batch.take_file().expect("memory accepts all bytes"));
            } else if batch.rows() > 0 {
                out.append(&batch.take_plain());
            }
        })
    }

    fn row_encoder(&self) -> Option<Box<RowEncoder<'_>>> {
        let batch = self.schema().and_then(RowBatch::new);
        let mut batch = batch.expect("the assembler has accepted these columns");
        Some(Box::new(move |row, out| {
            batch.push_row(&self.columns, row);
            out.append(&batch.take_plain());
        }))
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(ParquetFile::of(self.schema()?)?)))
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}
