//! Strong and weak links between candidates, and the shortest chains of them.
//!
//! A chain starts and ends with a strong link and alternates: if its start is off, then its end is
//! on. One of both ends is on, so candidates that see both are off; if start and end are the same
//! candidate, it is on. Chains are found for all starts at once, one strong link longer at a time.

use super::Position;
use crate::board::{Bits, Candidates, UNITS_OF, digits_of};

/// Numbers of candidates, as a set.
pub type Set<const W: usize> = [u64; W];

/// The number of no candidate.
pub const NONE: u16 = u16::MAX;

/// The links that chains consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Within one digit.
    X,
    /// Strong links within cells, weak ones within digits.
    Y,
    /// All links.
    All,
}

/// Iterates over the numbers in a set.
#[inline(always)]
pub fn members<const W: usize>(set: &Set<W>) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, &word)| Bits(word.into()).map(move |bit| i * 64 + bit))
}

#[inline(always)]
pub fn contains<const W: usize>(set: &Set<W>, i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 != 0
}

#[inline(always)]
pub fn insert<const W: usize>(set: &mut Set<W>, i: usize) {
    set[i / 64] |= 1 << (i % 64);
}

#[inline(always)]
pub fn or<const W: usize>(set: &mut Set<W>, other: &Set<W>) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}

#[inline(always)]
pub fn and<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
pub fn is_empty<const W: usize>(set: &Set<W>) -> bool {
    set.iter().fold(0, |all, word| all | word) == 0
}

/// The candidates of open cells, numbered cell by cell, and their links.
#[derive(Debug)]
pub struct Links<const W: usize> {
    /// The cell of each candidate.
    pub cells: Vec<u8>,
    /// The digit of each candidate.
    pub digits: Vec<u8>,
    /// The number of each candidate by cell and digit.
    pub numbers: Box<[[u16; 9]; 81]>,
    /// The other candidates of the digit in the row, column, and box.
    same_digit: Vec<Set<W>>,
    /// The other candidates of the cell.
    pub same_cell: Vec<Set<W>>,
    /// Both.
    all: Vec<Set<W>>,
    /// The other ends of strong links in the row, the column, the box, and the cell, or [`NONE`].
    pub partners: Vec<[u16; 4]>,
}

impl<const W: usize> Default for Links<W> {
    fn default() -> Self {
        Self {
            cells: Vec::with_capacity(W * 64),
            digits: Vec::with_capacity(W * 64),
            numbers: Box::new([[NONE; 9]; 81]),
            same_digit: Vec::with_capacity(W * 64),
            same_cell: Vec::with_capacity(W * 64),
            all: Vec::with_capacity(W * 64),
            partners: Vec::with_capacity(W * 64),
        }
    }
}

impl<const W: usize> Links<W> {
    /// Finds the links of a position with at most `64 * W` candidates in open cells.
    pub fn update(&mut self, position: &Position) {
        self.cells.clear();
        self.digits.clear();
        self.same_digit.clear();
        self.same_cell.clear();
        self.all.clear();
        self.partners.clear();
        let mut units = [[[0; W]; 9]; 27];
        for (cell, &mask) in position.masks.iter().enumerate() {
            let mut same_cell = [0; W];
            let first = self.cells.len();
            for digit in digits_of(mask) {
                let i = self.cells.len();
                self.numbers[cell][digit] = i as u16;
                self.cells.push(cell as u8);
                self.digits.push(digit as u8);
                insert(&mut same_cell, i);
                for unit in UNITS_OF[cell] {
                    insert(&mut units[usize::from(unit)][digit], i);
                }
            }
            for i in first..self.cells.len() {
                let mut others = same_cell;
                others[i / 64] &= !(1 << (i % 64));
                self.same_cell.push(others);
            }
        }
        for (i, (&cell, &digit)) in self.cells.iter().zip(&self.digits).enumerate() {
            let (cell, digit) = (usize::from(cell), usize::from(digit));
            let mut others = [0; W];
            for unit in UNITS_OF[cell] {
                or(&mut others, &units[usize::from(unit)][digit]);
            }
            others[i / 64] &= !(1 << (i % 64));
            self.same_digit.push(others);
            or(&mut others, &self.same_cell[i]);
            self.all.push(others);
            let partner = |kind| position.partner(digit, cell, kind);
            let [row, column, square] = [0, 1, 2]
                .map(|kind| partner(kind).map_or(NONE, |other| self.numbers[other][digit]));
            let other = position.masks[cell] & !(1 << digit);
            let in_cell = if other.is_power_of_two() {
                self.numbers[cell][other.trailing_zeros() as usize]
            } else {
                NONE
            };
            self.partners.push([row, column, square, in_cell]);
        }
    }

