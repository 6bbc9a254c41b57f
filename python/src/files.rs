//! The formats of the command: reading files of puzzles, writing tables.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, UInt64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use bulkdoku::input::{Answers, InputOptions, Stream};
use bulkdoku::output::Packer;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Compression, Marks, Source, StopFlag};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::error::PyArrowError;
use pyo3_arrow::input::AnyRecordBatch;

use crate::columns::{Column, Form, GridColumn, schema};
use crate::progress::Progress;
use crate::rows::{Given, Names, ReadOptions};
use crate::solve::{BATCH_ROWS, ranges};
use crate::table::Table;
use crate::work::{self, Watch};

/// Bytes that are compressed at once.
const PACK_BYTES: usize = 256 * 1024;

/// Reads the puzzles of a file, and the solutions that it gives for them.
pub fn read(
    py: Python<'_>,
    path: &Path,
    columns: (Option<String>, Option<String>),
    blank: u8,
) -> PyResult<Table> {
    if has_ending(path, "npy") {
        return read_npy(py, path, blank);
    }
    let (column, solution_column) = columns;
    let answers = solution_column.map_or(Answers::IfAny, Answers::Column);
    let options = InputOptions { column, answers, ..InputOptions::default() };
    let stop = StopFlag::default();
    let mut silent = Progress::default();
    let watch = &mut Watch::new(&mut silent, true);
    let read = |(): &mut (), _| read_records(path, &options, &stop);
    let tables = py.detach(|| work::run(1, 1, &stop, watch, || (), read, |_| 0))?;
    tables.into_iter().next().expect("one unit, one result")
}

/// Reads records; `None` if it was stopped.
fn read_records(path: &Path, options: &InputOptions, stop: &StopFlag) -> Option<PyResult<Table>> {
    let name = path.display().to_string();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Some(Err(failed(path, &error))),
    };
    let mut reader = Stream::new(file);
    let layout = match reader.layout(options, || stop.is_requested()) {
        Ok(layout) => layout?,
        Err(error) => return Some(Err(PyValueError::new_err(format!("{name}: {error}")))),
    };
    let mut columns = vec![Column::Line, Column::Puzzle];
    if layout.has_answers() {
        columns.push(Column::Solution);
    }
    let schema = schema(&columns, Form::Text);
    let source = Source { layout, ..Source::new(name, reader) };
    let mut records = RecordReader::new([source]);
    let mut batches = Vec::new();
    let mut filling = Filling::default();
    let mut has_answers = false;
    loop {
        if stop.is_requested() {
            return None;
        }
        let record = records.next();
        if record.is_none() || filling.lines.len() == BATCH_ROWS {
            batches.push(filling.take(&columns, |columns| {
                RecordBatch::try_new(schema.clone(), columns).expect("columns are as the schema")
            }));
        }
        let Some(record) = record else { break };
        filling.lines.push(record.line);
        match record.puzzle.as_ref().ok().and_then(Marks::puzzle) {
            Some(puzzle) => filling.puzzles.append_value(puzzle.to_string()),
            None => filling.puzzles.append_value(String::from_utf8_lossy(record.text)),
        }
        let answer = record.answer.filter(|answer| !answer.is_empty());
        has_answers |= answer.is_some();
        filling.answers.append_option(answer.map(String::from_utf8_lossy));
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Some(Err(PyOSError::new_err(failure.to_string())));
    }
    let table = Table::new(schema, batches);
    Some(Ok(if has_answers { table } else { table.first_columns(2) }))
}

/// Records that are being read.
#[derive(Default)]
struct Filling {
    lines: Vec<u64>,
    puzzles: StringBuilder,
    answers: StringBuilder,
}

impl Filling {
    /// What was read, as a batch. Nothing is left.
    fn take(
        &mut self,
        columns: &[Column],
        batch: impl Fn(Vec<ArrayRef>) -> RecordBatch,
    ) -> RecordBatch {
        let Self { lines, mut puzzles, mut answers } = std::mem::take(self);
        let all: [ArrayRef; 3] = [
            Arc::new(UInt64Array::from(lines)),
            Arc::new(puzzles.finish()),
            Arc::new(answers.finish()),
        ];
        batch(all.into_iter().take(columns.len()).collect())
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

/// Reads an array of cells. Pages of the file are read as they are wanted.
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
        for range in ranges(rows.len(), 1) {
            let mut puzzles = GridColumn::new(Form::Text, 0, range.len());
            for row in range.clone() {
                let mut block = crate::block::Block::default();
                rows.read(row..row + 1, &mut block);
                if let Some(bad) = block.bad.first() {
                    let what = format!("{}: row {row}: {}", path.display(), bad.why);
                    return Err(PyValueError::new_err(what));
                }
                puzzles.push_cells(block.puzzles[0].cells());
            }
            let lines = range.map(|row| row as u64 + 1).collect::<Vec<_>>();
            let columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(lines)), puzzles.finish()];
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
            batches.push(batch.expect("columns are as the schema"));
        }
        Ok(())
    })?;
    Ok(Table::new(schema, batches))
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Fields with a separator between them.
    Separated(u8),
    Jsonl,
    /// One column, a line each.
    Lines,
    /// One column, as an array of cells.
    Npy,
}

impl Format {
    /// The one that a file's name asks for.
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
        ];
        let found = known.into_iter().find(|(ending, _)| has_ending(&inner, ending));
        found.map(|(_, format)| format).ok_or_else(|| {
            let name = path.display();
            PyValueError::new_err(format!(
                "{name}: the name ends with .csv, .tsv, .jsonl or .txt, perhaps with .gz or .zst behind it, \
                 or with .npy"
            ))
        })
    }
}

/// Writes a table under a temporary name, which is then changed.
pub fn write(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    path: &Path,
    column: Option<&str>,
    blank: u8,
) -> PyResult<u64> {
    let format = Format::of(path)?;
    let compression = Compression::of_name(path);
    if format == Format::Npy {
        if compression.is_some() {
            return Err(PyValueError::new_err("a .npy file is not compressed"));
        }
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
        let failed = |error: io::Error| failed(path, &error);
        let mut file = temporary(path).map_err(failed)?;
        let mut out =
            Out { packer: compression.map(Packer::new), bytes: Vec::new(), packed: Vec::new() };
        let count = write_rows(reader, format, place, &mut out, &mut file)?;
        out.end(&mut file).map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(count)
    })
}

/// A new file beside another, which it is to replace.
fn temporary(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bulkdoku-").suffix(".npy");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Those that any new file has.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// Bytes on their way to a file.
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
        let mut block = crate::block::Block::default();
        for range in ranges(rows.len(), 1) {
            block.clear();
            rows.read(range.clone(), &mut block);
            if let Some(bad) = block.bad.first() {
                let what = format!("row {}: {}", range.start + bad.row, bad.why);
                return Err(PyValueError::new_err(what));
            }
            for puzzle in &block.puzzles {
                cells.extend(puzzle.cells().map(|cell| cell + blank));
            }
        }
        Ok(())
    })?;
    let count = given.len();
    let numpy = py.import("numpy")?;
    let array = numpy::PyArray1::from_vec(py, cells).call_method1("reshape", ((count, 81),))?;
    let file = temporary(path).map_err(|error| failed(path, &error))?;
    numpy.call_method1("save", (file.path(), array))?;
    file.persist(path).map_err(|error| failed(path, &error.error))?;
    Ok(count as u64)
}
