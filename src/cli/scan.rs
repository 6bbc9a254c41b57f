//! Reads whole inputs before any output is opened.

use std::io;
use std::sync::atomic::Ordering;

use bulkdoku::output::{Needs, Row, Rows};
use bulkdoku::pipeline::{
    BlockSource, BlockSummary, Job, PassSums, RunEnd, TextSource, fold_blocks,
};

use super::condition::Predicate;
use super::inputs::Inputs;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;
use super::{Failure, platform};

/// Passes the result of `find` for each record that meets the condition to `add`, in order. Returns
/// checksums of the inputs, by which a later pass verifies that it reads the same records.
pub fn scan<K: Send>(
    job: &impl Job,
    run: RunArgs,
    (inputs, test): (&mut Inputs, Option<&Predicate>),
    needs: Needs,
    find: impl Fn(&Row<'_>) -> K + Sync,
    mut add: impl FnMut(K) -> io::Result<()> + Send,
) -> Result<PassSums, Failure> {
    let progress = platform::new_progress();
    let meter = Meter::new(run.progress, inputs.size(), run.quiet);
    let (bytes, options) = (inputs.bytes(), run.options(&progress));
    let mut source = TextSource::new(0, inputs.sources(), &progress.stop).recording();
    let mut filters: Vec<_> = test.into_iter().map(Predicate::filter).collect();
    let map = || {
        |rows: &Rows<'_>, found: &mut Vec<K>| {
            found.clear();
            rows.for_each(|row| found.push(find(row)));
        }
    };
    let reduce = |found: &mut Vec<K>, summary: Option<&BlockSummary>| {
        if let Some(summary) = summary {
            progress.records.fetch_add(summary.counts.records(), Ordering::Relaxed);
        }
        found.drain(..).try_for_each(&mut add)
    };
    let folded = meter.watch(
        || Progressed::of_bytes(&bytes, &progress),
        || fold_blocks(&mut source, job, &mut filters, needs, &options, map, reduce),
    );
    bytes.store(0, Ordering::Relaxed);
    match folded.end {
        RunEnd::Complete => {}
        RunEnd::Stopped => return Err(Failure::Stopped),
        RunEnd::Failed(error) => return Err(error.into()),
    }
    let failures: Vec<_> = source.take_failures().iter().map(ToString::to_string).collect();
    if failures.is_empty() { Ok(source.into_sums()) } else { Err(Failure::of_all(&failures)) }
}
