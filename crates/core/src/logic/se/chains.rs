//! Forcing chains and loops whose assertions have one reason each, as Sudoku Explainer rates and
//! prefers them: by rating, then by length, then by their first candidate in row order.

use super::super::Position;
use super::super::links::{
    Chains, Kind, Links, NONE, Set, and, contains, insert, is_empty, members, or,
};
use super::dynamic::STATIC;
use super::nets::{self, Grid, KINDS, Net, is_on};
use super::{Hint, length_tenths};
use crate::board::{Bits, Candidates, PEERS, UNITS, UNITS_OF, digits_of};

/// Memory for the search of chains among at most `64 * W` candidates.
#[derive(Debug, Default)]
pub struct Search<const W: usize> {
    links: Links<W>,
    chains: Chains<W>,
    closures: Closures<W>,
    loops: Loops,
    net: Net,
}

/// The rating, the number of assertions without two, and twice the number of the first candidate,
/// plus one for chains, which follow loops.
type Key = (u16, usize, usize);

impl<const W: usize> Search<W> {
    /// Finds forcing chains, X-cycles, and Y-cycles.
    pub(super) fn forcing_chain(&mut self, position: &Position) -> Option<Hint> {
        self.links.update(position);
        let mut best: Option<(Key, Hint)> = None;
        for kind in [Kind::X, Kind::Y, Kind::All] {
            self.of_kind(position, kind, &mut best);
        }
        best.map(|(_, hint)| hint)
    }

    fn of_kind(&mut self, position: &Position, kind: Kind, best: &mut Option<(Key, Hint)>) {
        let (of_loops, of_chains) = match kind {
            Kind::X => (65, 66),
            Kind::Y => (65, 0),
            Kind::All => (70, 70),
        };
        if best.is_some_and(|((rating, ..), _)| rating < of_loops) {
            return;
        }
        let (links, chains) = (&self.links, &mut self.chains);
        chains.start(links.len(), |i| links.weak(i, kind), |i| links.strong(i, kind));
        let mut length = 1;
        let (removed, any_loop) = loop {
            // The candidate that is on whether it is on or off; its chain ends with a strong link.
            if kind != Kind::Y
                && let Some(first) = chains.all().find(|&(start, ends)| contains(ends, start))
            {
                let key = (of_chains + length_tenths(2 * length), 2 * length - 2, 2 * first.0 + 1);
                improve(best, key, || Hint::place(key.0, links.place(first.0)));
            }
            let mut removed = [0; W];
            let mut any_loop = false;
            for (start, ends) in chains.all() {
                let weak = links.weak(start, kind);
                for end in members(ends).filter(|&end| end > start) {
                    let both = and(weak, links.weak(end, kind));
                    if !is_empty(&both) {
                        or(&mut removed, &both);
                        any_loop |= contains(weak, end);
                    }
                }
            }
            if !is_empty(&removed) {
                break (removed, any_loop);
            }
            length += 1;
            if !chains.extend() {
                return;
            }
        };
        if kind != Kind::Y {
            let first = members(&removed).next().unwrap_or_default();
            let key = (of_chains + length_tenths(2 * length + 2), 2 * length, 2 * first + 1);
            improve(best, key, || Hint::remove(key.0, links.place(first)));
            // One strong link more, but as many assertions.
            let mut placed = chains.all().take_while(|&(start, _)| start < first);
            let placed = placed
                .find(|&(start, ends)| members(ends).any(|end| contains(chains.step(end), start)));
            if let Some((start, _)) = placed {
                let key = (key.0, key.1, 2 * start + 1);
                improve(best, key, || Hint::place(key.0, links.place(start)));
            }
        }
        // What a loop removes is removed by a chain with at most as many strong links, and by none with
        // fewer than those of a loop whose last link it sees.
        let least = length + usize::from(!any_loop);
        self.loops.clear(links.len());
        for start in 0..links.len() {
            if is_empty(&links.strong(start, kind)) {
                continue;
            }
            let key =
                |length: usize| (of_loops + length_tenths(2 * length), 2 * length - 2, 2 * start);
            let is_better =
                |length: usize| best.as_ref().is_none_or(|&(best, _)| key(length) < best);
            if let Some((length, removed)) =
                self.loops.find(links, position, start, kind, least, is_better)
            {
                let key = key(length);
                *best = Some((key, Hint { rating: key.0, placed: None, removed }));
            }
        }
    }
}

fn improve(best: &mut Option<(Key, Hint)>, key: Key, hint: impl FnOnce() -> Hint) {
    if best.as_ref().is_none_or(|&(best, _)| key < best) {
        *best = Some((key, hint()));
    }
}

