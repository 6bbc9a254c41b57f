//! Definitions of techniques that are obvious, but slow: loops over cells, digits, and units.

mod nets;
mod patterns;

use std::collections::BTreeSet;

use bulkdoku_core::puzzle::peers;

use super::Effect;
use crate::Technique as T;
use crate::Technique;
use crate::board::{Board, UNIT_CELLS};

/// The candidates of open cells, and where instances are collected.
pub struct Slow<'a> {
    board: &'a Board,
    found: BTreeSet<Effect>,
}

pub type Definition = fn(&mut Slow<'_>);

pub const DEFINITIONS: &[(Technique, Definition)] = &[
    (T::FullHouse, full_house),
    (T::HiddenSingleBox, |slow| hidden_single(slow, 18..27)),
    (T::HiddenSingleLine, |slow| hidden_single(slow, 0..18)),
    (T::NakedSingle, naked_single),
    (T::Pointing, |slow| locked(slow, true)),
    (T::Claiming, |slow| locked(slow, false)),
    (T::NakedPair, |slow| naked(slow, 2)),
    (T::XWing, |slow| fish(slow, 2, None)),
    (T::HiddenPair, |slow| hidden(slow, 2)),
    (T::NakedTriple, |slow| naked(slow, 3)),
    (T::Swordfish, |slow| fish(slow, 3, None)),
    (T::HiddenTriple, |slow| hidden(slow, 3)),
    (T::Skyscraper, |slow| two_links(slow, T::Skyscraper)),
    (T::TwoStringKite, |slow| two_links(slow, T::TwoStringKite)),
    (T::TurbotFish, |slow| two_links(slow, T::TurbotFish)),
    (T::EmptyRectangle, empty_rectangle),
    (T::XYWing, xy_wing),
    (T::XYZWing, xyz_wing),
    (T::WWing, w_wing),
    (T::UniqueRectangle1, |slow| patterns::unique_rectangle(slow, 1)),
    (T::UniqueRectangle2, |slow| patterns::unique_rectangle(slow, 2)),
    (T::UniqueRectangle3, |slow| patterns::unique_rectangle(slow, 3)),
    (T::UniqueRectangle4, |slow| patterns::unique_rectangle(slow, 4)),
    (T::HiddenRectangle, patterns::hidden_rectangle),
    (T::UniqueLoop1, |slow| patterns::unique_loop(slow, 1)),
    (T::UniqueLoop2, |slow| patterns::unique_loop(slow, 2)),
    (T::UniqueLoop3, |slow| patterns::unique_loop(slow, 3)),
    (T::UniqueLoop4, |slow| patterns::unique_loop(slow, 4)),
    (T::NakedQuad, |slow| naked(slow, 4)),
    (T::Jellyfish, |slow| fish(slow, 4, None)),
    (T::HiddenQuad, |slow| hidden(slow, 4)),
    (T::Bug1, |slow| patterns::bug(slow, 1)),
    (T::Bug2, |slow| patterns::bug(slow, 2)),
    (T::Bug3, |slow| patterns::bug(slow, 3)),
    (T::Bug4, |slow| patterns::bug(slow, 4)),
    (T::RemotePair, patterns::remote_pair),
    (T::SimpleColors, patterns::simple_colors),
    (T::FinnedXWing, |slow| fish(slow, 2, Some(false))),
    (T::SashimiXWing, |slow| fish(slow, 2, Some(true))),
    (T::FinnedSwordfish, |slow| fish(slow, 3, Some(false))),
    (T::SashimiSwordfish, |slow| fish(slow, 3, Some(true))),
    (T::XCycle, |slow| nets::chains(slow, (true, false), false, true)),
    (T::YCycle, |slow| nets::chains(slow, (false, true), false, true)),
    (T::XChain, |slow| nets::chains(slow, (true, false), false, false)),
    (T::XYChain, |slow| nets::chains(slow, (false, true), false, false)),
    (T::Aic, |slow| nets::chains(slow, (true, true), false, false)),
    (T::FinnedJellyfish, |slow| fish(slow, 4, Some(false))),
    (T::SashimiJellyfish, |slow| fish(slow, 4, Some(true))),
    (T::SueDeCoq, patterns::sue_de_coq),
    (T::GroupedXChain, |slow| nets::chains(slow, (true, false), true, false)),
    (T::GroupedAic, |slow| nets::chains(slow, (true, true), true, false)),
    (T::AlignedPairExclusion, aligned_pair),
    (T::AlsXZ, patterns::als_xz),
    (T::AlsXYWing, patterns::als_xy_wing),
    (T::AlignedTripletExclusion, patterns::aligned_triplet),
    (T::Nishio, nets::nishio),
    (T::CellForcingChain, |slow| nets::forcing_chains(slow, true)),
    (T::RegionForcingChain, |slow| nets::forcing_chains(slow, false)),
    (T::DynamicForcingChain, |slow| nets::nets(slow, 0)),
    (T::DynamicForcingChainPlus, |slow| nets::nets(slow, 1)),
    (T::NestedForcingChain2, |slow| nets::nets(slow, 2)),
    (T::NestedForcingChain3, |slow| nets::nets(slow, 3)),
    (T::NestedForcingChain4, |slow| nets::nets(slow, 4)),
    (T::NestedForcingChain5, |slow| nets::nets(slow, 5)),
];

pub fn effects(board: &Board, definition: Definition) -> BTreeSet<Effect> {
    let mut slow = Slow { board, found: BTreeSet::new() };
    definition(&mut slow);
    slow.found
}

impl Slow<'_> {
    fn is_open(&self, cell: usize) -> bool {
        self.board.placed >> cell & 1 == 0
    }

    fn has(&self, cell: usize, digit: usize) -> bool {
        self.is_open(cell) && self.board.digits[digit] >> cell & 1 != 0
    }

    fn digits(&self, cell: usize) -> Vec<usize> {
        (0..9).filter(|&digit| self.has(cell, digit)).collect()
    }

    fn places(&self, unit: usize, digit: usize) -> Vec<usize> {
        cells_of(unit).into_iter().filter(|&cell| self.has(cell, digit)).collect()
    }

    fn open_cells(&self) -> Vec<usize> {
        (0..81).filter(|&cell| self.is_open(cell)).collect()
    }

    fn place(&mut self, cell: usize, digit: usize) {
        let mut placed = [0; 9];
        placed[digit] |= 1 << cell;
        self.found.insert((placed, [0; 9]));
    }

    /// Adds an instance that removes these candidates, if the board has any of them.
    fn remove(&mut self, candidates: impl IntoIterator<Item = (usize, usize)>) {
        let mut removed = [0; 9];
        for (cell, digit) in candidates {
            if self.has(cell, digit) {
                removed[digit] |= 1 << cell;
            }
        }
        if removed != [0; 9] {
            self.found.insert(([0; 9], removed));
        }
    }

    /// Adds an instance that removes a digit from the cells that see all of these.
    fn remove_seen(&mut self, digit: usize, by: &[usize]) {
        let seen: Vec<_> =
            (0..81).filter(|&cell| by.iter().all(|&other| sees(cell, other))).collect();
        self.remove(seen.into_iter().map(|cell| (cell, digit)));
    }
}

