//! Arguments of the caller: lists, numpy arrays, and everything with the Arrow PyCapsule interface.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{FixedSizeBinaryArray, FixedSizeListArray, LargeBinaryArray, UInt8Array};
use arrow_buffer::{Buffer, NullBuffer};
use bulkdoku::puzzle::CELLS;
use numpy::{PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyByteArrayMethods, PyBytes, PyDict, PyFloat, PyList, PySlice, PyString,
};
use pyo3_arrow::buffer::PyArrowBuffer;

use crate::arrow::{self, ArrowRows, CallerRows, Chunk, exception};
use crate::sheet::{Form, cell_field};

/// The accepted types, for messages.
const TAKEN: &str = "taken are a list of str or bytes, a numpy array (integers of shape (n, 81) or (n, 9, 9), or S81), \
     or an Arrow array, record batch, table or stream (pyarrow, polars, pandas, DuckDB) whose puzzles are text, \
     binary, fixed_size_binary[81] or fixed_size_list<uint8>[81]";

/// The number of rows of a list that are copied together: they fit in the caches.
const ROWS_OF_LIST: usize = 16 * 1024;

/// Puzzles or solutions, as passed by the caller.
pub enum Given<'py> {
    /// Rows in place.
    Rows(ArrowRows),
    /// Objects, which are copied in parts, because only the holder of the interpreter reads them.
    List(Bound<'py, PyList>),
}

/// Options for reading arguments.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The column of a table.
    pub column: Option<String>,
    /// The value of a blank in arrays of numbers; the digits follow it.
    pub blank: u8,
}

/// Which column of a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Puzzles,
    /// Solutions, which a table may have.
    Solutions,
    /// Solutions to be checked, which a table must have.
    Answers,
}

impl<'py> Given<'py> {
    /// Recognizes an argument; `what` is whether it has puzzles or solutions.
    pub fn new(given: &Bound<'py, PyAny>, options: &ReadOptions, what: Names) -> PyResult<Self> {
        if given.is_instance_of::<PyString>()
            || given.is_instance_of::<PyBytes>()
            || given.is_instance_of::<PyByteArray>()
        {
            let one = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{one} is one row, not many: give a list")));
        }
        let is_array = given.is_instance_of::<PyUntypedArray>();
        if options.column.is_some() && (is_array || given.is_instance_of::<PyList>()) {
            return Err(PyValueError::new_err("a column was named, but this is not a table"));
        }
        if let Ok(list) = given.cast::<PyList>() {
            return Ok(Self::List(list.clone()));
        }
        if let Ok(array) = given.cast::<PyUntypedArray>() {
            return Self::of_array(array, options);
        }
        if let Some((columns, column)) = arrow::columns_of_frame(given, options, what)? {
            return Self::new(&columns, &ReadOptions { column, ..*options }, what);
        }
        if let Some(rows) = arrow::import(given, options, what)? {
            return Ok(Self::Rows(rows));
        }
        refuse_lazy(given)?;
        if given.hasattr("with_format")? {
            // A data set of Hugging Face: its own iterator makes a dict of each row.
            let table = given.call_method1("with_format", ("arrow",))?;
            return Self::new(&table.get_item(PySlice::full(given.py()))?, options, what);
        }
        if options.column.is_some() {
            return Err(PyValueError::new_err("a column was named, but this is not a table"));
        }
        if given.hasattr("__array__")? {
            let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
            return Self::of_array(array.cast::<PyUntypedArray>()?, options);
        }
        match given.try_iter() {
            Ok(rows) if !given.is_instance_of::<PyDict>() => {
                let list = PyList::empty(given.py());
                for row in rows {
                    list.append(row?)?;
                }
                Ok(Self::List(list))
            }
            _ => {
                let name = given.get_type().fully_qualified_name()?;
                Err(PyTypeError::new_err(format!("{name} is not taken; {TAKEN}")))
            }
        }
    }

    fn of_array(array: &Bound<'py, PyUntypedArray>, options: &ReadOptions) -> PyResult<Self> {
        if array.hasattr("mask")? {
            return Self::of_masked(array, options);
        }
        let dtype = array.dtype();
        let kind: String = dtype.getattr("kind")?.extract()?;
        let itemsize = dtype.getattr("itemsize")?.extract()?;
        match (kind.as_str(), itemsize) {
            ("u", 1) => of_cells(array, options.blank, None).map(Self::Rows),
            ("u" | "i" | "f", _) => {
                of_cells(&as_bytes(array, options.blank)?, options.blank, None).map(Self::Rows)
            }
            ("S", width) => of_bytes(array, width).map(Self::Rows),
            ("U" | "O" | "T", _) => {
                if array.ndim() != 1 {
                    let shape = array.shape();
                    let what = format!("an array of str has one dimension, not shape {shape:?}");
                    return Err(PyValueError::new_err(what));
                }
                Ok(Self::List(array.call_method0("tolist")?.cast_into::<PyList>()?))
            }
            _ => Err(PyTypeError::new_err(format!(
                "a numpy array of {dtype}: convert it to integers (array.astype(numpy.uint8)); {TAKEN}"
            ))),
        }
    }

