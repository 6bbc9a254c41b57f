//! The rows of a measurement, and the check of all answers.

use std::num::NonZeroUsize;

use bulkdoku::forms::answer;
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::puzzle::{Grid, Puzzle};
use bulkdoku::text::Line;
use bulkdoku::{Batch, EngineKind, Limits, Outcome, SimdLevel};

use super::BenchArgs;

/// The minimum number of rows of a set; smaller sets are repeated, each time with another
/// permutation.
const ROWS_AT_LEAST: usize = 20_000;

/// The puzzles of a set, repeated, permuted, and shuffled, with their outcomes.
pub struct Task {
    /// The rows as text, without separators.
    pub lines: Vec<Line>,
    puzzles: Vec<Puzzle>,
    expected: Vec<Outcome>,
    /// The number of solutions at which a search ends.
    limit: u32,
}

impl Task {
    /// Draws the rows of a set, and solves them. Solutions are counted up to a limit of at
    /// least 2.
    pub fn new(set: &[Puzzle], args: &BenchArgs) -> Self {
        let rows = args.rows.map(NonZeroUsize::get);
        let least = set.len().max(rows.unwrap_or(ROWS_AT_LEAST));
        let mut puzzles: Vec<_> = set.iter().cycle().take(least).copied().collect();
        let mut rng = SeededRng::new(args.seed);
        rng.shuffle(&mut puzzles);
        puzzles.truncate(rows.unwrap_or(usize::MAX));
        for puzzle in &mut puzzles {
            *puzzle = Permutation::random(&mut rng).puzzle(puzzle);
        }
        Self::of(puzzles, args.limits())
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
        let Some(text) = answer(line).filter(|cells| !cells.contains(&b'.')) else {
            return match expected.solutions {
                1 if !expected.gave_up => Err("without a solution, but its puzzle has one"),
                _ => Ok(()),
            };
        };
        let grid = Grid::try_from(text.map(|digit| digit - b'0'));
        let is_of = |row: usize| grid.as_ref().is_ok_and(|it| it.solves(&self.puzzles[row]));
        match is_of(row) {
            true => Ok(()),
            false if (0..self.puzzles.len()).any(is_of) => Err("out of order"),
            false => Err("wrong"),
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
mod tests {
    use bulkdoku::puzzle::CELLS;

    use super::*;

    #[test]
    fn wrong_outcomes_of_engines_are_detected() {
        let task = Task::of(vec![Puzzle::EMPTY; 2], Limits::PROOF);
        let of = |solutions| Outcome { solutions, ..Outcome::NONE };
        let ones = Grid::try_from([1; CELLS]).unwrap();
        let error = task.check_outcomes(&[Outcome { grid: ones, ..of(1) }]).unwrap_err();
        assert!(error.starts_with("1111"), "{error}");
        let unfinished = Outcome { gave_up: true, ..Outcome::NONE };
        assert_eq!(task.check_outcomes(&[unfinished]), Ok(()));
        let error = task.check_outcomes(&[unfinished, of(0)]).unwrap_err();
        assert!(error.starts_with("0 solutions instead of 2 of ..."), "{error}");
    }
}
