//! The rows of a measurement, and the check of all answers.

use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::puzzle::{CELLS, Grid, Puzzle};
use bulkdoku::text::Line;
use bulkdoku::{Batch, EngineKind, Limits, Outcome, SimdLevel};

use super::measurement::Plan;

/// The puzzles of a set, repeated, permuted, and shuffled, with their outcomes.
pub struct Task {
    /// The rows as text, without separators.
    pub lines: Vec<Line>,
    puzzles: Vec<Puzzle>,
    expected: Vec<Outcome>,
    /// The number of solutions at which a search ends.
    limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The puzzle has several solutions or none.
    None,
    Grid(Line),
    Unreadable,
}

impl Answer {
    /// Reads a line: the solution is the only run of exactly 81 digits. An empty line, `.`, or the
    /// puzzle alone means that there is none, or more than one.
    fn of(line: &[u8]) -> Self {
        let is_digit = |byte: &u8| (b'1'..=b'9').contains(byte);
        let mut runs = line.split(|byte| !is_digit(byte));
        if let Some(grid) = runs.find_map(|run| Line::try_from(run).ok()) {
            return Self::Grid(grid);
        }
        let is_cell = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let has_puzzle = line.iter().take_while(|byte| is_cell(byte)).count() == CELLS;
        let rest = if has_puzzle { &line[CELLS..] } else { line }.trim_ascii();
        let rest = rest.strip_prefix(b",").unwrap_or(rest);
        if matches!(rest, b"" | b".") { Self::None } else { Self::Unreadable }
    }
}

impl Task {
    /// Draws the rows of a set as planned, and solves them. Solutions are counted up to a limit of at
    /// least 2.
    pub fn new(set: &[Puzzle], plan: &Plan) -> Self {
        let least = set.len().max(plan.rows_at_least);
        let mut puzzles: Vec<_> = set.iter().cycle().take(least).copied().collect();
        let mut rng = SeededRng::new(plan.seed);
        rng.shuffle(&mut puzzles);
        puzzles.truncate(plan.rows_at_most.unwrap_or(usize::MAX));
        for puzzle in &mut puzzles {
            *puzzle = Permutation::random(&mut rng).puzzle(puzzle);
        }
        Self::of(puzzles, plan.limits)
    }

    fn of(puzzles: Vec<Puzzle>, limits: Limits) -> Self {
        let mut expected = vec![Outcome::NONE; puzzles.len()];
        let mut engine = EngineKind::default().build(SimdLevel::best());
        let limit = limits.solutions.get();
        let limits = Limits { solutions: limits.solutions.max(Limits::PROOF.solutions), ..limits };
        engine.solve(Batch::Puzzles(&puzzles), limits, &mut expected);
        let lines = puzzles.iter().map(Puzzle::text).collect();
        Self { lines, puzzles, expected, limit }
    }

    /// Checks the line that a command has written for a row.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn check_line(&self, row: usize, line: &[u8]) -> Result<(), &'static str> {
        let expected = &self.expected[row];
        if expected.solutions == 1 && line.trim_ascii() == expected.grid.text() {
            return Ok(());
        }
        match Answer::of(line) {
            Answer::Unreadable => Err("unreadable"),
            Answer::None if expected.solutions == 1 && !expected.gave_up => {
                Err("without a solution, but its puzzle has one")
            }
            Answer::None => Ok(()),
            Answer::Grid(text) => {
                let grid = Grid::try_from(text.map(|digit| digit - b'0'));
                let is_of =
                    |row: usize| grid.as_ref().is_ok_and(|it| it.solves(&self.puzzles[row]));
                match is_of(row) {
                    true => Ok(()),
                    false if (0..self.puzzles.len()).any(is_of) => Err("out of order"),
                    false => Err("wrong"),
                }
            }
        }
    }

    /// Checks that every solution of an engine obeys the rules and keeps the clues of its row, and
    /// that the numbers of solutions are right where no search has given up.
    ///
    /// # Errors
    /// Returns what is wrong with the first row that is.
    pub fn check_outcomes(&self, outcomes: &[Outcome]) -> Result<(), String> {
        for ((outcome, expected), puzzle) in outcomes.iter().zip(&self.expected).zip(&self.puzzles)
        {
            if outcome.solution().is_some_and(|grid| !grid.solves(puzzle)) {
                return Err(format!("{} is not a solution of {puzzle}", outcome.grid));
            }
            let (found, known) = (outcome.solutions, expected.solutions.min(self.limit));
            if found != known && !outcome.gave_up && !expected.gave_up {
                return Err(format!("{found} solutions instead of {known} of {puzzle}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str =
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn task(puzzles: &[&str], limits: Limits) -> Task {
        Task::of(puzzles.iter().map(|text| text.parse().unwrap()).collect(), limits)
    }

    #[test]
    fn answers_of_commands_are_checked() {
        let task = task(&[CLASSIC, &".".repeat(81), SOLVED], Limits::FIRST);
        let swapped = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        for (row, line, expected) in [
            (0, SOLVED, Ok(())),
            (0, &format!("{CLASSIC},{SOLVED}\r"), Ok(())),
            (0, &format!("12 µs: {SOLVED} ok"), Ok(())),
            (1, &swapped, Ok(())),
            (0, &swapped, Err("out of order")),
            (2, &SOLVED.replace('1', "2"), Err("wrong")),
            (0, "", Err("without a solution, but its puzzle has one")),
            (0, ".", Err("without a solution, but its puzzle has one")),
            (0, CLASSIC, Err("without a solution, but its puzzle has one")),
            (1, &format!("{},.", ".".repeat(81)), Ok(())),
            (1, " \r", Ok(())),
            (2, "none", Err("unreadable")),
            (2, &format!("{SOLVED}1"), Err("unreadable")),
        ] {
            assert_eq!(task.check_line(row, line.as_bytes()), expected, "{row} {line:?}");
        }
    }

    #[test]
    fn wrong_outcomes_of_engines_are_detected() {
        let task = task(&[&".".repeat(81), &".".repeat(81)], Limits::PROOF);
        let of = |solutions| Outcome { solutions, ..Outcome::NONE };
        let ones = Grid::try_from([1; CELLS]).unwrap();
        let error = task.check_outcomes(&[Outcome { grid: ones, ..of(1) }]).unwrap_err();
        assert!(error.starts_with("1111"), "{error}");
        let unfinished = Outcome { gave_up: true, ..Outcome::NONE };
        assert_eq!(task.check_outcomes(&[unfinished]), Ok(()));
        let error = task.check_outcomes(&[unfinished, of(0)]).unwrap_err();
        assert!(error.starts_with("0 solutions instead of 2 of ..."), "{error}");
    }

    #[test]
    fn a_small_set_is_repeated_and_a_large_one_cut() {
        let set = [CLASSIC.parse().unwrap(); 2];
        let plan = Plan { rows_at_least: 5, ..Plan::tested() };
        let rows = || Task::new(&set, &plan).puzzles;
        assert!(rows().len() == 5 && rows() == rows() && rows()[0] != rows()[1]);
        let cut = Plan { rows_at_most: Some(1), ..plan.clone() };
        assert_eq!(Task::new(&set, &cut).lines.len(), 1);
    }
}
