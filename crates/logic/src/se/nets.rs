//! Chains with several reasons for a step, in the order in which Sudoku Explainer follows them.

use super::super::Position;
use super::super::counting::{boxes_with, columns_with, rows_with};
use super::super::links::{Set, contains, insert};
use super::links::Steps;
use crate::board::{Bits, Cells, PEERS, UNITS, UNITS_OF, digits_of};

/// A candidate and whether it is on: `2 * (9 * cell + digit)`, and 1 more if it is off.
pub type Assertion = u16;

/// The number of candidates of a board without digits.
pub const CANDIDATES: usize = 729;

/// Assertions, as a set.
pub type Assertions = Set<{ (2 * CANDIDATES).div_ceil(64) }>;

/// Where to look first for links: boxes, then rows, then columns.
pub const KINDS: [usize; 3] = [2, 0, 1];

pub fn on(cell: usize, digit: usize) -> Assertion {
    2 * (9 * cell + digit) as Assertion
}

pub fn off(cell: usize, digit: usize) -> Assertion {
    negation(on(cell, digit))
}

pub fn negation(assertion: Assertion) -> Assertion {
    assertion ^ 1
}

pub fn is_on(assertion: Assertion) -> bool {
    assertion & 1 == 0
}

/// The cell and the digit of an assertion.
pub fn place(assertion: Assertion) -> (usize, usize) {
    let i = usize::from(assertion / 2);
    (i / 9, i % 9)
}

/// The candidates of open cells, by cell and by digit.
#[derive(Clone, Debug)]
pub struct Grid {
    pub masks: [u16; 81],
    pub open: [Cells; 9],
}

impl Default for Grid {
    fn default() -> Self {
        Self { masks: [0; 81], open: [0; 9] }
    }
}

impl Grid {
    pub fn of(position: &Position) -> Self {
        Self { masks: position.masks, open: position.open }
    }

    pub fn remove(&mut self, cell: usize, digit: usize) {
        self.masks[cell] &= !(1 << digit);
        self.open[digit] &= !(1 << cell);
    }

    /// Returns the places of all strong links.
    pub fn pairs(&self) -> Pairs {
        let (mut one, mut two, mut three) = (0, 0, 0);
        for &cells in &self.open {
            three |= two & cells;
            two |= one & cells;
            one |= cells;
        }
        let places = self.open.map(|open| {
            [rows_with::<2>(open), columns_with::<2>(open), boxes_with::<2>(open)]
                .map(|cells| cells & open)
        });
        Pairs { cells: two & !three, places }
    }

    /// Returns the places of a digit in the row (0), column (1), or box (2) of a cell.
    pub fn places(&self, cell: usize, digit: usize, kind: usize) -> Cells {
        self.open[digit] & UNITS[usize::from(UNITS_OF[cell][kind])]
    }
}

/// The strong links of a grid.
#[derive(Debug, Default)]
pub struct Pairs {
    /// The cells with two candidates.
    pub cells: Cells,
    /// The cells in which a digit is one of two places in its row, column, and box.
    pub places: [[Cells; 3]; 9],
}

/// What nets use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Links within digits, and those that arise when candidates are off.
    Nishio,
    /// Links of the grid.
    Static,
    /// All links, and those that arise when candidates are off.
    #[default]
    Dynamic,
}

/// The rule by which an assertion follows: the kind of the unit (0 to 2) or one of these.
pub type Cause = u8;
pub const CELL: Cause = 3;
/// None: the net starts with the assertion.
pub const START: Cause = 4;
/// Another technique.
pub const OTHER: Cause = 5;

/// An assertion of a net.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub assertion: Assertion,
    pub cause: Cause,
    /// Where its reasons start in the pool, and their number.
    first: u32,
    len: u16,
}

/// All that follows from one assertion.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// The candidates, without those that are off unless links are static.
    pub grid: Grid,
    /// The assertions.
    pub known: Assertions,
    /// The assertions in the order in which they follow.
    pub nodes: Vec<Node>,
    /// The number of each assertion that follows.
    numbers: Vec<u16>,
    /// Numbers of the reasons of all assertions.
    pool: Vec<u16>,
    /// Queues of the numbers of assertions to follow.
    ons: Vec<u16>,
    offs: Vec<u16>,
    next_on: usize,
    next_off: usize,
    /// An assertion whose negation follows as well.
    pub contradiction: Option<Node>,
    /// Sets of ancestors, of `words` words each, where that of each assertion starts, and the number
    /// of its ancestors. Those whose only reason is on have its set, without themselves.
    ancestors: Vec<u64>,
    words: usize,
    rows: Vec<u32>,
    counts: Vec<u16>,
}

