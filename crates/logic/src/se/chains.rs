//! Forcing chains and loops whose assertions have one reason each, as Sudoku Explainer rates and
//! prefers them: by rating, then by length, then by their first candidate in row order.

use super::super::Position;
use super::super::chains::{Ends, Graph};
use super::super::links::{self, Kind, and, contains, members};
use super::links::Chains;
use super::nets::{self, Grid};
use super::{Hint, bases, length_tenths};

/// Memory for the search of chains among at most `64 * W` candidates.
#[derive(Debug, Default)]
pub struct Search<const W: usize> {
    ends: Ends,
    graph: Graph<W>,
    chains: links::Chains<W>,
    loops: Chains,
}

/// The rating, the number of assertions without two, and twice the number of the first candidate (`9 *
/// cell + digit`), plus one for chains, which follow loops.
type Key = (u16, usize, usize);

impl<const W: usize> Search<W> {
    /// Finds forcing chains, X-cycles, and Y-cycles.
    pub(super) fn forcing_chain(&mut self, position: &Position) -> Option<Hint> {
        self.loops.clear();
        let grid = Grid::of(position);
        let mut best: Option<(Key, Hint)> = None;
        for kind in [Kind::X, Kind::Y, Kind::All] {
            self.of_kind(position, &grid, kind, &mut best);
        }
        best.map(|(_, hint)| hint)
    }

    fn of_kind(
        &mut self,
        position: &Position,
        grid: &Grid,
        kind: Kind,
        best: &mut Option<(Key, Hint)>,
    ) {
        let (of_loops, of_chains) = bases(kind);
        if best.is_some_and(|((rating, ..), _)| rating < of_loops) {
            return;
        }
        self.ends.update(position, (kind, 0x1ff, false));
        self.graph.update(position, kind, &self.ends);
        self.graph.find_effective(position, kind);
        let (graph, chains) = (&self.graph, &mut self.chains);
        let on = |i: usize| {
            let (digit, cell) = graph.place(i);
            nets::on(cell, digit)
        };
        let number = |i: usize| usize::from(on(i) / 2);
        chains.start(graph.nodes.len(), |i| &graph.weak[i], |i| graph.strong[i]);
        let mut length = 1;
        let first = loop {
            // The candidate that is on whether it is on or off; its chain ends with a strong link.
            if kind != Kind::Y
                && let Some((start, _)) = chains.all().find(|&(start, ends)| contains(ends, start))
            {
                let (first, tenths) = (number(start), length_tenths(2 * length));
                let key = (of_chains + tenths, 2 * length - 2, 2 * first + 1);
                improve(best, key, || Hint::of(key.0, on(start)));
            }
            // No candidate has this number.
            let mut first = usize::MAX;
            for (start, ends) in chains.all() {
                let ends = and(ends, &graph.effective[start]);
                for end in members(&ends).filter(|&end| end > start) {
                    first = first.min(graph.first_removed(position, start, end));
                }
            }
            if first != usize::MAX {
                break first;
            }
            length += 1;
            if !chains.extend() {
                return;
            }
        };
        if kind != Kind::Y {
            let key = (of_chains + length_tenths(2 * length + 2), 2 * length, 2 * first + 1);
            improve(best, key, || Hint::of(key.0, nets::off(first / 9, first % 9)));
            // One strong link more, but as many assertions.
            let mut placed = chains.all().take_while(|&(start, _)| number(start) < first);
            let placed = placed
                .find(|&(start, ends)| members(ends).any(|end| contains(chains.step(end), start)));
            if let Some((start, _)) = placed {
                let key = (key.0, key.1, 2 * number(start) + 1);
                improve(best, key, || Hint::of(key.0, on(start)));
            }
        }
        let key = |length: usize, start: usize| {
            (of_loops + length_tenths(2 * length), 2 * length - 2, 2 * number(start))
        };
        let bound = best.map(|(key, _)| key);
        let is_better = |length: usize| bound.is_none_or(|bound| key(length, 0) < bound);
        // The least number of strong links of a loop. What it removes is removed by a chain in it, and
        // the end of the chain implies that its start is off.
        let mut least = usize::MAX;
        while length < least && is_better(length) {
            for (start, ends) in chains.all() {
                for end in members(&and(ends, &graph.effective[start])).filter(|&end| end > start) {
                    let is_useful = |more| length + more < least && is_better(length + more);
                    if let Some(more) = chains.steps_to(end, &graph.weak[start], is_useful) {
                        least = length + more;
                    }
                }
            }
            length += 1;
            if !chains.extend() {
                break;
            }
        }
        if least == usize::MAX {
            return;
        }
        let least = least.max(2);
        self.loops.select(kind);
        for i in 0..graph.nodes.len() {
            let is_better = |length: usize| best.is_none_or(|(best, _)| key(length, i) < best);
            let mut found = None;
            let is_useful = |length: usize| is_better(length.max(least));
            self.loops.find_loops(grid, on(i), least, is_useful, |_, length, &removed| {
                found = Some((length, removed));
                false
            });
            if let Some((length, removed)) = found {
                let key = key(length, i);
                *best = Some((key, Hint { rating: key.0, placed: [0; 9], removed }));
            }
        }
    }
}

fn improve(best: &mut Option<(Key, Hint)>, key: Key, hint: impl FnOnce() -> Hint) {
    if best.as_ref().is_none_or(|&(best, _)| key < best) {
        *best = Some((key, hint()));
    }
}
