//! `bulkdoku bench`: measures how fast the engines are.

mod answers;
mod baseline;
#[cfg(unix)]
mod command;
mod engine;
mod format;
mod measurement;
mod rows;
mod solvers;

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bulkdoku::input::Answers;
use bulkdoku::output::Packer;
use bulkdoku::{Compression, EngineKind, Limits, SimdLevel};
use serde_json::json;

use super::engine_args::{LimitArgs, check_simd};
use super::input_args::InputArgs;
use super::inputs::Inputs;
use super::out::write_side;
use super::outputs::{Destinations, Outputs};
use super::progress::{Meter, ProgressArgs, Progressed};
use super::sets::{self, MOST_ROWS, PuzzleSet};
use super::version::{Machine, Origin};
use super::{Exit, Failure, log, numbers, parse_threads, report, shown};
use baseline::Baseline;
use engine::EngineContender;
use format::MeasurementFormat;
use measurement::{Contender, Measurement, Plan};
use solvers::SolverArgs;

/// The minimum number of rows of a set; smaller sets are repeated, each time with another
/// permutation.
const ROWS_AT_LEAST: usize = 20_000;
/// The minimum time of a round: long compared with the resolution of the clock.
const ROUND_AT_LEAST: Duration = Duration::from_millis(50);
/// The maximum of `--rounds`.
const MOST_ROUNDS: u64 = 1_000_000;

/// Measure how fast the engines solve puzzle sets
///
/// Without input, the bundled sets are measured. Sets are read into memory first. The time per
/// puzzle starts with its 81 characters and ends with those of its solution, in memory. All
/// solutions are checked and compared between engines, outside the timed part.
///
/// By default, puzzles are permuted at random, and each search continues until a second solution
/// is found or ruled out. All engines, levels, and numbers of threads take turns in every round.
/// The results are the median, the fastest, and the slowest round.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct BenchArgs {
    /// Files of puzzles, or - [default: the bundled sets]
    ///
    /// In any format that solve reads; - is standard input.
    input: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    /// Output format: table, markdown, csv, json
    ///
    /// The default follows the extension of the output (.json .csv .md), else table.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<MeasurementFormat>,

    /// Output file [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write a report that compares engines and sets, as HTML
    ///
    /// Charts and tables in one self-contained file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Compare with the JSON of an earlier measurement
    ///
    /// Differences larger than the spread of the rounds are printed on standard error. The earlier
    /// measurement must include everything that is measured now.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    baseline: Option<PathBuf>,

    /// Exit with 1 if slower than the baseline by more than this percentage
    ///
    /// Both the median and the fastest round must be slower.
    #[arg(
        long,
        value_name = "PERCENT",
        help_heading = "Output",
        value_parser = parse_percent
    )]
    fail_above: Option<f64>,

    #[command(flatten)]
    solvers: SolverArgs,

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
        value_parser = |text: &str| one_or_all(text, &EngineKind::ALL, str::parse)
    )]
    engine: Vec<Vec<EngineKind>>,

    /// The vector levels, separated by commas, or all
    ///
    /// avx512, avx2, sse4.2, sse2, neon, portable; by default the machine's best.
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Search",
        value_delimiter = ',',
        value_parser = |text: &str| one_or_all(text, &SimdLevel::available(), SimdLevel::by_name)
    )]
    simd: Vec<Vec<SimdLevel>>,

    /// How many puzzles of each set, drawn at random
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROWS as u64),
        long_help = "How many puzzles of each set: a random sample of a larger set, or all of a \
                     smaller one, repeated [default: all, repeated to at least 20000]"
    )]
    rows: Option<NonZeroUsize>,

    /// Number of timed rounds
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "7",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROUNDS)
    )]
    rounds: NonZeroUsize,

    /// Maximum time of a round
    ///
    /// Slow engines solve fewer puzzles.
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        default_value = "2",
        value_parser = parse_seconds
    )]
    round_time: Duration,

    /// Number of puzzles passed to an engine at once
    ///
    /// solve passes about 1400.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "2000",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MOST_ROWS as u64)
    )]
    batch: NonZeroUsize,

    /// Seed of the permutations and samples
    #[arg(
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "1",
        value_parser = numbers::count
    )]
    seed: u64,

    /// Keep the puzzles and their order
    #[arg(long, help_heading = "Run")]
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
  bulkdoku bench --solver mine='./mine --threads {threads}' --threads 1,2 puzzles.txt
  bulkdoku bench --solver qq='qqwing --solve --count-solutions' --solver-output count puzzles.txt

