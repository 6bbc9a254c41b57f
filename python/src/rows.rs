//! Rows of the caller: lists, buffers of numpy, and Arrow arrays, which any number of threads read
//! without the interpreter.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{
    ArrayRef, FixedSizeBinaryArray, FixedSizeListArray, Float64Array, LargeBinaryArray,
    LargeListArray, RecordBatch, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bulkdoku::input::names;
use bulkdoku::puzzle::CELLS;
use bulkdoku_arrow::{ArrowRows, CallerRows, Form, cell_field};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyByteArrayMethods, PyBytes, PyFloat, PyList, PyString};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::input::AnyArray;

use crate::batches::Batches;

/// The number of rows of a list that are copied together: they fit in the caches.
const ROWS_OF_LIST: usize = 16 * 1024;

/// Puzzles or solutions of the caller.
#[pyclass(frozen, module = "bulkdoku._core")]
pub struct Rows(Given);

/// Arrays, or objects, which are copied in parts, because only the holder of the interpreter reads
/// them.
enum Given {
    Arrays(ArrowRows),
    List(Py<PyList>, Form),
}

#[pymethods]
impl Rows {
    /// A list of str, bytes, or null. Results have bytes if it has.
    #[staticmethod]
    fn of_list(list: Py<PyList>, is_bytes: bool) -> Self {
        Self(Given::List(list, if is_bytes { Form::Binary } else { Form::Text }))
    }

    /// Numbers of 81 cells per row, as a buffer of bytes. `validity` has a byte for each row.
    #[staticmethod]
    fn of_cells(
        cells: PyArrowBuffer,
        validity: Option<PyArrowBuffer>,
        blank: u8,
    ) -> PyResult<Self> {
        let cells = Arc::new(UInt8Array::new(cells.into_inner().into(), None));
        let validity = validity.as_ref().map(nulls);
        let lists = FixedSizeListArray::try_new(cell_field(), CELLS as i32, cells, validity);
        Self::of_array(Arc::new(lists.map_err(exception)?), blank)
    }

    /// Numbers, NaN for null: `ends` has the end of each row in `numbers`, from 0 on.
    #[staticmethod]
    fn of_numbers(
        numbers: PyArrowBuffer,
        ends: PyArrowBuffer,
        validity: PyArrowBuffer,
        blank: u8,
    ) -> PyResult<Self> {
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends.into_inner()));
        let numbers = Float64Array::new(numbers.into_inner().into(), None);
        let field = Arc::new(Field::new_list_field(DataType::Float64, true));
        let lists = LargeListArray::try_new(field, ends, Arc::new(numbers), Some(nulls(&validity)));
        Self::of_array(Arc::new(lists.map_err(exception)?), blank)
    }

    /// Texts of 81 bytes, filled up with zeros.
    #[staticmethod]
    fn of_texts(texts: PyArrowBuffer) -> PyResult<Self> {
        let texts = FixedSizeBinaryArray::try_new(CELLS as i32, texts.into_inner(), None);
        Self::of_array(Arc::new(texts.map_err(exception)?), 0)
    }

    /// An array, or a stream of arrays, with the Arrow PyCapsule interface.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, array: AnyArray, blank: u8) -> PyResult<Self> {
        let mut reader = array.into_reader()?;
        let mut rows = ArrowRows::new(reader.field().data_type(), blank).map_err(exception)?;
        // The reader may be waiting for a thread that needs the interpreter.
        while let Some(array) = py.detach(|| reader.next()) {
            py.check_signals()?;
            array.and_then(|array| rows.push(&array)).map_err(exception)?;
        }
        Ok(Self(Given::Arrays(rows)))
    }

    /// The first column of record batches.
    #[staticmethod]
    fn of_batches(batches: &Batches, blank: u8) -> PyResult<Self> {
        let (schema, batches) = batches.parts();
        let mut rows = ArrowRows::new(schema.field(0).data_type(), blank).map_err(exception)?;
        batches.iter().try_for_each(|batch| rows.push(batch.column(0))).map_err(exception)?;
        Ok(Self(Given::Arrays(rows)))
    }

    /// These rows as a column `puzzle`.
    fn to_batches(&self) -> PyResult<Batches> {
        let rows = self.rows(0..self.__len__())?;
        let data_type = match (&self.0, rows.arrays.first()) {
            (Given::List(_, Form::Text), _) | (_, None) => DataType::Utf8,
            (Given::List(..), _) => DataType::Binary,
            (_, Some(array)) => array.data_type().clone(),
        };
        let schema = Schema::new(vec![Field::new("puzzle", data_type.clone(), true)]);
        let schema = Arc::new(schema);
        let batches = rows
            .arrays
            .iter()
            .map(|array| RecordBatch::try_new(Arc::clone(&schema), vec![cast(array, &data_type)?]));
        let batches = batches.collect::<Result<_, _>>().map_err(exception)?;
        Ok(Batches::new(schema, batches))
    }

    /// "text", "binary", or "cells".
    #[getter]
    fn form(&self) -> &'static str {
        match &self.0 {
            Given::Arrays(rows) => rows.form.name(),
            Given::List(_, form) => form.name(),
        }
    }

    pub fn __len__(&self) -> usize {
        match &self.0 {
            Given::Arrays(rows) => rows.len(),
            Given::List(rows, _) => Python::attach(|py| rows.bind(py).len()),
        }
    }
}

