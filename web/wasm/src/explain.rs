//! A single puzzle: its solution and the steps that lead there.

use std::num::NonZeroU64;

use bulkdoku::board::{Bits, Board};
use bulkdoku::logic::{Bands, Event, Watch};
use bulkdoku::rating::Level;
use bulkdoku::solver::Propagate;
use bulkdoku::{Limits, Marks, Status};
use serde_json::{Value, json};

const MAX_NODES: NonZeroU64 = NonZeroU64::new(10_000_000).unwrap();

/// Collects the steps.
#[derive(Default)]
struct Steps(Vec<Value>);

impl Watch for Steps {
    const IS_ACTIVE: bool = true;

    fn observe(&mut self, event: Event<'_>) {
        let Event::Step(step) = event else { return };
        let rule = step.reason();
        if let Some((digit, cell)) = step.placed {
            self.0.push(json!({ "cells": [cell], "digit": digit + 1, "rule": rule }));
        }
        for (digit, &cells) in (1..).zip(&step.removed).filter(|(_, cells)| **cells != 0) {
            let cells: Vec<_> = Bits(cells).collect();
            self.0.push(json!({ "cells": cells, "digit": digit, "rule": rule, "removed": true }));
        }
    }
}

/// Returns the status, solution, level, and the steps of the rules of the levels 0 to 2.
pub fn explain(given: &Marks) -> Value {
    let mut steps = Steps::default();
    let mut bands = match given.puzzle() {
        Some(puzzle) => Bands::of(&puzzle),
        None => (&Board::from(given)).into(),
    };
    let limits = Limits::PROOF.with_nodes(MAX_NODES);
    let outcome = match bands.deduce(Level::LockedCandidates, &mut steps) {
        Ok(_) => Propagate::new(Level::LockedCandidates).search_from(bands, limits, &mut ()),
        Err(_) => bulkdoku::Outcome::NONE,
    };
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