    /// Reads an array of `numpy.ma`: rows with a masked element are null.
    fn of_masked(array: &Bound<'py, PyUntypedArray>, options: &ReadOptions) -> PyResult<Self> {
        let numpy = array.py().import("numpy")?;
        if array.ndim() == 1 {
            // Masked elements become `None`.
            return Ok(Self::List(array.call_method0("tolist")?.cast_into::<PyList>()?));
        }
        let cells = array.call_method1("filled", (options.blank,))?;
        if array.is_empty() {
            return Self::of_array(cells.cast::<PyUntypedArray>()?, options);
        }
        let mask = numpy.getattr("ma")?.call_method1("getmaskarray", (array,))?;
        let mask = mask.call_method1("reshape", (array.shape()[0], -1))?;
        let is_valid: Vec<bool> =
            numpy.call_method1("logical_not", (mask.call_method1("any", (1,))?,))?.extract()?;
        let cells = as_bytes(cells.cast::<PyUntypedArray>()?, options.blank)?;
        of_cells(&cells, options.blank, Some(is_valid.into())).map(Self::Rows)
    }

    /// Returns the form of the grids.
    pub fn form(&self) -> Form {
        match self {
            Self::Rows(rows) => rows.form,
            Self::List(_) => Form::Text,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::List(rows) => rows.len(),
        }
    }

    /// Returns the rows from the start of a range: of a list, only those of the range.
    fn rows(&self, range: Range<usize>) -> PyResult<ArrowRows> {
        match self {
            Self::Rows(rows) => Ok(rows.from(range.start)),
            Self::List(list) => Ok(ArrowRows::of(Chunk::LargeBinary(copied(list, range)?))),
        }
    }

    /// Calls `work` with these puzzles, numbered from `first`, and the answers to them: with all
    /// rows together, or with parts of lists for this number of threads.
    ///
    /// # Errors
    /// When there are not as many answers, when an element of a list is not text, or when `work` fails.
    pub fn for_each_part(
        &self,
        answers: Option<&Self>,
        first: u64,
        threads: usize,
        mut work: impl FnMut(Range<u64>, Arc<CallerRows>) -> PyResult<()>,
    ) -> PyResult<()> {
        let length = self.len();
        if let Some(answers) = answers.map(Self::len).filter(|&answers| answers != length) {
            let what = format!("{length} puzzles, but {answers} solutions: each puzzle needs one");
            return Err(PyValueError::new_err(what));
        }
        if first.checked_add(length as u64).is_none() {
            return Err(PyValueError::new_err("rows end at 2**64 - 1"));
        }
        let is_list = |given: &Self| matches!(given, Self::List(_));
        let has_list = is_list(self) || answers.is_some_and(is_list);
        let step = if has_list { ROWS_OF_LIST * threads } else { length.max(1) };
        for start in (0..length).step_by(step) {
            let range = start..length.min(start + step);
            let numbers = first + range.start as u64..first + range.end as u64;
            let rows = CallerRows {
                puzzles: self.rows(range.clone())?,
                answers: answers.map(|answers| answers.rows(range)).transpose()?,
                first: numbers.start,
            };
            work(numbers, Arc::new(rows))?;
        }
        Ok(())
    }
}

/// Refuses a table that is not computed yet.
pub fn refuse_lazy(given: &Bound<'_, PyAny>) -> PyResult<()> {
    if given.hasattr("collect")? && !given.hasattr("__array__")? {
        let what = "a lazy frame has no rows yet: call collect() first";
        return Err(PyTypeError::new_err(what));
    }
    Ok(())
}

