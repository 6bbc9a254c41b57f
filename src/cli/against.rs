//! `--against`: records whose class occurs in another set have no row.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::Status;
use bulkdoku::canon::{Collector, Known, Seen};
use bulkdoku::input::{InputOptions, StreamOptions};
use bulkdoku::pipeline::{Distinct, Fate, Sameness, Sift, Sifted};
use indicatif::HumanCount;

use super::inputs::STDIN;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::{self, Scan};
use super::{Failure, answers, numbers};

/// The set that records are compared with.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Only rows whose class does not occur in this file
    ///
    /// It is read first, whatever its format; the option may be given several times. Others are
    /// counted as known.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    against: Vec<PathBuf>,

    #[command(flatten)]
    memory: MemoryArgs,
}

/// Where a set of puzzles is kept.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryArgs {
    /// Memory for a set that is compared with; beyond it, disk
    ///
    /// Each class takes 16 bytes and the room of a hash table, 20 to 39 bytes in all. What would
    /// take more than this is sorted in temporary files, in the folder that TMPDIR names.
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
        for path in &self.against {
            if path == Path::new(STDIN) {
                return Err(Failure::Usage("--against -: name a file".into()));
            }
            answers::check(path, inputs, destinations)?;
        }
        Ok(())
    }

    /// What tells this set from another, for `--resume`.
    pub fn setting(&self) -> Option<String> {
        let states: Vec<_> = self.against.iter().map(|path| answers::state(path)).collect();
        self.is_given().then(|| states.join(", "))
    }

    /// Reads the set, if there is one.
    pub fn load(
        &self,
        by: Sameness,
        run: &RunArgs,
        stream: StreamOptions,
    ) -> Result<Option<Against>, Failure> {
        if !self.is_given() {
            return Ok(None);
        }
        let scan = Scan { threads: run.threads, quiet: run.quiet, progress: run.progress };
        let expected = InputOptions { stream, ..InputOptions::default() };
        let (known, _) = self.memory.load(&self.against, &expected, by, scan)?;
        Ok(Some(Against { by, known, distinct: None }))
    }
}

impl MemoryArgs {
    /// Reads a set of puzzles; with it comes how many records there are.
    pub fn load(
        self,
        paths: &[PathBuf],
        expected: &InputOptions,
        by: Sameness,
        scan: Scan,
    ) -> Result<(Known, u64), Failure> {
        let most_bytes = self.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let collector = Mutex::new(Some(Collector::new(most_bytes)));
        let collect = Arc::new(Collect { by, collector });
        let mut inputs = scan::look(paths.to_vec(), expected)?;
        let report = scan.run(&mut inputs, Arc::clone(&collect) as Arc<dyn Sift>)?;
        let without = report.counts.records() - report.counts.of(Status::Ok);
        if without > 0 && !scan.quiet {
            let names = inputs.names().join(", ");
            eprintln!("{names}: no puzzle, and not compared: {}", HumanCount(without));
        }
        let collector = lock(&collect.collector).take().expect("it is taken once");
        let known = collector.finish().map_err(|error| disk_failure(&error))?;
        Ok((known, report.counts.records()))
    }
}

fn disk_failure(error: &std::io::Error) -> Failure {
    Failure::Io(on_disk(error).to_string())
}

/// Says that the failure is one of temporary files.
fn on_disk(error: &io::Error) -> io::Error {
    let what = format!("temporary files (TMPDIR names their folder): {error}");
    io::Error::new(error.kind(), what)
}

/// What a thread that panicked has held is never asked for: its run has ended.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Collects what it is shown.
struct Collect {
    by: Sameness,
    collector: Mutex<Option<Collector>>,
}

impl Sift for Collect {
    fn by(&self) -> Sameness {
        self.by
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let hashes: Vec<_> =
            block.iter().filter_map(|sifted| Some(Seen::hash(sifted.puzzle.as_ref()?))).collect();
        let mut collector = lock(&self.collector);
        let collector = collector.as_mut().expect("records are collected until the scan ends");
        let mut hashes = hashes.into_iter();
        hashes.try_for_each(|hash| collector.insert(hash)).map_err(|error| on_disk(&error))
    }
}

/// Drops what is known, and then perhaps what it has seen before.
pub struct Against {
    by: Sameness,
    known: Known,
    distinct: Option<Distinct>,
}

impl fmt::Debug for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Against").field("known", &self.known).finish_non_exhaustive()
    }
}

impl Against {
    /// The same, and behind it this one.
    pub fn then(self, distinct: Option<Distinct>) -> Self {
        Self { distinct, ..self }
    }
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
