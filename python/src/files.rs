//! Reads files of puzzles and writes tables, in the formats of the command.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{iter, mem};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, UInt64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use arrow_schema::DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bulkdoku::input::{Answers, InputOptions, Keep, Layout, Stream};
use bulkdoku::output::{Column, Packer, unique_names};
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Compression, Marks, Source, StopFlag};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use tempfile::NamedTempFile;

use crate::arrow::{column_of, exception};
use crate::calls::{self, BATCH_ROWS};
use crate::given::{Given, Names, ReadOptions};
use crate::parquet;
use crate::sheet::{Form, Output};
use crate::table::Table;
use crate::watch::Progress;

/// The number of bytes that are compressed at once.
const PACK_BYTES: usize = 256 * 1024;

/// The number of rows that are written between two checks of signals.
pub const ROWS_PER_CHECK: usize = 4096;

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
    let progress = &Progress::new(None)?;
    let stop = StopFlag::from(Arc::clone(&progress.stop));
    let table = py.detach(|| progress.watch(|| read_records(path, &options, &stop)))??;
    Ok(table.expect("a call that is stopped returns an exception"))
}

/// Reads records; `None` if stopped.
fn read_records(path: &Path, options: &InputOptions, stop: &StopFlag) -> PyResult<Option<Table>> {
    let name = path.display().to_string();
    let mut reader = File::open(path).and_then(Stream::of_file).map_err(|e| failed(path, &e))?;
    let layout = reader.layout(options, || stop.is_requested());
    let layout = layout.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    let Some(layout) = layout else { return Ok(None) };
    reader.decode_only(&layout).map_err(|error| failed(path, &error))?;
    let has_answers = layout.has_answers();
    let schema = schema_of(&layout);
    let source = Source { layout, ..Source::new(name, reader) };
    let mut records = RecordReader::new([source]);
    let mut batches = Vec::new();
    let mut lines = Vec::new();
    let mut texts: Vec<_> = schema.fields()[1..].iter().map(|_| StringBuilder::new()).collect();
    let mut has_any_answer = false;
    loop {
        if stop.is_requested() {
            return Ok(None);
        }
        let record = records.next();
        if record.is_none() || lines.len() == BATCH_ROWS {
            let lines: ArrayRef = Arc::new(UInt64Array::from(mem::take(&mut lines)));
            let texts = texts.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef);
            let columns = iter::once(lines).chain(texts).collect();
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
            batches.push(batch.expect("columns match the schema"));
        }
        let Some(record) = record else { break };
        lines.push(record.line);
        let mut texts = texts.iter_mut();
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
        return Err(PyOSError::new_err(failure.to_string()));
    }
    let table = Table::new(schema, batches);
    // The text after the puzzles may not have been solutions.
    let is_shown = |&place: &usize| place != 2 || !has_answers || has_any_answer;
    Ok(Some(table.with_columns_if(is_shown)))
}

fn schema_of(layout: &Layout) -> SchemaRef {
    let mut columns = vec![Column::Line, Column::Puzzle];
    if layout.has_answers() {
        columns.push(Column::Solution);
    }
    let own = Output::new(columns, Form::Text, 0).schema;
    let names = unique_names(own.fields().iter().map(|field| &**field.name()), &layout.kept());
    let kept = names.into_iter().map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    Arc::new(Schema::new(own.fields().iter().cloned().chain(kept).collect::<Vec<_>>()))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// An `OSError` with the name of the file and, if it is known, the number of the error, which
/// decides about the subclass.
fn failed(path: &Path, error: &io::Error) -> PyErr {
    let name = path.display().to_string();
    // Some libraries keep only the kind.
    let code = match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        _ if cfg!(unix) => error.raw_os_error(),
        _ => None,
    };
    let Some(code) = code else { return PyOSError::new_err(format!("{name}: {error}")) };
    let what = Python::attach(|py| -> PyResult<String> {
        py.import("os")?.call_method1("strerror", (code,))?.extract()
    });
    PyOSError::new_err((code, what.unwrap_or_else(|_| error.to_string()), name))
}

/// Reads an array of cells. The file is mapped, so its pages are read on demand.
fn read_npy(py: Python<'_>, path: &Path, blank: u8) -> PyResult<Table> {
    let options = pyo3::types::PyDict::new(py);
    options.set_item("mmap_mode", "r")?;
    let array = py.import("numpy")?.call_method("load", (path,), Some(&options))?;
    let array = array.cast::<PyUntypedArray>()?;
    let read_options = ReadOptions { column: None, blank };
    let given = Given::new(array.as_any(), &read_options, Names::Puzzles)?;
    calls::puzzles_only(py, &given, (Form::Text, 0), &format!("{}: ", path.display()))
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
            Some(column_of(&schema, column, Names::Puzzles)?)
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
            let mut out = Out { file, packer, bytes: Vec::new(), packed: Vec::new() };
            let count = write_rows(path, reader, format, place, &mut out)?;
            out.pack().map_err(|error| failed(path, &error))?;
            Ok(count)
        })
    })
}