    /// Returns the number of candidates.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the digit and the cell of a candidate.
    #[inline(always)]
    pub fn place(&self, i: usize) -> (usize, usize) {
        (self.digits[i].into(), self.cells[i].into())
    }

    /// Returns the candidates that are off if this one is on.
    #[inline(always)]
    pub fn weak(&self, i: usize, kind: Kind) -> &Set<W> {
        if kind == Kind::All { &self.all[i] } else { &self.same_digit[i] }
    }

    /// Returns the candidates that are on if this one is off.
    #[inline(always)]
    pub fn strong(&self, i: usize, kind: Kind) -> Set<W> {
        let all = self.partners[i];
        let partners = match kind {
            Kind::X => &all[..3],
            Kind::Y => &all[3..],
            Kind::All => &all,
        };
        let mut strong = [0; W];
        for &partner in partners.iter().filter(|&&partner| partner != NONE) {
            insert(&mut strong, partner.into());
        }
        strong
    }

    /// Adds candidates to a set of cells and digits, and ignores numbers of others.
    pub fn collect(&self, set: &Set<W>, all: &mut Candidates) {
        for i in members(set).take_while(|&i| i < self.len()) {
            all[usize::from(self.digits[i])] |= 1 << self.cells[i];
        }
    }
}

/// All shortest chains up to a length.
#[derive(Debug)]
pub struct Chains<const W: usize> {
    /// For each candidate, those that are on after one weak and one strong link.
    steps: Vec<Set<W>>,
    /// Candidates off which chains start.
    starts: Vec<u16>,
    /// For each start, the ends of all chains so far.
    reached: Vec<Set<W>>,
    /// For each start, the ends of those with the current length that have no shorter chain.
    ends: Vec<Set<W>>,
}

impl<const W: usize> Default for Chains<W> {
    fn default() -> Self {
        let empty = || Vec::with_capacity(W * 64);
        Self { steps: empty(), starts: Vec::with_capacity(W * 64), reached: empty(), ends: empty() }
    }
}

impl<const W: usize> Chains<W> {
    /// Starts over, with chains of one strong link, from the links of `len` candidates.
    pub fn start<'a>(
        &mut self,
        len: usize,
        weak: impl Fn(usize) -> &'a Set<W>,
        strong: impl Fn(usize) -> Set<W>,
    ) {
        self.steps.clear();
        self.steps.resize(len, [0; W]);
        self.starts.clear();
        self.reached.clear();
        self.ends.clear();
        for i in 0..len {
            let ends = strong(i);
            if !is_empty(&ends) {
                for before in members(weak(i)) {
                    or(&mut self.steps[before], &ends);
                }
                self.starts.push(i as u16);
                self.reached.push(ends);
                self.ends.push(ends);
            }
        }
    }

    /// Appends a weak and a strong link to all chains. Returns `false` if no chain can be longer.
    pub fn extend(&mut self) -> bool {
        let mut len = 0;
        for i in 0..self.starts.len() {
            let mut longer = [0; W];
            for end in members(&self.ends[i]) {
                or(&mut longer, &self.steps[end]);
            }
            let mut reached = self.reached[i];
            let ends = std::array::from_fn(|word| longer[word] & !reached[word]);
            // Starts without longer chains are dropped.
            if !is_empty(&ends) {
                or(&mut reached, &longer);
                self.starts[len] = self.starts[i];
                self.reached[len] = reached;
                self.ends[len] = ends;
                len += 1;
            }
        }
        self.starts.truncate(len);
        self.reached.truncate(len);
        self.ends.truncate(len);
        len > 0
    }

    /// Returns the candidates that are on after one weak and one strong link.
    #[inline(always)]
    pub fn step(&self, i: usize) -> &Set<W> {
        &self.steps[i]
    }

    /// Visits the start and the ends of all current chains.
    #[inline(always)]
    pub fn all(&self) -> impl Iterator<Item = (usize, &Set<W>)> {
        self.starts.iter().map(|&start| usize::from(start)).zip(&self.ends)
    }
}
