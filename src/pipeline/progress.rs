//! The progress of a run, and the inputs that failed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use thiserror::Error;

/// The progress of a run, shared with other threads.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of records whose rows are written.
    pub records: AtomicU64,
    /// Set it to stop the run within a fraction of a second, at a block boundary.
    pub stop: Arc<AtomicBool>,
}

/// An input that could not be read to its end.
#[derive(Debug, Error)]
#[error("{file}: {error}")]
#[non_exhaustive]
pub struct InputFailure {
    /// The name of the input.
    pub file: String,
    /// Why it failed.
    pub error: io::Error,
}
