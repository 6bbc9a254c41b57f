//! A run over inputs: opens them, runs a job, and writes the rows.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::input::{InputOptions, Stream};
use bulkdoku::output::{Format, Needs, Rows, Subcommand};
use bulkdoku::pipeline::{
    Answered, BLOCK_BYTES, BlockSource, Checkpoint, FIRST_BLOCK_BYTES, Filter, Job, Options,
    PassSums, RunEnd, TextSource, fold_blocks,
};
use bulkdoku::{Progress, Source};

use super::audit::Audit;
use super::condition::{Condition, Predicate};
use super::engine_args::EngineArgs;
use super::html::Page;
use super::inputs::Inputs;
use super::messages::Messages;
use super::outputs::Claim;
use super::paths::InputPaths;
use super::progress::Progressed;
use super::rows_run::{RowsRun, can_be_continued};
use super::run_args::RunArgs;
use super::select::WhereArgs;
use super::summary::{Method, RecordSummary, Verdict};
use super::typed::Typed;
use super::{Exit, Failure, log, platform};

/// A run over inputs, except its job, filters, and format.
pub struct InputRun {
    pub typed: Typed,
    /// The files read in addition to the inputs.
    pub others: Vec<PathBuf>,
    /// The input of answers, if it is separate.
    pub answers: Option<Source<Stream<'static>>>,
    pub method: Method,
    pub args: RunArgs,
    /// The condition for records to have rows. Other filters receive only these records.
    pub condition: Option<(Condition, Subcommand)>,
    /// The checksums of inputs that were read before, which must not have changed.
    pub first_pass: Option<Arc<PassSums>>,
    /// The capacity of a block of input.
    pub block_bytes: usize,
    /// Whether to print only rows, without progress and summary.
    pub only_rows: bool,
    /// The page for `--report`, if it is not that of the run.
    pub page: Option<Page>,
    /// Returns the first line of the summary.
    pub verdict: Option<Box<dyn Fn() -> Verdict>>,
    /// The findings about solutions, if the page shows them.
    pub audit: Option<Audit>,
}

impl InputRun {
    /// Creates a run without an engine.
    pub fn new(finds: &'static str, typed: Typed, args: RunArgs) -> Self {
        let is_canon = false;
        let method =
            Method { finds, is_canon, engine: None, simd: None, limits: None, check: false };
        let (others, answers, condition) = (Vec::new(), None, None);
        let (block_bytes, only_rows, page) = (BLOCK_BYTES, false, None);
        let (audit, verdict) = (None, None);
        Self {
            typed,
            others,
            answers,
            method,
            args,
            condition,
            first_pass: None,
            block_bytes,
            only_rows,
            page,
            verdict,
            audit,
        }
    }

    /// Creates a run that solves.
    pub fn with_engine(typed: Typed, args: &EngineArgs, limits: bulkdoku::Limits) -> Self {
        let run = Self::new("no engine", typed, args.run);
        let engine = args.engine();
        let (simd, limits) = (engine.uses(args.simd()), Some(limits));
        Self { method: Method { engine: Some(engine), simd, limits, ..run.method }, ..run }
    }

    /// Reports that the run computes canonical forms.
    pub fn canonical(self) -> Self {
        Self { method: Method { is_canon: true, ..self.method }, ..self }
    }

    /// Adds files that must be unchanged when the run is resumed.
    pub fn reading(self, others: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { others: others.into_iter().collect(), ..self }
    }

    /// Requires inputs to be the same as in an earlier pass, also when the run is resumed.
    pub fn after(mut self, sums: PassSums) -> Self {
        self.typed.first_pass = Some(sums.total());
        Self { first_pass: Some(Arc::new(sums)), ..self }
    }

    /// Adds a condition for records to have rows, if there is one.
    pub fn only_where(self, condition: &WhereArgs, subcommand: Subcommand) -> Self {
        let condition = condition.condition.clone();
        Self { condition: condition.map(|condition| (condition, subcommand)), ..self }
    }

