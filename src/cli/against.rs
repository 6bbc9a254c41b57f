//! `--against`: omits records whose class occurs in another set.

use std::io;
use std::path::{Path, PathBuf};

use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::memory;
use bulkdoku::output::Row;
use bulkdoku::pipeline::PassSums;
use bulkdoku::sets::{Collector, Known, Sameness};
use indicatif::HumanCount;

use super::condition::Predicate;
use super::hashed::RecordHashes;
use super::identity::STDIN;
use super::inputs::Inputs;
use super::run_args::RunArgs;
use super::scan::scan;
use super::{Failure, log, numbers};

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

/// The memory limit of a set of puzzles.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryArgs {
    /// Memory for the compared set; beyond it, disk
    ///
    /// Each class takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. What
    /// exceeds this is sorted in temporary files, in the folder that TMPDIR names. With overlap,
    /// half of it is for the first set, the rest for what sets have in common.
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Run",
        value_parser = numbers::size
    )]
    memory: Option<u64>,
}

impl AgainstArgs {
    /// Returns whether there is such a set.
    pub fn is_given(&self) -> bool {
        !self.against.is_empty()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        self.against.clone()
    }

    /// Rejects options without effect, and standard input.
    pub fn check(&self) -> Result<(), Failure> {
        if self.memory.memory.is_some() && !self.is_given() {
            refuse!("--memory does nothing without --against");
        }
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
    ) -> Result<Option<Known>, Failure> {
        if !self.is_given() {
            return Ok(None);
        }
        let options = InputOptions { stream, ..InputOptions::default() };
        let inputs = &mut Inputs::detected(self.against.clone(), &options)?;
        let loaded = load((inputs, None), self.memory.bytes(), by, run, |_| Ok(()))?;
        Ok(Some(loaded.0))
    }
}

impl MemoryArgs {
    pub fn bytes(self) -> Option<usize> {
        self.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }
}

/// Reads a set of puzzles and passes each record to `each`, in order. Also returns the checksums of
/// the inputs.
pub fn load(
    (inputs, test): (&mut Inputs, Option<&Predicate>),
    most_bytes: Option<usize>,
    by: Sameness,
    run: RunArgs,
    mut each: impl FnMut(&RecordHashes) -> io::Result<()> + Send,
) -> Result<(Known, PassSums), Failure> {
    let mut collector = Collector::new(most_bytes);
    let mut without = 0;
    let add = |record: RecordHashes| {
        without += u64::from(record.first.is_none());
        record.hashes().try_for_each(|hash| collector.insert(hash))?;
        each(&record)
    };
    let find = |row: &Row<'_>| RecordHashes::of(by, row);
    let sums = scan(run, (&mut *inputs, test), by.needs(), find, add)?;
    if without > 0 && !run.quiet {
        let names = inputs.names().join(", ");
        let what = if by == Sameness::Grid { "not exactly one solution" } else { "no puzzle" };
        log::note(format!("{names}: {what}, not compared: {}", HumanCount(without)));
    }
    let known = collector.finish()?;
    // Threads of the run that follows have an engine, and search the set.
    memory::check_after(usize::MAX)?;
    Ok((known, sums))
}
