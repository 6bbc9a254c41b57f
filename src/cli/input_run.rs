//! A run over whole inputs, from the inputs to the exit status.

use std::io::{self, Write};
use std::num::NonZeroU8;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::input::InputOptions;
use bulkdoku::output::RowFormat;
use bulkdoku::pipeline::{Checkpoint, OutputFailure, Report, RequestedTally};
use bulkdoku::{Compression, Pipeline, Progress};

use super::engine_args::EngineArgs;
use super::html::Fact;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::progress::Progressed;
use super::resume::{Disk, RowFiles};
use super::rows_run::{Opening, RunEnd};
use super::run_args::RunArgs;
use super::summary::{Finder, Summary};
use super::typed::Typed;
use super::{Exit, Failure, platform};

/// What is done with whole inputs.
#[derive(Debug)]
pub struct InputRun {
    pub typed: Typed,
    /// The files that are read in addition to the inputs.
    pub others: Vec<PathBuf>,
    /// How records become rows.
    pub pipeline: Pipeline,
    /// What finds the results.
    pub finder: Finder,
    pub args: RunArgs,
    /// Whether the reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

impl InputRun {
    /// A run without an engine.
    pub fn new(finds: &'static str, pipeline: Pipeline, typed: Typed, args: RunArgs) -> Self {
        let pipeline = Pipeline { threads: args.threads, ..pipeline };
        let finder = Finder { finds, engine: None, simd: None };
        Self { typed, others: Vec::new(), pipeline, finder, args, only_rows: false }
    }

    /// A run that solves.
    pub fn with_engine(pipeline: Pipeline, typed: Typed, args: &EngineArgs) -> Self {
        let run = Self::new("no engine", pipeline, typed, args.run);
        let engine = args.engine();
        let simd = engine.uses(args.simd());
        Self { finder: Finder { engine: Some(engine), simd, ..run.finder }, ..run }
    }

    /// Also reads these files, which must be the same when the run is resumed.
    pub fn reading(self, others: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { others: others.into_iter().collect(), ..self }
    }

    /// Reads `inputs`, writes to `destinations`. `format` makes the rows once the layouts of the
    /// inputs are known.
    pub fn run(
        mut self,
        inputs: Vec<PathBuf>,
        options: &InputOptions,
        destinations: &Destinations,
        format: impl FnOnce(&Inputs) -> Result<Box<dyn RowFormat + Send>, Failure>,
    ) -> Result<Exit, Failure> {
        destinations.refuse_existing(&[&inputs[..], &self.others].concat())?;
        let mut inputs = Inputs::open(inputs)?;
        let progress = Progress::default();
        platform::stop_at_signal(&progress.stop, self.args.quiet || self.only_rows)?;
        self.detect(&mut inputs, options, &progress)?;
        if progress.stop.load(Ordering::Relaxed) {
            // No output is open yet.
            return Ok(Exit::Interrupted);
        }
        let has_page = destinations.report.is_some();
        self.pipeline.tally = RequestedTally { clues: has_page, guesses: has_page };
        self.pipeline.outputs =
            NonZeroU8::new(destinations.parts.len() as u8).unwrap_or(NonZeroU8::MIN);
        self.pipeline.compression = destinations.output.as_deref().and_then(Compression::of_name);
        self.pipeline.format = format(&inputs)?;
        self.write_rows(inputs, destinations, &progress)
    }

    /// Detects the layouts of the inputs, and reports them.
    fn detect(
        &self,
        inputs: &mut Inputs,
        options: &InputOptions,
        progress: &Progress,
    ) -> Result<(), Failure> {
        if inputs.wait_for_typing() && !self.only_rows {
            let _ = writeln!(io::stderr(), "reading puzzles from the terminal; Ctrl-D ends");
        }
        inputs.detect(options, &progress.stop)?;
        if !self.args.quiet && !self.only_rows {
            for finding in inputs.findings() {
                let _ = writeln!(io::stderr(), "{finding}");
            }
        }
        Ok(())
    }

    fn write_rows(
        self,
        mut inputs: Inputs,
        destinations: &Destinations,
        progress: &Progress,
    ) -> Result<Exit, Failure> {
        let opening = Opening {
            typed: self.typed.clone(),
            inputs: inputs.states(),
            others: &self.others,
            reads: &[inputs.paths(), &self.others].concat(),
            destinations,
            format: self.pipeline.format.as_ref(),
            total: inputs.size(),
            args: self.args,
            only_rows: self.only_rows,
        };
        let mut run = opening.open()?;
        let bytes = inputs.bytes();
        let progressed = || Progressed::of_bytes(&bytes, progress);
        let (start, results) = (run.start.take(), &mut run.results);
        let ran =
            run.meter.watch(progressed, || self.process(&mut inputs, start, results, progress));
        run.close(ran, &InputRunEnd { run: &self, inputs: inputs.names() })
    }

    fn process(
        &self,
        inputs: &mut Inputs,
        start: Option<Checkpoint>,
        results: &mut RowFiles<Disk>,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let place = start.as_ref().map(|start| (start.source, start.position)).unwrap_or_default();
        if let Some(start) = &start
            && self.pipeline.sift.as_ref().is_some_and(|sift| sift.in_order)
        {
            self.replay(inputs, start, progress)?;
        }
        let sources = inputs.sources_from(place);
        match start {
            Some(start) => self.pipeline.resume(start, results, sources, progress),
            None => self.pipeline.run_into(results, sources, progress),
        }
    }

    /// Reads the records that have their rows once more, as later ones are compared with them.
    fn replay(
        &self,
        inputs: &mut Inputs,
        start: &Checkpoint,
        progress: &Progress,
    ) -> Result<(), OutputFailure> {
        let unseen = Progress { stop: Arc::clone(&progress.stop), ..Progress::default() };
        let sources = inputs.sources_until((start.source, start.position.offset));
        let nowhere = &mut (io::sink(), io::sink());
        self.pipeline.resume(Checkpoint::default(), nowhere, sources, &unseen)?;
        inputs.bytes().store(0, Ordering::Relaxed);
        Ok(())
    }
}

/// What a finished run reports.
struct InputRunEnd<'a> {
    run: &'a InputRun,
    inputs: Vec<String>,
}

impl RunEnd for InputRunEnd<'_> {
    type Summary = Summary;

    fn summary(&self, report: &Report) -> Summary {
        Summary::new(self.inputs.clone(), &self.run.pipeline, self.run.finder, report)
    }

    fn facts(&self, report: &Report) -> Vec<Fact> {
        let inputs = self.inputs.join(", ");
        vec![("Inputs", inputs), ("Engine", self.summary(report).method())]
    }

    fn exit(&self, report: &Report) -> Exit {
        if report.counts.all_good() { Exit::Done } else { Exit::SomeRecords }
    }
}
