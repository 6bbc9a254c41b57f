//! `bulkdoku split`: a set in two, with no class on both sides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bulkdoku::Compression;
use bulkdoku::input::Answers;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::output::{Column, Decision, Needs, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, Sameness};
use bulkdoku::rating::Level;
use clap::ValueEnum;
use indicatif::HumanCount;

use super::format::Format;
use super::input_args::InputArgs;
use super::input_run::{Earlier, InputRun};
use super::inputs::{Inputs, check_files};
use super::outputs::Destinations;
use super::row_args::{RowArgs, RowPlan, RowRules};
use super::run_args::RunArgs;
use super::scan::scan;
use super::typed::Typed;
use super::{Exit, Failure, help, numbers};

/// Split a set of puzzles into two, such as training and test, with no class on both sides
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. The side of a class depends on the
/// seed and the class alone, up to a border that is set to meet the share, in each stratum if there
/// are any. The inputs are read twice.
///
/// Rows have the puzzle as it was written; those of tables have all other columns after it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("output", |output| output
    .required(true)
    .value_name("TRAIN,TEST")
    .help("Where the rows of both sides go")
    .long_help(
        "Where the rows of both sides go\n\nA name that ends with .gz or .zst compresses them."
    )))]
pub struct Args {
    /// Files of puzzles
    #[arg(required = true)]
    input: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    /// Share of the second side, such as 10% or 0.1
    #[arg(long, value_name = "SHARE", help_heading = "Sides", value_parser = parse_share)]
    test: f64,

    /// Keep together: class or puzzle
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Sides",
        default_value = "class",
        hide_possible_values = true,
        long_help = help::values::<By>("What is kept on one side:")
    )]
    by: By,

    /// Meet the share for each: level, guesses or clues
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Sides",
        hide_possible_values = true,
        long_help = help::values::<Stratify>("The share is met among the puzzles of each:")
    )]
    stratify: Option<Stratify>,

    /// Any number; another one splits differently
    #[arg(short, long, value_name = "S", help_heading = "Sides", value_parser = numbers::count)]
    seed: u64,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl or lines
    ///
    /// Lines are puzzles only. By default as the names of the outputs say, else csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku split --test 10% --seed 1 puzzles.csv -o train.csv,test.csv
  bulkdoku split --test 0.2 --stratify level --seed 1 a.txt b.txt.gz -o train.csv.zst,test.csv.zst
  bulkdoku split --test 10% --by puzzle --seed 1 --keep id puzzles.csv -o train.jsonl,test.jsonl

Records that are no puzzles have no class: each has a message, and no row on either side.

A class with several records goes to one side as a whole, so a share may be missed by at most half of
the records of one class in each stratum. Memory: 32 bytes for each record, to find the border. Classes
with equal hashes go to the same side, which does no harm.

Exit status: 0 every record is on a side, 1 some record is invalid (--fail-on none ignores these), 2
wrong usage, 3 input or output failed, 124 timed out, 130 interrupted.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// All isomorphs of a puzzle
    Class,
    /// Equal puzzles; blanks and layout make no difference
    Puzzle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stratify {
    /// The rules that a puzzle needs, 0 to 3
    Level,
    /// Guesses of its proof: 0, 1, 2 to 3, 4 to 7, …; by class those of the canonical form
    Guesses,
    /// The number of clues
    Clues,
}

impl Stratify {
    /// The stratum of a puzzle, the same for all puzzles that are kept together.
    fn of(self, row: &Row<'_>) -> u8 {
        let puzzle = row.puzzle().unwrap_or_default();
        match self {
            Self::Level => Level::of(&puzzle).number(),
            Self::Guesses => (u64::BITS - row.proof_guesses().leading_zeros()) as u8,
            Self::Clues => puzzle.clues() as u8,
        }
    }

