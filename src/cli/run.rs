//! A run: reads the inputs, writes rows, and reports the result.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use bulkdoku::condition::Predicate;
use bulkdoku::output::{Compressed, Format, Needs, Rows};
use bulkdoku::pipeline::{
    Answered, BLOCK_BYTES, BlockSource, Checkpoint, FIRST_BLOCK_BYTES, Filter, Job, Options,
    OutputFailure, Report, RowWriter, RunEnd, Shifts, TextSource, fold_blocks, visible,
};
use bulkdoku::stats::Latencies;
use bulkdoku::{Compression, Progress, Source};
use serde::Serialize;

use super::against::Comparison;
use super::inputs::Inputs;
use super::messages::Messages;
use super::out::{OpenOutput, replaced_message, write_side};
use super::outputs::{Claim, Destinations};
use super::progress::{Meter, Progressed};
use super::resume::{Begin, Disk, Journal, ListedOutput, RowFiles, Storage};
use super::run_args::RunArgs;
use super::summary::{Method, RecordSummary};
use super::typed::Typed;
use super::version::Origin;
use super::{Exit, Failure, extensions, log, platform, report, typed};

/// What a run keeps from its arguments to its summary.
pub struct Settings {
    pub typed: Typed,
    pub args: RunArgs,
    pub method: Method,
    /// The files read in addition to the inputs.
    pub others: Vec<PathBuf>,
    /// The capacity of a block of input.
    pub block_bytes: usize,
    /// Whether to print only rows, without progress and summary.
    pub only_rows: bool,
}

impl Settings {
    pub fn new(typed: Typed, args: RunArgs) -> Self {
        let (method, others) = (Method::default(), Vec::new());
        Self { typed, args, method, others, block_bytes: BLOCK_BYTES, only_rows: false }
    }

    pub fn is_quiet(&self) -> bool {
        self.args.quiet || self.only_rows
    }
}

/// A run whose outputs are claimed and whose inputs are open.
pub struct Run {
    pub settings: Settings,
    pub claim: Claim,
    /// The inputs, or none if records are generated.
    pub inputs: Inputs,
    /// The condition for records to have rows. Other filters receive only these records.
    pub test: Option<Predicate>,
    /// The input of answers, if it is separate.
    pub answers: Option<Source<'static>>,
    /// Whether the answers of that input are shifted.
    pub shifts: Option<Arc<Shifts>>,
    /// The question that the summary answers, if there is one.
    pub comparison: Option<Comparison>,
    pub progress: Arc<Progress>,
}

/// How the rows of a run ended.
enum RowsEnd {
    Complete,
    /// By a signal or the timeout.
    Stopped,
    /// The reader of the rows has closed the pipe.
    ClosedPipe,
    Failed(io::Error),
}

impl RowsEnd {
    fn of(ran: Result<Report, OutputFailure>) -> (Report, Self) {
        match ran {
            Ok(report) if report.stopped => (report, Self::Stopped),
            Ok(report) => (report, Self::Complete),
            Err(OutputFailure { error, report }) if error.kind() == ErrorKind::BrokenPipe => {
                (*report, Self::ClosedPipe)
            }
            Err(OutputFailure { error, report }) => (*report, Self::Failed(error)),
        }
    }
}

/// Which rows are in the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    All,
    /// All that could be read, but an input failed.
    WithGaps,
    /// Those before the run ended.
    Partly,
}

/// The summary of a run, as text and JSON.
pub trait RunSummary: Display + Serialize {
    /// Returns the exit status of a complete run without errors.
    fn exit(&self) -> Exit;

    fn resume_options(&self) -> String {
        "--resume".into()
    }
}

#[derive(Serialize)]
struct JsonSummary<'a, S> {
    /// The version of the schema in `docs/schemas/`.
    schema: u32,
    #[serde(flatten)]
    origin: Origin,
    subcommand: &'a str,
    options: &'a typed::TypedOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(flatten)]
    summary: &'a S,
}

impl Run {
    /// Creates a run over these inputs; none if records are generated.
    pub fn new(settings: Settings, claim: Claim, inputs: Inputs) -> Self {
        let progress = Arc::new(platform::new_progress());
        let (test, answers, shifts, comparison) = (None, None, None, None);
        Self { settings, claim, inputs, test, answers, shifts, comparison, progress }
    }

