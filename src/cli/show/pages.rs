//! Pages to print.

use bulkdoku::logic::{Explainer, rate};
use bulkdoku::output::{PrintedPages, caption};
use bulkdoku::{Limits, Outcome, Puzzle, Status, solve_batch};

use super::read::LocatedPuzzle;
use crate::cli::Failure;

/// Returns a document of these puzzles, with their ratings and solutions.
pub fn document(located: &[LocatedPuzzle]) -> Result<Vec<u8>, Failure> {
    let mut puzzles: Vec<Puzzle> = Vec::new();
    for LocatedPuzzle { place, marks } in located {
        let Some(puzzle) = marks.puzzle() else {
            refuse!("{place}: pencil marks that clues cannot express; pages have puzzles only");
        };
        puzzles.push(puzzle);
    }
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    solve_batch(&puzzles, Limits::PROOF, &mut outcomes);
    let mut explainer = Explainer::default();
    let rated: Vec<_> = puzzles
        .iter()
        .zip(&outcomes)
        .map(|(puzzle, outcome)| {
            let status = Status::of(puzzle, Limits::PROOF, outcome);
            let solution = outcome.solution().filter(|_| status == Status::Unique);
            let path = solution.and_then(|_| rate(puzzle).ok());
            let rating = solution.and_then(|_| explainer.rate_unique(puzzle).ok());
            (puzzle, solution, caption(puzzle.clues(), status, path.as_ref(), rating))
        })
        .collect();
    let pages = rated.iter().map(|(puzzle, solution, caption)| (*puzzle, *solution, &**caption));
    Ok(PrintedPages::document(pages))
}
