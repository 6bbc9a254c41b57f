//! `bulkdoku solve`: puzzle lines in, one row for each out.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use bulkdoku::input::Layout;
use bulkdoku::output::{Column, CsvRows, JudgeGrids, RowFormat, SolutionLines};
use bulkdoku::pipeline::{Listing, Output, OutputFailure, Report};
use bulkdoku::{EngineKind, Limits, Pipeline, Progress, SimdLevel, Source};
use clap::ValueEnum;

use super::inputs::Inputs;
use super::notes::Notes;
use super::outputs::{Outputs, RowsOut};
use super::summary::{Setup, Summary};
use super::{Exit, Failure, parse_threads, progress};

/// Solve puzzle lines and write one row for each, in order.
///
/// A puzzle line has 81 cells: 1 to 9, and one of 0 . _ * - x X ? for a blank. Text behind them
/// after a space, tab, comma or semicolon is passed over, and so are blank lines and lines that
/// start with #. Every other line gets its row, whatever is wrong with it.
///
/// By default each puzzle is searched until a second solution is found or excluded.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Files of puzzle lines; - or nothing for standard input.
    input: Vec<PathBuf>,

    /// Where the rows go; standard output if not given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the histogram of latencies as CSV.
    #[arg(long, value_name = "FILE")]
    latency: Option<PathBuf>,

    /// Write every message about a bad record; standard error shows the first few only.
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,

    /// Write the summary as JSON.
    #[arg(long, value_name = "FILE")]
    summary_json: Option<PathBuf>,

    /// Replace output files that exist.
    #[arg(long)]
    force: bool,

    /// How puzzles lie in the lines: one a line, or grids of nine lines.
    #[arg(long, value_name = "FORMAT", default_value = "lines")]
    input_format: Input,

    /// How rows are written: csv, lines with just the solutions, or as the judge problems have
    /// them, nine lines a solution and nothing else.
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: Format,

    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help = "The columns of the CSV, in order: file, line, puzzle, solution, status, \
                solutions, guesses, nodes, latency_ns"
    )]
    columns: Option<Vec<Column>>,

    /// Stop at each puzzle's first solution, without proof that there is no other.
    #[arg(long, conflicts_with = "limit")]
    first: bool,

    /// Count solutions up to this many.
    #[arg(long, value_name = "N", default_value = "2")]
    limit: NonZeroU32,

    /// Which solution of several: the first found, or the smallest as an 81-digit number, the same
    /// for every engine.
    #[arg(long, value_name = "WHICH", default_value = "first")]
    solution: Which,

    /// List up to this many solutions of each puzzle, the smallest first, a row for each.
    #[arg(long, value_name = "N", conflicts_with = "first")]
    solutions: Option<NonZeroU32>,

    /// Give up on a puzzle after this many nodes of its search.
    #[arg(long, value_name = "N")]
    max_nodes: Option<NonZeroU64>,

    /// Workers; 0 takes all cores.
    #[arg(short = 'j', long, value_name = "N", default_value = "0", value_parser = parse_threads)]
    threads: NonZeroUsize,

    /// The engine that solves.
    #[arg(long, value_name = "NAME", default_value_t)]
    engine: EngineKind,

    /// Use this vector level and not the best that the machine has.
    #[arg(long, value_name = "LEVEL", value_parser = SimdLevel::by_name)]
    simd: Option<SimdLevel>,

    /// Say nothing about bad records and print no summary.
    #[arg(short, long)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku solve puzzles.txt -o results.csv --latency latency.csv
  bulkdoku solve --format lines puzzles.txt > solutions.txt
  zcat puzzles.txt.gz | bulkdoku solve --first --columns puzzle,solution | head
  bulkdoku solve --limit 1000 --columns line,solutions,status several.txt

  bulkdoku solve --input-format boj2239 --format boj2239 < judge.txt
  bulkdoku solve --solutions 10 --columns line,solution several.txt

Statuses:
  unique         exactly one solution, proved
  solved         a solution (--first)
  multiple       at least two solutions
  unsolvable     the clues obey the rules, no solution exists
  contradictory  two equal clues share a row, column or box
  malformed      not a puzzle
  gave_up        --max-nodes was reached
  internal_error the engine failed; please report it

Exit status: 0 every record unique (or solved), 1 some record is anything else, 2 wrong usage,
3 input or output failed. A closed pipe ends the run with 0.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Csv,
    Lines,
    Boj2580,
    Boj2239,
}

