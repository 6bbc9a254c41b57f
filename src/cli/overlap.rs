//! `bulkdoku overlap`: which classes of one set occur in others.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::canon::{Known, Seen};
use bulkdoku::input::Answers;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Fate, RequestedFacts, Sameness, Sift, Sifted};
use bulkdoku::{Compression, Pipeline};
use indicatif::HumanCount;

use super::against::MemoryArgs;
use super::batch::Batch;
use super::canon::parse_column;
use super::format::{Format, columns_setting};
use super::input_args::InputArgs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::{Scan, check_files};
use super::{Exit, Failure, endings};

/// Find the classes of one set of puzzles that occur in others; one row for each record of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. The set A is read and kept in memory,
/// as hashes; then the others are read, and A once more. Each record whose class is both in A and
/// in one of the others has a row, those of the others first. The summary says for each file how
/// many records and classes that are.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// The set that the others are compared with: a file
    a: PathBuf,

    /// The other sets: files
    #[arg(required = true)]
    others: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl or lines
    ///
    /// Lines are puzzles only. If not given, as the output's name says, else csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    /// Columns of csv, tsv and jsonl, in order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Output",
        value_delimiter = ',',
        value_parser = parse_column,
        long_help = "The columns of csv, tsv and jsonl, in order: file, line, puzzle, canonical, \
                     automorphisms, status, clues [default: file,line,puzzle,canonical]"
    )]
    columns: Option<Vec<Column>>,

    /// Compare puzzles, not classes
    ///
    /// Blanks and layout make no difference.
    #[arg(long, help_heading = "Output")]
    exact: bool,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku overlap train.csv test.csv
  bulkdoku overlap --format lines train.csv test.csv validation.csv -o leaks.txt
  bulkdoku overlap --exact --memory 2G a.txt.gz b.jsonl -o both.csv

Records that are no puzzles have no class: each has its message, and no row.

Memory: each class of A takes 16 bytes and the room of a hash table, 20 to 39 bytes in all; beyond
--memory they are sorted on disk. Each class that sets share takes as much for each of them. Classes
are compared by hashes of 128 bits: of n classes two have the same with a chance of about n² / 2¹²⁹.

Exit status: 0 nothing in common, 1 some class is, or some record is no puzzle, 2 wrong usage, 3 input
or output failed, 130 interrupted. A closed pipe ends the run with 0.";

/// Finds what the sets that `args` name have in common.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let format = Format::of_puzzles(args.format, args.destinations.output.as_deref())?;
    format.check_resume(args.destinations.resume)?;
    endings::check_sides(&args.destinations)?;
    let inputs: Vec<_> = args.others.iter().chain([&args.a]).cloned().collect();
    check_files(&inputs, "sets are read whole, the first one twice")?;
    args.check_latency()?;
    let expected = args.expected.expected(&inputs, Answers::Unwanted)?;
    format.check_kept(&expected)?;
    let columns = args.columns.as_deref();
    // What was typed is refused before any input is read.
    format.rows_of_puzzles(columns, &Column::DEFAULT_OF_OVERLAP, &[])?;
    args.destinations.refuse_existing(&inputs)?;
    let by = if args.exact { Sameness::Exact } else { Sameness::Class };
    let scan =
        Scan { threads: args.run.threads, quiet: args.run.quiet, progress: args.run.progress };
    let (known, _) = args.memory.load(std::slice::from_ref(&args.a), &expected, by, scan)?;
    let classes = known.len();
    let overlap = Arc::new(Overlap::new(by, known, inputs.len()));
    let batch = Batch {
        pipeline: args.pipeline(format, Arc::clone(&overlap))?,
        subcommand: "overlap",
        finds: if args.exact { "equal puzzles" } else { "canonical forms" },
        others: Vec::new(),
        drops_empty: false,
        settings: args.settings(format),
        engine: None,
        simd: None,
        quiet: args.run.quiet,
        progress: args.run.progress,
        only_rows: false,
    };
    let names: Vec<_> = inputs.iter().map(|path| path.display().to_string()).collect();
    let exit = batch.run(inputs, &expected, &args.destinations, |_, kept| {
        format.rows_of_puzzles(columns, &Column::DEFAULT_OF_OVERLAP, kept)
    })?;
    let sets = overlap.sets();
    if !args.run.quiet {
        let what = if args.exact { "puzzles" } else { "classes" };
        eprintln!("{}: different {what}: {}", args.a.display(), HumanCount(classes));
        for (name, set) in names.iter().zip(&sets) {
            let Set { records, shared, classes } = set;
            let (records, shared) = (HumanCount(*records), HumanCount(*shared));
            let (classes, place) = (HumanCount(classes.len() as u64), place(name, &names));
            eprintln!(
                "{name}: {shared} of {records} records occur in {place}; different {what}: {classes}"
            );
        }
    }
    let has_common = sets.iter().any(|set| set.shared > 0);
    Ok(if exit == Exit::Done && has_common { Exit::SomeRecords } else { exit })
}