/// Memory for the search of loops.
#[derive(Debug, Default)]
struct Loops {
    /// For each candidate that is on, where its steps are.
    ranges: Vec<(u32, u32)>,
    /// Candidates that are off and then on, in the order of Sudoku Explainer.
    steps: Vec<(u16, u16)>,
    queue: Vec<u16>,
    /// The length of the chain to each candidate, and its last step.
    lengths: Vec<u16>,
    before: Vec<(u16, u16)>,
}

impl Loops {
    fn clear(&mut self, len: usize) {
        self.ranges.clear();
        self.ranges.resize(len, (0, 0));
        self.steps.clear();
        self.before.resize(len, (NONE, NONE));
    }

    /// Returns the length and the effect of the first loop that starts with a candidate, has at
    /// least a number of strong links, and removes something. Gives up when loops are not better.
    fn find<const W: usize>(
        &mut self,
        links: &Links<W>,
        position: &Position,
        start: usize,
        kind: Kind,
        least: usize,
        is_better: impl Fn(usize) -> bool,
    ) -> Option<(usize, Candidates)> {
        if !is_better(least.max(2)) {
            return None;
        }
        self.lengths.clear();
        self.lengths.resize(links.len(), NONE);
        self.queue.clear();
        self.queue.push(start as u16);
        self.lengths[start] = 0;
        let mut first = 0;
        while let Some(&on) = self.queue.get(first) {
            first += 1;
            let length = usize::from(self.lengths[usize::from(on)]) + 1;
            if length >= least.max(2) && !is_better(length) {
                return None;
            }
            let (from, to) = self.steps_from(links, usize::from(on), kind);
            for step in from..to {
                let (off, next) = self.steps[step];
                if usize::from(next) == start {
                    if length >= least.max(2)
                        && let Some(removed) = self.close(links, position, start, on, off)
                    {
                        return Some((length, removed));
                    }
                } else if self.lengths[usize::from(next)] == NONE {
                    self.lengths[usize::from(next)] = length as u16;
                    self.before[usize::from(next)] = (on, off);
                    self.queue.push(next);
                }
            }
        }
        None
    }

    /// Returns where the steps from a candidate are.
    fn steps_from<const W: usize>(
        &mut self,
        links: &Links<W>,
        on: usize,
        kind: Kind,
    ) -> (usize, usize) {
        if self.ranges[on] == (0, 0) {
            let first = self.steps.len() as u32;
            let cell = usize::from(links.cells[on]);
            let mut left = *links.weak(on, kind);
            let in_cell = and(&left, &links.same_cell[on]);
            let mut add = |set: &Set<W>, shares: &dyn Fn(usize) -> bool| {
                for off in members(set).filter(|&off| shares(usize::from(links.cells[off]))) {
                    let [row, column, square, cell] = links.partners[off];
                    let partners = match kind {
                        Kind::X => [NONE, square, row, column],
                        Kind::Y => [cell, NONE, NONE, NONE],
                        Kind::All => [cell, square, row, column],
                    };
                    left[off / 64] &= !(1 << (off % 64));
                    self.steps.extend(
                        partners.into_iter().filter(|&on| on != NONE).map(|on| (off as u16, on)),
                    );
                }
                left
            };
            let mut left = add(&in_cell, &|_| true);
            for kind in KINDS {
                left = add(&left, &|other| UNITS_OF[cell][kind] == UNITS_OF[other][kind]);
            }
            self.ranges[on] = (first, self.steps.len() as u32);
        }
        let (first, last) = self.ranges[on];
        (first as usize, last as usize)
    }

    /// Returns what the loop removes whose last candidate that is off follows one that is on.
    fn close<const W: usize>(
        &self,
        links: &Links<W>,
        position: &Position,
        start: usize,
        mut on: u16,
        mut off: u16,
    ) -> Option<Candidates> {
        let last = off;
        let mut cells = 0;
        let mut seen = [[0; 9]; 2];
        loop {
            for (i, seen) in [on, off].into_iter().zip(&mut seen) {
                let (digit, cell) = links.place(i.into());
                cells |= 1 << cell;
                seen[digit] |= PEERS[cell];
            }
            if usize::from(on) == start {
                break;
            }
            (on, off) = self.before[usize::from(on)];
            if off == last {
                return None;
            }
        }
        let mut any = 0;
        let removed = std::array::from_fn(|digit| {
            let both = seen[0][digit] & seen[1][digit] & !cells & position.open[digit];
            any |= both;
            both
        });
        (any != 0).then_some(removed)
    }
}

/// What follows from one candidate that is on: those that are on, and those that are off, by the
/// number of strong links.
#[derive(Debug, Default)]
struct Closures<const W: usize> {
    /// For each candidate, the index of its first level, and one past its last.
    ranges: Vec<(u32, u32)>,
    levels: Vec<[Set<W>; 2]>,
    /// For each candidate, the union of its levels.
    all: Vec<[Set<W>; 2]>,
}

