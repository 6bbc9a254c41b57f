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

use super::links::{Chains, Kind, Set, and, contains, insert, is_empty, members, or};
use super::{Evidence, Instances, Link, Node, Position};
use crate::board::{Bits, Candidates, Cells, PEERS, cells_at, common_peers};
use crate::board::{digits_of, size};

/// Memory for the search of chains, for different numbers of nodes.
#[derive(Debug, Default)]
pub struct Memory {
    small: Workspace<2>,
    medium: Workspace<4>,
    large: Workspace<48>,
    ends: Ends,
    /// The version of the last position without effective chains of each kind, of some digits.
    exhausted: [(u64, u16); 6],
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
    /// Finds the shortest effective chains. With groups, their nodes can be two or three cells of a
    /// digit in the intersection of a box and a line.
    pub fn find(
        &mut self,
        position: &Position,
        (kind, is_grouped): (Kind, bool),
        shape: Shape,
        out: &mut Instances,
    ) {
        let digits = if kind == Kind::X { position.changed.digits } else { 0x1ff };
        let i = kind as usize + 3 * usize::from(is_grouped);
        let (version, all) = self.exhausted[i];
        let is_exhausted = version == position.version && digits & !all == 0;
        if !is_exhausted && !self.search(position, (kind, digits, is_grouped), shape, out) {
            self.exhausted[i] = (position.version, digits);
        }
    }

    /// Returns whether there are effective chains of any shape.
    fn search(
        &mut self,
        position: &Position,
        of: (Kind, u16, bool),
        shape: Shape,
        out: &mut Instances,
    ) -> bool {
        self.ends.update(position, of);
        let nodes: u32 = self.ends.linked.iter().map(|cells| cells.count_ones()).sum();
        let key = (position.version, of);
        match nodes as usize + self.ends.groups.len() {
            0..=128 => self.small.search(position, key, &self.ends, shape, out),
            129..=256 => self.medium.search(position, key, &self.ends, shape, out),
            _ => self.large.search(position, key, &self.ends, shape, out),
        }
    }
}

/// The ends of strong links, of which all chains consist.
#[derive(Debug, Default)]
pub struct Ends {
    /// The candidates among them.
    linked: Candidates,
    groups: Vec<Place>,
    /// The strong links of groups. Their ends are groups or candidates of the same digit.
    links: Vec<(usize, [Cells; 2])>,
}

/// A candidate, or the cells of a group.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    digit: usize,
    cells: Cells,
    /// The cells that see all of these cells.
    seen: Cells,
}

impl Place {
    /// Visits the candidates that are off if the digit is in one of the cells.
    #[inline(always)]
    fn visit_seen(self, position: &Position, kind: Kind, mut visit: impl FnMut(usize, usize)) {
        Bits(self.seen & position.open[self.digit]).for_each(|cell| visit(self.digit, cell));
        if kind == Kind::All && self.cells.is_power_of_two() {
            let cell = self.cells.trailing_zeros() as usize;
            let others = position.masks[cell] & !(1 << self.digit);
            digits_of(others).for_each(|digit| visit(digit, cell));
        }
    }
}

impl Ends {
    /// Returns these candidates, without groups.
    pub fn of(linked: Candidates) -> Self {
        Self { linked, ..Self::default() }
    }

    /// Finds those of a kind of links of some digits, with or without groups.
    pub fn update(&mut self, position: &Position, (kind, digits, is_grouped): (Kind, u16, bool)) {
        self.linked = std::array::from_fn(|digit| {
            if digits >> digit & 1 == 0 {
                return 0;
            }
            let [rows, columns, boxes] = position.strong[digit];
            let in_units = if kind == Kind::Y { 0 } else { rows | columns | boxes };
            let in_cells = if kind == Kind::X { 0 } else { position.exactly[2] };
            in_units | in_cells & position.open[digit]
        });
        self.groups.clear();
        self.links.clear();
        for digit in digits_of(digits).filter(|_| is_grouped) {
            (0..27).for_each(|unit| self.link_groups(position, digit, unit));
        }
    }

    /// Returns the number of a group.
    fn group(&self, digit: usize, cells: Cells) -> Option<usize> {
        self.groups.iter().rposition(|group| group.digit == digit && group.cells == cells)
    }

