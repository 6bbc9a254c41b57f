//! `bulkdoku show`: one puzzle, looked into.

mod draw;
mod trace;

use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroU64;

use bulkdoku::propagate::{Candidates, Contradiction, Names, NoWatch, Watch};
use bulkdoku::solver::Propagate;
use bulkdoku::{Limits, Marks};
use clap::ValueEnum;

use super::{Exit, Failure};
use draw::Drawing;
use trace::Trace;

/// Enough for all but a few puzzles ever seen.
const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

/// Draw a puzzle, its candidates or its solution, and tell how they come about.
///
/// Candidates are found by the two rules of the textbooks: a cell left with one candidate takes it
/// from its row, column and box; a unit left with one place for a digit puts it there. What is
/// left open is solved by guessing in the cell with the fewest candidates.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// 81 cells, 729 characters of candidates, or a grid of either; - reads standard input.
    puzzle: String,

    /// What is drawn: as given, after both rules, or solved [default: givens; propagated with
    /// --candidates or --trace].
    #[arg(long, value_name = "STAGE")]
    stage: Option<Stage>,

    /// List every assignment with its rule, eliminations, guesses with their depth, retreats.
    #[arg(long)]
    trace: bool,

    /// Write candidates as 729 characters, nine for each cell.
    #[arg(long, conflicts_with = "trace")]
    candidates: bool,

    /// What cells are called: letters (A1 to I9) or rc (r1c1 to r9c9).
    #[arg(long, value_name = "STYLE", default_value = "letters")]
    names: Names,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku show 4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......
  bulkdoku show --stage propagated PUZZLE
  bulkdoku show --stage solved --trace --names rc PUZZLE
  bulkdoku show --stage propagated PUZZLE | bulkdoku show --stage solved -

Colour is used on a terminal, unless NO_COLOR is set.

Exit status: 0 shown, 1 there is no solution, 2 wrong usage or no puzzle.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    Givens,
    Propagated,
    Solved,
}

/// What there is to draw, what to say about it, and whether a solution can exist.
struct Shown {
    marks: Marks,
    verdict: Option<String>,
    exit: Exit,
}

/// Shows what `args` name.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let text = read(&args.puzzle)?;
    let given: Marks = text.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let usual = if args.candidates || args.trace { Stage::Propagated } else { Stage::Givens };
    let stage = args.stage.unwrap_or(usual);

    let mut out = String::new();
    let shown = if args.trace {
        let mut trace = Trace::new(args.names);
        let shown = show(stage, &given, args.names, &mut trace);
        out += &trace.text;
        out.push('\n');
        shown
    } else {
        show(stage, &given, args.names, &mut NoWatch)
    };
    if args.candidates {
        out += &shown.marks.to_string();
        out.push('\n');
    } else {
        out += &Drawing { marks: &shown.marks, given: &given, colour: wants_colour() }.to_string();
        shown.verdict.iter().for_each(|verdict| out.extend(["\n", verdict, "\n"]));
    }
    match io::stdout().lock().write_all(out.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Io(format!("standard output: {error}")))
        }
        _ => Ok(shown.exit),
    }
}

/// The puzzle's text, typed or from standard input.
fn read(puzzle: &str) -> Result<String, Failure> {
    let mut text = puzzle.to_owned();
    if puzzle == super::inputs::STDIN {
        text.clear();
        let read = io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Failure::Io(format!("<stdin>: {error}")))?;
    }
    Ok(text)
}

/// Takes the marks as far as `stage`.
fn show(stage: Stage, given: &Marks, names: Names, watch: &mut impl Watch) -> Shown {
    if stage == Stage::Givens {
        return Shown { marks: *given, verdict: None, exit: Exit::Done };
    }
    match propagate(given, watch) {
        Err(contradiction) => Shown {
            marks: *given,
            verdict: Some(format!("contradiction: {}", contradiction.explain(names))),
            exit: Exit::SomeRecords,
        },
        Ok(found) if stage == Stage::Solved => solve(given, &found, watch),
        Ok(found) => {
            let verdict = match found.open() {
                0 => "solved by propagation alone".into(),
                1 => "stuck with 1 cell open".into(),
                open => format!("stuck with {open} cells open"),
            };
            Shown { marks: found.marks(), verdict: Some(verdict), exit: Exit::Done }
        }
    }
}

/// What both rules make of the marks.
fn propagate(given: &Marks, watch: &mut impl Watch) -> Result<Candidates, Contradiction> {
    let mut candidates = Candidates::ALL;
    match given.puzzle() {
        Some(puzzle) => candidates.assign_clues(&puzzle, watch)?,
        None => candidates.eliminate_unmarked(given, watch)?,
    }
    Ok(candidates)
}

/// The first solution of the search, and whether there is another.
fn solve(given: &Marks, found: &Candidates, watch: &mut impl Watch) -> Shown {
    let mut engine = Propagate::new();
    let first = engine.search(Ok(found.clone()), Limits::FIRST.with_nodes(MAX_NODES), watch);
    let Some(grid) = first.solution() else {
        let verdict = if first.gave_up { "gave up: too many guesses" } else { "no solution" };
        let exit = Exit::SomeRecords;
        return Shown { marks: *given, verdict: Some(verdict.into()), exit };
    };
    let limits = Limits::PROOF.with_nodes(MAX_NODES);
    let all = engine.search(Ok(found.clone()), limits, &mut NoWatch);
    let verdict = match (all.solutions, all.gave_up) {
        (2.., _) => "solved; there are other solutions",
        (_, true) => "solved; perhaps there are other solutions",
        (_, false) if first.guesses == 0 => "solved by propagation alone; the only solution",
        (_, false) => "solved; the only solution",
    };
    let marks = Marks::from(&(*grid).into());
    Shown { marks, verdict: Some(verdict.into()), exit: Exit::Done }
}

/// On a terminal, unless `NO_COLOR` is set to anything (no-color.org).
fn wants_colour() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !unwanted
}
