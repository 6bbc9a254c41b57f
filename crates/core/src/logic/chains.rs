//! Alternating chains and loops of strong and weak links: X-cycles, Y-cycles, X-chains, XY-chains,
//! AICs (alternating inference chains), and chains with groups.
//!
//! One end of a chain that starts and ends with a strong link is on, so a candidate that sees both
//! ends is off. The ends of a loop see each other. Of each technique, only the shortest chains that
//! are effective are instances; of chains with the same ends, one is enough.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Alternating_Inference_Chain.html>,
//! <https://hodoku.sourceforge.net/en/tech_chains.php>, <https://www.sudokuwiki.org/X_Cycles>,
//! <https://www.sudokuwiki.org/Grouped_X-Cycles>.

use super::links::{Chains, Kind, Links, Set, and, contains, insert, members};
use super::{Evidence, Found, Link, Node, Position};
use crate::board::{Bits, Board, Cells, UNITS, common_peers};

/// Memory for the search of chains, for different numbers of candidates.
#[derive(Debug, Default)]
pub struct Memory {
    small: Workspace<4>,
    medium: Workspace<12>,
    large: Workspace<48>,
}

/// Which chains count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Those whose ends see each other.
    Loop,
    /// All of them.
    Any,
}

impl Memory {
    /// Finds the shortest effective chains.
    pub fn find<F: Found>(&mut self, position: &Position, kind: Kind, shape: Shape, out: &mut F) {
        if position.candidates() <= 256 {
            self.small.find(position, kind, shape, out);
        } else {
            self.medium.find(position, kind, shape, out);
        }
    }

    /// Finds the shortest effective chains whose nodes can be groups: two or three cells of a digit
    /// in the intersection of a box and a line.
    pub fn find_grouped<F: Found>(&mut self, position: &Position, kind: Kind, out: &mut F) {
        if !self.small.find_grouped(position, kind, out)
            && !self.medium.find_grouped(position, kind, out)
        {
            self.large.find_grouped(position, kind, out);
        }
    }
}

#[derive(Debug, Default)]
struct Workspace<const W: usize> {
    /// The board of the links.
    board: Option<Board>,
    links: Links<W>,
    groups: Groups<W>,
    chains: Chains<W>,
}

/// Candidates and groups with their links. The numbers of groups follow those of candidates.
#[derive(Debug, Default)]
struct Groups<const W: usize> {
    /// The digit and the cells of each group.
    places: Vec<(u8, Cells)>,
    weak: Vec<Set<W>>,
    strong: Vec<Set<W>>,
}

impl<const W: usize> Workspace<W> {
    fn update(&mut self, position: &Position) {
        if self.board != Some(position.board) {
            self.board = Some(position.board);
            self.links.update(position);
        }
    }

    fn find<F: Found>(&mut self, position: &Position, kind: Kind, shape: Shape, out: &mut F) {
        self.update(position);
        let links = &self.links;
        self.chains.start(links.len(), |i| links.weak(i, kind), |i| links.strong(i, kind));
        let node = |i: usize, on: bool| {
            let (digit, cell) = links.place(i);
            Node { cells: 1 << cell, digit, on }
        };
        report(
            links,
            &mut self.chains,
            shape,
            |i| links.weak(i, kind),
            |i| links.strong(i, kind),
            node,
            out,
        );
    }

    /// Returns `false` if there are too many groups for the set.
    fn find_grouped<F: Found>(&mut self, position: &Position, kind: Kind, out: &mut F) -> bool {
        if position.candidates() > 64 * W {
            return false;
        }
        self.update(position);
        let links = &self.links;
        if !self.groups.update(position, links, kind) {
            return false;
        }
        let Groups { places, weak, strong } = &self.groups;
        self.chains.start(weak.len(), |i| &weak[i], |i| strong[i]);
        let node = |i: usize, on: bool| {
            if i < links.len() {
                let (digit, cell) = links.place(i);
                Node { cells: 1 << cell, digit, on }
            } else {
                let (digit, cells) = places[i - links.len()];
                Node { cells, digit: digit.into(), on }
            }
        };
        report(links, &mut self.chains, Shape::Any, |i| &weak[i], |i| strong[i], node, out);
        true
    }
}

/// Reports the shortest effective chains.
fn report<'a, F: Found, const W: usize>(
    links: &Links<W>,
    chains: &mut Chains<W>,
    shape: Shape,
    weak: impl Fn(usize) -> &'a Set<W>,
    strong: impl Fn(usize) -> Set<W>,
    node: impl Fn(usize, bool) -> Node,
    out: &mut F,
) {
    let mut any = false;
    loop {
        for (start, ends) in chains.all() {
            for end in members(ends) {
                let path = || Evidence {
                    links: path(start, end, &weak, &strong, &node),
                    ..Evidence::default()
                };
                if end == start && start < links.len() && shape == Shape::Any {
                    let (digit, cell) = links.place(start);
                    out.place(digit, cell, path);
                    any = true;
                } else if end >= start && (shape == Shape::Any || contains(weak(start), end)) {
                    let both = and(weak(start), weak(end));
                    let mut removed = [0; 9];
                    links.collect(&both, &mut removed);
                    if removed != [0; 9] {
                        out.remove(&removed, path);
                        any = true;
                    }
                }
            }
        }
        if any || !chains.extend() {
            return;
        }
    }
}