/// Converts numbers to `uint8`; -1 and NaN are blanks.
///
/// # Errors
/// `ValueError` for a number that does not fit, `TypeError` for an array of other values.
fn as_bytes<'py>(
    array: &Bound<'py, PyUntypedArray>,
    blank: u8,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let kind: String = array.dtype().getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "u" | "i" | "f") {
        let what = format!("a numpy array of {}, expected integers", array.dtype());
        return Err(PyTypeError::new_err(what));
    }
    let numpy = array.py().import("numpy")?;
    let mut array = array.as_any().clone();
    if kind != "u" {
        let mut is_blank = numpy.call_method1("equal", (&array, -1))?;
        if kind == "f" {
            is_blank = numpy
                .call_method1("logical_or", (is_blank, numpy.call_method1("isnan", (&array,))?))?;
        }
        array = numpy.call_method1("where", (is_blank, blank, array))?;
    }
    let bytes = array.call_method1("astype", ("u1",))?;
    let differs = numpy.call_method1("not_equal", (&bytes, &array))?;
    if differs.call_method0("any")?.is_truthy()? {
        let value = array.get_item(differs)?.get_item(0)?;
        let what = format!("the array has the number {value}, expected cells of 0 to 255");
        return Err(PyValueError::new_err(what));
    }
    Ok(bytes.cast_into::<PyUntypedArray>()?)
}

/// Reads an array of `uint8` of shape (n, 81) or (n, 9, 9).
fn of_cells(
    array: &Bound<'_, PyUntypedArray>,
    blank: u8,
    validity: Option<NullBuffer>,
) -> PyResult<ArrowRows> {
    let shape = array.shape();
    if !matches!(shape, [_, CELLS] | [_, 9, 9] | [_, 9, 9, 1]) {
        let hint = match shape {
            [CELLS] | [9, 9] => "; one puzzle is array.reshape(1, 81)",
            _ => "",
        };
        let what = format!("shape {shape:?}: an array of cells is (n, 81) or (n, 9, 9){hint}");
        return Err(PyValueError::new_err(what));
    }
    let cells = Arc::new(UInt8Array::new(bytes_of(array)?.into(), None));
    let lists = FixedSizeListArray::try_new(cell_field(), CELLS as i32, cells, validity);
    Ok(ArrowRows::of(Chunk::Cells { lists: lists.map_err(exception)?, blank }))
}

/// Reads an array of dtype `S`: text of fixed width, padded with NUL bytes.
fn of_bytes(array: &Bound<'_, PyUntypedArray>, width: usize) -> PyResult<ArrowRows> {
    let &[length] = array.shape() else {
        let shape = array.shape();
        let what = format!("an array of bytes has one dimension, not shape {shape:?}");
        return Err(PyValueError::new_err(what));
    };
    // numpy cannot view elements of width 0 as bytes.
    let (bytes, width) = match width {
        0 => (vec![0; length].into(), 1),
        _ => (bytes_of(array)?, width),
    };
    let texts = FixedSizeBinaryArray::try_new(width as i32, bytes, None);
    Ok(ArrowRows::of(Chunk::Padded(texts.map_err(exception)?)))
}

/// Returns the bytes of an array, which is copied if it is not contiguous.
fn bytes_of(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    if array.is_empty() {
        return Ok(Buffer::default());
    }
    let numpy = array.py().import("numpy")?;
    let mut array = numpy.call_method1("ascontiguousarray", (array,))?;
    if !array.is_instance_of::<PyArrayDyn<u8>>() {
        array = array.call_method1("view", ("u1",))?;
    }
    Ok(array.extract::<PyArrowBuffer>()?.into_inner())
}

/// Copies a range of a list.
///
/// # Errors
/// `TypeError` when an element is neither text nor null.
fn copied(list: &Bound<'_, PyList>, range: Range<usize>) -> PyResult<LargeBinaryArray> {
    let mut texts = LargeBinaryBuilder::with_capacity(range.len(), range.len() * CELLS);
    for at in range {
        let item = list.get_item(at)?;
        if let Ok(text) = item.cast::<PyString>() {
            // A lone surrogate has no UTF-8 and is not a cell.
            match text.to_str() {
                Ok(text) => texts.append_value(text),
                Err(_) => texts.append_value(text.to_string_lossy().as_bytes()),
            }
        } else if let Ok(text) = item.cast::<PyBytes>() {
            texts.append_value(text.as_bytes());
        } else if let Ok(text) = item.cast::<PyByteArray>() {
            texts.append_value(text.to_vec());
        } else if is_null(&item)? {
            texts.append_null();
        } else {
            let name = item.get_type().fully_qualified_name()?;
            let what = format!("element {at} of the list is {name}, not str or bytes");
            return Err(PyTypeError::new_err(what));
        }
    }
    Ok(texts.finish())
}

/// Returns whether an element is null: `None`, or a missing value of pandas.
fn is_null(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    Ok(item.get_type().name()? == "NAType")
}
