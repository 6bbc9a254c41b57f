//! `bulkdoku bench`: measures how fast the engines are.

use std::fs;
use std::io::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bulkdoku::input::Answers;
use bulkdoku::measure::{
    Baseline, Bench, BenchError, Comparison, Configuration, Measurement, Plan, PuzzleSet,
    Selection, format,
};
use bulkdoku::output::Packer;
use bulkdoku::{Compression, EngineKind, Limits, SimdLevel};
use clap::ValueEnum;

use super::engine_args::{LimitArgs, check_simd};
use super::input_args::LayoutArgs;
use super::inputs::Inputs;
use super::out::Out;
use super::outputs::{Destinations, Existing};
use super::progress::{Meter, ProgressArgs, Progressed};
use super::sets::{self, MOST_ROWS};
use super::{Exit, Failure, extensions, help, html, numbers, parse_threads, rows_run, version};

/// A set with fewer puzzles is repeated, each time permuted anew.
const ROWS_AT_LEAST: usize = 20_000;
/// Long enough for the resolution of the clock, and to fill the caches.
const ROUND_AT_LEAST: Duration = Duration::from_millis(50);

/// More rounds tell nothing new.
const MOST_ROUNDS: u64 = 1_000_000;

/// Measure how fast the engines solve puzzle sets
///
/// Without input the bundled sets are measured. The sets are read first. The time of a puzzle is
/// that from its 81 characters to those of its solution, in memory. Outside the timing, every
/// solution is checked, and the engines are compared.
///
/// By default the puzzles are permuted at random, and each is searched until a second solution is
/// found or excluded. All engines, levels and numbers of threads take turns in every round. The
/// median of the rounds is reported, with the fastest and the slowest.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// Files of puzzles, or - [default: the bundled sets]
    ///
    /// In any format that solve reads; - is standard input.
    input: Vec<PathBuf>,

    #[command(flatten)]
    layout: LayoutArgs,

    /// How the measurements are written: table, markdown, csv, json
    ///
    /// By default as the output's name says (.json .csv .md), else a table.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    /// Where the measurements go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write a page that compares engines and sets, as HTML
    ///
    /// Charts and tables in one file that needs no other.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Compare with the JSON of an earlier measurement
    ///
    /// Changes beyond the spread of the rounds are reported on standard error. The earlier
    /// measurement must include everything that is measured now.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    baseline: Option<PathBuf>,

    /// Exit with 1 if slower than the baseline by more than this
    ///
    /// The median and the fastest round must both be slower.
    #[arg(
        long,
        value_name = "PERCENT",
        help_heading = "Output",
        requires = "baseline",
        value_parser = parse_percent
    )]
    fail_above: Option<f64>,

    #[command(flatten)]
    limit: LimitArgs,

    /// Give up on a puzzle after this many nodes
    #[arg(
        long,
        value_name = "N",
        help_heading = "Search",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    max_nodes: Option<NonZeroU64>,

    /// The engines to measure, separated by commas, or all
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Search",
        value_delimiter = ',',
        default_value = EngineKind::default().name(),
        long_help = help::engines() + "\nSeparate several by commas; all selects all."
    )]
    engine: Vec<String>,

    /// The vector levels, separated by commas, or all
    ///
    /// avx512, avx2, sse4.2, sse2, neon, portable; by default the machine's best.
    #[arg(long, value_name = "LIST", help_heading = "Search", value_delimiter = ',')]
    simd: Vec<String>,

    /// Puzzles of each set: its first ones, or all repeated
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROWS as u64),
        long_help = "Solve this many puzzles of each set: its first ones, or all of them repeatedly \
                     [default: all, repeated to at least 20000]"
    )]
    rows: Option<NonZeroUsize>,

    /// Timed rounds
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "7",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROUNDS)
    )]
    rounds: NonZeroUsize,

    /// The longest time of a round
    ///
    /// A slow engine gets fewer puzzles.
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        default_value = "2",
        value_parser = parse_seconds
    )]
    round_time: Duration,

    /// Puzzles that an engine gets at once
    ///
    /// With solve it gets about 1400.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "2000",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROWS as u64)
    )]
    batch: NonZeroUsize,

    /// The seed of the permutations
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "1",
        value_parser = numbers::count
    )]
    seed: u64,

    /// Leave the puzzles and their order as they are
    #[arg(long, help_heading = "Run", conflicts_with = "seed")]
    no_permute: bool,

    /// Numbers of threads, separated by commas; 0: all cores
    #[arg(
        short = 'j',
        long,
        value_name = "LIST",
        help_heading = "Run",
        value_delimiter = ',',
        default_value = "1",
        value_parser = parse_threads
    )]
    threads: Vec<NonZeroUsize>,

    #[command(flatten)]
    progress: ProgressArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku bench
  bulkdoku bench --engine all --simd all --max-nodes 100000 puzzles.txt
  bulkdoku bench --threads 1,2,4 --first puzzles.txt
  bulkdoku bench --format json -o before.json
  bulkdoku bench --baseline before.json --fail-above 5%
  bulkdoku bench --engine all --max-nodes 10000 --report engines.html

