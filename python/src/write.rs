//! Writes record batches to files, in the formats of the command.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, RecordBatchOptions};
use arrow_cast::display::FormatOptions;
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use bulkdoku::Compression;
use bulkdoku::output::parquet::{Kind, Value};
use bulkdoku::output::{Packer, ParquetFile};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::rows::exception;
use crate::stream::{BoxedBatches, Stream};

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

/// Writes all rows of a stream to a file. `place` is the column of lines. Returns the number of rows.
///
/// # Errors
/// `TypeError` for a column whose type the format does not have, `ValueError` for a value that it does not have,
/// `OSError` when the file cannot be written.
#[pyfunction]
pub fn write(
    py: Python<'_>,
    stream: &Stream,
    path: PathBuf,
    format: &str,
    compression: Option<&str>,
    place: Option<usize>,
) -> PyResult<u64> {
    let format = match (format, place) {
        ("csv", _) => Format::Separated(b','),
        ("tsv", _) => Format::Separated(b'\t'),
        ("txt", Some(place)) => Format::Lines(place),
        ("parquet", _) => Format::Parquet,
        _ => Format::Jsonl,
    };
    let compression = compression.map(|ending| PathBuf::from(format!("rows.{ending}")));
    let packer = compression.and_then(|name| Compression::of_name(&name)).map(Packer::new);
    let (batches, schema) = (stream.take()?, &stream.schema);
    py.detach(|| {
        let mut file = File::create(&path).map_err(|error| failed(&path, &error))?;
        if format == Format::Parquet {
            return write_parquet(schema, batches, &mut file);
        }
        let mut out = Out { file: &mut file, packer, bytes: Vec::new(), packed: Vec::new() };
        let count = write_rows(&path, schema, batches, format, &mut out)?;
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
    schema: &Schema,
    batches: BoxedBatches,
    format: Format,
    out: &mut Out<'_>,
) -> PyResult<u64> {
    let failed = |error: io::Error| failed(path, &error);
    match format {
        Format::Separated(separator) => {
            let mut csv = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
            let names = schema.fields().iter().map(|field| field.name());
            csv.write_record(names).map_err(|error| failed(error.into()))?;
            let count = for_each_part(batches, |rows| {
                let fields = schema.fields().iter().zip(rows.columns());
                let texts = fields.map(|(field, column)| as_text(field, column));
                let texts = texts.collect::<PyResult<Vec<_>>>()?;
                for row in 0..rows.num_rows() {
                    let values = texts.iter().map(|texts| text_at(texts, row));
                    csv.write_record(values).map_err(|error| failed(error.into()))?;
                }
                Ok(())
            })?;
            csv.flush().map(|()| count).map_err(failed)
        }
        Format::Lines(place) => for_each_part(batches, |rows| {
            let texts = as_text(schema.field(place), rows.column(place))?;
            let mut lines = 0..rows.num_rows();
            lines.try_for_each(|row| writeln!(out, "{}", text_at(&texts, row))).map_err(failed)
        }),
        _ => {
            let mut json =
                WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(out);
            for_each_part(batches, |rows| {
                let (mut fields, mut columns) = (schema.fields().to_vec(), rows.columns().to_vec());
                for (field, column) in fields.iter_mut().zip(&mut columns) {
                    if is_binary(field.data_type()) {
                        *column = Arc::new(as_text(field, column)?);
                        let text = column.data_type().clone();
                        *field = Arc::new(Field::clone(field).with_data_type(text));
                    }
                }
                let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
                let schema = Arc::new(Schema::new(fields));
                RecordBatch::try_new_with_options(schema, columns, &options)
                    .and_then(|rows| json.write(&rows))
                    .map_err(exception)
            })
        }
    }
}

/// Calls `write` with parts of all batches, and checks signals before each call. Returns the number of rows.
// The path of the method is not general over lifetimes, so it cannot replace the closure.
#[allow(clippy::redundant_closure_for_method_calls)]
fn for_each_part(
    batches: BoxedBatches,
    mut write: impl FnMut(&RecordBatch) -> PyResult<()>,
) -> PyResult<u64> {
    let mut count = 0;
    for batch in batches {
        let batch = batch.map_err(exception)?;
        for start in (0..batch.num_rows()).step_by(ROWS_PER_CHECK) {
            Python::attach(|py| py.check_signals())?;
            write(&batch.slice(start, ROWS_PER_CHECK.min(batch.num_rows() - start)))?;
        }
        count += batch.num_rows() as u64;
    }
    Ok(count)
}

fn is_binary(data_type: &DataType) -> bool {
    data_type.is_binary() || matches!(data_type, DataType::FixedSizeBinary(_))
}

fn text_at(texts: &LargeStringArray, row: usize) -> &str {
    if texts.is_null(row) { "" } else { texts.value(row) }
}

/// Converts a column to text, as pyarrow writes it to CSV.
///
/// # Errors
/// `TypeError` for nested types, `ValueError` for bytes that are not UTF-8.
fn as_text(field: &Field, column: &ArrayRef) -> PyResult<LargeStringArray> {
    let (name, data_type) = (field.name(), field.data_type());
    if data_type.is_nested() && !matches!(data_type, DataType::RunEndEncoded(..)) {
        return Err(PyTypeError::new_err(format!(
            "the column {name:?} of {data_type} is not written as text: write .jsonl or .parquet"
        )));
    }
    let (unit, zone) = match data_type {
        DataType::Timestamp(unit, zone) => (*unit, zone.as_deref()),
        DataType::Time32(unit) | DataType::Time64(unit) => (*unit, None),
        _ => (TimeUnit::Second, None),
    };
    let time = match unit {
        TimeUnit::Second => "%H:%M:%S",
        TimeUnit::Millisecond => "%H:%M:%S%.3f",
        TimeUnit::Microsecond => "%H:%M:%S%.6f",
        TimeUnit::Nanosecond => "%H:%M:%S%.9f",
    };
    let timestamp = format!("%Y-%m-%d {time}");
    let zoned = format!("{timestamp}{}", if zone == Some("UTC") { "Z" } else { "%z" });
    let format_options = FormatOptions::default()
        .with_time_format(Some(time))
        .with_timestamp_format(Some(&timestamp))
        .with_timestamp_tz_format(Some(&zoned));
    let options = CastOptions { safe: false, format_options };
    // Not every binary type can be cast to text directly.
    let plain = if is_binary(data_type) {
        cast(column, &DataType::LargeBinary)
    } else {
        Ok(Arc::clone(column))
    };
    let text = plain.and_then(|plain| cast_with_options(&plain, &DataType::LargeUtf8, &options));
    text.map(|text| text.as_string().clone()).map_err(|error| {
        if is_binary(data_type) {
            let what = "has bytes that are not text: write .parquet";
            return PyValueError::new_err(format!("the column {name:?} {what}"));
        }
        exception(error)
    })
}

/// Returns a column that the writer of the command does not have, and its type.
#[pyfunction]
pub fn not_in_parquet(stream: &Stream) -> Option<String> {
    let field = stream.schema.fields().iter().find(|field| kind_of(field).is_none())?;
    Some(format!("the column {:?} of {}", field.name(), field.data_type()))
}

/// Writes all rows as Parquet, with the writer of the command.
fn write_parquet(schema: &Schema, batches: BoxedBatches, file: &mut File) -> PyResult<u64> {
    let failed = |error: io::Error| PyOSError::new_err(error.to_string());
    let columns = schema.fields().iter().map(|field| Some((field.name().clone(), kind_of(field)?)));
    let columns = columns.collect::<Option<Vec<_>>>();
    let columns = columns.ok_or_else(|| PyTypeError::new_err("a column has no type of Parquet"))?;
    let mut written = ParquetFile::new(&columns).map_err(failed)?;
    let count = for_each_part(batches, |rows| {
        let arrays = rows.columns().iter().zip(&columns);
        let arrays = arrays.map(|(array, (_, kind))| like(array, *kind));
        let arrays: Vec<_> = arrays.collect::<Result<_, _>>().map_err(exception)?;
        (0..rows.num_rows()).try_for_each(|row| {
            let values = arrays.iter().zip(&columns);
            let values = values.map(|(array, (_, kind))| value(array, *kind, row));
            written.push(values, &mut *file).map_err(failed)
        })
    })?;
    written.finish(file).map_err(failed)?;
    Ok(count)
}

fn kind_of(field: &Field) -> Option<Kind> {
    match field.data_type() {
        DataType::Dictionary(_, values) => kind_of(&Field::new("", values.as_ref().clone(), true)),
        number if number.is_integer() => Some(Kind::Number),
        number if number.is_floating() => Some(Kind::Double),
        DataType::Boolean => Some(Kind::Truth),
        text if text.is_string() || text.is_null() => Some(Kind::Text),
        binary if is_binary(binary) => Some(Kind::Bytes),
        _ => None,
    }
}

/// Casts an array to the type of its kind.
fn like(array: &ArrayRef, kind: Kind) -> Result<ArrayRef, ArrowError> {
    let data_type = match kind {
        Kind::Number => DataType::Int64,
        Kind::Double => DataType::Float64,
        Kind::Truth => DataType::Boolean,
        Kind::Bytes => DataType::LargeBinary,
        Kind::Text | Kind::Status | Kind::Technique | Kind::Difficulty => DataType::LargeUtf8,
    };
    // A number that is too large is an error, not a null.
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, &data_type, &options)
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
        Kind::Text | Kind::Status | Kind::Technique | Kind::Difficulty => {
            Value::Text(array.as_string::<i64>().value(row).as_bytes())
        }
    }
}
