//! `bulkdoku check`: checks the solutions of puzzles.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bulkdoku::input::lines::AnswerLines;
use bulkdoku::input::{Answers, InputOptions, LayoutKind, names};
use bulkdoku::output::{Column, Needs};
use bulkdoku::pipeline::Check;
use bulkdoku::{Limits, Source};

use super::engine_args::EngineArgs;
use super::format::RowFormat;
use super::identity::STDIN;
use super::inputs::Inputs;
use super::row_args::{RowArgs, RowPlan, RowRules, check_proof};
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help};

/// Check the solutions that inputs give for their puzzles; one row for each, in order
///
/// A record is ok if its solution is a complete grid, keeps the clues of the puzzle, obeys the
/// rules, and is the only one. Otherwise the row says what is wrong, with the cells and the unit.
///
/// Inputs are tables with a column of puzzles and one of solutions, or lines with the solution
/// after the puzzle, separated by spaces, a tab, comma or semicolon. With --solutions the solutions
/// are in a file of their own, one for each puzzle in the same order: lines, grids or a table.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("input", |input| input
    .help("Files or folders of puzzles and solutions; - or nothing reads standard input")))]
pub struct CheckArgs {
    #[command(flatten)]
    records: RecordArgs,

    /// The file of the solutions, if not with the puzzles
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    solutions: Option<PathBuf>,

    /// Column with the solutions: its name, or its number from 1
    ///
    /// If not given, it is found by its name or its contents. With --solutions it is a column of
    /// that file.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    solution_column: Option<String>,

    /// What solutions are: text, in which the last grid counts
    ///
    /// For the answers of language models: the last complete grid of a text, in one line or nine, in a
    /// list, or in a table of Markdown or LaTeX; without any, the last one with blank cells.
    #[arg(long, value_name = "FORM", value_parser = ["text"],
        hide_possible_values = true, help_heading = "Input")]
    answers: Option<String>,

    #[command(flatten)]
    rows: RowArgs,

    /// Do not check whether the solution is the only one
    ///
    /// Only the solution itself is checked, without an engine.
    #[arg(
        long,
        help_heading = "Search",
        conflicts_with_all = ["max_nodes", "engine", "simd"]
    )]
    first: bool,

    #[command(flatten)]
    pub engine: EngineArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku check sudoku.csv -o checked.csv
  bulkdoku check puzzles.txt --solutions answers.grid
  bulkdoku check --where 'status == \"mismatch\"' sudoku.csv
  bulkdoku check --columns line,reason sudoku.csv.gz | grep -v ',$'
  bulkdoku check --answers text --solution-column response answers.jsonl
  bulkdoku check --solution-column answer --columns id,status puzzles.tsv -o checked.jsonl
  bulkdoku solve --columns puzzle,solution puzzles.txt | bulkdoku check --first
  paste -d, puzzles.txt solutions.txt | bulkdoku check --quiet > /dev/null && echo all right

Statuses:
  ok             the solution is right, and (without --first) the only one
  mismatch       it is not; the column reason and a message say why
  malformed      not a puzzle; its solution is not checked
  gave_up        the solution is right, but --max-nodes was reached before another was excluded
  internal_error the engine failed or did not find the solution; please report it";

pub static ROWS: RowRules = RowRules {
    name: "check",
    columns: Column::OF_CHECK,
    is_written: |format| format.has_columns() || format == RowFormat::Lines,
    default_columns: &Column::DEFAULT_OF_CHECK,
    appended: Some(&[Column::Status, Column::Reason]),
    names_file: true,
    ..RowRules::OF_INPUT
};

