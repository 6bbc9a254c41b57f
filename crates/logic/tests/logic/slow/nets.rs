//! Slow definitions of chains, forcing chains, and nets: all alternatives, one link at a time.

use std::collections::BTreeSet;

use bulkdoku_core::board::{ALL, Bits, Board, Candidates, Cells, UNITS};

use bulkdoku_logic::Technique as T;

use super::{Slow, candidates, ends, seeing_all, seeing_any, strong_links};
use crate::effects as found_by;

/// A candidate, or the cells of a group, and the digit.
type Node = (Cells, usize);

/// Nodes, and whether the digits of two of them cannot both be false, or both be true.
struct Graph {
    nodes: Vec<Node>,
    strong: Vec<Vec<usize>>,
    weak: Vec<Vec<usize>>,
}

fn is_weak(&(a, x): &Node, &(b, y): &Node, in_cells: bool) -> bool {
    x == y && b & !seeing_all(a) == 0 || in_cells && x != y && a == b && a.is_power_of_two()
}

fn nodes_of(candidates: &Candidates) -> impl Iterator<Item = Node> {
    let cells = candidates.iter().fold(0, |all, cells| all | cells);
    let of_cell = move |cell: usize| {
        (0..9).filter(move |&d| candidates[d] >> cell & 1 != 0).map(move |d| (1 << cell, d))
    };
    Bits(cells).flat_map(of_cell)
}

impl Graph {
    /// Finds the strong links in units, in cells, or in both, with or without groups.
    fn new(slow: &Slow, in_units: bool, in_cells: bool, is_grouped: bool) -> Self {
        let mut nodes: Vec<Node> = nodes_of(&slow.open).collect();
        let mut links: Vec<[Node; 2]> = Vec::new();
        for digit in 0..9 {
            let pairs = strong_links(slow, digit).into_iter().filter(|_| in_units);
            links.extend(pairs.map(|(_, pair)| ends(pair).map(|cell| (1 << cell, digit))));
            for unit in (0..27).filter(|_| is_grouped) {
                let halves = halves(unit, slow.open[digit] & UNITS[unit]);
                links.extend(halves.map(|halves| halves.map(|half| (half, digit))));
            }
        }
        for cell in Bits(slow.with_count(|count| count == 2)).filter(|_| in_cells) {
            links.push(ends(slow.digits(cell).into()).map(|digit| (1 << cell, digit)));
        }
        let groups: BTreeSet<_> =
            links.iter().flatten().filter(|it| !it.0.is_power_of_two()).collect();
        nodes.extend(groups);
        let (mut strong, mut weak) = (vec![Vec::new(); nodes.len()], Vec::new());
        for link in &links {
            let [a, b] = link.map(|end| nodes.iter().position(|&node| node == end).unwrap());
            strong[a].push(b);
            strong[b].push(a);
        }
        for node in &nodes {
            let is_weak = |&i: &usize| is_weak(node, &nodes[i], in_units && in_cells);
            weak.push((0..nodes.len()).filter(is_weak).collect());
        }
        Self { nodes, strong, weak }
    }

    /// Returns the nodes that are on if these are: by a weak and a strong link.
    fn next(&self, on: &BTreeSet<usize>) -> BTreeSet<usize> {
        let off = on.iter().flat_map(|&on| &self.weak[on]);
        off.flat_map(|&off| &self.strong[off]).copied().collect()
    }
}

/// Returns the ways to divide three or more places of a digit in a unit into two parts, each of which
/// is in a box, or in a row or column of the box.
fn halves(unit: usize, places: Cells) -> impl Iterator<Item = [Cells; 2]> {
    let others = if unit < 18 { &UNITS[18..] } else { &UNITS[..18] };
    let firsts = others.iter().map(move |other| [places & other, places & !other]);
    let all = firsts.filter(move |&[first, rest]| {
        // A row and a column share a cell, which belongs to one of them.
        let is_part = |other: &Cells| places & other == rest || unit >= 18 && rest & !other == 0;
        places.count_ones() > 2 && first != 0 && rest != 0 && others.iter().any(is_part)
    });
    all.flat_map(|[first, rest]| [[first, rest], [rest, first]])
}

