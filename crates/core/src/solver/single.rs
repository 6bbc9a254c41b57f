//! Methods that solve single puzzles without an explicit engine, such as [`Puzzle::solve`].
//!
//! Building an engine takes longer than solving a puzzle, so each thread keeps a [`Scalar`].

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::slice;

use super::{Batch, Engine, Limits, Outcome, Scalar, Solutions, StopFlag};
use crate::marks::Marks;
use crate::puzzle::{Grid, Puzzle};

thread_local! {
    static ENGINE: RefCell<Scalar> = RefCell::new(Scalar::default());
}

/// Returns the outcome of a batch of one, using this thread's engine.
fn outcome(one: Batch<'_>, limits: Limits) -> Outcome {
    let mut outcome = [Outcome::NONE];
    ENGINE.with_borrow_mut(|engine| engine.solve(one, limits, &mut outcome));
    let [outcome] = outcome;
    outcome
}

pub(crate) fn outcome_of(puzzle: &Puzzle, limits: Limits) -> Outcome {
    outcome(Batch::Puzzles(slice::from_ref(puzzle)), limits)
}

fn first(one: Batch<'_>) -> Option<Grid> {
    outcome(one, Limits::FIRST).solution().copied()
}

fn count(one: Batch<'_>, limit: u32) -> u32 {
    NonZeroU32::new(limit).map_or(0, |limit| outcome(one, Limits::count(limit)).solutions)
}

impl Puzzle {
    /// Returns a solution, if there is one. It is the only one if `puzzle.count(2) == 1`.
    ///
    /// ```
    /// # use bulkdoku_core as bulkdoku;
    /// use bulkdoku::Puzzle;
    ///
    /// let puzzle: Puzzle =
    ///     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    ///         .parse()?;
    /// let solution = puzzle.solve().expect("it has one");
    /// assert_eq!(solution[0], 5);
    /// assert_eq!(puzzle.count(2), 1);
    /// # Ok::<(), bulkdoku::Malformed>(())
    /// ```
    pub fn solve(&self) -> Option<Grid> {
        first(Batch::Puzzles(slice::from_ref(self)))
    }

    /// Returns a lazy iterator over all solutions, the smallest first. [`Puzzle::count`] counts
    /// them faster.
    ///
    /// ```
    /// # use bulkdoku_core as bulkdoku;
    /// use bulkdoku::Puzzle;
    ///
    /// assert_eq!(Puzzle::EMPTY.solutions().take(1000).count(), 1000);
    /// ```
    pub fn solutions(&self) -> Solutions {
        Marks::from(self).solutions()
    }

    /// Counts solutions up to `limit`, where the search ends.
    ///
    /// ```
    /// # use bulkdoku_core as bulkdoku;
    /// use bulkdoku::Puzzle;
    ///
    /// assert_eq!(Puzzle::EMPTY.count(1000), 1000);
    /// ```
    pub fn count(&self, limit: u32) -> u32 {
        count(Batch::Puzzles(slice::from_ref(self)), limit)
    }
}

impl Marks {
    /// Returns a solution, which has a candidate in every cell, if there is one.
    pub fn solve(&self) -> Option<Grid> {
        first(Batch::Marks(slice::from_ref(self)))
    }

    /// Returns a lazy iterator over all solutions, which have a candidate in every cell, like
    /// [`Puzzle::solutions`].
    pub fn solutions(&self) -> Solutions {
        let mut solutions = Solutions::stopped_by(StopFlag::default());
        solutions.begin(self);
        solutions
    }

    /// Counts the solutions, which have a candidate in every cell, up to `limit`.
    pub fn count(&self, limit: u32) -> u32 {
        count(Batch::Marks(slice::from_ref(self)), limit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::bundled::BUNDLED;

    #[test]
    fn solutions_are_distinct_correct_and_as_many_as_counted() {
        for set in BUNDLED {
            let lines = set.text.lines().filter(|line| !line.starts_with('#'));
            for puzzle in lines.take(50).map(|line| line.parse::<Puzzle>().unwrap()) {
                let in_order: Vec<Grid> = puzzle.solutions().take(1000).collect();
                assert!(in_order.is_sorted());
                let found = BTreeSet::from_iter(in_order);
                assert!(found.iter().all(|grid| grid.solves(&puzzle)));
                assert_eq!(found.len(), puzzle.count(1000) as usize, "{puzzle}");
                assert_eq!(puzzle.count(0), 0);
                assert_eq!(puzzle.solve().is_some(), !found.is_empty());
                let marks = Marks::from(&puzzle);
                assert_eq!(marks.count(1000), puzzle.count(1000));
                assert!(marks.solutions().eq(puzzle.solutions()));
                assert_eq!(marks.solve(), puzzle.solve());
            }
        }
    }

    #[test]
    fn contradictory_puzzles_have_no_solution() {
        let puzzle = Puzzle::from_cells(std::array::from_fn(|cell| u8::from(cell < 2))).unwrap();
        assert_eq!((puzzle.solve(), puzzle.count(9), puzzle.solutions().next()), (None, 0, None));
    }
}
