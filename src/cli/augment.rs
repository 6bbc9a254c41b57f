//! `bulkdoku augment`: isomorphs of puzzles and of their solutions, or their neighbors.

use std::sync::Arc;

use bulkdoku::Status;
use bulkdoku::generate::islands::Change;
use bulkdoku::input::Answers;
use bulkdoku::isomorph::Kinds;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Augment, Leftovers, Neighbors, visible};

use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help, log, numbers};

/// Write isomorphs of puzzles, each with its solution if the input gives one, or their neighbors
///
/// An isomorph has its digits renamed, the rows of its bands, the columns of its stacks, bands and
/// stacks permuted, and is perhaps transposed. Those of a record depend on the seed, the place of
/// its input among all and its line there; the first ones do not depend on how many there are. All
/// differ from each other and from the record. A puzzle with fewer isomorphs has fewer rows.
///
/// With --neighbors, rows are all puzzles that differ from a record in a few clues instead.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each option is given or not")]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("latency", |latency| latency.hide(true)))]
pub struct AugmentArgs {
    #[command(flatten)]
    records: RecordArgs,

    /// Column with the solutions: its name, or its number from 1
    ///
    /// If not given, it is found by its name or its contents.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    solution_column: Option<String>,

    /// How many isomorphs of each record
    #[arg(long, value_name = "N", help_heading = "Isomorphs", default_value = "1",
        value_parser = |text: &str| numbers::within(text, 0, MAX_TIMES))]
    times: u64,

    /// Any number; another one draws other isomorphs
    #[arg(short, long, value_name = "S", help_heading = "Isomorphs",
        required_unless_present = "neighbors", value_parser = numbers::count)]
    seed: Option<u64>,

    /// Add this many cells of the solution to each isomorph: 2, 0..5
    ///
    /// The number and the cells are drawn. The record itself (--original) stays as it is.
    #[arg(long, value_name = "MIN..MAX", help_heading = "Isomorphs", value_parser = parse_hints)]
    hints: Option<(u8, u8)>,

    /// Write each record itself before its isomorphs or neighbors
    #[arg(long, help_heading = "Isomorphs")]
    original: bool,

    /// Write all puzzles a change of clues away instead: -1+1, -1, -2 or +1
    ///
    /// A list such as --neighbors=-1,-2 has several changes. -1+1 removes one clue and adds one, +1
    /// adds one: rows are the puzzles with one solution. -1 and -2 remove clues: rows are all
    /// puzzles, with the solution of the record and the status unique or multiple. No two rows of
    /// a record are isomorphic. Rows also have the columns solution, status, clues and minimal, and
    /// --where selects rows, not records: --where minimal. The record must have one solution.
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Isomorphs",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = |text: &str| text.parse::<Change>(),
        conflicts_with_all =
            ["seed", "times", "hints", "digits", "rows_of_bands", "bands", "transpose"]
    )]
    neighbors: Vec<Change>,

    /// Rename digits
    ///
    /// Without this and the following three options, all four are done.
    #[arg(long, help_heading = "Isomorphs")]
    digits: bool,

    /// Permute the rows of bands, the columns of stacks
    #[arg(long = "rows", help_heading = "Isomorphs")]
    rows_of_bands: bool,

    /// Permute bands, and stacks
    #[arg(long, help_heading = "Isomorphs")]
    bands: bool,

    /// Transpose
    #[arg(long, help_heading = "Isomorphs")]
    transpose: bool,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku augment --times 10 --seed 1 train.csv -o augmented.csv
  bulkdoku augment --times 4 --digits --transpose --seed 1 --original train.csv -o a.jsonl.zst
  shuf -n 100000 large.txt | bulkdoku augment --seed 1 -o isomorphs.csv
  bulkdoku augment --neighbors=-1+1 --where minimal hard.txt -o more.csv

Invalid records have no isomorphs: each has a message, and no row. The same goes for records whose \
solution is incomplete, changes a clue, or breaks the rules (status mismatch). A solution may have \
any form, which it keeps; after the cells of a line, it is 81 digits. A missing one stays missing. \
Whether a solution is the only one is not checked (see bulkdoku check).";

