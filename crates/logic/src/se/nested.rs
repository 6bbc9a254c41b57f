//! What other techniques remove within a net, and which candidates that are off make them possible,
//! in the order of Sudoku Explainer.

mod basic;

use std::ops::Range;

use super::super::links::{Kind, contains, insert};
use super::dynamic::{self, Nets, Source};
use super::links::Chains;
use super::nets::{
    self, Assertion, Assertions, CELL, Cause, Grid, Node, OTHER, Rules, START, is_on,
};
use super::reach::Reach;
use super::{bases, length_tenths};
use crate::board::{Bits, Board, Candidates, Cells, PEERS, digits_of, size};

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

    /// Adds candidates that are off for some reasons, if there are any, in an order of cells.
    fn infer(&mut self, reasons: impl Iterator<Item = Assertion>, mut removed: Vec<(usize, u16)>) {
        let first = self.pool.len();
        self.pool.extend(reasons);
        if self.add(first, 0, 0) {
            hash_order(&mut removed);
            let hint = self.hints.len() - 1;
            let all = removed.into_iter().flat_map(|(cell, mask)| offs(1 << cell, mask));
            self.ends.extend(all.map(|off| (off, hint)));
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
#[derive(Debug, Default)]
pub struct Search {
    nets: Nets,
    /// The preferred hint that removes each candidate.
    best: Vec<Option<(Key, usize)>>,
    hints: Vec<Chain>,
    nodes: Vec<(Assertion, Cause)>,
    chains: Chains,
    pub reach: Reach,
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
        if inner != Inner::Dynamic {
            self.reach.extend(grid);
            if inner == Inner::Simple && !self.reach.has_chains() {
                return out;
            }
        }
        self.best.clear();
        self.best.resize(nets::CANDIDATES, None);
        self.hints.clear();
        self.nodes.clear();
        if inner == Inner::Simple {
            self.chains.clear();
            self.simple(grid);
        } else {
            let rules = if inner == Inner::Multiple { Rules::Static } else { Rules::Dynamic };
            self.nets.start(grid, rules);
            let (best, hints) = (&mut self.best, &mut self.hints);
            let mut number = 0;
            let may_agree = |source| inner == Inner::Dynamic || self.reach.may_agree(grid, source);
            self.nets.conclude(grid, may_agree, |source, end, nets, numbers| {
                let assertions = dynamic::assertions(source, end, nets, numbers);
                number += 1;
                let key = (0, assertions, source.rank(), number, 0);
                improve(best, hints, key, &[removed_by(grid, end)], || Chain::Net(source, end));
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
                let off = nets::off(candidate / 9, candidate % 9);
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
        let mut ends = Vec::with_capacity(9);
        for number in of.assertions(grid).map(|start| self.nets.number(start)) {
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
            let mut seen: Assertions = [0; _];
            let mut queue: Vec<Node> = vec![end];
            let mut next = 0;
            while let Some(&node) = queue.get(next) {
                next += 1;
                if !contains(&seen, node.assertion.into()) {
                    insert(&mut seen, node.assertion.into());
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
        let Self { best, hints, nodes: all, chains, reach, .. } = self;
        let mut number = 0;
        let mut add = |nodes: &[_], is_loop, base: u16, rank, removed: &[_]| {
            number += 1;
            // As binary fractions, sums of tenths may differ where their decimal values are equal.
            let tenths = (0..length_tenths(nodes.len())).fold(0.0, |sum, _| sum + 0.1);
            let key = ((f64::from(base) / 10.0 + tenths).to_bits(), nodes.len(), rank, number, 0);
            improve(best, hints, key, removed, || {
                all.extend_from_slice(nodes);
                Chain::Nodes(all.len() - nodes.len()..all.len(), is_loop)
            });
        };
        for kind in [Kind::X, Kind::Y, Kind::All] {
            let (of_loops, of_chains) = bases(kind);
            let rank = 2 + kind as u8;
            chains.select(kind);
            for cell in (0..81).filter(|&cell| size(grid.masks[cell]) > 1) {
                for digit in digits_of(grid.masks[cell]) {
                    let start = nets::on(cell, digit);
                    if (kind != Kind::Y || size(grid.masks[cell]) == 2)
                        && reach.may_have_loop(cell, digit)
                    {
                        let visit = |nodes: &[_], _, removed: &Candidates| {
                            add(nodes, true, of_loops, rank, &in_order(nodes, removed));
                            true
                        };
                        chains.find_loops(grid, start, 2, |_| true, visit);
                    }
                    // If a candidate that is off turns itself on, all others in its cell are absurd.
                    let may_be_absurd = |start| {
                        let mut others = digits_of(grid.masks[cell] & !(1 << digit));
                        if is_on(start) {
                            reach.may_be_absurd(cell, digit)
                        } else {
                            others.all(|other| reach.may_be_absurd(cell, other))
                        }
                    };
                    for start in [start, nets::negation(start)] {
                        if kind != Kind::Y && may_be_absurd(start) && chains.find_chain(grid, start)
                        {
                            let removed = removed_by(grid, nets::negation(start));
                            add(&chains.nodes, false, of_chains, rank, &[removed]);
                        }
                    }
                }
            }
        }
    }
}

/// The candidates that an assertion removes.
fn removed_by(grid: &Grid, end: Assertion) -> (usize, u16) {
    let (cell, digit) = nets::place(end);
    (cell, if is_on(end) { grid.masks[cell] & !(1 << digit) } else { 1 << digit })
}

/// Returns what a loop removes, in order.
fn in_order(nodes: &[(Assertion, Cause)], removed: &Candidates) -> Vec<(usize, u16)> {
    let mut cells: Vec<(usize, u16)> = Vec::new();
    for &(node, _) in nodes.iter().filter(|&&(node, _)| is_on(node)) {
        let (cell, digit) = nets::place(node);
        for cell in Bits(removed[digit] & PEERS[cell]) {
            match cells.iter_mut().find(|(other, _)| *other == cell) {
                Some((_, mask)) => *mask |= 1 << digit,
                None => cells.push((cell, 1 << digit)),
            }
        }
    }
    hash_order(&mut cells);
    cells
}

/// Enters a hint where it is preferred.
fn improve(
    best: &mut [Option<(Key, usize)>],
    hints: &mut Vec<Chain>,
    mut key: Key,
    removed: &[(usize, u16)],
    hint: impl FnOnce() -> Chain,
) {
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

/// Returns that digits are not in cells.
fn offs(cells: Cells, digits: u16) -> impl Iterator<Item = Assertion> {
    Bits(cells).flat_map(move |cell| digits_of(digits).map(move |digit| nets::off(cell, digit)))
}
