//! Arguments as rows that can be read without the interpreter.
//!
//! One file for each kind: `text` for lists, `numbers` for numpy arrays, `arrow` for everything
//! with the Arrow `PyCapsule` interface. All implement [`Rows`].

pub mod arrow;
mod numbers;
pub mod text;

use std::ops::Range;

use bulkdoku::puzzle::CELLS;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString};

use self::arrow::ArrowRows;
use self::numbers::{BytesArray, CellsArray};
use self::text::Texts;
use crate::block::Block;

/// The accepted types, for messages.
const TAKEN: &str = "taken are a list of str or bytes, a numpy array (uint8 of shape (n, 81) or (n, 9, 9), or S81), \
     or an Arrow array, record batch, table or stream (pyarrow, polars, pandas, DuckDB) whose puzzles are text, \
     binary, fixed_size_binary[81] or fixed_size_list<uint8>[81]";

/// The number of rows of a list that are copied together: they fit in the caches.
const ROWS_OF_LIST: usize = 16 * 1024;

/// Written for a number that is not a cell.
pub const NO_CELL: u8 = b'!';

/// Rows that any number of threads can read without the interpreter.
pub trait Rows: Sync {
    fn len(&self) -> usize;

    /// Adds a range of rows to a block.
    fn read(&self, rows: Range<usize>, block: &mut Block);

    /// A row as text, `None` for null. Cells are written to `room`.
    fn text<'a>(&'a self, row: usize, room: &'a mut [u8; CELLS]) -> Option<&'a [u8]>;
}

/// Puzzles or solutions, as passed by the caller.
pub enum Given<'py> {
    Arrow(ArrowRows),
    Cells(CellsArray<'py>),
    Bytes(BytesArray<'py>),
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

impl<'py> Given<'py> {
    /// Recognises an argument; `what` tells whether it has puzzles or solutions.
    pub fn new(given: &Bound<'py, PyAny>, options: &ReadOptions, what: Names) -> PyResult<Self> {
        if given.is_instance_of::<PyString>()
            || given.is_instance_of::<PyBytes>()
            || given.is_instance_of::<PyByteArray>()
        {
            let one = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{one} is one row, not many: give a list")));
        }
        if let Ok(list) = given.cast::<PyList>() {
            return Ok(Self::List(list.clone()));
        }
        if let Ok(array) = given.cast::<PyUntypedArray>() {
            return Self::of_array(array, options);
        }
        if let Some(rows) = arrow::import(given, options, what)? {
            return Ok(Self::Arrow(rows));
        }
        if given.hasattr("__array__")? {
            let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
            return Self::of_array(array.cast::<PyUntypedArray>()?, options);
        }
        if given.is_instance_of::<PyDict>() {
            return Err(refused(given)?);
        }
        match given.try_iter() {
            Ok(rows) => {
                let list = PyList::empty(given.py());
                for row in rows {
                    list.append(row?)?;
                }
                Ok(Self::List(list))
            }
            Err(_) => Err(refused(given)?),
        }
    }

    fn of_array(array: &Bound<'py, PyUntypedArray>, options: &ReadOptions) -> PyResult<Self> {
        let dtype = array.dtype();
        let kind: String = dtype.getattr("kind")?.extract()?;
        match kind.as_str() {
            "u" if array.dtype().getattr("itemsize")?.extract::<usize>()? == 1 => {
                Ok(Self::Cells(CellsArray::new(array, options.blank)?))
            }
            "S" => Ok(Self::Bytes(BytesArray::new(array)?)),
            "U" | "O" => {
                if array.ndim() != 1 {
                    let shape = array.shape();
                    let what = format!("an array of str has one dimension, not shape {shape:?}");
                    return Err(PyValueError::new_err(what));
                }
                Ok(Self::List(array.call_method0("tolist")?.cast_into::<PyList>()?))
            }
            _ => Err(PyTypeError::new_err(format!(
                "a numpy array of {dtype}: give uint8 (array.astype(numpy.uint8)); {TAKEN}"
            ))),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Arrow(rows) => rows.len(),
            Self::Cells(rows) => rows.len(),
            Self::Bytes(rows) => rows.len(),
            Self::List(rows) => rows.len(),
        }
    }

    /// Fails if there are not as many solutions.
    pub fn check_solutions(&self, solutions: &Given<'_>) -> PyResult<()> {
        let (puzzles, solutions) = (self.len(), solutions.len());
        if puzzles == solutions {
            return Ok(());
        }
        let what = format!("{puzzles} puzzles, but {solutions} solutions: each puzzle needs one");
        Err(PyValueError::new_err(what))
    }

    /// Calls `work` with all rows, in one part if they can be read in place. Elements of a list
    /// must be copied first, so there are several parts of up to [`ROWS_OF_LIST`] rows per thread.
    pub fn for_each_part(
        &self,
        threads: usize,
        mut work: impl FnMut(&dyn Rows) -> PyResult<()>,
    ) -> PyResult<()> {
        match self {
            Self::Arrow(rows) => work(rows),
            Self::Cells(array) => work(&array.rows()?),
            Self::Bytes(array) => work(&array.rows()?),
            Self::List(list) => {
                let (length, step) = (list.len(), ROWS_OF_LIST * threads);
                let mut texts = Texts::default();
                for start in (0..length).step_by(step) {
                    texts.copy(list, start..length.min(start + step))?;
                    work(&texts)?;
                }
                Ok(())
            }
        }
    }

    /// Calls `work` with all rows at once.
    pub fn with_all<T>(&self, work: impl FnOnce(&dyn Rows) -> PyResult<T>) -> PyResult<T> {
        match self {
            Self::Arrow(rows) => work(rows),
            Self::Cells(array) => work(&array.rows()?),
            Self::Bytes(array) => work(&array.rows()?),
            Self::List(list) => {
                let mut texts = Texts::default();
                texts.copy(list, 0..list.len())?;
                work(&texts)
            }
        }
    }
}

/// Which column of a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Puzzles,
    Solutions,
}

fn refused(given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let name = given.get_type().fully_qualified_name()?;
    Ok(PyTypeError::new_err(format!("{name} is not taken; {TAKEN}")))
}

/// Writes cells as text: a blank as a point, other values as [`NO_CELL`].
fn cells_to_text(cells: &[u8; CELLS], blank: u8, room: &mut [u8; CELLS]) {
    for (text, &cell) in room.iter_mut().zip(cells) {
        *text = match cell.wrapping_sub(blank) {
            0 => b'.',
            digit @ 1..=9 => b'0' + digit,
            _ => NO_CELL,
        };
    }
}
