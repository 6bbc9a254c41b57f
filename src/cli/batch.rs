//! A run over whole inputs, from opened outputs to the exit status.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use bulkdoku::input::Expected;
use bulkdoku::output::RowFormat;
use bulkdoku::pipeline::{Output, OutputFailure, Report, SoFar};
use bulkdoku::{EngineKind, Pipeline, Progress, SimdLevel};

use super::inputs::Inputs;
use super::journal::{self, Journal, Run};
use super::notes::Notes;
use super::outputs::{Destinations, Existing, Outputs, cut};
use super::results::Results;
use super::summary::{Setup, Summary};
use super::work::WorkArgs;
use super::{Exit, Failure, interrupt, progress};

/// The program and its version: another one may write other rows.
const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// What is to be done with whole inputs.
#[derive(Debug)]
pub struct Batch {
    /// How records become rows.
    pub pipeline: Pipeline,
    /// The options that shape rows: a run is gone on with under the same ones.
    pub settings: BTreeMap<String, String>,
    /// The engine, for the summary.
    pub engine: EngineKind,
    /// Its vector level, if it uses one.
    pub simd: Option<SimdLevel>,
    /// Nothing is to be said about records, nor the summary printed.
    pub quiet: bool,
    /// Somebody reads the rows who expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

impl Batch {
    /// This, with the summary, unless `work` says otherwise.
    pub fn new(pipeline: Pipeline, settings: BTreeMap<String, String>, work: &WorkArgs) -> Self {
        Self {
            pipeline,
            settings,
            engine: work.engine(),
            simd: work.engine().uses(work.simd()),
            quiet: work.quiet,
            only_rows: false,
        }
    }

    /// Reads `inputs`, writes to `destinations`. Once the inputs have been looked at, `format` is
    /// told whether there are several, and the names of the columns that are kept.
    pub fn run(
        mut self,
        inputs: Vec<PathBuf>,
        expected: &Expected,
        destinations: &Destinations,
        format: impl FnOnce(bool, &[String]) -> Result<Box<dyn RowFormat + Send>, Failure>,
    ) -> Result<Exit, Failure> {
        let mut inputs = Inputs::check(inputs)?;
        let progress = Progress::default();
        interrupt::stop_at_signal(&progress.stop)
            .map_err(|error| Failure::Io(format!("signals cannot be waited for: {error}")))?;
        self.look(&mut inputs, expected, &progress)?;
        if progress.stop.load(Ordering::Relaxed) {
            // Nothing is read, and no output is opened yet.
            return Ok(Exit::Interrupted);
        }
        self.pipeline.format = format(inputs.paths().len() > 1, &inputs.kept())?;
        self.work(inputs, destinations, &progress)
    }

    /// Looks at the start of each input, and says what it found.
    fn look(
        &self,
        inputs: &mut Inputs,
        expected: &Expected,
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
        let existing = match earlier {
            Some(_) => Existing::Kept,
            None if destinations.resume && is_empty(destinations.output.as_deref()) => {
                Existing::Kept
            }
            None => Existing::or_force(destinations.force),
        };
        let mut outputs = Outputs::new(inputs.paths(), existing);
        let rows = outputs.rows(destinations.output.as_deref())?;
        let errors = outputs.optional(destinations.errors.as_deref())?;
        let sides = Sides {
            latency: outputs.optional(destinations.latency.as_deref())?,
            summary_json: outputs.optional(destinations.summary_json.as_deref())?,
        };

        let bar = progress::bar(inputs.size(), self.quiet || self.only_rows);
        let notes = Notes::new(errors.map(|(file, _)| file), bar.clone(), self.quiet);
        let (mut results, start) = match earlier {
            Some(journal) => Results::go_on(rows, notes, journal)?,
            None => (Results::begin(rows, notes, run), None),
        };
        let ran = progress::watch(&bar, progress, &inputs.bytes(), || {
            self.solve(&mut inputs, start, &mut results, progress)
        });
        let report = match ran {
            Ok(report) => report,
            Err(failed) if failed.error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
            Err(failed) => return Err(output_failure(&failed, &results, destinations)),
        };
        results.end_notes();
        let summary = Summary::new(inputs.names(), self.setup(), &report);
        sides.write(&report, &summary)?;
        if !self.quiet && !self.only_rows {
            let _ = writeln!(io::stderr(), "{summary}");
        }
        self.end(&report, results)
    }