    /// Finds the strong links of groups: the digit has places in two parts of a unit.
    fn link_groups(&mut self, position: &Position, digit: usize, unit: usize) {
        const ROWS: [u16; 3] = [0o007, 0o070, 0o700];
        const COLUMNS: [u16; 3] = [0o111, 0o222, 0o444];
        let places = position.places(unit, digit);
        if size(places) < 3 {
            return;
        }
        let mut link = |parts: [u16; 3]| {
            let mut parts = parts.into_iter().filter(|&part| part != 0);
            let ends = (parts.next(), parts.next(), parts.next());
            let (Some(a), Some(b), None) = ends else { return };
            let ends = [a, b].map(|part| cells_at(unit, part));
            for cells in ends {
                if cells.is_power_of_two() {
                    self.linked[digit] |= cells;
                } else if self.group(digit, cells).is_none() {
                    self.groups.push(Place { digit, cells, seen: common_peers(cells) });
                }
            }
            self.links.push((digit, ends));
        };
        link(ROWS.map(|row| places & row));
        if unit < 18 {
            return;
        }
        link(COLUMNS.map(|column| places & column));
        // A row and a column with all places; the cell in both belongs to one of them.
        for row in ROWS.map(|row| places & row).into_iter().filter(|_| size(places) < 6) {
            for column in COLUMNS.map(|column| places & column) {
                if row != 0 && column != 0 && row | column == places {
                    link([row & !column, column, 0]);
                    link([row, column & !row, 0]);
                }
            }
        }
    }
}

#[derive(Debug, Default)]
struct Workspace<const W: usize> {
    /// What the graph is of: a position, the kind of links, the digits, and whether there are groups.
    key: Option<(u64, (Kind, u16, bool))>,
    graph: Graph<W>,
    chains: Chains<W>,
}

impl<const W: usize> Workspace<W> {
    /// Reports the shortest effective chains. Returns whether there are any, of any shape.
    fn search(
        &mut self,
        position: &Position,
        key: (u64, (Kind, u16, bool)),
        ends: &Ends,
        shape: Shape,
        out: &mut Instances,
    ) -> bool {
        if self.key != Some(key) {
            self.key = Some(key);
            self.graph.update(position, key.1.0, ends);
            self.graph.find_effective(position, key.1.0);
        }
        let Self { graph, chains, .. } = self;
        chains.start(graph.nodes.len(), |i| &graph.weak[i], |i| graph.strong[i]);
        let (mut exist, mut any) = (false, false);
        loop {
            for (start, ends) in chains.all() {
                let mut effective = and(ends, &graph.effective[start]);
                if is_empty(&effective) {
                    continue;
                }
                exist = true;
                if shape == Shape::Loop {
                    effective = and(&effective, &graph.weak[start]);
                }
                for end in members(&effective).filter(|&end| end >= start) {
                    any = true;
                    let path = || Evidence::default().with_links(graph.path(start, end));
                    if end == start && start < graph.candidates {
                        let (digit, cell) = graph.place(start);
                        out.place(digit, cell, path);
                    } else {
                        out.remove(&graph.removed(position, start, end), path);
                    }
                }
            }
            if any || !chains.extend() {
                return exist;
            }
        }
    }
}

/// The ends of strong links and their links. Candidates are numbered cell by cell; groups follow
/// them.
#[derive(Debug, Default)]
pub struct Graph<const W: usize> {
    pub nodes: Vec<Place>,
    /// How many nodes are candidates.
    candidates: usize,
    /// The numbers of candidates by cell and digit.
    pub numbers: Vec<[u16; 9]>,
    /// The nodes that see each candidate, by digit and cell.
    seeing: Vec<[Set<W>; 81]>,
    /// For each node, those that are off if it is on.
    pub weak: Vec<Set<W>>,
    /// For each node, those that are on if it is off.
    pub strong: Vec<Set<W>>,
    /// For each node, those with which it sees a candidate, and itself if it is one.
    pub effective: Vec<Set<W>>,
}

impl<const W: usize> Graph<W> {
    /// Finds all nodes and links.
    pub fn update(&mut self, position: &Position, kind: Kind, ends: &Ends) {
        self.nodes.clear();
        self.numbers.resize(81, [0; 9]);
        for cell in Bits(ends.linked.iter().fold(0, |all, cells| all | cells)) {
            let is_linked = |&digit: &usize| ends.linked[digit] >> cell & 1 != 0;
            for digit in digits_of(position.masks[cell]).filter(is_linked) {
                self.numbers[cell][digit] = self.nodes.len() as u16;
                self.nodes.push(Place { digit, cells: 1 << cell, seen: PEERS[cell] });
            }
        }
        self.candidates = self.nodes.len();
        self.nodes.extend(&ends.groups);
        for sets in [&mut self.strong, &mut self.weak] {
            sets.clear();
            sets.resize(self.nodes.len(), [0; W]);
        }
        self.link_strongly(position, kind, &ends.linked);
        for &(digit, of_link) in &ends.links {
            let [a, b] = of_link.map(|cells| match ends.group(digit, cells) {
                None => self.numbers[cells.trailing_zeros() as usize][digit].into(),
                Some(i) => self.candidates + i,
            });
            insert(&mut self.strong[a], b);
            insert(&mut self.strong[b], a);
        }
        self.link_weakly(position, kind);
    }