impl Format {
    /// Whether it is that of a judge: any solution will do, and nothing else is to be said.
    fn is_judges(self) -> bool {
        matches!(self, Self::Boj2580 | Self::Boj2239)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Input {
    Lines,
    #[value(alias = "boj2580", alias = "boj2239")]
    Grid,
}

impl From<Input> for Layout {
    fn from(input: Input) -> Self {
        match input {
            Input::Lines => Self::Lines,
            Input::Grid => Self::Grid,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    First,
    LexFirst,
}

/// Solves what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let pipeline = pipeline(&args)?;
    let inputs = Inputs::check(args.input)?;
    let mut outputs = Outputs::new(inputs.paths(), args.force);
    let rows = outputs.rows(args.output.as_deref())?;
    let latency = outputs.optional(args.latency.as_deref())?;
    let errors = outputs.optional(args.errors.as_deref())?;
    let summary_json = outputs.optional(args.summary_json.as_deref())?;
    if inputs.wait_for_typing() && !args.format.is_judges() {
        let _ = writeln!(io::stderr(), "reading puzzles from the terminal; Ctrl-D ends");
    }

    let (errors, errors_path) = errors.unzip();
    let bar = progress::bar(inputs.size(), args.quiet || args.format.is_judges());
    let mut notes = Notes::new(errors, bar.clone(), args.quiet);
    let progress = Progress::default();
    let sources =
        inputs.sources().map(|source| Source { layout: args.input_format.into(), ..source });
    let ran =
        progress::watch(&bar, &progress, || pipeline.run(sources, &rows, &mut notes, &progress));
    let report = match ran {
        Ok(report) => report,
        Err(failed) if failed.error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
        Err(failed) => return Err(output_failure(&failed, &rows, errors_path)),
    };
    notes.finish();

    let setup = Setup {
        engine: args.engine,
        simd: args.engine.build(args.simd.unwrap_or_else(SimdLevel::best)).simd(),
        threads: pipeline.threads,
        limits: pipeline.limits,
    };
    let summary = Summary::new(inputs.names(), setup, &report);
    if let Some((file, path)) = latency {
        report.latencies.write_csv(file).map_err(|error| Failure::at(&path, error))?;
    }
    if let Some((file, path)) = summary_json {
        write_json(file, &summary).map_err(|error| Failure::at(&path, error))?;
    }
    if !args.quiet && !args.format.is_judges() {
        let _ = writeln!(io::stderr(), "{summary}");
    }
    ending(&report)
}

/// What was asked for, ready to run.
fn pipeline(args: &Args) -> Result<Pipeline, Failure> {
    let is_listing = args.solutions.is_some();
    let first = args.first || (args.format.is_judges() && !is_listing);
    let count = args.solutions.unwrap_or(NonZeroU32::MIN).max(args.limit);
    let limits = if first { Limits::FIRST } else { Limits::count(count) };
    let smallest =
        args.solution == Which::LexFirst || is_listing || matches!(args.format, Format::Boj2239);
    let (engine, simd) = (args.engine, args.simd.unwrap_or_else(SimdLevel::best));
    Ok(Pipeline {
        threads: args.threads,
        limits: args.max_nodes.map_or(limits, |nodes| limits.with_nodes(nodes)),
        engine: Box::new(move || {
            if smallest { Box::new(engine.build_lex_first(simd)) } else { engine.build(simd) }
        }),
        list: args.solutions.map(|solutions| Listing {
            solutions,
            engine: Box::new(move || engine.build_lex_first(simd)),
        }),
        format: format(args)?,
        ..Pipeline::default()
    })
}

fn format(args: &Args) -> Result<Box<dyn RowFormat + Send>, Failure> {
    match (args.format, &args.columns) {
        (Format::Lines, None) => Ok(Box::new(SolutionLines)),
        (Format::Boj2580, None) => Ok(Box::new(JudgeGrids::Spaced)),
        (Format::Boj2239, None) => Ok(Box::new(JudgeGrids::Plain)),
        (_, Some(_)) if !matches!(args.format, Format::Csv) => Err(Failure::Usage(
            "--columns goes with --format csv; the others are solutions only".into(),
        )),
        (_, Some(columns)) => Ok(Box::new(CsvRows::new(columns.clone()))),
        (Format::Csv, None) => {
            let several = args.input.len() > 1;
            let file = several.then_some(Column::File);
            let columns: Vec<_> = file.into_iter().chain(Column::DEFAULT).collect();
            Ok(Box::new(CsvRows::new(columns)))
        }
    }
}

fn output_failure(failed: &OutputFailure, rows: &RowsOut, errors: Option<PathBuf>) -> Failure {
    let name = match failed.output {
        Output::Rows | Output::State => rows.name(),
        Output::Notes => errors.unwrap_or_default().display().to_string(),
    };
    Failure::Io(format!("{name}: {}; the rows after this are missing", failed.error))
}

fn write_json(file: impl Write, summary: &Summary) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, summary)?;
    writeln!(file)?;
    file.flush()
}

/// The exit status of a run that wrote all it could.
fn ending(report: &Report) -> Result<Exit, Failure> {
    if !report.failures.is_empty() {
        let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
        return Err(Failure::Io(failures.join("\nbulkdoku: ")));
    }
    Ok(if report.counts.all_good() { Exit::Done } else { Exit::SomeRecords })
}
