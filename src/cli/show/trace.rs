//! A trace of propagation and search, a line for each step.

use std::fmt::Write;

use bulkdoku::propagate::{Names, Retreat, Rule, Watch};

/// Collects the steps. Those after a guess are indented by its depth.
pub struct Trace {
    /// The lines so far.
    pub text: String,
    names: Names,
    depth: usize,
}

impl Trace {
    pub fn new(names: Names) -> Self {
        Self { text: String::new(), names, depth: 0 }
    }

    fn line(&mut self, what: &str) {
        writeln!(self.text, "{:indent$}{what}", "", indent = 2 * self.depth)
            .expect("a string takes every write");
    }
}

impl Watch for Trace {
    fn assigned(&mut self, cell: usize, digit: u8, rule: Rule) {
        self.line(&format!("{}={digit}: {rule}", self.names.of(cell)));
    }

    fn eliminated(&mut self, cell: usize, digit: u8) {
        self.line(&format!("  {} is not {digit}", self.names.of(cell)));
    }

    fn guessed(&mut self, depth: usize, cell: usize, digit: u8) {
        self.depth = depth - 1;
        self.line(&format!("guess at depth {depth}: {}={digit}", self.names.of(cell)));
        self.depth = depth;
    }

    fn retreated(&mut self, depth: usize, why: Retreat) {
        let why = match why {
            Retreat::Contradiction(found) => found.explain(self.names),
            Retreat::Solution => "a solution".into(),
        };
        self.line(&format!("retreat from depth {depth}: {why}"));
    }
}
