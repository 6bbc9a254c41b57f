//! Reads the records of files as record batches, on demand.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use bulkdoku::input::{Answers, InputOptions, Keep};
use bulkdoku_arrow::FileReader;
use pyo3::prelude::*;

use crate::rows::exception;
use crate::stream::Stream;
use crate::watch::Progress;
use crate::write::failed;

/// Opens a file of puzzles. It keeps these columns, or all. With `peek`, lines have a column of solutions only if one of the first batch has
/// a solution.
#[pyfunction]
pub fn scan(
    py: Python<'_>,
    path: PathBuf,
    column: Option<String>,
    solution_column: Option<String>,
    keep: Option<Vec<String>>,
    batch_rows: usize,
    peek: bool,
) -> PyResult<Stream> {
    let keep = match keep {
        None => Some(Keep::All),
        Some(names) => (!names.is_empty()).then_some(Keep::Only(names)),
    };
    let answers = solution_column.map_or(Answers::IfAny, Answers::Column);
    let options = InputOptions { column, answers, keep, ..InputOptions::default() };
    let progress = Progress::default();
    let opened = |error| match error {
        ArrowError::IoError(_, error) => failed(&path, &error),
        error => exception(error),
    };
    py.detach(|| {
        let file = progress.watch(|stop| FileReader::open(&path, &options, batch_rows, stop));
        let file = file?.map_err(opened)?;
        let mut file = file.expect("a call that is stopped returns an exception");
        if peek {
            progress.watch(|stop| file.peek(stop))?.map_err(exception)?;
        }
        Ok(Stream::of(file.schema(), FileRows { file, progress }))
    })
}

/// The rows of a file, in batches. After Ctrl-C, the next call continues.
struct FileRows {
    file: FileReader,
    progress: Progress,
}

impl Iterator for FileRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { file, progress } = self;
        match progress.watch(|stop| file.next_batch(stop)) {
            Ok(batch) => batch.transpose(),
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}
