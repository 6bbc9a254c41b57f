//! `bulkdoku sample`: random samples, stratified samples, and records with the largest values.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroU64;
use std::str::FromStr;

use bulkdoku::input::{Answers, InputOptions};
use bulkdoku::isomorph::SeededRng;
use bulkdoku::memory;
use bulkdoku::output::{Column, Decision, Needs, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, PassSums, Solve};
use indicatif::HumanCount;

use super::condition::{Predicate, RecordColumn, RecordValue, input_names, shared_name};
use super::format::RowFormat;
use super::input_args::InputArgs;
use super::input_run::{EarlierRun, InputRun};
use super::inputs::{Inputs, check_files};
use super::order::{Order, OrderedNumber};
use super::outputs::Destinations;
use super::paths::InputPaths;
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::scan::scan_with;
use super::select::WhereArgs;
use super::strata::{self, MAX_STRATA, in_numerical_order, value_name};
use super::typed::Typed;
use super::{Exit, Failure, help, log, numbers};

/// Write a sample: records drawn at random, from each stratum, or those with the largest values
///
/// All records have the same probability, in each stratum if there are any, and no record is drawn
/// twice. A sample is in the order of the input, and the same for every number of threads. Only
/// records that are puzzles are drawn. The inputs are read twice.
///
/// Inputs are those of bulkdoku solve: lines, tables, JSON lines, grids. Rows have the puzzle as it
/// was written; those of tables have all other columns after it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("input", |input| input
    .required_unless_present("files_from")
    .help("Files or folders of puzzles")))]
pub struct SampleArgs {
    #[command(flatten)]
    input: InputPaths,

    #[command(flatten)]
    layout: InputArgs,

    /// Draw this many records
    #[arg(
        long,
        value_name = "N",
        help_heading = "Sample",
        required_unless_present_any = ["per", "top"],
        conflicts_with_all = ["per", "top"],
        requires = "seed",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    count: Option<NonZeroU64>,

    /// Draw N records of each value of a column: level=1000
    ///
    /// The column is one that bulkdoku solve offers or the input has. Strata with fewer records are
    /// taken whole and reported.
    #[arg(
        long,
        value_name = "COLUMN=N",
        help_heading = "Sample",
        conflicts_with = "top",
        requires = "seed"
    )]
    per: Option<PerStratum>,

    /// Take the N records with the largest values: --top 100 --by guesses
    ///
    /// Of equal values the first ones in the input.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Sample",
        requires = "by",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    top: Option<NonZeroU64>,

    /// With --top: this column; COLUMN:asc takes the smallest values
    #[arg(long, value_name = "COLUMN", help_heading = "Sample", requires = "top")]
    by: Option<Order>,

    /// Any number; another one draws another sample
    #[arg(
        short,
        long,
        value_name = "S",
        help_heading = "Sample",
        conflicts_with = "top",
        value_parser = numbers::count
    )]
    seed: Option<u64>,

    #[command(flatten)]
    condition: WhereArgs,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku sample --count 100k --seed 1 large.csv.zst -o sample.csv
  bulkdoku sample --per level=1000 --seed 1 puzzles.csv -o balanced.csv
  bulkdoku sample --per source=500 --seed 1 --where 'clues < 24' a.csv b.csv -o sample.parquet
  bulkdoku sample --top 100 --by guess_rating puzzles.txt -o hardest.txt --format lines

The first pass solves the puzzles only if a column of --per, --by or --where needs it.

Memory: about 64 bytes for each record of the sample, for strata of text in addition to the text.

Exit status: 0 the sample is written, 1 some record is invalid (--fail-on none ignores these), 2
wrong usage, 3 input or output failed, 75 another run is writing an output, 124 timed out, 130
interrupted. A closed pipe ends the run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Sample,
    default_format: RowFormat::Csv,
    is_written: |format| {
        format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
    },
    default_columns: &[Column::Puzzle],
    appended: Some(&[]),
    changes_cells: false,
    single: Column::Puzzle,
};

/// The columns available to strata, values, and conditions.
const RECORD_SUBCOMMAND: Subcommand = Subcommand::Solve;

/// A column, and the number of records to draw per value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PerStratum {
    column: String,
    count: NonZeroU64,
}

impl FromStr for PerStratum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (column, count) =
            text.rsplit_once('=').ok_or("expected a column and a number, such as level=1000")?;
        Ok(Self { column: column.into(), count: numbers::at_least_1(count)? })
    }
}

pub fn run(mut args: SampleArgs, mut typed: Typed) -> Result<Exit, Failure> {
    let destinations = args.destinations.clone();
    destinations.refuse_latency()?;
    let mut rows = args.rows.plan(&ROWS, None, &destinations)?;
    let claim = destinations.claim(&args.input)?;
    args.input.expand(&claim.destinations)?;
    check_files(&args.input, "inputs are read twice")?;
    let mut options = args.layout.options(&args.input, Answers::Unwanted, &mut rows)?;
    let column = args.column();
    options.also_read =
        column.iter().flat_map(|(_, name)| input_names(name, RECORD_SUBCOMMAND)).collect();
    options.computed.extend(column.and_then(|(_, name)| shared_name(name)));
    let (sample, sums) = args.draw(column, &options)?;
    options.also_read.extend(args.condition.input_columns(RECORD_SUBCOMMAND));
    if let Some(seed) = args.seed {
        typed.set_seed(seed);
    }
    let run = InputRun::new("samples", typed, args.run).after(sums);
    let filters = |_: &mut EarlierRun<'_>| {
        let decide = |row: &Row<'_>| {
            let is_drawn = sample.binary_search(&(row.source(), row.line())).is_ok();
            Ok(if is_drawn { Decision::Keep } else { Decision::Drop })
        };
        Ok(vec![Filter::Local(Needs::NONE, Box::new(decide))])
    };
    run.run(args.input, &options, claim, &Classify::default(), filters, |inputs| {
        rows.format(&inputs.rows(), false)
    })
}

