//! A run: opens its outputs, folds its records into rows, and reports how it ended.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use bulkdoku::condition::Predicate;
use bulkdoku::output::{Compressed, Format, Needs};
use bulkdoku::pipeline::{
    Answered, BLOCK_BYTES, BlockSource, Checkpoint, Filter, Job, Map, Options, OutputFailure,
    Report, RowWriter, Shifts, TextSource, fold_blocks, visible,
};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Compression, Progress, Source, Status};
use serde::Serialize;
use serde_json::{Value, json};

use super::against::Comparison;
use super::inputs::Inputs;
use super::log::Messages;
use super::out::{self, OpenOutput, replaced_message, write_side};
use super::outputs::{Claim, Destinations};
use super::progress::{Meter, Progressed};
use super::resume::{RowFiles, Side};
use super::run_args::RunArgs;
use super::summary::{Method, Summary, object};
use super::typed::{RunIdentity, Typed};
use super::version::Origin;
use super::{Exit, Failure, log, platform, report};

/// The bytes of input for which another thread is worth its start, unless records take long.
const BYTES_PER_THREAD: usize = 16 * 1024;

/// What a run keeps from its arguments to its summary.
pub struct Settings {
    pub typed: Typed,
    pub args: RunArgs,
    pub method: Method,
    /// The files read in addition to the inputs.
    pub others: Vec<PathBuf>,
    pub block_bytes: usize,
    /// The statuses of valid records that have messages ([`Options::reported`]).
    pub reported: &'static [Status],
    /// Whether to print only rows, without progress and summary.
    pub only_rows: bool,
}

impl Settings {
    pub fn new(typed: Typed, args: RunArgs) -> Self {
        let (method, others) = (Method::default(), Vec::new());
        let (block_bytes, reported, only_rows) = (BLOCK_BYTES, &[][..], false);
        Self { typed, args, method, others, block_bytes, reported, only_rows }
    }

    pub fn is_quiet(&self) -> bool {
        self.args.quiet || self.only_rows
    }
}

/// A run over records, whose outputs are claimed and whose inputs are open.
pub struct Run {
    pub settings: Settings,
    pub claim: Claim,
    pub inputs: Inputs,
    /// The condition for records to have rows. Other filters receive only these records.
    pub test: Option<Predicate>,
    pub answers: Option<Source<'static>>,
    pub shifts: Option<Arc<Shifts>>,
    /// The question that the summary answers, if there is one.
    pub comparison: Option<Comparison>,
    pub progress: Arc<Progress>,
}

impl Run {
    pub fn write(
        self,
        job: &dyn Job,
        mut filters: Vec<Filter<'_>>,
        format: Box<dyn Format>,
    ) -> Result<Exit, Failure> {
        let Self { settings, claim, mut inputs, test, answers, shifts, comparison, progress } =
            self;
        filters.splice(..0, test.iter().cloned().map(Filter::Condition));
        let needs = filters.iter().map(Filter::needs).chain([format.needs()]);
        let are_slow = needs.fold(Needs::NONE, Needs::union).are_slow();
        let per_thread = if are_slow { CELLS } else { job.block_bytes().min(BYTES_PER_THREAD) };
        let options = Options {
            block_bytes: settings.block_bytes,
            statistics: claim.destinations.statistics(),
            messages: claim.destinations.message_format(),
            reported: settings.reported,
            threads: inputs.useful_threads(settings.args.threads, per_thread),
            ..settings.args.options(&progress)
        };
        let parts = claim.destinations.parts().to_vec();
        let identity = settings.typed.run(inputs.states(), &settings.others);
        let mut run = OpenRun::new(&settings, claim, identity, format, inputs.size())?;
        let ran = run.meter.clone().watch(
            || {
                let progressed = Progressed::of_bytes(&progress.bytes, &progress);
                if test.is_some() { progressed.with_rows(&progress) } else { progressed }
            },
            || {
                if let Some(start) = &run.start
                    && filters.iter().any(Filter::is_in_order)
                {
                    let replayed = replay(&mut inputs, start, job, &mut filters, &options);
                    replayed.map_err(|error| run.unchanged(&error))?;
                }
                let mut source = run.source(&mut inputs, answers, &options)?;
                run.fold(&mut source, job, &mut filters, &options, &progress)
            },
        );
        run.finish(ran, |report| {
            let shift = shifts.and_then(|shifts| shifts.likely());
            let verdict = comparison.as_ref().map(|it| it.verdict(&report.counts, test.is_some()));
            let (inputs, Settings { method, args, .. }) = (inputs.names(), &settings);
            let mut summary =
                Summary::of_records(report, &inputs, *method, args, &parts, shift, verdict);
            // Records that were not compared may be known.
            let is_open = comparison.is_some_and(|it| it.is_open(&report.counts));
            if is_open && args.names(Status::Known) {
                summary.exit = Exit::SomeRecords;
            }
            summary
        })
    }
}