fn cells_of(unit: usize) -> Vec<usize> {
    UNIT_CELLS[unit].iter().map(|&cell| usize::from(cell)).collect()
}

fn sees(a: usize, b: usize) -> bool {
    peers(a).contains(&(b as u8))
}

/// Returns all combinations of `count` items.
fn combinations<T: Copy>(items: &[T], count: usize) -> Vec<Vec<T>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &item) in items.iter().enumerate() {
        for mut rest in combinations(&items[i + 1..], count - 1) {
            rest.push(item);
            all.push(rest);
        }
    }
    all
}

fn union<T: Copy + Ord>(sets: impl IntoIterator<Item = Vec<T>>) -> Vec<T> {
    sets.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

fn full_house(slow: &mut Slow<'_>) {
    for unit in 0..27 {
        let open: Vec<_> = cells_of(unit).into_iter().filter(|&cell| slow.is_open(cell)).collect();
        if let &[cell] = &open[..] {
            slow.digits(cell).into_iter().for_each(|digit| slow.place(cell, digit));
        }
    }
}

fn hidden_single(slow: &mut Slow<'_>, units: std::ops::Range<usize>) {
    for unit in units {
        for digit in 0..9 {
            if let &[cell] = &slow.places(unit, digit)[..] {
                slow.place(cell, digit);
            }
        }
    }
}

fn naked_single(slow: &mut Slow<'_>) {
    for cell in 0..81 {
        if let &[digit] = &slow.digits(cell)[..] {
            slow.place(cell, digit);
        }
    }
}

fn locked(slow: &mut Slow<'_>, is_pointing: bool) {
    for (line, square) in (0..18).flat_map(|line| (18..27).map(move |square| (line, square))) {
        let (base, cover) = if is_pointing { (square, line) } else { (line, square) };
        let (base, cover) = (cells_of(base), cells_of(cover));
        for digit in 0..9 {
            let mut places = base.iter().filter(|&&cell| slow.has(cell, digit)).peekable();
            if places.peek().is_some() && places.all(|cell| cover.contains(cell)) {
                let rest = cover.iter().filter(|cell| !base.contains(cell));
                slow.remove(rest.map(|&cell| (cell, digit)));
            }
        }
    }
}

fn naked(slow: &mut Slow<'_>, count: usize) {
    for unit in 0..27 {
        let cells: Vec<_> =
            cells_of(unit).into_iter().filter(|&cell| slow.digits(cell).len() > 1).collect();
        for set in combinations(&cells, count) {
            let digits = union(set.iter().map(|&cell| slow.digits(cell)));
            if digits.len() == count {
                let others = cells_of(unit).into_iter().filter(|cell| !set.contains(cell));
                slow.remove(others.flat_map(|cell| digits.iter().map(move |&digit| (cell, digit))));
            }
        }
    }
}

fn hidden(slow: &mut Slow<'_>, count: usize) {
    for unit in 0..27 {
        let digits: Vec<_> = (0..9).filter(|&digit| slow.places(unit, digit).len() > 1).collect();
        for set in combinations(&digits, count) {
            let cells = union(set.iter().map(|&digit| slow.places(unit, digit)));
            if cells.len() == count {
                let others: Vec<_> = (0..9).filter(|digit| !set.contains(digit)).collect();
                slow.remove(
                    cells.iter().flat_map(|&cell| others.iter().map(move |&digit| (cell, digit))),
                );
            }
        }
    }
}

/// Basic fish, or finned ones that are sashimi or not.
fn fish(slow: &mut Slow<'_>, count: usize, is_sashimi: Option<bool>) {
    for (base_lines, cover_lines) in [(0..9, 9..18), (9..18, 0..9)] {
        for digit in 0..9 {
            let lines: Vec<_> =
                base_lines.clone().filter(|&line| slow.places(line, digit).len() > 1).collect();
            for base in combinations(&lines, count) {
                let places = union(base.iter().map(|&line| slow.places(line, digit)));
                let crossing: Vec<_> = (cover_lines.clone())
                    .filter(|&line| cells_of(line).iter().any(|cell| places.contains(cell)))
                    .collect();
                for cover in combinations(&crossing, count) {
                    let covered = union(cover.iter().map(|&line| cells_of(line)));
                    let is_fin = |cell: &&usize| !covered.contains(cell);
                    let fins: Vec<_> = places.iter().filter(is_fin).copied().collect();
                    let lacks_corner = base.iter().any(|&line| {
                        let corners = slow.places(line, digit);
                        corners.iter().filter(|cell| covered.contains(cell)).count() < 2
                    });
                    if match is_sashimi {
                        None => !fins.is_empty(),
                        Some(is_sashimi) => fins.is_empty() || is_sashimi != lacks_corner,
                    } {
                        continue;
                    }
                    let base_cells = union(base.iter().map(|&line| cells_of(line)));
                    let targets = covered.iter().filter(|cell| !base_cells.contains(cell));
                    let targets = targets.filter(|&&cell| fins.iter().all(|&fin| sees(cell, fin)));
                    slow.remove(targets.map(|&cell| (cell, digit)));
                }
            }
        }
    }
}

fn two_links(slow: &mut Slow<'_>, technique: Technique) {
    for digit in 0..9 {
        let links: Vec<_> = (0..27)
            .map(|unit| (unit / 9, slow.places(unit, digit)))
            .filter(|(_, places)| places.len() == 2)
            .collect();
        for (first, a) in &links {
            for (second, b) in &links {
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let (near_a, near_b) = (a[i], b[j]);
                    if a.iter().any(|cell| b.contains(cell)) || !sees(near_a, near_b) {
                        continue;
                    }
                    let same_row = near_a / 9 == near_b / 9;
                    let same_column = near_a % 9 == near_b % 9;
                    let class = match (first, second) {
                        (0, 0) if same_column => T::Skyscraper,
                        (1, 1) if same_row => T::Skyscraper,
                        (0, 1) | (1, 0) => T::TwoStringKite,
                        _ => T::TurbotFish,
                    };
                    if class == technique {
                        slow.remove_seen(digit, &[a[1 - i], b[1 - j]]);
                    }
                }
            }
        }
    }
}