/// The index of an input, and a line number.
type RecordPlace = (usize, u64);

/// The records of a stratum drawn so far. The one with the largest rank is replaced next.
type DrawnRecords = BinaryHeap<(Rank, RecordPlace)>;

/// The sort key for drawing records; the smallest ranks are drawn.
type Rank = (OrderedNumber, u64);

impl SampleArgs {
    /// Returns the option that names the column of strata or values, and that name.
    fn column(&self) -> Option<(&'static str, &str)> {
        match (&self.per, &self.by) {
            (Some(per), _) => Some(("--per", per.column.as_str())),
            (None, by) => by.as_ref().map(|order| ("--by", order.column.as_str())),
        }
    }

    fn draw(
        &self,
        column: Option<(&str, &str)>,
        options: &InputOptions,
    ) -> Result<(Vec<RecordPlace>, PassSums), Failure> {
        let (mut inputs, test) = self.condition.open(&self.input, options, RECORD_SUBCOMMAND)?;
        let column = match column {
            None => None,
            Some((option, name)) => {
                let found = RecordColumn::find(name, RECORD_SUBCOMMAND, &inputs.read());
                Some(found.map_err(|what| Failure::Usage(format!("{option}: {what}")))?)
            }
        };
        self.scan(&mut inputs, column, test.as_ref())
    }

    /// Reads the records and draws some of them.
    fn scan(
        &self,
        inputs: &mut Inputs,
        column: Option<RecordColumn>,
        test: Option<&Predicate>,
    ) -> Result<(Vec<RecordPlace>, PassSums), Failure> {
        let needs = column.map_or(Needs::NONE, RecordColumn::needs);
        let find = |row: &Row<'_>| {
            let is_drawn = row.puzzle().is_some_and(|puzzle| puzzle.contradiction().is_none());
            if !is_drawn {
                return None;
            }
            let value = column.map_or(RecordValue::Missing, |column| column.value(row));
            let stratum = self.per.as_ref().map(|_| value_name(&value)).unwrap_or_default();
            Some((stratum, self.rank(row, &value)?, (row.source(), row.line())))
        };
        let size = self.count.or(self.top).or(self.per.as_ref().map(|per| per.count));
        let size = size.map_or(0, NonZeroU64::get);
        let mut strata = BTreeMap::<Vec<u8>, DrawnRecords>::new();
        let add = |found: Option<(Vec<u8>, Rank, RecordPlace)>| {
            let Some((stratum, rank, place)) = found else { return Ok(()) };
            let count = strata.len();
            let drawn = match strata.entry(stratum) {
                Entry::Occupied(drawn) => drawn.into_mut(),
                Entry::Vacant(new) => {
                    strata::check_memory(count)?;
                    new.insert(DrawnRecords::default())
                }
            };
            if (drawn.len() as u64) < size {
                memory::reserve_in_heap(drawn)?;
                drawn.push((rank, place));
            } else if let Some(mut largest) = drawn.peek_mut()
                && (rank, place) < *largest
            {
                *largest = (rank, place);
            }
            if strata.len() > MAX_STRATA {
                return Err(strata::too_many("--per"));
            }
            Ok(())
        };
        let is_solved = column.is_some_and(RecordColumn::needs_solving)
            || test.is_some_and(Predicate::needs_solving);
        let sums = if is_solved {
            scan_with(&Solve::default(), self.run, (inputs, test), needs, find, add)?
        } else {
            scan_with(&Classify::default(), self.run, (inputs, test), needs, find, add)?
        };
        if !self.run.quiet {
            self.report(&strata, size);
        }
        let mut sample = Vec::new();
        memory::reserve(&mut sample, strata.values().map(BinaryHeap::len).sum())?;
        sample.extend(strata.into_values().flatten().map(|(_, place)| place));
        sample.sort_unstable();
        Ok((sample, sums))
    }

    /// Returns the rank of a record; `None` if it has no value.
    fn rank(&self, row: &Row<'_>, value: &RecordValue<'_>) -> Option<Rank> {
        match (&self.by, self.seed) {
            (Some(order), _) => {
                let number = value.number()?;
                let number = if order.is_ascending(false) { number } else { -number };
                Some((OrderedNumber::new(number), 0))
            }
            (None, seed) => {
                let seed = seed.unwrap_or_default();
                let number = SeededRng::sample_rank(seed, row.source(), row.line());
                Some((OrderedNumber::new(0.0), number))
            }
        }
    }

    /// Prints how many records were drawn, and which strata have too few.
    fn report(&self, strata: &BTreeMap<Vec<u8>, DrawnRecords>, size: u64) {
        let records = |drawn: usize, size: u64| {
            let noun = if drawn == 1 { "record" } else { "records" };
            let is_short = (drawn as u64) < size;
            let short = is_short.then(|| format!(" (short of {})", HumanCount(size)));
            format!("{} {noun}{}", HumanCount(drawn as u64), short.unwrap_or_default())
        };
        if let Some(per) = &self.per {
            for (value, drawn) in in_numerical_order(strata) {
                log::note(format!("{} {value}: {}", per.column, records(drawn.len(), size)));
            }
        }
        let all = strata.values().map(BinaryHeap::len).sum();
        let size = if self.per.is_some() { 0 } else { size };
        log::note(format!("sample: {}", records(all, size)));
    }
}