    /// The name of a stratum.
    fn name(self, stratum: u8) -> String {
        match self {
            Self::Level => format!("level {stratum}"),
            Self::Guesses if stratum < 2 => format!("{stratum} guesses"),
            Self::Guesses => {
                let least = 1_u64 << (stratum - 1);
                format!("{least} to {} guesses", least + (least - 1))
            }
            Self::Clues => format!("{stratum} clues"),
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(percent) => (percent, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().map(|number| number / whole);
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a share between 0 and all, such as 10% or 0.1".into()),
    }
}

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Split,
    default_format: Format::Csv,
    is_written: |format| !format.is_parquet() && (format.has_columns() || format == Format::Lines),
    default_columns: &[Column::Puzzle],
    appended: Some(&[]),
    changes_cells: false,
    single: Column::Puzzle,
};

/// Splits the inputs.
pub fn run(args: Args, mut typed: Typed) -> Result<Exit, Failure> {
    args.destinations.refuse_latency()?;
    let (destinations, mut rows) = args.outputs()?;
    check_files(&args.input, "inputs are read twice")?;
    let options = args.layout.options(&args.input, Answers::Unwanted, &mut rows)?;
    destinations.refuse_existing(&args.input)?;

    let (by, finds) = match args.by {
        By::Class => (Sameness::Class, "canonical forms"),
        By::Puzzle => (Sameness::Puzzle, "equal puzzles"),
    };
    let keyed = Keyed { by, stratify: args.stratify, seed: args.seed };
    let mut inputs = Inputs::detected(args.input.clone(), &options)?;
    let mut keys = Vec::new();
    let keep = |key| {
        keys.push(key);
        Ok(())
    };
    scan(args.run, &mut inputs, keyed.needs(), |row| keyed.of(row), keep)?;
    let sides = Sides::new(&keys, args.test);
    if !args.run.quiet {
        sides.print(args.stratify);
    }
    typed.set_seed(args.seed);
    let run = InputRun::new(finds, typed, args.run);
    let filters = |earlier: &mut Earlier<'_>| {
        let decisions = keys.iter().map(|key| sides.of(*key)).skip(earlier.records() as usize);
        Ok(vec![Filter::precomputed(decisions)])
    };
    run.run(args.input, &options, &destinations, &Classify::default(), filters, |inputs| {
        rows.format(&inputs.rows(), false)
    })
}

impl Args {
    /// Where the rows of both sides go, and how they are written.
    fn outputs(&self) -> Result<(Destinations, RowPlan), Failure> {
        let output = self.destinations.output.as_deref().unwrap_or(Path::new(""));
        let Some(names) = output.to_str() else {
            refuse!("-o {}: the names of both sides must be UTF-8", output.display());
        };
        let parts: Vec<_> = names.split(',').map(PathBuf::from).collect();
        let [train, test] = &parts[..] else {
            refuse!("-o needs two names with a comma between them: -o train.csv,test.csv");
        };
        if parts.iter().any(|path| path.as_os_str() == "-") {
            refuse!("-o: standard output takes no two sides; name files");
        }
        let plan = |output: &PathBuf| {
            let output = Some(output.clone());
            let destinations = Destinations { output, ..self.destinations.clone() };
            RowArgs::of_format(self.format).plan(&ROWS, None, &destinations)
        };
        let rows = plan(train)?;
        if plan(test)?.format != rows.format
            || Compression::of_name(train) != Compression::of_name(test)
        {
            let names = format!("{} and {}", train.display(), test.display());
            refuse!("{names} are written in one format; give them the same extension, or --format");
        }
        let output = Some(train.clone());
        Ok((Destinations { output, parts, ..self.destinations.clone() }, rows))
    }
}

/// The stratum of a record, and the number that decides about its side; `None` for a record that is
/// on neither side.
type Key = Option<(u8, u64)>;

/// Computes the keys of records.
#[derive(Clone, Copy)]
struct Keyed {
    by: Sameness,
    stratify: Option<Stratify>,
    seed: u64,
}

impl Keyed {
    /// What [`Keyed::of`] reads.
    fn needs(self) -> Needs {
        let guesses = match self.by {
            Sameness::Class => Needs::FORM_GUESSES,
            Sameness::Puzzle => Needs::PUZZLE_GUESSES,
        };
        match self.stratify {
            Some(Stratify::Guesses) => self.by.needs().union(guesses),
            _ => self.by.needs(),
        }
    }

    /// The same for all puzzles that are kept together.
    fn of(self, row: &Row<'_>) -> Key {
        let hash = self.by.hash(row)?;
        let stream = [hash as u64, (hash >> 64) as u64, 0];
        let number = SeededRng::of_stream(self.seed, stream).number();
        Some((self.stratify.map_or(0, |stratify| stratify.of(row)), number))
    }
}