impl Net {
    /// Starts over with an assertion.
    pub fn start(&mut self, grid: &Grid, assertion: Assertion) {
        self.grid.clone_from(grid);
        self.known.fill(0);
        self.numbers.resize(2 * CANDIDATES, 0);
        self.nodes.clear();
        self.pool.clear();
        self.ons.clear();
        self.offs.clear();
        (self.next_on, self.next_off) = (0, 0);
        self.contradiction = None;
        self.counts.clear();
        self.push(assertion, START, 0);
    }

    pub fn has(&self, assertion: Assertion) -> bool {
        contains(&self.known, assertion.into())
    }

    /// Returns the number of an assertion that follows.
    pub fn number(&self, assertion: Assertion) -> u16 {
        debug_assert!(self.has(assertion));
        self.numbers[usize::from(assertion)]
    }

    /// Returns the numbers of the reasons of an assertion.
    pub fn reasons(&self, node: &Node) -> &[u16] {
        &self.pool[node.first as usize..][..usize::from(node.len)]
    }

    fn push(&mut self, assertion: Assertion, cause: Cause, first: usize) {
        insert(&mut self.known, assertion.into());
        let number = self.nodes.len() as u16;
        self.numbers[usize::from(assertion)] = number;
        let len = (self.pool.len() - first) as u16;
        self.nodes.push(Node { assertion, cause, first: first as u32, len });
        (if is_on(assertion) { &mut self.ons } else { &mut self.offs }).push(number);
    }

    /// Adds an assertion that follows from another one and further reasons. Returns `false` if there
    /// is a contradiction.
    fn add(
        &mut self,
        assertion: Assertion,
        cause: Cause,
        reason: u16,
        push_others: impl FnOnce(&mut Self),
    ) -> bool {
        // Whether the candidate is on, and off.
        let known = self.known[usize::from(assertion / 64)] >> ((assertion % 64) & !1) & 3;
        if known == 1 << (assertion & 1) {
            return true;
        }
        let is_contradiction = known != 0;
        let first = self.pool.len();
        self.pool.push(reason);
        push_others(self);
        if is_contradiction {
            let len = (self.pool.len() - first) as u16;
            self.contradiction = Some(Node { assertion, cause, first: first as u32, len });
        } else {
            self.push(assertion, cause, first);
        }
        !is_contradiction
    }

    /// Adds a candidate that is off for several reasons, which are off as well, unless it follows
    /// already. Contradictions are not detected. Returns its number.
    pub fn add_off(&mut self, assertion: Assertion, reasons: &[Assertion]) -> Option<u16> {
        if self.has(assertion) {
            return None;
        }
        let first = self.pool.len();
        for &reason in reasons {
            self.pool.push(self.number(reason));
        }
        self.push(assertion, OTHER, first);
        Some(self.number(assertion))
    }

    /// Returns the number of the assertion to follow next: one that is on, if there is any.
    fn next(&mut self) -> Option<u16> {
        for (queue, next) in [(&self.ons, &mut self.next_on), (&self.offs, &mut self.next_off)] {
            if let Some(&number) = queue.get(*next) {
                *next += 1;
                return Some(number);
            }
        }
        None
    }

    /// Follows all assertions until nothing new follows or there is a contradiction. Links are not
    /// static.
    pub fn follow(&mut self, source: &Grid, rules: Rules) {
        while let Some(number) = self.next() {
            let is_valid = if is_on(self.nodes[usize::from(number)].assertion) {
                self.follow_on(number, rules)
            } else {
                self.follow_off(source, number, rules)
            };
            if !is_valid {
                return;
            }
        }
    }

    /// Follows all assertions by static links until nothing new follows or there is a contradiction.
    pub fn follow_links(&mut self, grid: &Grid, steps: &mut Steps) {
        self.counts.push(1);
        while let Some(number) = self.next() {
            for i in steps.from(grid, self.nodes[usize::from(number)].assertion) {
                let (to, cause) = steps.all[i];
                if !self.add(to, cause, number, |_| {}) {
                    return;
                }
                // Each has one reason.
                if self.counts.len() < self.nodes.len() {
                    self.counts.push(self.counts[usize::from(number)] + 1);
                }
            }
        }
    }

