//! Handles signals and progress while a call works.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};
use std::time::Duration;

use bulkdoku::pipeline::watch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The interval between two checks of signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// The main thread of the interpreter, which runs the signal handlers.
static MAIN: OnceLock<ThreadId> = OnceLock::new();

/// Remembers the main thread, if this is it.
pub fn remember_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?;
    if threading.call_method0("current_thread")?.is(&main) {
        MAIN.get_or_init(|| thread::current().id());
    }
    Ok(())
}

/// The progress of a call, and the callback that receives it.
pub struct Progress {
    /// Receives the number of rows completed since its last call, like `tqdm.update`.
    callback: Option<Py<PyAny>>,
    /// Completed rows that are not reported yet.
    pub rows: AtomicUsize,
    /// Set if a signal handler or the callback raises an exception.
    pub stop: Arc<AtomicBool>,
    /// The thread that made the call. It and the main thread check signals; others that read a stream
    /// may have to do without the interpreter.
    thread: ThreadId,
}

impl<'py> FromPyObject<'_, 'py> for Progress {
    type Error = PyErr;

    /// Takes a callback, or `None`.
    fn extract(callback: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let callback = callback.extract::<Option<Bound<'_, PyAny>>>()?;
        if callback.as_ref().is_some_and(|callback| !callback.is_callable()) {
            let what = "progress is not callable; it is called with a number of rows";
            return Err(PyTypeError::new_err(what));
        }
        let (callback, rows) = (callback.map(Bound::unbind), AtomicUsize::new(0));
        Ok(Self { callback, rows, stop: Arc::default(), thread: thread::current().id() })
    }
}

impl Progress {
    /// Runs signal handlers, and reports completed rows.
    pub fn check(&self) -> PyResult<()> {
        let this = thread::current().id();
        let has_signals = this == self.thread || MAIN.get() == Some(&this);
        if !has_signals && self.callback.is_none() {
            return Ok(());
        }
        Python::attach(|py| {
            if has_signals {
                py.check_signals()?;
            }
            // Also if there are none: an exception of the callback cancels the call.
            let rows = self.rows.swap(0, Ordering::Relaxed);
            match &self.callback {
                Some(callback) => callback.call1(py, (rows,)).map(drop),
                None => Ok(()),
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