impl Rows {
    fn of_array(array: ArrayRef, blank: u8) -> PyResult<Self> {
        let rows = ArrowRows::of(&array, blank).map_err(exception)?;
        Ok(Self(Given::Arrays(rows)))
    }

    /// Returns the rows, of a list only those of a range.
    fn rows(&self, range: Range<usize>) -> PyResult<ArrowRows> {
        match &self.0 {
            Given::Arrays(rows) => Ok(rows.clone()),
            Given::List(list, form) => Python::attach(|py| {
                let first = range.start;
                let texts: ArrayRef = Arc::new(copied(list.bind(py), range)?);
                let mut rows = ArrowRows::of(&texts, 0).map_err(exception)?;
                (rows.first, rows.form) = (first, *form);
                Ok(rows)
            }),
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
        let length = self.__len__();
        if let Some(answers) = answers.map(Self::__len__).filter(|&answers| answers != length) {
            let what = format!("{length} puzzles, but {answers} solutions: each puzzle needs one");
            return Err(PyValueError::new_err(what));
        }
        if first.checked_add(length as u64).is_none() {
            return Err(PyValueError::new_err("rows end at 2**64 - 1"));
        }
        let is_list = |rows: &Self| matches!(rows.0, Given::List(..));
        let has_list = is_list(self) || answers.is_some_and(is_list);
        let step = if has_list { ROWS_OF_LIST * threads } else { length.max(1) };
        for start in (0..length).step_by(step) {
            let range = start..length.min(start + step);
            let puzzles = self.rows(range.clone())?;
            let answers = answers.map(|answers| answers.rows(range.clone())).transpose()?;
            let rows = Arc::new(CallerRows { puzzles, answers, first });
            work(first + range.start as u64..first + range.end as u64, rows)?;
        }
        Ok(())
    }
}

/// Returns the place of the column of puzzles, or of the most likely one of solutions, by the names of all. Solutions that
/// are to be checked may have further names.
#[pyfunction]
pub fn find_column(all: Vec<String>, of_solutions: bool, are_required: bool) -> Option<usize> {
    if !of_solutions {
        return all.iter().position(|name| names::is_puzzles(name.as_bytes()));
    }
    let likely = all.iter().enumerate();
    let likely = likely.filter_map(|(at, name)| Some((names::solutions(name, are_required)?, at)));
    likely.min().map(|(_, at)| at)
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

/// An error as a Python exception: the one that caused it, if there is one.
pub fn exception(error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(error) => match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(error) => PyOSError::new_err(error.to_string()),
        },
        // The exception of an iterator that another library reads.
        ArrowError::CDataInterface(what) if what.contains("KeyboardInterrupt") => {
            PyKeyboardInterrupt::new_err(())
        }
        ArrowError::CDataInterface(what) | ArrowError::IoError(what, _) => PyOSError::new_err(what),
        ArrowError::MemoryError(what) => PyMemoryError::new_err(what),
        ArrowError::NotYetImplemented(what) => PyTypeError::new_err(what),
        ArrowError::InvalidArgumentError(what) => PyValueError::new_err(what),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Reads validity from a buffer with a byte for each row.
fn nulls(validity: &PyArrowBuffer) -> NullBuffer {
    let bytes: &[u8] = validity.as_ref();
    bytes.iter().map(|&byte| byte != 0).collect()
}
