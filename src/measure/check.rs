//! Checks the results of every row, outside the timing.

use thiserror::Error;

use super::rows::RowSlice;
use crate::solver::Outcome;

/// The number of solutions of each row; `None` if the node limit ended the search.
pub(super) type Counts = Vec<Option<u32>>;

/// Checks that every solution obeys the rules and keeps the clues of its row.
///
/// # Errors
/// Names the first row whose solution does not.
pub(super) fn solutions(
    who: &str,
    rows: RowSlice<'_>,
    outcomes: &[Outcome],
) -> Result<Counts, Wrong> {
    for (row, outcome) in outcomes.iter().enumerate() {
        if outcome.solution().is_some_and(|grid| !rows.is_solved_by(row, grid)) {
            let found = format!("{} is no solution", outcome.grid);
            return Err(Wrong::new(who, &rows.text(row), found));
        }
    }
    Ok(outcomes.iter().map(|outcome| (!outcome.gave_up).then_some(outcome.solutions)).collect())
}

/// Checks that two contenders found the same number of solutions in the rows that both searched to
/// the end.
///
/// # Errors
/// Names the first row on which they differ.
pub(super) fn agreement(
    rows: RowSlice<'_>,
    first: (&str, &Counts),
    other: (&str, &Counts),
) -> Result<(), Wrong> {
    for (row, counts) in first.1.iter().zip(other.1).enumerate() {
        if let (Some(expected), Some(found)) = counts
            && expected != found
        {
            let what = format!("{found} solutions found, by {} {expected}", first.0);
            return Err(Wrong::new(other.0, &rows.text(row), what));
        }
    }
    Ok(())
}

/// An engine was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{who} is wrong: {what}, for {puzzle}")]
pub struct Wrong {
    who: String,
    what: String,
    puzzle: String,
}

impl Wrong {
    fn new(who: &str, row: &str, what: String) -> Self {
        Self { who: who.into(), what, puzzle: row.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CELLS, Grid, Puzzle};

    #[test]
    fn a_wrong_solution_is_found() {
        let rows = [Puzzle::EMPTY.text()];
        let outcome = Outcome { grid: Grid([1; CELLS]), solutions: 1, ..Outcome::NONE };
        let rows = RowSlice::Puzzles(&rows);
        let error = solutions("it", rows, &[outcome]).unwrap_err().to_string();
        assert!(error.starts_with("it is wrong: 1111"), "{error}");
        assert_eq!(solutions("it", rows, &[Outcome::NONE]), Ok(vec![Some(0)]));
    }

    #[test]
    fn counts_must_agree_where_both_are_known() {
        let rows = [Puzzle::EMPTY.text(); 2];
        let compare =
            |a: &Counts, b: &Counts| agreement(RowSlice::Puzzles(&rows), ("a", a), ("b", b));
        assert_eq!(compare(&vec![Some(1), None], &vec![Some(1), Some(2)]), Ok(()));
        let error = compare(&vec![Some(1), Some(2)], &vec![Some(1), Some(1)]).unwrap_err();
        assert!(error.to_string().starts_with("b is wrong: 1 solutions found, by a 2"), "{error}");
    }
}