/// Applies filters to the records of an earlier run, because later ones are compared with them.
fn replay(
    inputs: &mut Inputs,
    start: &Checkpoint,
    job: &dyn Job,
    filters: &mut [Filter<'_>],
    options: &Options,
) -> io::Result<()> {
    let sources = inputs.sources_until((start.source, start.position.offset));
    let mut source = TextSource::new(0, sources, &options.stop);
    let map = || -> Box<Map<'_, ()>> { Box::new(|_, ()| {}) };
    let options = Options { statistics: None, ..options.clone() };
    let folded =
        fold_blocks(&mut source, job, filters, Needs::NONE, &options, &map, |(), _| Ok(()));
    inputs.bytes().store(0, Ordering::Relaxed);
    match (folded.end, source.take_failures().pop()) {
        (Ok(()), Some(failure)) => Err(io::Error::other(failure.to_string())),
        (end, _) => end,
    }
}

#[derive(Debug)]
enum Ending {
    Complete,
    /// All that could be read has rows, but an input failed, or messages are missing.
    WithGaps,
    Stopped,
    ClosedPipe,
    /// Rows could not be written, for these reasons.
    Failed(Vec<String>),
}

impl Ending {
    /// Syncs the outputs of rows, because all files in the journal must be synced before it is
    /// removed. A stopped run keeps it.
    fn of(report: &Report, error: Option<io::Error>, outputs: &RowFiles) -> Self {
        let outs = outputs.files.outs.iter().filter(|_| !report.stopped);
        let unsynced = outs.filter_map(|out| out.sync().err()).map(|error| error.to_string());
        let unsynced: Vec<_> = unsynced.collect();
        match error {
            Some(error) if error.kind() == ErrorKind::BrokenPipe => Self::ClosedPipe,
            Some(error) => Self::Failed(vec![lost_rows(&error, report, outputs.files.is_whole)]),
            None if !unsynced.is_empty() => Self::Failed(unsynced),
            None if report.stopped => Self::Stopped,
            None if !report.failures.is_empty() || outputs.is_incomplete() => Self::WithGaps,
            None => Self::Complete,
        }
    }
}

pub struct OpenRun<'a> {
    settings: &'a Settings,
    destinations: Destinations,
    format: Box<dyn Format>,
    outputs: RowFiles,
    pub start: Option<Checkpoint>,
    pub meter: Meter,
    began: SystemTime,
}

