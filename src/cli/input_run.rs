//! A run over whole inputs, from the inputs to the exit status.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::input::{InputOptions, Stream};
use bulkdoku::output::{Format, Needs, Rows};
use bulkdoku::pipeline::{
    Answered, BlockSource, Checkpoint, Filter, Job, Options, RunEnd, TextSource, fold_blocks,
};
use bulkdoku::{Progress, Source};

use super::engine_args::EngineArgs;
use super::html::Page;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::progress::Progressed;
use super::rows_run::RowsRun;
use super::run_args::RunArgs;
use super::summary::{Method, Summary};
use super::typed::Typed;
use super::{Exit, Failure, platform};

/// A run over whole inputs, except what is done with their records.
pub struct InputRun {
    pub typed: Typed,
    /// The files that are read in addition to the inputs.
    pub others: Vec<PathBuf>,
    /// The input with the answers, if they are not next to the puzzles.
    pub answers: Option<Source<Stream<'static>>>,
    pub method: Method,
    pub args: RunArgs,
    /// Whether the reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
    /// The page of `--report`, if it is not that of the run.
    pub page: Option<Page>,
}

impl InputRun {
    /// A run without an engine.
    pub fn new(finds: &'static str, typed: Typed, args: RunArgs) -> Self {
        let method = Method { finds, engine: None, simd: None, limits: None, check: false };
        Self {
            typed,
            others: Vec::new(),
            answers: None,
            method,
            args,
            only_rows: false,
            page: None,
        }
    }

    /// A run that solves.
    pub fn with_engine(typed: Typed, args: &EngineArgs, limits: bulkdoku::Limits) -> Self {
        let run = Self::new("no engine", typed, args.run);
        let engine = args.engine();
        let (simd, limits) = (engine.uses(args.simd()), Some(limits));
        Self { method: Method { engine: Some(engine), simd, limits, ..run.method }, ..run }
    }

    /// Also reads these files, which must be the same when the run is resumed.
    pub fn reading(self, others: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { others: others.into_iter().collect(), ..self }
    }

    /// Reads `inputs`, does `job`, and writes to `destinations`. `filters` and `format` are created
    /// once the layouts of the inputs are known.
    pub fn run<'f, J: Job>(
        self,
        inputs: Vec<PathBuf>,
        options: &InputOptions,
        destinations: &Destinations,
        job: &J,
        filters: impl FnOnce(&mut Earlier<'_>) -> io::Result<Vec<Filter<'f>>> + Send,
        format: impl FnOnce(&Inputs) -> Result<Box<dyn Format>, Failure>,
    ) -> Result<Exit, Failure> {
        destinations.refuse_existing(&[&inputs[..], &self.others].concat())?;
        let mut inputs = Inputs::open(inputs)?;
        let progress = platform::new_progress();
        self.detect(&mut inputs, options, &progress)?;
        if progress.stop.load(Ordering::Relaxed) {
            // No output is open yet.
            return Err(Failure::Stopped);
        }
        let format = format(&inputs)?;
        self.write_rows(&mut inputs, destinations, &progress, job, filters, format)
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

    fn write_rows<'f, J: Job>(
        self,
        inputs: &mut Inputs,
        destinations: &Destinations,
        progress: &Progress,
        job: &J,
        filters: impl FnOnce(&mut Earlier<'_>) -> io::Result<Vec<Filter<'f>>> + Send,
        format: Box<dyn Format>,
    ) -> Result<Exit, Failure> {
        let Self { typed, others, answers, method, args, only_rows, page } = self;
        let run = RowsRun {
            typed,
            inputs: inputs.states(),
            others: &others,
            reads: &[inputs.paths(), &others].concat(),
            destinations: destinations.clone(),
            format,
            total: inputs.size(),
            args,
            only_rows,
            page,
            progress,
        };
        let (bytes, names) = (inputs.bytes(), inputs.names());
        let options = Options {
            counts_statistics: destinations.report.is_some(),
            messages: destinations.message_format(),
            ..args.options(progress)
        };
        run.run(
            job,
            &options,
            |_| Progressed::of_bytes(&bytes, progress),
            |start| {
                let filters = filters(&mut Earlier { start, inputs, options: &options })?;
                let (place, records) = start.map_or_else(Default::default, |start| {
                    ((start.source, start.position), start.counts.records())
                });
                let sources = inputs.sources_from(place);
                let mut source =
                    TextSource::new(place.0, sources, &progress.stop).with_check_sums();
                if start.is_some() {
                    source.skip()?;
                }
                Ok((Answered::new(source, answers, records, &progress.stop), filters))
            },
            |report| Summary::new(names, method, &args, report),
        )
    }
}

/// What an earlier run has done, which this one resumes.
pub struct Earlier<'a> {
    start: Option<&'a Checkpoint>,
    inputs: &'a mut Inputs,
    options: &'a Options,
}

impl Earlier<'_> {
    /// The number of records that have their rows.
    pub fn records(&self) -> u64 {
        self.start.map_or(0, |start| start.counts.records())
    }

    /// Applies filters to the records that have their rows, because later ones are compared with
    /// them.
    pub fn replay(&mut self, job: &impl Job, filters: Vec<Filter<'_>>) -> io::Result<()> {
        let Some(start) = self.start else { return Ok(()) };
        let sources = self.inputs.sources_until((start.source, start.position.offset));
        let mut source = TextSource::new(0, sources, &self.options.stop);
        let map = || |_: &Rows<'_>, (): &mut ()| {};
        let folded =
            fold_blocks(&mut source, job, filters, Needs::NONE, self.options, map, |(), _| Ok(()));
        self.inputs.bytes().store(0, Ordering::Relaxed);
        match (folded.end, source.take_failures().pop()) {
            (RunEnd::Failed(error), _) => Err(error),
            (_, Some(failure)) => Err(io::Error::other(failure.to_string())),
            _ => Ok(()),
        }
    }
}

impl RunArgs {
    /// How a run proceeds.
    pub fn options(&self, progress: &Progress) -> Options {
        Options { threads: self.threads, stop: Arc::clone(&progress.stop), ..Options::default() }
    }
}