/// In what the records of a set occur; the last is that which the others are compared with.
fn place(name: &str, names: &[String]) -> String {
    match names {
        [other, last] if last == name => other.clone(),
        [.., last] if last == name => "the others".into(),
        [.., last] => last.clone(),
        [] => String::new(),
    }
}

impl Args {
    fn pipeline(&self, format: Format, overlap: Arc<Overlap>) -> Result<Pipeline, Failure> {
        let columns = self.columns.as_deref().unwrap_or(&Column::DEFAULT_OF_OVERLAP);
        Ok(Pipeline {
            threads: self.run.threads,
            canon: true,
            facts: RequestedFacts {
                form: format.has_columns() && columns.iter().any(|column| column.is_about_canon()),
                clues: columns.contains(&Column::Clues),
                ..RequestedFacts::default()
            },
            sift: Some(overlap),
            format: format.rows_of_puzzles(None, &Column::DEFAULT_OF_OVERLAP, &[])?,
            compression: self.destinations.output.as_deref().and_then(Compression::of_name),
            ..Pipeline::default()
        })
    }

    fn check_latency(&self) -> Result<(), Failure> {
        if self.destinations.latency.is_some() {
            return Err(Failure::Usage("--latency does nothing: no engine is asked".into()));
        }
        Ok(())
    }

    fn settings(&self, format: Format) -> BTreeMap<String, String> {
        let own = [
            ("--format", Some(format.setting())),
            ("--columns", self.columns.as_deref().map(columns_setting)),
            ("--exact", self.exact.then(|| "given".into())),
        ];
        let all = self.expected.settings().chain(own);
        all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
    }
}

/// Records of sets, and those that occur elsewhere.
struct Overlap {
    by: Sameness,
    known: Known,
    /// The last of them is the one that is known.
    found: Mutex<Found>,
}

struct Found {
    sets: Vec<Set>,
}

/// What was found about a set.
#[derive(Clone, Default)]
struct Set {
    records: u64,
    /// Records that occur elsewhere, and their hashes.
    shared: u64,
    classes: HashSet<u128>,
}

impl Overlap {
    fn new(by: Sameness, known: Known, sets: usize) -> Self {
        let sets = vec![Set::default(); sets];
        Self { by, known, found: Mutex::new(Found { sets }) }
    }

    /// What was found.
    fn sets(&self) -> Vec<Set> {
        std::mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner).sets)
    }
}

impl Found {
    /// Whether a record occurs elsewhere.
    fn is_shared(&self, source: usize, hash: u128, known: &Known) -> io::Result<bool> {
        match self.sets.split_last() {
            Some((_, others)) if source == others.len() => {
                Ok(others.iter().any(|set| set.classes.contains(&hash)))
            }
            _ => known.contains(hash),
        }
    }
}

impl Sift for Overlap {
    fn by(&self) -> Sameness {
        self.by
    }

    /// What of the last set occurs in the others is known behind them.
    fn in_order(&self) -> bool {
        true
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for sifted in block {
            sifted.fate = Fate::NoRow;
            let hash = sifted.puzzle.as_ref().map(Seen::hash);
            let is_shared =
                hash.map_or(Ok(false), |hash| found.is_shared(sifted.source, hash, &self.known));
            let set = &mut found.sets[sifted.source];
            set.records += 1;
            match (is_shared, hash) {
                (Ok(true), Some(hash)) => {
                    sifted.fate = Fate::Row(0);
                    set.shared += 1;
                    set.classes.insert(hash);
                }
                (Err(error), _) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
