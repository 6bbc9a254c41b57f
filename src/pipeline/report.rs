//! What a run did.

use std::io;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::progress::InputFailure;
use super::reader::Reading;
use super::sink::{Checkpoint, Output, RecordName};
use super::tally::Tally;
use super::threads::Threads;
use super::writer::Written;
use crate::stats::{Counts, Latencies};

/// What a run did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Records by status, blank lines and comments.
    pub counts: Counts,
    /// Latencies of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// The requested counts of puzzles ([`Pipeline::tally`](super::Pipeline::tally)).
    pub tally: Tally,
    /// The number of records whose rows an earlier run has written, which this one resumed.
    pub records_before: u64,
    /// The workers that were started, at most [`Pipeline::threads`](super::Pipeline::threads).
    pub threads: NonZeroUsize,
    /// Whether the system lacked threads or memory for more workers.
    pub threads_refused: bool,
    /// The time from the first read to the last row written.
    pub wall: Duration,
    /// Inputs that could not be read to their end. The lines before that have their rows.
    pub failures: Vec<InputFailure>,
    /// Whether the run was stopped early ([`Progress::stop`](super::Progress::stop)).
    pub stopped: bool,
}

impl Report {
    /// The report of a run, or the failure of an output with it. Without threads it has run on the
    /// calling one.
    pub(super) fn of(
        records_before: u64,
        began: Instant,
        reading: Reading,
        threads: Option<&Threads>,
        written: Written,
    ) -> Result<Self, OutputFailure> {
        let Written { checkpoint, failure, was_stopped } = written;
        let Checkpoint { counts, latencies, last_record, tally, .. } = checkpoint;
        let report = Self {
            counts,
            latencies,
            last_record,
            tally,
            records_before,
            threads: threads.map_or(NonZeroUsize::MIN, Threads::count),
            threads_refused: threads.is_some_and(Threads::are_refused),
            wall: began.elapsed(),
            failures: reading.failures,
            stopped: reading.stopped || was_stopped || failure.is_some(),
        };
        match failure {
            None => Ok(report),
            Some((output, error)) => Err(OutputFailure { output, error, report: Box::new(report) }),
        }
    }
}

/// An output that could not be written; the run ended there.
#[derive(Debug, Error)]
#[error("writing {output:?}: {error}")]
pub struct OutputFailure {
    /// The output that failed.
    pub output: Output,
    /// Why.
    pub error: io::Error,
    /// What was done until then. Its last record is the last one whose row is written.
    pub report: Box<Report>,
}