impl<'a> OpenRun<'a> {
    /// Opens the outputs of a run, or those of an earlier one, which are not changed yet. `total` is
    /// the amount of work, if it is known.
    pub fn new(
        settings: &'a Settings,
        claim: Claim,
        identity: RunIdentity,
        mut format: Box<dyn Format>,
        total: Option<u64>,
    ) -> Result<Self, Failure> {
        let destinations = claim.destinations.clone();
        if let Some(compression) = destinations.path().and_then(Compression::of_name) {
            format = Box::new(Compressed { format, compression });
        }
        let assembler = format.assembler().map_err(|error| Failure::Usage(error.to_string()))?;
        // Such a file is complete only as a whole, so rows cannot be appended to those of an earlier run.
        let is_whole = assembler.is_some();
        let is_quiet = settings.is_quiet();
        if is_whole && settings.args.timeout.is_some() && !is_quiet {
            let name = out::name(destinations.rows());
            let what = "cannot be resumed: if --timeout ends the run, it is not written";
            log::note(format!("{name}: {what}"));
        }
        let meter = Meter::new(settings.args.progress, total, is_quiet);
        // Puzzles generated with several solutions are not errors.
        let is_generated = identity.inputs.is_empty();
        let (bar, quiet) = (meter.bar.clone(), settings.args.quiet);
        let messages = Messages::new(bar, quiet, is_generated, destinations.message_format());
        let (outputs, start) = claim.open(identity, format.header(), is_whole, messages)?;
        let began = SystemTime::now();
        Ok(Self { settings, destinations, format, outputs, start, meter, began })
    }

    /// Returns the blocks of the inputs, with their solutions, after those of an earlier run.
    fn source(
        &self,
        inputs: &mut Inputs,
        answers: Option<Source<'static>>,
        options: &Options,
    ) -> Result<impl BlockSource + use<>, Failure> {
        let (place, records) = self.start.as_ref().map_or_else(Default::default, |start| {
            ((start.source, start.position), start.counts.records())
        });
        let sources = inputs.sources_from(place);
        let mut source = TextSource::new(place.0, sources, &options.stop);
        (source.raw_bytes, source.has_sums) = (inputs.bytes(), self.outputs.has_journal());
        let skipped = if self.start.is_some() { source.skip() } else { Ok(None) };
        if let Some(difference) = skipped.map_err(|error| self.unchanged(&error))? {
            refuse!("{difference}; --force starts over");
        }
        Ok(Answered::new(source, answers, records, &options.stop))
    }

