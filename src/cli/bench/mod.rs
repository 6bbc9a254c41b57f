//! `bulkdoku bench`: measures how fast the engines are.

mod baseline;
#[cfg(unix)]
mod command;
mod engine;
mod measurement;
mod task;

use std::io::{self, IsTerminal, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use bulkdoku::input::Answers;
use bulkdoku::pipeline::visible;
use bulkdoku::{EngineKind, Limits, SimdLevel};
use clap::builder::Resettable;
use serde_json::json;

use super::engine_args::{LimitArgs, check_simd};
use super::input_args::InputArgs;
use super::inputs::Inputs;
use super::out::write_side;
use super::outputs::Destinations;
use super::sets;
use super::version::Origin;
use super::{Exit, Failure, extensions, help, log, numbers, parse_threads, report};
use baseline::Baseline;
use engine::EngineContender;
use measurement::{Contender, entries, table};

/// The maximum number of records of a set. With their outcomes, they take a few gigabytes.
const MOST_ROWS: usize = 10_000_000;
const MOST_ROUNDS: usize = 1_000_000;

/// Measure how fast the engines solve puzzle sets
///
/// Without input, the bundled sets are measured. Sets are read into memory first. The time per
/// puzzle starts with its 81 characters and ends with those of its solution, in memory. All
/// solutions are checked and compared between engines, outside the timed part.
///
/// Puzzles are permuted at random. By default, each search continues until a second solution is
/// found or ruled out. All engines, levels, and numbers of threads take turns in every round.
/// The results are the median, the fastest, and the slowest round. A round takes at most 2 seconds:
/// slow engines solve fewer puzzles.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(next_help_heading = "Run")]
pub struct BenchArgs {
    /// Files of puzzles, or - [default: the bundled sets]
    ///
    /// In any format that solve reads; - is standard input.
    #[arg(help_heading = Resettable::Reset)]
    input: Vec<PathBuf>,

    #[command(flatten)]
    layout: InputArgs,

    /// Output file: a table, or FILE.json [default: standard output]
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
    #[arg(long, value_name = "PERCENT", help_heading = "Output", requires = "baseline",
        value_parser = numbers::percentage)]
    fail_above: Option<f64>,

    /// Measure a command as well, and check its answers
    ///
    /// The shell runs it. It reads lines of 81 cells with . for a blank, and writes a line for each: the
    /// solution, or any text with it, such as the puzzle, a comma, and the solution; or a line without a
    /// grid for a puzzle without exactly one solution. {threads} stands for the number of threads, and {} for
    /// the path of a file with the puzzles, which are then not on standard input. bulkdoku itself is
    /// measured in the same way. The option may be repeated.
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Solvers", value_parser = parse_solver)]
    solver: Vec<(String, String)>,

    /// Stop a command that takes longer, such as 90s
    #[arg(long, value_name = "TIME", help_heading = "Solvers", default_value = "60s",
        value_parser = humantime::parse_duration, requires = "solver")]
    timeout: Duration,

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

    /// The engines to measure, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Search",
        value_delimiter = ',',
        default_value = EngineKind::default().name(),
        value_parser = help::engines()
    )]
    engine: Vec<EngineKind>,

    /// The vector levels, separated by commas
    ///
    /// avx512, avx2, sse4.2, sse2, neon, portable; by default the machine's best.
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Search",
        value_delimiter = ',',
        value_parser = SimdLevel::by_name
    )]
    simd: Vec<SimdLevel>,

    /// How many puzzles of each set, drawn at random
    ///
    /// How many puzzles of each set: a random sample of a larger set, or all of a smaller one,
    /// repeated [default: all, repeated to at least 20000]
    #[arg(long, value_name = "N", value_parser = up_to::<MOST_ROWS>)]
    rows: Option<NonZeroUsize>,

    /// Number of timed rounds
    #[arg(long, value_name = "N", default_value = "7", value_parser = up_to::<MOST_ROUNDS>)]
    rounds: NonZeroUsize,

    /// Number of puzzles passed to an engine at once
    ///
    /// solve passes about 1400.
    #[arg(long, value_name = "N", default_value = "2000", value_parser = up_to::<MOST_ROWS>)]
    batch: NonZeroUsize,

    /// Seed of the permutations and samples
    #[arg(long, value_name = "N", default_value = "1", value_parser = numbers::count)]
    seed: u64,

    /// Numbers of threads, separated by commas; 0: all cores
    #[arg(short = 'j', long, value_name = "LIST", value_delimiter = ',', default_value = "1",
        value_parser = parse_threads)]
    threads: Vec<NonZeroUsize>,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku bench
  bulkdoku bench --threads 1,2,4 --engine lanes,scalar --first puzzles.txt
  bulkdoku bench -o before.json
  bulkdoku bench --baseline before.json --fail-above 5%
  bulkdoku bench --solver mine='./mine --threads {threads}' --threads 1,2 puzzles.txt

Columns:
  ns/puzzle, min, max  wall time per puzzle: median, fastest, and slowest round
  guesses, nodes       averages per search of an engine

JSON has these fields and more, with times in nanoseconds.

Invalid records are reported and counted, but not measured. Sets are kept in memory: at most \
10,000,000 records per input.

Exit status: 0 success, 1 a solver was wrong or --fail-above was exceeded, 2 invalid usage, a set \
without puzzles, or a baseline that lacks a measurement, 3 input or output error.";

