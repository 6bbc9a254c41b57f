//! A run that makes rows.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use bulkdoku::Progress;
use bulkdoku::pipeline::{Checkpoint, Report, Sink};

use super::super::file_sink::FileSink;
use super::super::html::Fact;
use super::super::out::{Out, gone_message};
use super::super::progress::Progressed;
use super::super::rows_run::{Ending, Opening, PROGRAM};
use super::super::run::{InputState, Run};
use super::super::{Exit, Failure, platform};
use super::manifest::Manifest;
use super::summary::Summary;
use super::{Args, Plan};

/// Takes rows and keeps the journal. Messages about records are none of its business: what is made
/// is what was asked for, several solutions included.
struct MadeRows<'a>(&'a mut FileSink);

impl Sink for MadeRows<'_> {
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
    platform::stop_at_signal(&progress.stop, args.run.quiet)?;
    if args.resume && plan.seed_is_drawn {
        return Err(Failure::Usage(
            "--resume needs the --seed that the run before has printed".into(),
        ));
    }
    let destinations = args.destinations();
    let inputs: Vec<_> = plan.from.iter().cloned().collect();
    let opening = Opening {
        run: Run {
            program: format!("{PROGRAM} generate"),
            inputs: inputs
                .iter()
                .map(|path| InputState::of(path.display().to_string(), path))
                .collect(),
            options: plan.settings(),
        },
        destinations: &destinations,
        others: &[],
        drops_empty: false,
        inputs: &inputs,
        total: Some(plan.corpus.rows.end - plan.corpus.rows.start),
        progress: args.run.progress,
        quiet: args.run.quiet,
        only_rows: false,
    };
    let mut run = opening.open()?;
    if plan.seed_is_drawn && !args.run.quiet {
        let _ = writeln!(io::stderr(), "seed {}", plan.corpus.seed);
    }
    let pipeline = plan.pipeline()?;
    run.results.take_format(pipeline.format.as_ref())?;
    let start = run.start.take();
    let before = start.as_ref().map_or(0, |start| start.counts.records());
    let progressed = || {
        let done = before + progress.records.load(Ordering::Relaxed);
        Progressed { done, puzzles: Some(done), what: "".into() }
    };
    let mut rows = MadeRows(&mut run.results);
    let ran = (run.meter)
        .watch(progressed, || pipeline.make_into(&plan.corpus, start, &mut rows, &progress));
    run.close(ran, &Made { plan, output: args.output.as_deref() })
}

/// A corpus whose rows are made.
struct Made<'a> {
    plan: &'a Plan,
    output: Option<&'a Path>,
}

impl Ending for Made<'_> {
    type Summary = Summary;

    fn summary(&self, report: &Report) -> Summary {
        Summary::new(&self.plan.corpus, report, self.plan.simd)
    }

    fn facts(&self, report: &Report) -> Vec<Fact> {
        let summary = self.summary(report);
        vec![("Corpus", summary.corpus()), ("Engine", summary.means())]
    }

    fn complete(&self, report: &Report, manifest: Option<&Out>) -> Vec<String> {
        let written = manifest
            .zip(self.output)
            .map(|(out, rows)| write_manifest(self.plan, rows, report, out));
        written.and_then(Result::err).into_iter().collect()
    }

    fn exit(&self, _: &Report) -> Exit {
        Exit::Done
    }

    fn resumed_by(&self, name: &str) -> String {
        format!("--resume --seed {} continues {name}", self.plan.corpus.seed)
    }
}

fn write_manifest(plan: &Plan, rows: &Path, report: &Report, out: &Out) -> Result<(), String> {
    let failed = |name: String| move |error: io::Error| format!("{name}: {error}");
    let manifest = File::open(rows).and_then(|file| Manifest::new(plan, rows, report, file));
    let manifest = manifest.map_err(failed(rows.display().to_string()))?;
    out.cut(0).and_then(|()| manifest.write(out)).map_err(failed(out.name()))?;
    gone_message(out).map_or(Ok(()), Err)
}