Columns:
  ns/puzzle, min, max  wall time a puzzle: the median of the rounds, the fastest, the slowest
  guesses, nodes       of the search, on average; no guess: the share that needed none
  p50, p99, slowest    latency from a puzzle's entry into the engine to its outcome

CSV and JSON have these fields and more, with times in nanoseconds. JSON also has each round, the
version, the date and the machine.

Records that are no puzzles are reported, counted and not measured. Sets are kept in memory: at most
10,000,000 records and 4 GiB of text of each input.

Exit status: 0 measured, 1 an engine was wrong or --fail-above is exceeded, 2 wrong usage, a set
without a puzzle, or a baseline without one of the measurements, 3 input or output failed.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Table,
    Markdown,
    Csv,
    Json,
}

impl Format {
    /// The file extensions that ask for a format.
    const EXTENSIONS: [&str; 4] = ["json", "csv", "md", "markdown"];

    /// Chooses the format: as given, else by the output's name, else a table. If no format is
    /// given, refuses a name that asks for another one.
    fn choose(given: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        let (None, Some(path)) = (given, output) else { return Ok(given.unwrap_or(Self::Table)) };
        match extensions::of(path).as_deref() {
            None => Ok(Self::Table),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some(other) => {
                let hint = format!("{}; --format decides for any name", extensions::COMPRESSED);
                Err(extensions::refused(path, other, "measurements", &Self::EXTENSIONS, &hint))
            }
        }
    }

    fn write(self, measurements: &[Measurement], out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Table => format::table(measurements, out),
            Self::Markdown => format::markdown(measurements, out),
            Self::Csv => format::csv(measurements, out),
            Self::Json => format::json(measurements, &version::origin(), out),
        }
    }
}

/// Measures the sets.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let format = Format::choose(args.format, args.output.as_deref())?;
    let plan = plan(&args)?;
    let options = args.layout.options(Answers::Unwanted)?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let has_input = !args.input.is_empty();
    let mut inputs = has_input.then(|| Inputs::detected(args.input, &options)).transpose()?;
    let sets = match &mut inputs {
        Some(inputs) => sets::read(inputs, plan.selection.at_most)?,
        None => sets::bundled()?,
    };
    let bench = Bench::new(plan)?;
    if let Some((baseline, path)) = baseline.as_ref().zip(args.baseline.as_deref()) {
        check_baseline(baseline, path, &bench, &sets)?;
    }
    // The baseline is an input, too, and must not be overwritten.
    let mut paths = inputs.as_ref().map_or(&[][..], Inputs::paths).to_vec();
    paths.extend(args.baseline.clone());
    let destinations = Destinations {
        output: args.output.clone(),
        report: args.report,
        force: args.force,
        ..Destinations::default()
    };
    destinations.check_sides()?;
    let opened = destinations.open(&paths, Existing::or_force(args.force))?;

    let measurements = measure(&bench, &sets, args.progress)?;

    write(format, &measurements, args.output.as_deref(), &opened.rows)
        .map_err(|error| opened.rows.failed(error))?;
    let page = opened.sides.report.as_ref().and_then(|out| {
        let page = html::of_bench(&measurements, version::origin().date);
        rows_run::write_side(out, |out| page.write(out))
    });
    page.map_or(Ok(()), |failed| Err(Failure::Io(failed)))?;
    let Some(baseline) = baseline else { return Ok(Exit::Done) };
    if let Some(machine) = baseline.other_machine(&version::origin().machine) {
        eprintln!("The baseline was measured on another machine: {machine}.");
    }
    let comparison = baseline.compare(&measurements);
    eprint!("{comparison}");
    Ok(args.fail_above.map_or(Exit::Done, |most| judge(&comparison, most)))
}

/// Writes measurements, compressed if the output's name asks for it.
fn write(
    format: Format,
    measurements: &[Measurement],
    path: Option<&Path>,
    mut out: &Out,
) -> io::Result<()> {
    let mut text = Vec::new();
    format.write(measurements, &mut text)?;
    if let Some(compression) = path.and_then(Compression::of_name) {
        let plain = std::mem::take(&mut text);
        Packer::new(compression).pack(&plain, &mut text);
    }
    out.write_all(&text)?;
    out.flush()
}