pub fn run(args: &BenchArgs) -> Result<Exit, Failure> {
    let origin = Origin::new(SystemTime::now());
    let is_json = args.is_json()?;
    let mut contenders = args.engines()?;
    contenders.extend(args.commands()?);
    let options = args.layout.options(Answers::Unwanted)?;
    let destinations = Destinations {
        output: args.output.iter().cloned().collect(),
        report: args.report.clone(),
        force: args.force,
        ..Destinations::default()
    };
    // The baseline is an input as well, and must not be overwritten.
    let reads: Vec<_> = args.input.iter().chain(&args.baseline).cloned().collect();
    let mut claim = destinations.claim(&reads)?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let sets = if args.input.is_empty() {
        sets::bundled()?
    } else {
        let mut inputs = Inputs::open_named(args.input.clone())?;
        inputs.column_option = Some("--column");
        inputs.detect(&options, &AtomicBool::default())?;
        sets::read(&mut inputs, MOST_ROWS)?
    };
    let titles = sets.iter().flat_map(|set| {
        contenders.iter().map(|contender| args.unmeasured(set, &**contender).title())
    });
    baseline.as_ref().map_or(Ok(()), |baseline| baseline.check(titles))?;
    let mut opened = claim.prepare(false)?;
    opened.open_new(args.force)?;

    let measurements = sets.iter().map(|set| {
        if io::stderr().is_terminal() {
            log::note(format!("measuring {}", visible(&set.name)));
        }
        args.measure(set, &mut contenders)
    });
    let measurements = measurements.collect::<Result<Vec<_>, _>>()?.concat();

    let entries = entries(&measurements, &origin);
    let text = if is_json {
        serde_json::to_string_pretty(&entries).map_err(io::Error::from)? + "\n"
    } else {
        table(&measurements)
    };
    (&opened.outs[0]).write_all(text.as_bytes())?;
    for (_, out) in &opened.sides {
        let data = json!({ "subcommand": "bench", "measurements": entries });
        let failed = write_side(out, |out| report::write(&data, out));
        failed.map_or(Ok(()), |failed| Err(Failure::Io(failed)))?;
    }
    opened.remove_journal()?;
    let judged = baseline.map(|baseline| baseline.judge(&measurements, args.fail_above));
    let mut exit = judged.unwrap_or(Exit::Done);
    for of in &measurements {
        if let Some(reason) = &of.invalid {
            log::note(format!("{}: invalid: {reason}", of.title()));
            exit = Exit::SomeRecords;
        }
    }
    Ok(exit)
}

impl BenchArgs {
    fn is_json(&self) -> Result<bool, Failure> {
        let Some(output) = &self.output else { return Ok(false) };
        extensions::check_one_of(output, "a list of measurements", &["json"])?;
        Ok(extensions::of(output).is_some())
    }

    fn limits(&self) -> Limits {
        Limits { solutions: self.limit.solutions(), nodes: self.max_nodes }
    }

    /// Starts the threads and builds the engines. An engine without vectors is measured once, not for
    /// each level.
    fn engines(&self) -> Result<Vec<Box<dyn Contender>>, Failure> {
        let mut levels = self.simd.clone();
        check_simd(!levels.is_empty(), &self.engine)?;
        if levels.is_empty() {
            levels.push(SimdLevel::best());
        }
        let (mut started, mut contenders) = (Vec::new(), Vec::<Box<dyn Contender>>::new());
        let pairs = self.engine.iter().flat_map(|it| levels.iter().map(move |at| (*it, *at)));
        for (engine, simd) in pairs {
            for &threads in &self.threads {
                let key = (engine, engine.uses(simd), threads);
                if !started.contains(&key) {
                    started.push(key);
                    contenders.push(Box::new(EngineContender::new(engine, simd, threads, self)?));
                }
            }
        }
        Ok(contenders)
    }
}

#[cfg(unix)]
impl BenchArgs {
    /// Returns the commands, with bulkdoku as the first one if there are any.
    fn commands(&self) -> Result<Vec<Box<dyn Contender>>, Failure> {
        use super::version::quoted;

        if self.solver.is_empty() {
            return Ok(Vec::new());
        }
        let program = quoted(&std::env::current_exe()?.to_string_lossy());
        let first = if self.limit.solutions().get() == 1 { " --first" } else { "" };
        let options = "--quiet --fail-on none --threads {threads}";
        let own = format!("{program} solve {options} --format lines{first}");
        let own = ("bulkdoku, piped".into(), own);
        let mut commands: Vec<Box<dyn Contender>> = Vec::new();
        for (name, command) in [&own].into_iter().chain(&self.solver) {
            let is_engine = name.parse::<EngineKind>().is_ok();
            if is_engine || self.solver.iter().filter(|(other, _)| other == name).count() > 1 {
                let other = if is_engine { "an engine" } else { "another solver" };
                refuse!("--solver {}: {other} has this name", visible(name));
            }
            // A command that does not know the number of threads is measured once.
            let takes_threads = command.contains("{threads}");
            let threads = if takes_threads { &self.threads[..] } else { &self.threads[..1] };
            commands.extend(threads.iter().map(|threads| -> Box<dyn Contender> {
                let (threads, timeout) = (threads.get(), self.timeout);
                Box::new(command::CommandContender::new(name, command, threads, timeout))
            }));
        }
        Ok(commands)
    }
}

#[cfg(not(unix))]
impl BenchArgs {
    fn commands(&self) -> Result<Vec<Box<dyn Contender>>, Failure> {
        match self.solver.first() {
            Some((name, command)) => {
                refuse!("--solver {name}={command}: supported on Unix systems only")
            }
            None => Ok(Vec::new()),
        }
    }
}

fn up_to<const MOST: usize>(text: &str) -> Result<NonZeroUsize, String> {
    numbers::up_to(text, MOST as u64)
}

fn parse_solver(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => {
            Ok((name.into(), command.into()))
        }
        _ => Err("expected a name and a command, such as mine='./mine --fast'".into()),
    }
}
