//! A run over whole inputs, from opened outputs to the exit status.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::input::InputOptions;
use bulkdoku::output::RowFormat;
use bulkdoku::pipeline::{Checkpoint, OutputFailure, Report, RequestedTally};
use bulkdoku::{EngineKind, Pipeline, Progress, SimdLevel};

use super::engine_args::EngineArgs;
use super::file_sink::FileSink;
use super::html::Fact;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::progress::{ProgressArgs, Progressed};
use super::rows_run::{Ending, Opening, PROGRAM};
use super::run::Run;
use super::summary::{Setup, Summary};
use super::{Exit, Failure, platform};

/// What is to be done with whole inputs.
#[derive(Debug)]
pub struct Batch {
    /// How records become rows.
    pub pipeline: Pipeline,
    /// The subcommand.
    pub subcommand: &'static str,
    /// What is found where no engine is asked.
    pub finds: &'static str,
    /// The outputs of rows behind the first.
    pub others: Vec<PathBuf>,
    /// Whether an output without rows is not made.
    pub drops_empty: bool,
    /// The options that shape rows: `--resume` needs the same ones.
    pub settings: BTreeMap<String, String>,
    /// The engine, for the summary; `None` if none is asked.
    pub engine: Option<EngineKind>,
    /// Its vector level, if it uses one.
    pub simd: Option<SimdLevel>,
    /// Nothing is to be said about records, nor the summary printed.
    pub quiet: bool,
    /// Whether progress is to be shown.
    pub progress: ProgressArgs,
    /// The reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

impl Batch {
    /// Solving or checking, with the summary, unless `work` says otherwise.
    pub fn new(pipeline: Pipeline, settings: BTreeMap<String, String>, work: &EngineArgs) -> Self {
        Self {
            subcommand: if pipeline.check { "check" } else { "solve" },
            finds: "no engine",
            others: Vec::new(),
            drops_empty: false,
            pipeline,
            settings,
            engine: Some(work.engine()),
            simd: work.engine().uses(work.simd()),
            quiet: work.run.quiet,
            progress: work.run.progress,
            only_rows: false,
        }
    }

    /// Reads `inputs`, writes to `destinations`. Once the inputs have been looked at, `format` is
    /// told whether there are several, and the names of the columns that are kept.
    pub fn run(
        self,
        inputs: Vec<PathBuf>,
        expected: &InputOptions,
        destinations: &Destinations,
        format: impl FnOnce(bool, &[String]) -> Result<Box<dyn RowFormat + Send>, Failure>,
    ) -> Result<Exit, Failure> {
        self.run_looked(inputs, expected, destinations, |inputs| {
            format(inputs.paths().len() > 1, &inputs.kept())
        })
    }

    /// The same, where `format` is told all that is known about the inputs.
    pub fn run_looked(
        mut self,
        inputs: Vec<PathBuf>,
        expected: &InputOptions,
        destinations: &Destinations,
        format: impl FnOnce(&Inputs) -> Result<Box<dyn RowFormat + Send>, Failure>,
    ) -> Result<Exit, Failure> {
        let mut inputs = Inputs::check(inputs)?;
        let progress = Progress::default();
        platform::stop_at_signal(&progress.stop, self.quiet || self.only_rows)?;
        self.look(&mut inputs, expected, &progress)?;
        if progress.stop.load(Ordering::Relaxed) {
            // Nothing is read, and no output is opened yet.
            return Ok(Exit::Interrupted);
        }
        self.pipeline.format = format(&inputs)?;
        self.work(inputs, destinations, &progress)
    }

    /// Looks at the start of each input, and says what it found.
    fn look(
        &self,
        inputs: &mut Inputs,
        expected: &InputOptions,
        progress: &Progress,
    ) -> Result<(), Failure> {
        if inputs.wait_for_typing() && !self.only_rows {
            let _ = writeln!(io::stderr(), "reading puzzles from the terminal; Ctrl-D ends");
        }
        inputs.look(expected, &progress.stop)?;
        if !self.quiet && !self.only_rows {
            for finding in inputs.findings() {
                let _ = writeln!(io::stderr(), "{finding}");
            }
        }
        Ok(())
    }

    fn work(
        mut self,
        mut inputs: Inputs,
        destinations: &Destinations,
        progress: &Progress,
    ) -> Result<Exit, Failure> {
        let has_page = destinations.report.is_some();
        self.pipeline.tally = RequestedTally { clues: has_page, guesses: has_page, levels: false };
        let opening = Opening {
            run: self.run_on(&inputs, destinations),
            destinations,
            others: &self.others,
            drops_empty: self.drops_empty,
            inputs: inputs.paths(),
            total: inputs.size(),
            progress: self.progress,
            quiet: self.quiet,
            only_rows: self.only_rows,
        };
        let mut run = opening.open()?;
        run.results.take_format(self.pipeline.format.as_ref())?;
        let bytes = inputs.bytes();
        let progressed = || Progressed {
            done: bytes.load(Ordering::Relaxed),
            puzzles: Some(progress.records.load(Ordering::Relaxed)),
            what: "".into(),
        };
        let (start, results) = (run.start.take(), &mut run.results);
        let ran = run.meter.watch(progressed, || self.solve(&mut inputs, start, results, progress));
        run.close(ran, &Done { batch: &self, inputs: inputs.names() })
    }

    /// What tells this run from others.
    fn run_on(&self, inputs: &Inputs, destinations: &Destinations) -> Run {
        let mut options = self.settings.clone();
        if let Some(errors) = &destinations.errors {
            options.insert("--errors".into(), errors.display().to_string());
        }
        let program = format!("{PROGRAM} {}", self.subcommand);
        Run { program, inputs: inputs.states(), options }
    }

    fn setup(&self) -> Setup {
        Setup {
            engine: self.engine,
            simd: self.simd,
            threads: self.pipeline.threads,
            limits: self.pipeline.limits,
            check: self.pipeline.check,
            canon: self.pipeline.canon,
            finds: self.finds,
        }
    }

    fn solve(
        &self,
        inputs: &mut Inputs,
        start: Option<Checkpoint>,
        results: &mut FileSink,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let place = start.as_ref().map(|start| (start.source, start.position)).unwrap_or_default();
        let sift = self.pipeline.sift.as_ref();
        if let Some(start) = &start
            && sift.is_some_and(|sift| sift.in_order())
        {
            self.see_again(inputs, start, progress)?;
        }
        let sources = inputs.sources_from(place);
        match start {
            Some(start) => self.pipeline.resume(start, results, sources, progress),
            None => self.pipeline.run_into(results, sources, progress),
        }
    }

    /// Reads again what has its rows: what comes behind is compared with it.
    fn see_again(
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

/// A batch whose rows are written.
struct Done<'a> {
    batch: &'a Batch,
    inputs: Vec<String>,
}

impl Ending for Done<'_> {
    type Summary = Summary;

    fn summary(&self, report: &Report) -> Summary {
        Summary::new(self.inputs.clone(), self.batch.setup(), report)
    }

    fn facts(&self, report: &Report) -> Vec<Fact> {
        let inputs = self.inputs.join(", ");
        vec![("Inputs", inputs), ("Engine", self.summary(report).means())]
    }

    fn exit(&self, report: &Report) -> Exit {
        if report.counts.all_good() { Exit::Done } else { Exit::SomeRecords }
    }
}