fn empty_rectangle(slow: &mut Slow<'_>) {
    for digit in 0..9 {
        for square in 18..27 {
            let inside = slow.places(square, digit);
            for (row, column) in (0..9).flat_map(|row| (0..9).map(move |column| (row, column))) {
                let corner = 9 * row + column;
                if !cells_of(square).contains(&corner)
                    || inside.iter().any(|cell| cell / 9 != row && cell % 9 != column)
                    || inside.iter().all(|cell| cell / 9 == row)
                    || inside.iter().all(|cell| cell % 9 == column)
                {
                    continue;
                }
                for other in (0..9).filter(|&other| other / 3 != column / 3) {
                    // A strong link in another column, with one end in the row.
                    let link = slow.places(9 + other, digit);
                    if link.len() == 2 && link.contains(&(9 * row + other)) {
                        let end = link.iter().find(|&&cell| cell / 9 != row).unwrap();
                        let target = end / 9 * 9 + column;
                        if !cells_of(square).contains(&target) {
                            slow.remove([(target, digit)]);
                        }
                    }
                }
                for other in (0..9).filter(|&other| other / 3 != row / 3) {
                    let link = slow.places(other, digit);
                    if link.len() == 2 && link.contains(&(9 * other + column)) {
                        let end = link.iter().find(|&&cell| cell % 9 != column).unwrap();
                        let target = 9 * row + end % 9;
                        if !cells_of(square).contains(&target) {
                            slow.remove([(target, digit)]);
                        }
                    }
                }
            }
        }
    }
}

