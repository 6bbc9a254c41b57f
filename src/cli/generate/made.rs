//! A run that makes the rows of a corpus.

use std::io::{self, Write};

use bulkdoku::Progress;
use bulkdoku::input::Position;
use bulkdoku::pipeline::{Options, Report, RowWriter};

use super::super::html::Fact;
use super::super::progress::Progressed;
use super::super::rows_run::{Ending, Opening};
use super::super::typed::Typed;
use super::super::{Exit, Failure, platform};
use super::Plan;
use super::summary::Summary;

/// Makes the rows of a plan.
pub fn run(plan: &Plan<'_>, mut typed: Typed) -> Result<Exit, Failure> {
    let args = plan.args;
    let progress = Progress::default();
    platform::stop_at_signal(&progress.stop, args.run.quiet)?;
    let destinations = &plan.destinations;
    if destinations.resume && args.seed.is_none() {
        refuse!("--resume needs the --seed that the earlier run has printed");
    }
    typed.set_seed(plan.job.seed);
    let format = plan.format()?;
    let opening = Opening {
        typed,
        inputs: Vec::new(),
        others: &args.reads(),
        reads: &args.reads(),
        destinations,
        format: &*format,
        total: Some(plan.puzzles.end - plan.puzzles.start),
        args: args.run,
        only_rows: false,
    };
    let mut run = opening.open()?;
    if args.seed.is_none() && !args.run.quiet {
        let _ = writeln!(io::stderr(), "seed {}", plan.job.seed);
    }
    let start = run.start.take();
    let before = start.as_ref().map_or(0, |start| start.counts.records());
    let progressed = || Progressed::of_rows(before, &progress);
    // Rows with several solutions are no fault where they were asked for.
    run.results.messages.ignore();
    let options = Options { counts_statistics: true, ..args.run.options(&progress) };
    let position = start.as_ref().map_or_else(Position::default, |start| start.position);
    let mut source = plan.job.source(plan.puzzles.clone()).from(position);
    let mut writer = RowWriter::new(&mut run.results, &*format, 1, start, &progress);
    let ran = run.meter.watch(progressed, || {
        writer.run(&mut source, &plan.job, Vec::new(), &options);
        writer.finish()
    });
    run.close(ran, plan)
}

impl Ending for Plan<'_> {
    type Summary = Summary;

    fn summary(&self, report: &Report) -> Summary {
        Summary::new(&self.job, self.puzzles.start, report, self.args.simd())
    }

    fn facts(&self, report: &Report) -> Vec<Fact> {
        let summary = self.summary(report);
        vec![("Corpus", summary.corpus()), ("Engine", summary.method())]
    }

    fn exit(&self, _: &Report) -> Exit {
        Exit::Done
    }

    fn resume_hint(&self, name: &str) -> String {
        format!("--resume --seed {} continues {name}", self.job.seed)
    }
}
