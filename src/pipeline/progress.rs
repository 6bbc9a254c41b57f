//! How far a run has come, and which inputs failed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use thiserror::Error;

/// How far a run has come, to be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Records whose rows are written.
    pub records: AtomicU64,
    /// Set to end the run early, within a fraction of a second: what is solved gets its rows, the
    /// rest is left.
    pub stop: Arc<AtomicBool>,
}

/// An input that could not be read to its end.
#[derive(Debug, Error)]
#[error("{file}: {error}")]
#[non_exhaustive]
pub struct InputFailure {
    /// The input's name.
    pub file: String,
    /// Why.
    pub error: io::Error,
}
