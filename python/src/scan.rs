//! Reads the records of files as record batches, on demand.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{array, iter, mem};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bulkdoku::input::{Answers, InputOptions, Keep, Layout, Stream as Input};
use bulkdoku::output::unique_names;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Marks, Source, StopFlag};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::stream::Stream;
use crate::watch::Progress;
use crate::write::failed;

/// The index of the column of solutions.
const ANSWERS: usize = 2;

/// Opens a file of puzzles. With `peek`, lines have a column of solutions only if one of the first batch has
/// a solution.
#[pyfunction]
#[pyo3(signature = (path, column, solution_column, keep, batch_rows, peek))]
pub fn scan(
    py: Python<'_>,
    path: PathBuf,
    column: Option<String>,
    solution_column: Option<String>,
    keep: Kept,
    batch_rows: usize,
    peek: bool,
) -> PyResult<Stream> {
    let keep = match keep {
        Kept::All(all) => all.then_some(Keep::All),
        Kept::Named(names) => (!names.is_empty()).then_some(Keep::Only(names)),
    };
    let answers = solution_column.map_or(Answers::IfAny, Answers::Column);
    let options = InputOptions { column, answers, keep, ..InputOptions::default() };
    py.detach(|| {
        let mut rows = FileRows::open(&path, &options, batch_rows)?;
        if peek && rows.file.is_text && rows.lacks_answers() {
            rows.first = rows.next_batch()?;
            if rows.lacks_answers() {
                rows.file.solutions = Solutions::Hidden;
            }
        }
        let schema = rows.schema();
        Ok(Stream::of(schema, rows))
    })
}

/// The columns to keep: all or none, or those with these names.
#[derive(FromPyObject)]
pub enum Kept {
    All(bool),
    Named(Vec<String>),
}

/// The rows of a file, in batches.
struct FileRows {
    file: FileReader,
    progress: Progress,
    /// A batch that was read to see whether there are solutions.
    first: Option<RecordBatch>,
}

type Reader = RecordReader<array::IntoIter<Source<Input<'static>>, 1>, Input<'static>>;

/// The column of solutions of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Solutions {
    /// The layout has none.
    Absent,
    /// No record that was read has a solution.
    Empty,
    Present,
    /// It is not shown, because the first records have no solutions.
    Hidden,
}

/// Creates an exception.
type NewError = fn(String) -> PyErr;

struct FileReader {
    name: String,
    schema: SchemaRef,
    /// `None` after the end.
    records: Option<Reader>,
    /// Why the file could not be read to its end, and the type of this exception.
    failure: Option<(NewError, String)>,
    /// Whether the layout is one puzzle per line, perhaps with text after it.
    is_text: bool,
    solutions: Solutions,
    batch_rows: usize,
    /// The rows of the next batch.
    lines: Vec<u64>,
    texts: Vec<StringBuilder>,
}

impl FileRows {
    /// Opens a file and detects its layout.
    fn open(path: &Path, options: &InputOptions, batch_rows: usize) -> PyResult<Self> {
        let progress = Progress::default();
        let stop = StopFlag::from(Arc::clone(&progress.stop));
        let file = progress.watch(|| FileReader::open(path, options, batch_rows, &stop))??;
        let file = file.expect("a call that is stopped returns an exception");
        Ok(Self { file, progress, first: None })
    }

    /// Reads the next batch; `None` at the end. After Ctrl-C, the next call continues.
    ///
    /// # Errors
    /// When the file is damaged, after the rows before the damage.
    fn next_batch(&mut self) -> PyResult<Option<RecordBatch>> {
        let Self { file, progress, first } = self;
        let batch = if let Some(first) = first.take() {
            Some(first)
        } else {
            let stop = StopFlag::from(Arc::clone(&progress.stop));
            progress.watch(|| file.next_batch(&stop))??
        };
        let shown =
            |batch: RecordBatch| batch.project(&file.places()).expect("the columns are there");
        Ok(batch.map(shown))
    }

    /// Whether the layout has solutions, but no record has one.
    fn lacks_answers(&self) -> bool {
        self.file.solutions == Solutions::Empty
    }

    fn schema(&self) -> SchemaRef {
        let schema = self.file.schema.project(&self.file.places());
        Arc::new(schema.expect("the columns are there"))
    }
}

impl Iterator for FileRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch().map_err(|error| ArrowError::ExternalError(Box::new(error)));
        next.transpose()
    }
}

