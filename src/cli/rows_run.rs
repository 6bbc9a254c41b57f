//! A run that writes rows, from opened outputs to the exit status.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bulkdoku::pipeline::{Checkpoint, Output, OutputFailure, Report};
use bulkdoku::stats::Latencies;
use serde::Serialize;

use super::diagnostics::Diagnostics;
use super::file_sink::FileSink;
use super::html::{self, Fact};
use super::journal::{self, Journal};
use super::out::{Out, Target, gone_message};
use super::outputs::{Destinations, Existing};
use super::progress::{Meter, ProgressArgs};
use super::run::Run;
use super::{Exit, Failure};

/// The program and its version: another one may write other rows.
pub const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// What has to be known before the outputs are opened.
#[derive(Debug)]
pub struct Opening<'a> {
    /// What tells this run from others.
    pub run: Run,
    /// What is written.
    pub destinations: &'a Destinations,
    /// The outputs of rows behind the first.
    pub others: &'a [PathBuf],
    /// Whether an output without rows is not made.
    pub drops_empty: bool,
    /// What is read: no output may be one of these.
    pub inputs: &'a [PathBuf],
    /// How long the way is, if that is known.
    pub total: Option<u64>,
    /// Whether progress is to be shown.
    pub progress: ProgressArgs,
    /// Nothing is to be said about records, nor the summary printed.
    pub quiet: bool,
    /// The reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

/// A run whose outputs are open.
#[derive(Debug)]
pub struct RowsRun {
    /// What takes the rows.
    pub results: FileSink,
    /// Where an earlier run was ended, if this one resumes it.
    pub start: Option<Checkpoint>,
    /// What shows how far the run has come.
    pub meter: Meter,
    sides: Sides,
    began: SystemTime,
    quiet: bool,
    only_rows: bool,
}

/// What a command says and writes at the end.
pub trait Ending {
    /// What the run did, for people and for programs.
    type Summary: Display + Serialize;

    /// Sums up the run.
    fn summary(&self, report: &Report) -> Self::Summary;

    /// How the rows came to be, for the page of the run.
    fn facts(&self, report: &Report) -> Vec<Fact>;

    /// Writes what tells of complete rows; what failed, if anything did.
    fn complete(&self, _: &Report, _manifest: Option<&Out>) -> Vec<String> {
        Vec::new()
    }

    /// The exit status of a run that has lost nothing and was not stopped.
    fn exit(&self, report: &Report) -> Exit;

    /// What resumes the rows of this name.
    fn resumed_by(&self, name: &str) -> String {
        format!("--resume continues {name}")
    }
}

impl Opening<'_> {
    /// Opens all outputs, or takes up those of an earlier run.
    pub fn open(self) -> Result<RowsRun, Failure> {
        let Self { run, destinations, others, drops_empty, inputs, quiet, only_rows, .. } = self;
        let earlier = earlier_run(destinations, &run)?;
        let existing = match &earlier {
            Some(journal) => Existing::Kept(journal.outputs()),
            None if destinations.resume => Existing::Kept(&[]),
            None => Existing::or_force(destinations.force),
        };
        let outputs = destinations.open(inputs, others, existing)?;
        let meter = Meter::new(self.progress, self.total, quiet || only_rows);
        let diagnostics = Diagnostics::new(outputs.errors, meter.bar.clone(), quiet);
        let names = destinations.names();
        let latency = outputs.latency.zip(destinations.latency.as_deref().map(Spread::of_name));
        let sides = Sides {
            latency,
            summary_json: outputs.summary_json,
            page: outputs.report,
            manifest: outputs.manifest,
        };
        let (mut results, start) = match earlier {
            Some(journal) => match FileSink::resume(outputs.rows, diagnostics, journal, names) {
                Ok(begun) => begun,
                Err(failure) => {
                    sides.discard();
                    return Err(failure);
                }
            },
            None if drops_empty || !others.is_empty() => {
                let (rows, others) = (outputs.rows, outputs.others);
                (FileSink::of_several(rows, others, diagnostics, drops_empty), None)
            }
            None => (FileSink::begin(outputs.rows, diagnostics, run, names), None),
        };
        if sides.page.is_some() {
            results.keep_time(start.as_ref().map_or(0, |start| start.counts.records()));
        }
        let began = SystemTime::now();
        Ok(RowsRun { results, start, meter, sides, began, quiet, only_rows })
    }
}