/// Refuses a baseline that lacks a measurement.
fn check_baseline(
    baseline: &Baseline,
    path: &Path,
    bench: &Bench,
    sets: &[PuzzleSet],
) -> Result<(), Failure> {
    let all = sets.iter().flat_map(|set| bench.what(&set.name));
    let missing: Vec<_> =
        all.filter(|what| !baseline.has(what)).map(|what| format!("\n  {what}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (name, missing) = (path.display(), missing.concat());
    Err(Failure::Usage(format!("--baseline {name} has no measurement of{missing}")))
}

/// Reports what is slower than before by more than `most` percent.
fn judge(comparison: &Comparison, most: f64) -> Exit {
    let mut exit = Exit::Done;
    for (what, ratio) in comparison.slower_than(1.0 + most / 100.0) {
        let percent = (ratio - 1.0) * 100.0;
        eprintln!("bulkdoku: {what}: slower by {percent:.1} %, more than {most} %");
        exit = Exit::SomeRecords;
    }
    exit
}

/// The plan of the measurements.
fn plan(args: &Args) -> Result<Plan, Failure> {
    let engines = list("--engine", &args.engine, EngineKind::ALL, str::parse)?;
    check_simd(!args.simd.is_empty(), &engines)?;
    let levels = if args.simd.is_empty() {
        vec![SimdLevel::best()]
    } else {
        list("--simd", &args.simd, &SimdLevel::available(), SimdLevel::by_name)?
    };
    let mut configurations = Vec::new();
    for &engine in &engines {
        for &simd in &levels {
            let each = args.threads.iter();
            configurations.extend(each.map(|&threads| Configuration { engine, simd, threads }));
        }
    }
    let rows = args.rows.map(NonZeroUsize::get);
    Ok(Plan {
        configurations,
        limits: Limits { solutions: args.limit.solutions(), nodes: args.max_nodes },
        selection: Selection {
            at_least: rows.unwrap_or(ROWS_AT_LEAST),
            at_most: rows,
            seed: (!args.no_permute).then_some(args.seed),
        },
        rounds: args.rounds,
        batch: args.batch,
        round_at_least: ROUND_AT_LEAST.min(args.round_time),
        round_at_most: args.round_time,
    })
}

/// Parses a list of names; one of them may be `all`.
fn list<T: Copy, E: std::fmt::Display>(
    flag: &str,
    names: &[String],
    all: &[T],
    one: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(all.to_vec());
    }
    let one = |name: &String| {
        one(name).map_err(|error| Failure::Usage(format!("{flag}: {error}, or all")))
    };
    names.iter().map(one).collect()
}

/// Reads `--round-time`.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "a number of seconds above 0".into())
}

/// Reads `--fail-above`.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse().ok();
    let percent = number.filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
    percent.ok_or_else(|| "a percentage from 0, such as 5%".into())
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let json = fs::read(path).map_err(|error| Failure::at(path, error))?;
    Baseline::read(&json).map_err(|error| {
        let hint = "it must come from --format json";
        Failure::Usage(format!("--baseline {}: {error}; {hint}", path.display()))
    })
}

/// Measures one set after the other, and shows progress.
fn measure(
    bench: &Bench,
    sets: &[PuzzleSet],
    progress: ProgressArgs,
) -> Result<Vec<Measurement>, Failure> {
    let meter = Meter::new(progress, Some((bench.steps() * sets.len()) as u64), false);
    let steps = AtomicU64::new(0);
    let progressed = || {
        let done = steps.load(Ordering::Relaxed);
        let set = sets.get(done as usize / bench.steps().max(1));
        let what = set.map_or(String::new(), |set| set.name.clone());
        Progressed { done, puzzles: None, what: what.into() }
    };
    meter.watch(progressed, || {
        let mut measurements = Vec::new();
        for set in sets {
            measurements.extend(bench.measure(set, || {
                steps.fetch_add(1, Ordering::Relaxed);
            })?);
        }
        Ok(measurements)
    })
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Threads { .. } => Self::Usage(error.to_string()),
            BenchError::Wrong(wrong) => Self::Wrong(wrong.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_or_refused_with_the_flag() {
        let read = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            list("--engine", &names, EngineKind::ALL, str::parse)
        };
        assert_eq!(read(&["scalar", "scalar"]).unwrap(), [EngineKind::Scalar; 2]);
        assert_eq!(read(&["scalar", "all"]).unwrap(), EngineKind::ALL);
        let error = read(&["slow"]).unwrap_err().to_string();
        assert!(error.starts_with("--engine: no engine \"slow\""), "{error}");
    }

    #[test]
    fn seconds_are_above_zero() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages_are_not_negative() {
        assert_eq!(["5%", "5", "0.5 %", "0"].map(parse_percent), [5.0, 5.0, 0.5, 0.0].map(Ok));
        for bad in ["", "%", "-1%", "nan", "inf", "5%%", "much"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }
}
