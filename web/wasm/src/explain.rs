//! A single puzzle: its solution, its rating, and the steps that lead there.

use std::num::NonZeroU64;

use bulkdoku::bands::{Bands, Level};
use bulkdoku::board::Bits;
use bulkdoku::logic::{Board, Candidate, Explainer, Step, Technique};
use bulkdoku::logic::{implications, refutation, steps};
use bulkdoku::solver::Propagate;
use bulkdoku::{Batch, Engine, Limits, Marks, Outcome, Status};
use serde_json::{Value, json};

const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

fn describe(step: &Step, board: &Board) -> Value {
    let pair = |it: &Candidate| [it.cell, it.digit.into()];
    json!({
        "technique": step.technique.name(),
        "sentence": step.to_string(),
        "alternatives": implications(board, step).iter().map(ToString::to_string).collect::<Vec<_>>(),
        "pattern": Bits(step.pattern_cells()).collect::<Vec<_>>(),
        "placed": step.placed.as_ref().map(pair),
        "removed": step.eliminated.iter().map(pair).collect::<Vec<_>>(),
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
    let (mut described, mut hardest) = (Vec::new(), None);
    let mut path = steps(given);
    while status != Status::GaveUp
        && let Some(step) = path.next()
    {
        hardest = hardest.max(Some(step.technique).filter(|_| is_unique));
        described.push(describe(&step, path.board()));
    }
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
        "level": Level::of_marks(given).number(),
        "technique": hardest.map(Technique::name),
        "se121": se.map(|rating| f64::from(rating.er) / 10.0),
        "contradiction": if outcome.solutions == 0 { contradiction(given) } else { None },
        "steps": described,
    })
}
