//! Inputs that are read whole before any output is opened.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::pipeline::{Report, Sift};
use bulkdoku::{Pipeline, Progress};

use super::Failure;
use super::inputs::Inputs;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;

/// Passes all records of inputs to `sift`. A signal ends the process, as nothing is written yet.
pub fn scan(run: RunArgs, inputs: &mut Inputs, sift: Arc<dyn Sift>) -> Result<Report, Failure> {
    let pipeline =
        Pipeline { threads: run.threads, canon: true, sift: Some(sift), ..Pipeline::default() };
    let progress = Progress::default();
    let meter = Meter::new(run.progress, inputs.size(), run.quiet);
    let (bytes, sources) = (inputs.bytes(), inputs.sources());
    let progressed = || Progressed::of_bytes(&bytes, &progress);
    let ran = meter.watch(progressed, || pipeline.run(sources, io::sink(), io::sink(), &progress));
    bytes.store(0, Ordering::Relaxed);
    let report = ran.map_err(|failure| Failure::Io(failure.error.to_string()))?;
    let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
    if failures.is_empty() { Ok(report) } else { Err(Failure::of_all(&failures)) }
}
