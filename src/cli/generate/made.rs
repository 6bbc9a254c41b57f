//! A run that makes the rows of a corpus.

use std::io::{self, Write};

use bulkdoku::Progress;
use bulkdoku::input::Position;
use bulkdoku::pipeline::Options;

use super::super::progress::Progressed;
use super::super::rows_run::RowsRun;
use super::super::typed::Typed;
use super::super::{Exit, Failure, platform};
use super::Plan;
use super::summary::Summary;

/// Makes the rows of a plan.
pub fn run(plan: &Plan<'_>, mut typed: Typed) -> Result<Exit, Failure> {
    let Plan { args, job, puzzles, .. } = plan;
    let progress = Progress::default();
    platform::stop_at_signal(&progress.stop, args.run.quiet)?;
    if plan.destinations.resume && args.seed.is_none() {
        refuse!("--resume needs the --seed that the earlier run has printed");
    }
    typed.set_seed(job.seed);
    let reads = args.reads();
    let run = RowsRun {
        typed,
        inputs: Vec::new(),
        others: &reads,
        reads: &reads,
        destinations: plan.destinations.clone(),
        format: &*plan.format()?,
        total: Some(puzzles.end - puzzles.start),
        args: args.run,
        only_rows: false,
        progress: &progress,
    };
    let options = Options { counts_statistics: true, ..args.run.options(&progress) };
    run.run(
        job,
        &options,
        |before| Progressed::of_rows(before, &progress),
        |start| {
            if args.seed.is_none() && !args.run.quiet {
                let _ = writeln!(io::stderr(), "seed {}", job.seed);
            }
            let position = start.map_or_else(Position::default, |start| start.position);
            Ok((job.source(puzzles.clone()).from(position), Vec::new()))
        },
        |report| Summary::new(job, puzzles.start, report, args.simd()),
    )
}
