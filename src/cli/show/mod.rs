//! `bulkdoku show`: draws a puzzle or its candidates, and explains steps.

mod draw;

use std::io::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bulkdoku::bands::{Bands, Level};
use bulkdoku::input::InputOptions;
use bulkdoku::logic::{self, Explained, Explainer, Unrated};
use bulkdoku::output::{PATHS_HEADER, clue_cells, facts, path_section};
use bulkdoku::pipeline::{ReadRecord, visible};
use bulkdoku::puzzle::{CELLS, cell_name};
use bulkdoku::solver::Propagate;
use bulkdoku::{Batch, Engine, Limits, Marks, Outcome, Status};
use clap::ValueEnum;

use super::identity::STDIN;
use super::inputs::Inputs;
use super::sets::PuzzleSet;
use super::{Exit, Failure, extensions, numbers, outputs, print};
use draw::Drawing;

/// Sufficient for nearly all known puzzles.
const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

/// Draw a puzzle with its rating or its candidates, and explain the next steps
///
/// If the puzzle has no solution, it says why.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct ShowArgs {
    /// A puzzle, or a file of puzzles; - reads standard input
    ///
    /// A puzzle is 81 cells, 729 characters of candidates, or a grid of either. A file may be
    /// compressed and have any format that solve reads, and up to 10,000 puzzles, each of which is
    /// shown.
    #[arg(value_name = "PUZZLE|FILE")]
    puzzle: String,

    /// Explain the next step, or this number of steps, in words
    ///
    /// Each step is a sentence and a grid, which marks the cells of its pattern (*), eliminated
    /// candidates (1679-7), and placed digits (=5). Of forcing chains and nets, all implications of
    /// each alternative are listed. Steps are those of bulkdoku trace, without the
    /// ones that an earlier step has made superfluous.
    #[arg(
        long,
        value_name = "STEPS",
        help_heading = "Output",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = |text: &str| numbers::up_to::<NonZeroUsize>(text, MAX_HINTS),
        group = "steps",
        conflicts_with = "candidates"
    )]
    hint: Option<NonZeroUsize>,

    /// Explain all steps to the solution
    #[arg(
        long,
        value_name = "OF",
        help_heading = "Output",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "technique",
        group = "steps",
        conflicts_with = "candidates"
    )]
    path: Option<PathOf>,

    /// Draw the candidates that three rules leave: naked and hidden singles, and locked candidates
    #[arg(long, help_heading = "Output")]
    candidates: bool,

    /// Write the steps to a page, FILE.html, with a board for each
    ///
    /// The file needs no other, and can be printed.
    #[arg(short, long, value_name = "FILE", help_heading = "Output", requires = "steps")]
    output: Option<PathBuf>,

    /// Replace a file that exists
    #[arg(long, requires = "output", help_heading = "Output")]
    force: bool,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku show 4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......
  bulkdoku show PUZZLE --hint
  bulkdoku show PUZZLE --path
  bulkdoku show PUZZLE --path -o path.html
  bulkdoku show --candidates PUZZLE
  bulkdoku show --candidates PUZZLE | bulkdoku solve --columns puzzle

Exit status: 0 success, 1 a puzzle without a solution or an invalid record, 2 invalid usage or no \
puzzle, 3 the file cannot be read.";

/// Whose path is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathOf {
    /// The path of the column `technique`
    Technique,
    /// That of Sudoku Explainer
    Se121,
}

pub fn run(args: &ShowArgs) -> Result<Exit, Failure> {
    if let Some(output) = &args.output {
        extensions::check_one_of(output, "a page", &["html", "htm"])?;
    }
    let PuzzleSet { puzzles, bad, .. } = read(&args.puzzle)?.reported()?;
    let mut exit = if bad == 0 { Exit::Done } else { Exit::SomeRecords };
    if let Some(path) = &args.output {
        let (page, drawn) = args.page(&puzzles);
        let disk = outputs::create(path, args.force, &[args.puzzle.clone().into()])?;
        (&disk.outs[0]).write_all(page.as_bytes())?;
        return Ok(if drawn == Exit::Done { exit } else { drawn });
    }
    for (i, (place, marks)) in puzzles.iter().enumerate() {
        let mut out = String::new();
        if puzzles.len() > 1 {
            let before = if i > 0 { "\n" } else { "" };
            out.extend([before, "# ", place, "\n"]);
        }
        if args.draw(marks, &mut out) != Exit::Done {
            exit = Exit::SomeRecords;
        }
        print(out.as_bytes())?;
    }
    Ok(exit)
}

/// The maximum of `--hint`.
const MAX_HINTS: u64 = 1_000_000;

/// The maximum number of puzzles of a file.
const MAX_PUZZLES: usize = 10_000;

/// Reads the puzzles of a file or standard input (`-`), or parses the argument. Each has its place,
/// `file:line`, unless it is the only one.
fn read(argument: &str) -> Result<PuzzleSet<(String, Marks)>, Failure> {
    if argument != STDIN && !Path::new(argument).exists() {
        return match argument.parse() {
            Ok(marks) => Ok(PuzzleSet::of(String::new(), vec![(String::new(), marks)])),
            Err(error) => {
                refuse!("{}: no such file, and not a puzzle ({error})", visible(argument))
            }
        };
    }
    let mut inputs = Inputs::open_named(vec![argument.into()])?;
    inputs.detect(&InputOptions::default(), &AtomicBool::default())?;
    PuzzleSet::read(inputs.sources().next().expect("there is one"), MAX_PUZZLES, located)
}

#[expect(clippy::unnecessary_wraps, reason = "bench does not take all puzzles")]
fn located(record: &ReadRecord<'_>, marks: Marks) -> Option<(String, Marks)> {
    Some((format!("{}:{}", record.file, record.line), marks))
}

