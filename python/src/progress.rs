//! Calls a callback with the number of rows that are done.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A callback that gets the number of rows done since its last call, like `tqdm.update`.
#[derive(Default)]
pub struct Progress {
    callback: Option<Py<PyAny>>,
    /// Rows that are not reported yet.
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

    /// Counts rows that are done.
    pub fn add(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Calls the callback if there are rows to report.
    pub fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        let rows = std::mem::take(&mut self.rows);
        match &self.callback {
            Some(callback) if rows > 0 => callback.call1(py, (rows,)).map(drop),
            _ => Ok(()),
        }
    }
}
