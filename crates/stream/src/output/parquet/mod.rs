//! Rows as a Parquet file.
//!
//! Workers write the rows of each block as a small Parquet file in memory, so pages are encoded and
//! compressed in parallel. The assembler copies these pages into row groups of several blocks and
//! writes one footer. For the format, see <https://parquet.apache.org/docs/file-format/>.
//!
//! | file | contents |
//! |---|---|
//! | `batch` | the values of some rows, and the small file made of them |
//! | `file` | the file that is assembled from batches |
//! | `kept` | kept columns of Parquet files, in their types |

mod batch;
mod file;
mod kept;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::OnceLock;

use parquet::errors::ParquetError;

use self::batch::{RowBatch, Schema};
use self::file::SMALL_BATCH;
use super::{Assembler, Column, ColumnSource, Encoder, Format, Needs, OutputColumn};
use crate::input::ColumnType;

pub use super::Kind;
pub use batch::Value;
pub use file::ParquetFile;

/// Rows as a Parquet file.
#[derive(Clone, Debug)]
pub struct ParquetRows {
    columns: Vec<OutputColumn>,
    /// The types of the fields of the input, and the indices of the puzzle and the solution.
    types: Vec<Option<ColumnType>>,
    cells: [Option<usize>; 2],
    schema: OnceLock<Schema>,
}

impl ParquetRows {
    /// Creates a format with computed columns and fields of the input.
    pub fn of(columns: Vec<OutputColumn>) -> Self {
        Self { columns, types: Vec::new(), cells: [None; 2], schema: OnceLock::new() }
    }

    /// Writes fields of the input with the types that they have in Parquet files. The puzzle and the
    /// solution are the fields at the indices `cells`; if they are lists, those that are computed are
    /// as well.
    #[must_use]
    pub fn typed(self, types: &[Option<ColumnType>], cells: [Option<usize>; 2]) -> Self {
        Self { types: types.to_vec(), cells, ..self }
    }

    fn schema(&self) -> io::Result<&Schema> {
        if let Some(schema) = self.schema.get() {
            return Ok(schema);
        }
        let kept = self.columns.iter().map(|column| {
            let index = match column.source {
                ColumnSource::Input(index) => Some(index),
                ColumnSource::Computed(Column::Puzzle) => self.cells[0],
                ColumnSource::Computed(Column::Solution) => self.cells[1],
                ColumnSource::Computed(_) => None,
            };
            match (index, self.types.get(index?)?) {
                (Some(index), Some(ColumnType::Values(of) | ColumnType::Nested(of))) => {
                    Some((index, of))
                }
                _ => None,
            }
        });
        let columns = self.columns.iter().zip(kept);
        let schema = columns.map(|(column, kept)| (column.name.as_str(), column.kind(), kept));
        let schema = Schema::with_kept(schema)?;
        Ok(self.schema.get_or_init(|| schema))
    }

    fn batch(&self) -> RowBatch {
        let batch = self.schema().and_then(RowBatch::new);
        batch.expect("the assembler has accepted these columns")
    }
}

impl Format for ParquetRows {
    fn needs(&self) -> Needs {
        OutputColumn::needs(&self.columns)
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        let mut batch = self.batch();
        Box::new(move |rows, out| {
            rows.for_each(|row| batch.push_row(&self.columns, row));
            if batch.rows() >= SMALL_BATCH {
                out.append(&batch.take_file().expect("memory accepts all bytes"));
            } else if batch.rows() > 0 {
                out.append(&batch.take_plain());
            }
        })
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
