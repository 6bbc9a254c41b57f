//! `bulkdoku trace`: writes the solving paths of puzzles.

use bulkdoku::output::{Column, Format, PathPages, boards, json_steps, path_text};
use bulkdoku::{Limits, StopFlag};

use super::engine_args::EngineArgs;
use super::format::RowFormat;
use super::row_args::RowRules;
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help};

/// Write the steps that lead from each puzzle to its solution, as a person would take them
///
/// A path consists of rounds: the easiest technique that has an instance, with all instances on the
/// same board. Only puzzles with exactly one solution have a path; each other record has a row
/// without steps.
///
/// Inputs are those of bulkdoku solve: lines, tables, JSON lines, grids.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
pub struct TraceArgs {
    #[command(flatten)]
    records: RecordArgs,

    /// jsonl, text, boards or html [default: jsonl]
    ///
    /// jsonl: an object per record, with technique, effect, and evidence of each step. text: a
    /// sentence for each step and the board after it, and an empty line after each record. boards: a
    /// line of 81 characters for the puzzle and after each placement, and an empty line after each
    /// record. html: a page with a board for each step, about 180 KB per puzzle.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<RowFormat>,

    /// With jsonl: add a sentence to each step
    #[arg(long, help_heading = "Output")]
    sentences: bool,

    /// With jsonl: add all implications of forcing chains and nets
    #[arg(long, help_heading = "Output")]
    implications: bool,

    #[command(flatten)]
    pub engine: EngineArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku trace puzzles.txt -o paths.jsonl.zst
  bulkdoku trace --sentences 4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......
  bulkdoku trace --where 'technique == \"xy-wing\"' puzzles.csv -o wings.jsonl
  bulkdoku trace --format boards puzzles.txt -o boards.txt
  bulkdoku trace --format text puzzles.txt -o words.txt
  bulkdoku trace puzzles.txt -o lessons.html";

/// The steps of a puzzle take about a hundred times as many bytes as the puzzle, so blocks are
/// smaller than those of other runs.
const BLOCK_BYTES: usize = 8 << 10;

pub static ROWS: RowRules = RowRules {
    name: "trace",
    columns: Column::OF_SOLVE,
    default_format: RowFormat::Jsonl,
    is_written: |format| {
        use RowFormat::{Boards, Html, Jsonl, Text};
        matches!(format, Jsonl | Text | Boards | Html)
    },
    appended: None,
    ..RowRules::OF_INPUT
};

pub fn run(args: &TraceArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut task = Task::new(&args.records, args.engine.run, typed, &ROWS);
    let output = args.records.destinations.path();
    let (format, _) = RowFormat::choose(args.format, output, &ROWS)?;
    for (is_set, name) in [(args.sentences, "sentences"), (args.implications, "implications")] {
        if is_set && format != RowFormat::Jsonl {
            refuse!("--{name} goes with --format jsonl");
        }
    }
    args.engine.check_simd()?;
    let solve = args.engine.solve(Limits::PROOF, false, 0);
    task.settings.method = Method::solving(&args.engine, solve.limits);
    task.settings.block_bytes = BLOCK_BYTES;
    let run = task.open()?;
    let (several, stop) = (run.inputs.are_several(), StopFlag::from(run.progress.stop.clone()));
    let rows: Box<dyn Format> = match format {
        RowFormat::Html => Box::new(PathPages(stop)),
        RowFormat::Boards => Box::new(boards(&stop)),
        RowFormat::Text => Box::new(path_text(&stop)),
        _ => Box::new(json_steps(args.sentences, args.implications, several, &stop)),
    };
    run.write(&solve, Vec::new(), rows)
}
