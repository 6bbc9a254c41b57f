//! Reads files of puzzles and writes tables, in the formats of the command.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use arrow_schema::DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bulkdoku::Compression;
use bulkdoku::input::Keep;
use bulkdoku::output::{Column, Packer};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyException, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use tempfile::NamedTempFile;

use crate::arrow::{MALFORMED, column_of, exception, open_table, place_of};
use crate::calls::{self, BATCH_ROWS};
use crate::given::{Given, Names, ReadOptions};
use crate::parquet;
use crate::scan::{self, Columns, FileRows};
use crate::sheet::Form;
use crate::table::Table;

/// The number of bytes that are compressed at once.
const PACK_BYTES: usize = 256 * 1024;

/// The number of rows that are written between two checks of signals.
pub const ROWS_PER_CHECK: usize = 4096;

/// Reads the puzzles of a file, its solutions, and the kept columns.
pub fn read(py: Python<'_>, path: &Path, columns: Columns, blank: u8) -> PyResult<Table> {
    if has_ending(path, "npy") {
        return read_npy(py, path, columns.keep.as_ref(), blank);
    }
    py.detach(|| {
        let mut rows = FileRows::open(path, columns, BATCH_ROWS)?;
        let mut batches = Vec::new();
        while let Some(batch) = rows.next_batch()? {
            batches.push(batch);
        }
        let table = Table::new(rows.schema(), batches);
        let why = table.arrow_schema().index_of(MALFORMED).expect("each file has this column");
        let is_all_null = |column: usize| {
            table
                .batches()
                .iter()
                .all(|batch| batch.column(column).null_count() == batch.num_rows())
        };
        let shows_reasons = !is_all_null(why);
        // The text after the puzzles may not have been solutions.
        let is_shown = |&place: &usize| {
            (place != scan::ANSWERS || !rows.lacks_answers()) && (place != why || shows_reasons)
        };
        Ok(table.with_columns_if(is_shown))
    })
}

pub fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// An `OSError` with the name of the file and, if it is known, the number of the error, which
/// decides about the subclass.
pub fn failed(path: &Path, error: &io::Error) -> PyErr {
    let name = path.display().to_string();
    // Some libraries keep only the kind.
    let code = match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::IsADirectory => Some(21),
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
pub fn read_npy(py: Python<'_>, path: &Path, keep: Option<&Keep>, blank: u8) -> PyResult<Table> {
    if let Some(Keep::Only(_)) = keep {
        return Err(PyValueError::new_err("a .npy file has no columns to keep"));
    }
    let name = path.display().to_string();
    let options = pyo3::types::PyDict::new(py);
    options.set_item("mmap_mode", "r")?;
    let array = py.import("numpy")?.call_method("load", (path,), Some(&options));
    let array = array.map_err(|error| {
        if error.is_instance_of::<PyOSError>(py) || !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let what = PyValueError::new_err(format!("{name}: not an array of numbers: {error}"));
        what.set_cause(py, Some(error));
        what
    })?;
    let array = array.cast::<PyUntypedArray>()?;
    let read_options = ReadOptions { column: None, blank };
    let given = Given::new(array.as_any(), &read_options, Names::Puzzles)?;
    calls::puzzles_only(py, &given, (Form::Text, 0), &format!("{name}: "))
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
    let of_lines = |names: &[&str]| match format {
        Format::Lines => place_of(names, column, Names::Puzzles).map(|place| Some(vec![place])),
        _ => Ok(None),
    };
    let reader = open_table(rows, of_lines)?;
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
    if format == Format::Parquet
        && let Err(unsupported) = parquet::columns(&reader.schema())
    {
        // pyarrow writes every type of Arrow.
        let Ok(pyarrow) = py.import("pyarrow.parquet") else { return Err(unsupported) };
        let reader = PyRecordBatchReader::new(reader);
        return replace(path, |file| parquet::write_by(&pyarrow, reader, file.path()));
    }
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
            let places: Vec<_> = (0..schema.fields().len()).collect();
            for_each_row(path, reader, &places, |values, row| {
                let values = values.iter().map(|value| value.value(row).to_string());
                Ok(csv.write_record(values.map(String::into_bytes))?)
            })
            .and_then(|count| csv.flush().map(|()| count).map_err(|error| failed(path, &error)))
        }
        (Format::Lines, Some(place)) => for_each_row(path, reader, &[place], |values, row| {
            writeln!(out, "{}", values[0].value(row))
        }),
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

/// Calls `write` with the formatters of these columns and the index of each row. Returns the number
/// of rows.
fn for_each_row(
    path: &Path,
    reader: Box<dyn RecordBatchReader + Send>,
    places: &[usize],
    mut write: impl FnMut(&[ArrayFormatter<'_>], usize) -> io::Result<()>,
) -> PyResult<u64> {
    let schema = reader.schema();
    let formats = places.iter().map(|&place| TextFormat::new(schema.field(place)));
    let formats: Vec<_> = formats.collect::<PyResult<_>>()?;
    for_each_batch(reader, |batch| {
        let values = places.iter().zip(&formats);
        let values = values.map(|(&place, format)| {
            ArrayFormatter::try_new(batch.column(place), &format.options())
        });
        let values: Vec<_> = values.collect::<Result<_, _>>().map_err(exception)?;
        let mut rows = 0..batch.num_rows();
        rows.try_for_each(|row| write(&values, row)).map_err(|error| failed(path, &error))
    })
}

/// How values of a column are written as text: as pyarrow writes them to CSV.
struct TextFormat {
    /// The format of a time, with the digits of its unit.
    time: String,
    /// The formats of a date and time, without and with a zone.
    timestamp: String,
    zoned: String,
}

impl TextFormat {
    /// # Errors
    /// `TypeError` for nested types.
    fn new(field: &Field) -> PyResult<Self> {
        let data_type = field.data_type();
        if data_type.is_nested() && !matches!(data_type, DataType::RunEndEncoded(..)) {
            return Err(PyTypeError::new_err(format!(
                "the column {:?} of {data_type} is not written as text: write .jsonl or .parquet",
                field.name()
            )));
        }
        let (unit, zone) = match data_type {
            DataType::Timestamp(unit, zone) => (*unit, zone.as_deref()),
            DataType::Time32(unit) | DataType::Time64(unit) => (*unit, None),
            _ => (TimeUnit::Second, None),
        };
        let digits = match unit {
            TimeUnit::Second => "",
            TimeUnit::Millisecond => "%.3f",
            TimeUnit::Microsecond => "%.6f",
            TimeUnit::Nanosecond => "%.9f",
        };
        let zone = if zone == Some("UTC") { "Z" } else { "%z" };
        let time = format!("%H:%M:%S{digits}");
        let timestamp = format!("%Y-%m-%d {time}");
        Ok(Self { zoned: format!("{timestamp}{zone}"), timestamp, time })
    }

    fn options(&self) -> FormatOptions<'_> {
        FormatOptions::default()
            .with_null("")
            .with_time_format(Some(&self.time))
            .with_timestamp_format(Some(&self.timestamp))
            .with_timestamp_tz_format(Some(&self.zoned))
    }
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
