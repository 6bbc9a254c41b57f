//! `bulkdoku split`: a set in parts, with no class in two of them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use bulkdoku::input::Answers;
use bulkdoku::isomorph::SeededRng;
use bulkdoku::output::{Column, Decision, Needs, Row, Subcommand};
use bulkdoku::pipeline::{Classify, Filter, Sameness};
use bulkdoku::rating::Level;
use bulkdoku::{Compression, Status};
use clap::ValueEnum;
use indicatif::HumanCount;

use super::by::{ByArgs, finds};
use super::format::Format;
use super::input_args::InputArgs;
use super::input_run::{Earlier, InputRun};
use super::inputs::check_files;
use super::outputs::Destinations;
use super::row_args::{RowArgs, RowPlan, RowRules};
use super::run_args::RunArgs;
use super::scan::scan;
use super::select::WhereArgs;
use super::typed::Typed;
use super::{Exit, Failure, numbers};

/// Split a set of puzzles into parts, such as training and test, with no class in two of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. The part of a class depends on the
/// seed and the class alone, up to borders that are set to meet the shares, in each stratum if there
/// are any. The inputs are read twice.
///
/// Rows have the puzzle as it was written; those of tables have all other columns after it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("output", |output| output
    .required(true)
    .value_name("TRAIN,TEST,…")
    .help("Where the rows of each part go")
    .long_help(
        "Where the rows of each part go\n\nA name that ends with .gz or .zst compresses them."
    )))]
#[command(mut_arg("by", |by| by.help_heading("Parts").help("Keep together: class, puzzle or grid [default: class]")))]
#[command(mut_arg("near", |near| near.hide(true)))]
pub struct Args {
    /// Files of puzzles
    #[arg(required = true)]
    input: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    /// Share of the second of two parts, such as 10% or 0.1
    #[arg(
        long,
        value_name = "SHARE",
        help_heading = "Parts",
        value_parser = parse_share,
        required_unless_present = "shares",
        conflicts_with = "shares"
    )]
    test: Option<f64>,

    /// Relative sizes of the parts, such as 80,10,10
    #[arg(
        long,
        value_name = "N,N,…",
        help_heading = "Parts",
        value_delimiter = ',',
        value_parser = parse_weight
    )]
    shares: Option<Vec<f64>>,

    #[command(flatten)]
    by: ByArgs,

    /// Meet the share for each: level, guesses or clues
    #[arg(long, value_name = "WHAT", help_heading = "Parts", hide_possible_values = true)]
    stratify: Option<Stratify>,

    /// Any number; another one splits differently
    #[arg(short, long, value_name = "S", help_heading = "Parts", value_parser = numbers::count)]
    seed: u64,

    #[command(flatten)]
    condition: WhereArgs,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl, parquet, lines or npy
    ///
    /// Lines and arrays are puzzles only. By default as the names of the outputs say, else csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku split --test 10% --seed 1 puzzles.csv -o train.csv,test.csv
  bulkdoku split --test 0.2 --stratify level --seed 1 a.txt b.txt.gz -o train.csv.zst,test.csv.zst
  bulkdoku split --shares 80,10,10 --by grid --seed 1 puzzles.csv -o train.csv,val.csv,test.csv
  bulkdoku split --test 10% --by puzzle --seed 1 --keep id puzzles.csv -o train.jsonl,test.jsonl

Invalid records have no class: each has a message, and no row. With --by grid, puzzles without exactly
one solution have no row either; the summary counts them.

A class with several records goes to one part as a whole, so each border between parts may be missed by
at most half of the records of one class in each stratum. With --by grid, all puzzles of a grid are in
the stratum of the first one. Memory: 32 bytes for each record, to find the borders, and as much again
with --by grid and --stratify. Classes with equal hashes go to the same part, which does no harm.

Exit status: 0 every record is in a part, 1 some record is invalid (--fail-on none ignores these), 2
wrong usage, 3 input or output failed, 124 timed out, 130 interrupted.";

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

fn parse_weight(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').parse::<f64>() {
        Ok(weight) if weight > 0.0 && weight.is_finite() => Ok(weight),
        _ => Err("a number above 0 for each part, such as 80,10,10".into()),
    }
}

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Split,
    default_format: Format::Csv,
    is_written: |format| format.has_columns() || matches!(format, Format::Lines | Format::Npy),
    default_columns: &[Column::Puzzle],
    appended: Some(&[]),
    changes_cells: false,
    single: Column::Puzzle,
};

