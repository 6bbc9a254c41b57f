//! `bulkdoku check`: puzzles and their solutions in, one row for each out: `ok`, or what is wrong.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bulkdoku::input::Answers;
use bulkdoku::output::Column;
use bulkdoku::{Compression, Limits, Pipeline};

use super::batch::Batch;
use super::engine_args::EngineArgs;
use super::format::{Format, columns_setting};
use super::input_args::InputArgs;
use super::outputs::Destinations;
use super::select::SelectArgs;
use super::{Exit, Failure, answers, endings};

/// Check the solutions that inputs give for their puzzles; one row for each, in order
///
/// A record is ok if its solution is a complete grid, keeps what the puzzle gives, obeys the rules,
/// and is the only one. For anything else the row says what is wrong, with the cells and the unit.
///
/// Inputs are tables with a column of puzzles and one of solutions, or lines with the solution
/// behind the puzzle, after spaces, a tab, comma or semicolon. With --solutions the solutions stand
/// in a file of their own, one for each puzzle in the same order: lines, grids or a table.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// Files of puzzles and solutions; - or nothing reads standard input
    ///
    /// They may be compressed: gz, zst, xz, bz2, lz4 or zlib.
    input: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    /// The file of the solutions, if not beside the puzzles
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    solutions: Option<PathBuf>,

    /// Column with the solutions: its name, or its number from 1
    ///
    /// If not given, it is found by its name or by what is in it. With --solutions it is a column
    /// of that file.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    solution_column: Option<String>,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv or jsonl
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Output",
        hide_possible_values = true,
        long_help = "How rows are written: csv, tsv or jsonl; if not given, as the output's name says, \
                     else csv"
    )]
    format: Option<Format>,

    /// The columns, in order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Output",
        value_delimiter = ',',
        long_help = "The columns, in order: file, line, puzzle, answer (the solution as given), \
                     status, reason, and of the engine solution, solutions, guesses, nodes, \
                     latency_ns, and of the puzzle clues, level, rating, canonical, automorphisms, minimal \
                     [default: line,puzzle,answer,status,reason]"
    )]
    columns: Option<Vec<Column>>,

    #[command(flatten)]
    select: SelectArgs,

    /// Do not look whether the solution is the only one
    ///
    /// Each solution is looked at by itself, and no engine is asked.
    #[arg(long, help_heading = "Search", conflicts_with = "max_nodes")]
    first: bool,

    #[command(flatten)]
    work: EngineArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku check sudoku.csv -o checked.csv
  bulkdoku check puzzles.txt --solutions answers.grid
  bulkdoku check --only mismatch sudoku.csv
  bulkdoku check --columns line,reason sudoku.csv.gz | grep -v ',$'
  bulkdoku check --solution-column answer --keep id puzzles.tsv -o checked.jsonl
  bulkdoku solve --columns puzzle,solution puzzles.txt | bulkdoku check --first
  paste -d, puzzles.txt solutions.txt | bulkdoku check --quiet > /dev/null && echo all right

Statuses:
  ok             the solution is right, and (without --first) the only one
  mismatch       it is not; the column reason says why, and so does a message
  malformed      not a puzzle; its solution is not looked at
  gave_up        the solution is right, but --max-nodes was reached before another was excluded
  internal_error the engine failed or has not found the solution; please report it

Exit status: 0 every record ok, 1 some record is anything else, 2 wrong usage, 3 input or output
failed, 130 interrupted. A closed pipe ends the run with 0.

The first SIGINT (Ctrl-C) or SIGTERM writes what is checked and ends the run, a second one ends it
at once. Until a run is complete, FILE.resume stands beside its output FILE: with it --resume goes
on after any end, even a kill.";

