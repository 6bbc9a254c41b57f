//! `bulkdoku solve`: puzzle lines in, one row for each out.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use bulkdoku::input::Answers;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Sameness, Sift};
use bulkdoku::{Compression, Limits, Pipeline};
use clap::ValueEnum;

use super::against::AgainstArgs;
use super::batch::Batch;
use super::engine_args::EngineArgs;
use super::format::{Format, columns_setting};
use super::input_args::InputArgs;
use super::outputs::Destinations;
use super::readers::READERS;
use super::select::SelectArgs;
use super::{Exit, Failure, endings, help, numbers};

/// Solve puzzles and write one row for each, in order
///
/// Inputs are puzzle lines, tables (CSV, TSV, …) with a column of puzzles, JSON lines, or grids of
/// nine lines: each one is looked at, and what was found is reported where it is more than lines.
///
/// A puzzle line has 81 cells: 1 to 9, and one of 0 . _ * - x X ? for a blank. Text behind them
/// after a space, tab, comma or semicolon is not read; blank lines and lines that start with # are
/// no records. Every other line gets its row, whatever is wrong with it.
///
/// By default each puzzle is searched until a second solution is found or excluded.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{READERS}"))]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// Files, or puzzles themselves; - or nothing reads standard input
    ///
    /// A puzzle is 81 cells or 729 characters of pencil marks. Files may be compressed: gz,
    /// zst, xz, bz2, lz4 or zlib.
    input: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl, parquet, npy, lines, grid, boj2580 or boj2239
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Output",
        hide_possible_values = true,
        long_help = help::values::<Format>(
            "How rows are written; if not given, as the output's name says (.csv .tsv .jsonl .ndjson .parquet \
             .npy .lines .grid, most of them before a .gz or .zst), else csv:"
        )
    )]
    format: Option<Format>,

    /// Columns of csv, tsv and jsonl, in order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Output",
        value_delimiter = ',',
        value_parser = parse_column,
        long_help = "The columns of csv, tsv and jsonl, in order: file, line, puzzle, solution, \
                     status, solutions, guesses, nodes, latency_ns, clues, level, rating, canonical, \
                     automorphisms, minimal"
    )]
    columns: Option<Vec<Column>>,

    #[command(flatten)]
    select: SelectArgs,

    #[command(flatten)]
    against: AgainstArgs,

    /// Stop at the first solution, without proof
    ///
    /// Whether there is another one is not looked at: the status is solved.
    #[arg(long, help_heading = "Search", conflicts_with = "limit")]
    first: bool,

    /// Count solutions up to this many [default: 2]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Search",
        value_parser = numbers::at_least_1::<NonZeroU32>
    )]
    limit: Option<NonZeroU32>,

    /// Of several solutions the first, or lex-first
    #[arg(
        long,
        value_name = "WHICH",
        help_heading = "Search",
        hide_possible_values = true,
        long_help = help::values::<Which>("Which solution of several is shown:")
    )]
    solution: Option<Which>,

    /// List up to this many solutions, a row for each
    ///
    /// The smallest comes first.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Search",
        conflicts_with = "first",
        value_parser = numbers::at_least_1::<NonZeroU32>
    )]
    solutions: Option<NonZeroU32>,

    #[command(flatten)]
    work: EngineArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku solve puzzles.txt -o results.csv --latency latency.csv
  bulkdoku solve --format lines puzzles.txt > solutions.txt
  bulkdoku solve --first --columns puzzle,solution puzzles.txt.gz | head
  bulkdoku solve puzzles.txt.zst -o results.jsonl.zst
  bulkdoku solve --limit 1000 --columns line,solutions,status several.txt
  bulkdoku solve sudoku.csv --column quizzes --keep id -o solved.csv
  bulkdoku solve --resume sudoku.csv -o solved.csv

  bulkdoku solve --only unique --columns puzzle,solution,level puzzles.txt -o graded.csv
  bulkdoku solve --split-by level puzzles.txt -o 'levels/{}.csv'
  bulkdoku solve --against train.csv puzzles.txt -o unseen.csv
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
  known          --against: the class is in the other set; it is counted and has no row
  internal_error the engine failed; please report it

Columns about a puzzle with one solution, empty for others:
  level          rules that solve it: 0 naked singles, 1 hidden singles, 2 locked candidates and
                 minirows, 3 none of these: something has to be assumed
  rating         guesses of the proof, of this drawing of the puzzle; --rating-over K: the geometric mean
                 over K isomorphs, the same for all isomorphs. Not a rating of Sudoku Explainer's
  minimal        whether each clue is needed

Exit status: 0 every record unique (or solved, known), 1 some record is anything else, 2 wrong usage,
3 input or output failed, 130 interrupted. A closed pipe ends the run with 0.

The first SIGINT (Ctrl-C) or SIGTERM writes what is solved and ends the run, a second one ends it at
once. Until a run is complete, FILE.resume stands beside its output FILE: with it --resume goes on
after any end, even a kill.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// The first that the engine finds (the default)
    First,
    /// The smallest as an 81-digit number, the same for every engine
    LexFirst,
}

