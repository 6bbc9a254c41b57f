//! `--against`: compares records with those of other sets.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::output::Rows;
use bulkdoku::pipeline::{BlockSource, BlockSummary, Classify, RunEnd, TextSource, fold_blocks};
use bulkdoku::sets::{Sameness, Seen};

use super::by::note_without;
use super::identity::STDIN;
use super::inputs::Inputs;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;
use super::{Failure, platform};

/// The set that records are compared with.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Only rows whose class is not in this file
    ///
    /// It is read first, in any format. The option may be given several times. Records that are
    /// left out are counted as known. Each class takes 20 to 39 bytes of memory.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    against: Vec<PathBuf>,
}

impl AgainstArgs {
    /// Returns whether there is such a set.
    pub fn is_given(&self) -> bool {
        !self.against.is_empty()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        self.against.clone()
    }

    /// Rejects standard input.
    pub fn check(&self) -> Result<(), Failure> {
        if self.against.iter().any(|path| path == Path::new(STDIN)) {
            refuse!("--against -: name a file");
        }
        Ok(())
    }

    /// Reads the set, if there is one.
    pub fn load(
        &self,
        by: Sameness,
        run: RunArgs,
        stream: StreamOptions,
    ) -> Result<Option<Seen>, Failure> {
        if !self.is_given() {
            return Ok(None);
        }
        let options = InputOptions { stream, ..InputOptions::default() };
        let mut inputs = Inputs::detected(self.against.clone(), &options, run.threads)?;
        let (mut known, mut without) = (Seen::default(), 0_u64);
        let add = |hash: Option<u128>| match hash {
            Some(hash) => known.insert(hash).map(drop),
            None => {
                without += 1;
                Ok(())
            }
        };
        read_hashes(&mut inputs, by, run, add)?;
        if !run.quiet {
            note_without(&inputs.names().join(", "), by, without);
        }
        Ok(Some(known))
    }
}

/// Passes the hash of each record to `add`, in order.
fn read_hashes(
    inputs: &mut Inputs,
    by: Sameness,
    run: RunArgs,
    mut add: impl FnMut(Option<u128>) -> std::io::Result<()> + Send,
) -> Result<(), Failure> {
    let progress = platform::new_progress();
    let meter = Meter::new(run.progress, inputs.size(), run.quiet);
    let (bytes, options) = (inputs.bytes(), run.options(&progress));
    let mut source = TextSource::new(0, inputs.sources(), &progress.stop);
    let map = || {
        |rows: &Rows<'_>, hashes: &mut Vec<Option<u128>>| {
            hashes.clear();
            hashes.extend(rows.records().map(|row| by.hash(&row)));
        }
    };
    let reduce = |hashes: &mut Vec<Option<u128>>, summary: Option<&BlockSummary>| {
        let records = summary.map_or(0, |summary| summary.counts.records());
        progress.records.fetch_add(records, Ordering::Relaxed);
        hashes.drain(..).try_for_each(&mut add)
    };
    let (job, needs) = (Classify::by(by), by.needs());
    let folded = meter.watch(
        || Progressed::of_bytes(&bytes, &progress),
        || fold_blocks(&mut source, &job, &mut [], needs, &options, map, reduce),
    );
    match folded.end {
        RunEnd::Complete => {}
        RunEnd::Stopped => return Err(Failure::Stopped),
        RunEnd::Failed(error) => return Err(error.into()),
    }
    let failures: Vec<_> = source.take_failures().iter().map(ToString::to_string).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::of_all(&failures)) }
}
