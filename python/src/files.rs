//! Reads files of puzzles and writes tables, in the formats of the command.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, UInt64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku::input::{Answers, InputOptions, Keep, Layout, Stream};
use bulkdoku::output::Packer;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Compression, Marks, Source, StopFlag};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::error::PyArrowError;
use pyo3_arrow::input::AnyRecordBatch;
use tempfile::NamedTempFile;

use crate::block::Block;
use crate::columns::{Column, Form, GridColumn, schema};
use crate::parquet;
use crate::progress::Progress;
use crate::rows::{Given, Names, ReadOptions, Rows};
use crate::solve::{BATCH_ROWS, ranges};
use crate::table::Table;
use crate::work::{self, Watch};

/// The number of bytes that are compressed at once.
const PACK_BYTES: usize = 256 * 1024;

/// The columns of a file that are read.
pub struct Columns {
    /// The column of the puzzles, if named.
    pub puzzles: Option<String>,
    /// The column of the solutions, if named.
    pub solutions: Option<String>,
    /// The kept columns.
    pub keep: Option<Keep>,
}

/// Reads the puzzles of a file, its solutions, and the kept columns.
pub fn read(py: Python<'_>, path: &Path, columns: Columns, blank: u8) -> PyResult<Table> {
    if has_ending(path, "npy") {
        if let Some(Keep::Only(_)) = columns.keep {
            return Err(PyValueError::new_err("a .npy file has no columns to keep"));
        }
        return read_npy(py, path, blank);
    }
    let Columns { puzzles, solutions, keep } = columns;
    let answers = solutions.map_or(Answers::IfAny, Answers::Column);
    let options = InputOptions { column: puzzles, answers, keep, ..InputOptions::default() };
    let stop = StopFlag::default();
    let mut silent = Progress::default();
    let watch = &mut Watch::new(&mut silent, true);
    let read = |(): &mut (), _| read_records(path, &options, &stop);
    let tables = py.detach(|| work::run(1, &work::ranges(1, 1), &stop, watch, || (), read))?;
    tables.into_iter().next().expect("one unit, one result")
}

/// Reads records; `None` if stopped.
fn read_records(path: &Path, options: &InputOptions, stop: &StopFlag) -> Option<PyResult<Table>> {
    let name = path.display().to_string();
    let mut reader = match File::open(path).and_then(Stream::of_file) {
        Ok(reader) => reader,
        Err(error) => return Some(Err(failed(path, &error))),
    };
    let layout = match reader.layout(options, || stop.is_requested()) {
        Ok(layout) => layout?,
        Err(error) => return Some(Err(PyValueError::new_err(format!("{name}: {error}")))),
    };
    if let Err(error) = reader.decode_only(&layout) {
        return Some(Err(failed(path, &error)));
    }
    let has_answers = layout.has_answers();
    let schema = schema_of(&layout);
    let source = Source { layout, ..Source::new(name, reader) };
    let mut records = RecordReader::new([source]);
    let mut batches = Vec::new();
    let mut filling = Filling::new(schema.fields().len());
    let mut has_any_answer = false;
    loop {
        if stop.is_requested() {
            return None;
        }
        let record = records.next();
        if record.is_none() || filling.lines.len() == BATCH_ROWS {
            let columns = filling.take();
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
            batches.push(batch.expect("columns match the schema"));
        }
        let Some(record) = record else { break };
        filling.lines.push(record.line);
        let mut texts = filling.texts.iter_mut();
        let mut push = |text: Option<Cow<'_, str>>| {
            texts.next().expect("a column for each text").append_option(text);
        };
        push(Some(match record.puzzle.as_ref().ok().and_then(Marks::puzzle) {
            Some(puzzle) => puzzle.to_string().into(),
            None => String::from_utf8_lossy(record.text),
        }));
        if has_answers {
            let answer = record.answer.filter(|answer| !answer.is_empty());
            has_any_answer |= answer.is_some();
            push(answer.map(String::from_utf8_lossy));
        }
        for text in record.kept.texts() {
            let text = String::from_utf8_lossy(&text);
            push((!text.is_empty()).then_some(text));
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Some(Err(PyOSError::new_err(failure.to_string())));
    }
    let table = Table::new(schema, batches);
    // The text after the puzzles may not have been solutions.
    let shown = |&place: &usize| place != 2 || !has_answers || has_any_answer;
    Some(Ok(table.with_columns_if(shown)))
}

fn schema_of(layout: &Layout) -> SchemaRef {
    let mut columns = vec![Column::Line, Column::Puzzle];
    if layout.has_answers() {
        columns.push(Column::Solution);
    }
    let own = schema(&columns, Form::Text);
    let kept = layout.kept().into_iter().map(|name| {
        let is_taken = own.column_with_name(&name).is_some();
        let name = if is_taken { format!("input_{name}") } else { name };
        Arc::new(Field::new(name, DataType::Utf8, true))
    });
    Arc::new(Schema::new(own.fields().iter().cloned().chain(kept).collect::<Vec<_>>()))
}

struct Filling {
    lines: Vec<u64>,
    /// The other columns.
    texts: Vec<StringBuilder>,
}

