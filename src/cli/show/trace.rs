//! A trace of deductions and search, one line per step.

use std::fmt::Write;

use bulkdoku::board::Bits;
use bulkdoku::logic::{Contradiction, Event, Step, Watch};

use super::names::CellNames;

/// Collects the steps. Those after a guess are indented by its depth.
pub struct Trace {
    pub text: String,
    names: CellNames,
    depth: usize,
}

impl Trace {
    pub fn new(names: CellNames) -> Self {
        Self { text: String::new(), names, depth: 0 }
    }

    fn line(&mut self, what: &str) {
        writeln!(self.text, "{:indent$}{what}", "", indent = 2 * self.depth)
            .expect("a string takes every write");
    }
}

impl Trace {
    fn step(&mut self, step: &Step) {
        let reason = step.reason();
        if let Some((digit, cell)) = step.placed {
            self.line(&format!("{}={}: {reason}", self.names.of(cell), digit + 1));
        }
        for (digit, &cells) in (1..).zip(&step.removed) {
            for cell in Bits(cells) {
                self.line(&format!("  {} is not {digit}: {reason}", self.names.of(cell)));
            }
        }
    }
}

impl Watch for Trace {
    const IS_ACTIVE: bool = true;

    fn observe(&mut self, event: Event<'_>) {
        let names = self.names;
        match event {
            Event::Step(step) => self.step(step),
            Event::Guessed { depth, cell, digit } => {
                self.depth = depth - 1;
                self.line(&format!("guess at depth {depth}: {}={digit}", names.of(cell)));
                self.depth = depth;
            }
            Event::Retreated { depth, why } => {
                self.line(&format!("retreat from depth {depth}: {}", explain(why, names)));
            }
        }
    }
}

/// Explains why a puzzle has no solution.
pub fn explain(why: Contradiction, names: CellNames) -> String {
    match why {
        Contradiction::NoCandidate { cell } => {
            format!("no candidate is left in {}", names.of(cell))
        }
        Contradiction::NoPlace { digit, unit } => {
            format!("no place is left for {digit} in {unit}")
        }
    }
}
