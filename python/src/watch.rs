//! Handles signals and progress while a call works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use bulkdoku::pipeline::watch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The interval between two checks of signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress of a call, and the callback that receives it.
pub struct Progress {
    /// Receives the number of rows completed since its last call, like `tqdm.update`.
    callback: Option<Py<PyAny>>,
    /// Completed rows that are not reported yet.
    pub rows: AtomicUsize,
    /// Set if a signal handler or the callback raises an exception.
    pub stop: Arc<AtomicBool>,
    /// The thread that checks signals. Other threads that read a stream may have to do without the
    /// interpreter.
    thread: ThreadId,
}

impl Progress {
    pub fn new(callback: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if callback.is_some_and(|callback| !callback.is_callable()) {
            return Err(PyTypeError::new_err(
                "progress is not callable; it is called with a number of rows",
            ));
        }
        Ok(Self {
            callback: callback.map(|callback| callback.clone().unbind()),
            rows: AtomicUsize::new(0),
            stop: Arc::default(),
            thread: thread::current().id(),
        })
    }

    /// Runs signal handlers, and reports completed rows.
    pub fn check(&self) -> PyResult<()> {
        let has_signals = thread::current().id() == self.thread;
        if !has_signals && self.callback.is_none() {
            return Ok(());
        }
        Python::attach(|py| {
            if has_signals {
                py.check_signals()?;
            }
            let rows = self.rows.swap(0, Ordering::Relaxed);
            match &self.callback {
                Some(callback) if rows > 0 => callback.call1(py, (rows,)).map(drop),
                _ => Ok(()),
            }
        })
    }

    /// Runs `work` on a new thread and checks signals and progress meanwhile. If a check fails, it
    /// sets `stop`, waits for the thread, and returns the exception.
    pub fn watch<T: Send>(&self, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.stop.store(false, Ordering::Relaxed);
        watch(INTERVAL, work, |_| {
            self.check().inspect_err(|_| self.stop.store(true, Ordering::Relaxed))
        })
    }
}
