//! `bulkdoku solve`: puzzle lines in, one row for each out.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use bulkdoku::output::Column;
use bulkdoku::pipeline::Listing;
use bulkdoku::{Compression, EngineKind, Limits, Pipeline, SimdLevel};
use clap::ValueEnum;

use super::batch::Batch;
use super::expect::InputArgs;
use super::format::Format;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::{Exit, Failure, parse_threads};

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
    /// Files of puzzle lines; - or nothing for standard input. gz and zst are read through.
    input: Vec<PathBuf>,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    expected: InputArgs,

    /// How rows are written; if not given, as the output's name says (.csv .tsv .jsonl .ndjson
    /// .lines .grid, before a .gz or .zst), else csv.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help = "The columns of csv, tsv and jsonl, in order: file, line, puzzle, solution, status, \
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
  bulkdoku solve --first --columns puzzle,solution puzzles.txt.gz | head
  bulkdoku solve puzzles.txt.zst -o results.jsonl.zst
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
3 input or output failed, 130 interrupted. A closed pipe ends the run with 0.

The first SIGINT (Ctrl-C) or SIGTERM writes what is solved and ends the run, a second one ends it at
once. Until a run is complete, FILE.resume stands beside its output FILE: with it --resume goes on
after any end, even a kill.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    First,
    LexFirst,
}

/// Solves what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let expected = args.expected.expected(&args.input)?;
    let format = args.format();
    if expected.keep.is_some() && !format.has_columns() {
        let hint = "--keep goes with --format csv, tsv and jsonl; the others have no columns";
        return Err(Failure::Usage(hint.into()));
    }
    let simd = args.simd.unwrap_or_else(SimdLevel::best);
    let mut batch = Batch {
        pipeline: pipeline(&args)?,
        settings: settings(&args),
        engine: args.engine,
        simd: args.engine.build(simd).simd(),
        quiet: args.quiet,
        only_rows: format.is_judges(),
    };
    let mut inputs = Inputs::check(args.input)?;
    batch.look(&mut inputs, &expected)?;
    let several = inputs.paths().len() > 1;
    batch.pipeline.format = format.rows(args.columns.as_deref(), several, &inputs.kept())?;
    batch.run(inputs, &args.destinations)
}

/// The options that shape rows, as far as they were given or have defaults: a run is gone on with
/// under the same ones.
fn settings(args: &Args) -> BTreeMap<String, String> {
    let Args {
        input: _,
        destinations: _,
        expected,
        format: _,
        columns,
        first,
        limit,
        solution,
        solutions,
        max_nodes,
        threads: _,
        engine,
        simd: _,
        quiet: _,
    } = args;
    let columns = columns.as_ref().map(|columns| {
        let names: Vec<_> = columns.iter().map(ToString::to_string).collect();
        names.join(",")
    });
    let all = [
        ("--format", Some(format!("{:?}", args.format()).to_lowercase())),
        ("--columns", columns),
        ("--first", first.then(|| "given".into())),
        ("--limit", Some(limit.to_string())),
        ("--solution", Some(format!("{solution:?}").to_lowercase())),
        ("--solutions", solutions.map(|n| n.to_string())),
        ("--max-nodes", max_nodes.map(|n| n.to_string())),
        ("--engine", Some(engine.to_string())),
    ];
    let all = expected.settings().into_iter().chain(all);
    all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

/// What was asked for, ready to run.
fn pipeline(args: &Args) -> Result<Pipeline, Failure> {
    let is_listing = args.solutions.is_some();
    let format = args.format();
    let first = args.first || (format.is_judges() && !is_listing);
    let count = args.solutions.unwrap_or(NonZeroU32::MIN).max(args.limit);
    let limits = if first { Limits::FIRST } else { Limits::count(count) };
    let smallest = args.solution == Which::LexFirst || is_listing || format == Format::Boj2239;
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
        format: format.rows(args.columns.as_deref(), args.input.len() > 1, &[])?,
        compression: args.destinations.output.as_deref().and_then(Compression::of_name),
        ..Pipeline::default()
    })
}

impl Args {
    /// How rows are written: as was said, or as the output's name says.
    fn format(&self) -> Format {
        let of_name = || self.destinations.output.as_deref().and_then(Format::of_name);
        self.format.or_else(of_name).unwrap_or_default()
    }
}
