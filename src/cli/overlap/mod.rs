//! `bulkdoku overlap`: finds the classes that pairs of sets share.

mod summary;

use std::io::ErrorKind;

use bulkdoku::output::{Column, Row};
use bulkdoku::pipeline::{Classify, Filter};
use bulkdoku::sets::{Overlap, OverlapFinder, RecordHashes, Sameness};
use summary::{print, verdict};

use super::against::MemoryArgs;
use super::by::{ByArgs, finds, note_without};
use super::html::ReportedSet;
use super::row_args::{RowArgs, RowRules};
use super::run::Run;
use super::run_args::RunArgs;
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, html, platform};

/// Find the classes that sets of puzzles share; one row for each record of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. All pairs of sets are compared. Each
/// record whose class is in another set has a row. The summary starts with the verdict, and has the
/// number of such records and classes for each pair.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("input", |input| input
    .required(true)
    .num_args(2..)
    .value_name("SET")
    .help("The sets: two or more files")
    .long_help("The sets: two or more files")))]
#[command(mut_arg("files_from", |list| list.hide(true)))]
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
         grid, and with --near K in that way as well; with examples, and the hashes of all files."
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(ROWS.columns_help())))]
pub struct OverlapArgs {
    #[command(flatten)]
    records: RecordArgs,

    #[command(flatten)]
    rows: RowArgs,

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

Memory: each class of a set takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. Each
class that a pair shares takes as much for each of the two sets. Beyond --memory they are sorted on disk.
The hashes of all records in order, 19 bytes each, are in memory up to 256 MB, or a quarter of --memory,
and beyond that on disk. Classes are compared by hashes of 128 bits: two of n classes have the same with
a probability of about n² / 2¹²⁹.

Exit status: 0 no pair shares a class, 1 a pair does, or a record is invalid (--fail-on none
ignores both), 2 wrong usage, 3 input or output failed, 75 another run is writing an output, 124
timed out, 130 interrupted. A closed pipe ends the run with 0.";

const COLUMNS: &[Column] = &[
    Column::File,
    Column::Line,
    Column::Puzzle,
    Column::Canonical,
    Column::Automorphisms,
    Column::Status,
    Column::Clues,
];

pub static ROWS: RowRules = RowRules {
    name: "overlap",
    columns: COLUMNS,
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    appended: Some(&[Column::File, Column::Line, Column::Canonical]),
    ..RowRules::OF_INPUT
};

/// The number of examples in the report, for each criterion.
const EXAMPLES: usize = 3;

/// The memory for all criteria of the report by which rows are not compared.
const REPORT_MEMORY_BYTES: usize = 128 << 20;

pub fn run(args: &OverlapArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut task = Task::new(&args.records, args.run, typed, &ROWS);
    let rows = args.rows.plan(&ROWS, task.destinations.output.as_deref())?;
    let by = args.by.sameness();
    task.keep_columns(&rows);
    task.reads_twice = Some("sets are read twice");
    task.settings.method = Method::finding(finds(by));
    // Grids are solved once, unless the condition reads statuses.
    let reads_status = task.reads(Column::Status);
    let job = if reads_status { Classify::by(by) } else { Classify::default() };
    let mut run = task.open()?;
    let mut overlap = args.compare(&mut run)?;
    let (names, verdict) = (run.inputs.names(), verdict(&overlap, by));
    run.verdict = Some(verdict);
    let format = rows.format(&run.inputs)?;
    let exit = run.write(&job, vec![Filter::precomputed(&mut overlap)], format)?;
    if !args.run.quiet {
        print(&overlap, &names, by);
    }
    Ok(exit)
}

impl OverlapArgs {
    /// Reads and compares all sets, also by other criteria for the report, if there is one.
    fn compare(&self, run: &mut Run) -> Result<Overlap, Failure> {
        let (by, paths) = (self.by.sameness(), run.inputs.paths().to_vec());
        let count = paths.len();
        let reports = run.claim.destinations.report.is_some();
        let others = [Sameness::Puzzle, Sameness::Class, Sameness::Grid].into_iter();
        let others: Vec<_> = others.filter(|other| reports && *other != by).collect();
        let reported = paths.iter().filter(|_| reports).map(|path| ReportedSet::new(path));
        let mut reported = reported.collect::<Result<Vec<_>, _>>()?;

        let examples = if reports { EXAMPLES } else { 0 };
        let memory = self.memory.bytes().map(|bytes| bytes / (1 + others.len()));
        let of_other = memory.or_else(|| REPORT_MEMORY_BYTES.checked_div(others.len()));
        let mut finder = OverlapFinder::new(count, memory, examples);
        let other = |_: &_| OverlapFinder::new(count, of_other, examples);
        let mut finders: Vec<_> = others.iter().map(other).collect();
        let find = |row: &Row<'_>| {
            let hashes = |by: &Sameness| RecordHashes::of(*by, row);
            (row.source(), hashes(&by), others.iter().map(hashes).collect())
        };
        let add = |(set, record, others): (usize, RecordHashes, Vec<RecordHashes>)| {
            if let Some(set) = reported.get_mut(set) {
                let of_grid = others.last().filter(|_| by != Sameness::Grid).unwrap_or(&record);
                set.add(of_grid);
            }
            let mut others = finders.iter_mut().zip(&others);
            others.try_for_each(|(finder, other)| finder.add(set, other))?;
            finder.add(set, &record)
        };
        let needs = others.iter().fold(by.needs(), |needs, other| needs.union(other.needs()));
        // Rows do not depend on the report.
        let job = Classify { only_classifies: by != Sameness::Grid, ..Classify::of(needs) };
        run.pass(&job, needs, find, add)?;

        let finish = |finder: OverlapFinder| {
            let stop = platform::new_progress().stop.into();
            finder.finish(&stop).map_err(|error| match error.kind() {
                ErrorKind::Interrupted => Failure::Stopped,
                _ => error.into(),
            })
        };
        let overlap = finish(finder)?;
        if !self.run.quiet {
            let all = run.inputs.names().into_iter().zip(&overlap.sets);
            all.for_each(|(name, set)| note_without(&name, by, set.without));
        }
        let others = others.into_iter().zip(finders);
        let others = others.map(|(by, finder)| Ok((by, finish(finder)?)));
        let others = others.collect::<Result<Vec<_>, Failure>>()?;
        let mut all: Vec<_> = others.iter().map(|(by, overlap)| (*by, overlap)).collect();
        all.push((by, &overlap));
        run.page = reports.then(|| html::of_overlap(&reported, all, &verdict(&overlap, by)));
        Ok(overlap)
    }
}
