//! Which candidates have chains in a grid, for all starts at once.
//!
//! What follows from a candidate by chains in a grid also follows in the grids that nets reach from
//! there, for candidates of open cells: if an assertion of a chain is known to hold, so are all
//! that follow it, and if it is known not to hold, so are all before it. So only the links that are
//! new in a grid are added to what follows in the first one.

use super::super::links::{Set, and, contains, insert, is_empty, members, or};
use super::dynamic::Source;
use super::nets::{Grid, Pairs, place};
use crate::board::{Bits, PEERS, UNITS, UNITS_OF, digits_of};

/// Words of a set of candidates. Nothing is excluded in grids with more candidates.
const W: usize = 4;

/// The candidates that are on, and off, if one is on.
type Row = [Set<W>; 2];

/// What follows from each candidate.
#[derive(Debug, Default)]
pub struct Reach {
    numbers: Vec<[u16; 9]>,
    places: Vec<(usize, usize)>,
    /// The strong links of the first grid, and what follows there.
    pairs: Pairs,
    source: Vec<Row>,
    rows: Vec<Row>,
    /// The candidates of open cells.
    open: Set<W>,
    /// Those from which their negation follows.
    absurd: Set<W>,
    /// Those that follow from these.
    after: Set<W>,
}

impl Reach {
    /// Starts over with another grid.
    pub fn start(&mut self, grid: &Grid) {
        self.numbers.clear();
        self.numbers.resize(81, [0; 9]);
        self.places.clear();
        for (cell, &mask) in grid.masks.iter().enumerate() {
            for digit in digits_of(mask) {
                self.numbers[cell][digit] = self.places.len() as u16;
                self.places.push((cell, digit));
            }
        }
        if self.is_too_large() {
            return;
        }
        self.rows.clear();
        for (i, &(cell, digit)) in self.places.iter().enumerate() {
            let mut row = [[0; W]; 2];
            insert(&mut row[0], i);
            for other in digits_of(grid.masks[cell] & !(1 << digit)) {
                insert(&mut row[1], self.number(cell, other));
            }
            for other in Bits(PEERS[cell] & grid.open[digit]) {
                insert(&mut row[1], self.number(other, digit));
            }
            self.rows.push(row);
        }
        self.pairs = self.add_links(&Pairs::default(), grid);
        self.source.clone_from(&self.rows);
    }

    /// Continues from the first grid to one that nets have reached.
    pub fn extend(&mut self, grid: &Grid) {
        if self.is_too_large() {
            return;
        }
        self.rows.clone_from(&self.source);
        let before = std::mem::take(&mut self.pairs);
        self.add_links(&before, grid);
        self.pairs = before;
        (self.absurd, self.after) = ([0; W], [0; W]);
        for i in members(&self.open) {
            if contains(&self.rows[i][1], i) {
                insert(&mut self.absurd, i);
                or(&mut self.after, &self.rows[i][0]);
            }
        }
    }

    fn is_too_large(&self) -> bool {
        self.places.len() > 64 * W
    }

    fn number(&self, cell: usize, digit: usize) -> usize {
        self.numbers[cell][digit].into()
    }

    /// Adds the strong links of a grid that another one does not have.
    fn add_links(&mut self, before: &Pairs, grid: &Grid) -> Pairs {
        self.open = [0; W];
        for (i, &(cell, digit)) in self.places.iter().enumerate() {
            let mask = grid.masks[cell];
            if mask >> digit & 1 != 0 && !mask.is_power_of_two() {
                insert(&mut self.open, i);
            }
        }
        let pairs = grid.pairs();
        for cell in Bits(pairs.cells & !before.cells) {
            let mask = grid.masks[cell];
            let [a, b] = [mask.trailing_zeros(), mask.ilog2()];
            self.add_link([a, b].map(|digit| self.number(cell, digit as usize)));
        }
        for (digit, (places, before)) in pairs.places.iter().zip(&before.places).enumerate() {
            for (kind, (places, before)) in places.iter().zip(before).enumerate() {
                for cell in Bits(places & !before) {
                    let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
                    let other = (places & unit & !(1 << cell)).trailing_zeros() as usize;
                    if other > cell {
                        self.add_link([cell, other].map(|cell| self.number(cell, digit)));
                    }
                }
            }
        }
        pairs
    }

    /// Adds a strong link.
    fn add_link(&mut self, [a, b]: [usize; 2]) {
        let [of_a, of_b] = [self.rows[a], self.rows[b]];
        // Each of both, off, turns the other one on; if it turns itself off, it does so as well.
        let [mut from_a, mut from_b] = [of_a, of_b];
        if contains(&of_a[1], a) {
            join(&mut from_a, &of_b);
        }
        if contains(&of_b[1], b) {
            join(&mut from_b, &of_a);
        }
        for (off, on, row) in [(of_a, b, from_b), (of_b, a, from_a)] {
            for i in members(&and(&off[1], &self.open)) {
                if !contains(&self.rows[i][0], on) {
                    join(&mut self.rows[i], &row);
                }
            }
        }
    }