    /// Reads `inputs`, runs `job`, and writes to the outputs in `claim`. `filters` and `format` are created
    /// once the layouts of the inputs are known.
    pub fn run<'f, J: Job>(
        self,
        inputs: impl Into<InputPaths>,
        options: &InputOptions,
        claim: Claim,
        job: &J,
        filters: impl FnOnce(&mut EarlierRun<'_>) -> io::Result<Vec<Filter<'f>>> + Send,
        format: impl FnOnce(&Inputs) -> Result<Box<dyn Format>, Failure>,
    ) -> Result<Exit, Failure> {
        let inputs = inputs.into();
        let progress = &platform::new_progress();
        let mut options = options.clone();
        if let Some((condition, subcommand)) = &self.condition {
            options.also_read.extend(condition.input_columns(*subcommand));
            options.computed.extend(condition.shared_names());
        }
        let inputs = &mut self.open(inputs, &options, progress)?;
        let format = format(inputs)?;
        inputs.set_other_keys(&options, &format.other_keys());
        let test = self
            .condition
            .as_ref()
            .map(|(condition, subcommand)| condition.resolve(*subcommand, &inputs.read()))
            .transpose()?;
        let is_filtered = test.is_some();
        let Self {
            typed,
            others,
            answers,
            method,
            args,
            first_pass,
            block_bytes,
            only_rows,
            page,
            audit,
            verdict,
            ..
        } = self;
        let has_check_sums = claim.has_journal() && can_be_continued(&*format).unwrap_or(false);
        let (bytes, names) = (inputs.bytes(), inputs.names());
        let options = Options {
            block_bytes,
            statistics: claim.destinations.statistics(),
            messages: Messages::format(claim.destinations.message_format()),
            threads: inputs.useful_threads(args.threads, job.block_bytes().min(FIRST_BLOCK_BYTES)),
            ..args.options(progress)
        };
        let audits = audit.clone();
        let run = RowsRun {
            typed,
            inputs: inputs.states(),
            others: &others,
            reads: &[inputs.paths(), &others].concat(),
            claim,
            format,
            total: inputs.size(),
            args,
            only_rows,
            page,
            audit,
            progress,
        };
        run.run(
            job,
            &options,
            |_| {
                let progressed = Progressed::of_bytes(&bytes, progress);
                if is_filtered { progressed.with_filter(progress) } else { progressed }
            },
            |start| {
                let mut all: Vec<_> = test.iter().map(Predicate::filter).collect();
                all.extend(audits.iter().map(Audit::filter));
                let earlier =
                    &mut EarlierRun { start, inputs, options: &options, test: test.as_ref() };
                all.extend(filters(earlier)?);
                let (place, records) = start.map_or_else(Default::default, |start| {
                    ((start.source, start.position), start.counts.records())
                });
                let sources = inputs.sources_from(place);
                let mut source = TextSource::new(place.0, sources, &progress.stop);
                if has_check_sums {
                    source = source.with_check_sums();
                }
                if let Some(sums) = first_pass {
                    source = source.comparing(sums);
                }
                if start.is_some() {
                    source.skip()?;
                }
                Ok((Answered::new(source, answers, records, &progress.stop), all))
            },
            |report| {
                let summary = RecordSummary::new(names, method, &args, report);
                summary.with_verdict(verdict.map(|verdict| verdict()), &args)
            },
        )
    }

    /// Opens the inputs, and detects and reports their layouts.
    fn open(
        &self,
        inputs: InputPaths,
        options: &InputOptions,
        progress: &Progress,
    ) -> Result<Inputs, Failure> {
        let mut inputs = Inputs::open(inputs)?;
        inputs.decode_with(self.args.threads);
        if inputs.wait_for_typing() && !self.only_rows {
            log::note("reading puzzles from the terminal; Ctrl-D ends");
        }
        inputs.detect(options, &progress.stop)?;
        if !self.args.quiet && !self.only_rows {
            inputs.findings().for_each(log::note);
        }
        // No output is open yet.
        if progress.stop.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(inputs) }
    }
}

/// The rows of an earlier run that this one resumes.
pub struct EarlierRun<'a> {
    start: Option<&'a Checkpoint>,
    inputs: &'a mut Inputs,
    options: &'a Options,
    test: Option<&'a Predicate>,
}

impl EarlierRun<'_> {
    /// Applies filters to the earlier records, because later ones are compared with them.
    pub fn replay(&mut self, job: &impl Job, filters: Vec<Filter<'_>>) -> io::Result<()> {
        let Some(start) = self.start else { return Ok(()) };
        let filters = self.test.map(Predicate::filter).into_iter().chain(filters).collect();
        let sources = self.inputs.sources_until((start.source, start.position.offset));
        let mut source = TextSource::new(0, sources, &self.options.stop);
        let map = || |_: &Rows<'_>, (): &mut ()| {};
        let options = Options { statistics: None, ..self.options.clone() };
        let folded =
            fold_blocks(&mut source, job, filters, Needs::NONE, &options, map, |(), _| Ok(()));
        self.inputs.bytes().store(0, Ordering::Relaxed);
        match (folded.end, source.take_failures().pop()) {
            (RunEnd::Failed(error), _) => Err(error),
            (_, Some(failure)) => Err(io::Error::other(failure.to_string())),
            _ => Ok(()),
        }
    }
}