    /// What tells this run from others.
    fn run_on(&self, inputs: &Inputs, destinations: &Destinations) -> Run {
        let mut options = self.settings.clone();
        if let Some(errors) = &destinations.errors {
            options.insert("--errors".into(), errors.display().to_string());
        }
        let subcommand = if self.pipeline.check { "check" } else { "solve" };
        Run { program: format!("{PROGRAM} {subcommand}"), inputs: inputs.states(), options }
    }

    fn setup(&self) -> Setup {
        Setup {
            engine: self.engine,
            simd: self.simd,
            threads: self.pipeline.threads,
            limits: self.pipeline.limits,
            check: self.pipeline.check,
        }
    }

    fn solve(
        &self,
        inputs: &mut Inputs,
        start: Option<SoFar>,
        results: &mut Results,
        progress: &Progress,
    ) -> Result<Report, OutputFailure> {
        let place = start.as_ref().map(|start| (start.source, start.position)).unwrap_or_default();
        let sources = inputs.sources_from(place);
        match start {
            Some(start) => self.pipeline.go_on(start, results, sources, progress),
            None => self.pipeline.run_into(results, sources, progress),
        }
    }

    /// The exit status of a run that wrote all it could.
    fn end(&self, report: &Report, results: Results) -> Result<Exit, Failure> {
        if report.stopped {
            if results.can_be_resumed() && !self.quiet {
                let name = results.name();
                let _ = writeln!(io::stderr(), "interrupted; --resume goes on with {name}");
            }
            return Ok(Exit::Interrupted);
        }
        results.complete()?;
        if !report.failures.is_empty() {
            let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
            return Err(Failure::Io(failures.join("\nbulkdoku: ")));
        }
        Ok(if report.counts.all_good() { Exit::Done } else { Exit::SomeRecords })
    }
}

/// What is left of the run that `--resume` is to go on with, if there is anything.
fn earlier_run(destinations: &Destinations, run: &Run) -> Result<Option<Journal>, Failure> {
    let Some(output) = destinations.output.as_deref().filter(|_| destinations.resume) else {
        return Ok(None);
    };
    let is_there = output.exists();
    match Journal::take_up(output, run)? {
        Some(journal) if is_there => Ok(Some(journal)),
        None if is_there && !is_empty(Some(output)) => Err(Failure::Usage(format!(
            "{}: nothing to go on with: it is complete, or there is no {} from a run that was \
             ended; --force starts over",
            output.display(),
            journal::path_beside(output).display()
        ))),
        _ => Ok(None),
    }
}

/// Whether nothing is in an output that is there: a run was killed before it wrote anything, even
/// its journal.
fn is_empty(output: Option<&Path>) -> bool {
    output
        .and_then(|path| path.metadata().ok())
        .is_some_and(|file| file.is_file() && file.len() == 0)
}

/// What is written when all rows are.
struct Sides {
    latency: Option<(File, PathBuf)>,
    summary_json: Option<(File, PathBuf)>,
}

impl Sides {
    fn write(&self, report: &Report, summary: &Summary) -> Result<(), Failure> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| Failure::at(&path, error)
        };
        if let Some((file, path)) = &self.latency {
            empty(file).and_then(|()| report.latencies.write_csv(file)).map_err(failed(path))?;
        }
        if let Some((file, path)) = &self.summary_json {
            empty(file).and_then(|()| write_json(file, summary)).map_err(failed(path))?;
        }
        Ok(())
    }
}

/// Something of an earlier run may stand in it.
fn empty(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { cut(file, 0) } else { Ok(()) }
}

fn write_json(file: impl Write, summary: &Summary) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, summary)?;
    writeln!(file)?;
    file.flush()
}

fn output_failure(
    failed: &OutputFailure,
    results: &Results,
    destinations: &Destinations,
) -> Failure {
    let name = match (failed.output, &destinations.errors) {
        (Output::Notes, Some(errors)) => errors.display().to_string(),
        (Output::State, _) => format!("{}: its journal", results.name()),
        _ => results.name(),
    };
    let last = match &failed.last_record {
        Some(last) => format!("the last complete row is that of {}:{}", last.file, last.line),
        None => "no row is written".into(),
    };
    let hint = if results.can_be_resumed() { "; make room and go on with --resume" } else { "" };
    Failure::Io(format!("{name}: {}; {last}{hint}", failed.error))
}
