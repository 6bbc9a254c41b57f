//! `bulkdoku sample`: random samples and stratified samples.

use std::num::NonZeroU64;
use std::str::FromStr;

use bulkdoku::output::{ColumnSource, Decision, Needs, Row};
use bulkdoku::pipeline::{Classify, Filter, Solve};
use bulkdoku::sets::{RankedRecord, Sampler, Strata};
use indicatif::HumanCount;

use super::condition::{Predicate, find_column};
use super::row_args::{RowArgs, RowRules};
use super::run::Run;
use super::run_args::RunArgs;
use super::strata::{in_numerical_order, value_name};
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help, log, numbers, solve};

/// Write a sample: records drawn at random, from all or from each stratum
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
    records: RecordArgs,

    /// Draw this many records
    #[arg(
        long,
        value_name = "N",
        help_heading = "Sample",
        required_unless_present = "per",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    count: Option<NonZeroU64>,

    /// Draw N records of each value of a column: level=1000
    ///
    /// The column is one that bulkdoku solve offers or the input has. Strata with fewer records are
    /// taken whole and reported.
    #[arg(long, value_name = "COLUMN=N", help_heading = "Sample")]
    per: Option<PerStratum>,

    /// Any number; another one draws another sample
    #[arg(short, long, value_name = "S", help_heading = "Sample", value_parser = numbers::count)]
    seed: u64,

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

The first pass solves the puzzles only if a column of --per or --where needs it.

Memory: about 64 bytes for each record of the sample, for strata of text in addition to the text.

Exit status: 0 the sample is written, 1 some record is invalid (--fail-on none ignores these), 2
wrong usage, 3 input or output failed, 75 another run is writing an output, 124 timed out, 130
interrupted. A closed pipe ends the run with 0.";

pub static ROWS: RowRules = RowRules { name: "sample", ..RowRules::OF_INPUT };

/// The columns available to strata and conditions.
const OF_RECORDS: &RowRules = &solve::ROWS;

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

pub fn run(args: &SampleArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut task = Task::new(&args.records, args.run, typed, OF_RECORDS);
    let rows = args.rows.plan(&ROWS, task.destinations.output.as_deref())?;
    task.keep_columns(&rows);
    task.named.extend(args.per.iter().map(|per| per.column.clone()));
    task.reads_twice = Some("inputs are read twice");
    task.settings.method = Method::finding("samples");
    task.settings.typed.set_seed(args.seed);
    let mut run = task.open()?;
    let sample = args.draw(&mut run)?;
    // The records of the sample meet it.
    run.test = None;
    let decide = |row: &Row<'_>| {
        let is_drawn = sample.binary_search(&(row.source(), row.line())).is_ok();
        Ok(if is_drawn { Decision::Keep } else { Decision::Drop })
    };
    let format = rows.format(&run.inputs)?;
    let filter = Filter::Local(Needs::NONE, Box::new(decide));
    run.write(&Classify::default(), vec![filter], format)
}

impl SampleArgs {
    /// Reads the records and draws some of them.
    fn draw(&self, run: &mut Run) -> Result<Vec<(usize, u64)>, Failure> {
        let find = |per: &PerStratum| {
            find_column(&per.column, OF_RECORDS, &run.inputs.read())
                .map_err(|what| Failure::Usage(format!("--per: {what}")))
        };
        let column = self.per.as_ref().map(find).transpose()?;
        let needs = column.map_or(Needs::NONE, ColumnSource::needs);
        let find = |row: &Row<'_>| {
            let is_drawn = row.puzzle().is_some_and(|puzzle| puzzle.contradiction().is_none());
            is_drawn.then(|| {
                let stratum = column.map(|column| value_name(&column.value(row)));
                (RankedRecord::new(self.seed, row.source(), row.line()), stratum)
            })
        };
        let size = self.count.or(self.per.as_ref().map(|per| per.count));
        let size = size.map_or(0, NonZeroU64::get);
        let mut sampler = Sampler::new(size, Strata::new("--per"));
        let add = |found: Option<(RankedRecord, Option<Vec<u8>>)>| match found {
            Some((record, stratum)) => sampler.add(record, stratum),
            None => Ok(()),
        };
        let is_solved = column.is_some_and(ColumnSource::needs_solving)
            || run.test.as_ref().is_some_and(Predicate::needs_solving);
        if is_solved {
            run.pass(&Solve::default(), needs, find, add)?;
        } else {
            run.pass(&Classify::default(), needs, find, add)?;
        }
        let strata = in_numerical_order(sampler.strata());
        let sample = sampler.finish()?;
        if !self.run.quiet {
            self.report(&strata, sample.len(), size);
        }
        Ok(sample)
    }

    /// Prints how many records were drawn, and which strata have too few.
    fn report(&self, strata: &[(String, usize)], all: usize, size: u64) {
        let records = |drawn: usize, size: u64| {
            let noun = if drawn == 1 { "record" } else { "records" };
            let is_short = (drawn as u64) < size;
            let short = is_short.then(|| format!(" (short of {})", HumanCount(size)));
            format!("{} {noun}{}", HumanCount(drawn as u64), short.unwrap_or_default())
        };
        if let Some(per) = &self.per {
            for (value, drawn) in strata {
                log::note(format!("{} {value}: {}", per.column, records(*drawn, size)));
            }
        }
        let size = if self.per.is_some() { 0 } else { size };
        log::note(format!("sample: {}", records(all, size)));
    }
}
