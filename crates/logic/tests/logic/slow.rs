//! Definitions of techniques that are obvious, but slow: loops over sets of cells, digits, and units.

mod nets;
mod patterns;

use std::collections::BTreeSet;
use std::ops::Range;

use bulkdoku_core::board::{ALL, Bits, Board, Candidates, Cells, PEERS, UNITS, digits_of};

use bulkdoku_logic::Technique;
use bulkdoku_logic::Technique as T;

use super::Effect;

/// The candidates of open cells, and where instances are collected.
pub struct Slow {
    board: Board,
    open: Candidates,
    found: BTreeSet<Effect>,
}

/// Returns the effects of all instances of a technique on a board.
pub fn effects(technique: Technique, board: &Board) -> BTreeSet<Effect> {
    let open = std::array::from_fn(|digit| board.open(digit));
    let mut slow = Slow { board: *board, open, found: BTreeSet::new() };
    slow.define(technique);
    slow.found
}

impl Slow {
    fn define(&mut self, technique: Technique) {
        // The cells, digits, or lines of sets and fish, and the type of a uniqueness pattern.
        let size = match technique.name().rsplit('-').next() {
            Some("pair" | "wing") => 2,
            Some("triple" | "swordfish") => 3,
            _ => 4,
        };
        let kind = technique.name().as_bytes()[technique.name().len() - 1] - b'0';
        match technique {
            T::FullHouse => full_house(self),
            T::HiddenSingleBox => hidden_single(self, 18..27),
            T::HiddenSingleLine => hidden_single(self, 0..18),
            T::NakedSingle => naked_single(self),
            T::Pointing | T::Claiming => locked(self, technique == T::Pointing),
            T::NakedPair | T::NakedTriple | T::NakedQuad => naked(self, size),
            T::HiddenPair | T::HiddenTriple | T::HiddenQuad => hidden(self, size),
            T::XWing | T::Swordfish | T::Jellyfish => fish(self, size, None),
            T::FinnedXWing | T::FinnedSwordfish | T::FinnedJellyfish => {
                fish(self, size, Some(false));
            }
            T::SashimiXWing | T::SashimiSwordfish | T::SashimiJellyfish => {
                fish(self, size, Some(true));
            }
            T::Skyscraper | T::TwoStringKite | T::TurbotFish => two_links(self, technique),
            T::EmptyRectangle => empty_rectangle(self),
            T::XYWing => xy_wing(self),
            T::XYZWing => xyz_wing(self),
            T::WWing => w_wing(self),
            T::HiddenRectangle => patterns::hidden_rectangle(self),
            _ if technique.name().starts_with("unique-r") => patterns::unique_rectangle(self, kind),
            _ if technique.name().starts_with("unique-l") => patterns::unique_loop(self, kind),
            T::Bug1 | T::Bug2 | T::Bug3 | T::Bug4 => patterns::bug(self, kind),
            T::RemotePair => patterns::remote_pair(self),
            T::SimpleColors => patterns::simple_colors(self),
            T::XCycle => nets::chains(self, (true, false), false, true),
            T::YCycle => nets::chains(self, (false, true), false, true),
            T::XChain => nets::chains(self, (true, false), false, false),
            T::XYChain => nets::chains(self, (false, true), false, false),
            T::Aic => nets::chains(self, (true, true), false, false),
            T::GroupedXChain => nets::chains(self, (true, false), true, false),
            T::GroupedAic => nets::chains(self, (true, true), true, false),
            T::SueDeCoq => patterns::sue_de_coq(self),
            T::AlignedPairExclusion => patterns::aligned(self, 2),
            T::AlignedTripletExclusion => patterns::aligned(self, 3),
            T::AlsXZ => patterns::als_xz(self),
            T::AlsXYWing => patterns::als_xy_wing(self),
            T::Nishio => nets::nishio(self),
            T::CellForcingChain | T::RegionForcingChain => {
                nets::forcing_chains(self, technique == T::CellForcingChain);
            }
            _ => nets::nets(self, technique as usize - T::DynamicForcingChain as usize),
        }
    }

    /// Returns the candidates of a cell as a mask.
    fn digits(&self, cell: usize) -> u16 {
        self.digits_in(1 << cell)
    }

    /// Returns the digits that any of these cells can have.
    fn digits_in(&self, cells: Cells) -> u16 {
        mask((0..9).filter(|&digit| self.open[digit] & cells != 0)) as u16
    }

    /// Returns the cells that can have any of these digits.
    fn cells_with(&self, digits: u16) -> Cells {
        digits_of(digits).fold(0, |all, digit| all | self.open[digit])
    }

    /// Returns the cells with a number of candidates.
    fn with_count(&self, is: impl Fn(u32) -> bool) -> Cells {
        mask(Bits(self.cells_with(0x1ff)).filter(|&cell| is(self.digits(cell).count_ones())))
    }

    fn place(&mut self, cell: usize, digit: usize) {
        let mut placed = [0; 9];
        placed[digit] |= 1 << cell;
        self.found.insert((placed, [0; 9]));
    }

