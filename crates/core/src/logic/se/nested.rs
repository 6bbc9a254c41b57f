//! What other techniques remove within a net, and which candidates that are off make them possible,
//! in the order of Sudoku Explainer.

mod basic;

use std::ops::Range;

use super::super::links::Kind;
use super::dynamic::{self, Nets, STATIC, Source};
use super::length_tenths;
use super::nets::{self, Assertion, CELL, Cause, Grid, KINDS, Node, OTHER, START, is_on};
use crate::board::{Bits, Board, Candidates, Cells, PEERS, UNITS, UNITS_OF, digits_of, size};

/// Techniques within a net, from the easiest to the hardest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// Locked candidates, hidden and naked pairs, and X-wings.
    Basic,
    /// Forcing chains and loops.
    Simple,
    /// Cell and region forcing chains.
    Multiple,
    /// Dynamic forcing chains, which include both.
    Dynamic,
}

impl Inner {
    /// Returns the next kind on the way to a harder one.
    pub fn next(self, hardest: Self) -> Self {
        match self {
            Self::Basic if hardest != Self::Dynamic => Self::Simple,
            Self::Simple => Self::Multiple,
            _ => Self::Dynamic,
        }
    }
}

/// Candidates that are off, in order, with their reasons.
#[derive(Debug, Default)]
pub struct Removals {
    /// Each candidate and the number of its hint.
    ends: Vec<(Assertion, usize)>,
    hints: Vec<Inference>,
    pool: Vec<Assertion>,
}

/// Why candidates are off.
#[derive(Debug)]
struct Inference {
    reasons: Range<usize>,
    /// The number of assertions of a chain, and a hash of them.
    assertions: usize,
    signature: u64,
}