impl Filling {
    /// An empty table with this number of columns.
    fn new(columns: usize) -> Self {
        let texts = (1..columns).map(|_| StringBuilder::new()).collect();
        Self { lines: Vec::new(), texts }
    }

    /// Removes the rows read so far and returns their columns.
    fn take(&mut self) -> Vec<ArrayRef> {
        let lines: ArrayRef = Arc::new(UInt64Array::from(std::mem::take(&mut self.lines)));
        let texts = self.texts.iter_mut().map(|texts| -> ArrayRef { Arc::new(texts.finish()) });
        [lines].into_iter().chain(texts).collect()
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn failed(path: &Path, error: &io::Error) -> PyErr {
    let what = format!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::NotFound => pyo3::exceptions::PyFileNotFoundError::new_err(what),
        io::ErrorKind::PermissionDenied => pyo3::exceptions::PyPermissionError::new_err(what),
        _ => PyOSError::new_err(what),
    }
}

/// Reads an array of cells. The file is mapped, so its pages are read on demand.
fn read_npy(py: Python<'_>, path: &Path, blank: u8) -> PyResult<Table> {
    let options = pyo3::types::PyDict::new(py);
    options.set_item("mmap_mode", "r")?;
    let array = py.import("numpy")?.call_method("load", (path,), Some(&options))?;
    let array = array.cast::<PyUntypedArray>()?;
    let read_options = ReadOptions { column: None, blank };
    let given = Given::new(array.as_any(), &read_options, Names::Puzzles)?;
    let schema = schema(&[Column::Line, Column::Puzzle], Form::Text);
    let mut batches = Vec::new();
    given.with_all(|rows| {
        for_each_block(rows, &format!("{}: ", path.display()), |range, block| {
            let mut puzzles = GridColumn::new(Form::Text, 0, range.len());
            block.puzzles.iter().for_each(|puzzle| puzzles.push_cells(puzzle.cells()));
            let lines = range.map(|row| row as u64 + 1).collect::<Vec<_>>();
            let columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(lines)), puzzles.finish()];
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
            batches.push(batch.expect("columns match the schema"));
        })
    })?;
    Ok(Table::new(schema, batches))
}

