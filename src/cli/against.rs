//! `--against`: omits records whose class occurs in another set.

use std::path::{Path, PathBuf};

use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::memory;
use bulkdoku::output::Row;
use bulkdoku::pipeline::Classify;
use bulkdoku::sets::{Collector, Known, RecordHashes, Sameness};

use super::by::note_without;
use super::identity::STDIN;
use super::inputs::Inputs;
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
        let mut inputs = Inputs::detected(self.against.clone(), &options, run.threads)?;
        let mut collector = Collector::new(self.memory.bytes());
        let mut without = 0;
        let find = |row: &Row<'_>| RecordHashes::of(by, row);
        let add = |record: RecordHashes| {
            without += u64::from(record.first.is_none());
            record.hashes().try_for_each(|hash| collector.insert(hash))
        };
        let job = Classify::of(by.needs());
        scan(&job, run, (&mut inputs, None), by.needs(), find, add)?;
        if !run.quiet {
            note_without(&inputs.names().join(", "), by, without);
        }
        let known = collector.finish()?;
        // Threads of the run that follows have an engine, and search the set.
        memory::check_after(usize::MAX)?;
        Ok(Some(known))
    }
}

impl MemoryArgs {
    pub fn bytes(self) -> Option<usize> {
        self.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }
}
