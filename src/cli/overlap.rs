//! `bulkdoku overlap`: the classes of one set that occur in others.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use bulkdoku::canon::Known;
use bulkdoku::input::Answers;
use bulkdoku::output::{Column, Decision, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, Sameness};
use indicatif::HumanCount;

use super::against::MemoryArgs;
use super::by::{ByArgs, finds, groups};
use super::format::Format;
use super::input_args::InputArgs;
use super::input_run::{Earlier, InputRun};
use super::inputs::check_files;
use super::outputs::Destinations;
use super::row_args::{AppendArgs, RowArgs, RowRules};
use super::run_args::RunArgs;
use super::sets_read::ReadSet;
use super::typed::Typed;
use super::{Exit, Failure, html, version};

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
#[command(mut_arg("report", |report| report
    .help("Write a page about what each pair of sets has in common, as HTML")
    .long_help(
        "Write a page about what each pair of sets has in common, as HTML\n\nBy puzzle, class and \
         grid, and with --near K in that way as well; with examples, and the hashes of all files. \
         The sets are read once more, and all their hashes are in memory."
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

    #[command(flatten)]
    append: AppendArgs,

    #[command(flatten)]
    by: ByArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku overlap train.csv test.csv
  bulkdoku overlap --format lines train.csv test.csv validation.csv -o leaks.txt
  bulkdoku overlap --by puzzle --memory 2G a.txt.gz b.jsonl -o both.csv
  bulkdoku overlap --by grid train.csv test.csv
  bulkdoku overlap --near 1 train.csv test.csv

Invalid records have no class: each has a message, and no row.

Memory: each class of A takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. Beyond
--memory they are sorted on disk. Each class that sets share takes as much for each of them. Classes
are compared by hashes of 128 bits: two of n classes have the same with a probability of about
n² / 2¹²⁹.

Exit status: 0 nothing in common, 1 a class in common or an invalid record (--fail-on none ignores
these), 2 wrong usage, 3 input or output failed, 124 timed out, 130 interrupted. A closed pipe ends the
run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Overlap,
    default_format: Format::Csv,
    is_written: |format| format.has_columns() || matches!(format, Format::Lines | Format::Npy),
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    appended: Some(&[Column::File, Column::Line, Column::Canonical]),
    changes_cells: false,
    single: Column::Puzzle,
};

/// Finds what the sets have in common.
pub fn run(args: &Args, typed: Typed) -> Result<Exit, Failure> {
    let destinations = &args.destinations;
    destinations.refuse_latency()?;
    let mut rows = args.rows.plan(&ROWS, Some(&args.append), destinations)?;
    let inputs: Vec<_> = args.others.iter().chain([&args.a]).cloned().collect();
    check_files(&inputs, "sets are read whole, the first one twice")?;
    let options = args.layout.options(&inputs, Answers::Unwanted, &mut rows)?;
    destinations.refuse_existing(&inputs)?;
    let by = args.by.sameness();
    let what = groups(by);
    let known = args.memory.load(std::slice::from_ref(&args.a), &options, by, args.run)?;
    let classes = known.len();
    let page = destinations.report.as_ref().map(|_| {
        let near = matches!(by, Sameness::Near(_)).then_some(by);
        let kinds = [Sameness::Puzzle, Sameness::Class, Sameness::Grid].into_iter().chain(near);
        let kinds: Vec<_> = kinds.collect();
        let paths = [&args.a].into_iter().chain(&args.others);
        let read = paths.map(|path| ReadSet::read(path, &options, &kinds, args.run));
        let sets = read.collect::<Result<Vec<_>, _>>()?;
        Ok::<_, Failure>(html::of_overlap(&sets, &kinds, version::date(SystemTime::now())))
    });
    let page = page.transpose()?;
    let mut overlap = Overlap { by, known, sets: vec![Set::default(); inputs.len()] };
    let run = InputRun { page, ..InputRun::new(finds(by), typed, args.run) };
    let names: Vec<_> = inputs.iter().map(|path| path.display().to_string()).collect();
    let job = &Classify::by(by);
    let found = &mut overlap;
    let filters = move |earlier: &mut Earlier<'_>| {
        let found = found;
        earlier.replay(job, vec![found.filter()])?;
        Ok(vec![found.filter()])
    };
    let exit = run.run(inputs, &options, destinations, job, filters, |inputs| {
        rows.format(&inputs.rows(), false)
    })?;
    let sets = overlap.sets;
    if !args.run.quiet {
        if !matches!(by, Sameness::Near(_)) {
            eprintln!("{}: different {what}: {}", args.a.display(), HumanCount(classes));
        }
        for (name, set) in names.iter().zip(&sets) {
            let Set { records, shared, classes, .. } = set;
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
    by: Sameness,
    /// The classes of the last set.
    known: Known,
    sets: Vec<Set>,
}

/// What was found about a set.
#[derive(Clone, Default)]
struct Set {
    records: u64,
    /// The number of records that occur elsewhere.
    shared: u64,
    /// The hashes of their classes.
    classes: HashSet<u128>,
    /// The other hashes of these records, if they have several.
    others: HashSet<u128>,
}

impl Set {
    fn contains(&self, hash: u128) -> bool {
        self.classes.contains(&hash) || self.others.contains(&hash)
    }
}

impl Overlap {
    /// Returns the filter that keeps the records that occur elsewhere. The records of the last set
    /// are compared with those of all others, so it needs them in order.
    fn filter(&mut self) -> Filter<'_> {
        let needs = self.by.needs();
        let decide = |row: &Row<'_>| {
            let is_shared = self.is_shared(row)?;
            Ok(if is_shared { Decision::Keep } else { Decision::Drop })
        };
        Filter::InOrder(needs, Box::new(decide))
    }

    /// Counts a record, and returns whether it occurs elsewhere.
    fn is_shared(&mut self, row: &Row<'_>) -> io::Result<bool> {
        let Self { by, known, sets } = self;
        let source = row.source();
        sets[source].records += 1;
        let mut is_shared = false;
        for hash in by.hashes(row) {
            is_shared |= match sets.split_last() {
                Some((_, others)) if source == others.len() => {
                    others.iter().any(|set| set.contains(hash))
                }
                _ => known.contains(hash)?,
            };
            if is_shared {
                break;
            }
        }
        if is_shared {
            let set = &mut sets[source];
            set.shared += 1;
            set.classes.extend(by.hash(row));
            set.others.extend(by.hashes(row).skip(1));
        }
        Ok(is_shared)
    }
}