/// Splits the inputs.
pub fn run(args: Args, mut typed: Typed) -> Result<Exit, Failure> {
    args.destinations.refuse_latency()?;
    args.by.refuse_near("cannot split a set")?;
    let (destinations, mut rows) = args.outputs()?;
    check_files(&args.input, "inputs are read twice")?;
    let options = args.layout.options(&args.input, Answers::Unwanted, &mut rows)?;
    destinations.refuse_existing(&args.input)?;

    let by = args.by.sameness();
    let keyed = Keyed { by, stratify: args.stratify, seed: args.seed };
    let (mut inputs, test) =
        args.condition.open(&args.input, &options, ROWS.subcommand, Vec::new())?;
    let (mut keys, mut strata) = (Vec::new(), HashMap::new());
    let keep = |mut key: Key| {
        if let (Ok((stratum, number)), true) = (&mut key, keyed.may_be_in_several_strata()) {
            *stratum = *strata.entry(*number).or_insert(*stratum);
        }
        keys.push(key);
        Ok(())
    };
    let scanned = (&mut inputs, test.as_ref());
    scan(args.run, scanned, keyed.needs(), |row| keyed.of(row), keep)?;
    drop(strata);
    let parts = Parts::new(&keys, &args.weights());
    if !args.run.quiet {
        parts.print(args.stratify);
    }
    typed.set_seed(args.seed);
    let run = InputRun::new(finds(by), typed, args.run);
    let run = run.only_where(&args.condition, ROWS.subcommand);
    let (job, decisions) = (&Classify::default(), &mut keys.iter().map(|key| parts.of(*key)));
    let filters = move |earlier: &mut Earlier<'_>| {
        let decisions = decisions;
        earlier.replay(job, vec![Filter::precomputed(&mut *decisions)])?;
        Ok(vec![Filter::precomputed(decisions)])
    };
    run.run(args.input, &options, &destinations, job, filters, |inputs| {
        rows.format(&inputs.rows(), false)
    })
}

impl Args {
    /// The relative size of each part.
    fn weights(&self) -> Vec<f64> {
        let two = || self.test.map(|test| vec![1.0 - test, test]);
        self.shares.clone().or_else(two).unwrap_or_default()
    }

    /// Where the rows of each part go, and how they are written.
    fn outputs(&self) -> Result<(Destinations, RowPlan), Failure> {
        let output = self.destinations.output.as_deref().unwrap_or(Path::new(""));
        let Some(names) = output.to_str() else {
            refuse!("-o {}: the names of the parts must be UTF-8", output.display());
        };
        let parts: Vec<_> = names.split(',').map(PathBuf::from).collect();
        let (count, shares) = (parts.len(), self.weights().len());
        if count != shares && self.shares.is_none() {
            refuse!("-o needs two names with a comma between them: -o train.csv,test.csv");
        }
        if count != shares || !(2..=MAX_PARTS).contains(&count) {
            refuse!(
                "-o has {count} names, --shares {shares} numbers; expected as many of both, 2 to \
                 {MAX_PARTS}"
            );
        }
        if parts.iter().any(|path| path.as_os_str() == "-") {
            refuse!("-o: standard output cannot be one of several parts; name files");
        }
        let plan = |output: &PathBuf| {
            let output = Some(output.clone());
            let destinations = Destinations { output, ..self.destinations.clone() };
            RowArgs::of_format(self.format).plan(&ROWS, None, &destinations)
        };
        let first = &parts[0];
        let rows = plan(first)?;
        for other in &parts[1..] {
            if plan(other)?.format != rows.format
                || Compression::of_name(first) != Compression::of_name(other)
            {
                let names = format!("{} and {}", first.display(), other.display());
                refuse!(
                    "{names} are written in one format; give them the same extension, or --format"
                );
            }
        }
        let output = Some(first.clone());
        Ok((Destinations { output, parts, ..self.destinations.clone() }, rows))
    }
}

/// The most parts.
const MAX_PARTS: usize = 100;

/// The stratum of a record, and the number that decides about its part; the status of a record that
/// is in none.
type Key = Result<(u8, u64), Status>;

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
            _ => Needs::PUZZLE_GUESSES,
        };
        match self.stratify {
            Some(Stratify::Guesses) => self.by.needs().union(guesses),
            _ => self.by.needs(),
        }
    }

    /// Whether puzzles that are kept together may be in different strata.
    fn may_be_in_several_strata(self) -> bool {
        self.by == Sameness::Grid && self.stratify.is_some()
    }

    /// The same number for all puzzles that are kept together.
    fn of(self, row: &Row<'_>) -> Key {
        let hash = self.by.hash(row).ok_or_else(|| row.status())?;
        let stream = [hash as u64, (hash >> 64) as u64, 0];
        let number = SeededRng::of_stream(self.seed, stream).number();
        Ok((self.stratify.map_or(0, |stratify| stratify.of(row)), number))
    }
}

/// The parts of each stratum: the first one has the largest keys.
struct Parts {
    strata: BTreeMap<u8, Stratum>,
}

struct Stratum {
    /// The smallest key of each part but the last; `None` if this and all earlier parts are empty.
    firsts: Vec<Option<u64>>,
    /// The number of records of each part.
    sizes: Vec<usize>,
}

