//! `bulkdoku overlap`: finds the classes that pairs of sets share.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bulkdoku::input::{Answers, InputOptions};
use bulkdoku::output::{Column, Decision, Needs, Row, Subcommand};
use bulkdoku::pipeline::{Changed, Classify, Filter, PassSums};
use bulkdoku::sets::{Collector, Known, Sameness};
use indicatif::HumanCount;

use super::against::MemoryArgs;
use super::by::{ByArgs, finds, groups};
use super::format::RowFormat;
use super::hashed::{HashReader, HashWriter, RecordHashes};
use super::html::Page;
use super::input_args::InputArgs;
use super::input_run::{EarlierRun, InputRun};
use super::inputs::check_files;
use super::numbers::counted;
use super::outputs::Destinations;
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::scan::scan;
use super::select::WhereArgs;
use super::sets_read::ReadSet;
use super::summary::Verdict;
use super::typed::Typed;
use super::{Exit, Failure, html, log, version};

/// Find the classes that sets of puzzles share; one row for each record of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. All pairs of sets are compared. Each
/// record whose class is in another set has a row. The summary starts with the verdict, and has the
/// number of such records and classes for each pair.
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
    /// The sets: two or more files
    #[arg(required = true, num_args = 2.., value_name = "SET")]
    sets: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    #[command(flatten)]
    condition: WhereArgs,

    #[command(flatten)]
    destinations: Destinations,

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

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Overlap,
    default_format: RowFormat::Csv,
    is_written: |format| {
        format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
    },
    default_columns: &Column::DEFAULT_OF_OVERLAP,
    appended: Some(&[Column::File, Column::Line, Column::Canonical]),
    changes_cells: false,
    names_file: false,
    single: Column::Puzzle,
};

/// The memory for the hashes of all records, beyond which they are written to a file.
const HASH_MEMORY_BYTES: usize = 256 << 20;

pub fn run(args: &OverlapArgs, typed: Typed) -> Result<Exit, Failure> {
    let destinations = &args.destinations;
    destinations.refuse_latency()?;
    let rows = args.rows.plan(&ROWS, destinations)?;
    check_files(&args.sets, "sets are read twice")?;
    let options = args.layout.options_for(Answers::Unwanted, &rows)?;
    let claim = destinations.claim(&args.sets)?;
    let by = args.by.sameness();
    let report = destinations.report.as_ref().map(|_| args.page(&options)).transpose()?;
    let (mut overlap, sums, omits_columns) = args.read(&options)?;
    let page = match report {
        // The text of Parquet files depends on the columns that are read.
        Some((_, all)) if all != sums && !omits_columns => {
            return Err(Changed::since_first_pass(&"an input").into());
        }
        report => report.map(|(page, _)| page),
    };
    let (counts, what) = (Arc::clone(&overlap.counts), groups(by));
    let verdict = Box::new({
        let counts = Arc::clone(&counts);
        move || counts.verdict(what)
    });
    let run = InputRun { page, ..InputRun::new(finds(by), typed, args.run).after(sums) };
    let run = InputRun { verdict: Some(verdict), ..run };
    let run = run.only_where(&args.condition, ROWS.subcommand);
    // Grids are solved once, unless the condition reads statuses.
    let condition = args.condition.condition.as_ref();
    let read = condition.map(|condition| condition.computed(ROWS.subcommand)).unwrap_or_default();
    let job = &if read.contains(&Column::Status) { Classify::by(by) } else { Classify::default() };
    let found = &mut overlap;
    let filters = move |earlier: &mut EarlierRun<'_>| {
        let found = found;
        earlier.replay(job, vec![found.filter()])?;
        Ok(vec![found.filter()])
    };
    let exit = run.run(args.sets.clone(), &options, claim, job, filters, |inputs| {
        rows.format(&inputs.rows())
    })?;
    if !args.run.quiet {
        overlap.print(what)?;
    }
    Ok(exit)
}

