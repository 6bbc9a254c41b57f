//! Computes properties of puzzles that filters or columns read.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use super::block::Block;
use super::jobs::{PropertyEngine, Stopped};
use crate::clock::Instant;
use crate::input::Records;
use crate::logic::{Explainer, Rater, Techniques};
use crate::output::{Needs, Results, Row, Timed};
use crate::puzzle::{CELLS, Puzzle};
use crate::rating::{Level, isomorphs};
use crate::sets::near_hashes;
use crate::solver::{Batch, Limits, Outcome};
use crate::status::Status;

/// A puzzle with exactly one solution.
struct UniquePuzzle {
    record: usize,
    puzzle: Puzzle,
    outcome: Outcome,
}

/// Computes the required properties that are still missing, for records that have rows.
///
/// Grids, levels, ratings, and minimality require exactly one solution, which a search for one
/// solution does not prove. Ratings, minimality, and guesses of proofs are computed only with an
/// engine.
pub(super) fn compute(
    engine: Option<PropertyEngine<'_>>,
    needs: Needs,
    block: &Block,
    records: &Records,
    results: &mut Results,
) -> ControlFlow<Stopped> {
    let missing = |property: Needs, is_missing: bool| needs.include(property) && is_missing;
    if missing(Needs::FORM, results.forms.is_empty()) {
        compute_forms(block, records, results);
    }
    let proves =
        engine.as_ref().is_some_and(|engine| engine.limits.solutions > Limits::FIRST.solutions);
    if missing(Needs::GRID, results.grids.is_empty()) {
        results.grids = per_record(block, records, results, |row| {
            let outcome = row.outcome_or_none();
            let is_proved = proves && has_one_solution(outcome);
            is_proved.then(|| outcome.grid.canonical().ok()).flatten().map(|found| found.form)
        });
    }
    for (need, removed) in [(Needs::NEAR_1, 1), (Needs::NEAR_2, 2)] {
        if missing(need, results.near.is_empty()) {
            let near = per_record(block, records, results, |row| {
                let puzzle = row.puzzle().filter(|_| row.status() != Status::Contradictory)?;
                Some(near_hashes(&puzzle, removed))
            });
            results.near = near.into_iter().map(Option::unwrap_or_default).collect();
        }
    }
    if missing(Needs::LEVEL, results.levels.is_empty()) {
        let guesses_suffice =
            proves && engine.as_ref().is_some_and(|it| it.engine.guesses_imply_beyond());
        results.levels = per_record(block, records, results, |row| {
            let outcome = row.outcome_or_none();
            if !has_one_solution(outcome) {
                return None;
            }
            if guesses_suffice && outcome.guesses > 0 {
                return Some(Level::Beyond);
            }
            // Clues are faster than pencil marks.
            let of_marks = || row.marks().map(|marks| Level::of_marks(&marks));
            let level = row.puzzle().map(|puzzle| Level::of(&puzzle)).or_else(of_marks);
            // Rules that solve a puzzle also prove that it has no other solution.
            level.filter(|&level| proves || level < Level::Beyond)
        });
    }
    if missing(Needs::PATH, results.paths.is_empty()) {
        let rater = RefCell::new(Rater::new(Techniques::ALL));
        results.paths = per_record(block, records, results, |row| {
            let is_unique = proves && has_one_solution(row.outcome_or_none());
            is_unique.then(|| row.board()).flatten().map(|board| rater.borrow_mut().rate(board))
        });
    }
    if missing(Needs::SE, results.se_ratings.is_empty()) {
        let rater = RefCell::new(Explainer::default());
        results.se_ratings = per_record(block, records, results, |row| {
            let is_unique = proves && has_one_solution(row.outcome_or_none());
            row.puzzle().filter(|_| is_unique).and_then(|puzzle| rater.borrow_mut().rate(&puzzle))
        });
    }
    if missing(Needs::CONTRADICTION, results.contradictions.is_empty())
        && results.statuses.contains(&Status::Contradictory)
    {
        results.contradictions = per_record(block, records, results, |row| {
            let marks = row.marks().filter(|_| row.status() == Status::Contradictory)?;
            marks.clues().contradiction().map(|contradiction| contradiction.to_string())
        });
    }
    let Some(mut engine) = engine else { return ControlFlow::Continue(()) };
    if missing(Needs::RATING, results.ratings.is_empty()) {
        results.ratings = match engine.rating_isomorphs {
            0 => per_record(block, records, results, |row| {
                let outcome = row.outcome_or_none();
                (proves && has_one_solution(outcome)).then_some(outcome.guesses as f64)
            }),
            count => {
                let unique_puzzles = unique_puzzles(proves, block, records, results);
                engine.rate(&unique_puzzles, records.all.len(), count)?
            }
        };
    }
    if missing(Needs::MINIMAL, results.minimal.is_empty()) {
        let mut unique_puzzles = unique_puzzles(proves, block, records, results);
        engine.replace_by_givens(&mut unique_puzzles, block, records, results)?;
        results.minimal = engine.find_minimal(unique_puzzles, records.all.len())?;
    }
    let of_form = needs.include(Needs::FORM_GUESSES);
    if missing(Needs::PUZZLE_GUESSES, results.proof_guesses.is_empty())
        || missing(Needs::FORM_GUESSES, results.proof_guesses.is_empty())
    {
        let puzzles = per_record(block, records, results, |row| {
            if of_form {
                row.results().forms[row.index].map(|canonical| canonical.form)
            } else {
                row.puzzle()
            }
        });
        let existing: Vec<_> = puzzles.iter().flatten().copied().collect();
        let mut outcomes = engine.prove(&existing)?.into_iter();
        let guesses = |puzzle: Option<Puzzle>| {
            puzzle.and_then(|_| outcomes.next()).map_or(0, |outcome| outcome.guesses)
        };
        results.proof_guesses = puzzles.into_iter().map(guesses).collect();
    }
    ControlFlow::Continue(())
}