Columns:
  ns/puzzle, min, max  wall time per puzzle: median, fastest, and slowest round
  guesses, nodes       averages per search; no guess: share of puzzles solved without a guess
  p50, p99, slowest    latency from a puzzle's entry into the engine to its outcome
With --solver instead of the last two lines:
  user, system         CPU time per puzzle of the command and its children
  start-up             wall time of the command for one puzzle, which is subtracted from all times
  peak                 largest memory of a process, if it exceeds that of bulkdoku bench

CSV and JSON have these fields and more, with times in nanoseconds. JSON also includes each round,
the version, the date, and the machine.

Invalid records are reported and counted, but not measured. Sets are kept in memory: at most
10,000,000 records per input.

Exit status: 0 success, 1 a solver was wrong or --fail-above was exceeded, 2 invalid usage, a set
without puzzles, or a baseline that lacks a measurement, 3 input or output error.";

/// Measures the sets.
pub fn run(args: BenchArgs) -> Result<Exit, Failure> {
    let origin = Origin::new(SystemTime::now());
    let format = MeasurementFormat::choose(args.format, args.output.as_deref())?;
    let plan = args.plan();
    let mut contenders = args.engines(&plan)?;
    contenders.extend(args.commands()?);
    let options = args.layout.options(Answers::Unwanted)?;
    let destinations = Destinations {
        output: args.output.clone().map(Outputs::One),
        report: args.report.clone(),
        force: args.force,
        ..Destinations::default()
    };
    // The baseline is an input as well, and must not be overwritten.
    let reads: Vec<_> = args.input.iter().chain(&args.baseline).cloned().collect();
    let mut claim = destinations.claim(&reads)?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let sample = plan.rows_at_most.map(|rows| (rows, args.seed));
    let sets = if args.input.is_empty() {
        sets::bundled(sample)?
    } else {
        sets::read(&mut Inputs::detected(args.input, &options)?, sample)?
    };
    let titles = sets.iter().flat_map(|set| {
        contenders.iter().map(|contender| plan.unmeasured(set, &**contender).title())
    });
    if let Some((baseline, path)) = baseline.as_ref().zip(args.baseline.as_deref()) {
        check_baseline(baseline, path, titles)?;
    }
    let mut opened = claim.prepare(false, false)?;
    opened.open_new(args.force)?;

    let measurements = measure(&plan, &mut contenders, &sets, args.progress)?;

    let mut text = format.text(&measurements, &origin)?;
    if let Some(compression) = args.output.as_deref().and_then(Compression::of_name) {
        let plain = std::mem::take(&mut text);
        Packer::new(compression).pack(&plain, &mut text);
    }
    (&opened.outs[0]).write_all(&text)?;
    for (_, out) in &opened.sides {
        let entries = format::entries(&measurements, &origin);
        let data = json!({ "subcommand": "bench", "measurements": entries });
        let failed = write_side(out, |out| report::write(&data, out));
        failed.map_or(Ok(()), |failed| Err(Failure::Io(failed)))?;
    }
    opened.remove_journal()?;
    let judged = baseline.map(|baseline| judge(&baseline, &measurements, args.fail_above));
    let mut exit = judged.unwrap_or(Exit::Done);
    for of in &measurements {
        if let Some(reason) = &of.invalid {
            log::note(format!("{}: invalid: {reason}", of.title()));
            exit = Exit::SomeRecords;
        }
    }
    Ok(exit)
}