    /// Adds an instance that removes these candidates, if there are any of them.
    fn remove(&mut self, candidates: Candidates) {
        let removed = std::array::from_fn(|digit| candidates[digit] & self.open[digit]);
        if removed != [0; 9] {
            self.found.insert(([0; 9], removed));
        }
    }

    /// Adds an instance that removes digits from cells.
    fn lose(&mut self, cells: Cells, digits: u16) {
        self.remove(candidates(cells, digits));
    }

    /// Adds an instance that removes a digit from the cells that see all of these.
    fn lose_seen(&mut self, digit: usize, by: Cells) {
        self.lose(seeing_all(by), 1 << digit);
    }
}

fn candidates(cells: Cells, digits: u16) -> Candidates {
    std::array::from_fn(|digit| if digits >> digit & 1 != 0 { cells } else { 0 })
}

fn mask(numbers: impl Iterator<Item = usize>) -> Cells {
    numbers.fold(0, |all, number| all | 1 << number)
}

fn sees(a: usize, b: usize) -> bool {
    PEERS[a] >> b & 1 != 0
}

fn seeing_all(cells: Cells) -> Cells {
    Bits(cells).fold(ALL, |all, cell| all & PEERS[cell])
}

fn seeing_any(cells: Cells) -> Cells {
    Bits(cells).fold(0, |all, cell| all | PEERS[cell])
}

/// Returns the cells of a set of units.
fn cells_of(units: Cells) -> Cells {
    Bits(units).fold(0, |all, unit| all | UNITS[unit])
}

/// Returns the units that contain all of these cells.
fn units_with(cells: Cells) -> impl Iterator<Item = usize> {
    (0..27).filter(move |&unit| cells & !UNITS[unit] == 0)
}

/// Returns the first and the last member of a set.
fn ends(set: Cells) -> [usize; 2] {
    [set.trailing_zeros(), set.ilog2()].map(|end| end as usize)
}

/// Returns the subsets with a number of members.
fn subsets(of: Cells, count: u32) -> Vec<Cells> {
    if count == 0 {
        return vec![0];
    }
    let with = |first: usize| {
        subsets(of & !1 << first, count - 1).into_iter().map(move |it| it | 1 << first)
    };
    Bits(of).flat_map(with).collect()
}

fn all_subsets(of: Cells) -> impl Iterator<Item = Cells> {
    (1..=of.count_ones()).flat_map(move |count| subsets(of, count))
}

fn full_house(slow: &mut Slow) {
    for cells in UNITS.map(|unit| unit & slow.cells_with(0x1ff)) {
        if cells.is_power_of_two() {
            digits_of(slow.digits_in(cells)).for_each(|digit| slow.place(ends(cells)[0], digit));
        }
    }
}

fn hidden_single(slow: &mut Slow, units: Range<usize>) {
    for (unit, digit) in units.flat_map(|unit| (0..9).map(move |digit| (unit, digit))) {
        let places = slow.open[digit] & UNITS[unit];
        if places.is_power_of_two() {
            slow.place(ends(places)[0], digit);
        }
    }
}

fn naked_single(slow: &mut Slow) {
    for cell in Bits(slow.with_count(|count| count == 1)) {
        slow.place(cell, slow.digits(cell).trailing_zeros() as usize);
    }
}

fn locked(slow: &mut Slow, is_pointing: bool) {
    for (line, square) in (0..18).flat_map(|line| (18..27).map(move |square| (line, square))) {
        let [line, square] = [line, square].map(|unit| UNITS[unit]);
        let (base, cover) = if is_pointing { (square, line) } else { (line, square) };
        for digit in digits_of(slow.digits_in(base)) {
            if slow.open[digit] & base & !cover == 0 {
                slow.lose(cover & !base, 1 << digit);
            }
        }
    }
}

fn naked(slow: &mut Slow, count: u32) {
    for unit in UNITS {
        for set in subsets(unit & slow.with_count(|count| count > 1), count) {
            let digits = slow.digits_in(set);
            if digits.count_ones() == count {
                slow.lose(unit & !set, digits);
            }
        }
    }
}

fn hidden(slow: &mut Slow, count: u32) {
    for unit in UNITS {
        let several = (0..9).filter(|&digit| (slow.open[digit] & unit).count_ones() > 1);
        for digits in subsets(mask(several), count).into_iter().map(|set| set as u16) {
            let cells = slow.cells_with(digits) & unit;
            if cells.count_ones() == count {
                slow.lose(cells, !digits);
            }
        }
    }
}

