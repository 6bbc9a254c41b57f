//! `bulkdoku overlap`: the classes of one set that occur in others.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

use bulkdoku::input::Answers;
use bulkdoku::output::{Column, Decision, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, Sameness};
use indicatif::HumanCount;
use tempfile::SpooledTempFile;

use super::against::MemoryArgs;
use super::format::Format;
use super::input_args::InputArgs;
use super::input_run::{Earlier, InputRun};
use super::inputs::{Inputs, check_files};
use super::outputs::Destinations;
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::scan::scan;
use super::typed::Typed;
use super::{Exit, Failure};

/// Find the classes of one set of puzzles that occur in others; one row for each record of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. The set A is read and kept in memory,
/// as hashes, then the others; rows come from a second pass. Each record whose class is both in A
/// and in one of the others has a row, those of the others first. The summary has the number of such
/// records and classes for each file.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("format", |format| format
    .help("csv, tsv, jsonl, parquet, lines or npy")
    .long_help(
        "How rows are written: csv, tsv, jsonl, parquet, lines (puzzles only) or npy; by default as \
         the output's name says, else csv"
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(ROWS.columns_help())))]
pub struct Args {
    /// The set that the others are compared with: a file
    a: PathBuf,

    /// The other sets: files
    #[arg(required = true)]
    others: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    #[command(flatten)]
    destinations: Destinations,

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

Memory: each class of A takes 20 to 39 bytes: 16 for its hash, and its share of a hash table; each
record of A takes 16 more. Beyond --memory both are on disk. Each class that sets share takes 20 to 39
bytes for each of them, and each record of all sets 2. Classes are compared by hashes of 128 bits: two
of n classes have the same with a probability of about n² / 2¹²⁹.

Exit status: 0 nothing in common, 1 a class in common or a record that is no puzzle, 2 wrong usage,
3 input or output failed, 130 interrupted. A closed pipe ends the run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Overlap,
    default_format: Format::Csv,
    is_written: |format| format.has_columns() || matches!(format, Format::Lines | Format::Npy),
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    single: Column::Puzzle,
};

/// Finds what the sets have in common.
pub fn run(args: &Args, typed: Typed) -> Result<Exit, Failure> {
    let destinations = &args.destinations;
    destinations.refuse_latency()?;
    let rows = args.rows.plan(&ROWS, destinations)?;
    let inputs: Vec<_> = args.others.iter().chain([&args.a]).cloned().collect();
    check_files(&inputs, "sets are read twice")?;
    let options = args.layout.options(&inputs, Answers::Unwanted, &rows)?;
    destinations.refuse_existing(&inputs)?;
    let (by, finds, what) = if args.exact {
        (Sameness::Puzzle, "equal puzzles", "puzzles")
    } else {
        (Sameness::Class, "canonical forms", "classes")
    };
    let mut hashes = Hashes::new(args.memory.most_bytes());
    let first = std::slice::from_ref(&args.a);
    let known = args.memory.load(first, &options, by, args.run, |hash| hashes.push(hash))?;
    let mut sets = vec![Set::default(); inputs.len()];
    let mut decisions = Vec::new();
    let others = &mut Inputs::detected(args.others.clone(), &options)?;
    let find = |row: &Row<'_>| (row.source(), by.hash(row));
    scan(args.run, others, by.needs(), find, |(source, hash)| {
        let shared = hash.map_or(Ok(false), |hash| known.contains(hash))?;
        decisions.push(sets[source].add(hash.filter(|_| shared)));
        Ok(())
    })?;
    hashes.for_each(|hash| {
        let others = &sets[..args.others.len()];
        let is_shared = |hash: &u128| others.iter().any(|set| set.classes.contains(hash));
        let shared = hash.filter(is_shared);
        decisions.push(sets[args.others.len()].add(shared));
    })?;
    let run = InputRun::new(finds, typed, args.run);
    let names: Vec<_> = inputs.iter().map(|path| path.display().to_string()).collect();
    let filters = |earlier: &mut Earlier<'_>| {
        let decisions = decisions.into_iter().skip(earlier.records() as usize);
        Ok(vec![Filter::precomputed(decisions)])
    };
    let job = &Classify::default();
    let exit = run.run(inputs, &options, destinations, job, filters, |inputs| {
        rows.format(false, &inputs.kept())
    })?;
    if !args.run.quiet {
        eprintln!("{}: different {what}: {}", args.a.display(), HumanCount(known.len()));
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

/// What was found about a set.
#[derive(Clone, Default)]
struct Set {
    records: u64,
    /// The number of records that occur elsewhere.
    shared: u64,
    /// The hashes of their classes.
    classes: HashSet<u128>,
}

impl Set {
    /// Counts a record, whose hash is passed if it occurs elsewhere.
    fn add(&mut self, shared: Option<u128>) -> Decision {
        self.records += 1;
        self.shared += u64::from(shared.is_some());
        self.classes.extend(shared);
        if shared.is_some() { Decision::Keep } else { Decision::Drop }
    }
}

/// The hashes of the records of a set, in order; beyond a limit, in a temporary file.
struct Hashes(BufWriter<SpooledTempFile>);

impl Hashes {
    fn new(most_bytes: Option<usize>) -> Self {
        Self(BufWriter::new(SpooledTempFile::new(most_bytes.unwrap_or(usize::MAX))))
    }

    /// Adds the hash of a record. That of a record without one is 0.
    fn push(&mut self, hash: Option<u128>) -> io::Result<()> {
        self.0.write_all(&hash.unwrap_or(0).to_le_bytes())
    }

    fn for_each(self, mut each: impl FnMut(Option<u128>)) -> io::Result<()> {
        let mut file = self.0.into_inner()?;
        file.rewind()?;
        let mut file = BufReader::new(file);
        let mut bytes = [0; size_of::<u128>()];
        while !file.fill_buf()?.is_empty() {
            file.read_exact(&mut bytes)?;
            each(Some(u128::from_le_bytes(bytes)).filter(|hash| *hash != 0));
        }
        Ok(())
    }
}