impl OverlapArgs {
    /// Reads all sets. Also returns their checksums, and whether no column is kept.
    fn read(&self, options: &InputOptions) -> Result<(Overlap, PassSums, bool), Failure> {
        let (by, memory) = (self.by.sameness(), self.memory.bytes());
        let sets = self.sets.clone().into();
        let (mut inputs, test) = self.condition.open(&sets, options, ROWS.subcommand)?;
        let mut reader = SetReader::new(sets.len(), memory);
        let find = |row: &Row<'_>| (row.source(), RecordHashes::of(by, row));
        let add = |(source, record): (usize, RecordHashes)| reader.add(source, &record);
        let sums = scan(self.run, (&mut inputs, test.as_ref()), by.needs(), find, add)?;
        let names = inputs.names();
        if !self.run.quiet {
            let what = if by == Sameness::Grid { "not exactly one solution" } else { "no puzzle" };
            for (name, without) in names.iter().zip(&reader.without).filter(|(_, n)| **n > 0) {
                log::note(format!("{name}: {what}, not compared: {}", HumanCount(*without)));
            }
        }
        Ok((reader.finish(names, memory)?, sums, inputs.omit_columns()))
    }

    /// Creates the report, and returns the checksums of the inputs.
    fn page(&self, options: &InputOptions) -> Result<(Page, PassSums), Failure> {
        let by = self.by.sameness();
        let near = matches!(by, Sameness::Near(_)).then_some(by);
        let kinds = [Sameness::Puzzle, Sameness::Class, Sameness::Grid].into_iter().chain(near);
        let kinds: Vec<_> = kinds.collect();
        let read = |path: &PathBuf| {
            let set = vec![path.clone()].into();
            let (mut inputs, test) = self.condition.open(&set, options, ROWS.subcommand)?;
            let inputs = (&mut inputs, test.as_ref());
            ReadSet::read(path, inputs, &kinds, self.memory.bytes(), self.run)
        };
        let sets = self.sets.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut sums = PassSums::default();
        sets.iter().for_each(|set| sums.append(&set.sums));
        let date = version::date(SystemTime::now());
        Ok((html::of_overlap(&sets, &kinds, by, date)?, sums))
    }
}

/// The classes that pairs of sets share.
struct Overlap {
    /// The hashes of each set, and all records in order.
    sets: Vec<Known>,
    records: HashReader,
    /// For each ordered pair, the different hashes of the records of the first set that occur in the
    /// second.
    shared: Vec<Collector>,
    counts: Arc<PairCounts>,
}

/// The counts of an overlap, shared with its summary.
struct PairCounts {
    names: Vec<String>,
    /// The number of records of each set.
    records: Vec<AtomicU64>,
    /// For each ordered pair, the number of records of the first set that occur in the second.
    shared: Vec<AtomicU64>,
}

/// The first pass over all sets.
struct SetReader {
    sets: Vec<Collector>,
    records: HashWriter,
    /// The number of records of each set that are not compared.
    without: Vec<u64>,
}

impl SetReader {
    fn new(sets: usize, memory: Option<usize>) -> Self {
        let of_one = memory.map(|bytes| bytes / 2 / sets);
        let of_records = memory.map_or(HASH_MEMORY_BYTES, |bytes| bytes / 4);
        Self {
            sets: (0..sets).map(|_| Collector::new(of_one)).collect(),
            records: HashWriter::new(of_records),
            without: vec![0; sets],
        }
    }

    fn add(&mut self, source: usize, record: &RecordHashes) -> io::Result<()> {
        self.without[source] += u64::from(record.first.is_none());
        record.hashes().try_for_each(|hash| self.sets[source].insert(hash))?;
        self.records.push(record)
    }

