//! Forcing chains whose steps may have several reasons, as Sudoku Explainer rates and prefers them:
//! by the number of assertions, then by the kind of alternatives, then by the first one in row order.

use std::collections::HashMap;

use bulkdoku_core::StopFlag;

use super::super::Position;
use super::super::forcing::is_refuted;
use super::super::links::{and, contains};
use super::links::Steps;
use super::nested::{self, Inner, Removals};
use super::nets::{self, Assertion, Grid, KINDS, Net, Rules, is_on};
use super::{Hint, length_tenths};
use crate::board::{Bits, PEERS, digits_of, size};

/// Alternatives, one of which holds.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A candidate is on or off.
    Candidate(usize, usize),
    /// The candidates of a cell.
    Cell(usize),
    /// The places of a digit (the second number) in the unit of a kind (the third) of a cell.
    Unit(usize, usize, usize),
    /// An assertion that is contradicted.
    Absurd(Assertion),
}

impl Source {
    /// Returns the assertions, one of which holds, or that is contradicted.
    pub fn assertions(self, grid: &Grid) -> impl Iterator<Item = Assertion> {
        let (cells, digits, other) = match self {
            Self::Candidate(cell, digit) => (1 << cell, 1 << digit, Some(nets::off(cell, digit))),
            Self::Cell(cell) => (1 << cell, grid.masks[cell], None),
            Self::Unit(cell, digit, kind) => (grid.places(cell, digit, kind), 1 << digit, None),
            Self::Absurd(assertion) => (0, 0, Some(assertion)),
        };
        let ons = move |cell| digits_of(digits).map(move |digit| nets::on(cell, digit));
        Bits(cells).flat_map(ons).chain(other)
    }

    /// Of equal lengths, which is preferred.
    pub fn rank(self) -> u8 {
        match self {
            Self::Candidate(..) => 1,
            Self::Cell(..) => 5,
            Self::Unit(..) => 6,
            Self::Absurd(..) => 7,
        }
    }
}

/// The nets of all candidates of a grid.
#[derive(Clone, Debug, Default)]
pub struct Nets {
    /// For each candidate the net where it is on, and the one where it is off.
    pub all: Vec<Net>,
    numbers: Vec<[u16; 9]>,
    pub rules: Rules,
    len: usize,
    alternatives: Vec<usize>,
    steps: Steps,
}

impl Nets {
    /// Starts over with the candidates of a grid.
    pub fn start(&mut self, grid: &Grid, rules: Rules) {
        self.rules = rules;
        self.steps.clear();
        self.numbers.clear();
        self.numbers.resize(81, [0; 9]);
        self.len = 0;
        for (cell, &mask) in grid.masks.iter().enumerate() {
            for digit in digits_of(mask) {
                self.numbers[cell][digit] = self.len as u16;
                for assertion in [nets::on(cell, digit), nets::off(cell, digit)] {
                    if self.all.len() == self.len {
                        self.all.push(Net::default());
                    }
                    let net = &mut self.all[self.len];
                    self.len += 1;
                    let open = grid.open[digit];
                    let gone = if is_on(assertion) { PEERS[cell] } else { 1 << cell };
                    if rules == Rules::Static {
                        net.nodes.clear();
                    } else if rules == Rules::Nishio && !is_refuted(open, open & !gone) {
                        net.contradiction = None;
                    } else {
                        net.start(grid, assertion);
                        net.follow(grid, rules);
                    }
                }
            }
        }
    }

    /// Returns the number of the net that starts with an assertion.
    pub fn number(&self, assertion: Assertion) -> usize {
        let (cell, digit) = nets::place(assertion);
        usize::from(self.numbers[cell][digit]) + usize::from(!is_on(assertion))
    }

    /// Visits all conclusions with the number of assertions that lead to them.
    pub fn conclude(
        &mut self,
        grid: &Grid,
        may_agree: impl Fn(Source) -> bool,
        mut visit: impl FnMut(Source, Assertion, &mut [Net], &[usize]),
    ) {
        let (in_cells, is_static) = (self.rules != Rules::Nishio, self.rules == Rules::Static);
        for cell in 0..81 {
            let mask = grid.masks[cell];
            let count = size(mask);
            if count < if is_static { 3 } else { 2 } {
                continue;
            }
            for digit in digits_of(mask) {
                for assertion in [nets::on(cell, digit), nets::off(cell, digit)] {
                    let number = self.number(assertion);
                    if !is_static && self.all[number].contradiction.is_some() {
                        let end = nets::negation(assertion);
                        if is_effective(grid, end) {
                            visit(Source::Absurd(assertion), end, &mut self.all, &[number]);
                        }
                    }
                }
                if !in_cells {
                    continue;
                }
                if !is_static && count > 2 {
                    self.compare(grid, Source::Candidate(cell, digit), &mut visit);
                }
                for kind in KINDS {
                    let places = grid.places(cell, digit, kind);
                    let source = Source::Unit(cell, digit, kind);
                    if places.trailing_zeros() as usize == cell
                        && places.count_ones() > 1
                        && may_agree(source)
                    {
                        self.compare(grid, source, &mut visit);
                    }
                }
            }
            if in_cells && may_agree(Source::Cell(cell)) {
                self.compare(grid, Source::Cell(cell), &mut visit);
            }
        }
    }

