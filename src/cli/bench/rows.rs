//! The rows of a measurement: the puzzles of a set, repeated, permuted, and shuffled.

use std::borrow::Cow;
use std::ops::Range;

use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::puzzle::Puzzle;
use bulkdoku::text::Line;

use super::measurement::Plan;
use crate::cli::sets::PuzzleSet;

/// Rows as text, 81 characters each, without separators.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows(Vec<Line>);

pub const ROWS_ARE_VALID: &str = "the rows of a set are valid puzzles";

impl Rows {
    /// Returns the rows of a set, as planned.
    pub fn new(set: &PuzzleSet, plan: &Plan) -> Self {
        let most = plan.rows_at_most.unwrap_or(usize::MAX);
        let count = set.puzzles.len().max(plan.rows_at_least).min(most);
        let puzzles = set.puzzles.iter().cycle().take(count);
        let Some(seed) = plan.seed else { return Self(puzzles.map(Puzzle::text).collect()) };
        let mut rng = SeededRng::new(seed);
        let permuted = puzzles.map(|puzzle| Permutation::random(&mut rng).puzzle(puzzle).text());
        let mut rows: Vec<_> = permuted.collect();
        rng.shuffle(&mut rows);
        Self(rows)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the text of some rows.
    pub fn lines(&self, rows: Range<usize>) -> &[Line] {
        &self.0[rows]
    }

    pub fn puzzle(&self, row: usize) -> Puzzle {
        self.text(row).parse().expect(ROWS_ARE_VALID)
    }

    pub fn text(&self, row: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_set_is_repeated_and_a_large_one_cut() {
        let set = PuzzleSet::tested(2);
        let plan = Plan { rows_at_least: 5, seed: None, ..Plan::tested() };
        assert_eq!(Rows::new(&set, &plan).0, [set.puzzles[0].text(); 5]);
        assert_eq!(Rows::new(&set, &Plan { rows_at_most: Some(1), ..plan.clone() }).len(), 1);
        let plan = Plan { seed: Some(1), ..plan };
        let permuted = Rows::new(&set, &plan);
        assert_eq!(permuted.len(), 5);
        assert_ne!(permuted.lines(0..1), permuted.lines(1..2));
        assert_eq!(permuted, Rows::new(&set, &plan));
    }
}
