//! Forcing chains and loops whose assertions have one reason each, as Sudoku Explainer rates and
//! prefers them: by rating, then by length, then by their first candidate in row order.

use super::super::Position;
use super::super::links::{Chains, Kind, Links, Set, and, contains, is_empty, members, or};
use super::nets::{self, Grid};
use super::{Hint, length_tenths};

/// Memory for the search of chains among at most `64 * W` candidates.
#[derive(Debug, Default)]
pub struct Search<const W: usize> {
    links: Links<W>,
    chains: Chains<W>,
    loops: super::links::Chains,
    effective: Vec<Set<W>>,
}

/// The rating, the number of assertions without two, and twice the number of the first candidate,
/// plus one for chains, which follow loops.
type Key = (u16, usize, usize);

impl<const W: usize> Search<W> {
    /// Finds forcing chains, X-cycles, and Y-cycles.
    pub(super) fn forcing_chain(&mut self, position: &Position) -> Option<Hint> {
        self.links.update(position);
        self.loops.clear();
        let grid = Grid::of(position);
        let mut best: Option<(Key, Hint)> = None;
        for kind in [Kind::X, Kind::Y, Kind::All] {
            self.of_kind(&grid, kind, &mut best);
        }
        best.map(|(_, hint)| hint)
    }

    fn of_kind(&mut self, grid: &Grid, kind: Kind, best: &mut Option<(Key, Hint)>) {
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
        // The ends that see a candidate that the start sees.
        self.effective.resize(links.len(), [0; W]);
        for (start, _) in chains.all() {
            self.effective[start] = [0; W];
            for seen in members(links.weak(start, kind)) {
                or(&mut self.effective[start], links.weak(seen, kind));
            }
        }
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
                let ends = and(ends, &self.effective[start]);
                for end in members(&ends).filter(|&end| end > start) {
                    or(&mut removed, &and(weak, links.weak(end, kind)));
                    any_loop |= contains(weak, end);
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
        let least = 2.max(length + usize::from(!any_loop));
        self.loops.select(kind);
        let starts = (0..links.len()).filter(|&start| !is_empty(&links.strong(start, kind)));
        for start in starts {
            let (digit, cell) = links.place(start);
            let key =
                |length: usize| (of_loops + length_tenths(2 * length), 2 * length - 2, 2 * start);
            let is_better = |length: usize| best.is_none_or(|(best, _)| key(length) < best);
            let mut found = None;
            let is_useful = |length: usize| is_better(length.max(least));
            let start = nets::on(cell, digit);
            self.loops.find_loops(grid, start, least, is_useful, |_, length, &removed| {
                found = Some((length, removed));
                false
            });
            if let Some((length, removed)) = found {
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
