//! Work in units, on threads, while the calling thread waits for signals.

use std::mem;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::StopFlag;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::progress::Progress;

/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// What a call attends to while its threads work.
pub struct Watch<'a> {
    progress: &'a mut Progress,
    /// Whether signals may be meant for this thread.
    signals: bool,
}

impl<'a> Watch<'a> {
    pub fn new(progress: &'a mut Progress, signals: bool) -> Self {
        Self { progress, signals }
    }

    /// Runs the handlers of signals, and tells about rows that are done.
    pub fn look(&mut self, rows: usize) -> PyResult<()> {
        self.progress.add(rows);
        if !self.signals && self.progress.is_silent() {
            return Ok(());
        }
        Python::attach(|py| {
            if self.signals {
                py.check_signals()?;
            }
            self.progress.tell(py)
        })
    }
}

/// Does numbered units of work on up to `threads` threads. The caller must not hold the interpreter, or
/// none of the threads may need it.
///
/// Each thread makes a state of its own. A unit returns `None` only if `stop` was requested: that happens
/// when the handler of a signal or the progress callback raises an exception, which is then returned. What
/// units return comes in their order. `rows_of` says how many rows a unit has.
pub fn run<S, T: Send>(
    threads: usize,
    units: usize,
    stop: &StopFlag,
    watch: &mut Watch<'_>,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Option<T> + Sync,
    rows_of: impl Fn(usize) -> usize,
) -> PyResult<Vec<T>> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut handles = Vec::new();
        for _ in 0..threads.min(units) {
            let (sender, next, make, work) = (sender.clone(), &next, &make, &work);
            let worker = move || {
                let mut state = make();
                while !stop.is_requested() {
                    let unit = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = (unit < units).then(|| work(&mut state, unit)).flatten()
                    else {
                        break;
                    };
                    if sender.send((unit, result)).is_err() {
                        break;
                    }
                }
            };
            match thread::Builder::new().name("bulkdoku".into()).spawn_scoped(scope, worker) {
                Ok(handle) => handles.push(handle),
                // Fewer threads do, too.
                Err(_) if !handles.is_empty() => break,
                Err(error) => {
                    let what = format!("no thread could be started: {error}");
                    return Err(PyRuntimeError::new_err(what));
                }
            }
        }
        drop(sender);
        let collected = collect(units, &receiver, stop, watch, rows_of);
        for handle in handles {
            if let Err(payload) = handle.join() {
                panic::resume_unwind(payload);
            }
        }
        collected
    })
}

/// Collects what units return, and attends to signals.
fn collect<T>(
    units: usize,
    receiver: &Receiver<(usize, T)>,
    stop: &StopFlag,
    watch: &mut Watch<'_>,
    rows_of: impl Fn(usize) -> usize,
) -> PyResult<Vec<T>> {
    let mut results: Vec<Option<T>> = (0..units).map(|_| None).collect();
    let (mut rows, mut looked) = (0, Instant::now());
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok((unit, result)) => {
                rows += rows_of(unit);
                results[unit] = Some(result);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            // Threads end within a fraction of a second, and the scope waits for them.
            watch.look(mem::take(&mut rows)).inspect_err(|_| stop.request())?;
        }
    }
    watch.look(rows)?;
    let results: Option<Vec<T>> = results.into_iter().collect();
    results.ok_or_else(|| PyRuntimeError::new_err("a thread ended early"))
}