impl FileReader {
    /// Opens a file; `None` if stopped.
    fn open(
        path: &Path,
        options: &InputOptions,
        batch_rows: usize,
        stop: &StopFlag,
    ) -> PyResult<Option<Self>> {
        let name = path.display().to_string();
        let mut input = File::open(path).and_then(Input::of_file).map_err(|e| failed(path, &e))?;
        let layout = input.layout(options, || stop.is_requested());
        let layout = layout.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        let Some(layout) = layout else { return Ok(None) };
        input.decode_only(&layout).map_err(|error| failed(path, &error))?;
        let schema = schema_of(&layout);
        let is_text = matches!(layout, Layout::LinesAnd(_));
        let solutions = if layout.has_answers() { Solutions::Empty } else { Solutions::Absent };
        let texts = schema.fields()[1..].iter().map(|_| StringBuilder::new()).collect();
        let source = Source { layout, ..Source::new(name.clone(), input) };
        Ok(Some(Self {
            name,
            schema,
            records: Some(RecordReader::new([source])),
            failure: None,
            is_text,
            solutions,
            batch_rows,
            lines: Vec::new(),
            texts,
        }))
    }

    /// Reads the next batch; `None` at the end, or if stopped.
    fn next_batch(&mut self, stop: &StopFlag) -> PyResult<Option<RecordBatch>> {
        while self.lines.len() < self.batch_rows {
            if stop.is_requested() {
                return Ok(None);
            }
            if self.failure.is_some() || !self.read_record() {
                break;
            }
        }
        if !self.lines.is_empty() {
            return Ok(Some(self.batch()));
        }
        let failures = self.records.take().map(RecordReader::failures).unwrap_or_default();
        if let Some(failure) = failures.into_iter().next() {
            self.failure = Some((PyOSError::new_err, failure.to_string()));
        }
        self.failure.as_ref().map_or(Ok(None), |(new, what)| Err(new(what.clone())))
    }

    /// Reads a record into the next row; returns whether there was one.
    fn read_record(&mut self) -> bool {
        let Self { records, lines, texts, .. } = self;
        let Some(record) = records.as_mut().and_then(RecordReader::next) else { return false };
        let answer = record.answer.filter(|answer| !answer.is_empty());
        if self.solutions == Solutions::Hidden && answer.is_some() {
            let what = format!(
                "{}:{}: a solution, but the first rows have none: use read(), or larger batches",
                self.name, record.line
            );
            self.failure = Some((PyValueError::new_err, what));
            return false;
        }
        if answer.is_some() {
            self.solutions = Solutions::Present;
        }
        lines.push(record.line);
        let mut texts = texts.iter_mut();
        let mut push = |text: Option<Cow<'_, str>>| {
            texts.next().expect("a column for each text").append_option(text);
        };
        // Most puzzles are written as they are shown.
        let is_shown = |byte: u8| matches!(byte, b'1'..=b'9' | b'.');
        // Without an early exit, the compiler vectorizes this loop.
        let as_written = record.text.len() == CELLS
            && record.text.iter().fold(true, |all, &byte| all & is_shown(byte));
        let puzzle = record.puzzle.as_ref().ok().filter(|_| !as_written);
        push(Some(match puzzle.and_then(Marks::puzzle) {
            Some(puzzle) => puzzle.to_string().into(),
            None => lossy(record.text),
        }));
        if self.solutions != Solutions::Absent {
            push(answer.map(lossy));
        }
        push(record.puzzle.as_ref().err().map(|malformed| malformed.what.as_str().into()));
        for text in record.kept.texts() {
            let text = lossy(&text);
            push((!text.is_empty()).then_some(text));
        }
        true
    }

    /// The columns that are shown.
    fn places(&self) -> Vec<usize> {
        let is_shown = |&place: &usize| place != ANSWERS || self.solutions != Solutions::Hidden;
        (0..self.schema.fields().len()).filter(is_shown).collect()
    }

    fn batch(&mut self) -> RecordBatch {
        let lines: ArrayRef = Arc::new(UInt64Array::from(mem::take(&mut self.lines)));
        let texts = self.texts.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef);
        let columns = iter::once(lines).chain(texts).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns).expect("columns match the schema")
    }
}

/// Returns a text; `String::from_utf8_lossy` takes several times as long for ASCII.
fn lossy(text: &[u8]) -> Cow<'_, str> {
    str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

fn schema_of(layout: &Layout) -> SchemaRef {
    let text = |name: &str| Arc::new(Field::new(name, DataType::Utf8, true));
    let mut own = vec![Arc::new(Field::new("line", DataType::UInt64, false)), text("puzzle")];
    own.extend(layout.has_answers().then(|| text("solution")));
    own.push(text("malformed"));
    let names = unique_names(own.iter().map(|field| &**field.name()), &layout.kept());
    own.extend(names.iter().map(|name| text(name)));
    Arc::new(Schema::new(own))
}