/// Returns the links of a shortest chain.
fn path<'a, const W: usize>(
    start: usize,
    end: usize,
    weak: impl Fn(usize) -> &'a Set<W>,
    strong: impl Fn(usize) -> Set<W>,
    node: impl Fn(usize, bool) -> Node,
) -> Vec<Link> {
    // Candidates that are on, with the index of the preceding one and the candidate between them.
    let mut queue = vec![];
    let mut seen = [0; W];
    for on in members(&strong(start)) {
        insert(&mut seen, on);
        queue.push((on, usize::MAX, start));
    }
    let mut next = 0;
    while !contains(&seen, end) {
        let Some(&(on, ..)) = queue.get(next) else { return vec![] };
        for off in members(weak(on)) {
            for after in members(&strong(off)) {
                if !contains(&seen, after) {
                    insert(&mut seen, after);
                    queue.push((after, next, off));
                }
            }
        }
        next += 1;
    }
    let mut links = Vec::new();
    let mut at = queue.iter().position(|&(on, ..)| on == end).expect("an end");
    loop {
        let (on, before, off) = queue[at];
        links.push(Link { from: node(off, false), to: node(on, true) });
        if before == usize::MAX {
            break;
        }
        links.push(Link { from: node(queue[before].0, true), to: node(off, false) });
        at = before;
    }
    links.reverse();
    links
}

impl<const W: usize> Groups<W> {
    /// Finds the links. Returns `false` if there are more groups than a set has numbers for.
    fn update(&mut self, position: &Position, links: &Links<W>, kind: Kind) -> bool {
        self.places.clear();
        self.weak.clear();
        self.strong.clear();
        for i in 0..links.len() {
            self.weak.push(*links.weak(i, kind));
            self.strong.push(links.strong(i, kind));
        }
        for digit in 0..9 {
            let open = position.open[digit];
            let first = self.places.len();
            for line in 0..18 {
                self.link_parts(
                    links,
                    digit,
                    [0, 1, 2].map(|i| open & UNITS[line] & UNITS[crossing(line, i)]),
                );
            }
            for square in 18..27 {
                let places = open & UNITS[square];
                let rows =
                    [0, 1, 2].map(|i| open & UNITS[square] & UNITS[(square - 18) / 3 * 3 + i]);
                let columns =
                    [0, 1, 2].map(|i| open & UNITS[square] & UNITS[9 + (square - 18) % 3 * 3 + i]);
                self.link_parts(links, digit, rows);
                self.link_parts(links, digit, columns);
                // A row and a column with all places; the cell in both belongs to one of them.
                for row in rows {
                    for column in columns {
                        if row != 0 && column != 0 && row | column == places {
                            self.link_parts(links, digit, [row & !column, column, 0]);
                            self.link_parts(links, digit, [row, column & !row, 0]);
                        }
                    }
                }
            }
            if self.weak.len() > 64 * W {
                return false;
            }
            // Weak links of groups.
            for i in first..self.places.len() {
                let (number, common) = (links.len() + i, common_peers(self.places[i].1) & open);
                for cell in Bits(common) {
                    self.link_weakly(number, links.numbers[cell][digit].into());
                }
                for j in first..i {
                    if self.places[j].1 & !common == 0 {
                        self.link_weakly(number, links.len() + j);
                    }
                }
            }
        }
        true
    }

    /// Adds a strong link if exactly two of these parts of a unit have places.
    fn link_parts(&mut self, links: &Links<W>, digit: usize, parts: [Cells; 3]) {
        let mut parts = parts.into_iter().filter(|&part| part != 0);
        let (Some(a), Some(b), None) = (parts.next(), parts.next(), parts.next()) else { return };
        let [a, b] = [a, b].map(|part| self.number(links, digit, part));
        if a.max(b) < 64 * W {
            insert(&mut self.strong[a], b);
            insert(&mut self.strong[b], a);
        }
    }

    /// Returns the number of a candidate or group.
    fn number(&mut self, links: &Links<W>, digit: usize, cells: Cells) -> usize {
        if cells.is_power_of_two() {
            return links.numbers[cells.trailing_zeros() as usize][digit].into();
        }
        let group = (digit as u8, cells);
        let i = self.places.iter().position(|&other| other == group).unwrap_or_else(|| {
            self.places.push(group);
            self.weak.push([0; W]);
            self.strong.push([0; W]);
            self.places.len() - 1
        });
        links.len() + i
    }

    fn link_weakly(&mut self, a: usize, b: usize) {
        insert(&mut self.weak[a], b);
        insert(&mut self.weak[b], a);
    }
}

/// Returns the `i`-th box that a line crosses.
fn crossing(line: usize, i: usize) -> usize {
    if line < 9 { 18 + line / 3 * 3 + i } else { 18 + (line - 9) / 3 + 3 * i }
}