pub static ROWS: RowRules = RowRules {
    name: "augment",
    columns: Column::OF_AUGMENT,
    changes_cells: true,
    ..RowRules::OF_INPUT
};

static NEIGHBOR_ROWS: RowRules = RowRules {
    columns: Column::OF_NEIGHBORS,
    default_columns: &[Column::Puzzle, Column::Solution, Column::Status],
    appended: Some(&[Column::Solution, Column::Status]),
    ..ROWS
};

const MAX_TIMES: u64 = 1_000_000;

fn parse_hints(text: &str) -> Result<(u8, u8), String> {
    let (least, largest) = numbers::clues(text)?.into_inner();
    Ok((least as u8, largest as u8))
}

pub fn run(args: &AugmentArgs, typed: Typed) -> Result<Exit, Failure> {
    typed.refuse(&["--latency"], "no engine is used")?;
    if !args.neighbors.is_empty() {
        return run_neighbors(args, typed);
    }
    let mut task = Task::new(&args.records, args.run, typed, &ROWS);
    let rows = args.rows.plan(&args.rules(), args.records.destinations.path())?;
    if args.times == 0 && !args.original {
        refuse!("--times 0 writes nothing; with --original it writes the records themselves");
    }
    task.rows = Some(&rows);
    task.answers = args.solution_column.clone().map_or(Answers::IfAny, Answers::Column);
    task.settings.method = Method::finding("isomorphs");
    task.settings.typed.set_seed(args.seed.unwrap_or_default());
    let mut run = task.open()?;
    let job = args.isomorphs();
    if job.hints.1 > 0 && !run.inputs.have_answers() {
        refuse!("--hints needs solutions in the input; bulkdoku solve finds them");
    }
    let format = rows.format(&mut run.inputs)?;
    let (kept, is_quiet) = (run.inputs.read(), run.settings.is_quiet());
    let exit = run.write(&job, Vec::new(), format)?;
    if !is_quiet && args.times > 0 {
        note_leftovers(&job.leftovers, &kept);
    }
    Ok(exit)
}

/// Names the columns that are copied although they have the cells of the original.
fn note_leftovers(leftovers: &Leftovers, kept: &[String]) {
    let names = leftovers.fields().filter_map(|field| kept.get(field));
    let names: Vec<_> = names.map(|name| visible(name)).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        log::note(format!("copied unchanged, with cells of the original in it: {names}"));
    }
    if leftovers.has_placed() {
        log::note("solved cells of HoDoKu's lines (+) are clues of the isomorphs");
    }
}

fn run_neighbors(args: &AugmentArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut task = Task::new(&args.records, args.run, typed, &NEIGHBOR_ROWS);
    let rows = args.rows.plan(&NEIGHBOR_ROWS, args.records.destinations.path())?;
    task.rows = Some(&rows);
    task.answers = args.solution_column.clone().map_or(Answers::IfAny, Answers::Column);
    task.settings.method = Method::finding("neighbors");
    task.settings.reported = &[Status::Multiple, Status::Unsolvable];
    let minimal = rows.shows(Column::Minimal) || task.reads(Column::Minimal);
    let mut run = task.open()?;
    let (changes, original) = (args.neighbors.clone(), args.original);
    let job = Neighbors { changes, original, minimal, condition: run.test.take() };
    let format = rows.format(&mut run.inputs)?;
    run.write(&job, Vec::new(), format)
}

impl AugmentArgs {
    /// Returns the rules for rows. Without isomorphs, rows are those of the input.
    fn rules(&self) -> RowRules {
        RowRules { changes_cells: self.times > 0, ..ROWS }
    }

    fn isomorphs(&self) -> Augment {
        let Self { digits, rows_of_bands: rows, bands, transpose, .. } = *self;
        let chosen = Kinds { digits, rows, bands, transpose };
        let has_chosen = digits || rows || bands || transpose;
        let kinds = if has_chosen { chosen } else { Kinds::ALL };
        Augment {
            times: self.times as u32,
            original: self.original,
            seed: self.seed.unwrap_or_default(),
            kinds,
            hints: self.hints.unwrap_or_default(),
            leftovers: Arc::default(),
        }
    }
}
