//! Chains with several reasons for a step, in the order in which Sudoku Explainer follows them.

use super::super::Position;
use crate::board::{Bits, Cells, PEERS, UNITS, UNITS_OF, digits_of};

/// A candidate and whether it is on: `9 * cell + digit`, and 729 more if it is off.
pub type Assertion = u16;

/// The number of candidates of a board without digits.
const CANDIDATES: usize = 729;

/// The number of words of a set of assertions.
const SET: usize = 2 * CANDIDATES / 64 + 1;

/// Where to look first for links: boxes, then rows, then columns.
pub const KINDS: [usize; 3] = [2, 0, 1];

pub fn on(cell: usize, digit: usize) -> Assertion {
    (9 * cell + digit) as Assertion
}

pub fn off(cell: usize, digit: usize) -> Assertion {
    (CANDIDATES + 9 * cell + digit) as Assertion
}

pub fn negation(assertion: Assertion) -> Assertion {
    if is_on(assertion) {
        assertion + CANDIDATES as Assertion
    } else {
        assertion - CANDIDATES as Assertion
    }
}

pub fn is_on(assertion: Assertion) -> bool {
    usize::from(assertion) < CANDIDATES
}

/// The cell and the digit of an assertion.
pub fn place(assertion: Assertion) -> (usize, usize) {
    let i = usize::from(assertion) % CANDIDATES;
    (i / 9, i % 9)
}

/// What a net may use.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Links within cells.
    pub cells: bool,
    /// Candidates that are off make new links.
    pub dynamic: bool,
}

/// All that follows from one assertion.
#[derive(Debug)]
pub struct Net {
    masks: [u16; 81],
    open: [Cells; 9],
    /// The cells of the candidates that are on, and off.
    pub known: [[Cells; 9]; 2],
    /// All assertions that follow, and the first one.
    pub order: Vec<Assertion>,
    /// Queue of candidates that are off, and how many of them and of those that are on are done.
    offs: Vec<Assertion>,
    ons: Vec<Assertion>,
    /// Where the reasons of each assertion start, and their number.
    reasons: Box<[(u32, u8); 2 * CANDIDATES]>,
    pool: Vec<Assertion>,
    /// An assertion whose negation follows as well, and where its reasons start.
    contradiction: Option<(Assertion, usize)>,
    stack: Vec<Assertion>,
}

impl Default for Net {
    fn default() -> Self {
        let empty = || Vec::with_capacity(2 * CANDIDATES);
        Self {
            masks: [0; 81],
            open: [0; 9],
            known: [[0; 9]; 2],
            order: empty(),
            offs: empty(),
            ons: empty(),
            reasons: Box::new([(0, 0); 2 * CANDIDATES]),
            pool: Vec::with_capacity(16 * CANDIDATES),
            contradiction: None,
            stack: empty(),
        }
    }
}

impl Net {
    fn has(&self, assertion: Assertion) -> bool {
        let (cell, digit) = place(assertion);
        self.known[usize::from(!is_on(assertion))][digit] >> cell & 1 != 0
    }

    /// Adds an assertion whose reasons are at the end of the pool. Returns `false` if there is a contradiction.
    fn add(&mut self, assertion: Assertion, first_reason: usize) -> bool {
        if self.has(negation(assertion)) {
            self.contradiction = Some((assertion, first_reason));
            return false;
        }
        if self.has(assertion) {
            self.pool.truncate(first_reason);
            return true;
        }
        let (cell, digit) = place(assertion);
        let side = usize::from(!is_on(assertion));
        self.known[side][digit] |= 1 << cell;
        self.reasons[usize::from(assertion)] =
            (first_reason as u32, (self.pool.len() - first_reason) as u8);
        self.order.push(assertion);
        if side == 0 {
            self.ons.push(assertion);
        } else {
            self.offs.push(assertion);
        }
        true
    }

