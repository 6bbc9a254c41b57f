//! `--against`: compares records with those of other sets.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use bulkdoku::Status;
use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::pipeline::{
    BlockSource, BlockSummary, Classify, Filter, Map, RunEnd, TextSource, fold_blocks,
};
use bulkdoku::sets::{Sameness, Seen};
use bulkdoku::stats::Counts;
use indicatif::HumanCount;

use super::by::name;
use super::identity::STDIN;
use super::inputs::Inputs;
use super::numbers::counted;
use super::outputs::Destinations;
use super::paths::InputPaths;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;
use super::{Failure, platform};

/// The sets that records are compared with.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Compare with this file or folder: only rows whose class is not in it
    ///
    /// It is read first, in any format, and its classes are kept in memory, 20 to 39 bytes each. The
    /// option may be given several times. Records whose class is known are counted, and have no row.
    /// The summary begins with the verdict, and --fail-on known makes it the exit status: a proof that
    /// a test set shares nothing with a training set.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    against: Vec<PathBuf>,

    /// Only rows that --against leaves out
    #[arg(long, help_heading = "Output")]
    known: bool,
}

impl AgainstArgs {
    /// Returns whether there is such a set.
    pub fn is_given(&self) -> bool {
        !self.against.is_empty()
    }

    /// Returns the files, also those in folders, except the outputs of the run.
    pub fn files(&self, destinations: &Destinations) -> Result<InputPaths, Failure> {
        if self.against.iter().any(|path| path == Path::new(STDIN)) {
            refuse!("--against -: name a file");
        }
        let mut files = InputPaths::from(self.against.clone());
        files.expand(destinations)?;
        Ok(files)
    }

    /// Returns the filter of records that have rows.
    pub fn filter<'a>(&self, known: &'a Seen, by: Sameness) -> Filter<'a> {
        Filter::known(known, by, self.known)
    }
}

/// The question of a run that compares records, which its summary answers.
pub struct Comparison {
    by: Sameness,
    /// The name of the set.
    with: String,
    /// The number of records of the set that cannot be compared.
    without: u64,
}

impl Comparison {
    /// Reads the set that records are compared with.
    pub fn read(
        files: InputPaths,
        by: Sameness,
        run: RunArgs,
        stream: StreamOptions,
    ) -> Result<(Self, Seen), Failure> {
        let options = InputOptions { stream, ..InputOptions::default() };
        let mut inputs = Inputs::detected(files, &options)?;
        let (mut known, mut without) = (Seen::default(), 0_u64);
        let add = |hash: Option<u128>| {
            let Some(hash) = hash else {
                without += 1;
                return Ok(());
            };
            known.insert(hash).map(drop)
        };
        read_hashes(&mut inputs, by, run, add)?;
        let names = inputs.names();
        let with = match &names[..] {
            [first, others @ ..] if others.len() > 2 => {
                format!("{first} and {} others", HumanCount(others.len() as u64))
            }
            names => names.join(", "),
        };
        Ok((Self { by, with, without }, known))
    }

    /// Returns the answer: how many records are known, and how many were not compared.
    pub fn verdict(&self, counts: &Counts, has_condition: bool) -> String {
        let (known, what, with) = (counts.of(Status::Known), name(self.by), &self.with);
        let mut text = if known == 0 {
            format!("no record has its {what} in {with}")
        } else {
            let all = counted(counts.records(), "record");
            format!("{} of {all} have their {what} in {with}", HumanCount(known))
        };
        if has_condition {
            text += "; only records that meet --where were compared";
        }
        let failed = Status::ALL.iter().filter(|status| !status.is_good());
        let here: u64 = failed.map(|status| counts.of(*status)).sum();
        let parts = [(here, String::new()), (self.without, format!(" of {with}"))];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> =
            parts.map(|(count, of)| format!("{}{of}", counted(*count, "record"))).collect();
        if !parts.is_empty() {
            text = format!("{text}; not compared: {}", parts.join(", "));
        }
        text
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
    let map = || -> Box<Map<'_, Vec<Option<u128>>>> {
        Box::new(|rows, hashes| {
            hashes.clear();
            hashes.extend(rows.records().map(|row| by.hash(&row)));
        })
    };
    let reduce = |hashes: &mut Vec<Option<u128>>, summary: Option<&BlockSummary>| {
        let records = summary.map_or(0, |summary| summary.counts.records());
        progress.records.fetch_add(records, Ordering::Relaxed);
        hashes.drain(..).try_for_each(&mut add)
    };
    let (job, needs) = (Classify::by(by), by.needs());
    let folded = meter.watch(
        || Progressed::of_bytes(&bytes, &progress),
        || fold_blocks(&mut source, &job, &mut [], needs, &options, &map, reduce),
    );
    match folded.end {
        RunEnd::Complete => {}
        RunEnd::Stopped => return Err(Failure::Stopped),
        RunEnd::Failed(error) => return Err(error.into()),
    }
    let failures: Vec<_> = source.take_failures().iter().map(ToString::to_string).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::of_all(&failures)) }
}
