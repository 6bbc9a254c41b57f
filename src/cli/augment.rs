//! `bulkdoku augment`: isomorphs of puzzles and of their solutions.

use bulkdoku::input::{Answers, InputOptions};
use bulkdoku::isomorph::{Kinds, SeededRng};
use bulkdoku::memory;
use bulkdoku::output::{Column, Decision, Needs, Row, Subcommand};
use bulkdoku::pipeline::{Augment, Filter, PassSums, Sameness};
use std::collections::BinaryHeap;
use std::num::NonZeroU64;

use super::format::RowFormat;
use super::generate::ranges;
use super::input_args::InputArgs;
use super::input_run::{EarlierRun, InputRun};
use super::inputs::check_files;
use super::outputs::Destinations;
use super::paths::{InputPaths, OutputDirArgs};
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::scan::scan;
use super::select::WhereArgs;
use super::trainer_args::TrainerArgs;
use super::typed::Typed;
use super::{Exit, Failure, numbers};

/// Write isomorphs of puzzles, each with its solution if the input gives one
///
/// An isomorph has its digits renamed, the rows of its bands, the columns of its stacks, bands and
/// stacks permuted, and is perhaps transposed. Those of a record depend on the seed, the place of
/// its input among all and its line there; the first ones do not depend on how many there are. All
/// differ from each other and from the record. A puzzle with fewer isomorphs has fewer rows.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each option is given or not")]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("format", |format| format
    .help("csv, tsv, jsonl, parquet, lines or npy")
    .long_help(
        "How rows are written: csv, tsv, jsonl, parquet, lines (puzzles only) or npy; by default as \
         the output's name says, else csv"
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(ROWS.columns_help())))]
pub struct AugmentArgs {
    #[command(flatten)]
    input: InputPaths,

    #[command(flatten)]
    layout: InputArgs,

    /// Column with the solutions: its name, or its number from 1
    ///
    /// If not given, it is found by its name or its contents.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    solution_column: Option<String>,

    /// How many isomorphs of each record
    #[arg(
        long,
        value_name = "N",
        help_heading = "Isomorphs",
        default_value = "1",
        value_parser = parse_times
    )]
    times: u32,

    /// Any number; another one draws other isomorphs
    #[arg(short, long, value_name = "S", help_heading = "Isomorphs", value_parser = numbers::count)]
    seed: u64,

    /// Add this many cells of the solution to each isomorph: 2, 0..5
    ///
    /// The number and the cells are drawn. The record itself (--original) stays as it is.
    #[arg(long, value_name = "MIN..MAX", help_heading = "Isomorphs", value_parser = parse_hints)]
    hints: Option<(u8, u8)>,

    /// Write each record itself before its isomorphs
    #[arg(long, help_heading = "Isomorphs")]
    original: bool,

    /// Rename digits
    ///
    /// Without this and the following three options, all four are done.
    #[arg(long, help_heading = "Isomorphs")]
    digits: bool,

    /// Permute the rows of bands, the columns of stacks
    #[arg(long = "rows", help_heading = "Isomorphs")]
    rows_of_bands: bool,

    /// Permute bands, and stacks
    #[arg(long, help_heading = "Isomorphs")]
    bands: bool,

    /// Transpose
    #[arg(long, help_heading = "Isomorphs")]
    transpose: bool,

    /// Take this many records at random
    ///
    /// Without replacement, all with the same probability, in the order of the input. The inputs
    /// are read twice. With --times 0 --original the sample itself is written.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Isomorphs",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    sample: Option<NonZeroU64>,

    #[command(flatten)]
    condition: WhereArgs,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    output_dir: OutputDirArgs,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    trainer: TrainerArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku augment --times 10 --seed 1 train.csv -o augmented.csv
  bulkdoku augment --times 4 --digits --transpose --seed 1 --original --keep level train.csv -o a.jsonl.zst
  bulkdoku augment --times 1000 --original --layout hrm --seed 1 train.csv -o data/sudoku
  bulkdoku augment --sample 100k --times 0 --original --seed 1 large.csv.zst -o sample.csv

Invalid records have no isomorphs: each has a message, and no row. The same goes for
records whose solution is incomplete, changes a clue, or breaks the rules (status mismatch). A missing
solution is left out. Whether a solution is the only one is not checked (see bulkdoku check).

Memory: with --sample 24 bytes for each record of the sample.

Exit status: 0 every record has its rows, 1 some record is invalid (--fail-on none ignores these),
2 wrong usage, 3 input or output failed, 75 another run is writing an output, 124 timed out, 130
interrupted. A closed pipe ends the run with 0.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Augment,
    default_format: RowFormat::Csv,
    is_written: |format| {
        format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
    },
    default_columns: &[Column::Puzzle],
    appended: Some(&[]),
    changes_cells: true,
    single: Column::Puzzle,
};

/// The maximum number of isomorphs of a record.
const MAX_TIMES: u64 = 1_000_000;