    /// Visits what all alternatives imply, in the order of the first one, those that are on first.
    fn compare(
        &mut self,
        grid: &Grid,
        source: Source,
        visit: &mut impl FnMut(Source, Assertion, &mut [Net], &[usize]),
    ) {
        let mut numbers = std::mem::take(&mut self.alternatives);
        numbers.clear();
        for start in source.assertions(grid) {
            let number = self.number(start);
            numbers.push(number);
            // Static chains are followed when they are needed.
            if self.rules == Rules::Static && self.all[number].nodes.is_empty() {
                self.all[number].start(grid, start);
                self.all[number].follow_links(grid, &mut self.steps);
            }
        }
        let common = numbers[1..].iter().fold(self.all[numbers[0]].known, |common, &number| {
            and(&common, &self.all[number].known)
        });
        for side in [nets::on(0, 0), nets::off(0, 0)] {
            // Every second number is of this side.
            if common.iter().all(|word| word >> side & 0x5555_5555_5555_5555 == 0) {
                continue;
            }
            for i in 0..self.all[numbers[0]].nodes.len() {
                let end = self.all[numbers[0]].nodes[i].assertion;
                if is_on(end) == is_on(side)
                    && contains(&common, end.into())
                    && is_effective(grid, end)
                {
                    visit(source, end, &mut self.all, &numbers);
                }
            }
        }
        self.alternatives = numbers;
    }
}

/// Returns whether an assertion removes a candidate.
fn is_effective(grid: &Grid, end: Assertion) -> bool {
    !is_on(end) || size(grid.masks[nets::place(end).0]) > 1
}

/// The number of assertions that lead to a conclusion, without nested chains.
pub fn assertions(source: Source, end: Assertion, nets: &mut [Net], numbers: &[usize]) -> usize {
    if let Source::Absurd(_) = source {
        let net = &mut nets[numbers[0]];
        let node = net.contradiction.expect("a contradiction");
        net.assertions(nets::negation(node.assertion)) + net.assertions_of_contradiction(&node)
    } else {
        numbers.iter().map(|&number| nets[number].assertions(end)).sum()
    }
}

/// The state of a net between rounds of other techniques.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// Nested chains: the number of the assertion that each implies, its assertions, and its hash.
    nested: Vec<(u16, usize, u64)>,
    /// Whether no other technique finds anything.
    is_complete: bool,
    /// The least number of assertions of what follows later.
    least: usize,
}

/// Memory for the search of dynamic forcing chains.
#[derive(Debug, Default)]
pub struct Search {
    /// Ends the search, which then finds nothing.
    pub(super) stop: StopFlag,
    pub(super) nets: Nets,
    progress: Vec<Progress>,
    inner: nested::Search,
    /// What is removed in the grids that nets reached.
    reached: HashMap<(Inner, [u16; 81]), Removals>,
    signatures: Vec<u64>,
    /// The preferred conclusion of the last search that found one.
    pub(super) found: Option<(Source, Assertion)>,
    /// The hardest other techniques of that search, if any.
    pub(super) inner_kind: Option<Inner>,
}

/// The number of assertions, the rank of the alternatives, and the conclusion.
type Best = Option<((usize, u8), Assertion)>;

impl Search {
    /// Finds the shortest nishio chain.
    pub(super) fn nishio(&mut self, position: &Position) -> Option<Hint> {
        self.by_rules(&Grid::of(position), Rules::Nishio, 75)
    }

    /// Finds the shortest cell or region forcing chain.
    pub(super) fn multiple(&mut self, position: &Position) -> Option<Hint> {
        let grid = Grid::of(position);
        self.inner.reach.start(&grid);
        self.by_rules(&grid, Rules::Static, 80)
    }