    /// Follows an assertion until nothing new follows or there is a contradiction.
    pub fn run(&mut self, position: &Position, start: Assertion, rules: Rules) {
        self.masks = position.masks;
        self.open = position.open;
        self.known = [[0; 9]; 2];
        self.order.clear();
        self.offs.clear();
        self.ons.clear();
        self.pool.clear();
        self.contradiction = None;
        self.add(start, 0);
        let (mut next_on, mut next_off) = (0, 0);
        loop {
            let is_valid = if let Some(&assertion) = self.ons.get(next_on) {
                next_on += 1;
                self.follow_on(assertion, rules)
            } else if let Some(&assertion) = self.offs.get(next_off) {
                next_off += 1;
                self.follow_off(position, assertion, rules)
            } else {
                return;
            };
            if !is_valid {
                return;
            }
        }
    }

    fn follow_on(&mut self, assertion: Assertion, rules: Rules) -> bool {
        let (cell, digit) = place(assertion);
        if rules.cells {
            for other in digits_of(self.masks[cell] & !(1 << digit)) {
                let first = self.pool.len();
                self.pool.push(assertion);
                if !self.add(off(cell, other), first) {
                    return false;
                }
            }
        }
        let mut left = PEERS[cell] & self.open[digit];
        for kind in KINDS {
            let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
            for other in Bits(left & unit) {
                let first = self.pool.len();
                self.pool.push(assertion);
                if !self.add(off(other, digit), first) {
                    return false;
                }
            }
            left &= !unit;
        }
        true
    }

    fn follow_off(&mut self, position: &Position, assertion: Assertion, rules: Rules) -> bool {
        let (cell, digit) = place(assertion);
        // The consequences are determined before any of them is added.
        let other = self.masks[cell] & !(1 << digit);
        let from_cell = rules.cells && other.is_power_of_two();
        let from_units = KINDS.map(|kind| {
            let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
            let others = self.open[digit] & unit & !(1 << cell);
            others.is_power_of_two().then(|| (unit, others.trailing_zeros() as usize))
        });
        if rules.dynamic {
            self.masks[cell] &= !(1 << digit);
            self.open[digit] &= !(1 << cell);
        }
        if from_cell {
            let first = self.pool.len();
            self.pool.push(assertion);
            if rules.dynamic {
                for gone in digits_of(position.masks[cell] & !other & !(1 << digit)) {
                    self.push_reason(off(cell, gone));
                }
            }
            if !self.add(on(cell, other.trailing_zeros() as usize), first) {
                return false;
            }
        }
        for (unit, place) in from_units.into_iter().flatten() {
            let first = self.pool.len();
            self.pool.push(assertion);
            if rules.dynamic {
                for gone in Bits(position.open[digit] & unit & !(1 << cell) & !(1 << place)) {
                    self.push_reason(off(gone, digit));
                }
            }
            if !self.add(on(place, digit), first) {
                return false;
            }
        }
        true
    }

    fn push_reason(&mut self, reason: Assertion) {
        debug_assert!(self.has(reason));
        self.pool.push(reason);
    }

    /// Returns the number of distinct assertions that lead to one, itself included.
    pub fn assertions(&mut self, end: Assertion) -> usize {
        let mut seen = [0; SET];
        self.stack.clear();
        self.stack.push(end);
        seen[usize::from(end) / 64] |= 1 << (end % 64);
        self.count(seen)
    }

    /// Returns the number of distinct assertions that lead to each side of the contradiction, if
    /// there is one.
    pub fn assertions_of_contradiction(&mut self) -> Option<usize> {
        let (assertion, first) = self.contradiction?;
        let other = self.assertions(negation(assertion));
        let mut seen = [0; SET];
        self.stack.clear();
        self.stack.extend(&self.pool[first..]);
        for &end in self.stack.iter().chain([&assertion]) {
            seen[usize::from(end) / 64] |= 1 << (end % 64);
        }
        Some(other + 1 + self.count(seen))
    }

    fn count(&mut self, mut seen: [u64; SET]) -> usize {
        let mut count = 0;
        while let Some(assertion) = self.stack.pop() {
            count += 1;
            let (first, len) = self.reasons[usize::from(assertion)];
            for &reason in &self.pool[first as usize..first as usize + usize::from(len)] {
                let (word, bit) = (usize::from(reason) / 64, 1 << (reason % 64));
                if seen[word] & bit == 0 {
                    seen[word] |= bit;
                    self.stack.push(reason);
                }
            }
        }
        count
    }
}