/// Writes a temporary file, and renames it when it is complete. Links stay links, and a file that is
/// replaced passes on its permissions.
fn replace<T>(path: &Path, write: impl FnOnce(&mut NamedTempFile) -> PyResult<T>) -> PyResult<T> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut file = temporary(path).map_err(|error| failed(path, &error))?;
    if let Ok(replaced) = fs::metadata(path) {
        let set = file.as_file().set_permissions(replaced.permissions());
        set.map_err(|error| failed(path, &error))?;
    }
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

/// A file whose bytes are buffered, and compressed in pieces.
struct Out<'a> {
    file: &'a mut NamedTempFile,
    packer: Option<Packer>,
    bytes: Vec<u8>,
    packed: Vec<u8>,
}

impl Out<'_> {
    /// Writes the buffered bytes, at the end also if there are none.
    fn pack(&mut self) -> io::Result<()> {
        match &mut self.packer {
            Some(packer) => {
                packer.pack(&self.bytes, &mut self.packed);
                self.file.write_all(&self.packed)?;
            }
            None => self.file.write_all(&self.bytes)?,
        }
        self.bytes.clear();
        Ok(())
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PACK_BYTES {
            self.pack()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_rows(
    path: &Path,
    reader: Box<dyn RecordBatchReader + Send>,
    format: Format,
    place: Option<usize>,
    out: &mut Out<'_>,
) -> PyResult<u64> {
    match (format, place) {
        (Format::Separated(separator), _) => {
            let mut csv = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
            let schema = reader.schema();
            let names = schema.fields().iter().map(|field| field.name());
            csv.write_record(names).map_err(|error| failed(path, &error.into()))?;
            for_each_row(path, reader, |values, row| {
                let values = values.iter().map(|value| value.value(row).to_string());
                Ok(csv.write_record(values.map(String::into_bytes))?)
            })
            .and_then(|count| csv.flush().map(|()| count).map_err(|error| failed(path, &error)))
        }
        (Format::Lines, Some(place)) => {
            for_each_row(path, reader, |values, row| writeln!(out, "{}", values[place].value(row)))
        }
        _ => {
            let mut json =
                WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(out);
            for_each_batch(reader, |batch| json.write(batch).map_err(exception))
        }
    }
}

/// Calls `write` with parts of all batches, whose binary columns are text, and checks signals before
/// each call. Returns the number of rows.
fn for_each_batch(
    reader: Box<dyn RecordBatchReader + Send>,
    mut write: impl FnMut(&RecordBatch) -> PyResult<()>,
) -> PyResult<u64> {
    let mut count = 0;
    for batch in reader {
        let batch = batch.map_err(exception)?;
        for start in (0..batch.num_rows()).step_by(ROWS_PER_CHECK) {
            crate::watch::check_signals()?;
            let rows = batch.slice(start, ROWS_PER_CHECK.min(batch.num_rows() - start));
            write(&with_text(&rows)?)?;
        }
        count += batch.num_rows() as u64;
    }
    Ok(count)
}

/// Converts binary columns to text.
///
/// # Errors
/// `ValueError` for bytes that are not UTF-8.
fn with_text(rows: &RecordBatch) -> PyResult<RecordBatch> {
    let (schema, columns) = (rows.schema(), rows.columns().iter());
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let as_text = schema.fields().iter().zip(columns).map(|(field, column)| -> PyResult<_> {
        if !matches!(column.data_type(), Binary | LargeBinary | BinaryView | FixedSizeBinary(_)) {
            return Ok((Arc::clone(field), Arc::clone(column)));
        }
        // Not every binary type can be cast to text directly.
        let text = cast_with_options(column, &LargeBinary, &options)
            .and_then(|bytes| cast_with_options(&bytes, &DataType::LargeUtf8, &options));
        let text = text.map_err(|_| {
            let what = "has bytes that are not text: write .parquet";
            PyValueError::new_err(format!("the column {:?} {what}", field.name()))
        })?;
        Ok((Arc::new(field.as_ref().clone().with_data_type(DataType::LargeUtf8)), text))
    });
    let (fields, columns): (Vec<_>, Vec<_>) =
        as_text.collect::<PyResult<Vec<_>>>()?.into_iter().unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .map_err(exception)
}

/// Calls `write` with the formatters of the columns and the index of each row. Returns the number of
/// rows.
fn for_each_row(
    path: &Path,
    reader: Box<dyn RecordBatchReader + Send>,
    mut write: impl FnMut(&[ArrayFormatter<'_>], usize) -> io::Result<()>,
) -> PyResult<u64> {
    let options = FormatOptions::default().with_null("");
    for_each_batch(reader, |batch| {
        let values = batch.columns().iter();
        let values = values.map(|column| ArrayFormatter::try_new(column, &options));
        let values: Vec<_> = values.collect::<Result<_, _>>().map_err(exception)?;
        let mut rows = 0..batch.num_rows();
        rows.try_for_each(|row| write(&values, row)).map_err(|error| failed(path, &error))
    })
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
    let table = calls::puzzles_only(py, &given, (Form::Cells, blank), "")?;
    let array = table.column_to_numpy(py, Column::Puzzle.name())?;
    let numpy = py.import("numpy")?;
    replace(path, |file| numpy.call_method1("save", (file.path(), array)))?;
    Ok(given.len() as u64)
}