    /// Returns whether a chain leads from any candidate to its negation. Otherwise there are no loops
    /// that remove a candidate: it would turn a candidate of the loop off, and with it the loop, in
    /// the other direction, another one on, which turns it off.
    pub fn has_chains(&self) -> bool {
        self.is_too_large() || !is_empty(&self.absurd)
    }

    /// Returns whether a chain may lead from a candidate that is on to its negation.
    pub fn may_be_absurd(&self, cell: usize, digit: usize) -> bool {
        self.is_too_large() || contains(&self.absurd, self.number(cell, digit))
    }

    /// Returns whether a loop with a candidate may remove another one, which then turns on the whole
    /// loop.
    pub fn may_have_loop(&self, cell: usize, digit: usize) -> bool {
        self.is_too_large() || contains(&self.after, self.number(cell, digit))
    }

    /// Returns whether chains may lead from all alternatives to the same assertion.
    pub fn may_agree(&self, grid: &Grid, source: Source) -> bool {
        if self.is_too_large() {
            return true;
        }
        let mut common = [self.open; 2];
        for (cell, digit) in source.assertions(grid).map(place) {
            let row = &self.rows[self.number(cell, digit)];
            common = [and(&common[0], &row[0]), and(&common[1], &row[1])];
            if is_empty(&common[0]) && is_empty(&common[1]) {
                return false;
            }
        }
        true
    }
}

fn join(row: &mut Row, other: &Row) {
    row.iter_mut().zip(other).for_each(|(row, other)| or(row, other));
}

#[cfg(test)]
mod tests {
    use bulkdoku_core::Puzzle;

    use super::super::super::Position;
    use super::super::super::links::Kind;
    use super::super::chains::Search;
    use super::super::links::Chains;
    use super::super::nets::{Net, Rules, on};
    use super::*;
    use crate::board::{Board, Candidates};

    fn puzzles() -> [Puzzle; 2] {
        [
            "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
            "98.7..6..5...9..7...7..4...4...3.2....59...8......1..31...8...7.2....5....94...6.",
        ]
        .map(|puzzle| puzzle.parse().unwrap())
    }

    /// Asserts that the exact search finds nothing where the sets exclude it. Returns how many chains
    /// and loops it finds, and how many candidates are excluded.
    fn assert_finds(reach: &Reach, grid: &Grid) -> [usize; 2] {
        let mut chains = Chains::default();
        chains.clear();
        chains.select(Kind::All);
        let mut counts = [0; 2];
        for (cell, &mask) in grid.masks.iter().enumerate().filter(|(_, it)| it.count_ones() > 1) {
            for digit in digits_of(mask) {
                let start = on(cell, digit);
                let is_absurd = chains.find_chain(grid, start);
                assert!(!is_absurd || reach.may_be_absurd(cell, digit) && reach.has_chains());
                let mut has_loop = false;
                let visit = |_: &[_], _, _: &Candidates| {
                    has_loop = true;
                    false
                };
                chains.find_loops(grid, start, 2, |_| true, visit);
                assert!(!has_loop || reach.may_have_loop(cell, digit) && reach.has_chains());
                counts[0] += usize::from(is_absurd) + usize::from(has_loop);
                counts[1] += usize::from(!reach.may_have_loop(cell, digit));
            }
        }
        counts
    }

    #[test]
    fn the_exact_search_finds_nothing_that_is_excluded() {
        let mut reach = Reach::default();
        let mut found = [0; 2];
        for puzzle in puzzles() {
            let source = Grid::of(&Position::of(&Board::of(&puzzle).unwrap()));
            reach.start(&source);
            for (cell, &mask) in source.masks.iter().enumerate().step_by(3) {
                for digit in digits_of(mask) {
                    let mut net = Net::default();
                    net.start(&source, on(cell, digit));
                    net.follow(&source, Rules::Dynamic);
                    if net.contradiction.is_none() {
                        reach.extend(&net.grid);
                        let counts = assert_finds(&reach, &net.grid);
                        found = [found[0] + counts[0], found[1] + counts[1]];
                    }
                }
            }
        }
        assert!(found[0] > 0 && found[1] > 0, "{found:?}");
    }

    /// Grids with more candidates than a set has: nothing is excluded, and larger sets find the same.
    #[test]
    fn large_grids_are_searched_exactly() {
        let few = format!("{:.40}{}", puzzles()[0].to_string(), ".".repeat(41));
        let position = Position::of(&Board::of(&few.parse().unwrap()).unwrap());
        assert!(position.candidates() > 64 * W);
        let (mut reach, grid) = (Reach::default(), Grid::of(&position));
        reach.start(&grid);
        reach.extend(&grid);
        assert_eq!(assert_finds(&reach, &grid)[1], 0);
        for puzzle in puzzles() {
            for step in crate::steps(&puzzle).explained().step_by(4) {
                let position = Position::of(&step.board);
                let small = Search::<W>::default().forcing_chain(&position);
                assert_eq!(small, Search::<12>::default().forcing_chain(&position));
            }
        }
    }
}
