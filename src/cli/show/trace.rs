//! A trace of deductions and search, one line per step.

use std::fmt::Write;

use bulkdoku::logic::{Event, Watch};

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
    const IS_ACTIVE: bool = true;

    fn observe(&mut self, event: Event<'_>) {
        let names = self.names;
        match event {
            Event::Step(step) => self.line(&step.sentence(names.function())),
            Event::Guessed { depth, cell, digit } => {
                self.depth = depth - 1;
                self.line(&format!("guess at depth {depth}: {}={digit}", names.of(cell)));
                self.depth = depth;
            }
            Event::Retreated { depth, why } => {
                self.line(&format!(
                    "retreat from depth {depth}: {}",
                    why.sentence(names.function())
                ));
            }
        }
    }
}
