//! Slow definitions of chains, forcing chains, and nets: all alternatives, one link at a time.

use std::collections::BTreeSet;

use super::{Slow, cells_of, sees};
use crate::Technique as T;
use crate::board::Board;
use crate::tests::effects_of;
use crate::{Changed, Memory, Position};

/// A candidate, or the cells of a group, and the digit.
type Node = (Vec<usize>, usize);

/// Nodes, and whether the digits of two of them cannot both be false, or both be true.
struct Graph {
    nodes: Vec<Node>,
    strong: Vec<Vec<usize>>,
    weak: Vec<Vec<usize>>,
}

fn is_weak((a, x): &Node, (b, y): &Node, in_cells: bool) -> bool {
    x == y && a.iter().all(|&a| b.iter().all(|&b| sees(a, b)))
        || in_cells && x != y && a == b && a.len() == 1
}

impl Graph {
    /// Finds the strong links in units, in cells, or in both, with or without groups.
    fn new(slow: &Slow<'_>, in_units: bool, in_cells: bool, is_grouped: bool) -> Self {
        let mut nodes: Vec<Node> = (slow.open_cells().into_iter())
            .flat_map(|cell| slow.digits(cell).into_iter().map(move |digit| (vec![cell], digit)))
            .collect();
        let mut links: Vec<[Node; 2]> = Vec::new();
        for (unit, digit) in (0..27).flat_map(|unit| (0..9).map(move |digit| (unit, digit))) {
            let places = slow.places(unit, digit);
            if places.len() == 2 && in_units {
                links.push([(vec![places[0]], digit), (vec![places[1]], digit)]);
            } else if is_grouped {
                links.extend(halves(unit, &places).map(|[a, b]| [(a, digit), (b, digit)]));
            }
        }
        for cell in slow.open_cells().into_iter().filter(|_| in_cells) {
            if let &[a, b] = &slow.digits(cell)[..] {
                links.push([(vec![cell], a), (vec![cell], b)]);
            }
        }
        for node in links.iter().flatten() {
            if !nodes.contains(node) {
                nodes.push(node.clone());
            }
        }
        let (mut strong, mut weak) = (vec![Vec::new(); nodes.len()], Vec::new());
        for [a, b] in &links {
            let [a, b] = [a, b].map(|end| nodes.iter().position(|node| node == end).unwrap());
            strong[a].push(b);
            strong[b].push(a);
        }
        for node in &nodes {
            let others = nodes.iter().enumerate();
            let others = others.filter(|(_, other)| is_weak(node, other, in_units && in_cells));
            weak.push(others.map(|(i, _)| i).collect());
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
fn halves(unit: usize, places: &[usize]) -> impl Iterator<Item = [Vec<usize>; 2]> {
    let parts = |unit: usize| -> Vec<usize> {
        places.iter().copied().filter(|cell| cells_of(unit).contains(cell)).collect()
    };
    let others = if unit < 18 { 18..27 } else { 0..18 };
    let mut all = BTreeSet::new();
    for first in others.clone().map(parts) {
        let rest: Vec<_> = places.iter().copied().filter(|cell| !first.contains(cell)).collect();
        let is_part = others.clone().any(|other| parts(other) == rest) || {
            // A row and a column share a cell, which belongs to one of them.
            unit >= 18 && others.clone().any(|it| rest.iter().all(|c| cells_of(it).contains(c)))
        };
        if places.len() > 2 && !first.is_empty() && !rest.is_empty() && is_part {
            all.insert([first.clone(), rest.clone()]);
            all.insert([rest, first]);
        }
    }
    all.into_iter()
}

/// The shortest chains whose ends see each other, or any.
pub fn chains(
    slow: &mut Slow<'_>,
    (in_units, in_cells): (bool, bool),
    grouped: bool,
    is_loop: bool,
) {
    let graph = Graph::new(slow, in_units, in_cells, grouped);
    let in_cells = in_units && in_cells;
    let candidates: Vec<Node> =
        graph.nodes.iter().filter(|node| node.0.len() == 1).cloned().collect();
    let mut starts: Vec<(usize, BTreeSet<usize>, BTreeSet<usize>)> = (0..graph.nodes.len())
        .map(|start| (start, BTreeSet::new(), graph.strong[start].iter().copied().collect()))
        .collect();
    while starts.iter().any(|(_, _, ends)| !ends.is_empty()) {
        let mut effects = Vec::new();
        for (start, _, ends) in &starts {
            for &end in ends {
                let [a, b] = [*start, end].map(|i| &graph.nodes[i]);
                if *start == end && a.0.len() == 1 {
                    if !is_loop {
                        effects.push((Some((a.0[0], a.1)), vec![]));
                    }
                } else if !is_loop || is_weak(a, b, in_cells) {
                    let is_seen = |c: &&Node| is_weak(a, c, in_cells) && is_weak(b, c, in_cells);
                    let seen = candidates.iter().filter(is_seen).map(|c| (c.0[0], c.1));
                    effects.push((None, seen.collect()));
                }
            }
        }
        for (placed, removed) in effects {
            placed.into_iter().for_each(|(cell, digit)| slow.place(cell, digit));
            slow.remove(removed);
        }
        if !slow.found.is_empty() {
            return;
        }
        for (_, reached, ends) in &mut starts {
            reached.append(&mut ends.clone());
            *ends = graph.next(ends).difference(reached).copied().collect();
        }
    }
}

/// A digit, in one or in none of its places, leaves a unit without a place, by hidden singles.
pub fn nishio(slow: &mut Slow<'_>) {
    let mut states = Vec::new();
    for cell in slow.open_cells() {
        for digit in slow.digits(cell) {
            let open: BTreeSet<_> = (0..81).filter(|&other| slow.has(other, digit)).collect();
            let on = open.iter().copied().filter(|&other| !sees(cell, other)).collect();
            let off = open.iter().copied().filter(|&other| other != cell).collect();
            states.extend([(cell, digit, true, on), (cell, digit, false, off)]);
        }
    }
    loop {
        let mut is_changed = false;
        for (cell, digit, on, places) in &mut states {
            let places: &mut BTreeSet<usize> = places;
            let mut alone = Vec::new();
            for unit in 0..27 {
                if slow.places(unit, *digit).is_empty() {
                    continue;
                }
                let left = cells_of(unit).into_iter().filter(|cell| places.contains(cell));
                match left.collect::<Vec<_>>()[..] {
                    [] if *on => slow.remove([(*cell, *digit)]),
                    [] => slow.place(*cell, *digit),
                    [single] => alone.push(single),
                    _ => {}
                }
            }
            let before = places.len();
            places.retain(|&place| !alone.iter().any(|&single| sees(place, single)));
            is_changed |= places.len() < before;
        }
        if !is_changed || !slow.found.is_empty() {
            return;
        }
    }
}

/// Returns the candidates of all cells, or the places of all digits in all units.
fn alternatives(slow: &Slow<'_>, by_cell: bool) -> Vec<Vec<(usize, usize)>> {
    let of_cell = |cell| slow.digits(cell).into_iter().map(|digit| (cell, digit)).collect();
    let all: Vec<Vec<_>> = if by_cell {
        slow.open_cells().into_iter().map(of_cell).collect()
    } else {
        let pairs = (0..27).flat_map(|unit| (0..9).map(move |digit| (unit, digit)));
        let of_unit = |(unit, digit)| {
            slow.places(unit, digit).into_iter().map(|cell| (cell, digit)).collect()
        };
        pairs.map(of_unit).collect()
    };
    all.into_iter().filter(|candidates| candidates.len() > 1).collect()
}

/// What all candidates of a cell, or all places of a digit in a unit, imply by chains.
pub fn forcing_chains(slow: &mut Slow<'_>, by_cell: bool) {
    let graph = Graph::new(slow, true, true, false);
    let number = |(cell, digit)| graph.nodes.iter().position(|node| *node == (vec![cell], digit));
    // What is on, what is on by the last link, and what is off.
    let mut implied: Vec<[BTreeSet<usize>; 3]> = (0..graph.nodes.len())
        .map(|i| [[i].into(), [i].into(), graph.weak[i].iter().copied().collect()])
        .collect();
    loop {
        for candidates in alternatives(slow, by_cell) {
            let numbers = candidates.into_iter().map(|candidate| number(candidate).unwrap());
            let all: Vec<_> = numbers.map(|i| &implied[i]).collect();
            let common = |side: usize| -> Vec<(usize, usize)> {
                let nodes =
                    (0..graph.nodes.len()).filter(|i| all.iter().all(|it| it[side].contains(i)));
                nodes.map(|i| (graph.nodes[i].0[0], graph.nodes[i].1)).collect()
            };
            common(0).into_iter().for_each(|(cell, digit)| slow.place(cell, digit));
            slow.remove(common(2));
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
fn apply(board: &mut Board, techniques: &[T], (position, memory): &mut (Position, Memory)) -> bool {
    position.board = *board;
    position.update(Changed::ALL);
    let found = techniques.iter().flat_map(|&technique| effects_of(technique, position, memory));
    let found: BTreeSet<_> = found.collect();
    for (placed, removed) in &found {
        board.remove(removed);
        board.place(placed);
    }
    !found.is_empty()
}

fn is_impossible(board: &Board) -> bool {
    let has = |cell: usize, digit: usize| board.digits[digit] >> cell & 1 != 0;
    (0..81).any(|cell| !(0..9).any(|digit| has(cell, digit)))
        || (0..27).any(|unit| (0..9).any(|d| !cells_of(unit).iter().any(|&cell| has(cell, d))))
}

/// What all candidates of a cell, or all places of a digit in a unit, imply, and which candidates lead
/// to a contradiction, by the techniques up to a level, all instances at a time. These have slow
/// definitions of their own.
pub fn nets(slow: &mut Slow<'_>, level: usize) {
    let mut memory = (Position::of(slow.board), Memory::default());
    let mut states = Vec::new();
    for cell in slow.open_cells() {
        for digit in slow.digits(cell) {
            let mut board = *slow.board;
            let mut placed = [0; 9];
            placed[digit] = 1 << cell;
            board.place(&placed);
            states.push(((cell, digit), board, false));
        }
    }
    loop {
        let mut possible = Vec::new();
        for &(candidate, board, _) in &states {
            if is_impossible(&board) {
                slow.remove([candidate]);
            } else {
                possible.push((candidate, board));
            }
        }
        for candidates in [alternatives(slow, true), alternatives(slow, false)].concat() {
            let boards = possible.iter().filter(|(candidate, _)| candidates.contains(candidate));
            let boards: Vec<_> = boards.collect();
            let is_lost = |&(cell, digit): &(usize, usize)| {
                boards.iter().all(|(_, board)| board.digits[digit] >> cell & 1 == 0)
            };
            let all = slow.open_cells().into_iter();
            let all = all.flat_map(|cell| (0..9).map(move |digit| (cell, digit)));
            slow.remove(all.filter(is_lost).collect::<Vec<_>>());
        }
        if !slow.found.is_empty() {
            return;
        }
        let mut is_changed = false;
        for (_, board, is_complete) in states.iter_mut().filter(|it| !it.2) {
            *is_complete = !LEVELS[..=level].iter().any(|it| apply(board, it, &mut memory));
            is_changed |= !*is_complete;
        }
        if !is_changed {
            return;
        }
    }
}
