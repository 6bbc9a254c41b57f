//! `bulkdoku overlap`: the classes of one set that occur in others.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::Pipeline;
use bulkdoku::canon::{Known, Seen};
use bulkdoku::input::Answers;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Fate, Sameness, Sift, Sifted};
use indicatif::HumanCount;

use super::against::{MemoryArgs, on_disk};
use super::format::Format;
use super::input_args::InputArgs;
use super::input_run::InputRun;
use super::inputs::check_files;
use super::outputs::RecordDestinations;
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::typed::Typed;
use super::{Exit, Failure, canon};

/// Find the classes of one set of puzzles that occur in others; one row for each record of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. The set A is read and kept in memory,
/// as hashes; then the others are read, and A once more. Each record whose class is both in A and
/// in one of the others has a row, those of the others first. The summary has the number of such
/// records and classes for each file.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("format", |format| format
    .help("csv, tsv, jsonl, parquet, lines or npy")
    .long_help(
        "How rows are written: csv, tsv, jsonl, parquet, lines (puzzles only) or npy; by default as \
         the output's name says, else csv"
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(
    "The columns of csv, tsv, jsonl and parquet, in order: file, line, puzzle, canonical, \
     automorphisms, status, clues [default: file,line,puzzle,canonical]"
)))]
pub struct Args {
    /// The set that the others are compared with: a file
    a: PathBuf,

    /// The other sets: files
    #[arg(required = true)]
    others: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    #[command(flatten)]
    destinations: RecordDestinations,

    #[command(flatten)]
    rows: RowArgs,

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

Records that are no puzzles have no class: each has a message, and no row.

Memory: each class of A takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. Beyond
--memory they are sorted on disk. Each class that sets share takes as much for each of them. Classes
are compared by hashes of 128 bits: two of n classes have the same with a probability of about
n² / 2¹²⁹.

Exit status: 0 nothing in common, 1 a class in common or a record that is no puzzle, 2 wrong usage,
3 input or output failed, 130 interrupted. A closed pipe ends the run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: "overlap",
    default_format: Format::Csv,
    is_written: |format| format.has_columns() || matches!(format, Format::Lines | Format::Npy),
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    has_column: |column| canon::has_column(column) && column != Column::LatencyNs,
    single: Column::Puzzle,
};

/// Finds what the sets have in common.
pub fn run(args: &Args, typed: Typed) -> Result<Exit, Failure> {
    let destinations = args.destinations.checked()?;
    destinations.refuse_latency()?;
    let rows = args.rows.plan(&ROWS, &destinations)?;
    let inputs: Vec<_> = args.others.iter().chain([&args.a]).cloned().collect();
    check_files(&inputs, "sets are read whole, the first one twice")?;
    let options = args.layout.options(&inputs, Answers::Unwanted, &rows)?;
    destinations.refuse_existing(&inputs)?;
    let (by, finds, what) = if args.exact {
        (Sameness::Exact, "equal puzzles", "puzzles")
    } else {
        (Sameness::Class, "canonical forms", "classes")
    };
    let known = args.memory.load(std::slice::from_ref(&args.a), &options, by, args.run)?;
    let classes = known.len();
    let overlap = Arc::new(Overlap::new(known, inputs.len()));
    let decide = {
        let overlap = Arc::clone(&overlap);
        move |block: &mut [Sifted]| overlap.find_shared(block)
    };
    let pipeline = Pipeline {
        canon: true,
        facts: rows.facts(),
        // The records of the last set are compared with those of all others.
        sift: Some(Sift { in_order: true, ..Sift::new(by, decide) }),
        ..Pipeline::default()
    };
    let run = InputRun::new(finds, pipeline, typed, args.run);
    let names: Vec<_> = inputs.iter().map(|path| path.display().to_string()).collect();
    let exit =
        run.run(inputs, &options, &destinations, |inputs| rows.rows(false, &inputs.kept()))?;
    let sets = overlap.take_sets();
    if !args.run.quiet {
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

/// Where the records of a set occur. The last set is that which the others are compared with.
fn place(name: &str, names: &[String]) -> String {
    match names {
        [other, last] if last == name => other.clone(),
        [.., last] if last == name => "the others".into(),
        [.., last] => last.clone(),
        [] => String::new(),
    }
}

/// Counts the records of sets, and finds those that occur elsewhere.
struct Overlap {
    /// The classes of the last set.
    known: Known,
    sets: Mutex<Vec<Set>>,
}

/// What was found about a set.
#[derive(Clone, Default)]
struct Set {
    records: u64,
    /// The number of records that occur elsewhere.
    shared: u64,
    /// The hashes of their classes.
    classes: HashSet<u128>,
}

impl Overlap {
    fn new(known: Known, sets: usize) -> Self {
        Self { known, sets: Mutex::new(vec![Set::default(); sets]) }
    }

    fn take_sets(&self) -> Vec<Set> {
        std::mem::take(&mut self.sets.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a record of a set occurs elsewhere.
    fn is_shared(&self, sets: &[Set], source: usize, hash: u128) -> io::Result<bool> {
        match sets.split_last() {
            Some((_, others)) if source == others.len() => {
                Ok(others.iter().any(|set| set.classes.contains(&hash)))
            }
            _ => self.known.contains(hash).map_err(|error| on_disk(&error)),
        }
    }

    /// Selects the records that occur elsewhere.
    fn find_shared(&self, block: &mut [Sifted]) -> io::Result<()> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        for sifted in block {
            sifted.fate = Fate::NoRow;
            sets[sifted.source].records += 1;
            let Some(hash) = sifted.puzzle.as_ref().map(Seen::hash) else { continue };
            if self.is_shared(&sets, sifted.source, hash)? {
                sifted.fate = Fate::Row(0);
                sets[sifted.source].shared += 1;
                sets[sifted.source].classes.insert(hash);
            }
        }
        Ok(())
    }
}
