//! A run that writes rows, from opening its outputs to the exit status.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bulkdoku::pipeline::{Checkpoint, Output, OutputFailure, Report};
use serde::Serialize;

use super::diagnostics::Diagnostics;
use super::file_sink::FileSink;
use super::html::{self, Fact};
use super::journal::{self, Journal};
use super::out::{Out, Target, gone_message};
use super::outputs::{Destinations, Existing, SideOutputs};
use super::progress::Meter;
use super::run::Run;
use super::run_args::RunArgs;
use super::{Exit, Failure, extensions};

/// The program and its version. Other versions may write other rows.
pub const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// What is needed to open the outputs.
#[derive(Debug)]
pub struct Opening<'a> {
    pub run: Run,
    pub destinations: &'a Destinations,
    /// No output may be one of these.
    pub inputs: &'a [PathBuf],
    /// The end of the progress bar, if it is known.
    pub total: Option<u64>,
    pub args: RunArgs,
    /// Whether the reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

/// A run whose outputs are open.
#[derive(Debug)]
pub struct RowsRun {
    /// Takes the rows.
    pub results: FileSink,
    /// Where an earlier run ended, if this one resumes it.
    pub start: Option<Checkpoint>,
    /// Shows progress.
    pub meter: Meter,
    sides: SideOutputs,
    began: SystemTime,
    quiet: bool,
    only_rows: bool,
}

/// What a subcommand reports at the end of its run.
pub trait RunEnd {
    /// What the run did, as text and JSON.
    type Summary: Display + Serialize;

    fn summary(&self, report: &Report) -> Self::Summary;

    /// What the page of the run says of how the rows were made.
    fn facts(&self, report: &Report) -> Vec<Fact>;

    /// Writes the manifest of complete rows; returns what failed.
    fn complete(&self, _: &Report, _manifest: Option<&Out>) -> Option<String> {
        None
    }

    /// The exit status of a run that has lost nothing and was not stopped.
    fn exit(&self, report: &Report) -> Exit;

    /// How the rows of this name can be resumed.
    fn resume_hint(&self, name: &str) -> String {
        format!("--resume continues {name}")
    }
}

impl Opening<'_> {
    /// Opens all outputs, or those of an earlier run.
    pub fn open(self) -> Result<RowsRun, Failure> {
        let Self { run, destinations, inputs, total, args, only_rows } = self;
        let earlier = earlier_run(destinations, &run)?;
        let existing = match &earlier {
            Some(journal) => Existing::Kept(journal.outputs()),
            None if destinations.resume => Existing::Kept(&[]),
            None => Existing::or_force(destinations.force),
        };
        let outputs = destinations.open(inputs, existing)?;
        let meter = Meter::new(args.progress, total, args.quiet || only_rows);
        let diagnostics = Diagnostics::new(outputs.errors, meter.bar.clone(), args.quiet);
        let names = destinations.names();
        let drops_empty = destinations.drops_empty;
        let (mut results, start) = match earlier {
            Some(journal) => match FileSink::resume(outputs.rows, diagnostics, journal, names) {
                Ok(begun) => begun,
                Err(failure) => {
                    outputs.sides.discard();
                    return Err(failure);
                }
            },
            None if drops_empty || !outputs.others.is_empty() => {
                let (rows, others) = (outputs.rows, outputs.others);
                (FileSink::of_several(rows, others, diagnostics, drops_empty), None)
            }
            None => (FileSink::begin(outputs.rows, diagnostics, run, names), None),
        };
        if outputs.sides.report.is_some() {
            results.keep_time(start.as_ref().map_or(0, |start| start.counts.records()));
        }
        let (sides, began, quiet) = (outputs.sides, SystemTime::now(), args.quiet);
        Ok(RowsRun { results, start, meter, sides, began, quiet, only_rows })
    }
}