/// Basic fish, or finned ones that are sashimi or not.
fn fish(slow: &mut Slow, count: u32, is_sashimi: Option<bool>) {
    for (digit, columns) in (0..9).flat_map(|digit| [(digit, 0), (digit, 9)]) {
        let open = slow.open[digit];
        let several = |&line: &usize| (UNITS[line] & open).count_ones() > 1;
        for base in subsets(mask((columns..columns + 9).filter(several)), count) {
            let places = open & cells_of(base);
            let crossing = (9 - columns..18 - columns).filter(|&line| UNITS[line] & places != 0);
            for cover in subsets(mask(crossing), count) {
                let covered = cells_of(cover);
                let fins = places & !covered;
                let lacks_corner =
                    Bits(base).any(|line| (places & UNITS[line] & covered).count_ones() < 2);
                if is_sashimi.map_or(fins == 0, |it| fins != 0 && it == lacks_corner) {
                    slow.lose(covered & !cells_of(base) & seeing_all(fins), 1 << digit);
                }
            }
        }
    }
}

/// Returns the units with two places for a digit, with these.
fn strong_links(slow: &Slow, digit: usize) -> Vec<(usize, Cells)> {
    let links = UNITS.map(|unit| unit & slow.open[digit]).into_iter().enumerate();
    links.filter(|(_, places)| places.count_ones() == 2).collect()
}

fn two_links(slow: &mut Slow, technique: Technique) {
    for digit in 0..9 {
        let links = strong_links(slow, digit);
        let pairs = links.iter().flat_map(|a| links.iter().map(move |b| (a, b)));
        for (&(first, a), &(second, b)) in pairs.filter(|(a, b)| a.1 & b.1 == 0) {
            for near in Bits(a).flat_map(|of_a| Bits(b).map(move |of_b| 1 << of_a | 1 << of_b)) {
                let [of_a, of_b] = ends(near);
                let class = match (first / 9, second / 9) {
                    (0, 0) if of_a % 9 == of_b % 9 => T::Skyscraper,
                    (1, 1) if of_a / 9 == of_b / 9 => T::Skyscraper,
                    (0, 1) | (1, 0) => T::TwoStringKite,
                    _ => T::TurbotFish,
                };
                if sees(of_a, of_b) && class == technique {
                    slow.lose_seen(digit, (a | b) & !near);
                }
            }
        }
    }
}

fn empty_rectangle(slow: &mut Slow) {
    let lines = || (0..9).flat_map(|row| (9..18).map(move |column| (row, column)));
    for (digit, square) in (0..9).flat_map(|digit| (18..27).map(move |square| (digit, square))) {
        let square = UNITS[square];
        let inside = slow.open[digit] & square;
        for (row, column) in lines() {
            let [row, column] = [row, column].map(|line| UNITS[line]);
            if row & column & square == 0
                || inside & !(row | column) != 0
                || inside & !row == 0
                || inside & !column == 0
            {
                continue;
            }
            // A strong link in another line, with one end in the crossing one.
            for (unit, link) in strong_links(slow, digit) {
                let (from, to) = if unit < 9 { (column, row) } else { (row, column) };
                if unit < 18 && UNITS[unit] & square == 0 && link & from != 0 {
                    let end = ends(link & !from)[0];
                    let crossing = if unit < 9 { end % 9 + 9 } else { end / 9 };
                    slow.lose(UNITS[crossing] & to & !square, 1 << digit);
                }
            }
        }
    }
}

/// Returns pairs of cells with two candidates, each with its candidates.
fn bivalue_pairs(slow: &Slow) -> impl Iterator<Item = (Cells, [usize; 2], [u16; 2])> {
    let pairs = subsets(slow.with_count(|count| count == 2), 2).into_iter();
    pairs.map(|pair| (pair, ends(pair), ends(pair).map(|cell| slow.digits(cell))))
}

fn xy_wing(slow: &mut Slow) {
    for pivot in Bits(slow.with_count(|count| count == 2)) {
        for (pair, _, [a, b]) in bivalue_pairs(slow).collect::<Vec<_>>() {
            let (xy, z) = (slow.digits(pivot), a & b);
            let is_wing = z.is_power_of_two() && xy & z == 0 && (xy | a | b).count_ones() == 3;
            if is_wing && pair & !PEERS[pivot] == 0 {
                slow.lose_seen(z.trailing_zeros() as usize, pair);
            }
        }
    }
}

fn xyz_wing(slow: &mut Slow) {
    for pivot in Bits(slow.with_count(|count| count == 3)) {
        for (pair, _, [a, b]) in bivalue_pairs(slow).collect::<Vec<_>>() {
            if pair & !PEERS[pivot] == 0 && (a | b) & !slow.digits(pivot) == 0 && a != b {
                slow.lose_seen((a & b).trailing_zeros() as usize, pair | 1 << pivot);
            }
        }
    }
}

fn w_wing(slow: &mut Slow) {
    for (pair, [a, b], [digits, same]) in bivalue_pairs(slow).collect::<Vec<_>>() {
        if sees(a, b) || digits != same {
            continue;
        }
        let [x, y] = ends(digits.into());
        for (x, y) in [(x, y), (y, x)] {
            for (_, link) in strong_links(slow, x).into_iter().filter(|(_, it)| it & pair == 0) {
                let [c, d] = ends(link);
                if sees(c, a) && sees(d, b) || sees(c, b) && sees(d, a) {
                    slow.lose_seen(y, pair);
                }
            }
        }
    }
}
