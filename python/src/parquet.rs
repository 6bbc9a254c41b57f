//! Writes tables as Parquet files, with the writer of the command.

use std::io::{self, Write};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatchReader};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema};
use bulkdoku::output::ParquetFile;
use bulkdoku::output::parquet::{Kind, Value};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatchReader;

use crate::arrow::exception;
use crate::files::ROWS_PER_CHECK;

/// Writes all rows; returns their number.
///
/// # Errors
/// `TypeError` for a column of an unsupported type, `ValueError` for a number that does not fit its
/// column, `OSError` when the file cannot be written.
pub fn write(reader: Box<dyn RecordBatchReader + Send>, mut file: impl Write) -> PyResult<u64> {
    let failed = |error: io::Error| PyOSError::new_err(error.to_string());
    let schema = reader.schema();
    let columns = columns(&schema)?;
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

/// The names and kinds of the columns.
///
/// # Errors
/// `TypeError` for a column of an unsupported type.
pub fn columns(schema: &Schema) -> PyResult<Vec<(String, Kind)>> {
    let fields = schema.fields().iter();
    fields.map(|field| Ok((field.name().clone(), kind_of(field)?))).collect()
}

/// Writes all rows by `pyarrow.parquet`, with the types that they have; returns their number.
pub fn write_by(
    parquet: &Bound<'_, PyModule>,
    reader: PyRecordBatchReader,
    path: &Path,
) -> PyResult<u64> {
    let py = parquet.py();
    let reader = reader.into_pyarrow(py)?;
    let options = PyDict::new(py);
    options.set_item("compression", "zstd")?;
    let writer = (path, reader.getattr("schema")?);
    let writer = parquet.call_method("ParquetWriter", writer, Some(&options))?;
    let mut count = 0;
    for batch in reader.try_iter()? {
        py.check_signals()?;
        let batch = batch?;
        writer.call_method1("write_batch", (&batch,))?;
        count += batch.len()? as u64;
    }
    writer.call_method0("close")?;
    Ok(count)
}

fn kind_of(field: &Field) -> PyResult<Kind> {
    let mut data_type = field.data_type();
    if let DataType::Dictionary(_, values) = data_type {
        data_type = values;
    }
    match data_type {
        number if number.is_integer() => Ok(Kind::Number),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Ok(Kind::Double),
        DataType::Boolean => Ok(Kind::Truth),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
            Ok(Kind::Text)
        }
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Ok(Kind::Bytes),
        other => Err(PyTypeError::new_err(format!(
            "the column {:?} of {other} needs pyarrow: pip install pyarrow",
            field.name()
        ))),
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