    /// Adds the strong links of candidates.
    fn link_strongly(&mut self, position: &Position, kind: Kind, linked: &Candidates) {
        let (in_units, in_cells) = (kind != Kind::Y, kind != Kind::X);
        for (digit, kinds) in position.strong.iter().enumerate() {
            for (kind, &cells) in kinds.iter().enumerate().filter(|_| in_units) {
                for cell in Bits(cells & linked[digit]) {
                    let Some(other) = position.partner(digit, cell, kind) else { continue };
                    let [a, b] = [cell, other].map(|cell| self.numbers[cell][digit].into());
                    insert::<W>(&mut self.strong[a], b);
                }
            }
        }
        for cell in Bits(position.exactly[2]).filter(|_| in_cells) {
            let first = position.masks[cell].trailing_zeros() as usize;
            let i = usize::from(self.numbers[cell][first]);
            insert(&mut self.strong[i], i + 1);
            insert(&mut self.strong[i + 1], i);
        }
    }

    /// Adds the weak links.
    fn link_weakly(&mut self, position: &Position, kind: Kind) {
        self.seeing.resize(9, [[0; W]; 81]);
        for (seeing, &open) in self.seeing.iter_mut().zip(&position.open) {
            Bits(open).for_each(|cell| seeing[cell] = [0; W]);
        }
        for (i, node) in self.nodes.iter().enumerate() {
            node.visit_seen(position, kind, |digit, cell| insert(&mut self.seeing[digit][cell], i));
        }
        for (node, weak) in self.nodes.iter().zip(&mut self.weak) {
            let seeing = &self.seeing[node.digit];
            *weak = Bits(node.cells).fold([!0; W], |all, cell| and(&all, &seeing[cell]));
        }
    }

    /// Finds the effective pairs.
    pub fn find_effective(&mut self, position: &Position, kind: Kind) {
        self.effective.clear();
        self.effective.resize(self.nodes.len(), [0; W]);
        for (i, (node, effective)) in self.nodes.iter().zip(&mut self.effective).enumerate() {
            node.visit_seen(position, kind, |digit, cell| or(effective, &self.seeing[digit][cell]));
            if i < self.candidates {
                insert(effective, i);
            }
        }
    }

    /// Returns the digit and the cell of a candidate.
    #[inline(always)]
    pub fn place(&self, i: usize) -> (usize, usize) {
        let Place { digit, cells, .. } = self.nodes[i];
        (digit, cells.trailing_zeros() as usize)
    }

    /// Returns the candidates that see both nodes.
    pub fn removed(&self, position: &Position, a: usize, b: usize) -> Candidates {
        let (a, b) = (self.nodes[a], self.nodes[b]);
        let mut removed = [0; 9];
        if a.digit == b.digit {
            removed[a.digit] = a.seen & b.seen & position.open[a.digit];
            return removed;
        }
        for digit in 0..9 {
            // A candidate sees another digit in its cell, and its digit in cells that see it.
            let seen = |node: &Place| {
                let in_cell = if node.cells.is_power_of_two() { node.cells } else { 0 };
                if digit == node.digit { node.seen } else { in_cell }
            };
            removed[digit] = seen(&a) & seen(&b) & position.open[digit];
        }
        removed
    }

    /// Returns the number (`9 * cell + digit`) of the first candidate that sees both of two
    /// candidates, or `usize::MAX` if there is none.
    pub fn first_removed(&self, position: &Position, a: usize, b: usize) -> usize {
        let (a, b) = (self.nodes[a], self.nodes[b]);
        let first = |cells: Cells, digit: usize| match cells & position.open[digit] {
            0 => usize::MAX,
            cells => 9 * cells.trailing_zeros() as usize + digit,
        };
        if a.digit == b.digit {
            first(a.seen & b.seen, a.digit)
        } else if a.cells == b.cells {
            let cell = a.cells.trailing_zeros() as usize;
            let others = position.masks[cell] & !(1 << a.digit | 1 << b.digit);
            digits_of(others).next().map_or(usize::MAX, |digit| 9 * cell + digit)
        } else {
            first(a.seen & b.cells, a.digit).min(first(a.cells & b.seen, b.digit))
        }
    }

    fn node(&self, i: usize, on: bool) -> Node {
        let Place { digit, cells, .. } = self.nodes[i];
        Node::new(cells, digit, on)
    }

    /// Returns the links of a shortest chain.
    fn path(&self, start: usize, end: usize) -> Vec<Link> {
        // Nodes that are on, with the index of the preceding one and the node between them.
        let mut queue = vec![];
        let mut seen = [0; W];
        for on in members(&self.strong[start]) {
            insert(&mut seen, on);
            queue.push((on, usize::MAX, start));
        }
        let mut next = 0;
        while !contains(&seen, end) {
            let Some(&(on, ..)) = queue.get(next) else { return vec![] };
            for off in members(&self.weak[on]) {
                for after in members(&self.strong[off]) {
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
            links.push(Link { from: self.node(off, false), to: self.node(on, true) });
            if before == usize::MAX {
                break;
            }
            links.push(Link { from: self.node(queue[before].0, true), to: self.node(off, false) });
            at = before;
        }
        links.reverse();
        links
    }
}