    /// Finds the shortest dynamic forcing chain that uses the easiest other techniques.
    pub(super) fn dynamic(&mut self, position: &Position) -> Option<Hint> {
        let grid = Grid::of(position);
        if let Some(hint) = self.by_rules(&grid, Rules::Dynamic, 85) {
            return Some(hint);
        }
        self.reached.clear();
        if let Some(hint) = self.level(position, &grid, Inner::Basic, 90) {
            return Some(hint);
        }
        let start = (self.nets.clone(), self.progress.clone());
        for (inner, base) in [(Inner::Simple, 95), (Inner::Multiple, 100)] {
            if let Some(hint) = self.level(position, &grid, inner, base) {
                return Some(hint);
            }
        }
        (self.nets, self.progress) = start;
        self.level(position, &grid, Inner::Dynamic, 105)
    }

    /// Finds the shortest chain without other techniques.
    fn by_rules(&mut self, grid: &Grid, rules: Rules, base: u16) -> Option<Hint> {
        self.inner_kind = None;
        self.nets.start(grid, rules);
        self.progress.clear();
        self.progress.resize(self.nets.len, Progress::default());
        self.best(grid).map(|((assertions, _), end)| hint(base, assertions, end))
    }

    /// Extends all nets by techniques up to a kind.
    fn level(&mut self, position: &Position, grid: &Grid, inner: Inner, base: u16) -> Option<Hint> {
        self.inner_kind = Some(inner);
        for progress in &mut self.progress {
            (progress.is_complete, progress.least) = (false, 0);
        }
        let mut best: Best = None;
        loop {
            let mut any = false;
            for number in 0..self.nets.len {
                if self.stop.is_requested() {
                    return None;
                }
                let progress = &self.progress[number];
                let is_needed = best.is_none_or(|((assertions, _), _)| progress.least < assertions);
                if !progress.is_complete && is_needed {
                    any |= self.extend(position, grid, number, inner);
                }
            }
            if !any {
                return best.map(|((assertions, _), end)| hint(base, assertions, end));
            }
            best = self.best(grid);
        }
    }

    /// Extends a net by the easiest technique that removes something. Returns whether it does.
    fn extend(&mut self, position: &Position, grid: &Grid, number: usize, inner: Inner) -> bool {
        let net = &mut self.nets.all[number];
        let progress = &mut self.progress[number];
        if net.contradiction.is_some() {
            progress.is_complete = true;
            return false;
        }
        let mut kind = Inner::Basic;
        let removals = loop {
            let key = (kind, net.grid.masks);
            let find = || self.inner.find(&position.board, grid, &net.grid, kind);
            if !self.reached.entry(key).or_insert_with(find).is_empty() || kind == inner {
                break &self.reached[&key];
            }
            kind = kind.next(inner);
        };
        progress.is_complete = removals.is_empty();
        let mut least = usize::MAX;
        for (end, reasons, assertions, signature) in removals.iter() {
            if let Some(number) = net.add_off(end, reasons) {
                least = least.min(assertions + 1);
                if assertions > 0 {
                    progress.nested.push((number, assertions, signature));
                }
            }
        }
        // What follows later follows from this, since nothing else is left to be found before.
        if kind == inner && kind != Inner::Basic && !progress.is_complete {
            progress.least = progress.least.max(least);
        }
        net.follow(grid, Rules::Dynamic);
        !progress.is_complete
    }

    /// Returns the preferred conclusion from all nets.
    fn best(&mut self, grid: &Grid) -> Best {
        let mut best: Best = None;
        let (progress, signatures) = (&self.progress, &mut self.signatures);
        let is_static = self.nets.rules == Rules::Static;
        let may_agree = |source| !is_static || self.inner.reach.may_agree(grid, source);
        self.nets.conclude(grid, may_agree, |source, end, nets, numbers| {
            let mut sum = assertions(source, end, nets, numbers);
            signatures.clear();
            for &number in numbers {
                let net = &mut nets[number];
                for &(chain, assertions, signature) in &progress[number].nested {
                    let is_used = match (source, net.contradiction) {
                        (Source::Absurd(_), Some(node)) => {
                            let other = net.number(nets::negation(node.assertion));
                            net.leads_to(chain, other)
                                || (0..net.reasons(&node).len())
                                    .any(|i| net.leads_to(chain, net.reasons(&node)[i]))
                        }
                        _ => net.leads_to(chain, net.number(end)),
                    };
                    if is_used && !signatures.contains(&signature) {
                        signatures.push(signature);
                        sum += assertions;
                    }
                }
            }
            let key = (sum, source.rank());
            if best.is_none_or(|(least, _)| key < least) {
                best = Some((key, end));
                self.found = Some((source, end));
            }
        });
        best
    }
}

fn hint(base: u16, assertions: usize, end: Assertion) -> Hint {
    Hint::of(base + length_tenths(assertions), end)
}