fn parse_times(text: &str) -> Result<u32, String> {
    match numbers::count(text) {
        Ok(times) if times <= MAX_TIMES => Ok(times as u32),
        Ok(_) => Err(format!("expected at most {MAX_TIMES}")),
        Err(error) => Err(error),
    }
}

fn parse_hints(text: &str) -> Result<(u8, u8), String> {
    let (least, largest) = ranges::clues(text)?.into_inner();
    Ok((least as u8, largest as u8))
}

pub fn run(mut args: AugmentArgs, mut typed: Typed) -> Result<Exit, Failure> {
    let mut destinations = args.destinations.clone();
    destinations.refuse_latency()?;
    let mut rows = args.trainer.plan(&args.rows, &args.rules(), None, &mut destinations)?;
    if args.times == 0 && !args.original {
        refuse!("--times 0 writes nothing; with --original it writes the records themselves");
    }
    args.output_dir.expand(&mut args.input, &mut rows, &mut destinations)?;
    let claim = destinations.claim(&args.input)?;
    let answers = args.solution_column.clone().map_or(Answers::IfAny, Answers::Column);
    let options = args.layout.options(&args.input, answers, &mut rows)?;
    let drawn = args.sample.map(|size| args.last_drawn(size, &options)).transpose()?;
    let (last, sums) = drawn.unzip();
    typed.set_seed(args.seed);
    let run = InputRun::new("isomorphs", typed, args.run);
    let mut run = run.only_where(&args.condition, ROWS.subcommand);
    if let Some(sums) = sums {
        run = run.after(sums);
    }
    let filters = |_: &mut EarlierRun<'_>| {
        let sample = last.map(|last| {
            let decide = move |row: &Row<'_>| {
                let is_drawn = last.is_some_and(|last| sample_key(args.seed, row) <= last);
                Ok(if is_drawn { Decision::Keep } else { Decision::Drop })
            };
            Filter::Local(Needs::NONE, Box::new(decide))
        });
        Ok(sample.into_iter().collect())
    };
    let job = args.isomorphs();
    let has_hints = job.hints.1 > 0;
    let trainer = args.trainer;
    run.run(args.input, &options, claim, &job, filters, |inputs| {
        if (has_hints || trainer.is_given()) && !inputs.rows().have_answers {
            let option = if has_hints { "--hints" } else { "--layout" };
            refuse!("{option} needs solutions in the input; bulkdoku solve finds them");
        }
        if let Some(format) = trainer.format() {
            return Ok(format);
        }
        rows.format(&inputs.rows(), false)
    })
}

impl AugmentArgs {
    /// Returns the rules for rows. Without isomorphs, rows are those of the input.
    fn rules(&self) -> RowRules {
        RowRules { changes_cells: self.times > 0, ..ROWS }
    }

    fn isomorphs(&self) -> Augment {
        let Self { digits, rows_of_bands: rows, bands, transpose, .. } = *self;
        let chosen = Kinds { digits, rows, bands, transpose };
        let has_chosen = digits || rows || bands || transpose;
        let kinds = if has_chosen { chosen } else { Kinds::ALL };
        Augment {
            times: self.times,
            original: self.original,
            seed: self.seed,
            kinds,
            hints: self.hints.unwrap_or_default(),
            needs_solution: self.trainer.is_given() || self.hints.is_some(),
        }
    }

    /// Draws a sample of this size, and returns its last record (`None` if it is empty) and checksums
    /// of the inputs.
    fn last_drawn(
        &self,
        size: NonZeroU64,
        options: &InputOptions,
    ) -> Result<(Option<SampleKey>, PassSums), Failure> {
        check_files(&self.input, "--sample reads inputs twice")?;
        let (mut inputs, test) = self.condition.open(&self.input, options, ROWS.subcommand)?;
        let mut least = BinaryHeap::<SampleKey>::new();
        let draw = |row: &Row<'_>| Sameness::Puzzle.hash(row).map(|_| sample_key(self.seed, row));
        let keep_least = |sample_key| {
            let Some(sample_key) = sample_key else { return Ok(()) };
            if (least.len() as u64) < size.get() {
                memory::reserve_in_heap(&mut least)?;
                least.push(sample_key);
            } else if let Some(mut largest) = least.peek_mut()
                && sample_key < *largest
            {
                *largest = sample_key;
            }
            Ok(())
        };
        let inputs = (&mut inputs, test.as_ref());
        let sums = scan(self.run, inputs, Needs::NONE, draw, keep_least)?;
        Ok((least.peek().copied(), sums))
    }
}

/// The random number of a record, and its position. The smallest numbers are drawn.
type SampleKey = (u64, usize, u64);

fn sample_key(seed: u64, row: &Row<'_>) -> SampleKey {
    let (source, line) = (row.source(), row.line());
    // Stream 0 is used for the isomorphs of the record.
    (SeededRng::of_stream(seed, [source as u64, line, 1]).number(), source, line)
}
