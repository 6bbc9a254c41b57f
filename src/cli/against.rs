//! `--against`: records whose class occurs in another set have no row.

use std::path::{Path, PathBuf};

use bulkdoku::Status;
use bulkdoku::canon::{Collector, Known};
use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::pipeline::Sameness;
use indicatif::HumanCount;

use super::identity::STDIN;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::scan;
use super::{Failure, numbers};

/// The set that records are compared with.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Only rows whose class is not in this file
    ///
    /// It is read first, in any format. The option may be given several times. Records that are
    /// left out are counted as known.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    against: Vec<PathBuf>,

    #[command(flatten)]
    memory: MemoryArgs,
}

/// Where a set of puzzles is kept.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryArgs {
    /// Memory for the compared set; beyond it, disk
    ///
    /// Each class takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. What
    /// exceeds this is sorted in temporary files, in the folder that TMPDIR names.
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Run",
        value_parser = numbers::size
    )]
    memory: Option<u64>,
}

impl AgainstArgs {
    /// Whether there is such a set.
    pub fn is_given(&self) -> bool {
        !self.against.is_empty()
    }

    /// The files of the set.
    pub fn files(&self) -> Vec<PathBuf> {
        self.against.clone()
    }

    /// Refuses files that are outputs.
    pub fn check(&self, inputs: &[PathBuf], destinations: &Destinations) -> Result<(), Failure> {
        if self.memory.memory.is_some() && !self.is_given() {
            refuse!("--memory does nothing without --against");
        }
        if self.against.iter().any(|path| path == Path::new(STDIN)) {
            refuse!("--against -: name a file");
        }
        if self.is_given() {
            destinations.refuse_existing(&[inputs, &self.against].concat())?;
        }
        Ok(())
    }

    /// Reads the set, if there is one.
    pub fn load(
        &self,
        by: Sameness,
        run: RunArgs,
        stream: StreamOptions,
    ) -> Result<Option<Known>, Failure> {
        let options = InputOptions { stream, ..InputOptions::default() };
        self.is_given().then(|| self.memory.load(&self.against, &options, by, run)).transpose()
    }
}

impl MemoryArgs {
    /// Reads a set of puzzles.
    pub fn load(
        self,
        paths: &[PathBuf],
        options: &InputOptions,
        by: Sameness,
        run: RunArgs,
    ) -> Result<Known, Failure> {
        let most_bytes = self.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let inputs = &mut Inputs::detected(paths.to_vec(), options)?;
        let mut collector = Collector::new(most_bytes);
        let counts = if let Sameness::Near(_) = by {
            let add = |hashes: Vec<_>| hashes.into_iter().try_for_each(|it| collector.insert(it));
            scan(run, inputs, by.needs(), |row| by.hashes(row).collect(), add)?
        } else {
            let add = |hash: Option<u128>| hash.map_or(Ok(()), |hash| collector.insert(hash));
            scan(run, inputs, by.needs(), |row| by.hash(row), add)?
        };
        let without = counts.records() - counts.of(Status::Ok);
        if without > 0 && !run.quiet {
            let names = inputs.names().join(", ");
            let what = if by == Sameness::Grid { "not exactly one solution" } else { "no puzzle" };
            eprintln!("{names}: {what}, and not compared: {}", HumanCount(without));
        }
        Ok(collector.finish()?)
    }
}
