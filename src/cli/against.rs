//! `--against`: records whose class occurs in another set have no row.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkdoku::Status;
use bulkdoku::canon::{Collector, Known, Seen};
use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::pipeline::{Distinct, Fate, Sameness, Sift, Sifted};
use indicatif::HumanCount;

use super::identity::STDIN;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::scan;
use super::{Failure, answers, numbers};

/// The set that records are compared with.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Only rows whose class does not occur in this file
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
    /// Memory for the set that is compared with; beyond it, disk
    ///
    /// Each class takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. What
    /// exceeds this is sorted in temporary files, in the folder that TMPDIR names.
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Run",
        hide_short_help = true,
        value_parser = numbers::size
    )]
    memory: Option<u64>,
}

impl AgainstArgs {
    /// Whether there is such a set.
    pub fn is_given(&self) -> bool {
        !self.against.is_empty()
    }

    /// Refuses files that are inputs or outputs, too.
    pub fn check(&self, inputs: &[PathBuf], destinations: &Destinations) -> Result<(), Failure> {
        if self.memory.memory.is_some() && !self.is_given() {
            return Err(Failure::Usage("--memory does nothing without --against".into()));
        }
        if self.against.iter().any(|path| path == Path::new(STDIN)) {
            return Err(Failure::Usage("--against -: name a file".into()));
        }
        if self.is_given() {
            destinations.refuse_existing(&[inputs, &self.against].concat())?;
        }
        Ok(())
    }

    /// The identity of the set, for `--resume`.
    pub fn setting(&self) -> Option<String> {
        let states: Vec<_> = self.against.iter().map(|path| answers::state(path)).collect();
        self.is_given().then(|| states.join(", "))
    }

    /// Reads the set, if there is one. Records that are not in it may be compared with each other,
    /// too.
    pub fn load(
        &self,
        by: Sameness,
        distinct: Option<Distinct>,
        run: RunArgs,
        stream: StreamOptions,
    ) -> Result<Option<Arc<dyn Sift>>, Failure> {
        if !self.is_given() {
            return Ok(distinct.map(|distinct| Arc::new(distinct) as Arc<dyn Sift>));
        }
        let options = InputOptions { stream, ..InputOptions::default() };
        let known = self.memory.load(&self.against, &options, by, run)?;
        Ok(Some(Arc::new(Against { by, known, distinct })))
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
        let collector = Mutex::new(Some(Collector::new(most_bytes)));
        let collect = Arc::new(Collect { by, collector });
        let mut inputs = Inputs::detected(paths.to_vec(), options)?;
        let report = scan(run, &mut inputs, Arc::clone(&collect) as Arc<dyn Sift>)?;
        let without = report.counts.records() - report.counts.of(Status::Ok);
        if without > 0 && !run.quiet {
            let names = inputs.names().join(", ");
            eprintln!("{names}: no puzzle, and not compared: {}", HumanCount(without));
        }
        let collector = collect.lock().take().expect("it is taken once");
        collector.finish().map_err(|error| Failure::Io(on_disk(&error).to_string()))
    }
}

/// Says that the failure is one of temporary files.
pub fn on_disk(error: &io::Error) -> io::Error {
    let what = format!("temporary files (TMPDIR names their folder): {error}");
    io::Error::new(error.kind(), what)
}

/// Collects the hashes of all records.
struct Collect {
    by: Sameness,
    /// `None` once all records are collected.
    collector: Mutex<Option<Collector>>,
}

impl Collect {
    /// A panic ends the run, so what it leaves is never used.
    fn lock(&self) -> MutexGuard<'_, Option<Collector>> {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sift for Collect {
    fn by(&self) -> Sameness {
        self.by
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let puzzles = block.iter().filter_map(|sifted| sifted.puzzle.as_ref());
        let hashes: Vec<_> = puzzles.map(Seen::hash).collect();
        let mut collector = self.lock();
        let collector = collector.as_mut().expect("records are collected until the scan ends");
        let mut hashes = hashes.into_iter();
        hashes.try_for_each(|hash| collector.insert(hash)).map_err(|error| on_disk(&error))
    }
}

/// Drops records of known classes, and perhaps duplicates.
struct Against {
    by: Sameness,
    known: Known,
    distinct: Option<Distinct>,
}

impl Sift for Against {
    fn by(&self) -> Sameness {
        self.by
    }

    fn in_order(&self) -> bool {
        self.distinct.is_some()
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        if let Some(distinct) = &self.distinct {
            distinct.sift(block)?;
        }
        for sifted in block {
            if let Some(puzzle) = &sifted.puzzle
                && self.known.contains(Seen::hash(puzzle)).map_err(|error| on_disk(&error))?
            {
                sifted.fate = Fate::Status(Status::Known);
            }
        }
        Ok(())
    }
}
