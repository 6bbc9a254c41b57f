//! `bulkdoku solve`: solves puzzles.

use std::io::{self, IsTerminal};
use std::num::NonZeroU32;

use bulkdoku::output::{Column, Needs};
use bulkdoku::pipeline::{List, Solve};
use bulkdoku::{Limits, Status};

use super::engine_args::{EngineArgs, LimitArgs};
use super::format::RowFormat;
use super::origin::typed_puzzle;
use super::row_args::{PageArgs, RowArgs, RowPlan, RowRules, check_proof};
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help, numbers};

/// Solve puzzles and write one row for each, in order
///
/// Inputs are puzzle lines, tables (CSV, TSV, …) with a column of puzzles, JSON lines, or grids of
/// nine lines. The layout of each input is detected, and reported unless it is lines.
///
/// A puzzle line has 81 cells: 1 to 9, and one of 0 . _ * - x X ? for a blank. Text after them is
/// ignored if a space, tab, comma or semicolon separates it. Blank lines and lines that start with
/// # are not records. Every other line has a row, whatever is wrong with it.
///
/// By default each puzzle is searched until a second solution is found or excluded.
///
/// If the only argument is a puzzle and the output is a terminal, its solution is drawn.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
pub struct SolveArgs {
    #[command(flatten)]
    records: RecordArgs,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    page: PageArgs,

    /// Rate guesses by their geometric mean over K isomorphs
    ///
    /// They are drawn from the canonical form, so all isomorphs of a puzzle have the same rating.
    /// It is the geometric mean of guesses + 1, minus 1.
    #[arg(long, value_name = "K", help_heading = "Search",
        value_parser = |text: &str| numbers::up_to::<NonZeroU32>(text, 10_000))]
    rating_over: Option<NonZeroU32>,

    #[command(flatten)]
    limit: LimitArgs,

    /// List up to this many solutions, a row for each
    ///
    /// They are in ascending order as numbers of 81 digits: with 1, the solution is the smallest, the same
    /// for every engine.
    #[arg(long, value_name = "N", help_heading = "Search",
        value_parser = numbers::at_least_1::<NonZeroU32>, conflicts_with_all = ["first", "condition"])]
    solutions: Option<NonZeroU32>,

    #[command(flatten)]
    pub engine: EngineArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku solve puzzles.txt -o results.csv --latency latency.csv
  bulkdoku solve --format lines puzzles.txt > solutions.txt
  bulkdoku solve --first --columns puzzle,solution puzzles.txt.gz | head
  bulkdoku solve --limit 1000 --columns line,solutions,status several.txt
  bulkdoku solve sudoku.csv --column quizzes --columns '*,solution' -o solved.csv
  bulkdoku solve --resume sudoku.csv -o solved.csv
  bulkdoku solve --where 'status == \"unique\"' --columns puzzle,technique,difficulty,se121 puzzles.txt -o rated.csv
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

Columns about a puzzle with one solution, empty for others:
  technique      the hardest technique of the path that a person takes
                 (about 12,000 minimal puzzles per second and core)
  difficulty     HoDoKu's level of it: easy, medium, hard, unfair, extreme
  score          the sum of HoDoKu's scores of all steps
  steps          the number of steps; techniques: of each technique
  se121          the rating of Sudoku Explainer 1.2.1, 1.0 to 11 and more
                 (about 4,000 minimal puzzles per second and core, but
                 fewer than ten of the hardest)
  guess_rating   guesses of the proof of this isomorph; with --rating-over K
                 their geometric mean over K isomorphs, the same for all of
                 them. It is not the rating of Sudoku Explainer
  minimal        whether each clue is needed (much slower to compute)

The column reason has what is wrong with a malformed or contradictory record, as its message does.";

pub static ROWS: RowRules = RowRules {
    name: "solve",
    columns: Column::OF_SOLVE,
    is_written: |format| !format.is_path(),
    default_columns: &Column::DEFAULT,
    appended: None,
    names_file: true,
    single: Column::Solution,
    ..RowRules::OF_INPUT
};

pub fn run(args: &SolveArgs, typed: Typed) -> Result<Exit, Failure> {
    let is_drawn = args.is_drawn(&typed);
    let mut task = Task::new(&args.records, args.engine.run, typed, &ROWS);
    let rows = args.rows.plan(&ROWS, args.records.destinations.path())?;
    let mut rows = rows.with_pages(&args.page)?;
    if is_drawn {
        rows.format = RowFormat::Grid;
        task.settings.only_rows = true;
    }
    args.refuse_ignored(&task, &rows)?;
    let solve = args.solve(&rows);
    task.rows = Some(&rows);
    task.settings.method = Method::solving(&args.engine, solve.limits);
    if rows.format.is_judges() {
        task.settings.only_rows = true;
        task.settings.reported = &[Status::Unsolvable, Status::GaveUp];
    }
    task.limit = Some(solve.limits.solutions);
    let mut run = task.open()?;
    let format = rows.format(&mut run.inputs)?;
    match args.solutions {
        None => run.write(&solve, Vec::new(), format),
        Some(solutions) => run.write(&List { solve, solutions }, Vec::new(), format),
    }
}

impl SolveArgs {
    /// Returns whether the only argument is a puzzle, and its solution is for a terminal.
    fn is_drawn(&self, typed: &Typed) -> bool {
        let is_only = typed.options.keys().all(|name| !name.starts_with("--"));
        let [argument] = &self.records.input.input[..] else { return false };
        is_only && io::stdout().is_terminal() && typed_puzzle(argument).is_some()
    }

    fn solve(&self, rows: &RowPlan) -> Solve {
        let listed = self.solutions;
        let first = self.limit.first || (rows.format.is_judges() && listed.is_none());
        let count = listed.unwrap_or(NonZeroU32::MIN).max(self.limit.solutions());
        let limits = if first { Limits::FIRST } else { Limits::count(count) };
        let is_smallest = listed.is_some() || rows.format == RowFormat::Boj2239;
        let isomorphs = self.rating_over.map_or(0, NonZeroU32::get);
        self.engine.solve(limits, is_smallest, isomorphs)
    }

    fn refuse_ignored(&self, task: &Task<'_>, rows: &RowPlan) -> Result<(), Failure> {
        if self.solutions.zip(self.limit.limit).is_some_and(|(listed, limit)| limit < listed) {
            refuse!("--limit is less than --solutions, which counts as far as it lists");
        }
        if self.limit.limit.is_some() && rows.format.is_judges() {
            refuse!("--limit does nothing: judges do not count solutions");
        }
        let of_puzzle =
            |column: &Column| *column == Column::Clues || !Needs::SEARCH.include(column.needs());
        if let Some(column) = rows.chosen().find(of_puzzle).filter(|_| self.solutions.is_some()) {
            refuse!(
                "the column {column} needs one row for each record; --solutions writes several"
            );
        }
        let rates = rows.shows(Column::GuessRating) || task.reads(Column::GuessRating);
        if self.rating_over.is_some() && !rates {
            refuse!(
                "--rating-over does nothing: no column shows it; --columns …,guess_rating does"
            );
        }
        check_proof(rows, task, self.limit.without_proof())?;
        self.engine.check_simd()
    }
}
