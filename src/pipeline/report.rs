//! What a run did.

use std::io;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::progress::InputFailure;
use super::reader::Reading;
use super::sink::{Checkpoint, Output, RecordName};
use super::tally::Tally;
use super::writer::Failed;
use crate::stats::{Counts, Latencies};

/// What a run did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Records by status, blank lines and comments.
    pub counts: Counts,
    /// Of all records that an engine solved.
    pub latencies: Latencies,
    /// The record of the last row.
    pub last_record: Option<RecordName>,
    /// What the puzzles are, as far as that was to be counted ([`Pipeline::tally`](super::Pipeline::tally)).
    pub tally: Tally,
    /// How many of the records had their rows before this run, which went on from there.
    pub records_before: u64,
    /// The workers that were started, at most [`Pipeline::threads`](super::Pipeline::threads).
    pub threads: NonZeroUsize,
    /// Whether the system gave fewer threads, or memory for fewer, than would have been of use.
    pub threads_refused: bool,
    /// From the first byte asked for to the last row written.
    pub wall: Duration,
    /// Inputs that could not be read to their end; the lines before that have their rows.
    pub failures: Vec<InputFailure>,
    /// Whether it was ended early ([`Progress::stop`](super::Progress::stop)).
    pub stopped: bool,
}

impl Report {
    pub(super) fn new(
        checkpoint: Checkpoint,
        records_before: u64,
        began: Instant,
        reading: Reading,
    ) -> Self {
        let Checkpoint { counts, latencies, last_record, tally, .. } = checkpoint;
        let Reading { failures, stopped } = reading;
        Self {
            counts,
            latencies,
            last_record,
            tally,
            records_before,
            threads: NonZeroUsize::MIN,
            threads_refused: false,
            wall: began.elapsed(),
            failures,
            stopped,
        }
    }

    /// This, or that an output failed.
    pub(super) fn unless(self, failed: Option<Failed>) -> Result<Self, OutputFailure> {
        match failed {
            None => Ok(self),
            Some((output, error)) => Err(OutputFailure {
                output,
                error,
                report: Box::new(Self { stopped: true, ..self }),
            }),
        }
    }
}

/// An output that could not be written; the run ended there.
#[derive(Debug, Error)]
#[error("writing {output:?}: {error}")]
pub struct OutputFailure {
    /// Which.
    pub output: Output,
    /// Why.
    pub error: io::Error,
    /// What was done until then; its last record is the last whose row is written.
    pub report: Box<Report>,
}
