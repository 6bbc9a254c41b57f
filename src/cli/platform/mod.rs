//! Platform-specific code. No other module of the command has a `cfg` for the operating system.
//!
//! | what | Unix | elsewhere |
//! |---|---|---|
//! | [`Pipe`] | a read times out, to check for signals | a read blocks |
//! | [`stdout`] | unbuffered | the standard library's |
//! | [`FileId`] | device and inode | by `same-file` |
//! | [`sync_folder`] | syncs names | does nothing |
//! | [`signals`] | see there | SIGINT and SIGTERM, if `signal-hook` supports them |

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod unix;

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

#[cfg(not(unix))]
use other as signals;
#[cfg(not(unix))]
pub use other::{FileId, Pipe, Stdout, path_of_bytes, stdout, sync_folder};
#[cfg(unix)]
pub use unix::{FileId, Pipe, Stdout, path_of_bytes, stdout, sync_folder};

use bulkdoku::Progress;
use serde::Serialize;

use super::lock::remove_leftovers;
use super::{Exit, Failure, log};

/// Whether the run must end.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static TIMED_OUT: AtomicBool = AtomicBool::new(false);

/// The time that a stopped run has to end cleanly. It may exceed it while a write waits for the
/// reader of a full pipe, or while a named pipe without a reader is opened.
const GRACE: Duration = Duration::from_millis(900);

/// Sets [`STOP`] at the first signal or after `timeout`; ends the process if necessary.
pub fn stop_at_signal_or_timeout(quiet: bool, timeout: Option<Duration>) -> Result<(), Failure> {
    signals::handle(move || end_soon(quiet))
        .map_err(|error| Failure::Io(format!("signals cannot be handled: {error}")))?;
    let Some(timeout) = timeout else { return Ok(()) };
    let wait = move || {
        thread::sleep(timeout);
        TIMED_OUT.store(true, Ordering::SeqCst);
        STOP.store(true, Ordering::SeqCst);
        end_soon(quiet);
    };
    let spawned = thread::Builder::new().name("timeout".into()).spawn(wait);
    spawned.map(drop).map_err(|error| Failure::Io(format!("--timeout: no thread: {error}")))
}

pub fn new_progress() -> Progress {
    Progress { stop: Arc::clone(&STOP), ..Progress::default() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Interruption {
    Signal,
    Timeout,
    /// An output failed, or its reader closed it.
    Output,
}

impl Interruption {
    pub fn of_run(is_stopped: bool) -> Option<Self> {
        is_stopped.then(|| interruption().unwrap_or(Self::Output))
    }
}

pub fn interruption() -> Option<Interruption> {
    let is_stopped = STOP.load(Ordering::SeqCst);
    let timed_out = TIMED_OUT.load(Ordering::SeqCst);
    is_stopped.then_some(if timed_out { Interruption::Timeout } else { Interruption::Signal })
}

pub fn exit_of_stop() -> Exit {
    if interruption() == Some(Interruption::Timeout) { Exit::TimedOut } else { Exit::Interrupted }
}

/// Reports that the run was stopped, unless `quiet`, and ends the process after [`GRACE`].
fn end_soon(quiet: bool) {
    let end = || {
        thread::sleep(GRACE);
        remove_leftovers();
        process::exit(exit_of_stop() as i32);
    };
    // Without this thread, a waiting run ends at the second signal.
    let _ = thread::Builder::new().name("end".into()).spawn(end);
    if !quiet && exit_of_stop() == Exit::Interrupted {
        log::note("stopping; press Ctrl-C again to end at once");
    }
}
