//! `bulkdoku check`: puzzles and their solutions in, one row for each out: `ok`, or what is wrong.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bulkdoku::input::Answers;
use bulkdoku::output::Column;
use bulkdoku::{Compression, Limits, Pipeline};

use super::batch::Batch;
use super::expect::InputArgs;
use super::format::{Format, columns_setting};
use super::outputs::Destinations;
use super::work::WorkArgs;
use super::{Exit, Failure};

/// Check the solutions that inputs give for their puzzles, and write one row for each, in order.
///
/// A record is ok if its solution is a complete grid, keeps what the puzzle gives, obeys the rules,
/// and is the only one. For anything else the row says what is wrong, with the cells and the unit.
///
/// Inputs are tables with a column of puzzles and one of solutions, or lines with the solution
/// behind the puzzle, after spaces, a tab, comma or semicolon.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Files of puzzles and solutions; - or nothing for standard input. gz and zst are read
    /// through.
    input: Vec<PathBuf>,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    expected: InputArgs,

    /// The column of a table that holds the solutions: its name, or its number from 1; if not
    /// given, it is found by its name or by what is in it.
    #[arg(long, value_name = "NAME|NUMBER", help_heading = "Input")]
    solution_column: Option<String>,

    /// How rows are written: csv, tsv or jsonl; if not given, as the output's name says, else csv.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,

    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help = "The columns, in order: file, line, puzzle, answer (the solution as given), status, \
                reason, and of the engine solution, solutions, guesses, nodes, latency_ns \
                [default: line,puzzle,answer,status,reason]"
    )]
    columns: Option<Vec<Column>>,

    /// Look at each solution alone, and not whether it is the only one: no engine is asked.
    #[arg(long, conflicts_with = "max_nodes")]
    first: bool,

    #[command(flatten)]
    work: WorkArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku check sudoku.csv -o checked.csv
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
    let format = args.check_format()?;
    let expected = args.expected.expected(&args.input, args.answers())?;
    let batch = Batch::new(pipeline(&args)?, settings(&args), &args.work);
    batch.run(args.input, &expected, &args.destinations, |several, kept| {
        format.rows(args.columns.as_deref(), &Column::DEFAULT_OF_CHECK, several, kept)
    })
}

/// The options that shape rows, as far as they were given or have defaults: a run is gone on with
/// under the same ones.
fn settings(args: &Args) -> BTreeMap<String, String> {
    let Args {
        input: _,
        destinations: _,
        expected,
        solution_column,
        format: _,
        columns,
        first,
        work,
    } = args;
    let own = [
        ("--solution-column", solution_column.clone()),
        ("--format", Some(args.format().setting())),
        ("--columns", columns.as_deref().map(columns_setting)),
        ("--first", first.then(|| "given".into())),
    ];
    let all = expected.settings().into_iter().chain(own).chain(work.settings());
    all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

/// What was asked for, ready to run.
fn pipeline(args: &Args) -> Result<Pipeline, Failure> {
    let limits = if args.first { Limits::FIRST } else { Limits::PROOF };
    let (engine, simd) = (args.work.engine, args.work.simd());
    let format = args.format();
    Ok(Pipeline {
        threads: args.work.threads,
        limits: args.work.limits(limits),
        engine: Box::new(move || engine.build(simd)),
        check: true,
        // What was typed is refused before any input is looked at, which may tell more about rows.
        format: format.rows(args.columns.as_deref(), &Column::DEFAULT_OF_CHECK, false, &[])?,
        compression: args.destinations.output.as_deref().and_then(Compression::of_name),
        ..Pipeline::default()
    })
}

impl Args {
    /// How rows are written.
    fn format(&self) -> Format {
        Format::chosen(self.format, self.destinations.output.as_deref())
    }

    /// The same, if it can say what is wrong.
    fn check_format(&self) -> Result<Format, Failure> {
        let format = self.format();
        if !format.has_columns() {
            let hint = "shows solutions only; check writes csv, tsv or jsonl";
            return Err(Failure::Usage(format!("the format {} {hint}", format.setting())));
        }
        let of_engine = self.columns.iter().flatten().find(|column| column.is_about_solving());
        if let (true, Some(column)) = (self.first, of_engine) {
            let hint = "with --first no engine is asked; there is no column";
            return Err(Failure::Usage(format!("{hint} {column}")));
        }
        Ok(format)
    }

    /// Where the solutions are.
    fn answers(&self) -> Answers {
        self.solution_column.clone().map_or(Answers::Wanted, Answers::Column)
    }
}