impl<const W: usize> Closures<W> {
    fn update(&mut self, links: &Links<W>, chains: &mut Chains<W>) {
        chains.start(links.len(), |i| links.weak(i, Kind::All), |i| links.strong(i, Kind::All));
        self.ranges.clear();
        self.levels.clear();
        self.all.clear();
        for start in 0..links.len() {
            let first = self.levels.len() as u32;
            let mut on = [0; W];
            insert(&mut on, start);
            let mut all = [on, [0; W]];
            loop {
                let (mut off, mut next) = ([0; W], [0; W]);
                for i in members(&on) {
                    or(&mut off, links.weak(i, Kind::All));
                    or(&mut next, chains.step(i));
                }
                for i in 0..W {
                    off[i] &= !all[1][i];
                    next[i] &= !all[0][i];
                }
                self.levels.push([on, off]);
                or(&mut all[0], &next);
                or(&mut all[1], &off);
                if is_empty(&next) {
                    break;
                }
                on = next;
            }
            self.ranges.push((first, self.levels.len() as u32));
            self.all.push(all);
        }
    }

    /// Returns the number of assertions of the shortest chain from a candidate that is on to one
    /// that is on (side 0) or off (1).
    fn assertions(&self, start: usize, end: usize, side: usize) -> usize {
        let (first, last) = self.ranges[start];
        let level =
            (first..last).position(|level| contains(&self.levels[level as usize][side], end));
        2 * level.expect("an end of a chain") + 1 + side
    }

    /// Returns the ends of chains from all these candidates.
    fn common(&self, starts: &[usize]) -> [Set<W>; 2] {
        starts[1..].iter().fold(self.all[starts[0]], |all, &start| {
            [0, 1].map(|side| and(&all[side], &self.all[start][side]))
        })
    }
}

/// The best cell or unit so far: the number of assertions, its first candidate, and the ends.
type Multiple<const W: usize> = Option<(usize, usize, [Set<W>; 2])>;

impl<const W: usize> Search<W> {
    /// Finds cell and region forcing chains. The position is that of the preceding search.
    pub(super) fn multiple_chain(&mut self, position: &Position) -> Option<Hint> {
        let links = &self.links;
        self.closures.update(links, &mut self.chains);
        let mut best: Multiple<W> = None;
        let mut starts = [0; 9];
        // Chains start in cells with three candidates or more, and in units whose first place is one.
        let many = || (0..81).filter(|&cell| position.masks[cell].count_ones() > 2);
        for cell in many() {
            let mut n = 0;
            for digit in digits_of(position.masks[cell]) {
                starts[n] = usize::from(links.numbers[cell][digit]);
                n += 1;
            }
            consider(&self.closures, &starts[..n], &mut best);
        }
        for cell in many() {
            for digit in digits_of(position.masks[cell]) {
                for kind in KINDS {
                    let places = position.open[digit] & UNITS[usize::from(UNITS_OF[cell][kind])];
                    if places.trailing_zeros() as usize == cell && places.count_ones() > 2 {
                        let mut n = 0;
                        for place in Bits(places) {
                            starts[n] = usize::from(links.numbers[place][digit]);
                            n += 1;
                        }
                        consider(&self.closures, &starts[..n], &mut best);
                    }
                }
            }
        }
        let (complexity, first, ends) = best?;
        let rating = 80 + length_tenths(complexity);
        // Of equal ends, the first one that a net reaches.
        let (digit, cell) = links.place(first);
        let net = &mut self.net;
        let grid = Grid::of(position);
        net.start(&grid, nets::on(cell, digit));
        net.follow(&grid, STATIC);
        [0, 1].into_iter().find_map(|side| {
            let order = net.nodes.iter().map(|node| node.assertion);
            let mut order = order.filter(|&assertion| usize::from(!is_on(assertion)) == side);
            order.find_map(|assertion| {
                let (cell, digit) = nets::place(assertion);
                contains(&ends[side], links.numbers[cell][digit].into())
                    .then(|| Hint::of(rating, assertion))
            })
        })
    }
}

fn consider<const W: usize>(closures: &Closures<W>, starts: &[usize], best: &mut Multiple<W>) {
    let common = closures.common(starts);
    let mut least = best.map_or(usize::MAX, |(least, ..)| least);
    let mut is_new = false;
    for (side, common) in common.iter().enumerate() {
        for end in members(common) {
            let sum = starts.iter().map(|&start| closures.assertions(start, end, side)).sum();
            if sum < least {
                least = sum;
                is_new = true;
                *best = Some((sum, starts[0], [[0; W]; 2]));
            }
            if let Some((_, _, ends)) = best
                && is_new
                && sum == least
            {
                insert(&mut ends[side], end);
            }
        }
    }
}