impl Removals {
    pub fn iter(&self) -> impl Iterator<Item = (Assertion, &[Assertion], usize, u64)> {
        self.ends.iter().map(|&(end, hint)| {
            let &Inference { ref reasons, assertions, signature } = &self.hints[hint];
            (end, &self.pool[reasons.clone()], assertions, signature)
        })
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a hint whose reasons are at the end of the pool, unless there are none.
    fn add(&mut self, first: usize, assertions: usize, signature: u64) -> bool {
        let reasons = first..self.pool.len();
        let has_reasons = !reasons.is_empty();
        if has_reasons {
            self.hints.push(Inference { reasons, assertions, signature });
        }
        has_reasons
    }

    /// Adds candidates in an order of cells.
    fn remove(&mut self, mut removed: Vec<(usize, u16)>) {
        hash_order(&mut removed);
        let hint = self.hints.len() - 1;
        for (cell, mask) in removed {
            self.ends.extend(digits_of(mask).map(|digit| (nets::off(cell, digit), hint)));
        }
    }
}

/// Sorts cells as hash tables with chaining do that double when they are three quarters full.
fn hash_order(cells: &mut [(usize, u16)]) {
    let mut size = 16;
    while cells.len() > size * 3 / 4 {
        size *= 2;
    }
    cells.sort_by_key(|&(cell, _)| cell % size);
}

/// The rating, the number of assertions, the rank of the kind, and the number of a hint, and the
/// position of a candidate in it.
type Key = (u64, usize, u8, usize, usize);

/// A chain.
#[derive(Clone, Debug)]
enum Chain {
    Net(Source, Assertion),
    /// The nodes of a forcing chain, or a loop, from its end.
    Nodes(Range<usize>, bool),
}

/// Memory for the search of chains within nets.
#[derive(Debug)]
pub struct Search {
    nets: Nets,
    numbers: Vec<usize>,
    /// The preferred hint that removes each candidate.
    best: Vec<Option<(Key, usize)>>,
    hints: Vec<Chain>,
    nodes: Vec<(Assertion, Cause)>,
    /// The search of simple chains: the assertions in order, and the reason and cause of each.
    queue: Vec<Assertion>,
    before: Vec<(Assertion, Cause)>,
    seen: [Candidates; 2],
    /// The steps from each assertion: where they are in a list, and the list.
    ranges: Vec<(u32, u32)>,
    steps: Vec<(Assertion, Cause)>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            nets: Nets::default(),
            numbers: Vec::new(),
            best: vec![None; nets::CANDIDATES],
            hints: Vec::new(),
            nodes: Vec::new(),
            queue: Vec::new(),
            before: vec![(0, START); 2 * nets::CANDIDATES],
            seen: [[0; 9]; 2],
            ranges: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Search {
    /// Finds what a kind of techniques removes from a grid. The reasons are candidates that an
    /// earlier grid has.
    pub fn find(&mut self, board: &Board, source: &Grid, grid: &Grid, inner: Inner) -> Removals {
        let mut out = Removals::default();
        if inner == Inner::Basic {
            basic::find(board, source, grid, &mut out);
            return out;
        }
        self.best.fill(None);
        self.hints.clear();
        self.nodes.clear();
        if inner == Inner::Simple {
            self.ranges.clear();
            self.ranges.resize(2 * nets::CANDIDATES, (0, 0));
            // No steps are those at (0, 0).
            self.steps.clear();
            self.steps.push((0, START));
            self.simple(grid);
        } else {
            let rules = if inner == Inner::Multiple { STATIC } else { dynamic::DYNAMIC };
            self.nets.start(grid, rules);
            let (best, hints) = (&mut self.best, &mut self.hints);
            let mut number = 0;
            self.nets.conclude(grid, |source, end, nets, numbers| {
                let assertions = dynamic::assertions(source, end, nets, numbers);
                let (cell, digit) = nets::place(end);
                let removed =
                    if is_on(end) { grid.masks[cell] & !(1 << digit) } else { 1 << digit };
                number += 1;
                let key = (0, assertions, source.rank(), number, 0);
                improve(best, hints, key, &[(cell, removed)], || Chain::Net(source, end));
            });
        }
        self.collect(source, grid, &mut out);
        out
    }

    /// Collects the removed candidates in the order of their hints.
    fn collect(&mut self, source: &Grid, grid: &Grid, out: &mut Removals) {
        let mut removed: Vec<_> =
            self.best.iter().enumerate().filter_map(|(i, &best)| Some((best?, i))).collect();
        removed.sort_unstable();
        let mut last = (usize::MAX, false);
        for (((_, assertions, ..), hint), candidate) in removed {
            if last.0 != hint {
                let first = out.pool.len();
                let signature = match self.hints[hint].clone() {
                    Chain::Net(of, end) => self.trace(source, grid, of, end, &mut out.pool),
                    Chain::Nodes(range, is_loop) => {
                        let nodes = &self.nodes[range];
                        trace_nodes(source, grid, nodes, is_loop, &mut out.pool)
                    }
                };
                last = (hint, out.add(first, assertions, signature));
            }
            if last.1 {
                let off = nets::negation(candidate as Assertion);
                out.ends.push((off, out.hints.len() - 1));
            }
        }
    }

    /// Collects the reasons of a conclusion from nets. Returns a hash of its assertions.
    fn trace(
        &mut self,
        source: &Grid,
        grid: &Grid,
        of: Source,
        end: Assertion,
        out: &mut Vec<Assertion>,
    ) -> u64 {
        let first = match of {
            Source::Cell(_) => CELL,
            Source::Unit(_, _, kind) => kind as Cause,
            _ => START,
        };
        self.nets.alternatives(grid, of, &mut self.numbers);
        let mut ends = Vec::with_capacity(9);
        for &number in &self.numbers {
            let net = &self.nets.all[number];
            if let (Source::Absurd(_), Some(node)) = (of, net.contradiction) {
                let other = net.nodes[usize::from(net.number(nets::negation(node.assertion)))];
                ends.extend([(number, node), (number, other)]);
                ends.sort_by_key(|(_, node)| node.assertion);
            } else {
                ends.push((number, net.nodes[usize::from(net.number(end))]));
            }
        }
        let mut reasons = Reasons { source, grid, seen: [0; 9], out };
        let mut hash = Hash(ends.len() as u64);
        for (number, end) in ends {
            let net = &self.nets.all[number];
            let mut seen = [[0; 9]; 2];
            let mut queue: Vec<Node> = vec![end];
            let mut next = 0;
            while let Some(&node) = queue.get(next) {
                next += 1;
                let (cell, digit) = nets::place(node.assertion);
                let seen: &mut Cells = &mut seen[usize::from(!is_on(node.assertion))][digit];
                if *seen >> cell & 1 == 0 {
                    *seen |= 1 << cell;
                    hash.add(node.assertion.into());
                    let cause = if node.cause == START { first } else { node.cause };
                    reasons.add(node.assertion, cause);
                    queue.extend(
                        net.reasons(&node).iter().map(|&number| net.nodes[usize::from(number)]),
                    );
                }
            }
            hash.add(u64::MAX);
        }
        hash.0
    }

    /// Finds forcing chains, X-cycles, and Y-cycles.
    fn simple(&mut self, grid: &Grid) {
        let mut number = 0;
        for kind in [Kind::X, Kind::Y, Kind::All] {
            for cell in (0..81).filter(|&cell| size(grid.masks[cell]) > 1) {
                for digit in digits_of(grid.masks[cell]) {
                    let start = nets::on(cell, digit);
                    if kind != Kind::Y || size(grid.masks[cell]) == 2 {
                        self.loops(grid, kind, start, &mut number);
                    }
                    for start in [start, nets::negation(start)] {
                        if kind != Kind::Y {
                            self.forcing_chain(grid, kind, start, &mut number);
                        }
                    }
                }
            }
        }
    }

    /// Returns where the steps from an assertion are in the list of all steps.
    fn steps_from(&mut self, grid: &Grid, assertion: Assertion) -> Range<usize> {
        if self.ranges[usize::from(assertion)] == (0, 0) {
            let first = self.steps.len() as u32;
            let (cell, digit) = nets::place(assertion);
            let others = grid.masks[cell] & !(1 << digit);
            if is_on(assertion) {
                self.steps.extend(digits_of(others).map(|digit| (nets::off(cell, digit), CELL)));
                let mut left = PEERS[cell] & grid.open[digit];
                for kind in KINDS {
                    let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
                    self.steps.extend(offs(left & unit, digit).map(|off| (off, kind as Cause)));
                    left &= !unit;
                }
            } else {
                if others.is_power_of_two() {
                    self.steps.push((nets::on(cell, others.trailing_zeros() as usize), CELL));
                }
                for unit in KINDS {
                    let others = grid.places(cell, digit, unit) & !(1 << cell);
                    if others.is_power_of_two() {
                        let on = nets::on(others.trailing_zeros() as usize, digit);
                        self.steps.push((on, unit as Cause));
                    }
                }
            }
            self.ranges[usize::from(assertion)] = (first, self.steps.len() as u32);
        }
        let (first, last) = self.ranges[usize::from(assertion)];
        first as usize..last as usize
    }

    /// Returns a step from an assertion, if chains of a kind have it.
    fn step(&self, i: usize, from: Assertion, kind: Kind) -> Option<(Assertion, Cause)> {
        let (to, cause) = self.steps[i];
        let is_allowed = match kind {
            Kind::X => cause != CELL,
            Kind::Y => is_on(from) || cause == CELL,
            Kind::All => true,
        };
        is_allowed.then_some((to, cause))
    }

    /// Adds an assertion to the queue if it is new.
    fn reach(&mut self, assertion: Assertion, before: Assertion, cause: Cause) {
        let (cell, digit) = nets::place(assertion);
        let seen = &mut self.seen[usize::from(!is_on(assertion))][digit];
        if *seen >> cell & 1 == 0 {
            *seen |= 1 << cell;
            self.before[usize::from(assertion)] = (before, cause);
            self.queue.push(assertion);
        }
    }

    /// Finds the shortest chain from an assertion to its negation.
    fn forcing_chain(&mut self, grid: &Grid, kind: Kind, start: Assertion, number: &mut usize) {
        let end = nets::negation(start);
        self.queue.clear();
        self.seen = [[0; 9]; 2];
        self.reach(start, start, START);
        let mut next = 0;
        while let Some(&assertion) = self.queue.get(next) {
            next += 1;
            for i in self.steps_from(grid, assertion) {
                let Some((to, cause)) = self.step(i, assertion, kind) else { continue };
                self.reach(to, assertion, cause);
                if to == end {
                    let first = self.nodes.len();
                    let mut node = end;
                    loop {
                        let (before, cause) = self.before[usize::from(node)];
                        self.nodes.push((node, cause));
                        if node == start {
                            break;
                        }
                        node = before;
                    }
                    let (base, rank) = if kind == Kind::X { (6.6, 2) } else { (7.0, 4) };
                    let (cell, digit) = nets::place(end);
                    let removed =
                        if is_on(end) { grid.masks[cell] & !(1 << digit) } else { 1 << digit };
                    self.add_nodes(first, false, base, rank, &[(cell, removed)], number);
                    return;
                }
            }
        }
    }

    /// Finds all loops through a candidate that is on.
    fn loops(&mut self, grid: &Grid, kind: Kind, start: Assertion, number: &mut usize) {
        self.queue.clear();
        self.seen = [[0; 9]; 2];
        self.reach(start, start, START);
        let mut next = 0;
        while let Some(&on) = self.queue.get(next) {
            next += 1;
            for i in self.steps_from(grid, on) {
                let Some((off, weak)) = self.step(i, on, kind) else { continue };
                for i in self.steps_from(grid, off) {
                    let Some((to, strong)) = self.step(i, off, kind) else { continue };
                    if to == start && on != start {
                        self.close(grid, kind, start, [(to, strong), (off, weak)], on, number);
                    }
                    let reached = self.queue.len();
                    self.reach(to, on, strong);
                    if self.queue.len() > reached {
                        self.before[usize::from(nets::negation(to))] = (off, weak);
                    }
                }
            }
        }
    }

    /// Adds the loop that ends with two assertions after a candidate that is on.
    fn close(
        &mut self,
        grid: &Grid,
        kind: Kind,
        start: Assertion,
        ends: [(Assertion, Cause); 2],
        mut on: Assertion,
        number: &mut usize,
    ) {
        let first = self.nodes.len();
        self.nodes.extend(ends);
        while on != start {
            let (before, strong) = self.before[usize::from(on)];
            let (off, weak) = self.before[usize::from(nets::negation(on))];
            if off == ends[1].0 {
                self.nodes.truncate(first);
                return;
            }
            self.nodes.extend([(on, strong), (off, weak)]);
            on = before;
        }
        let mut cells = 0;
        let mut seen = [[0; 9]; 2];
        for &(node, _) in &self.nodes[first..] {
            let (cell, digit) = nets::place(node);
            cells |= 1 << cell;
            seen[usize::from(!is_on(node))][digit] |= PEERS[cell];
        }
        let mut removed: Vec<(usize, u16)> = Vec::new();
        for &(node, _) in self.nodes[first..].iter().filter(|&&(node, _)| is_on(node)) {
            let (cell, digit) = nets::place(node);
            let both = seen[0][digit] & seen[1][digit] & !cells & grid.open[digit] & PEERS[cell];
            for cell in Bits(both) {
                match removed.iter_mut().find(|(other, _)| *other == cell) {
                    Some((_, mask)) => *mask |= 1 << digit,
                    None => removed.push((cell, 1 << digit)),
                }
            }
        }
        hash_order(&mut removed);
        let (base, rank) = match kind {
            Kind::X => (6.5, 2),
            Kind::Y => (6.5, 3),
            Kind::All => (7.0, 4),
        };
        self.add_nodes(first, true, base, rank, &removed, number);
    }

    /// Adds a hint whose nodes are the last ones.
    fn add_nodes(
        &mut self,
        first: usize,
        is_loop: bool,
        base: f64,
        rank: u8,
        removed: &[(usize, u16)],
        number: &mut usize,
    ) {
        *number += 1;
        let nodes = first..self.nodes.len();
        // As binary fractions, sums of tenths may differ where their decimal values are equal.
        let tenths = (0..length_tenths(nodes.len())).fold(0.0, |sum, _| sum + 0.1);
        let key = ((base + tenths).to_bits(), nodes.len(), rank, *number, 0);
        let hint = || Chain::Nodes(nodes.clone(), is_loop);
        if !improve(&mut self.best, &mut self.hints, key, removed, hint) {
            self.nodes.truncate(first);
        }
    }
}

/// Enters a hint where it is preferred. Returns whether it is preferred anywhere.
fn improve(
    best: &mut [Option<(Key, usize)>],
    hints: &mut Vec<Chain>,
    mut key: Key,
    removed: &[(usize, u16)],
    hint: impl FnOnce() -> Chain,
) -> bool {
    let mut is_better = false;
    for &(cell, mask) in removed {
        for digit in digits_of(mask) {
            let best = &mut best[9 * cell + digit];
            if best.is_none_or(|(best, _)| key < best) {
                *best = Some((key, hints.len()));
                is_better = true;
            }
            key.4 += 1;
        }
    }
    if is_better {
        hints.push(hint());
    }
    is_better
}

/// Collects the reasons of a forcing chain or loop. Returns a hash of its assertions.
fn trace_nodes(
    source: &Grid,
    grid: &Grid,
    nodes: &[(Assertion, Cause)],
    is_loop: bool,
    out: &mut Vec<Assertion>,
) -> u64 {
    let mut reasons = Reasons { source, grid, seen: [0; 9], out };
    let mut hash = Hash(is_loop.into());
    for &(node, cause) in nodes {
        hash.add(node.into());
        reasons.add(node, cause);
    }
    // A loop holds in the other direction as well, with the same reasons for links.
    for &(node, cause) in nodes.iter().rev().filter(|_| is_loop) {
        reasons.add(nets::negation(node), cause);
    }
    hash.0
}

/// A hash of a sequence.
struct Hash(u64);

impl Hash {
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Collects the candidates whose absence makes new links.
struct Reasons<'a> {
    source: &'a Grid,
    grid: &'a Grid,
    seen: Candidates,
    out: &'a mut Vec<Assertion>,
}

impl Reasons<'_> {
    /// Adds the reasons why a candidate is on.
    fn add(&mut self, node: Assertion, cause: Cause) {
        let (cell, digit) = nets::place(node);
        if !is_on(node) || cause == START || cause == OTHER {
            return;
        }
        if cause == CELL {
            for digit in digits_of(self.source.masks[cell] & !self.grid.masks[cell]) {
                self.push(cell, digit);
            }
        } else {
            let gone = self.source.places(cell, digit, cause.into()) & !self.grid.open[digit];
            Bits(gone).for_each(|cell| self.push(cell, digit));
        }
    }

    fn push(&mut self, cell: usize, digit: usize) {
        if self.seen[digit] >> cell & 1 == 0 {
            self.seen[digit] |= 1 << cell;
            self.out.push(nets::off(cell, digit));
        }
    }
}

fn offs(cells: Cells, digit: usize) -> impl Iterator<Item = Assertion> {
    Bits(cells).map(move |cell| nets::off(cell, digit))
}
