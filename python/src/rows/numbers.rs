//! numpy arrays: cells as numbers, and fixed-width bytes.

use std::ops::Range;

use bulkdoku::puzzle::CELLS;
use numpy::{
    PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Rows, cells_to_text};
use crate::block::Block;

/// An array of `uint8` of shape (n, 81) or (n, 9, 9).
pub struct CellsArray<'py> {
    array: PyReadonlyArrayDyn<'py, u8>,
    blank: u8,
}

impl<'py> CellsArray<'py> {
    pub fn new(array: &Bound<'py, PyUntypedArray>, blank: u8) -> PyResult<Self> {
        let shape = array.shape();
        if !matches!(shape, [_, CELLS] | [_, 9, 9]) {
            let hint = match shape {
                [CELLS] | [9, 9] => "; one puzzle is array.reshape(1, 81)",
                _ => "",
            };
            let what = format!("shape {shape:?}: an array of cells is (n, 81) or (n, 9, 9){hint}");
            return Err(PyValueError::new_err(what));
        }
        Ok(Self { array: contiguous(array)?, blank })
    }

    pub fn len(&self) -> usize {
        self.array.shape()[0]
    }

    /// The rows, which can be read without the interpreter.
    pub fn rows(&self) -> PyResult<Cells<'_>> {
        let (rows, rest) = self.array.as_slice()?.as_chunks::<CELLS>();
        debug_assert!(rest.is_empty());
        Ok(Cells { rows, blank: self.blank })
    }
}

/// The array, copied if it is not contiguous.
fn contiguous<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<PyReadonlyArrayDyn<'py, u8>> {
    let numpy = array.py().import("numpy")?;
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    Ok(array.cast::<PyArrayDyn<u8>>()?.try_readonly()?)
}

/// Rows of 81 numbers.
pub struct Cells<'a> {
    rows: &'a [[u8; CELLS]],
    blank: u8,
}

impl Rows for Cells<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn read(&self, rows: Range<usize>, block: &mut Block) {
        for cells in &self.rows[rows] {
            block.push_cells(cells, self.blank);
        }
    }

    fn text<'a>(&'a self, row: usize, room: &'a mut [u8; CELLS]) -> Option<&'a [u8]> {
        cells_to_text(&self.rows[row], self.blank, room);
        Some(room)
    }
}

/// An array of dtype `S`: text of fixed width, padded with NUL bytes.
pub struct BytesArray<'py> {
    array: PyReadonlyArrayDyn<'py, u8>,
    width: usize,
}

impl<'py> BytesArray<'py> {
    pub fn new(array: &Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        let shape = array.shape();
        let &[length] = shape else {
            let what = format!("an array of bytes has one dimension, not shape {shape:?}");
            return Err(PyValueError::new_err(what));
        };
        let width = array.dtype().getattr("itemsize")?.extract::<usize>()?;
        let numpy = array.py().import("numpy")?;
        let bytes = numpy.call_method1("ascontiguousarray", (array,))?;
        // numpy cannot view elements of width 0 as bytes.
        let bytes = if length * width == 0 {
            numpy.call_method1("zeros", ((length, 1), "u1"))?
        } else {
            bytes.call_method1("view", ("u1",))?.call_method1("reshape", ((length, width),))?
        };
        Ok(Self { array: bytes.cast::<PyArrayDyn<u8>>()?.try_readonly()?, width: width.max(1) })
    }

    pub fn len(&self) -> usize {
        self.array.shape()[0]
    }

    /// The rows, which can be read without the interpreter.
    pub fn rows(&self) -> PyResult<FixedWidth<'_>> {
        Ok(FixedWidth { bytes: self.array.as_slice()?, width: self.width })
    }
}

/// Rows of text of fixed width.
pub struct FixedWidth<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl FixedWidth<'_> {
    fn bytes_of(&self, row: usize) -> &[u8] {
        let text = &self.bytes[row * self.width..(row + 1) * self.width];
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        &text[..end]
    }
}

impl Rows for FixedWidth<'_> {
    fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    fn read(&self, rows: Range<usize>, block: &mut Block) {
        for row in rows {
            block.push_text(self.bytes_of(row));
        }
    }

    fn text<'a>(&'a self, row: usize, _: &'a mut [u8; CELLS]) -> Option<&'a [u8]> {
        Some(self.bytes_of(row))
    }
}