fn with_count(slow: &Slow<'_>, count: usize) -> Vec<usize> {
    (0..81).filter(|&cell| slow.digits(cell).len() == count).collect()
}

fn xy_wing(slow: &mut Slow<'_>) {
    let two = with_count(slow, 2);
    for &pivot in &two {
        for pair in combinations(&two, 2) {
            let [a, b] = pair[..] else { unreachable!() };
            let [p, a_digits, b_digits] = [pivot, a, b].map(|cell| slow.digits(cell));
            let all = union([p.clone(), a_digits.clone(), b_digits.clone()]);
            let common: Vec<_> = a_digits.into_iter().filter(|d| b_digits.contains(d)).collect();
            let &[z] = &common[..] else { continue };
            if sees(pivot, a) && sees(pivot, b) && all.len() == 3 && !p.contains(&z) {
                slow.remove_seen(z, &[a, b]);
            }
        }
    }
}

fn xyz_wing(slow: &mut Slow<'_>) {
    let two = with_count(slow, 2);
    for pivot in with_count(slow, 3) {
        for pair in combinations(&two, 2) {
            let [a, b] = pair[..] else { unreachable!() };
            let [p, a_digits, b_digits] = [pivot, a, b].map(|cell| slow.digits(cell));
            let is_inside = a_digits.iter().chain(&b_digits).all(|digit| p.contains(digit));
            if sees(pivot, a) && sees(pivot, b) && is_inside && a_digits != b_digits {
                let z = a_digits.iter().find(|digit| b_digits.contains(digit)).unwrap();
                slow.remove_seen(*z, &[pivot, a, b]);
            }
        }
    }
}

fn w_wing(slow: &mut Slow<'_>) {
    for pair in combinations(&with_count(slow, 2), 2) {
        let [a, b] = pair[..] else { unreachable!() };
        let digits = slow.digits(a);
        if sees(a, b) || digits != slow.digits(b) {
            continue;
        }
        for (x, y) in [(digits[0], digits[1]), (digits[1], digits[0])] {
            for unit in 0..27 {
                let &[c, d] = &slow.places(unit, x)[..] else { continue };
                let is_apart = [c, d].iter().all(|cell| !pair.contains(cell));
                if is_apart && (sees(c, a) && sees(d, b) || sees(c, b) && sees(d, a)) {
                    slow.remove_seen(y, &[a, b]);
                }
            }
        }
    }
}

fn aligned_pair(slow: &mut Slow<'_>) {
    let two = with_count(slow, 2);
    for pair in combinations(&slow.open_cells(), 2) {
        let [a, b] = pair[..] else { unreachable!() };
        let excluders: Vec<_> =
            two.iter().filter(|&&cell| sees(cell, a) && sees(cell, b)).collect();
        let is_possible = |x: usize, y: usize| {
            let digits = [x.min(y), x.max(y)];
            !(x == y && sees(a, b)) && excluders.iter().all(|&&cell| slow.digits(cell) != digits)
        };
        if excluders.is_empty() {
            continue;
        }
        let (of_a, of_b) = (slow.digits(a), slow.digits(b));
        let lost_a = of_a.iter().filter(|&&x| !of_b.iter().any(|&y| is_possible(x, y)));
        let lost_b = of_b.iter().filter(|&&y| !of_a.iter().any(|&x| is_possible(x, y)));
        let lost: Vec<_> = lost_a.map(|&x| (a, x)).chain(lost_b.map(|&y| (b, y))).collect();
        slow.remove(lost);
    }
}
