//! Records of files as record batches, on demand.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::{io, iter, mem};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Marks, StopFlag};
use bulkdoku_stream::Source;
use bulkdoku_stream::input::{InputOptions, Layout, LayoutKind, Stream};
use bulkdoku_stream::output::unique_names;
use bulkdoku_stream::pipeline::RecordReader;

/// The maximum length of a record in bytes, as in the command.
const MAX_RECORD: usize = 16 << 20;

/// The index of the column of solutions.
const ANSWERS: usize = 2;

type Reader = RecordReader<'static>;

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

/// Creates an error.
type NewError = fn(String) -> ArrowError;

fn io_error(what: String) -> ArrowError {
    let error = io::Error::other(what.clone());
    ArrowError::IoError(what, error)
}

/// The records of a file, as record batches with these columns: `line`, `puzzle`, `solution` if the layout has
/// solutions, `malformed` (why a record is not a puzzle), and the kept fields.
pub struct FileReader {
    name: String,
    all_columns: SchemaRef,
    /// `None` after the end.
    records: Option<Reader>,
    /// Why the file could not be read to its end.
    failure: Option<(NewError, String)>,
    /// Whether the layout is one puzzle per line, perhaps with text after it.
    is_text: bool,
    is_parquet: bool,
    solutions: Solutions,
    batch_rows: usize,
    /// A batch that was read to see whether there are solutions.
    first: Option<RecordBatch>,
    /// The rows of the next batch.
    lines: Vec<u64>,
    texts: Vec<StringBuilder>,
}

impl FileReader {
    /// Opens a file, and detects its layout; `None` if stopped.
    ///
    /// # Errors
    /// `IoError` with the path when the file cannot be read, `InvalidArgumentError` when its columns are not clear.
    pub fn open(
        path: &Path,
        options: &InputOptions,
        batch_rows: usize,
        stop: &StopFlag,
    ) -> Result<Option<Self>, ArrowError> {
        let name = path.display().to_string();
        let failed = |error| ArrowError::IoError(name.clone(), error);
        let mut input = File::open(path).and_then(Stream::of_file).map_err(failed)?;
        let layout = input.layout(options, || stop.is_requested());
        let layout =
            layout.map_err(|error| ArrowError::InvalidArgumentError(format!("{name}: {error}")))?;
        let Some(layout) = layout else { return Ok(None) };
        input.decode_only(&*layout).map_err(failed)?;
        let all_columns = schema_of(&*layout);
        let is_text = layout.kind() == LayoutKind::Lines;
        let is_parquet = input.is_parquet();
        let solutions = if layout.has_answers() { Solutions::Empty } else { Solutions::Absent };
        let texts = all_columns.fields()[1..].iter().map(|_| StringBuilder::new()).collect();
        let source = Source { layout, max_record: MAX_RECORD, ..Source::new(name.clone(), input) };
        Ok(Some(Self {
            name,
            all_columns,
            records: Some(RecordReader::new([source])),
            failure: None,
            is_text,
            is_parquet,
            solutions,
            batch_rows,
            first: None,
            lines: Vec::new(),
            texts,
        }))
    }

    /// Reads the first batch of lines, whose columns have no solutions if none of its records has one.
    ///
    /// # Errors
    /// As [`FileReader::next_batch`].
    pub fn peek(&mut self, stop: &StopFlag) -> Result<(), ArrowError> {
        if self.is_text && self.solutions == Solutions::Empty {
            self.first = self.next_batch(stop)?;
            if self.solutions == Solutions::Empty {
                self.solutions = Solutions::Hidden;
            }
        }
        Ok(())
    }

    /// Returns the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(self.all_columns.project(&self.places()).expect("the columns are there"))
    }

    /// Reads the next batch; `None` at the end, or if stopped. The next call continues.
    ///
    /// # Errors
    /// `IoError` when the file is damaged, after the rows before the damage.
    pub fn next_batch(&mut self, stop: &StopFlag) -> Result<Option<RecordBatch>, ArrowError> {
        let first = self.first.take().map(Ok);
        let batch = first.or_else(|| self.read_batch(stop).transpose()).transpose()?;
        batch.map(|batch| batch.project(&self.places())).transpose()
    }

    fn read_batch(&mut self, stop: &StopFlag) -> Result<Option<RecordBatch>, ArrowError> {
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
            self.failure = Some((io_error, failure.to_string()));
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
            self.failure = Some((ArrowError::InvalidArgumentError, what));
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
            let text = match str::from_utf8(&text) {
                // As in JSON rows, different bytes must stay different.
                Err(_) if self.is_parquet => format!("{text:?}").replace(' ', "").into(),
                _ => lossy(&text),
            };
            push((!text.is_empty()).then_some(text));
        }
        true
    }

    /// The columns that are shown.
    fn places(&self) -> Vec<usize> {
        let is_shown = |&place: &usize| place != ANSWERS || self.solutions != Solutions::Hidden;
        (0..self.all_columns.fields().len()).filter(is_shown).collect()
    }

    fn batch(&mut self) -> RecordBatch {
        let lines: ArrayRef = Arc::new(UInt64Array::from(mem::take(&mut self.lines)));
        let texts = self.texts.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef);
        let columns = iter::once(lines).chain(texts).collect();
        RecordBatch::try_new(Arc::clone(&self.all_columns), columns)
            .expect("columns match the schema")
    }
}

/// Returns a text; `String::from_utf8_lossy` takes several times as long for ASCII.
fn lossy(text: &[u8]) -> Cow<'_, str> {
    str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

fn schema_of(layout: &dyn Layout) -> SchemaRef {
    let text = |name: &str| Arc::new(Field::new(name, DataType::Utf8, true));
    let mut own = vec![Arc::new(Field::new("line", DataType::UInt64, false)), text("puzzle")];
    own.extend(layout.has_answers().then(|| text("solution")));
    own.push(text("malformed"));
    let names = unique_names(own.iter().map(|field| &**field.name()), &layout.kept());
    own.extend(names.iter().map(|name| text(name)));
    Arc::new(Schema::new(own))
}