/// Returns whether a search has found one solution, which is the only one if the search continued.
fn has_one_solution(outcome: &Outcome) -> bool {
    outcome.solutions == 1 && !outcome.gave_up
}

/// Returns one value per record, `None` for records without rows.
fn per_record<T>(
    block: &Block,
    records: &Records,
    results: &Results,
    value: impl Fn(&Row<'_>) -> Option<T>,
) -> Vec<Option<T>> {
    let rows = block.rows(records, results);
    rows.records().map(|row| results.destination(row.index).and_then(|_| value(&row))).collect()
}

/// Computes canonical forms. If nothing is solved, their latencies become those of the records.
fn compute_forms(block: &Block, records: &Records, results: &mut Results) {
    let start = Cell::new(Instant::now());
    let forms = per_record(block, records, results, |row| {
        let form = row.puzzle()?.canonical().ok();
        let end = Instant::now();
        let latency_ns = end.duration_since(start.replace(end)).as_nanos() as u64;
        form.map(|form| (form, latency_ns))
    });
    if results.timed == Timed::Forms {
        for (record, form) in records.all.iter().zip(&forms) {
            let outcome = record.puzzle.ok().and_then(|puzzle| results.outcomes.of_mut(puzzle));
            if let Some(outcome) = outcome {
                outcome.latency_ns = form.map_or(0, |(_, latency_ns)| latency_ns);
            }
        }
    }
    results.forms = forms.into_iter().map(|form| form.map(|(form, _)| form)).collect();
}

/// Returns the puzzles with one solution among the records that have rows, if searches prove that.
fn unique_puzzles(
    proves: bool,
    block: &Block,
    records: &Records,
    results: &Results,
) -> Vec<UniquePuzzle> {
    let unique = |row: &Row<'_>| {
        let outcome = *row.outcome_or_none();
        let puzzle = row.puzzle().filter(|_| proves && has_one_solution(&outcome))?;
        Some(UniquePuzzle { record: row.index, puzzle, outcome })
    };
    per_record(block, records, results, unique).into_iter().flatten().collect()
}

