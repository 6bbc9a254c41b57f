//! `bulkdoku overlap`: finds the classes of one set in others.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{io, mem};

use bulkdoku::canon::{Collector, Known};
use bulkdoku::input::{Answers, InputOptions};
use bulkdoku::output::{Column, Decision, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, Sameness};
use indicatif::HumanCount;

use super::against::{MemoryArgs, load};
use super::by::{ByArgs, finds, groups};
use super::condition::Predicate;
use super::format::RowFormat;
use super::hashed::{HashReader, HashWriter, RecordHashes};
use super::html::Page;
use super::input_args::InputArgs;
use super::input_run::{EarlierRun, InputRun};
use super::inputs::{Inputs, check_files};
use super::outputs::Destinations;
use super::row_args::{AppendArgs, RowArgs, RowRules};
use super::run_args::RunArgs;
use super::select::WhereArgs;
use super::sets_read::ReadSet;
use super::typed::Typed;
use super::{Exit, Failure, html, log, version};

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
         The sets are read once more, and their hashes are sorted on disk."
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(ROWS.columns_help())))]
pub struct OverlapArgs {
    /// The set that the others are compared with: a file
    a: PathBuf,

    /// The other sets: files
    #[arg(required = true)]
    others: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    #[command(flatten)]
    condition: WhereArgs,

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

Memory: each class of A takes 20 to 39 bytes: 16 for its hash, and its share of a hash table. Each
class that sets share takes as much for each of them. Beyond --memory they are sorted on disk. The
hashes of A in order, 19 bytes per record, are in memory up to 256 MB, or a quarter of --memory, and
beyond that on disk. Classes are compared by hashes of 128 bits: two of n classes have the same with a probability of about
n² / 2¹²⁹.

Exit status: 0 nothing in common, 1 a class in common or an invalid record (--fail-on none ignores
these), 2 wrong usage, 3 input or output failed, 124 timed out, 130 interrupted. A closed pipe ends the
run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Overlap,
    default_format: RowFormat::Csv,
    is_written: |format| {
        format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
    },
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    appended: Some(&[Column::File, Column::Line, Column::Canonical]),
    changes_cells: false,
    single: Column::Puzzle,
};

/// The memory for the hashes of the first set, beyond which they are written to a file.
const HASH_MEMORY_BYTES: usize = 256 << 20;

pub fn run(args: &OverlapArgs, typed: Typed) -> Result<Exit, Failure> {
    let destinations = &args.destinations;
    destinations.refuse_latency()?;
    let mut rows = args.rows.plan(&ROWS, Some(&args.append), destinations)?;
    let inputs: Vec<_> = args.others.iter().chain([&args.a]).cloned().collect();
    check_files(&inputs, "sets are read whole, the first one twice")?;
    let options = args.layout.options(&inputs, Answers::Unwanted, &mut rows)?;
    destinations.refuse_existing(&inputs)?;
    let by = args.by.sameness();
    let what = groups(by);
    let memory = args.memory.bytes();
    let page = destinations.report.as_ref().map(|_| args.page(&options)).transpose()?;
    let (mut set, test) = args.open(&args.a, &options)?;
    let mut records = HashWriter::new(memory.map_or(HASH_MEMORY_BYTES, |bytes| bytes / 4));
    let add = |record: &RecordHashes| records.push(record);
    let half = memory.map(|bytes| bytes / 2);
    let known = load((&mut set, test.as_ref()), half, by, args.run, add)?;
    let classes = known.len();
    let mut overlap = Overlap::new(by, known, records.finish()?, inputs.len(), memory);
    let run = InputRun { page, ..InputRun::new(finds(by), typed, args.run) };
    let run = run.only_where(&args.condition, ROWS.subcommand);
    let names: Vec<_> = inputs.iter().map(|path| path.display().to_string()).collect();
    // The first set is solved only once, unless the condition reads statuses.
    let condition = args.condition.condition.as_ref();
    let read = condition.map(|condition| condition.computed(ROWS.subcommand)).unwrap_or_default();
    let is_solved_again = read.contains(&Column::Status);
    let job = &Classify::by_until(by, if is_solved_again { usize::MAX } else { args.others.len() });
    let found = &mut overlap;
    let filters = move |earlier: &mut EarlierRun<'_>| {
        let found = found;
        earlier.replay(job, vec![found.filter()])?;
        Ok(vec![found.filter()])
    };
    let exit = run.run(inputs, &options, destinations, job, filters, |inputs| {
        rows.format(&inputs.rows(), false)
    })?;
    overlap.finish_sets(names.len())?;
    if !args.run.quiet {
        if !matches!(by, Sameness::Near(_)) {
            log::note(format!("{}: different {what}: {}", args.a.display(), HumanCount(classes)));
        }
        for ((name, set), [classes, _]) in names.iter().zip(&overlap.sets).zip(&overlap.shared) {
            let (records, shared) = (HumanCount(set.records), HumanCount(set.shared));
            let (classes, place) = (HumanCount(classes.len()), place(name, &names));
            log::note(format!(
                "{name}: {shared} of {records} records occur in {place}; different {what}: {classes}"
            ));
        }
    }
    let has_common = overlap.sets.iter().any(|set| set.shared > 0);
    Ok(if exit == Exit::Done && has_common { Exit::SomeRecords } else { exit })
}

