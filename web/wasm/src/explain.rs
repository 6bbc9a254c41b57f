//! A single puzzle: its solution, its rating, and the steps that lead there.

use std::num::NonZeroU64;

use bulkdoku::bands::{Bands, Level};
use bulkdoku::board::{Bits, Board, Cells};
use bulkdoku::logic::{Candidate, Explained, Explainer, Technique, refutation, steps};
use bulkdoku::output::{board_svg, clue_cells, without_candidates};
use bulkdoku::puzzle::cell_name;
use bulkdoku::solver::Propagate;
use bulkdoku::{Batch, Engine, Limits, Marks, Outcome, Status};
use serde_json::{Value, json};

const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

fn describe(Explained { board, step, .. }: &Explained, clues: Cells) -> Value {
    let pair = |it: &Candidate| [it.cell, it.digit.into()];
    json!({
        "technique": step.technique.name(),
        "title": step.technique.title(),
        "sentence": step.to_string(),
        "alternatives": step.alternatives(cell_name).collect::<Vec<_>>(),
        "pattern": Bits(step.pattern_cells()).collect::<Vec<_>>(),
        "placed": step.placed.as_ref().map(pair),
        "removed": step.eliminated.iter().map(pair).collect::<Vec<_>>(),
        "drawing": board_svg(board, clues, Some(step)),
    })
}

/// Returns why the clues have no solution.
fn contradiction(given: &Marks) -> Option<String> {
    if let Some(why) = given.clues().contradiction() {
        return Some(why.to_string());
    }
    let (steps, why) = refutation(given)?;
    let after =
        if steps.is_empty() { String::new() } else { format!(" after {} steps", steps.len()) };
    Some(format!("{why}{after}"))
}

/// Returns the status, solution, rating, and path.
pub fn explain(given: &Marks) -> Value {
    let limits = Limits::PROOF.with_nodes(MAX_NODES);
    let rules = Level::LockedCandidates;
    let mut outcome = [Outcome::NONE];
    Propagate::new(rules).solve(Batch::Marks(&[*given]), limits, &mut outcome);
    let [outcome] = outcome;
    let clues = given.clues();
    let status = Status::of(&clues, limits, &outcome);
    let is_unique = status == Status::Unique;
    let (cells, start) = (clue_cells(&clues), Bands::from(given).board());
    let (mut described, mut hardest, mut last) = (Vec::new(), None, start);
    if status != Status::GaveUp {
        for explained in steps(&start).explained() {
            hardest = hardest.max(Some(explained.step.technique).filter(|_| is_unique));
            described.push(describe(&explained, cells));
            last = explained.board;
            explained.step.apply(&mut last);
        }
    }
    let draw = |board: &Board| board_svg(&without_candidates(board), cells, None);
    let solved = outcome.solution().and_then(|grid| Board::of(&(*grid).into()));
    let se = given
        .puzzle()
        .filter(|_| is_unique)
        .and_then(|it| Explainer::default().rate_unique(&it).ok());
    json!({
        "clues": clues.cells().to_vec(),
        "candidates": Bands::from(given).board().marks().to_string(),
        "solution": outcome.solution().map(|grid| grid.cells().to_vec()),
        "status": status.name(),
        "guesses": outcome.guesses,
        "difficulty": hardest.map(|it| it.difficulty().name()),
        "technique": hardest.map(Technique::name),
        "title": hardest.map(Technique::title),
        "se121": se.map(|rating| f64::from(rating.er) / 10.0),
        "contradiction": if outcome.solutions == 0 { contradiction(given) } else { None },
        "steps": described,
        "start": draw(&start),
        "drawing": draw(&solved.unwrap_or(start)),
        "last": draw(&last),
    })
}