impl RowsRun {
    /// Writes the side outputs, says what was done, and how it ended.
    pub fn close(
        self,
        ran: Result<Report, OutputFailure>,
        ending: &impl Ending,
    ) -> Result<Exit, Failure> {
        let Self { results, sides, began, quiet, only_rows, .. } = self;
        let (report, failure) = match ran {
            Ok(report) => (report, None),
            Err(OutputFailure { output, error, report }) => (*report, Some((output, error))),
        };
        results.end_diagnostics();
        let summary = ending.summary(&report);
        let page = |out: &Out| {
            let timeline = results.timeline();
            html::of_run(&report, &ending.facts(&report), timeline, began).write(out)
        };
        let mut losses = sides.write(&report, &summary, began, page);
        // Before the journal is removed, what it vouches for has to be safe.
        losses.extend(results.unsettled());
        let mut is_complete = losses.is_empty()
            && !report.stopped
            && report.failures.is_empty()
            && !results.is_incomplete();
        if failure.is_none() && !quiet && !only_rows {
            let _ = writeln!(io::stderr(), "{summary}");
        }
        let is_unwanted = failure.as_ref().is_some_and(is_closed_pipe_of_rows);
        if let Some((output, error)) = failure.filter(|_| !is_unwanted) {
            losses.push(rows_failure(output, &error, &report, &results));
        }
        losses.extend(results.losses());
        losses.extend(report.failures.iter().map(ToString::to_string));
        if is_complete && losses.is_empty() {
            losses.extend(ending.complete(&report, sides.manifest.as_ref()));
            is_complete = losses.is_empty();
        }
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
        if report.stopped && !is_unwanted {
            if let Some(name) = name.filter(|_| !quiet) {
                let _ = writeln!(io::stderr(), "interrupted; {}", ending.resumed_by(&name));
            }
            return Ok(Exit::Interrupted);
        }
        Ok(if is_unwanted { Exit::Done } else { ending.exit(&report) })
    }
}

/// What is left of the run to be resumed, if there is anything.
fn earlier_run(destinations: &Destinations, run: &Run) -> Result<Option<Journal>, Failure> {
    if !destinations.resume {
        return Ok(None);
    }
    let Target::File(output) = destinations.rows() else {
        let hint = "--resume needs a file of rows; standard output is none";
        return Err(Failure::Usage(hint.into()));
    };
    let journal = Journal::load(output, run)?;
    match fs::metadata(output) {
        // An empty file is left by a run that was killed before it wrote anything, even its
        // journal.
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

/// How latencies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// All buckets.
    Csv,
    /// Percentiles, as `HdrHistogram` writes them.
    Hgrm,
    /// An interval log of `HdrHistogram`.
    Hlog,
}

impl Spread {
    /// The endings of names that ask for one.
    const ENDINGS: [(&str, Self); 2] = [("hgrm", Self::Hgrm), ("hlog", Self::Hlog)];

    fn of_name(path: &Path) -> Self {
        let ending = super::endings::of(path);
        let found = Self::ENDINGS.into_iter().find(|(name, _)| ending.as_deref() == Some(name));
        found.map_or(Self::Csv, |(_, spread)| spread)
    }

    fn write(
        self,
        latencies: &Latencies,
        report: &Report,
        began: SystemTime,
        out: &Out,
    ) -> io::Result<()> {
        match self {
            Self::Csv => latencies.write_csv(out),
            Self::Hgrm => latencies.write_hgrm(out),
            Self::Hlog => latencies.write_hlog(out, began, report.wall),
        }
    }
}

/// What is written when all rows are.
#[derive(Debug)]
struct Sides {
    latency: Option<(Out, Spread)>,
    summary_json: Option<Out>,
    page: Option<Out>,
    /// Is written by the command, when the rows are complete.
    manifest: Option<Out>,
}

impl Sides {
    /// Writes all of them; returns which of them failed, and why.
    fn write(
        &self,
        report: &Report,
        summary: &impl Serialize,
        began: SystemTime,
        page: impl FnOnce(&Out) -> io::Result<()>,
    ) -> Vec<String> {
        let latency = self.latency.as_ref().and_then(|(out, spread)| {
            write_side(out, |out| spread.write(&report.latencies, report, began, out))
        });
        let summary_json = |out: &Out| write_json(out, summary);
        let losses = [
            latency,
            self.summary_json.as_ref().and_then(|out| write_side(out, summary_json)),
            self.page.as_ref().and_then(|out| write_side(out, page)),
        ];
        losses.into_iter().flatten().collect()
    }

    /// Removes what was made.
    fn discard(self) {
        let latency = self.latency.map(|(out, _)| out);
        let all = [latency, self.summary_json, self.page, self.manifest];
        all.into_iter().flatten().for_each(Out::discard);
    }
}

/// Something of an earlier run may stand in it.
pub fn write_side(out: &Out, write: impl FnOnce(&Out) -> io::Result<()>) -> Option<String> {
    match out.cut(0).and_then(|()| write(out)).and_then(|()| out.settle()) {
        Ok(()) => gone_message(out),
        Err(error) => Some(format!("{}: {error}", out.name())),
    }
}

fn write_json(out: &Out, summary: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, summary)?;
    writeln!(out)?;
    out.flush()
}

/// Whether nothing is lost: what reads the rows has all that it wants.
fn is_closed_pipe_of_rows((output, error): &(Output, io::Error)) -> bool {
    *output == Output::Rows && error.kind() == ErrorKind::BrokenPipe
}

/// What is to be said when the writing of rows ended before its time.
fn rows_failure(output: Output, error: &io::Error, report: &Report, results: &FileSink) -> String {
    let name = match output {
        Output::Rows | Output::Diagnostics => results.name(),
        Output::State => format!("{}: its journal", results.name()),
        Output::Selection => return error.to_string(),
    };
    let last = match &report.last_record {
        Some(last) => format!("the last complete row is that of {}:{}", last.file, last.line),
        None => "no row is written".into(),
    };
    format!("{name}: {error}; {last}")
}
