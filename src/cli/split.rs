//! `bulkdoku split`: a set in two, with no class on both sides.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bulkdoku::canon::Seen;
use bulkdoku::input::{Answers, InputOptions, Keep};
use bulkdoku::isomorph::SeededRng;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Fate, Sameness, Sift, Sifted};
use bulkdoku::rating::Level;
use bulkdoku::{Compression, Pipeline, Puzzle};
use clap::ValueEnum;
use indicatif::HumanCount;

use super::batch::Batch;
use super::format::Format;
use super::input_args::InputArgs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::scan::{self, Scan, check_files};
use super::{Exit, Failure, endings, help, numbers};

/// Split a set of puzzles into two, such as training and test, with no class on both sides
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. Which side a class goes to depends on
/// the seed and the class alone, up to a border that is set so that the share is met: in each
/// stratum, if there are any. The inputs are read twice.
///
/// Rows have the puzzle as it was written, and of tables all other columns behind it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// Files of puzzles
    #[arg(required = true)]
    input: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    /// The share of the second side, such as 10% or 0.1
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

    /// Which of the ways to split: any number
    #[arg(short, long, value_name = "S", help_heading = "Sides", value_parser = numbers::count)]
    seed: u64,

    /// Where the rows of both sides go
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(
        short,
        long,
        value_name = "TRAIN,TEST",
        help_heading = "Output",
        value_delimiter = ',',
        required = true
    )]
    output: Vec<PathBuf>,

    /// csv, tsv, jsonl or lines
    ///
    /// Lines are puzzles only. If not given, as the names of the outputs say, else csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    /// Write every message about a bad record
    ///
    /// Standard error shows the first few only.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,

    /// Write the summary as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    summary_json: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,

    #[command(flatten)]
    run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku split --test 10% --seed 1 puzzles.csv -o train.csv,test.csv
  bulkdoku split --test 0.2 --stratify level --seed 1 a.txt b.txt.gz -o train.csv.zst,test.csv.zst
  bulkdoku split --test 10% --by puzzle --seed 1 --keep id puzzles.csv -o train.jsonl,test.jsonl

Records that are no puzzles have no class: each has its message, and no row on either side.

A class with several records goes to one side as a whole, so a share may be missed by at most half of
the records of one class in each stratum. Memory: 8 bytes for each record, for the border. Classes on
the same side of it by chance do no harm: no hash decides whether puzzles are the same.

Exit status: 0 every record is on a side, 1 some is no puzzle, 2 wrong usage, 3 input or output failed,
130 interrupted.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// All isomorphs of a puzzle
    Class,
    /// Equal puzzles; blanks and layout make no difference
    Puzzle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stratify {
    /// Which rules a puzzle needs, 0 to 3
    Level,
    /// Guesses of its proof: none, 1, 2 to 3, 4 to 7, …; by class those of the canonical form
    Guesses,
    /// How many clues it has
    Clues,
}

impl Stratify {
    /// The stratum of a puzzle, the same for all that are kept on its side.
    fn of(self, sifted: &Sifted, puzzle: &Puzzle) -> u32 {
        match self {
            Self::Level => Level::of(puzzle).number().into(),
            Self::Guesses => u64::BITS - sifted.guesses.leading_zeros(),
            Self::Clues => puzzle.clues() as u32,
        }
    }

    /// What a stratum is called.
    fn name(self, stratum: u32) -> String {
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

/// Splits what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let [train, test] = <[PathBuf; 2]>::try_from(args.output.clone()).map_err(|_| {
        Failure::Usage("-o needs two names with a comma between them: -o train.csv,test.csv".into())
    })?;
    let format = Format::of_puzzles(args.format, Some(&train))?;
    if format == Format::Npy || format.is_parquet() {
        return Err(Failure::Usage("split writes csv, tsv, jsonl or lines".into()));
    }
    if Format::of_puzzles(args.format, Some(&test))? != format
        || Compression::of_name(&train) != Compression::of_name(&test)
    {
        let hint = "are written in one format; give them the same ending, or --format";
        return Err(Failure::Usage(format!("{} and {} {hint}", train.display(), test.display())));
    }
    if [&train, &test].iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage("-o: standard output takes no two sides; name files".into()));
    }
    let destinations = Destinations {
        output: Some(train),
        errors: args.errors.clone(),
        summary_json: args.summary_json.clone(),
        force: args.force,
        ..Destinations::default()
    };
    endings::check_sides(&destinations)?;
    check_files(&args.input, "inputs are read twice")?;
    let mut expected = args.expected.expected(&args.input, Answers::Unwanted)?;
    format.check_kept(&expected)?;
    destinations.refuse_existing(&args.input)?;

    let by = match args.by {
        By::Class => Sameness::Class,
        By::Puzzle => Sameness::Exact,
    };
    let keyed = Keyed { by, stratify: args.stratify, seed: args.seed };
    let strata = Arc::new(Strata { keyed, keys: Mutex::default() });
    let mut inputs = scan::look(args.input.clone(), &expected)?;
    let scan =
        Scan { threads: args.run.threads, quiet: args.run.quiet, progress: args.run.progress };
    scan.run(&mut inputs, Arc::clone(&strata) as Arc<dyn Sift>)?;
    if expected.keep.is_none() && format.has_columns() && inputs.are_tables() {
        expected = InputOptions { keep: Some(Keep::All), ..expected };
    }
    let sides = Sides::new(&strata, args.test);
    if !args.run.quiet {
        sides.say(args.stratify);
    }
    let usual = [Column::Puzzle];
    let batch = Batch {
        pipeline: Pipeline {
            threads: args.run.threads,
            canon: true,
            sift: Some(Arc::new(sides)),
            outputs: 2.try_into().expect("it is not 0"),
            format: format.rows_of_puzzles(None, &usual, &[])?,
            compression: destinations.output.as_deref().and_then(Compression::of_name),
            ..Pipeline::default()
        },
        subcommand: "split",
        finds: if by == Sameness::Class { "canonical forms" } else { "equal puzzles" },
        others: vec![test],
        drops_empty: false,
        settings: BTreeMap::new(),
        engine: None,
        simd: None,
        quiet: args.run.quiet,
        progress: args.run.progress,
        only_rows: false,
    };
    batch.run(args.input, &expected, &destinations, |_, kept| {
        format.rows_of_puzzles(
            Some(&usual).filter(|_| format.has_columns()).map(|all| &all[..]),
            &usual,
            kept,
        )
    })
}