/// Calls `work` with all rows, a range at a time. Fails if one is not a puzzle; the message begins
/// with `of`.
fn for_each_block(
    rows: &dyn Rows,
    of: &str,
    mut work: impl FnMut(Range<usize>, &Block),
) -> PyResult<()> {
    let mut block = Block::default();
    for range in ranges(rows.len(), 1) {
        block.clear();
        rows.read(range.clone(), &mut block);
        if let Some(bad) = block.bad.first() {
            let what = format!("{of}row {}: {}", range.start + bad.row, bad.why);
            return Err(PyValueError::new_err(what));
        }
        work(range, &block);
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Fields with a separator.
    Separated(u8),
    Jsonl,
    /// One column, one line per row.
    Lines,
    /// One column, as an array of cells.
    Npy,
    Parquet,
}

impl Format {
    fn of(path: &Path) -> PyResult<Self> {
        let inner = match Compression::of_name(path) {
            Some(_) => PathBuf::from(path.file_stem().unwrap_or_default()),
            None => path.to_owned(),
        };
        let known = [
            ("csv", Self::Separated(b',')),
            ("tsv", Self::Separated(b'\t')),
            ("jsonl", Self::Jsonl),
            ("txt", Self::Lines),
            ("npy", Self::Npy),
            ("parquet", Self::Parquet),
        ];
        let found = known.into_iter().find(|(ending, _)| has_ending(&inner, ending));
        found.map(|(_, format)| format).ok_or_else(|| {
            let name = path.display();
            PyValueError::new_err(format!(
                "{name}: the name ends with .csv, .tsv, .jsonl or .txt, perhaps followed by .gz or .zst, \
                 or with .npy or .parquet"
            ))
        })
    }
}

/// Writes a table to a temporary file, then renames it.
pub fn write(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    path: &Path,
    column: Option<&str>,
    blank: u8,
) -> PyResult<u64> {
    let format = Format::of(path)?;
    let compression = Compression::of_name(path);
    if matches!(format, Format::Npy | Format::Parquet) && compression.is_some() {
        return Err(PyValueError::new_err("a .npy or .parquet file is not compressed once more"));
    }
    if format == Format::Npy {
        return write_npy(py, rows, path, column, blank);
    }
    let reader = rows.extract::<AnyRecordBatch>()?.into_reader()?;
    let place = match (format, column) {
        (Format::Lines, _) => {
            let schema = reader.schema();
            Some(crate::rows::arrow::column_of(&schema, column, Names::Puzzles)?)
        }
        (_, Some(_)) => {
            return Err(PyValueError::new_err("column is for .txt and .npy, which have one"));
        }
        _ => None,
    };
    py.detach(|| {
        replace(path, |file| {
            if format == Format::Parquet {
                return parquet::write(reader, file);
            }
            let packer = compression.map(Packer::new);
            let mut out = Out { packer, bytes: Vec::new(), packed: Vec::new() };
            let count = write_rows(reader, format, place, &mut out, file)?;
            out.end(file).map_err(|error| failed(path, &error))?;
            Ok(count)
        })
    })
}

/// Writes a temporary file, and renames it when it is complete.
fn replace<T>(path: &Path, write: impl FnOnce(&mut NamedTempFile) -> PyResult<T>) -> PyResult<T> {
    let mut file = temporary(path).map_err(|error| failed(path, &error))?;
    let written = write(&mut file)?;
    file.persist(path).map_err(|error| failed(path, &error.error))?;
    Ok(written)
}

/// A temporary file in the folder of the file that it will replace.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bulkdoku-").suffix(".npy");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions of any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// A buffer for the bytes of a file.
struct Out {
    packer: Option<Packer>,
    bytes: Vec<u8>,
    packed: Vec<u8>,
}

impl Out {
    fn pass(&mut self, file: &mut impl Write) -> io::Result<()> {
        if self.bytes.len() < PACK_BYTES { Ok(()) } else { self.end(file) }
    }

    fn end(&mut self, file: &mut impl Write) -> io::Result<()> {
        match &mut self.packer {
            Some(packer) => {
                self.packed.clear();
                packer.pack(&self.bytes, &mut self.packed);
                file.write_all(&self.packed)?;
            }
            None => file.write_all(&self.bytes)?,
        }
        self.bytes.clear();
        Ok(())
    }
}

fn write_rows(
    reader: Box<dyn RecordBatchReader + Send>,
    format: Format,
    place: Option<usize>,
    out: &mut Out,
    file: &mut impl Write,
) -> PyResult<u64> {
    let schema = reader.schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut count = 0;
    let mut record = csv::ByteRecord::new();
    let separated = |bytes: &mut Vec<u8>, separator, record: &csv::ByteRecord| {
        let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(bytes);
        writer.write_byte_record(record).and_then(|()| Ok(writer.flush()?))
    };
    if let Format::Separated(separator) = format {
        let header = csv::ByteRecord::from(names.clone());
        separated(&mut out.bytes, separator, &header)
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
    }
    let options = FormatOptions::default().with_null("");
    for batch in reader {
        let batch = batch.map_err(PyArrowError::from)?;
        let formatters = batch.columns().iter();
        let formatters = formatters.map(|column| ArrayFormatter::try_new(column, &options));
        let formatters: Vec<_> =
            formatters.collect::<Result<_, _>>().map_err(PyArrowError::from)?;
        for row in 0..batch.num_rows() {
            match (format, place) {
                (Format::Separated(separator), _) => {
                    record.clear();
                    for formatter in &formatters {
                        record.push_field(formatter.value(row).to_string().as_bytes());
                    }
                    separated(&mut out.bytes, separator, &record)
                        .map_err(|error| PyOSError::new_err(error.to_string()))?;
                }
                (Format::Lines, Some(place)) => {
                    writeln!(out.bytes, "{}", formatters[place].value(row)).expect("it grows");
                }
                _ => write_object(&batch, &names, &formatters, row, &mut out.bytes),
            }
            count += 1;
        }
        out.pass(file).map_err(|error| PyOSError::new_err(error.to_string()))?;
    }
    Ok(count)
}

/// One row as a JSON object and a line end.
fn write_object(
    batch: &RecordBatch,
    names: &[String],
    formatters: &[ArrayFormatter<'_>],
    row: usize,
    bytes: &mut Vec<u8>,
) {
    bytes.push(b'{');
    for (place, (name, column)) in names.iter().zip(batch.columns()).enumerate() {
        if place > 0 {
            bytes.push(b',');
        }
        serde_json::to_writer(&mut *bytes, name).expect("it grows");
        bytes.push(b':');
        let value = formatters[place].value(row).to_string();
        let is_bare = column.data_type().is_numeric()
            || matches!(column.data_type(), DataType::Boolean | DataType::FixedSizeList(..));
        match (column.is_null(row), is_bare) {
            (true, _) => bytes.extend_from_slice(b"null"),
            (false, true) => bytes.extend_from_slice(value.as_bytes()),
            (false, false) => serde_json::to_writer(&mut *bytes, &value).expect("it grows"),
        }
    }
    bytes.extend_from_slice(b"}\n");
}

/// Writes one column as an array of uint8 of shape (n, 81).
fn write_npy(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    path: &Path,
    column: Option<&str>,
    blank: u8,
) -> PyResult<u64> {
    let options = ReadOptions { column: column.map(str::to_owned), blank: 0 };
    let given = Given::new(rows, &options, Names::Puzzles)?;
    let mut cells = Vec::with_capacity(given.len() * bulkdoku::puzzle::CELLS);
    given.with_all(|rows| {
        for_each_block(rows, "", |_, block| {
            cells.extend(
                block.puzzles.iter().flat_map(|puzzle| puzzle.cells().map(|cell| cell + blank)),
            );
        })
    })?;
    let count = given.len();
    let numpy = py.import("numpy")?;
    let array = numpy::PyArray1::from_vec(py, cells).call_method1("reshape", ((count, 81),))?;
    replace(path, |file| numpy.call_method1("save", (file.path(), array)))?;
    Ok(count as u64)
}
