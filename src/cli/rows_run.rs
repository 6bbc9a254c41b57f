//! A run that writes rows, from opening its outputs to the exit status.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bulkdoku::output::Format;
use bulkdoku::pipeline::{Checkpoint, OutputFailure, Report};
use serde::Serialize;

use super::html::{self, Fact};
use super::messages::Messages;
use super::out::{Out, gone_message};
use super::outputs::{Destinations, Existing, SideOutputs};
use super::progress::Meter;
use super::resume::{Disk, FileHash, Journal, JournalFile, RowFiles};
use super::run_args::RunArgs;
use super::typed::{FileState, Options, Typed};
use super::{Exit, Failure, extensions};

/// What is needed to open the outputs.
pub struct Opening<'a> {
    pub typed: Typed,
    pub inputs: Vec<FileState>,
    /// Other files that shape rows.
    pub others: &'a [PathBuf],
    /// All files that the run reads. No output may be one of these.
    pub reads: &'a [PathBuf],
    pub destinations: &'a Destinations,
    pub format: &'a dyn Format,
    /// The end of the progress bar, if it is known.
    pub total: Option<u64>,
    pub args: RunArgs,
    /// Whether the reader of the rows expects nothing else: no progress, no summary.
    pub only_rows: bool,
}

/// A run whose outputs are open.
#[derive(Debug)]
pub struct RowsRun {
    /// Receives the rows.
    pub results: RowFiles<Disk>,
    /// Where an earlier run ended, if this one resumes it.
    pub start: Option<Checkpoint>,
    /// Shows progress.
    pub meter: Meter,
    typed: Typed,
    destinations: Destinations,
    sides: SideOutputs,
    began: SystemTime,
    quiet: bool,
    only_rows: bool,
}

/// What a subcommand reports at the end of its run.
pub trait Ending {
    /// What the run did, as text and JSON.
    type Summary: Display + Serialize;

    fn summary(&self, report: &Report) -> Self::Summary;

    /// What the page of the run reports about how the rows were made.
    fn facts(&self, report: &Report) -> Vec<Fact>;

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
        let Self { typed, inputs, others, reads, format, total, args, only_rows, .. } = self;
        // The directory of such a file is at its end, so it cannot be continued.
        let assembler = format.assembler().map_err(|error| Failure::Usage(error.to_string()))?;
        let is_temporary = assembler.is_some();
        let destinations = Destinations { is_temporary, ..self.destinations.clone() };
        let run = typed.run(inputs, others);
        let Destinations { resume, force, .. } = destinations;
        if resume {
            destinations.refuse_complete()?;
        }
        let paths = destinations.stored_outputs();
        let mut file = destinations.journal();
        let load = |file: &Option<JournalFile>| match file {
            Some(file) if resume => file.load(),
            _ => Ok(None),
        };
        let bytes = load(&file)?;
        let decode = |(file, bytes): (&JournalFile, &Vec<u8>)| file.decode(bytes);
        let earlier = file.as_ref().zip(bytes.as_ref()).map(decode).transpose()?;
        if let Some(earlier) = &earlier
            && let Some(difference) = earlier.difference(&run, &paths)
        {
            let name = destinations.rows().name();
            refuse!(
                "{name}: another run: {difference}; name another output, or --force starts over"
            );
        }
        let left = earlier.as_ref().map_or_else(Vec::new, Journal::written);
        let existing = if resume { Existing::Kept(&left) } else { Existing::or_force(force) };
        let outputs = destinations.open(reads, existing)?;
        // The outputs are locked now.
        if bytes.is_some() && load(&file)? != bytes {
            let name = destinations.rows().name();
            outputs.sides.discard();
            refuse!("{name}: another run has just written it");
        }
        if let Some(file) = &mut file {
            // Without earlier rows, a journal is useless.
            file.begin(earlier.is_some()).map_err(|error| Failure::Io(error.to_string()))?;
        }

        let meter = Meter::new(args.progress, total, args.quiet || only_rows);
        let messages = Messages::new(meter.bar.clone(), args.quiet);
        let count = outputs.rows.len();
        let mut disk = Disk::new(outputs.rows, outputs.errors, file, force || earlier.is_some());
        if outputs.sides.summary_json.is_some() {
            disk.hash();
        }
        let is_resumed = earlier.is_some();
        let journal = earlier.unwrap_or_else(|| Journal::new(run, paths));
        let mut results = RowFiles::new(disk, journal, count, messages);
        let start = match is_resumed.then(|| results.resume()).transpose() {
            Ok(start) => start,
            Err(failure) => {
                outputs.sides.discard();
                return Err(failure);
            }
        };
        if outputs.sides.report.is_some() {
            results.keep_time(start.as_ref().map_or(0, |start| start.counts.records()));
        }
        let (sides, began, quiet) = (outputs.sides, SystemTime::now(), args.quiet);
        Ok(RowsRun { results, start, meter, typed, destinations, sides, began, quiet, only_rows })
    }
}

