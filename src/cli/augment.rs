//! `bulkdoku augment`: isomorphs of puzzles and of their solutions.

use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::input::Answers;
use bulkdoku::isomorph::{Kinds, SeededRng};
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Augment, Fate, Sameness, Sift, Sifted};
use bulkdoku::{Compression, Pipeline};

use super::batch::Batch;
use super::format::{Format, columns_setting};
use super::input_args::InputArgs;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::{self, Scan, check_files};
use super::{Exit, Failure, endings, numbers};

/// Write isomorphs of puzzles, each with its solution if the input gives one
///
/// An isomorph has its digits renamed, the rows of its bands, the columns of its stacks, bands and
/// stacks permuted, and is perhaps transposed. Those of a record depend on the seed, the place of
/// its input among all and its line there; the first ones do not depend on how many there are. All
/// are different, and other than the record; where a puzzle has fewer isomorphs, there are fewer
/// rows.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each option is given or not")]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// Files, or puzzles themselves; - or nothing reads standard input
    ///
    /// A puzzle is 81 cells. Compressed files are read through.
    input: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    /// Column with the solutions: its name, or its number from 1
    ///
    /// If not given, it is found by its name or by what is in it.
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

    /// Which of the isomorphs: any number
    #[arg(short, long, value_name = "S", help_heading = "Isomorphs", value_parser = numbers::count)]
    seed: u64,

    /// Write each record itself before its isomorphs
    #[arg(long, help_heading = "Isomorphs")]
    original: bool,

    /// Rename digits
    ///
    /// Of this and the following three all are done unless some are given.
    #[arg(long, help_heading = "Isomorphs")]
    digits: bool,

    /// Permute the rows of bands, the columns of stacks
    #[arg(long, help_heading = "Isomorphs")]
    rows: bool,

    /// Permute bands, and stacks
    #[arg(long, help_heading = "Isomorphs")]
    bands: bool,

    /// Transpose
    #[arg(long, help_heading = "Isomorphs")]
    transpose: bool,

    /// Take this many records at random
    ///
    /// Without replacement, each as likely; they stay in their order. The inputs are read twice.
    /// With --times 0 --original the sample itself is written.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Isomorphs",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    sample: Option<NonZeroU64>,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl, lines or npy
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
        long_help = "The columns of csv, tsv and jsonl, in order: file, line, copy (0 is the record \
                     itself), puzzle, solution [default: puzzle,solution; puzzle where the input has \
                     no place for solutions]"
    )]
    columns: Option<Vec<Column>>,

    #[command(flatten)]
    run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku augment --times 10 --seed 1 train.csv -o augmented.csv
  bulkdoku augment --times 4 --digits --transpose --seed 1 --original --keep level train.csv -o a.jsonl.zst
  bulkdoku augment --sample 100k --times 0 --original --seed 1 large.csv.zst -o sample.csv

Records that are no puzzles have no isomorphs: each has its message, and no row. A solution that is not
81 digits is left out; whether it is right is not looked at (bulkdoku check).

Memory: with --sample 24 bytes for each record of the sample.

Exit status: 0 every record has its rows, 1 some is no puzzle, 2 wrong usage, 3 input or output failed,
130 interrupted. A closed pipe ends the run with 0. --resume goes on after any end, even a kill.";

/// More copies of one puzzle than any training set has.
const MOST_TIMES: u64 = 1_000_000;

fn parse_times(text: &str) -> Result<u32, String> {
    match numbers::count(text) {
        Ok(times) if times <= MOST_TIMES => Ok(times as u32),
        Ok(_) => Err(format!("at most {MOST_TIMES}")),
        Err(error) => Err(error),
    }
}

/// Reads a column that isomorphs can have.
fn parse_column(name: &str) -> Result<Column, String> {
    let column: Column = name.parse().map_err(|error| format!("{error}"))?;
    let known = [Column::File, Column::Line, Column::Copy, Column::Puzzle, Column::Solution];
    if known.contains(&column) {
        return Ok(column);
    }
    Err("is no column of isomorphs; bulkdoku solve and canon find out what it says".into())
}