/// The first side has the keys from the border of each stratum on.
struct Sides {
    borders: BTreeMap<u8, Border>,
}

struct Border {
    /// The first key on the first side; `None` if all are on the second.
    first: Option<u64>,
    records: usize,
    test: usize,
}

impl Border {
    /// Finds the border that meets the share best. Records with the same key stay together.
    fn of(mut keys: Vec<u64>, share: f64) -> Self {
        keys.sort_unstable();
        let ideal = keys.len() as f64 * share;
        // The border must not separate records of one key.
        let begins = |at: &usize| *at == 0 || *at == keys.len() || keys[*at - 1] != keys[*at];
        let miss = |at: &usize| (*at as f64 - ideal).abs();
        // Of two borders equally near, the upper one.
        let borders = (0..=keys.len()).rev().filter(begins);
        let test = borders.min_by(|a, b| miss(a).total_cmp(&miss(b))).unwrap_or(0);
        Self { first: keys.get(test).copied(), records: keys.len(), test }
    }
}

impl Sides {
    fn new(keys: &[Key], share: f64) -> Self {
        let mut strata = BTreeMap::<u8, Vec<u64>>::new();
        for (stratum, number) in keys.iter().flatten() {
            strata.entry(*stratum).or_default().push(*number);
        }
        let borders =
            strata.into_iter().map(|(stratum, numbers)| (stratum, Border::of(numbers, share)));
        Self { borders: borders.collect() }
    }

    /// The side of a record.
    fn of(&self, key: Key) -> Decision {
        let Some((stratum, number)) = key else { return Decision::Drop };
        let first = self.borders.get(&stratum).and_then(|border| border.first);
        Decision::To(u8::from(first.is_none_or(|first| number < first)))
    }

    /// Prints the sizes of both sides.
    fn print(&self, stratify: Option<Stratify>) {
        let line = |name: &str, records: usize, test: usize| {
            let share = 100.0 * test as f64 / records.max(1) as f64;
            let [records, test] = [records, test].map(|count| HumanCount(count as u64));
            eprintln!("{name}: {records} records, {test} on the second side ({share:.2}%)");
        };
        if let Some(stratify) = stratify {
            for (stratum, border) in &self.borders {
                line(&stratify.name(*stratum), border.records, border.test);
            }
        }
        let sum = |part: fn(&Border) -> usize| self.borders.values().map(part).sum();
        line("all", sum(|border| border.records), sum(|border| border.test));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_meet_the_share_and_separate_no_key() {
        for (keys, share, test, first) in [
            ((0..1000).rev().collect::<Vec<u64>>(), 0.1, 100, Some(100)),
            (vec![5; 10], 0.4, 0, Some(5)),
            (vec![5; 10], 0.6, 10, None),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.2, 1, Some(2)),
            (vec![1, 2, 2, 2, 3, 4, 5, 6, 7, 8], 0.3, 4, Some(3)),
            (Vec::new(), 0.5, 0, None),
        ] {
            let border = Border::of(keys, share);
            assert_eq!((border.test, border.first), (test, first));
        }
    }

    #[test]
    fn a_share_is_missed_by_at_most_half_of_the_class_at_the_border() {
        let mut rng = SeededRng::new(1);
        for _ in 0..2000 {
            let largest = 1 + rng.number() % 20;
            let sizes: Vec<_> = (0..20).map(|_| 1 + (rng.number() % largest) as usize).collect();
            let keys: Vec<u64> = (0..20).flat_map(|key| vec![key; sizes[key as usize]]).collect();
            let share = (1 + rng.number() % 999) as f64 / 1000.0;
            let ideal = share * keys.len() as f64;
            let class = sizes[keys[ideal as usize] as usize];
            let miss = (Border::of(keys, share).test as f64 - ideal).abs();
            assert!(2.0 * miss <= class as f64 + 1e-9, "{sizes:?}, {share}: missed by {miss}");
        }
    }

    #[test]
    fn shares_are_read() {
        assert_eq!(parse_share("10%"), Ok(0.1));
        assert_eq!(parse_share("0.25"), Ok(0.25));
        for bad in ["0", "1", "100%", "-1%", "x", "", "%", "nan"] {
            assert!(parse_share(bad).is_err(), "{bad}");
        }
    }
}
