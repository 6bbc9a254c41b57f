//! How the command ends.

use std::process::{ExitCode, Termination};

/// The exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every record is `unique` (or `solved`, or `ok`), or the reader of our output has left.
    Done = 0,
    /// Finished, but some record is anything else.
    SomeRecords = 1,
    /// The command line asked for something that cannot be done.
    Usage = 2,
    /// Input or output failed.
    Io = 3,
    /// A signal ended the run; what was solved is written.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_what_scripts_rely_on() {
        let statuses = [Exit::Done, Exit::SomeRecords, Exit::Usage, Exit::Io, Exit::Interrupted];
        assert_eq!(statuses.map(|exit| exit as u8), [0, 1, 2, 3, 130]);
    }
}