/// Gives each record the key that says how near its class is to the border, and its stratum.
#[derive(Clone, Copy)]
struct Keyed {
    by: Sameness,
    stratify: Option<Stratify>,
    seed: u64,
}

impl Keyed {
    /// Whatever the seed, the same for all puzzles that are kept on one side.
    fn of(self, sifted: &Sifted) -> Option<(u32, u64)> {
        let puzzle = sifted.puzzle.as_ref()?;
        let hash = Seen::hash(puzzle);
        let stream = [hash as u64, (hash >> 64) as u64, 0];
        let key = SeededRng::of_stream(self.seed, stream).number();
        Some((self.stratify.map_or(0, |stratify| stratify.of(sifted, puzzle)), key))
    }

    fn asks_guesses(self) -> bool {
        self.stratify == Some(Stratify::Guesses)
    }
}

/// The keys of all records, by stratum.
struct Strata {
    keyed: Keyed,
    keys: Mutex<BTreeMap<u32, Vec<u64>>>,
}

impl Sift for Strata {
    fn by(&self) -> Sameness {
        self.keyed.by
    }

    fn needs_guesses(&self) -> bool {
        self.keyed.asks_guesses()
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        let keys: Vec<_> = block.iter().filter_map(|sifted| self.keyed.of(sifted)).collect();
        let mut strata = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        for (stratum, key) in keys {
            strata.entry(stratum).or_default().push(key);
        }
        Ok(())
    }
}

/// What is above the border of its stratum is on the first side.
struct Sides {
    keyed: Keyed,
    borders: BTreeMap<u32, Border>,
}

struct Border {
    /// The first key on the first side; none if all are on the second.
    first: Option<u64>,
    records: usize,
    test: usize,
}

impl Border {
    /// That which meets the share best. Records with the same key stay together.
    fn of(mut keys: Vec<u64>, share: f64) -> Self {
        keys.sort_unstable();
        let wanted = (keys.len() as f64 * share).round() as usize;
        // Where the records of one key begin and end, of which the border would cut some off.
        let begins = |at: usize| at == 0 || at == keys.len() || keys[at - 1] != keys[at];
        let below = (0..=wanted).rev().find(|at| begins(*at)).unwrap_or(0);
        let above = (wanted..=keys.len()).find(|at| begins(*at)).unwrap_or(keys.len());
        let test = if wanted - below <= above - wanted { below } else { above };
        Self { first: keys.get(test).copied(), records: keys.len(), test }
    }
}

impl Sides {
    fn new(strata: &Strata, share: f64) -> Self {
        let keys = std::mem::take(&mut *strata.keys.lock().unwrap_or_else(PoisonError::into_inner));
        let borders = keys.into_iter().map(|(stratum, keys)| (stratum, Border::of(keys, share)));
        Self { keyed: strata.keyed, borders: borders.collect() }
    }

    /// Says what each side gets.
    fn say(&self, stratify: Option<Stratify>) {
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

impl Sift for Sides {
    fn by(&self) -> Sameness {
        self.keyed.by
    }

    fn needs_guesses(&self) -> bool {
        self.keyed.asks_guesses()
    }

    fn sift(&self, block: &mut [Sifted]) -> io::Result<()> {
        for sifted in block {
            let key = self.keyed.of(sifted);
            sifted.fate = key.map_or(Fate::NoRow, |(stratum, key)| {
                let first = self.borders.get(&stratum).and_then(|border| border.first);
                Fate::Row(u8::from(first.is_none_or(|first| key < first)))
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_meet_the_share_and_part_no_key() {
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
    fn shares_are_read() {
        assert_eq!(parse_share("10%"), Ok(0.1));
        assert_eq!(parse_share("0.25"), Ok(0.25));
        for bad in ["0", "1", "100%", "-1%", "x", "", "%", "nan"] {
            assert!(parse_share(bad).is_err(), "{bad}");
        }
    }
}
