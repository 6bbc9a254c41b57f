//! Errors of streams that are verified in parts: members, frames, row groups.

use std::io::{self, ErrorKind};

use thiserror::Error;

/// An error, and how much output of the part that failed precedes it.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
pub(super) struct Damage {
    pub message: String,
    pub unverified: u64,
}

impl Damage {
    pub(super) fn error(self, kind: ErrorKind) -> io::Error {
        io::Error::new(kind, self)
    }
}

/// Returns how many bytes before this read error are not verified; `None` means that all are.
pub(crate) fn unverified_bytes(error: &io::Error) -> Option<u64> {
    error.get_ref()?.downcast_ref().map(|damage: &Damage| damage.unverified)
}