    fn follow_on(&mut self, number: u16, rules: Rules) -> bool {
        let (cell, digit) = place(self.nodes[usize::from(number)].assertion);
        if rules != Rules::Nishio {
            for other in digits_of(self.grid.masks[cell] & !(1 << digit)) {
                if !self.add(off(cell, other), CELL, number, |_| {}) {
                    return false;
                }
            }
        }
        let mut left = PEERS[cell] & self.grid.open[digit];
        for kind in KINDS {
            let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
            for other in Bits(left & unit) {
                if !self.add(off(other, digit), kind as Cause, number, |_| {}) {
                    return false;
                }
            }
            left &= !unit;
        }
        true
    }

    fn follow_off(&mut self, source: &Grid, number: u16, rules: Rules) -> bool {
        let (cell, digit) = place(self.nodes[usize::from(number)].assertion);
        self.grid.remove(cell, digit);
        let other = self.grid.masks[cell];
        if other.is_power_of_two() && rules != Rules::Nishio {
            let gone = source.masks[cell] & !other & !(1 << digit);
            let reasons = |net: &mut Self| {
                digits_of(gone).for_each(|digit| net.push_reason(off(cell, digit)));
            };
            if !self.add(on(cell, other.trailing_zeros() as usize), CELL, number, reasons) {
                return false;
            }
        }
        for kind in KINDS {
            let place = self.grid.places(cell, digit, kind);
            if !place.is_power_of_two() {
                continue;
            }
            let gone = source.places(cell, digit, kind) & !(1 << cell) & !place;
            let reasons = |net: &mut Self| {
                Bits(gone).for_each(|cell| net.push_reason(off(cell, digit)));
            };
            let place = place.trailing_zeros() as usize;
            if !self.add(on(place, digit), kind as Cause, number, reasons) {
                return false;
            }
        }
        true
    }

    fn push_reason(&mut self, reason: Assertion) {
        self.pool.push(self.number(reason));
    }

    /// Finds the ancestors of all assertions.
    fn find_ancestors(&mut self) {
        let len = self.nodes.len();
        if self.counts.len() == len {
            return;
        }
        let words = len.div_ceil(64);
        self.words = words;
        self.counts.clear();
        self.rows.clear();
        self.ancestors.clear();
        for (i, node) in self.nodes.iter().enumerate() {
            let reasons = &self.pool[node.first as usize..][..usize::from(node.len)];
            if let &[reason] = reasons
                && is_on(self.nodes[usize::from(reason)].assertion)
            {
                self.counts.push(self.counts[usize::from(reason)] + 1);
                self.rows.push(self.rows[usize::from(reason)]);
                continue;
            }
            let first = self.ancestors.len();
            self.ancestors.resize(first + words, 0);
            let (before, own) = self.ancestors.split_at_mut(first);
            own[i / 64] = 1 << (i % 64);
            for &reason in reasons {
                let reason = usize::from(reason);
                let row = &before[self.rows[reason] as usize..][..words];
                own.iter_mut().zip(row).for_each(|(own, row)| *own |= row);
                own[reason / 64] |= 1 << (reason % 64);
            }
            self.counts.push(own.iter().map(|word| word.count_ones() as u16).sum());
            self.rows.push(first as u32);
        }
    }

    /// Returns the number of distinct assertions that lead to one, itself included.
    pub fn assertions(&mut self, end: Assertion) -> usize {
        self.find_ancestors();
        usize::from(self.counts[usize::from(self.number(end))])
    }

    /// Returns whether one assertion leads to another one that follows.
    pub fn leads_to(&mut self, ancestor: u16, end: u16) -> bool {
        self.find_ancestors();
        let row = &self.ancestors[self.rows[usize::from(end)] as usize..];
        ancestor == end || row[usize::from(ancestor) / 64] >> (ancestor % 64) & 1 != 0
    }

    /// Returns the number of distinct assertions that lead to the side of the contradiction that
    /// does not follow.
    pub fn assertions_of_contradiction(&mut self, node: &Node) -> usize {
        self.find_ancestors();
        let mut all = vec![0_u64; self.words];
        for &reason in self.reasons(node) {
            let reason = usize::from(reason);
            let row = &self.ancestors[self.rows[reason] as usize..];
            all.iter_mut().zip(row).for_each(|(all, row)| *all |= row);
            all[reason / 64] |= 1 << (reason % 64);
        }
        1 + all.iter().map(|word| word.count_ones() as usize).sum::<usize>()
    }
}