impl RowsRun {
    /// Writes the side outputs and the summary, and reports how the run ended.
    pub fn close(
        self,
        ran: Result<Report, OutputFailure>,
        end: &impl RunEnd,
    ) -> Result<Exit, Failure> {
        let Self { results, sides, began, quiet, only_rows, .. } = self;
        let (report, failure) = match ran {
            Ok(report) => (report, None),
            Err(OutputFailure { output, error, report }) => (*report, Some((output, error))),
        };
        results.diagnostics.finish();
        let summary = end.summary(&report);
        let page = |out: &Out| {
            html::of_run(&report, &end.facts(&report), results.timeline(), began).write(out)
        };
        let mut losses = sides.write(&report, &summary, began, page);
        // Before the journal is removed, all that it lists has to be on the disk.
        losses.extend(results.unsettled());
        let mut is_complete = losses.is_empty()
            && !report.stopped
            && report.failures.is_empty()
            && !results.is_incomplete();
        if failure.is_none() && !quiet && !only_rows {
            let _ = writeln!(io::stderr(), "{summary}");
        }
        let is_closed_pipe = failure.as_ref().is_some_and(is_closed_pipe_of_rows);
        if let Some((output, error)) = failure.filter(|_| !is_closed_pipe) {
            losses.push(rows_failure(output, &error, &report, &results));
        }
        losses.extend(results.losses());
        losses.extend(report.failures.iter().map(ToString::to_string));
        if is_complete && losses.is_empty() {
            losses.extend(end.complete(&report, sides.manifest.as_ref()));
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
            return Err(Failure::of_all(&losses));
        }
        if report.stopped && !is_closed_pipe {
            if let Some(name) = name.filter(|_| !quiet) {
                let _ = writeln!(io::stderr(), "interrupted; {}", end.resume_hint(&name));
            }
            return Ok(Exit::Interrupted);
        }
        Ok(if is_closed_pipe { Exit::Done } else { end.exit(&report) })
    }
}

/// The journal of the run to be resumed, if it has left one.
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
        // A run that was killed before it wrote its journal leaves an empty file.
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

impl SideOutputs {
    /// Writes all but the manifest; returns what failed.
    fn write(
        &self,
        report: &Report,
        summary: &impl Serialize,
        began: SystemTime,
        page: impl FnOnce(&Out) -> io::Result<()>,
    ) -> Vec<String> {
        let latency = |out: &Out| write_latencies(report, began, out);
        let summary_json = |out: &Out| write_json(out, summary);
        let losses = [
            self.latency.as_ref().and_then(|out| write_side(out, latency)),
            self.summary_json.as_ref().and_then(|out| write_side(out, summary_json)),
            self.report.as_ref().and_then(|out| write_side(out, page)),
        ];
        losses.into_iter().flatten().collect()
    }
}

/// Writes the histogram of latencies: as the output's name says, else all buckets.
fn write_latencies(report: &Report, began: SystemTime, out: &Out) -> io::Result<()> {
    let latencies = &report.latencies;
    match extensions::of(Path::new(&out.name())).as_deref() {
        Some("hgrm") => latencies.write_hgrm(out),
        Some("hlog") => latencies.write_hlog(out, began, report.wall),
        _ => latencies.write_csv(out),
    }
}

/// Writes a side output, in place of what an earlier run has left there; returns what failed.
pub fn write_side(out: &Out, write: impl FnOnce(&Out) -> io::Result<()>) -> Option<String> {
    match out.cut(0).and_then(|()| write(out)).and_then(|()| out.settle()) {
        Ok(()) => gone_message(out),
        Err(error) => Some(out.failed(error).to_string()),
    }
}

/// Writes a value as JSON, with a line feed at its end.
pub fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Whether the reader of the rows has closed its pipe: it has all that it needs.
fn is_closed_pipe_of_rows((output, error): &(Output, io::Error)) -> bool {
    *output == Output::Rows && error.kind() == ErrorKind::BrokenPipe
}

/// The message about a run that a failure ended.
fn rows_failure(output: Output, error: &io::Error, report: &Report, results: &FileSink) -> String {
    let failed = match output {
        Output::Rows | Output::Diagnostics => format!("{}: {error}", results.name()),
        Output::State => format!("{}: its journal: {error}", results.name()),
        Output::Selection => error.to_string(),
    };
    match &report.last_record {
        Some(last) => {
            format!("{failed}; the last complete row is that of {}:{}", last.file, last.line)
        }
        None => format!("{failed}; no row is written"),
    }
}
