//! Tells a callback how many rows are done.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A callback that takes the number of rows that were done since the last time, as `tqdm.update` does.
#[derive(Default)]
pub struct Progress {
    callback: Option<Py<PyAny>>,
    /// Rows that it has not been told.
    rows: usize,
}

impl Progress {
    pub fn new(callback: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Some(callback) = callback
            && !callback.is_callable()
        {
            return Err(PyTypeError::new_err(
                "progress is not callable; it is called with a number of rows",
            ));
        }
        Ok(Self { callback: callback.map(|callback| callback.clone().unbind()), rows: 0 })
    }

    /// Whether there is no callback.
    pub const fn is_silent(&self) -> bool {
        self.callback.is_none()
    }

    /// Notes rows that are done.
    pub fn add(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Calls the callback if there is something to tell.
    pub fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        let rows = std::mem::take(&mut self.rows);
        match &self.callback {
            Some(callback) if rows > 0 => callback.call1(py, (rows,)).map(drop),
            _ => Ok(()),
        }
    }
}