impl PropertyEngine<'_> {
    /// Searches for up to two solutions of each puzzle.
    fn prove(&mut self, puzzles: &[Puzzle]) -> ControlFlow<Stopped, Vec<Outcome>> {
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let limits = Limits { nodes: self.limits.nodes, ..Limits::PROOF };
        let solved = self.engine.solve(Batch::Puzzles(puzzles), limits, &mut outcomes);
        if solved < puzzles.len() {
            return ControlFlow::Break(Stopped);
        }
        ControlFlow::Continue(outcomes)
    }

    /// Rates puzzles by the geometric mean of guesses + 1, minus 1, over isomorphs of their
    /// canonical forms, so all isomorphs of a puzzle have the same rating.
    fn rate(
        &mut self,
        unique_puzzles: &[UniquePuzzle],
        records: usize,
        count: u32,
    ) -> ControlFlow<Stopped, Vec<Option<f64>>> {
        let forms: Vec<_> =
            unique_puzzles.iter().filter_map(|unique| unique.puzzle.canonical().ok()).collect();
        let mut sums = vec![0.0; unique_puzzles.len()];
        for permutation in isomorphs().take(count as usize) {
            let puzzles: Vec<_> =
                forms.iter().map(|canonical| permutation.puzzle(&canonical.form)).collect();
            for (sum, outcome) in sums.iter_mut().zip(self.prove(&puzzles)?) {
                *sum += if outcome.gave_up { f64::NAN } else { (outcome.guesses as f64).ln_1p() };
            }
        }
        let mut ratings = vec![None; records];
        for (unique, sum) in unique_puzzles.iter().zip(sums) {
            let mean: f64 = (sum / f64::from(count)).exp_m1();
            ratings[unique.record] = Some(mean).filter(|mean| mean.is_finite());
        }
        ControlFlow::Continue(ratings)
    }

    /// Replaces puzzles of which some cells are solved with their given cells, if these have one
    /// solution.
    fn replace_by_givens(
        &mut self,
        unique_puzzles: &mut Vec<UniquePuzzle>,
        block: &Block,
        records: &Records,
        results: &Results,
    ) -> ControlFlow<Stopped> {
        if records.givens.is_empty() {
            return ControlFlow::Continue(());
        }
        unique_puzzles.retain(|unique| records.givens(unique.record).is_none());
        let givens = per_record(block, records, results, |row| {
            let givens = records.givens(row.index)?;
            has_one_solution(row.outcome_or_none()).then_some((row.index, *givens))
        });
        let givens: Vec<_> = givens.into_iter().flatten().collect();
        let puzzles: Vec<_> = givens.iter().map(|(_, puzzle)| *puzzle).collect();
        let outcomes = self.prove(&puzzles)?;
        let proved = givens.into_iter().zip(outcomes).map(|((record, puzzle), outcome)| {
            has_one_solution(&outcome).then_some(UniquePuzzle { record, puzzle, outcome })
        });
        unique_puzzles.extend(proved.flatten());
        ControlFlow::Continue(())
    }

    /// Determines whether each clue is necessary, i.e. whether another solution exists without it.
    /// Tests one cell after another in all puzzles that may still be minimal.
    fn find_minimal(
        &mut self,
        mut unique_puzzles: Vec<UniquePuzzle>,
        records: usize,
    ) -> ControlFlow<Stopped, Vec<Option<bool>>> {
        let mut minimal = vec![None; records];
        unique_puzzles.iter().for_each(|unique| minimal[unique.record] = Some(true));
        for cell in 0..CELLS {
            let (mut without, mut solutions) = (Vec::new(), Vec::new());
            for unique in unique_puzzles.iter().filter(|unique| unique.puzzle.cells()[cell] != 0) {
                let mut cells = *unique.puzzle.cells();
                cells[cell] = 0;
                without.push(Puzzle::from_cells(cells).expect("clues are digits"));
                solutions.push(unique.outcome.grid);
            }
            let mut outcomes = vec![Outcome::NONE; without.len()];
            let limits = Limits { nodes: self.limits.nodes, ..Limits::FIRST };
            let batch = Batch::Puzzles(&without);
            if self.engine.solve_other(batch, &solutions, limits, &mut outcomes) < without.len() {
                return ControlFlow::Break(Stopped);
            }
            let mut outcomes = outcomes.iter();
            unique_puzzles.retain(|unique| {
                if unique.puzzle.cells()[cell] == 0 {
                    return true;
                }
                let outcome = outcomes.next().expect("one per puzzle with a clue there");
                let is_needed = outcome.solutions > 0;
                if !is_needed {
                    minimal[unique.record] = (!outcome.gave_up).then_some(false);
                }
                is_needed
            });
        }
        ControlFlow::Continue(minimal)
    }
}
