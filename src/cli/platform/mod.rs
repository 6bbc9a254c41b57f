//! What differs between systems: two files with the same functions, and no `cfg` anywhere else in the
//! command.
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

#[cfg(not(unix))]
pub use other::{FileId, Pipe, Stdout, check_stdin, check_stdout, read_at, stop_at_signal};
#[cfg(unix)]
pub use signals::stop_at_signal;
#[cfg(unix)]
pub use streams::{check_stdin, check_stdout};
#[cfg(unix)]
pub use unix::{FileId, Pipe, Stdout, read_at};