/// The shortest chains whose ends see each other, or any.
pub fn chains(slow: &mut Slow, (in_units, in_cells): (bool, bool), grouped: bool, is_loop: bool) {
    let graph = Graph::new(slow, in_units, in_cells, grouped);
    let in_cells = in_units && in_cells;
    let mut starts: Vec<(usize, BTreeSet<usize>, BTreeSet<usize>)> = (0..graph.nodes.len())
        .map(|start| (start, BTreeSet::new(), graph.strong[start].iter().copied().collect()))
        .collect();
    while starts.iter().any(|(_, _, ends)| !ends.is_empty()) {
        for (start, end) in starts.iter().flat_map(|it| it.2.iter().map(move |end| (it.0, *end))) {
            let [a, b] = [start, end].map(|i| &graph.nodes[i]);
            if start == end && a.0.is_power_of_two() {
                if !is_loop {
                    slow.place(super::ends(a.0)[0], a.1);
                }
            } else if !is_loop || is_weak(a, b, in_cells) {
                let mut seen = [0; 9];
                for node in nodes_of(&slow.open) {
                    if is_weak(a, &node, in_cells) && is_weak(b, &node, in_cells) {
                        seen[node.1] |= node.0;
                    }
                }
                slow.remove(seen);
            }
        }
        if !slow.found.is_empty() {
            return;
        }
        for (_, reached, ends) in &mut starts {
            reached.extend(ends.iter());
            *ends = graph.next(ends).difference(reached).copied().collect();
        }
    }
}

/// A digit, in one or in none of its places, leaves a unit without a place, by hidden singles.
pub fn nishio(slow: &mut Slow) {
    let mut states = Vec::new();
    for (cells, digit) in nodes_of(&slow.open) {
        let open = slow.open[digit];
        states.extend([
            (cells, digit, true, open & !seeing_any(cells)),
            (cells, digit, false, open & !cells),
        ]);
    }
    let mut is_changed = true;
    while is_changed && slow.found.is_empty() {
        is_changed = false;
        for (cells, digit, on, places) in &mut states {
            let (open, mut alone) = (slow.open[*digit], 0);
            for unit in UNITS.into_iter().filter(|unit| open & unit != 0) {
                match (*places & unit, *on) {
                    (0, true) => slow.lose(*cells, 1 << *digit),
                    (0, false) => slow.place(ends(*cells)[0], *digit),
                    (left, _) if left.is_power_of_two() => alone |= left,
                    _ => {}
                }
            }
            is_changed |= *places & seeing_any(alone) != 0;
            *places &= !seeing_any(alone);
        }
    }
}

/// Returns the candidates of all cells, or the places of all digits in all units.
fn alternatives(slow: &Slow, by_cell: bool) -> Vec<Vec<Node>> {
    let sets: Vec<Candidates> = if by_cell {
        Bits(slow.cells_with(0x1ff)).map(|cell| candidates(1 << cell, 0x1ff)).collect()
    } else {
        UNITS.into_iter().flat_map(|unit| (0..9).map(move |d| candidates(unit, 1 << d))).collect()
    };
    let open = |set: Candidates| std::array::from_fn(|digit| set[digit] & slow.open[digit]);
    let all = sets.into_iter().map(|set| nodes_of(&open(set)).collect::<Vec<_>>());
    all.filter(|all| all.len() > 1).collect()
}