impl ShowArgs {
    /// Returns the number of steps to explain.
    fn hints(&self) -> usize {
        if self.path.is_some() { usize::MAX } else { self.hint.map_or(0, NonZeroUsize::get) }
    }

    fn draw(&self, given: &Marks, out: &mut String) -> Exit {
        let contradiction = contradiction(given);
        if self.hints() > 0 && contradiction.is_none() {
            return match self.steps(given) {
                Ok(steps) => {
                    self.explain_steps(given, steps, out);
                    Exit::Done
                }
                Err(why) => {
                    out.extend([&why, "\n"]);
                    Exit::SomeRecords
                }
            };
        }
        let shown = match contradiction {
            Some(why) => Err(why),
            None if self.candidates => propagated(given),
            None => Ok((*given, rating(given))),
        };
        let exit = if shown.is_ok() { Exit::Done } else { Exit::SomeRecords };
        let (marks, verdict) = shown.unwrap_or_else(|why| (*given, why));
        let drawing = Drawing { marks: &marks, given, step: None, color: wants_color() };
        out.extend([&drawing.to_string(), "\n", &verdict, "\n"]);
        exit
    }

    fn steps(&self, given: &Marks) -> Result<Box<dyn Iterator<Item = Explained>>, String> {
        if self.path != Some(PathOf::Se121) {
            return Ok(Box::new(logic::steps(given).explained()));
        }
        let puzzle = given.puzzle().ok_or("pencil marks have no rating of Sudoku Explainer")?;
        match Explainer::default().steps(&puzzle) {
            Ok(steps) => Ok(Box::new(steps.into_iter())),
            Err(why) => Err(why.to_string()),
        }
    }

    fn explain_steps(
        &self,
        given: &Marks,
        steps: impl Iterator<Item = Explained>,
        out: &mut String,
    ) {
        let mut last = Bands::from(given).board();
        let mut parts = Vec::new();
        for Explained { board, step, explainer } in steps {
            last = board;
            step.apply(&mut last);
            let technique = explainer.unwrap_or_else(|| step.technique.to_string());
            let sentence = step.sentence(cell_name);
            let marked = Some((&step, board.placed));
            let marks = &board.marks();
            let drawing = Drawing { marks, given, step: marked, color: wants_color() };
            let alternatives = step.alternatives(cell_name);
            let alternatives: String = alternatives.map(|it| format!("- {it}\n")).collect();
            parts.push(format!("{technique}: {sentence}\n{alternatives}\n{drawing}"));
            if parts.len() == self.hints() {
                break;
            }
        }
        if parts.len() < self.hints() {
            parts.push(if last.is_solved() { "solved\n" } else { "no technique applies\n" }.into());
        }
        *out += &parts.join("\n");
    }

    fn page(&self, puzzles: &[(String, Marks)]) -> (String, Exit) {
        let (mut page, mut exit) = (String::from(PATHS_HEADER), Exit::Done);
        for (place, marks) in puzzles {
            let name = if place.is_empty() { "Sudoku" } else { place };
            let (contradiction, steps) = (contradiction(marks), self.steps(marks));
            if contradiction.is_some() || steps.is_err() {
                exit = Exit::SomeRecords;
            }
            let facts = contradiction.unwrap_or_else(|| rating(marks));
            let (clues, board) = (clue_cells(&marks.clues()), Bands::from(marks).board());
            let steps = steps.into_iter().flatten().take(self.hints());
            page += &path_section(name, &facts, &board, clues, steps, cell_name);
        }
        (page, exit)
    }
}

/// Returns the candidates that the rules leave, and the verdict below them.
fn propagated(given: &Marks) -> Result<(Marks, String), String> {
    let mut bands = Bands::from(given);
    // The rules meet no contradiction unless the search for a solution gave up.
    let deduced = bands.deduce(Level::LockedCandidates);
    deduced.map_err(|why| format!("contradiction: {}", why.sentence(cell_name)))?;
    let board = bands.board();
    let verdict = match CELLS - board.placed.count_ones() as usize {
        0 => "solved by propagation alone".into(),
        1 => "stuck with 1 cell open".into(),
        open => format!("stuck with {open} cells open"),
    };
    Ok((board.marks(), verdict))
}

/// Returns why a puzzle has no solution: equal clues in a unit, a cell without a candidate, a digit
/// without a place, or the steps that lead there.
fn contradiction(given: &Marks) -> Option<String> {
    if let Some(found) = given.clues().contradiction() {
        return Some(format!("contradiction: {found}"));
    }
    let (mut found, limits) = ([Outcome::NONE], Limits::FIRST.with_nodes(MAX_NODES));
    Propagate::new(Level::LockedCandidates).solve(Batch::Marks(&[*given]), limits, &mut found);
    if found[0].solutions > 0 || found[0].gave_up {
        return None;
    }
    let Some((steps, why)) = logic::refutation(given) else {
        return Some("no solution: a search refutes all candidates".into());
    };
    let why = why.sentence(cell_name);
    if steps.is_empty() {
        return Some(format!("contradiction: {why}"));
    }
    let steps: Vec<_> = steps.iter().map(|step| step.sentence(cell_name)).collect();
    Some(format!("contradiction: {why} after these steps:\n{}", steps.join("\n")))
}

fn rating(given: &Marks) -> String {
    let clues = given.clues().clues();
    match logic::rate(given) {
        Err(Unrated::Several) => facts(clues, Status::Multiple, None, None),
        path => {
            let explained = given.puzzle().and_then(|it| Explainer::default().rate(&it).ok());
            facts(clues, Status::Unique, path.ok().as_ref(), explained)
        }
    }
}

/// Returns whether to use color: by `--color`, the terminal, and environment (no-color.org).
fn wants_color() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
