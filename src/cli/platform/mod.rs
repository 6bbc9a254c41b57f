//! What differs between systems. Nothing else in the command has a `cfg` for the system.
//!
//! | what | Unix | elsewhere |
//! |---|---|---|
//! | [`Pipe`] | a read ends after a while, to check for signals | a read blocks |
//! | [`Stdout`] | unbuffered | that of the standard library |
//! | [`FileId`] | device and inode | by `same-file` |
//! | [`stop_at_signal`] | SIGINT and SIGTERM; a second one ends the run at once | the same if `signal-hook` supports it |

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod unix;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(not(unix))]
use other as signals;
#[cfg(not(unix))]
pub use other::{FileId, Pipe, Stdout};
#[cfg(unix)]
pub use unix::{FileId, Pipe, Stdout};

use super::Failure;

/// Handles signals: the first one sets `stop`, and is confirmed on standard error unless `quiet`. A
/// second one ends the process.
pub fn stop_at_signal(stop: &Arc<AtomicBool>, quiet: bool) -> Result<(), Failure> {
    signals::stop_at_signal(stop, quiet)
        .map_err(|error| Failure::Io(format!("signals cannot be waited for: {error}")))
}