    /// Removes what follows the position at which the run is resumed, and writes the rows of `job`.
    pub fn fold(
        &mut self,
        source: &mut dyn BlockSource,
        job: &dyn Job,
        filters: &mut [Filter<'_>],
        options: &Options,
        progress: &Progress,
    ) -> Result<Result<Report, OutputFailure>, Failure> {
        let start = self.start.take();
        if start.is_some() {
            let truncated = self.outputs.truncate_to_start();
            truncated.map_err(|error| self.unchanged(&error))?;
        }
        let count = self.destinations.output.len().max(1) as u8;
        let writer = RowWriter::new(&mut self.outputs, &*self.format, count, start, progress);
        Ok(writer.run(source, job, filters, options))
    }

    /// Returns the error of a run that could not be resumed and left its outputs unchanged.
    fn unchanged(&self, error: &io::Error) -> Failure {
        if error.kind() == ErrorKind::Interrupted {
            return Failure::Stopped;
        }
        let name = out::name(self.destinations.rows());
        let advice = format!("{name} is not complete; --resume continues it");
        Failure::of_all(&[error.to_string(), advice])
    }

    /// Syncs the outputs, writes the side outputs and the summary, and closes all.
    pub fn finish(
        mut self,
        ran: Result<Result<Report, OutputFailure>, Failure>,
        summary: impl FnOnce(&Report) -> Summary,
    ) -> Result<Exit, Failure> {
        let outputs = &mut self.outputs;
        let ran = ran.inspect_err(|_| outputs.files.discard_sides())?;
        outputs.messages.finish(self.destinations.errors.is_some());
        let (report, error) = match ran {
            Ok(report) => (report, None),
            Err(OutputFailure { error, report }) => (*report, Some(error)),
        };
        if report.failures.iter().any(|failure| failure.has_answers) {
            outputs.invalidate_all();
        }
        // Rows have no column for a key of a record, which fails again if the run is resumed.
        let is_refused = error.as_ref().is_some_and(|error| error.kind() == ErrorKind::InvalidData);
        let ending = Ending::of(&report, error, outputs);
        let summary = summary(&report);
        let mut losses = self.write_sides(&report, &summary);
        let has_sides = losses.is_empty();
        let is_quiet = self.settings.is_quiet();
        if !is_quiet && !matches!(ending, Ending::ClosedPipe | Ending::Failed(_)) {
            log::note(&summary.text);
        }
        let outputs = &mut self.outputs;
        let is_whole = outputs.files.is_whole;
        let replaced: Vec<_> = outputs.files.outs.iter().filter_map(replaced_message).collect();
        let is_lost = !replaced.is_empty();
        if let Ending::Failed(why) = &ending {
            losses.extend_from_slice(why);
        }
        losses.extend(outputs.messages_loss());
        losses.extend(replaced);
        losses.extend(report.failures.iter().map(ToString::to_string));
        let closed = match ending {
            Ending::Complete if is_whole || has_sides => outputs.complete(false),
            Ending::WithGaps if is_whole => outputs.complete(true),
            _ if is_whole => outputs.discard(),
            _ if is_refused && report.counts.records() == 0 => outputs.discard_without_rows(),
            // There is nothing to resume.
            _ if is_lost || !outputs.has_journal() => outputs.complete(false),
            _ => Ok(()),
        };
        losses.extend(closed.err().map(|error| error.to_string()));
        let name = out::name(self.destinations.rows());
        let advice = match ending {
            _ if is_lost => None,
            Ending::Stopped | Ending::ClosedPipe | Ending::Failed(_) if is_whole => {
                Some(format!("{name} is not written"))
            }
            _ if !outputs.has_journal() => None,
            _ if outputs.can_be_resumed() && !is_refused => {
                Some(format!("{name} is not complete; {} continues it", summary.resume_options))
            }
            _ => Some(format!("{name} is not complete; --force starts over")),
        };
        if !losses.is_empty() {
            losses.extend(advice);
            return Err(Failure::of_all(&losses));
        }
        match ending {
            Ending::Stopped => {
                let exit = platform::exit_of_stop();
                let why = if exit == Exit::TimedOut { "timed out" } else { "interrupted" };
                if let Some(advice) = advice.filter(|_| !is_quiet) {
                    log::note(format!("{why}; {advice}"));
                }
                Ok(exit)
            }
            Ending::ClosedPipe => Ok(Exit::Done),
            _ => Ok(summary.exit),
        }
    }

    /// Writes and syncs the side outputs, and returns the errors.
    fn write_sides(&self, of: &Report, summary: &Summary) -> Vec<String> {
        let Typed { subcommand, options, seed, .. } = &self.settings.typed;
        let origin = Origin::new(self.began);
        let json = object([
            json!({ "schema": 1 }),
            json!(origin),
            json!({ "subcommand": subcommand, "options": options }),
            seed.map_or(Value::Null, |seed| json!({ "seed": seed })),
            json!(summary.json),
        ]);
        let write = |side: Side, out: &OpenOutput| match side {
            Side::Latencies => of.latencies.write_csv(out),
            Side::Summary => write_json(out, &json),
            Side::Page => report::write(&json, out),
        };
        let sides = self.outputs.files.sides.iter();
        sides.filter_map(|(side, out)| write_side(out, |out| write(*side, out))).collect()
    }
}

/// Returns the message that an output error ended the rows, and where.
fn lost_rows(error: &io::Error, report: &Report, is_whole: bool) -> String {
    match &report.last_record {
        // An incomplete file has no readable rows.
        _ if is_whole => error.to_string(),
        Some((file, line)) => {
            format!("{error}; the last complete row is that of {}:{line}", visible(file))
        }
        None => format!("{error}; no row is written"),
    }
}

fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}
