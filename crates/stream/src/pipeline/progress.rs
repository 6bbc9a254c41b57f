//! The progress of a run, and the inputs that failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, panic, thread};

use thiserror::Error;

use super::visible;

/// The progress of a run, shared with other threads.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of records whose rows are written.
    pub records: AtomicU64,
    /// The number of these rows.
    pub rows: AtomicU64,
    /// The number of raw bytes of the inputs up to the last of these records.
    pub bytes: AtomicU64,
    /// The flag that stops the run within a fraction of a second, at a block boundary.
    pub stop: Arc<AtomicBool>,
}

/// An input that could not be read to its end.
#[derive(Debug, Error)]
#[error("{}: {error}", visible(file))]
#[non_exhaustive]
pub struct InputFailure {
    /// The name of the input.
    pub file: String,
    /// The cause of the failure.
    pub error: io::Error,
    /// Whether this input contains the solutions of the others. If so, any row may be wrong.
    pub has_answers: bool,
}

/// Runs `work` on another thread while this thread calls `check` after each interval, and once more
/// with `true` at the end. If no thread can be started, runs `work` on this thread without checks.
///
/// # Errors
/// Fails if `check` fails, after the work has ended; `check` must stop the work.
#[expect(clippy::missing_panics_doc, reason = "the work is done once")]
pub fn watch<T: Send, E>(
    interval: Duration,
    work: impl FnOnce() -> T + Send,
    mut check: impl FnMut(bool) -> Result<(), E>,
) -> Result<T, E> {
    let mut work = Some(work);
    let mut do_work = || work.take().expect("it is done once")();
    let watched = thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        let work = || {
            // Dropped at the end, even if `work` panics.
            let _working = working;
            do_work()
        };
        let builder = thread::Builder::new().name("bulkdoku".into());
        let thread = builder.spawn_scoped(scope, work).ok()?;
        loop {
            let has_ended = ended.recv_timeout(interval) != Err(RecvTimeoutError::Timeout);
            if let Err(error) = check(has_ended) {
                return Some(Err(error));
            }
            if has_ended {
                return Some(Ok(thread.join().unwrap_or_else(|why| panic::resume_unwind(why))));
            }
        }
    });
    watched.unwrap_or_else(|| Ok(do_work()))
}
