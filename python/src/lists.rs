//! Converts Arrow arrays to Python lists: those that functions return, and kept columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrow::exception;

/// Appends the values of an array to a list, `None` for null.
///
/// # Errors
/// `TypeError` for nested types, except lists of cells, and for types of time.
pub fn append(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    // Casts to one type for each kind.
    let like = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::LargeUtf8,
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => DataType::LargeBinary,
        unsigned if unsigned.is_unsigned_integer() => DataType::UInt64,
        signed if signed.is_signed_integer() => DataType::Int64,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => DataType::Float64,
        DataType::Boolean => DataType::Boolean,
        DataType::Null => DataType::Null,
        DataType::FixedSizeList(item, _) if item.data_type() == &DataType::UInt8 => {
            return append_cells(list, array);
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "a column of {other} has no list here; give the table itself to pyarrow or polars"
            )));
        }
    };
    let is_dictionary = matches!(array.data_type(), DataType::Dictionary(..));
    let array = cast(array, &like).map_err(exception)?;
    if is_dictionary {
        return append(list, &array);
    }
    match like {
        DataType::LargeUtf8 => {
            array.as_string::<i64>().iter().try_for_each(|text| list.append(text))
        }
        DataType::LargeBinary => {
            array.as_binary::<i64>().iter().try_for_each(|bytes| list.append(bytes))
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().iter().try_for_each(|number| list.append(number))
        }
        DataType::Boolean => array.as_boolean().iter().try_for_each(|is| list.append(is)),
        _ => (0..array.len()).try_for_each(|_| list.append(list.py().None())),
    }
}

fn append_cells(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    for cells in array.as_fixed_size_list().iter() {
        let cells = cells.map(|cells| {
            let cells = cells.as_primitive::<UInt8Type>().iter();
            // As numbers, because a list of bytes would become a `bytes`.
            cells.map(|cell| cell.map(u16::from)).collect::<Vec<_>>()
        });
        list.append(cells)?;
    }
    Ok(())
}