/// Solves what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let format = Format::chosen(args.format, args.destinations.output.as_deref())?;
    format.check_resume(args.destinations.resume)?;
    args.select.check_format(format)?;
    args.refuse_ignored(format)?;
    let expected = args.expected.expected(&args.input, Answers::Unwanted)?;
    format.check_kept(&expected)?;
    let mut destinations = args.destinations.clone();
    let others = args.select.outputs(&mut destinations)?;
    let batch = Batch::new(pipeline(&args, format)?, settings(&args, format), &args.work);
    let drops_empty = args.select.splits();
    let batch = Batch { only_rows: format.is_judges(), others, drops_empty, ..batch };
    batch.run(args.input, &expected, &destinations, |several, kept| {
        format.rows(args.columns.as_deref(), &Column::DEFAULT, several, kept)
    })
}

/// The options that shape rows, as far as they were given or have defaults: `--resume` needs the
/// same ones.
fn settings(args: &Args, format: Format) -> BTreeMap<String, String> {
    let Args {
        input: _,
        destinations: _,
        expected,
        format: _,
        columns,
        select,
        against,
        first,
        limit: _,
        solution: _,
        solutions,
        work,
    } = args;
    let own = [
        ("--format", Some(format.setting())),
        ("--columns", columns.as_deref().map(columns_setting)),
        ("--first", first.then(|| "given".into())),
        ("--limit", Some(args.limit().to_string())),
        ("--solution", Some(format!("{:?}", args.solution()).to_lowercase())),
        ("--solutions", solutions.map(|n| n.to_string())),
        ("--against", against.setting()),
    ];
    let all = expected.settings().chain(own).chain(select.settings()).chain(work.settings());
    all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

/// What was asked for, ready to run.
fn pipeline(args: &Args, format: Format) -> Result<Pipeline, Failure> {
    let is_listing = args.solutions.is_some();
    let first = args.first || (format.is_judges() && !is_listing);
    let count = args.solutions.unwrap_or(NonZeroU32::MIN).max(args.limit());
    let limits = if first { Limits::FIRST } else { Limits::count(count) };
    let smallest = args.solution() == Which::LexFirst || is_listing || format == Format::Boj2239;
    let (engine, simd) = (args.work.engine(), args.work.simd());
    let known = args.against.load(Sameness::Class, &args.work.run, args.expected.stream())?;
    Ok(Pipeline {
        facts: args.select.facts(args.columns.as_deref().unwrap_or(&Column::DEFAULT)),
        sift: known.map(|known| Arc::new(known) as Arc<dyn Sift>),
        route: args.select.route(),
        outputs: args.select.count(),
        threads: args.work.run.threads,
        limits: args.work.limits(limits),
        engine: Box::new(move || {
            if smallest { Box::new(engine.build_lex_first(simd)) } else { engine.build(simd) }
        }),
        list: args.solutions,
        // What was typed is refused before any input is looked at, which may tell more about rows.
        format: format.rows(args.columns.as_deref(), &Column::DEFAULT, false, &[])?,
        compression: args.destinations.output.as_deref().and_then(Compression::of_name),
        ..Pipeline::default()
    })
}

/// Reads a column that solved puzzles can have.
fn parse_column(name: &str) -> Result<Column, String> {
    let column: Column = name.parse().map_err(|error| format!("{error}"))?;
    if column.is_about_corpus() {
        return Err("is a column of bulkdoku generate".into());
    }
    if column.is_about_check() {
        return Err("is a column of bulkdoku check".into());
    }
    if column == Column::Copy {
        return Err("is a column of bulkdoku augment".into());
    }
    Ok(column)
}

impl Args {
    /// Where the count of solutions ends.
    fn limit(&self) -> NonZeroU32 {
        self.limit.unwrap_or(Limits::PROOF.solutions)
    }

    /// Which solution of several is shown.
    fn solution(&self) -> Which {
        self.solution.unwrap_or(Which::First)
    }

    /// Refuses options that would change nothing beside others, and names that would mislead.
    fn refuse_ignored(&self, format: Format) -> Result<(), Failure> {
        let is_listing = self.solutions.is_some();
        let first_of_several = self.solution == Some(Which::First);
        let ignored = [
            (
                self.solutions.zip(self.limit).is_some_and(|(listed, limit)| limit < listed),
                "--limit is less than --solutions, which counts as far as it lists",
            ),
            (
                is_listing && first_of_several,
                "--solutions lists the smallest solutions; --solution first cannot be had with it",
            ),
            (
                format.is_judges() && self.limit.is_some(),
                "--limit does nothing: a judge's format counts no solutions",
            ),
            (
                format == Format::Boj2239 && first_of_several,
                "--format boj2239 shows the smallest solution; --solution first cannot be had \
                 with it",
            ),
        ];
        if let Some((_, why)) = ignored.iter().find(|(is_ignored, _)| *is_ignored) {
            return Err(Failure::Usage((*why).into()));
        }
        let columns = self.columns.as_deref();
        if let Some(option) = self.select.option(columns).filter(|_| is_listing) {
            let hint = "goes with a row for each record";
            return Err(Failure::Usage(format!("{option} {hint}; --solutions writes several")));
        }
        if is_listing && self.against.is_given() {
            let hint = "--against goes with a row for each record; --solutions writes several";
            return Err(Failure::Usage(hint.into()));
        }
        self.select.check(columns, self.first, &self.destinations)?;
        self.against.check(&self.input, &self.destinations)?;
        self.work.check_simd()?;
        endings::check_sides(&self.destinations)
    }
}
