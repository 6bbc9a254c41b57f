//! What differs between systems: two files with the same functions, and no `cfg` anywhere else in
//! the command.
//!
//! | what | Unix | elsewhere |
//! |---|---|---|
//! | [`Pipe`] | a read is given up after a while, so that a signal is seen | it blocks |
//! | [`Stdout`] | without a buffer of its own | that of the standard library |
//! | [`FileId`] | device and inode | what `same-file` finds |
//! | [`stop_at_signal`] | SIGINT and SIGTERM; a second one ends the run at once | the same where `signal-hook` has them |
//! | [`check_stdin`] | a closed stream is seen | it is not |

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod unix;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(not(unix))]
use other as signals;
#[cfg(not(unix))]
pub use other::{FileId, Pipe, Stdout, check_stdin, check_stdout, read_at};
#[cfg(unix)]
pub use streams::{check_stdin, check_stdout};
#[cfg(unix)]
pub use unix::{FileId, Pipe, Stdout, read_at};

use super::Failure;

/// From now on the first signal sets `stop`, and is confirmed on standard error unless `quiet`. A
/// second one ends the process.
pub fn stop_at_signal(stop: &Arc<AtomicBool>, quiet: bool) -> Result<(), Failure> {
    signals::stop_at_signal(stop, quiet)
        .map_err(|error| Failure::Io(format!("signals cannot be waited for: {error}")))
}