impl Stratum {
    /// Finds the borders that meet the shares best. Records with the same key stay together.
    fn of(mut keys: Vec<u64>, weights: &[f64]) -> Self {
        keys.sort_unstable();
        let total: f64 = weights.iter().sum();
        let (mut firsts, mut sizes, mut end) = (Vec::new(), Vec::new(), keys.len());
        for part in 1..weights.len() {
            let share = weights[part..].iter().sum::<f64>() / total;
            let border = border(&keys, share);
            firsts.push(keys.get(border).copied());
            sizes.push(end - border);
            end = border;
        }
        sizes.push(end);
        Self { firsts, sizes }
    }

    /// The part of a key.
    fn part(&self, number: u64) -> u8 {
        let is_within = |first: &Option<u64>| first.is_some_and(|first| number >= first);
        self.firsts.iter().position(is_within).unwrap_or(self.firsts.len()) as u8
    }
}

/// Returns how many of the smallest keys are nearest to a share, without separating equal keys.
fn border(keys: &[u64], share: f64) -> usize {
    let ideal = keys.len() as f64 * share;
    let begins = |at: &usize| *at == 0 || *at == keys.len() || keys[*at - 1] != keys[*at];
    let miss = |at: &usize| (*at as f64 - ideal).abs();
    // Of two borders equally near, the upper one.
    let borders = (0..=keys.len()).rev().filter(begins);
    borders.min_by(|a, b| miss(a).total_cmp(&miss(b))).unwrap_or(0)
}

impl Parts {
    fn new(keys: &[Key], weights: &[f64]) -> Self {
        let mut strata = BTreeMap::<u8, Vec<u64>>::new();
        for (stratum, number) in keys.iter().flatten() {
            strata.entry(*stratum).or_default().push(*number);
        }
        let strata = strata.into_iter();
        Self { strata: strata.map(|(id, numbers)| (id, Stratum::of(numbers, weights))).collect() }
    }

    /// The part of a record.
    fn of(&self, key: Key) -> Decision {
        match key {
            Ok((stratum, number)) => {
                Decision::To(self.strata.get(&stratum).map_or(0, |stratum| stratum.part(number)))
            }
            Err(status) => Decision::DropAs(status),
        }
    }

    /// Prints the sizes of all parts.
    fn print(&self, stratify: Option<Stratify>) {
        let line = |name: &str, sizes: &[usize]| {
            let records: usize = sizes.iter().sum();
            let part = |size: &usize| {
                let share = 100.0 * *size as f64 / records.max(1) as f64;
                format!("{} ({share:.2}%)", HumanCount(*size as u64))
            };
            let parts: Vec<_> = sizes.iter().map(part).collect();
            let records = HumanCount(records as u64);
            eprintln!("{name}: {records} records in parts of {}", parts.join(", "));
        };
        if let Some(stratify) = stratify {
            for (id, stratum) in &self.strata {
                line(&stratify.name(*id), &stratum.sizes);
            }
        }
        let parts = self.strata.values().next().map_or(0, |stratum| stratum.sizes.len());
        let sum = |part| self.strata.values().map(|stratum| stratum.sizes[part]).sum();
        line("all", &(0..parts).map(sum).collect::<Vec<_>>());
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
            let stratum = Stratum::of(keys, &[1.0 - share, share]);
            assert_eq!((stratum.sizes[1], stratum.firsts[0]), (test, first));
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
            let miss = (border(&keys, share) as f64 - ideal).abs();
            assert!(2.0 * miss <= class as f64 + 1e-9, "{sizes:?}, {share}: missed by {miss}");
        }
    }

    #[test]
    fn parts_add_up_and_keep_keys_together() {
        let mut rng = SeededRng::new(2);
        for parts in 2..6 {
            let keys: Vec<_> = (0..3000).map(|_| rng.number() % 1000).collect();
            let weights: Vec<_> = (0..parts).map(|_| (1 + rng.number() % 9) as f64).collect();
            let stratum = Stratum::of(keys.clone(), &weights);
            let mut sizes = vec![0; parts];
            keys.iter().for_each(|key| sizes[usize::from(stratum.part(*key))] += 1);
            assert_eq!(sizes, stratum.sizes);
            for (size, weight) in sizes.iter().zip(&weights) {
                let ideal = 3000.0 * weight / weights.iter().sum::<f64>();
                // Classes have up to about 15 records.
                assert!((*size as f64 - ideal).abs() <= 15.0, "{sizes:?} {weights:?}");
            }
        }
        // Whole classes meet a share of 23% of three pairs better with one than with none.
        assert_eq!(Stratum::of(vec![1, 1, 2, 2, 3, 3], &[0.77, 0.23]).sizes, [4, 2]);
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