/// Writes isomorphs of what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let format = Format::of_puzzles(args.format, args.destinations.output.as_deref())?;
    format.check_resume(args.destinations.resume)?;
    args.refuse_ignored()?;
    let answers = args.solution_column.clone().map_or(Answers::IfAny, Answers::Column);
    let expected = args.expected.expected(&args.input, answers)?;
    format.check_kept(&expected)?;
    let columns = args.columns.as_deref();
    format.rows_of_puzzles(columns, &[Column::Puzzle], &[])?;
    let sift = args.sample.map(|sample| args.draw(sample, &expected)).transpose()?;
    let batch = Batch {
        pipeline: Pipeline {
            threads: args.run.threads,
            canon: true,
            sift: sift.map(|sample| Arc::new(sample) as Arc<dyn Sift>),
            augment: Some(args.isomorphs()),
            compression: args.destinations.output.as_deref().and_then(Compression::of_name),
            ..Pipeline::default()
        },
        subcommand: "augment",
        finds: "isomorphs",
        others: Vec::new(),
        drops_empty: false,
        settings: args.settings(format),
        engine: None,
        simd: None,
        quiet: args.run.quiet,
        progress: args.run.progress,
        only_rows: false,
    };
    batch.run_looked(args.input, &expected, &args.destinations, |inputs: &Inputs| {
        let with_solution = [Column::Puzzle, Column::Solution];
        let usual = &with_solution[..if inputs.have_answers() { 2 } else { 1 }];
        format.rows_of_puzzles(columns, usual, &inputs.kept())
    })
}

impl Args {
    fn isomorphs(&self) -> Augment {
        let Self { digits, rows, bands, transpose, .. } = *self;
        let chosen = Kinds { digits, rows, bands, transpose };
        let has_chosen = digits || rows || bands || transpose;
        let kinds = if has_chosen { chosen } else { Kinds::ALL };
        Augment { times: self.times, original: self.original, seed: self.seed, kinds }
    }

    /// Draws a sample.
    fn draw(
        &self,
        size: NonZeroU64,
        expected: &bulkdoku::input::InputOptions,
    ) -> Result<Sample, Failure> {
        check_files(&self.input, "--sample reads inputs twice")?;
        self.destinations.refuse_existing(&self.input)?;
        let draw = Draw { seed: self.seed, size: size.get(), least: Mutex::default() };
        let draw = Arc::new(draw);
        let mut inputs = scan::look(self.input.clone(), expected)?;
        let scan =
            Scan { threads: self.run.threads, quiet: self.run.quiet, progress: self.run.progress };
        scan.run(&mut inputs, Arc::clone(&draw) as Arc<dyn Sift>)?;
        let last = draw.least().peek().copied();
        Ok(Sample { seed: self.seed, last })
    }

    fn refuse_ignored(&self) -> Result<(), Failure> {
        if self.times == 0 && !self.original {
            let hint = "--times 0 writes nothing; with --original it writes the records themselves";
            return Err(Failure::Usage(hint.into()));
        }
        if self.destinations.latency.is_some() {
            return Err(Failure::Usage("--latency does nothing: no engine is asked".into()));
        }
        endings::check_sides(&self.destinations)
    }

    fn settings(&self, format: Format) -> BTreeMap<String, String> {
        let Augment { times, original, seed, kinds } = self.isomorphs();
        let own = [
            ("--format", Some(format.setting())),
            ("--columns", self.columns.as_deref().map(columns_setting)),
            ("--solution-column", self.solution_column.clone()),
            ("--times", Some(times.to_string())),
            ("--original", original.then(|| "given".into())),
            ("--seed", Some(seed.to_string())),
            ("--digits --rows --bands --transpose", Some(format!("{kinds:?}"))),
            ("--sample", self.sample.map(|size| size.to_string())),
        ];
        let all = self.expected.settings().chain(own);
        all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
    }
}

/// A record with its random number, which comes first: a sample is those with the smallest ones.
type Drawn = (u64, usize, u64);

fn drawn(seed: u64, sifted: &Sifted) -> Drawn {
    let Sifted { source, line, .. } = *sifted;
    // Another stream than that of the record's isomorphs.
    (SeededRng::of_stream(seed, [source as u64, line, 1]).number(), source, line)
}

/// Looks for the smallest numbers.
struct Draw {
    seed: u64,
    size: u64,
    least: Mutex<BinaryHeap<Drawn>>,
}

impl Draw {
    fn least(&self) -> std::sync::MutexGuard<'_, BinaryHeap<Drawn>> {
        self.least.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sift for Draw {
    fn by(&self) -> Sameness {
        Sameness::Exact
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let puzzles = block.iter().filter(|sifted| sifted.puzzle.is_some());
        let all: Vec<_> = puzzles.map(|sifted| drawn(self.seed, sifted)).collect();
        let mut least = self.least();
        for drawn in all {
            if (least.len() as u64) < self.size {
                least.push(drawn);
            } else if let Some(mut largest) = least.peek_mut()
                && drawn < *largest
            {
                *largest = drawn;
            }
        }
        Ok(())
    }
}

/// Takes the records up to the last of a sample.
struct Sample {
    seed: u64,
    last: Option<Drawn>,
}

impl Sift for Sample {
    fn by(&self) -> Sameness {
        Sameness::Exact
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        for sifted in block {
            let is_drawn = self.last.is_some_and(|last| drawn(self.seed, sifted) <= last);
            sifted.fate = if is_drawn { Fate::Row(0) } else { Fate::NoRow };
        }
        Ok(())
    }
}
