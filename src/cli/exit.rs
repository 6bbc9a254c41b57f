//! Exit statuses.

use std::process::{ExitCode, Termination};

/// The exit status of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every record is `unique`, `solved`, `ok`, `duplicate`, or `known`, or the output was closed.
    Done = 0,
    /// The run is complete, but some record has another status.
    SomeRecords = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Input or output failed.
    Io = 3,
    /// Another run holds an output. A later attempt may succeed (`EX_TEMPFAIL`).
    Busy = 75,
    /// `--timeout` ended the run. The rows so far are written.
    TimedOut = 124,
    /// A signal ended the run. The rows so far are written.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
