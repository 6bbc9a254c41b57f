//! Writes record batches to files, in the formats of the command.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use arrow_schema::DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bulkdoku::Compression;
use bulkdoku::output::parquet::{Kind, Value};
use bulkdoku::output::{Packer, ParquetFile};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::rows::exception;
use crate::stream::Reader;

/// The number of bytes that are compressed at once.
const PACK_BYTES: usize = 256 * 1024;

/// The number of rows that are written between two checks of signals.
const ROWS_PER_CHECK: usize = 4096;

/// An `OSError` with the name of the file; the number of the error, if it is known, decides about the subclass.
pub fn failed(path: &Path, error: &io::Error) -> PyErr {
    let name = path.display().to_string();
    match error.raw_os_error() {
        Some(code) if cfg!(unix) => PyOSError::new_err((code, error.to_string(), name)),
        _ => PyOSError::new_err(format!("{name}: {error}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Fields with a separator.
    Separated(u8),
    Jsonl,
    /// One column, one line per row.
    Lines(usize),
    Parquet,
}

/// Writes all rows of a reader to a file. `place` is the column of lines. Returns the number of rows.
///
/// # Errors
/// `TypeError` for a column whose type the format does not have, `ValueError` for a value that it does not have,
/// `OSError` when the file cannot be written.
#[pyfunction]
pub fn write(
    py: Python<'_>,
    reader: &Reader,
    path: PathBuf,
    format: &str,
    compression: Option<&str>,
    place: Option<usize>,
) -> PyResult<u64> {
    let format = match (format, place) {
        ("csv", _) => Format::Separated(b','),
        ("tsv", _) => Format::Separated(b'\t'),
        ("jsonl", _) => Format::Jsonl,
        ("txt", Some(place)) => Format::Lines(place),
        ("parquet", _) => Format::Parquet,
        _ => return Err(PyValueError::new_err("not a format")),
    };
    let compression = compression.map(|ending| PathBuf::from(format!("rows.{ending}")));
    let packer = compression.and_then(|name| Compression::of_name(&name)).map(Packer::new);
    let reader = reader.take()?;
    py.detach(|| {
        let mut file = File::create(&path).map_err(|error| failed(&path, &error))?;
        if format == Format::Parquet {
            return write_parquet(reader, &mut file);
        }
        let mut out = Out { file: &mut file, packer, bytes: Vec::new(), packed: Vec::new() };
        let count = write_rows(&path, reader, format, &mut out)?;
        out.pack().map_err(|error| failed(&path, &error))?;
        Ok(count)
    })
}

/// A file whose bytes are buffered, and compressed in pieces.
struct Out<'a> {
    file: &'a mut File,
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
    out: &mut Out<'_>,
) -> PyResult<u64> {
    match format {
        Format::Separated(separator) => {
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
        Format::Lines(place) => for_each_row(path, reader, &[place], |values, row| {
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

/// Returns a column that the writer of the command does not have, and its type.
#[pyfunction]
pub fn not_in_parquet(reader: &Reader) -> Option<String> {
    let field = reader.schema.fields().iter().find(|field| kind_of(field).is_none())?;
    Some(format!("the column {:?} of {}", field.name(), field.data_type()))
}

/// Writes all rows as Parquet, with the writer of the command.
fn write_parquet(reader: Box<dyn RecordBatchReader + Send>, mut file: &mut File) -> PyResult<u64> {
    let failed = |error: io::Error| PyOSError::new_err(error.to_string());
    let schema = reader.schema();
    let columns = schema.fields().iter().map(|field| Some((field.name().clone(), kind_of(field)?)));
    let columns = columns.collect::<Option<Vec<_>>>();
    let columns = columns.ok_or_else(|| PyTypeError::new_err("a column has no type of Parquet"))?;
    let mut written = ParquetFile::new(&columns).map_err(failed)?;
    let mut count = 0;
    for batch in reader {
        let batch = batch.map_err(exception)?;
        let arrays = batch.columns().iter().zip(&columns);
        let arrays = arrays.map(|(array, (_, kind))| like(array, *kind));
        let arrays: Vec<_> = arrays.collect::<PyResult<_>>()?;
        for row in 0..batch.num_rows() {
            if row % ROWS_PER_CHECK == 0 {
                crate::watch::check_signals()?;
            }
            let values = arrays.iter().zip(&columns);
            let values = values.map(|(array, (_, kind))| value(array, *kind, row));
            written.push(values, &mut file).map_err(failed)?;
        }
        count += batch.num_rows() as u64;
    }
    written.finish(&mut file).map_err(failed)?;
    Ok(count)
}

fn kind_of(field: &Field) -> Option<Kind> {
    let mut data_type = field.data_type();
    if let DataType::Dictionary(_, values) = data_type {
        data_type = values;
    }
    match data_type {
        number if number.is_integer() => Some(Kind::Number),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(Kind::Double),
        DataType::Boolean => Some(Kind::Truth),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
            Some(Kind::Text)
        }
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Some(Kind::Bytes),
        _ => None,
    }
}

/// Casts an array to the type of its kind.
fn like(array: &ArrayRef, kind: Kind) -> PyResult<ArrayRef> {
    let data_type = match kind {
        Kind::Number => DataType::Int64,
        Kind::Double => DataType::Float64,
        Kind::Truth => DataType::Boolean,
        Kind::Bytes => DataType::LargeBinary,
        Kind::Text | Kind::Status | Kind::Technique => DataType::LargeUtf8,
    };
    // A number that is too large is an error, not a null.
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, &data_type, &options).map_err(exception)
}

/// One value of such an array.
fn value(array: &ArrayRef, kind: Kind, row: usize) -> Value<'_> {
    if array.is_null(row) {
        return Value::Null;
    }
    match kind {
        Kind::Number => Value::Number(array.as_primitive::<Int64Type>().value(row)),
        Kind::Double => Value::Double(array.as_primitive::<Float64Type>().value(row)),
        Kind::Truth => Value::Truth(array.as_boolean().value(row)),
        Kind::Bytes => Value::Text(array.as_binary::<i64>().value(row)),
        Kind::Text | Kind::Status | Kind::Technique => {
            Value::Text(array.as_string::<i64>().value(row).as_bytes())
        }
    }
}