/// Refuses a baseline that lacks one of the measurements.
fn check_baseline(
    baseline: &Baseline,
    path: &Path,
    titles: impl Iterator<Item = String>,
) -> Result<(), Failure> {
    let missing: Vec<_> =
        titles.filter(|title| !baseline.has(title)).map(|title| format!("\n  {title}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (name, missing) = (shown(path), missing.concat());
    Err(Failure::Usage(format!("--baseline {name} has no measurement of{missing}")))
}

/// Reports changes since the baseline, and measurements that are slower by more than a percentage.
fn judge(baseline: &Baseline, measurements: &[Measurement], fail_above: Option<f64>) -> Exit {
    if let Some(machine) = baseline.other_machine(&Machine::here()) {
        eprintln!("The baseline was measured on another machine: {machine}.");
    }
    let (report, ratios) = baseline.compare(measurements);
    eprint!("{report}");
    let mut exit = Exit::Done;
    for (title, ratio) in ratios {
        let percent = (ratio - 1.0) * 100.0;
        if let Some(most) = fail_above.filter(|&most| percent > most) {
            eprintln!("bulkdoku: {title}: slower by {percent:.1} %, more than {most} %");
            exit = Exit::SomeRecords;
        }
    }
    exit
}

impl BenchArgs {
    /// Returns the plan of the measurements.
    fn plan(&self) -> Plan {
        let rows = self.rows.map(NonZeroUsize::get);
        Plan {
            limits: Limits { solutions: self.limit.solutions(), nodes: self.max_nodes },
            rows_at_least: rows.unwrap_or(ROWS_AT_LEAST),
            rows_at_most: rows,
            seed: (!self.no_permute).then_some(self.seed),
            rounds: self.rounds,
            batch: self.batch,
            round_at_least: ROUND_AT_LEAST.min(self.round_time),
            round_at_most: self.round_time,
        }
    }

    /// Starts the threads and builds the engines. An engine without vectors is measured once, not for
    /// each level.
    fn engines(&self, plan: &Plan) -> Result<Vec<Box<dyn Contender + Send>>, Failure> {
        let (engines, mut levels) = (self.engine.concat(), self.simd.concat());
        check_simd(!levels.is_empty(), &engines)?;
        if levels.is_empty() {
            levels.push(SimdLevel::best());
        }
        let (mut started, mut contenders) = (Vec::new(), Vec::<Box<dyn Contender + Send>>::new());
        for (engine, simd) in engines.iter().flat_map(|it| levels.iter().map(move |at| (*it, *at)))
        {
            for &threads in &self.threads {
                let key = (engine, engine.uses(simd), threads);
                if !started.contains(&key) {
                    started.push(key);
                    contenders.push(Box::new(EngineContender::new(engine, simd, threads, plan)?));
                }
            }
        }
        Ok(contenders)
    }
}

/// Parses one item of a list, or `all`.
fn one_or_all<T: Copy, E: Display>(
    text: &str,
    all: &[T],
    one: fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, String> {
    match text {
        "all" => Ok(all.to_vec()),
        _ => one(text).map(|one| vec![one]).map_err(|error| format!("{error}, or all")),
    }
}

/// Parses `--round-time`.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "a number of seconds above 0".into())
}

/// Parses `--fail-above`.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse().ok();
    let percent = number.filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
    percent.ok_or_else(|| "a percentage from 0, such as 5%".into())
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let json = fs::read(path).map_err(|error| Failure::at(path, error))?;
    Baseline::read(&json).map_err(|error| {
        let what = "not measurements of --format json";
        Failure::Usage(format!("--baseline {}: {what} ({error})", shown(path)))
    })
}

/// Measures the sets one after another and shows progress.
fn measure(
    plan: &Plan,
    contenders: &mut [Box<dyn Contender + Send>],
    sets: &[PuzzleSet],
    progress: ProgressArgs,
) -> Result<Vec<Measurement>, Failure> {
    let steps_per_set = contenders.len() * (1 + plan.rounds.get());
    let meter = Meter::new(progress, Some((steps_per_set * sets.len()) as u64), false);
    let steps = AtomicU64::new(0);
    let progressed = || {
        let done = steps.load(Ordering::Relaxed);
        let set = sets.get(done as usize / steps_per_set.max(1));
        let what = set.map_or(String::new(), |set| set.name.clone());
        Progressed { done, what, ..Progressed::default() }
    };
    let step = || {
        steps.fetch_add(1, Ordering::Relaxed);
    };
    let measured = meter.watch(progressed, || {
        let of_sets = sets.iter().map(|set| plan.measure(set, contenders, step));
        of_sets.collect::<Result<Vec<_>, _>>()
    });
    Ok(measured?.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

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
