//! A trace of deductions and search, one line per step.

use std::fmt::Write;

use bulkdoku::logic::rules::{Contradiction, Step, Watch};

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

impl Watch for Trace {
    fn observe(&mut self, step: impl FnOnce() -> Step) {
        let names = self.names;
        match step() {
            Step::Assigned { cell, digit, rule } => {
                self.line(&format!("{}={digit}: {rule}", names.of(cell)));
            }
            Step::Eliminated { cells, digit, rule } => {
                let why = rule.map_or_else(String::new, |rule| format!(": {rule}"));
                cells.for_each(|cell| {
                    self.line(&format!("  {} is not {digit}{why}", names.of(cell)));
                });
            }
            Step::Guessed { depth, cell, digit } => {
                self.depth = depth - 1;
                self.line(&format!("guess at depth {depth}: {}={digit}", names.of(cell)));
                self.depth = depth;
            }
            Step::Retreated { depth, why } => {
                self.line(&format!("retreat from depth {depth}: {}", explain(why, names)));
            }
        }
    }
}

/// Explains why a puzzle has no solution.
pub fn explain(why: Contradiction, names: CellNames) -> String {
    match why {
        Contradiction::Taken { cell, digit, unit } => {
            format!("no candidate is left in {}: {digit} is taken in {unit}", names.of(cell))
        }
        Contradiction::NoCandidate { cell } => {
            format!("no candidate is left in {}", names.of(cell))
        }
        Contradiction::NoPlace { digit, unit } => {
            format!("no place is left for {digit} in {unit}")
        }
        Contradiction::NoPlaces { digit, chute } => {
            format!("no three places are left for {digit} in {chute}")
        }
    }
}