    /// Runs `job` on the records of the inputs, and writes the rows that `filters` keep.
    pub fn write(
        mut self,
        job: &impl Job,
        mut filters: Vec<Filter<'_>>,
        format: Box<dyn Format>,
    ) -> Result<Exit, Failure> {
        filters.splice(..0, self.test.iter().map(Predicate::filter));
        let has_check_sums =
            self.claim.has_journal() && can_be_continued(&*format).unwrap_or(false);
        let (bytes, total) = (self.inputs.bytes(), self.inputs.size());
        let least_bytes = job.block_bytes().min(FIRST_BLOCK_BYTES);
        let options = Options {
            block_bytes: self.settings.block_bytes,
            statistics: self.claim.destinations.statistics(),
            messages: self.claim.destinations.message_format(),
            unsolved: self.settings.only_rows,
            threads: self.inputs.useful_threads(self.settings.args.threads, least_bytes),
            ..self.settings.args.options(&self.progress)
        };
        let answers = self.answers.take();
        let (progress, is_filtered) = (Arc::clone(&self.progress), self.test.is_some());
        let progressed = |_| {
            let progressed = Progressed::of_bytes(&bytes, &progress);
            if is_filtered { progressed.with_filter(&progress) } else { progressed }
        };
        let source = |run: &mut Self, start: Option<&Checkpoint>| {
            if let Some(start) = start
                && filters.iter().any(Filter::is_in_order)
            {
                let replayed = run.replay(start, job, &mut filters, &options);
                replayed.map_err(|error| run.unchanged(&error))?;
            }
            let (place, records) = start.map_or_else(Default::default, |start| {
                ((start.source, start.position), start.counts.records())
            });
            let stop = &options.stop;
            let sources = run.inputs.sources_from(place);
            let mut source = TextSource::new(place.0, sources, stop);
            if has_check_sums {
                source = source.with_check_sums();
            }
            let skipped = if start.is_some() { source.skip() } else { Ok(None) };
            if let Some(difference) = skipped.map_err(|error| run.unchanged(&error))? {
                refuse!("{difference}; --force starts over");
            }
            Ok((Answered::new(source, answers, records, stop), filters))
        };
        let summarize = |run: &Self, report: &Report| {
            let summary = RecordSummary::new(
                run.inputs.names(),
                run.settings.method,
                &run.settings.args,
                report,
            );
            let summary = summary.with_parts(&run.claim.destinations.parts, &report.rows);
            let shift = run.shifts.as_ref().and_then(|shifts| shifts.likely());
            let summary = summary.with_shift(shift, &report.counts);
            let comparison = run.comparison.as_ref();
            summary
                .with_verdict(comparison.map(|it| it.verdict(&report.counts, run.test.is_some())))
        };
        self.write_rows(job, format, (total, &options), progressed, source, summarize)
    }

