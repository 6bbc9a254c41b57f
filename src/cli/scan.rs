//! Inputs that are read whole before any output is opened.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::pipeline::{Report, Sameness, Sift, Sifted};
use bulkdoku::{Pipeline, Progress};

use super::Failure;
use super::inputs::Inputs;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;

/// Inputs to read whole, and what is needed of their records.
pub struct Scan<'a> {
    pub run: RunArgs,
    pub inputs: &'a mut Inputs,
    /// Which puzzles count as the same.
    pub by: Sameness,
    /// Whether [`Sifted::guesses`] are needed.
    pub needs_guesses: bool,
}

impl Scan<'_> {
    /// Adds what `find` finds in records to `all`. A signal ends the process, as nothing is written
    /// yet.
    pub fn collect<K, T: Send + 'static>(
        self,
        all: T,
        find: impl Fn(&Sifted) -> Option<K> + Send + Sync + 'static,
        add: impl Fn(&mut T, K) -> io::Result<()> + Send + Sync + 'static,
    ) -> Result<(T, Report), Failure> {
        let Self { run, inputs, by, needs_guesses } = self;
        let all = Arc::new(Mutex::new(all));
        let added = Arc::clone(&all);
        let decide = move |block: &mut [Sifted]| {
            let found: Vec<_> = block.iter().filter_map(&find).collect();
            // A panic ends the run, so what it leaves is never used.
            let mut added = added.lock().unwrap_or_else(PoisonError::into_inner);
            found.into_iter().try_for_each(|one| add(&mut added, one))
        };
        let sift = Some(Sift { needs_guesses, ..Sift::new(by, decide) });
        let pipeline = Pipeline { threads: run.threads, canon: true, sift, ..Pipeline::default() };
        let progress = Progress::default();
        let meter = Meter::new(run.progress, inputs.size(), run.quiet);
        let (bytes, sources) = (inputs.bytes(), inputs.sources());
        let progressed = || Progressed::of_bytes(&bytes, &progress);
        let ran =
            meter.watch(progressed, || pipeline.run(sources, io::sink(), io::sink(), &progress));
        bytes.store(0, Ordering::Relaxed);
        let report = ran.map_err(|failure| Failure::Io(failure.error.to_string()))?;
        let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
        if !failures.is_empty() {
            return Err(Failure::of_all(&failures));
        }
        drop(pipeline);
        let all = Arc::into_inner(all).expect("the pipeline had the other one");
        Ok((all.into_inner().unwrap_or_else(PoisonError::into_inner), report))
    }
}
