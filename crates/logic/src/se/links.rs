//! The links of a grid, and loops of them, in the order in which Sudoku Explainer finds them.

use std::ops::Range;

use super::super::links::{Kind, contains, insert};
use super::nets::{Assertion, Assertions, CANDIDATES, CELL, Cause, Grid, KINDS, START};
use super::nets::{is_on, negation, off, on, place};
use crate::board::{Bits, Candidates, PEERS, UNITS, UNITS_OF, digits_of};

/// The links from each assertion, found when they are first needed.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Where those of an assertion are among all.
    ranges: Vec<(u32, u32)>,
    pub all: Vec<(Assertion, Cause)>,
}

impl Steps {
    /// Starts over, with another grid.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.ranges.resize(2 * CANDIDATES, (0, 0));
        // No steps are those at (0, 0).
        self.all.clear();
        self.all.push((0, START));
    }

    /// Returns where the steps from an assertion are.
    pub fn from(&mut self, grid: &Grid, assertion: Assertion) -> Range<usize> {
        let i = usize::from(assertion);
        if self.ranges[i] == (0, 0) {
            let first = self.all.len() as u32;
            let (cell, digit) = place(assertion);
            if is_on(assertion) {
                weak_from(grid, assertion, |off| self.all.push(off));
            } else {
                let others = grid.masks[cell] & !(1 << digit);
                if others.is_power_of_two() {
                    self.all.push((on(cell, others.trailing_zeros() as usize), CELL));
                }
                for kind in KINDS {
                    let others = grid.places(cell, digit, kind) & !(1 << cell);
                    if others.is_power_of_two() {
                        self.all.push((on(others.trailing_zeros() as usize, digit), kind as Cause));
                    }
                }
            }
            self.ranges[i] = (first, self.all.len() as u32);
        }
        let (first, last) = self.ranges[i];
        first as usize..last as usize
    }
}

/// Visits the candidates that are off if one is on.
fn weak_from(grid: &Grid, from: Assertion, mut visit: impl FnMut((Assertion, Cause))) {
    let (cell, digit) = place(from);
    digits_of(grid.masks[cell] & !(1 << digit)).for_each(|other| visit((off(cell, other), CELL)));
    let mut left = PEERS[cell] & grid.open[digit];
    for kind in KINDS {
        let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
        Bits(left & unit).for_each(|cell| visit((off(cell, digit), kind as Cause)));
        left &= !unit;
    }
}

/// Returns whether chains of a kind have a step.
fn has_step(kind: Kind, (to, cause): (Assertion, Cause)) -> bool {
    match kind {
        Kind::X => cause != CELL,
        Kind::Y => !is_on(to) || cause == CELL,
        Kind::All => true,
    }
}

/// Memory for the search of chains and loops whose assertions have one reason each.
#[derive(Debug, Default)]
pub struct Chains {
    kind: Kind,
    steps: Steps,
    /// Where two steps from each candidate that is on are among all of these.
    ranges: Vec<(u32, u32)>,
    pairs: Vec<[(Assertion, Cause); 2]>,
    /// The assertions in order. In loops, only those that are on.
    queue: Vec<Assertion>,
    seen: Assertions,
    /// The reason and the cause of each assertion. In loops, each that is on has the step that
    /// precedes it at its negation.
    before: Vec<(Assertion, Cause)>,
    /// The nodes of a chain or loop, from its end.
    pub nodes: Vec<(Assertion, Cause)>,
}