/// Checks what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let format = Format::chosen(args.format, args.destinations.output.as_deref())?;
    format.check_resume(args.destinations.resume)?;
    args.select.check_format(format)?;
    args.check_format(format)?;
    args.refuse_ignored()?;
    let expected = args.expected.expected(&args.input, args.answers())?;
    let mut pipeline = pipeline(&args, format)?;
    if let Some(path) = &args.solutions {
        answers::check(path, &args.input, &args.destinations)?;
        let column = args.solution_column.as_deref();
        pipeline.answers = Some(answers::open(path, column, args.expected.stream())?.into());
    }
    let mut destinations = args.destinations.clone();
    let others = args.select.outputs(&mut destinations)?;
    let batch = Batch::new(pipeline, settings(&args, format), &args.work);
    let batch = Batch { others, drops_empty: args.select.splits(), ..batch };
    batch.run(args.input, &expected, &destinations, |several, kept| {
        format.rows(args.columns.as_deref(), &Column::DEFAULT_OF_CHECK, several, kept)
    })
}

/// The options that shape rows, as far as they were given or have defaults: `--resume` needs the
/// same ones.
fn settings(args: &Args, format: Format) -> BTreeMap<String, String> {
    let Args {
        input: _,
        destinations: _,
        expected,
        solutions,
        solution_column,
        format: _,
        columns,
        select,
        first,
        work,
    } = args;
    let own = [
        ("--solutions", solutions.as_deref().map(answers::state)),
        ("--solution-column", solution_column.clone()),
        ("--format", Some(format.setting())),
        ("--columns", columns.as_deref().map(columns_setting)),
        ("--first", first.then(|| "given".into())),
    ];
    let all = expected.settings().chain(own).chain(select.settings()).chain(work.settings());
    all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

/// What was asked for, ready to run.
fn pipeline(args: &Args, format: Format) -> Result<Pipeline, Failure> {
    let limits = if args.first { Limits::FIRST } else { Limits::PROOF };
    let (engine, simd) = (args.work.engine(), args.work.simd());
    Ok(Pipeline {
        threads: args.work.run.threads,
        limits: args.work.limits(limits),
        engine: Box::new(move || engine.build(simd)),
        check: true,
        facts: args.select.facts(args.columns.as_deref().unwrap_or(&Column::DEFAULT_OF_CHECK)),
        route: args.select.route(),
        outputs: args.select.count(),
        // What was typed is refused before any input is looked at, which may tell more about rows.
        format: format.rows(args.columns.as_deref(), &Column::DEFAULT_OF_CHECK, false, &[])?,
        compression: args.destinations.output.as_deref().and_then(Compression::of_name),
        ..Pipeline::default()
    })
}

impl Args {
    /// Refuses a format that cannot say what is wrong, and columns that would be empty.
    fn check_format(&self, format: Format) -> Result<(), Failure> {
        if !format.has_columns() {
            let hint = "shows solutions only; check writes csv, tsv or jsonl";
            return Err(Failure::Usage(format!("the format {} {hint}", format.setting())));
        }
        for column in self.columns.iter().flatten() {
            let of = match column {
                Column::Copy => "augment",
                column if column.is_about_corpus() => "generate",
                _ => continue,
            };
            return Err(Failure::Usage(format!("the column {column} is one of bulkdoku {of}")));
        }
        let of_engine = self.columns.iter().flatten().find(|column| column.is_about_solving());
        if let (true, Some(column)) = (self.first, of_engine) {
            let hint = "with --first no engine is asked; there is no column";
            return Err(Failure::Usage(format!("{hint} {column}")));
        }
        Ok(())
    }

    /// Refuses options that would change nothing beside others, and names that would mislead.
    fn refuse_ignored(&self) -> Result<(), Failure> {
        if let (true, Some(option)) = (self.first, self.work.about_engine()) {
            let hint = "with --first no engine is asked";
            return Err(Failure::Usage(format!("{option} does nothing: {hint}")));
        }
        self.select.check(self.columns.as_deref(), self.first, &self.destinations)?;
        self.work.check_simd()?;
        endings::check_sides(&self.destinations)
    }

    /// Where the solutions are.
    fn answers(&self) -> Answers {
        if self.solutions.is_some() {
            return Answers::Unwanted;
        }
        self.solution_column.clone().map_or(Answers::Wanted, Answers::Column)
    }
}
