//! The rows of a measurement: the puzzles of a set, repeated, permuted, and shuffled.

use std::ops::Range;

use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::marks::{self, Marks};
use bulkdoku::puzzle::{CELLS, Grid, Puzzle};

use super::Plan;
use crate::cli::sets::{Content, PuzzleSet};

/// Rows as text, one directly after the other, without separators.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    text: Vec<u8>,
    /// Whether a row is 729 characters of pencil marks instead of 81 cells.
    pub has_marks: bool,
}

pub const ROWS_ARE_VALID: &str = "the rows of a set are valid puzzles";

impl Rows {
    /// Returns the rows of a set, as planned.
    pub fn new(set: &PuzzleSet, plan: &Plan) -> Self {
        let marks_text = |marks: &Marks| marks.to_string().into_bytes();
        match &set.content {
            Content::Puzzles(puzzles) => {
                let text = planned(puzzles, plan, Permutation::puzzle, Puzzle::text).concat();
                Self { text, has_marks: false }
            }
            Content::Marks(marks) => {
                let text = planned(marks, plan, Permutation::marks, marks_text).concat();
                Self { text, has_marks: true }
            }
        }
    }

    fn width(&self) -> usize {
        if self.has_marks { marks::TEXT } else { CELLS }
    }

    pub fn len(&self) -> usize {
        self.text.len() / self.width()
    }

    /// Returns the text of some rows.
    pub fn text(&self, rows: Range<usize>) -> &[u8] {
        &self.text[rows.start * self.width()..rows.end * self.width()]
    }

    /// Returns whether a grid solves a row.
    pub fn is_solved_by(&self, row: usize, grid: &Grid) -> bool {
        let text = String::from_utf8_lossy(self.text(row..row + 1));
        text.parse::<Marks>().expect(ROWS_ARE_VALID).is_solved_by(grid)
    }
}

/// Returns the text of puzzles, repeated, permuted, and shuffled as planned.
fn planned<T, L>(
    puzzles: &[T],
    plan: &Plan,
    permute: fn(&Permutation, &T) -> T,
    text: impl Fn(&T) -> L,
) -> Vec<L> {
    let rows = puzzles.len().max(plan.rows_at_least).min(plan.rows_at_most.unwrap_or(usize::MAX));
    let puzzles = puzzles.iter().cycle().take(rows);
    let Some(seed) = plan.seed else { return puzzles.map(text).collect() };
    let mut rng = SeededRng::new(seed);
    let mut rows: Vec<_> =
        puzzles.map(|puzzle| text(&permute(&Permutation::random(&mut rng), puzzle))).collect();
    rng.shuffle(&mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_set_is_repeated_and_a_large_one_cut() {
        let set = PuzzleSet::tested(2);
        let plan = Plan { rows_at_least: 5, seed: None, ..Plan::tested() };
        let text = Rows::new(&set, &plan).text;
        assert_eq!(text, text[..CELLS].repeat(5));
        assert_eq!(Rows::new(&set, &Plan { rows_at_most: Some(1), ..plan.clone() }).len(), 1);
        let plan = Plan { seed: Some(1), ..plan };
        let permuted = Rows::new(&set, &plan);
        assert_eq!(permuted.len(), 5);
        assert_ne!(permuted.text(0..1), permuted.text(1..2));
        assert_eq!(permuted, Rows::new(&set, &plan));
    }
}
