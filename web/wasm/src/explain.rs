//! A single puzzle: its solution and the steps that lead there.

use std::num::NonZeroU64;

use bulkdoku::logic::rules::{Candidates, Step, Watch};
use bulkdoku::rating::Level;
use bulkdoku::solver::Propagate;
use bulkdoku::{Limits, Marks, Status};
use serde_json::{Value, json};

const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

/// Collects the steps that are not clues.
#[derive(Default)]
struct Steps(Vec<Value>);

impl Watch for Steps {
    fn observe(&mut self, step: impl FnOnce() -> Step) {
        match step() {
            Step::Assigned { cell, digit, rule } => {
                let rule = rule.to_string();
                if rule != "clue" {
                    self.0.push(json!({ "cells": [cell], "digit": digit, "rule": rule }));
                }
            }
            Step::Eliminated { cells, digit, rule: Some(rule) } => {
                let mut removed_from = Vec::new();
                cells.for_each(|cell| removed_from.push(cell));
                let rule = rule.to_string();
                self.0.push(
                    json!({ "cells": removed_from, "digit": digit, "rule": rule, "removed": true }),
                );
            }
            _ => {}
        }
    }
}

/// Returns the status, solution, level, and the steps of the rules of the levels 0 to 2.
pub fn explain(given: &Marks) -> Value {
    let mut steps = Steps::default();
    let deduced = match given.puzzle() {
        Some(puzzle) => Candidates::of(&puzzle, &mut steps),
        None => Ok(given.into()),
    };
    let deduced = deduced.and_then(|mut candidates| {
        candidates.deduce(Level::LockedCandidates, &mut steps).map(|_| candidates)
    });
    let limits = Limits::PROOF.with_nodes(MAX_NODES);
    let outcome = deduced.map(|candidates| {
        Propagate::new(Level::LockedCandidates).search_from(candidates, limits, &mut ())
    });
    let outcome = outcome.unwrap_or(bulkdoku::Outcome::NONE);
    let clues = given.clues();
    json!({
        "clues": clues.cells().to_vec(),
        "solution": outcome.solution().map(|grid| grid.cells().to_vec()),
        "status": Status::of(&clues, limits, &outcome).name(),
        "guesses": outcome.guesses,
        "level": Level::of_marks(given).number(),
        "steps": steps.0,
    })
}