    /// Applies filters to the records of an earlier run, because later ones are compared with them.
    fn replay(
        &mut self,
        start: &Checkpoint,
        job: &impl Job,
        filters: &mut [Filter<'_>],
        options: &Options,
    ) -> io::Result<()> {
        let sources = self.inputs.sources_until((start.source, start.position.offset));
        let mut source = TextSource::new(0, sources, &options.stop);
        let map = || |_: &Rows<'_>, (): &mut ()| {};
        let options = Options { statistics: None, ..options.clone() };
        let folded =
            fold_blocks(&mut source, job, filters, Needs::NONE, &options, map, |(), _| Ok(()));
        self.inputs.bytes().store(0, Ordering::Relaxed);
        match (folded.end, source.take_failures().pop()) {
            (RunEnd::Failed(error), _) => Err(error),
            (_, Some(failure)) => Err(io::Error::other(failure.to_string())),
            _ => Ok(()),
        }
    }

    /// Opens all outputs, writes the rows of `job`, and reports how the run ended. The source and
    /// the filters are created for the position where an earlier run ended, before its outputs are
    /// changed.
    pub fn write_rows<'f, B: BlockSource, S: RunSummary>(
        mut self,
        job: &impl Job,
        mut format: Box<dyn Format>,
        (total, options): (Option<u64>, &Options),
        progressed: impl Fn(u64) -> Progressed,
        source: impl FnOnce(&mut Self, Option<&Checkpoint>) -> Result<(B, Vec<Filter<'f>>), Failure>
        + Send,
        summarize: impl FnOnce(&Self, &Report) -> S,
    ) -> Result<Exit, Failure> {
        let output = self.claim.destinations.output.as_deref();
        if let Some(compression) = output.and_then(Compression::of_name) {
            format = Box::new(Compressed { format, compression });
        }
        let can_be_continued = can_be_continued(&*format);
        let can_be_continued =
            can_be_continued.map_err(|error| Failure::Usage(error.to_string()))?;
        let is_quiet = self.settings.is_quiet();
        let meter = Meter::new(self.settings.args.progress, total, is_quiet);
        // Puzzles generated with several solutions are not errors.
        let is_generated = self.inputs.paths().is_empty();
        let message_format = self.claim.destinations.message_format();
        let messages = Messages::new(
            meter.bar.clone(),
            self.settings.args.quiet,
            is_generated,
            message_format,
        );
        if !can_be_continued && self.settings.args.timeout.is_some() && !is_quiet {
            let name = self.claim.destinations.rows().name();
            let what = "cannot be resumed: if --timeout ends the run, it is not written";
            log::note(format!("{name}: {what}"));
        }
        let (mut results, start) = self.open_outputs(&*format, messages, !can_be_continued)?;
        let began = SystemTime::now();
        let before = start.as_ref().map_or(0, |start| start.counts.records());
        let outputs = self.claim.destinations.parts.len().max(1) as u8;
        let progress = Arc::clone(&self.progress);
        let ran = meter.watch(
            || progressed(before),
            || -> Result<_, Failure> {
                let (mut source, mut filters) = source(&mut self, start.as_ref())?;
                if start.is_some() {
                    let truncated = results.truncate_to_start();
                    truncated.map_err(|error| self.unchanged(&error))?;
                }
                let (format, progress) = (&*format, &*progress);
                let mut writer = RowWriter::new(&mut results, format, outputs, start, progress);
                writer.run(&mut source, job, &mut filters, options);
                Ok(writer.finish())
            },
        );
        match ran {
            Ok(ran) => self.close(results, began, ran, summarize),
            Err(error) => {
                results.storage.discard_sides();
                Err(error)
            }
        }
    }

    /// Returns the error of a run that could not be resumed and left its outputs unchanged.
    fn unchanged(&self, error: &io::Error) -> Failure {
        if error.kind() == ErrorKind::Interrupted {
            return Failure::Stopped;
        }
        let name = self.claim.destinations.rows().name();
        let advice = format!("{name} is not complete; --resume continues it");
        Failure::of_all(&[error.to_string(), advice])
    }

    /// Opens the outputs, or those of an earlier run, and returns the position where it ended.
    fn open_outputs(
        &mut self,
        format: &dyn Format,
        messages: Messages,
        is_temporary: bool,
    ) -> Result<(RowFiles<Disk>, Option<Checkpoint>), Failure> {
        let Self { settings, inputs, claim, .. } = self;
        let run = settings.typed.run(inputs.states(), &settings.others);
        let name = claim.destinations.rows().name();
        if let Some(earlier) = claim.resumed() {
            if let Some(difference) = earlier.difference(&run, &claim.destinations.stored_outputs())
            {
                refuse!(
                    "{name}: another run: {difference}; name another output, or --force starts over"
                );
            }
            if let Some(other) = run.not_comparable() {
                refuse!(
                    "{name}: cannot be resumed: {other} is not a file, so it may not be the same; \
                     --force starts over"
                );
            }
        }
        let disk = claim.prepare(is_temporary)?;
        let Destinations { force, resume, is_template, .. } = claim.destinations;
        let rows = claim.destinations.all_rows().len();
        let listed = claim.destinations.stored_outputs().into_iter().enumerate();
        let listed = listed.map(|(output, path)| {
            let header = if output < rows { format.header() } else { Vec::new() };
            ListedOutput { path, header, is_begun: false }
        });
        let mut journal = Journal::new(run, listed.collect());
        journal.replaces = force;
        if is_temporary || force {
            journal.sides = claim.destinations.stored_sides();
        }
        let earlier = claim.earlier.take().filter(|_| resume);
        let mut results = RowFiles::new(disk, journal, (rows, is_template), messages);
        let begin = results.open(earlier).inspect_err(|_| results.storage.discard_sides())?;
        let start = match begin {
            Begin::Complete => return Err(Failure::Complete(name)),
            Begin::At(start) => Some(*start),
            Begin::New => None,
        };
        Ok((results, start))
    }

    /// Writes the side outputs and the summary, and reports how the run ended.
    fn close<S: RunSummary>(
        self,
        mut results: RowFiles<Disk>,
        began: SystemTime,
        ran: Result<Report, OutputFailure>,
        summarize: impl FnOnce(&Self, &Report) -> S,
    ) -> Result<Exit, Failure> {
        let (report, end) = RowsEnd::of(ran);
        let destinations = &self.claim.destinations;
        results.messages.finish(destinations.errors.is_some());
        if report.failures.iter().any(|failure| failure.has_answers) {
            results.invalidate_all();
        }
        results.list_sides(destinations.stored_sides());
        let summary = summarize(&self, &report);
        let mut losses = self.write_sides(&results, &report, &summary, began);
        // All files in the journal must be synced before it is removed.
        let unsynced: Vec<_> =
            results.storage.outs.iter().filter_map(|out| out.sync().err()).collect();
        losses.extend(unsynced.iter().map(ToString::to_string));
        let is_quiet = self.settings.args.quiet;
        let has_summary = matches!(end, RowsEnd::Complete | RowsEnd::Stopped);
        if has_summary && !is_quiet && !self.settings.only_rows {
            log::note(&summary);
        }
        let written = match &end {
            RowsEnd::Complete if !unsynced.is_empty() => Written::Partly,
            RowsEnd::Complete if !report.failures.is_empty() || results.is_incomplete() => {
                Written::WithGaps
            }
            RowsEnd::Complete => Written::All,
            _ => Written::Partly,
        };
        let is_complete = losses.is_empty() && written == Written::All;
        let is_temporary = results.storage.is_temporary();
        if let RowsEnd::Failed(error) = &end {
            losses.push(lost_rows(error, &report, is_temporary));
        }
        losses.extend(results.messages_loss());
        losses.extend(results.storage.outs.iter().filter_map(replaced_message));
        losses.extend(report.failures.iter().map(ToString::to_string));
        let advice = self.advice(&results, written, &summary.resume_options());
        // Rows with temporary names are lost otherwise.
        let is_kept = is_temporary && written != Written::Partly;
        if is_complete || advice.is_none() || is_kept {
            if let Err(error) = results.complete(is_temporary && written == Written::WithGaps) {
                losses.push(error.to_string());
                let name = destinations.rows().name();
                losses.push(format!("{name} is not complete; --resume continues it"));
            }
        } else {
            losses.extend(results.storage.close().err().map(|error| error.to_string()));
        }
        if !losses.is_empty() {
            losses.extend(advice.filter(|_| !is_complete));
            return Err(Failure::of_all(&losses));
        }
        match end {
            RowsEnd::Stopped => {
                let exit = platform::exit_of_stop();
                let why = if exit == Exit::TimedOut { "timed out" } else { "interrupted" };
                if let Some(advice) = advice.filter(|_| !is_quiet) {
                    log::note(format!("{why}; {advice}"));
                }
                Ok(exit)
            }
            RowsEnd::ClosedPipe => Ok(Exit::Done),
            RowsEnd::Complete | RowsEnd::Failed(_) => Ok(summary.exit()),
        }
    }

    /// Writes and syncs the side outputs, and returns the errors.
    fn write_sides(
        &self,
        results: &RowFiles<Disk>,
        report: &Report,
        summary: &impl RunSummary,
        began: SystemTime,
    ) -> Vec<String> {
        let sides = results.storage.sides.as_ref();
        let mut losses = Vec::new();
        let Typed { subcommand, options, seed, .. } = &self.settings.typed;
        let origin = Origin::new(began);
        let json = JsonSummary { schema: 1, origin, subcommand, options, seed: *seed, summary };
        losses.extend(
            sides
                .latency
                .and_then(|out| write_side(out, |out| write_latencies(&report.latencies, out))),
        );
        losses.extend(sides.summary.and_then(|out| write_side(out, |out| write_json(out, &json))));
        losses.extend(sides.page.and_then(|out| write_side(out, |out| report::write(&json, out))));
        losses
    }

    /// Returns how to continue an incomplete run, or `None` if there is nothing to resume.
    fn advice(
        &self,
        results: &RowFiles<Disk>,
        written: Written,
        resume_options: &str,
    ) -> Option<String> {
        let name = self.claim.destinations.rows().name();
        let is_replaced = results.storage.rows().iter().any(OpenOutput::is_replaced);
        let is_temporary = results.storage.is_temporary();
        let is_continued = !is_temporary || written == Written::WithGaps;
        if results.has_journal() && !is_replaced && is_continued {
            Some(if results.can_be_resumed() {
                format!("{name} is not complete; {resume_options} continues it")
            } else {
                format!("{name} is not complete; --force starts over")
            })
        } else if is_temporary && written == Written::Partly {
            Some(format!("{name} is not written"))
        } else {
            None
        }
    }
}

/// Returns whether rows can be appended to those of an earlier run. A file with an assembler is
/// written as a whole.
pub fn can_be_continued(format: &dyn Format) -> io::Result<bool> {
    Ok(format.assembler()?.is_none())
}

/// Returns the message that an output error ended the rows, and where.
fn lost_rows(error: &io::Error, report: &Report, is_temporary: bool) -> String {
    match &report.last_record {
        // An incomplete Parquet file has no readable rows.
        _ if is_temporary => error.to_string(),
        Some(last) => {
            format!(
                "{error}; the last complete row is that of {}:{}",
                visible(&last.file),
                last.line
            )
        }
        None => format!("{error}; no row is written"),
    }
}

/// Writes the latency histogram in the format of the output's name, by default all buckets.
fn write_latencies(latencies: &Latencies, out: &OpenOutput) -> io::Result<()> {
    match extensions::of(Path::new(&out.name())).as_deref() {
        Some("hgrm") => latencies.write_hgrm(out),
        _ => latencies.write_csv(out),
    }
}

fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}