/// The summary as JSON.
#[derive(Serialize)]
struct JsonSummary<'a, S> {
    version: &'static str,
    subcommand: &'a str,
    /// As typed.
    options: &'a Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(flatten)]
    summary: &'a S,
    /// The outputs of rows.
    outputs: Vec<FileHash>,
}

impl RowsRun {
    /// Writes the side outputs and the summary, and reports how the run ended.
    pub fn close(
        self,
        ran: Result<Report, OutputFailure>,
        end: &impl Ending,
    ) -> Result<Exit, Failure> {
        let Self { mut results, typed, destinations, mut sides, began, quiet, only_rows, .. } =
            self;
        let (report, failure) = match ran {
            Ok(report) => (report, None),
            Err(OutputFailure { error, report }) => (*report, Some(error)),
        };
        results.messages.finish(destinations.errors.is_some());
        results.list_sides(destinations.stored_sides());
        let summary = end.summary(&report);
        let mut losses = Vec::new();
        let outputs = results.storage().hashes().unwrap_or_else(|error| {
            losses.push(error.to_string());
            Vec::new()
        });
        let json = JsonSummary {
            version: env!("CARGO_PKG_VERSION"),
            subcommand: &typed.subcommand,
            options: &typed.options,
            seed: typed.seed,
            summary: &summary,
            outputs,
        };
        let page = |out: &Out| {
            html::of_run(&report, &end.facts(&report), results.timeline(), began).write(out)
        };
        losses.extend(sides.write(&report, &json, began, page));
        // Before the journal is removed, all that it lists has to be on the disk.
        let outs = results.storage().outs();
        let unsettled = |out: &Out| Some(out.failed(out.settle().err()?).to_string());
        losses.extend(outs.iter().filter_map(unsettled));
        let has_all_rows = failure.is_none() && !report.stopped;
        let is_gone = outs[..outs.len() - usize::from(destinations.errors.is_some())]
            .iter()
            .any(Out::is_gone);
        let gone: Vec<_> = outs.iter().filter_map(gone_message).collect();
        let is_complete = losses.is_empty()
            && has_all_rows
            && report.failures.is_empty()
            && !results.is_incomplete();
        if failure.is_none() && !quiet && !only_rows {
            let _ = writeln!(io::stderr(), "{summary}");
        }
        // The reader of the rows has all that it needs.
        let is_closed_pipe =
            failure.as_ref().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe);
        if let Some(error) = failure.filter(|_| !is_closed_pipe) {
            losses.push(match &report.last_record {
                Some(last) => {
                    format!("{error}; the last complete row is that of {}:{}", last.file, last.line)
                }
                None => format!("{error}; no row is written"),
            });
        }
        losses.extend(results.loss());
        losses.extend(gone);
        losses.extend(report.failures.iter().map(ToString::to_string));
        let name = destinations.rows().name();
        let can_be_resumed = results.can_be_resumed() && !is_gone;
        let is_dropped = destinations.is_temporary && !has_all_rows;
        if is_complete || !(can_be_resumed || is_dropped) {
            // Rows come last: where they are, all other files are complete.
            let completed = sides.complete(destinations.force).and_then(|()| results.complete());
            completed.map_err(|error| Failure::Io(error.to_string()))?;
        } else {
            results.storage().close();
        }
        if !losses.is_empty() {
            if can_be_resumed && !is_complete {
                losses.push(format!("{name} is not complete; --resume continues it"));
            } else if is_dropped {
                losses.push(format!("{name} is not written"));
            }
            return Err(Failure::of_all(&losses));
        }
        if report.stopped && !is_closed_pipe {
            if !quiet && can_be_resumed {
                let _ = writeln!(io::stderr(), "interrupted; {}", end.resume_hint(&name));
            } else if !quiet && is_dropped {
                let _ = writeln!(io::stderr(), "interrupted; {name} is not written");
            }
            return Ok(Exit::Interrupted);
        }
        Ok(if is_closed_pipe { Exit::Done } else { end.exit(&report) })
    }
}

impl SideOutputs {
    /// Writes them; returns what failed.
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

/// Writes the histogram of latencies in the format of the output's name, or else all buckets.
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
fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}
