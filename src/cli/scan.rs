//! Inputs that are read whole before anything is written.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bulkdoku::input::InputOptions;
use bulkdoku::pipeline::{Report, Sift};
use bulkdoku::{Pipeline, Progress};

use super::Failure;
use super::inputs::{Inputs, are_files};
use super::progress::{Meter, ProgressArgs, Progressed};

/// How inputs are read.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// Workers.
    pub threads: NonZeroUsize,
    /// Nothing is to be said.
    pub quiet: bool,
    /// Whether progress is to be shown.
    pub progress: ProgressArgs,
}

impl Scan {
    /// Shows all records of inputs to `sift`. A signal ends the process: nothing is written yet.
    pub fn run(self, inputs: &mut Inputs, sift: Arc<dyn Sift>) -> Result<Report, Failure> {
        let pipeline = Pipeline {
            threads: self.threads,
            canon: true,
            sift: Some(sift),
            ..Pipeline::default()
        };
        let progress = Progress::default();
        let meter = Meter::new(self.progress, inputs.size(), self.quiet);
        let bytes = inputs.bytes();
        let progressed = || Progressed {
            done: bytes.load(Ordering::Relaxed),
            puzzles: Some(progress.records.load(Ordering::Relaxed)),
            what: "".into(),
        };
        let sources = inputs.sources();
        let ran =
            meter.watch(progressed, || pipeline.run(sources, io::sink(), io::sink(), &progress));
        bytes.store(0, Ordering::Relaxed);
        let report = ran.map_err(|failure| Failure::Io(failure.error.to_string()))?;
        let failures = report.failures.iter().map(ToString::to_string);
        let losses: Vec<_> = failures.collect();
        if losses.is_empty() { Ok(report) } else { Err(Failure::Io(losses.join("\nbulkdoku: "))) }
    }
}

/// Inputs that were looked at.
pub fn look(paths: Vec<PathBuf>, expected: &InputOptions) -> Result<Inputs, Failure> {
    let mut inputs = Inputs::check(paths)?;
    inputs.look(expected, &AtomicBool::default())?;
    Ok(inputs)
}

/// Refuses what cannot be read twice.
pub fn check_files(paths: &[PathBuf], why: &str) -> Result<(), Failure> {
    if are_files(paths) {
        return Ok(());
    }
    Err(Failure::Usage(format!("{why}: each input has to be a file")))
}
