//! Errors of streams that are verified in parts: members, frames, row groups.

use std::io::{self, ErrorKind};

use thiserror::Error;

/// An error, and how much output of the part that failed precedes it.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
struct Damage {
    message: String,
    unverified: u64,
}

/// Returns the error of a stream that fails after this many bytes, or rows, that are not verified.
pub fn damaged(kind: ErrorKind, message: String, unverified: u64) -> io::Error {
    io::Error::new(kind, Damage { message, unverified })
}

/// Returns how many bytes before this read error are not verified; `None` means that all are.
pub(crate) fn unverified_bytes(error: &io::Error) -> Option<u64> {
    error.get_ref()?.downcast_ref().map(|damage: &Damage| damage.unverified)
}