impl OverlapArgs {
    /// Opens a set for a pass before rows are written.
    fn open(
        &self,
        path: &Path,
        options: &InputOptions,
    ) -> Result<(Inputs, Option<Predicate>), Failure> {
        self.condition.open(&vec![path.into()].into(), options, ROWS.subcommand, Vec::new())
    }

    /// Creates the report.
    fn page(&self, options: &InputOptions) -> Result<Page, Failure> {
        let by = self.by.sameness();
        let near = matches!(by, Sameness::Near(_)).then_some(by);
        let kinds = [Sameness::Puzzle, Sameness::Class, Sameness::Grid].into_iter().chain(near);
        let kinds: Vec<_> = kinds.collect();
        let read = |path: &PathBuf| {
            let (mut inputs, test) = self.open(path, options)?;
            let inputs = (&mut inputs, test.as_ref());
            ReadSet::read(path, inputs, &kinds, self.memory.bytes(), self.run)
        };
        let sets = [&self.a].into_iter().chain(&self.others).map(read);
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        Ok(html::of_overlap(&sets, &kinds, version::date(SystemTime::now()))?)
    }
}

/// Returns the name of the sets that the records of a set occur in.
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
    /// The classes of the last set, and its records in order.
    known: Known,
    records: HashReader,
    sets: Vec<SetCounts>,
    /// The hashes of the shared records of each complete set: of classes, and all others.
    shared: Vec<[Known; 2]>,
}

struct SetCounts {
    records: u64,
    /// The number of records that occur elsewhere.
    shared: u64,
    hashes: [Collector; 2],
}

impl Overlap {
    fn new(
        by: Sameness,
        known: Known,
        records: HashReader,
        sets: usize,
        memory: Option<usize>,
    ) -> Self {
        let of_one = memory.map(|bytes| bytes / 4 / (2 * sets));
        let set = || SetCounts {
            records: 0,
            shared: 0,
            hashes: [(); 2].map(|()| Collector::new(of_one)),
        };
        Self { by, known, records, sets: (0..sets).map(|_| set()).collect(), shared: Vec::new() }
    }

    /// Returns the filter that keeps the records that occur elsewhere. It is ordered, because the
    /// records of the last set are compared with those of all others.
    fn filter(&mut self) -> Filter<'_> {
        let (last, needs) = (self.sets.len() - 1, self.by.needs());
        Filter::InOrderUntil(last, needs, Box::new(|row: &Row<'_>| self.decide(row)))
    }

    fn decide(&mut self, row: &Row<'_>) -> io::Result<Decision> {
        let (source, last) = (row.source(), self.sets.len() - 1);
        let record = if source == last {
            self.finish_sets(last)?;
            self.records.next()?
        } else {
            RecordHashes::of(self.by, row)
        };
        let mut is_shared = false;
        for hash in record.hashes() {
            is_shared |= if source == last {
                any(self.shared.iter().flatten().map(|known| known.contains(hash)))?
            } else {
                self.known.contains(hash)?
            };
            if is_shared {
                break;
            }
        }
        let set = &mut self.sets[source];
        set.records += 1;
        if is_shared {
            set.shared += 1;
            let [classes, others] = &mut set.hashes;
            record.first.into_iter().try_for_each(|hash| classes.insert(hash))?;
            record.others.iter().try_for_each(|hash| others.insert(*hash))?;
            return Ok(Decision::Keep);
        }
        Ok(if record.first.is_some() { Decision::Drop } else { Decision::DropAs(record.status) })
    }

    /// Makes the hashes of the first sets searchable.
    fn finish_sets(&mut self, count: usize) -> io::Result<()> {
        for set in &mut self.sets[self.shared.len()..count] {
            let [classes, others] = mem::take(&mut set.hashes);
            self.shared.push([classes.finish()?, others.finish()?]);
        }
        Ok(())
    }
}

/// Returns whether any result is true, up to the first error.
fn any(mut results: impl Iterator<Item = io::Result<bool>>) -> io::Result<bool> {
    results.find(|result| !matches!(result, Ok(false))).unwrap_or(Ok(false))
}
