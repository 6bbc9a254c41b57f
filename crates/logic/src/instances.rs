//! Instances of techniques.

use super::{Candidate, Evidence, Position, Step, Technique};
use crate::board::{Candidates, Cells};

/// What is collected of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collect {
    /// What they place and remove together.
    Effects,
    /// The number of those that place or remove other than all before them.
    Distinct,
    /// Those that place or remove other than all before them, as steps.
    DistinctSteps,
    /// All of them as steps.
    Steps,
}

/// A collection of instances. Finders add what each instance places or removes; they never change
/// the board.
#[derive(Debug)]
pub struct Instances {
    pub collect: Collect,
    /// The technique of the next instances, and the round.
    pub technique: Technique,
    pub round: u32,
    pub count: u32,
    pub placed: Candidates,
    pub removed: Candidates,
    /// The eliminations of each distinct instance.
    distinct: Vec<Candidates>,
    pub steps: Vec<Step>,
}

impl Instances {
    pub fn new(collect: Collect) -> Self {
        Self {
            collect,
            technique: Technique::FullHouse,
            round: 0,
            count: 0,
            placed: [0; 9],
            removed: [0; 9],
            distinct: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Starts over, with another technique.
    #[inline(always)]
    pub fn start(&mut self, technique: Technique, round: u32) {
        if self.count > 0 {
            self.count = 0;
            self.placed = [0; 9];
            self.removed = [0; 9];
            self.distinct.clear();
            self.steps.clear();
        }
        (self.technique, self.round) = (technique, round);
    }

    /// Returns whether steps are collected.
    #[inline(always)]
    pub fn has_steps(&self) -> bool {
        matches!(self.collect, Collect::DistinctSteps | Collect::Steps)
    }

    /// Adds an instance that places a digit in an open cell.
    #[inline(always)]
    pub fn place(&mut self, digit: usize, cell: usize, evidence: impl FnOnce() -> Evidence) {
        let bit: Cells = 1 << cell;
        if self.placed[digit] & bit == 0 || self.collect == Collect::Steps {
            self.placed[digit] |= bit;
            self.count += 1;
            if self.has_steps() {
                self.push(Some((digit, cell)), &[0; 9], evidence());
            }
        }
    }

    /// Adds an instance that removes these candidates. They are candidates of open cells, and there
    /// is at least one.
    #[inline(always)]
    pub fn remove(&mut self, removed: &Candidates, evidence: impl FnOnce() -> Evidence) {
        if self.add(removed) && self.has_steps() {
            self.push(None, removed, evidence());
        }
    }

    /// Adds an instance that removes a digit from cells, if any of them is open and has it.
    #[inline(always)]
    pub fn remove_digit(
        &mut self,
        position: &Position,
        digit: usize,
        cells: Cells,
        evidence: impl FnOnce() -> Evidence,
    ) {
        let cells = cells & position.open[digit];
        if cells != 0 {
            let mut removed = [0; 9];
            removed[digit] = cells;
            self.remove(&removed, evidence);
        }
    }

    /// Adds an instance that removes candidates, if any of them are candidates of open cells.
    #[inline(always)]
    pub fn remove_effective(
        &mut self,
        position: &Position,
        mut removed: Candidates,
        evidence: impl FnOnce() -> Evidence,
    ) {
        let mut any = 0;
        for (cells, open) in removed.iter_mut().zip(&position.open) {
            *cells &= open;
            any |= *cells;
        }
        if any != 0 {
            self.remove(&removed, evidence);
        }
    }

    /// Adds eliminations. Returns whether they are those of an instance to collect.
    fn add(&mut self, removed: &Candidates) -> bool {
        if matches!(self.collect, Collect::Distinct | Collect::DistinctSteps) {
            if self.distinct.contains(removed) {
                return false;
            }
            self.distinct.push(*removed);
        }
        for (all, cells) in self.removed.iter_mut().zip(removed) {
            *all |= cells;
        }
        self.count += 1;
        true
    }

    #[cold]
    fn push(&mut self, placed: Option<(usize, usize)>, removed: &Candidates, evidence: Evidence) {
        let (placed, eliminated) = (placed.map(Candidate::new), Candidate::list(removed));
        let (technique, round) = (self.technique, self.round);
        self.steps.push(Step { round, technique, placed, eliminated, evidence });
    }
}
