//! A run that makes rows, from opened outputs to the exit status.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use bulkdoku::Progress;
use bulkdoku::pipeline::{Checkpoint, OutputFailure, Report, Sink};

use super::super::batch::{PROGRAM, earlier_run, is_closed_pipe_of_rows, rows_failure};
use super::super::diagnostics::Diagnostics;
use super::super::file_sink::FileSink;
use super::super::out::{Out, gone_message};
use super::super::outputs::Existing;
use super::super::progress::{Meter, Progressed};
use super::super::run::{InputState, Run};
use super::super::{Exit, Failure, platform};
use super::manifest::Manifest;
use super::summary::Summary;
use super::{Args, Plan};

/// Takes rows and keeps the journal. Messages about records are none of its business: what is made
/// is what was asked for, several solutions included.
struct MadeRows(FileSink);

impl Sink for MadeRows {
    fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        self.0.rows(rows)
    }

    fn diagnostics(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn reached(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        self.0.reached(checkpoint)
    }

    fn finish(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        self.0.finish(checkpoint)
    }
}

/// Makes the rows of a plan.
pub fn run(plan: &Plan, args: &Args) -> Result<Exit, Failure> {
    let progress = Progress::default();
    stop_at_signal(&progress, args.quiet)?;
    let destinations = args.destinations();
    let run = Run {
        program: format!("{PROGRAM} generate"),
        inputs: plan
            .from
            .iter()
            .map(|path| InputState::of(path.display().to_string(), path))
            .collect(),
        options: plan.settings(),
    };
    if args.resume && plan.seed_is_drawn {
        return Err(Failure::Usage(
            "--resume needs the --seed that the run before has printed".into(),
        ));
    }
    let earlier = earlier_run(&destinations, &run)?;
    let existing = match &earlier {
        Some(journal) => Existing::Kept(journal.outputs()),
        None if destinations.resume => Existing::Kept(&[]),
        None => Existing::or_force(destinations.force),
    };
    let inputs: Vec<_> = plan.from.iter().cloned().collect();
    let outputs = destinations.open(&inputs, &[], existing)?;
    if plan.seed_is_drawn && !args.quiet {
        let _ = writeln!(io::stderr(), "seed {}", plan.corpus.seed);
    }
    let count = plan.corpus.rows.end - plan.corpus.rows.start;
    let meter = Meter::new(args.progress, Some(count), args.quiet);
    let diagnostics = Diagnostics::new(None, meter.bar.clone(), args.quiet);
    let names = destinations.names();
    let (results, start) = match earlier {
        Some(journal) => FileSink::resume(outputs.rows, diagnostics, journal, names)?,
        None => (FileSink::begin(outputs.rows, diagnostics, run, names), None),
    };
    let mut rows = MadeRows(results);
    let pipeline = plan.pipeline()?;
    let before = start.as_ref().map_or(0, |start| start.counts.records());
    let progressed = || {
        let done = before + progress.records.load(Ordering::Relaxed);
        Progressed { done, puzzles: Some(done), what: "".into() }
    };
    let ran =
        meter.watch(progressed, || pipeline.make_into(&plan.corpus, start, &mut rows, &progress));
    let manifest = outputs.summary_json;
    finish(plan, args, rows.0, ran, manifest.as_ref())
}

/// Says what was made, and how it ended.
fn finish(
    plan: &Plan,
    args: &Args,
    results: FileSink,
    ran: Result<Report, OutputFailure>,
    manifest: Option<&Out>,
) -> Result<Exit, Failure> {
    let (report, failure) = match ran {
        Ok(report) => (report, None),
        Err(OutputFailure { output, error, report }) => (*report, Some((output, error))),
    };
    let is_unwanted = failure.as_ref().is_some_and(is_closed_pipe_of_rows);
    if failure.is_none() && !args.quiet {
        let summary = Summary { corpus: &plan.corpus, report: &report, simd: plan.simd };
        let _ = writeln!(io::stderr(), "{summary}");
    }
    let mut losses = results.losses();
    if let Some((output, error)) = failure.filter(|_| !is_unwanted) {
        losses.push(rows_failure(output, &error, &report, &results));
    }
    let is_complete = losses.is_empty() && !report.stopped && !results.is_incomplete();
    if let (true, Some(out), Some(path)) = (is_complete, manifest, &args.output) {
        losses.extend(write_manifest(plan, path, &report, out).err());
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
        if let Some(name) = name.filter(|_| !args.quiet) {
            let seed = plan.corpus.seed;
            let _ = writeln!(io::stderr(), "interrupted; --resume --seed {seed} continues {name}");
        }
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// From now on the first signal stops the run.
pub fn stop_at_signal(progress: &Progress, quiet: bool) -> Result<(), Failure> {
    platform::stop_at_signal(&progress.stop, quiet)
        .map_err(|error| Failure::Io(format!("signals cannot be waited for: {error}")))
}

fn write_manifest(plan: &Plan, rows: &Path, report: &Report, out: &Out) -> Result<(), String> {
    let failed = |name: String| move |error: io::Error| format!("{name}: {error}");
    let manifest = File::open(rows).and_then(|file| Manifest::new(plan, rows, report, file));
    let manifest = manifest.map_err(failed(rows.display().to_string()))?;
    out.cut(0).and_then(|()| manifest.write(out)).map_err(failed(out.name()))?;
    gone_message(out).map_or(Ok(()), Err)
}