impl Chains {
    /// Starts over, with another grid.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.before.resize(2 * CANDIDATES, (0, START));
    }

    /// Selects a kind of links.
    pub fn select(&mut self, kind: Kind) {
        self.kind = kind;
        self.ranges.clear();
        self.ranges.resize(CANDIDATES, (0, 0));
        // No steps are those at (0, 0).
        self.pairs.clear();
        self.pairs.push([(0, START); 2]);
    }

    /// Returns where two steps from a candidate that is on are.
    fn pairs_from(&mut self, grid: &Grid, on: Assertion) -> Range<usize> {
        let i = usize::from(on / 2);
        if self.ranges[i] == (0, 0) {
            let first = self.pairs.len() as u32;
            let Self { kind, steps, pairs, .. } = self;
            weak_from(grid, on, |off| {
                if has_step(*kind, off) {
                    let ons = steps.from(grid, off.0).map(|i| steps.all[i]);
                    pairs.extend(ons.filter(|&on| has_step(*kind, on)).map(|on| [off, on]));
                }
            });
            self.ranges[i] = (first, self.pairs.len() as u32);
        }
        let (first, last) = self.ranges[i];
        first as usize..last as usize
    }

    fn start(&mut self, start: Assertion) {
        self.queue.clear();
        self.seen.fill(0);
        self.reach(start, start, START);
    }

    /// Adds an assertion to the queue if it is new. Returns whether it is.
    fn reach(&mut self, assertion: Assertion, before: Assertion, cause: Cause) -> bool {
        let is_new = !contains(&self.seen, assertion.into());
        if is_new {
            insert(&mut self.seen, assertion.into());
            self.before[usize::from(assertion)] = (before, cause);
            self.queue.push(assertion);
        }
        is_new
    }

    /// Finds the nodes of the shortest chain from an assertion to its negation. Returns whether there
    /// is one.
    pub fn find_chain(&mut self, grid: &Grid, start: Assertion) -> bool {
        self.start(start);
        self.nodes.clear();
        let mut next = 0;
        while let Some(&assertion) = self.queue.get(next) {
            next += 1;
            for i in self.steps.from(grid, assertion) {
                let (to, cause) = self.steps.all[i];
                if !has_step(self.kind, (to, cause)) {
                    continue;
                }
                self.reach(to, assertion, cause);
                if to == negation(start) {
                    let mut node = to;
                    while node != start {
                        let (before, cause) = self.before[usize::from(node)];
                        self.nodes.push((node, cause));
                        node = before;
                    }
                    self.nodes.push((start, START));
                    return true;
                }
            }
        }
        false
    }

    /// Visits all loops that remove something and have a candidate that is on, the shortest first, with
    /// their number of strong links, at least 2, and what they remove. Ends when the visitor returns
    /// `false`, or when `is_useful` does so for the next number of strong links.
    pub fn find_loops(
        &mut self,
        grid: &Grid,
        start: Assertion,
        least: usize,
        is_useful: impl Fn(usize) -> bool,
        mut visit: impl FnMut(&[(Assertion, Cause)], usize, &Candidates) -> bool,
    ) {
        self.start(start);
        let (mut next, mut end, mut length) = (0, 0, 0);
        while let Some(&on) = self.queue.get(next) {
            if next == end {
                (end, length) = (self.queue.len(), length + 1);
                if !is_useful(length) {
                    return;
                }
            }
            next += 1;
            for i in self.pairs_from(grid, on) {
                let [off, (to, strong)] = self.pairs[i];
                if to == start && length >= least {
                    if let Some(removed) = self.close(grid, [(to, strong), off], on)
                        && !visit(&self.nodes, length, &removed)
                    {
                        return;
                    }
                } else if self.reach(to, on, strong) {
                    self.before[usize::from(negation(to))] = off;
                }
            }
        }
    }

    /// Collects the nodes of the loop that ends with two assertions after a candidate that is on.
    /// Returns what it removes, if anything.
    fn close(
        &mut self,
        grid: &Grid,
        ends: [(Assertion, Cause); 2],
        mut on: Assertion,
    ) -> Option<Candidates> {
        self.nodes.clear();
        self.nodes.extend(ends);
        while on != ends[0].0 {
            let (before, strong) = self.before[usize::from(on)];
            let off = self.before[usize::from(negation(on))];
            if off.0 == ends[1].0 {
                return None;
            }
            self.nodes.extend([(on, strong), off]);
            on = before;
        }
        let mut cells = 0;
        let mut seen = [[0; 9]; 2];
        for &(node, _) in &self.nodes {
            let (cell, digit) = place(node);
            cells |= 1 << cell;
            seen[usize::from(!is_on(node))][digit] |= PEERS[cell];
        }
        let mut any = 0;
        let removed = std::array::from_fn(|digit| {
            let both = seen[0][digit] & seen[1][digit] & !cells & grid.open[digit];
            any |= both;
            both
        });
        (any != 0).then_some(removed)
    }
}
