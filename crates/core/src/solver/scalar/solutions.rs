//! All solutions of a puzzle, in ascending order.
//!
//! Solutions are compared as 81-digit numbers. A search that branches in the first open cell, row
//! by row, and tries digits in ascending order yields them in this order.

use std::iter::FusedIterator;
use std::num::NonZeroU64;

use super::Boards;
use super::board::BitBoard;
use crate::marks::Marks;
use crate::puzzle::Grid;
use crate::solver::depth_first::DepthFirst;
use crate::solver::{Engine, Outcome, StopFlag, Unfinished};

/// An iterator over the solutions of a puzzle, the smallest first: see
/// [`Puzzle::solutions`](crate::Puzzle::solutions).
///
/// Its memory does not grow with the number of solutions.
#[derive(Debug)]
pub struct Solutions(DepthFirst<Boards<true>>);

/// Methods for the command: limits, a stop flag, and any start.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::{Marks, Solutions, StopFlag};
///
/// let mut solutions = Solutions::stopped_by(StopFlag::default());
/// solutions.begin(&Marks::ALL);
/// let first = solutions.next_within(None)?.expect("the empty grid has solutions");
/// let second = solutions.next_within(None)?.expect("and more than one");
/// assert!(first.to_string() < second.to_string());
/// solutions.begin_after(&Marks::ALL, &first);
/// assert_eq!(solutions.next_within(None), Ok(Some(second)));
/// # Ok::<(), bulkdoku::solver::Unfinished>(())
/// ```
impl Solutions {
    /// Returns an iterator without solutions until a search begins. Setting `stop` ends each
    /// search.
    pub fn stopped_by(stop: StopFlag) -> Self {
        let mut search = DepthFirst::default();
        search.stop_at(stop);
        Self(search)
    }

    /// Starts a search before the first solution of `marks`.
    pub fn begin(&mut self, marks: &Marks) {
        self.0.nodes.start_at(BitBoard::from_marks(marks));
    }

    /// Starts a search after the given solution of `marks`.
    pub fn begin_after(&mut self, marks: &Marks, solution: &Grid) {
        self.0.nodes.start_after(marks, solution.cells());
    }

    /// Returns the next solution after searching at most `nodes` nodes, or `None` after the last
    /// one.
    ///
    /// # Errors
    /// When the node limit is reached or the stop flag is set. The next call continues.
    pub fn next_within(&mut self, nodes: Option<NonZeroU64>) -> Result<Option<Grid>, Unfinished> {
        let most = nodes.map_or(u64::MAX, NonZeroU64::get);
        let mut outcome = Outcome::NONE;
        let solved = self.0.next(most, &mut outcome)?;
        Ok(solved.map(Grid::from))
    }
}

impl Iterator for Solutions {
    type Item = Grid;

    /// Returns the next solution, or `None` after the last one or once the stop flag is set, which
    /// [`Solutions::next_within`] distinguishes.
    fn next(&mut self) -> Option<Grid> {
        self.next_within(None).unwrap_or(None)
    }
}

impl FusedIterator for Solutions {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Puzzle;
    use crate::solver::{Batch, Limits, Scalar};

    fn marks_of(puzzle: &str) -> Marks {
        Marks::from(&puzzle.parse::<Puzzle>().unwrap())
    }

    fn all(puzzle: &str, most: usize) -> Vec<Grid> {
        marks_of(puzzle).solutions().take(most).collect()
    }

    /// Returns a solution with some blanks, more for larger `from`.
    fn open(from: usize) -> String {
        let solved =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let cells = solved.char_indices();
        cells.map(|(i, c)| if (i * 7 + i / 9) % 11 < from { '.' } else { c }).collect()
    }

    #[test]
    fn lists_each_solution_once_in_ascending_order() {
        for from in 5..9 {
            let puzzle = open(from);
            let found = all(&puzzle, 20_000);
            assert!(found.is_sorted_by(|a, b| a.cells() < b.cells()), "{puzzle}");
            let puzzles = [puzzle.parse().unwrap()];
            assert!(found.iter().all(|grid| grid.solves(&puzzles[0])), "{puzzle}");
            let limits = Limits::count(20_000.try_into().unwrap());
            let mut outcome = [Outcome::NONE];
            Scalar::default().solve(Batch::Puzzles(&puzzles), limits, &mut outcome);
            assert_eq!(found.len(), outcome[0].solutions as usize, "{puzzle}");
        }
    }

    #[test]
    fn the_search_starts_after_any_solution() {
        let puzzle = open(7);
        let found = all(&puzzle, 200);
        assert!(found.len() > 5);
        for pair in found.windows(2) {
            let mut solutions = Solutions::stopped_by(StopFlag::default());
            solutions.begin_after(&marks_of(&puzzle), &pair[0]);
            assert_eq!(solutions.next(), Some(pair[1]));
        }
    }

    #[test]
    fn limits_and_flags_end_a_step_and_the_next_call_continues() {
        let mut solutions = Marks::ALL.solutions();
        let mut tries = 0;
        let first = loop {
            match solutions.next_within(NonZeroU64::new(1)) {
                Err(Unfinished::GaveUp) => tries += 1,
                found => break found.unwrap().unwrap(),
            }
        };
        assert!(tries > 10);
        assert_eq!(first, all(&".".repeat(81), 1)[0]);
        let stop = StopFlag::default();
        let mut solutions = Solutions::stopped_by(stop.clone());
        solutions.begin(&Marks::ALL);
        stop.request();
        assert_eq!(solutions.next_within(None), Err(Unfinished::Stopped));
        assert_eq!(solutions.next(), None);
    }
}