/// What all candidates of a cell, or all places of a digit in a unit, imply by chains.
pub fn forcing_chains(slow: &mut Slow, by_cell: bool) {
    let graph = Graph::new(slow, true, true, false);
    // What is on, what is on by the last link, and what is off.
    let mut implied: Vec<[BTreeSet<usize>; 3]> = (0..graph.nodes.len())
        .map(|i| [[i].into(), [i].into(), graph.weak[i].iter().copied().collect()])
        .collect();
    loop {
        for alternatives in alternatives(slow, by_cell) {
            let numbers =
                alternatives.iter().map(|it| graph.nodes.iter().position(|node| node == it));
            let all: Vec<_> = numbers.map(|i| &implied[i.unwrap()]).collect();
            let common = |side: usize| {
                let (all, nodes) = (&all, graph.nodes.iter().enumerate());
                nodes.filter(move |(i, _)| all.iter().all(|it| it[side].contains(i)))
            };
            for (_, &(cells, digit)) in common(0) {
                slow.place(ends(cells)[0], digit);
            }
            let mut removed = [0; 9];
            common(2).for_each(|(_, &(cells, digit))| removed[digit] |= cells);
            slow.remove(removed);
        }
        if !slow.found.is_empty() {
            return;
        }
        let mut is_changed = false;
        for [on, last, off] in &mut implied {
            *last = graph.next(last).difference(on).copied().collect();
            on.extend(last.iter());
            off.extend(last.iter().flat_map(|&i| &graph.weak[i]));
            is_changed |= !last.is_empty();
        }
        if !is_changed {
            return;
        }
    }
}

/// The techniques inside nets of each level, on boards without singles.
const LEVELS: [&[T]; 6] = [
    &[T::HiddenSingleBox, T::HiddenSingleLine, T::NakedSingle],
    &[T::Pointing, T::Claiming, T::NakedPair, T::XWing, T::HiddenPair],
    &[T::Aic],
    &[T::CellForcingChain, T::RegionForcingChain],
    &[T::DynamicForcingChain],
    &[T::DynamicForcingChainPlus],
];

/// Applies all instances of techniques. Returns whether there are any.
fn apply(board: &mut Board, techniques: &[T]) -> bool {
    let before = *board;
    for (placed, removed) in techniques.iter().flat_map(|&it| found_by(it, &before)) {
        board.remove(&removed);
        board.place(&placed);
    }
    *board != before
}

fn is_impossible(board: &Board) -> bool {
    (0..81).any(|cell| board.mask(cell) == 0)
        || UNITS.into_iter().any(|unit| board.digits.iter().any(|cells| cells & unit == 0))
}

/// What all candidates of a cell, or all places of a digit in a unit, imply, and which candidates lead
/// to a contradiction, by the techniques up to a level, all instances at a time. These have slow
/// definitions of their own.
pub fn nets(slow: &mut Slow, level: usize) {
    let mut states = Vec::new();
    for (cells, digit) in nodes_of(&slow.open) {
        let mut board = slow.board;
        board.place(&candidates(cells, 1 << digit));
        states.push(((cells, digit), board, false));
    }
    loop {
        let (impossible, possible): (Vec<_>, Vec<_>) =
            states.iter().map(|it| (it.0, it.1)).partition(|(_, board)| is_impossible(board));
        impossible.iter().for_each(|&((cells, digit), _)| slow.lose(cells, 1 << digit));
        for alternatives in [alternatives(slow, true), alternatives(slow, false)].concat() {
            let boards = possible.iter().filter(|(start, _)| alternatives.contains(start));
            let mut lost = [ALL; 9];
            boards.for_each(|(_, board)| {
                (0..9).for_each(|digit| lost[digit] &= !board.digits[digit]);
            });
            slow.remove(lost);
        }
        if !slow.found.is_empty() {
            return;
        }
        let mut is_changed = false;
        for (_, board, is_complete) in states.iter_mut().filter(|it| !it.2) {
            *is_complete = !LEVELS[..=level].iter().any(|it| apply(board, it));
            is_changed |= !*is_complete;
        }
        if !is_changed {
            return;
        }
    }
}
