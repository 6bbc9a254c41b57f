//! Works on ranges of rows on threads, while the calling thread handles signals.

use std::mem;
use std::ops::Range;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::StopFlag;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::progress::Progress;

/// The interval between two checks of signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Handles signals and progress while threads work.
pub struct Watch<'a> {
    progress: &'a mut Progress,
    /// Whether this thread may receive signals.
    signals: bool,
}

impl<'a> Watch<'a> {
    pub fn new(progress: &'a mut Progress, signals: bool) -> Self {
        Self { progress, signals }
    }

    /// Runs signal handlers, and reports rows that are done.
    pub fn check(&mut self, rows: usize) -> PyResult<()> {
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

/// Divides rows into ranges of up to `size`.
pub fn ranges(rows: usize, size: usize) -> Vec<Range<usize>> {
    (0..rows).step_by(size).map(|start| start..rows.min(start + size)).collect()
}

/// Works on ranges of rows on up to `threads` threads. The caller must not hold the interpreter,
/// unless no thread needs it.
///
/// Each thread makes its own state. `work` returns `None` only if `stop` was requested: that
/// happens when a signal handler or the progress callback raises an exception, which is then
/// returned. Results are in the order of the ranges.
pub fn run<S, T: Send>(
    threads: usize,
    ranges: &[Range<usize>],
    stop: &StopFlag,
    watch: &mut Watch<'_>,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<usize>) -> Option<T> + Sync,
) -> PyResult<Vec<T>> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut handles = Vec::new();
        for _ in 0..threads.min(ranges.len()) {
            let (sender, next, make, work) = (sender.clone(), &next, &make, &work);
            let worker = move || {
                let mut state = make();
                while !stop.is_requested() {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(range) = ranges.get(place) else { break };
                    let Some(result) = work(&mut state, range.clone()) else { break };
                    if sender.send((place, result)).is_err() {
                        break;
                    }
                }
            };
            match thread::Builder::new().name("bulkdoku".into()).spawn_scoped(scope, worker) {
                Ok(handle) => handles.push(handle),
                // Continue with fewer threads.
                Err(_) if !handles.is_empty() => break,
                Err(error) => {
                    let what = format!("no thread could be started: {error}");
                    return Err(PyRuntimeError::new_err(what));
                }
            }
        }
        drop(sender);
        let collected = collect(ranges, &receiver, stop, watch);
        for handle in handles {
            if let Err(payload) = handle.join() {
                panic::resume_unwind(payload);
            }
        }
        collected
    })
}

fn collect<T>(
    ranges: &[Range<usize>],
    receiver: &Receiver<(usize, T)>,
    stop: &StopFlag,
    watch: &mut Watch<'_>,
) -> PyResult<Vec<T>> {
    let mut results: Vec<Option<T>> = ranges.iter().map(|_| None).collect();
    let (mut rows, mut checked) = (0, Instant::now());
    loop {
        match receiver.recv_timeout(INTERVAL) {
            Ok((place, result)) => {
                rows += ranges[place].len();
                results[place] = Some(result);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if checked.elapsed() >= INTERVAL {
            checked = Instant::now();
            // Threads end within a fraction of a second, and the scope waits for them.
            watch.check(mem::take(&mut rows)).inspect_err(|_| stop.request())?;
        }
    }
    watch.check(rows)?;
    let results: Option<Vec<T>> = results.into_iter().collect();
    results.ok_or_else(|| PyRuntimeError::new_err("a thread ended early"))
}
