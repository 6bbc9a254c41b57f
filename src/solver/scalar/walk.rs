//! All solutions of a puzzle, the smallest first.
//!
//! Solutions are compared as 81-digit numbers. A search that branches in the first open cell, row
//! by row, and tries digits in ascending order finds them in this order. The remaining search is a
//! stack of boards. Each board has at least one open cell more than the next, so there are at most
//! 82.

use std::num::NonZeroU64;

use super::board::{Board, Progress};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid};
use crate::solver::contract::{Stopped, Stopper};
use crate::solver::{StopFlag, Unanswered};

/// Finds solutions one by one, in ascending order.
///
/// ```
/// use bulkdoku::Marks;
/// use bulkdoku::solver::SolutionWalk;
///
/// let mut walk = SolutionWalk::default();
/// walk.begin(&Marks::ALL);
/// let first = walk.next(None)?.expect("the empty grid has solutions");
/// let second = walk.next(None)?.expect("and more than one");
/// assert!(first.to_string() < second.to_string());
/// walk.begin_after(&Marks::ALL, &first);
/// assert_eq!(walk.next(None), Ok(Some(second)));
/// # Ok::<(), bulkdoku::solver::Unanswered>(())
/// ```
#[derive(Debug)]
pub struct SolutionWalk {
    /// The boards that are still to be searched, the smallest solutions on top.
    waiting: Vec<Board>,
    stop: Stopper,
}

impl SolutionWalk {
    /// A walk that ends when this flag is set.
    pub fn new(stop: StopFlag) -> Self {
        Self { waiting: Vec::with_capacity(CELLS + 1), stop: Stopper::new(stop) }
    }

    /// Starts before the first solution of `marks`.
    pub fn begin(&mut self, marks: &Marks) {
        self.waiting.clear();
        self.waiting.push(Board::of_marks(marks));
    }

    /// Starts after the given solution of `marks`.
    pub fn begin_after(&mut self, marks: &Marks, solution: &Grid) {
        self.begin(marks);
        while let Some(board) = self.waiting.last_mut() {
            if board.propagate() != Progress::Stuck {
                self.waiting.pop();
                break;
            }
            let guess = board.first_of_first_open();
            if guess.digit() == solution.cells()[guess.place()] {
                let with = board.split(guess);
                self.waiting.push(with);
            } else {
                board.exclude(guess);
            }
        }
    }

    /// The next solution; `None` after the last one. `nodes` is the largest number of nodes that
    /// are searched for it.
    ///
    /// # Errors
    /// When that limit is reached or the stop flag is set. The next call continues.
    pub fn next(&mut self, nodes: Option<NonZeroU64>) -> Result<Option<Grid>, Unanswered> {
        let most = nodes.map_or(u64::MAX, NonZeroU64::get);
        let mut searched = 0;
        while let Some(board) = self.waiting.last_mut() {
            if searched == most {
                return Err(Unanswered::GaveUp);
            }
            self.stop.check(searched).map_err(|Stopped| Unanswered::Stopped)?;
            searched += 1;
            match board.propagate() {
                Progress::Stuck => {
                    let with = board.split(board.first_of_first_open());
                    self.waiting.push(with);
                }
                Progress::Solved => {
                    let grid = board.grid();
                    self.waiting.pop();
                    return Ok(Some(grid));
                }
                Progress::Contradiction => {
                    self.waiting.pop();
                }
            }
        }
        Ok(None)
    }
}

impl Default for SolutionWalk {
    /// A walk without a stop flag.
    fn default() -> Self {
        Self::new(StopFlag::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Puzzle;
    use crate::solver::{Batch, Engine, Limits, Outcome, Scalar};

    fn marks_of(puzzle: &str) -> Marks {
        Marks::from(&puzzle.parse::<Puzzle>().unwrap())
    }

    fn all(puzzle: &str, most: usize) -> Vec<Grid> {
        let mut walk = SolutionWalk::default();
        walk.begin(&marks_of(puzzle));
        std::iter::from_fn(|| walk.next(None).unwrap()).take(most).collect()
    }

    /// A solution without some of its digits.
    fn open(from: usize) -> String {
        let solved =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let cells = solved.char_indices();
        cells.map(|(i, c)| if (i * 7 + i / 9) % 11 < from { '.' } else { c }).collect()
    }

    #[test]
    fn all_solutions_come_once_and_in_order() {
        for from in 5..9 {
            let puzzle = open(from);
            let found = all(&puzzle, 20_000);
            assert!(found.is_sorted_by(|a, b| a.cells() < b.cells()), "{puzzle}");
            let puzzles = [puzzle.parse().unwrap()];
            assert!(found.iter().all(|grid| grid.solves(&puzzles[0])), "{puzzle}");
            let limits = Limits::count(20_000.try_into().unwrap());
            let mut outcome = [Outcome::NONE];
            Scalar::new().solve(Batch::Puzzles(&puzzles), limits, &mut outcome);
            assert_eq!(found.len(), outcome[0].solutions as usize, "{puzzle}");
        }
    }

    #[test]
    fn the_walk_starts_after_any_solution() {
        let puzzle = open(7);
        let found = all(&puzzle, 200);
        assert!(found.len() > 5);
        for pair in found.windows(2) {
            let mut walk = SolutionWalk::default();
            walk.begin_after(&marks_of(&puzzle), &pair[0]);
            assert_eq!(walk.next(None), Ok(Some(pair[1])));
        }
    }

    #[test]
    fn limits_and_flags_end_a_step_and_the_next_call_continues() {
        let mut walk = SolutionWalk::default();
        walk.begin(&Marks::ALL);
        let mut tries = 0;
        let first = loop {
            match walk.next(NonZeroU64::new(1)) {
                Err(Unanswered::GaveUp) => tries += 1,
                found => break found.unwrap().unwrap(),
            }
        };
        assert!(tries > 10);
        assert_eq!(first, all(&".".repeat(81), 1)[0]);
        let stop = StopFlag::default();
        let mut walk = SolutionWalk::new(stop.clone());
        walk.begin(&Marks::ALL);
        stop.request();
        assert_eq!(walk.next(None), Err(Unanswered::Stopped));
    }
}