pub fn run(args: &CheckArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut task = Task::new(&args.records, args.engine.run, typed, &ROWS);
    let rows = args.rows.plan(&ROWS, args.records.destinations.path())?;
    args.refuse_ignored(&task, &rows)?;
    let limits = if args.first { Limits::FIRST } else { Limits::PROOF };
    let mut check = Check::new(args.engine.solve(limits, false, 0));
    check.answers_are_texts = args.answers.is_some();
    task.rows = Some(&rows);
    task.answers = match (&args.solutions, &args.solution_column) {
        (Some(_), _) => Answers::Unwanted,
        (None, Some(column)) => Answers::Column(column.clone()),
        (None, None) => Answers::Wanted,
    };
    task.settings.others = args.solutions.iter().cloned().collect();
    task.settings.method =
        Method { check: true, ..Method::solving(&args.engine, check.solve.limits) };
    let is_stdin = |path: &PathBuf| path == Path::new(STDIN);
    if args.solutions.as_ref().is_some_and(is_stdin)
        && (args.records.input.input.is_empty() || args.records.input.input.iter().any(is_stdin))
    {
        refuse!("--solutions -: standard input contains the puzzles; name a file of solutions");
    }
    task.limit = Some(check.solve.limits.solutions);
    let mut run = task.open()?;
    if let Some(path) = &args.solutions {
        let max_record = args.records.layout.max_line;
        run.shifts = Some(Arc::clone(&check.shifts));
        run.answers = Some(open_answers(path, args.solution_column.as_deref(), max_record)?);
    }
    let format = rows.format(&mut run.inputs)?;
    run.write(&check, Vec::new(), format)
}

impl CheckArgs {
    fn refuse_ignored(&self, task: &Task<'_>, rows: &RowPlan) -> Result<(), Failure> {
        let of_engine = rows
            .chosen()
            .chain(task.computed())
            .find(|column| column.needs().include(Needs::SEARCH));
        if let (true, Some(column)) = (self.first, of_engine) {
            refuse!("--first uses no engine, which column {column} requires");
        }
        check_proof(rows, task, self.first.then_some("--first"))?;
        self.engine.check_simd()
    }
}

/// Opens the solutions in `path`. In a table, they are in `column`, which is detected by default. A
/// table of one column is lines, of which blank ones are empty solutions, as without a header.
fn open_answers(
    path: &Path,
    column: Option<&str>,
    max_record: usize,
) -> Result<Source<'static>, Failure> {
    let options = InputOptions { max_record, ..InputOptions::default() };
    let of_column = |name: &str| InputOptions { column: Some(name.into()), ..options.clone() };
    let mut inputs = Inputs::open_named(vec![path.into()])?;
    inputs.column_option = Some("--solution-column");
    if let Some(column) = column {
        inputs.detect(&of_column(column), &AtomicBool::default())?;
    } else if !find_column(&mut inputs, &options, of_column)? {
        inputs.detect(&options, &AtomicBool::default())?;
    }
    let source = inputs.sources().next().expect("there is one");
    let before = match source.layout.table() {
        None if source.layout.kind() == LayoutKind::Lines => 0,
        Some(table) if table.fields == 1 && source.columns.is_none() => {
            table.header.as_ref().map_or(0, |header| header.line)
        }
        _ => return Ok(source),
    };
    Ok(Source { layout: Arc::new(AnswerLines(before)), ..source })
}

/// Finds a column of solutions next to one of puzzles, or with a known name.
fn find_column(
    inputs: &mut Inputs,
    options: &InputOptions,
    of_column: impl Fn(&str) -> InputOptions,
) -> Result<bool, Failure> {
    let beside_puzzles = InputOptions { answers: Answers::Wanted, ..options.clone() };
    let by_name = names::of_solutions(true).map(of_column);
    for options in [beside_puzzles].into_iter().chain(by_name) {
        match inputs.detect(&options, &AtomicBool::default()) {
            Ok(()) if inputs.layouts().all(|layout| layout.kind() != LayoutKind::Lines) => {
                return Ok(true);
            }
            Err(failed @ Failure::Io(_)) => return Err(failed),
            _ => {}
        }
    }
    Ok(false)
}