    fn finish(self, names: Vec<String>, memory: Option<usize>) -> io::Result<Overlap> {
        let sets = self.sets.into_iter().map(Collector::finish).collect::<io::Result<Vec<_>>>()?;
        let (count, pairs) = (sets.len(), sets.len() * sets.len());
        let of_one = memory.map(|bytes| bytes / 4 / pairs);
        let zeros = |count| (0..count).map(|_| AtomicU64::new(0)).collect();
        let counts = PairCounts { names, records: zeros(count), shared: zeros(pairs) };
        Ok(Overlap {
            sets,
            records: self.records.finish()?,
            shared: (0..pairs).map(|_| Collector::new(of_one)).collect(),
            counts: Arc::new(counts),
        })
    }
}

impl Overlap {
    /// Returns the filter that keeps the records that occur in another set.
    fn filter(&mut self) -> Filter<'_> {
        Filter::InOrder(Needs::NONE, Box::new(|row: &Row<'_>| self.decide(row)))
    }

    /// Prints the number of records and classes that each pair of sets shares.
    fn print(self, what: &str) -> io::Result<()> {
        let Self { sets, shared, counts, .. } = self;
        let names = &counts.names;
        for ((name, set), records) in names.iter().zip(&sets).zip(&counts.records) {
            let records = counted(records.load(Ordering::Relaxed), "record");
            log::note(format!("{name}: {records}; different {what}: {}", HumanCount(set.len())));
        }
        let different = shared
            .into_iter()
            .map(|shared| Ok(shared.finish()?.len()))
            .collect::<io::Result<Vec<_>>>()?;
        for ([one, other], shared) in counts.pairs() {
            for (from, to, shared) in [(one, other, shared[0]), (other, one, shared[1])] {
                let of = HumanCount(counts.records[from].load(Ordering::Relaxed));
                let different = HumanCount(different[from * names.len() + to]);
                log::note(format!(
                    "{}: {} of {of} records occur in {}; different {what}: {different}",
                    names[from],
                    HumanCount(shared),
                    names[to],
                ));
            }
        }
        Ok(())
    }

    fn decide(&mut self, row: &Row<'_>) -> io::Result<Decision> {
        let record = self.records.next(row.file())?;
        let (source, count) = (row.source(), self.sets.len());
        self.counts.records[source].fetch_add(1, Ordering::Relaxed);
        let mut is_shared = false;
        for (other, known) in self.sets.iter().enumerate().filter(|(other, _)| *other != source) {
            if any(record.hashes().map(|hash| known.contains(hash)))? {
                is_shared = true;
                let pair = source * count + other;
                self.counts.shared[pair].fetch_add(1, Ordering::Relaxed);
                record.first.into_iter().try_for_each(|hash| self.shared[pair].insert(hash))?;
            }
        }
        Ok(match record.first {
            _ if is_shared => Decision::Keep,
            Some(_) => Decision::Drop,
            None => Decision::DropAs(record.status),
        })
    }
}

impl PairCounts {
    /// Returns each pair of sets, and how many records of each occur in the other.
    fn pairs(&self) -> impl Iterator<Item = ([usize; 2], [u64; 2])> {
        let count = self.names.len();
        let shared = move |one: usize, other: usize| {
            self.shared[one * count + other].load(Ordering::Relaxed)
        };
        (0..count).flat_map(move |one| {
            (one + 1..count)
                .map(move |other| ([one, other], [shared(one, other), shared(other, one)]))
        })
    }

    fn verdict(&self, what: &str) -> Verdict {
        let found = self.pairs().filter(|(_, [shared, _])| *shared > 0).count();
        Verdict { fails: found > 0, text: verdict(found, self.pairs().count(), what) }
    }
}

/// Returns the first line of a summary.
pub fn verdict(found: usize, pairs: usize, what: &str) -> String {
    match (found, pairs) {
        (0, 1) => format!("the sets share no {what}"),
        (_, 1) => format!("the sets share {what}"),
        (0, _) => format!("none of {pairs} pairs of sets shares {what}"),
        _ => format!("{found} of {pairs} pairs of sets share {what}"),
    }
}

/// Returns whether any result is true, up to the first error.
fn any(mut results: impl Iterator<Item = io::Result<bool>>) -> io::Result<bool> {
    results.find(|result| !matches!(result, Ok(false))).unwrap_or(Ok(false))
}
