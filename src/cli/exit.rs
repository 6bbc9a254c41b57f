//! The exit statuses.

use std::process::{ExitCode, Termination};

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every record is `unique` (or `solved`, `ok`, `duplicate`, `known`), or the pipe of the rows
    /// was closed.
    Done = 0,
    /// Finished, but some record has another status.
    SomeRecords = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Input or output failed.
    Io = 3,
    /// `--timeout` ended the run. What was solved is written.
    TimedOut = 124,
    /// A signal ended the run. What was solved is written.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
