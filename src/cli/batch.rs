//! A run over whole inputs, from opened outputs to the exit status.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::input::InputOptions;
use bulkdoku::output::RowFormat;
use bulkdoku::pipeline::{Checkpoint, Output, OutputFailure, Report};
use bulkdoku::{EngineKind, Pipeline, Progress, SimdLevel};

use super::diagnostics::Diagnostics;
use super::engine_args::EngineArgs;
use super::file_sink::FileSink;
use super::inputs::Inputs;
use super::journal::{self, Journal};
use super::out::{Out, Target, gone_message};
use super::outputs::{Destinations, Existing};
use super::progress::{Meter, ProgressArgs, Progressed};
use super::run::Run;
use super::summary::{Setup, Summary};
use super::{Exit, Failure, platform};

/// The program and its version: another one may write other rows.
pub(super) const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

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
        platform::stop_at_signal(&progress.stop, self.quiet || self.only_rows)
            .map_err(|error| Failure::Io(format!("signals cannot be waited for: {error}")))?;
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
        self,
        mut inputs: Inputs,
        destinations: &Destinations,
        progress: &Progress,
    ) -> Result<Exit, Failure> {
        let run = self.run_on(&inputs, destinations);
        let earlier = earlier_run(destinations, &run)?;
        let existing = match &earlier {
            Some(journal) => Existing::Kept(journal.outputs()),
            None if destinations.resume => Existing::Kept(&[]),
            None => Existing::or_force(destinations.force),
        };
        let outputs = destinations.open(inputs.paths(), &self.others, existing)?;
        let meter = Meter::new(self.progress, inputs.size(), self.quiet || self.only_rows);
        let diagnostics = Diagnostics::new(outputs.errors, meter.bar.clone(), self.quiet);
        let names = destinations.names();
        let sides = Sides { latency: outputs.latency, summary_json: outputs.summary_json };
        let (mut results, start) = match earlier {
            Some(journal) => match FileSink::resume(outputs.rows, diagnostics, journal, names) {
                Ok(begun) => begun,
                Err(failure) => {
                    sides.discard();
                    return Err(failure);
                }
            },
            None if self.drops_empty || !self.others.is_empty() => {
                let (rows, others) = (outputs.rows, outputs.others);
                (FileSink::of_several(rows, others, diagnostics, self.drops_empty), None)
            }
            None => (FileSink::begin(outputs.rows, diagnostics, run, names), None),
        };
        let bytes = inputs.bytes();
        let progressed = || Progressed {
            done: bytes.load(Ordering::Relaxed),
            puzzles: Some(progress.records.load(Ordering::Relaxed)),
            what: "".into(),
        };
        let ran =
            meter.watch(progressed, || self.solve(&mut inputs, start, &mut results, progress));
        let (report, failure) = match ran {
            Ok(report) => (report, None),
            Err(OutputFailure { output, error, report }) => (*report, Some((output, error))),
        };
        results.end_diagnostics();
        let summary = Summary::new(inputs.names(), self.setup(), &report);
        let mut losses = sides.write(&report, &summary);
        // Before the journal is removed, what it vouches for has to be safe.
        losses.extend(results.unsettled());
        let is_complete = losses.is_empty()
            && !report.stopped
            && report.failures.is_empty()
            && !results.is_incomplete();
        if failure.is_none() && !self.quiet && !self.only_rows {
            let _ = writeln!(io::stderr(), "{summary}");
        }
        let is_unwanted = failure.as_ref().is_some_and(is_closed_pipe_of_rows);
        if let Some((output, error)) = failure.filter(|_| !is_unwanted) {
            losses.push(rows_failure(output, &error, &report, &results));
        }
        losses.extend(results.losses());
        losses.extend(report.failures.iter().map(ToString::to_string));
        losses.extend(self.pipeline.sift.as_ref().and_then(|sift| sift.failure()));
        let name = results.can_be_resumed().then(|| results.name());
        if is_complete || name.is_none() {
            results.complete()?;
        }
        if !losses.is_empty() {
            if let Some(name) = name.filter(|_| !is_complete) {
                losses.push(format!("{name} is not complete; --resume continues it"));
            }
            return Err(Failure::Io(losses.join("\nbulkdoku: ")));
        }
        Ok(self.exit(&report, is_unwanted, name))
    }

    /// The exit status of a run that has lost nothing; `name` is that of rows that can be resumed.
    fn exit(&self, report: &Report, is_unwanted: bool, name: Option<String>) -> Exit {
        if report.stopped && !is_unwanted {
            if let Some(name) = name.filter(|_| !self.quiet) {
                let _ = writeln!(io::stderr(), "interrupted; --resume continues {name}");
            }
            return Exit::Interrupted;
        }
        if is_unwanted || report.counts.all_good() { Exit::Done } else { Exit::SomeRecords }
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

/// What is left of the run to be resumed, if there is anything.
pub(super) fn earlier_run(
    destinations: &Destinations,
    run: &Run,
) -> Result<Option<Journal>, Failure> {
    if !destinations.resume {
        return Ok(None);
    }
    let Target::File(output) = destinations.rows() else {
        let hint = "--resume needs a file of rows; standard output is none";
        return Err(Failure::Usage(hint.into()));
    };
    let journal = Journal::take_up(output, run)?;
    match fs::metadata(output) {
        // An empty file is left by a run that was killed before it wrote anything, even its journal.
        Ok(found) if journal.is_none() && !(found.is_file() && found.len() == 0) => {
            let [path, _] = journal::places(output);
            Err(Failure::Usage(format!(
                "{}: nothing to resume: it is complete, or there is no {} from a run that was \
                 ended; --force starts over",
                output.display(),
                path.display()
            )))
        }
        Ok(_) => Ok(journal),
        Err(_) => Ok(None),
    }
}

/// What is written when all rows are.
struct Sides {
    latency: Option<Out>,
    summary_json: Option<Out>,
}

impl Sides {
    /// Writes all of them; returns which of them failed, and why.
    fn write(&self, report: &Report, summary: &Summary) -> Vec<String> {
        let latency = |out: &Out| report.latencies.write_csv(out);
        let summary_json = |out: &Out| write_json(out, summary);
        let losses = [
            self.latency.as_ref().and_then(|out| write_side(out, latency)),
            self.summary_json.as_ref().and_then(|out| write_side(out, summary_json)),
        ];
        losses.into_iter().flatten().collect()
    }

    /// Removes what was made.
    fn discard(self) {
        [self.latency, self.summary_json].into_iter().flatten().for_each(Out::discard);
    }
}

/// Something of an earlier run may stand in it.
fn write_side(out: &Out, write: impl FnOnce(&Out) -> io::Result<()>) -> Option<String> {
    match out.cut(0).and_then(|()| write(out)).and_then(|()| out.settle()) {
        Ok(()) => gone_message(out),
        Err(error) => Some(format!("{}: {error}", out.name())),
    }
}

fn write_json(out: &Out, summary: &Summary) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, summary)?;
    writeln!(out)?;
    out.flush()
}

/// Whether nothing is lost: what reads the rows has all that it wants.
pub(super) fn is_closed_pipe_of_rows((output, error): &(Output, io::Error)) -> bool {
    *output == Output::Rows && error.kind() == ErrorKind::BrokenPipe
}

/// What is to be said when the writing of rows ended before its time.
pub(super) fn rows_failure(
    output: Output,
    error: &io::Error,
    report: &Report,
    results: &FileSink,
) -> String {
    let name = match output {
        Output::Rows | Output::Diagnostics => results.name(),
        Output::State => format!("{}: its journal", results.name()),
    };
    let last = match &report.last_record {
        Some(last) => format!("the last complete row is that of {}:{}", last.file, last.line),
        None => "no row is written".into(),
    };
    format!("{name}: {error}; {last}")
}
