//! Lists of `str` or `bytes`.

use std::ops::Range;

use bulkdoku::puzzle::CELLS;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyByteArrayMethods, PyBytes, PyFloat, PyList, PyString};

use super::Rows;
use crate::block::Block;

/// Copies of the elements of a list, concatenated.
#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The indices of null elements.
    nulls: Vec<usize>,
}

impl Texts {
    /// Copies a range of a list, replacing earlier copies.
    ///
    /// # Errors
    /// `TypeError` when an element is neither text nor null.
    pub fn copy(&mut self, list: &Bound<'_, PyList>, range: Range<usize>) -> PyResult<()> {
        self.bytes.clear();
        self.ends.clear();
        self.nulls.clear();
        self.bytes.reserve(range.len() * CELLS);
        self.ends.reserve(range.len());
        for at in range {
            let item = list.get_item(at)?;
            if let Ok(text) = item.cast::<PyString>() {
                // A lone surrogate has no UTF-8 and is not a cell.
                match text.to_str() {
                    Ok(text) => self.bytes.extend_from_slice(text.as_bytes()),
                    Err(_) => self.bytes.extend_from_slice(text.to_string_lossy().as_bytes()),
                }
            } else if let Ok(text) = item.cast::<PyBytes>() {
                self.bytes.extend_from_slice(text.as_bytes());
            } else if let Ok(text) = item.cast::<PyByteArray>() {
                self.bytes.extend_from_slice(&text.to_vec());
            } else if is_null(&item)? {
                self.nulls.push(self.ends.len());
            } else {
                let name = item.get_type().fully_qualified_name()?;
                let what = format!("element {at} of the list is {name}, not str or bytes");
                return Err(PyTypeError::new_err(what));
            }
            self.ends.push(self.bytes.len());
        }
        Ok(())
    }

    fn bytes_of(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    fn is_null(&self, row: usize) -> bool {
        !self.nulls.is_empty() && self.nulls.binary_search(&row).is_ok()
    }
}

/// Whether an element is null: `None`, or a missing value of pandas.
fn is_null(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    Ok(item.get_type().name()? == "NAType")
}

impl Rows for Texts {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn read(&self, rows: Range<usize>, block: &mut Block) {
        for row in rows {
            if self.is_null(row) {
                block.push_null();
            } else {
                block.push_text(self.bytes_of(row));
            }
        }
    }

    fn text<'a>(&'a self, row: usize, _: &'a mut [u8; CELLS]) -> Option<&'a [u8]> {
        (!self.is_null(row)).then(|| self.bytes_of(row))
    }
}
