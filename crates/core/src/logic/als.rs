//! Almost locked sets: ALS-XZ and ALS-XY-wing; and sue de coq.
//!
//! An almost locked set (ALS) has one digit more than cells, in one unit. Two of them have a
//! restricted common digit (RCC) if all its places in one see all its places in the other.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_als.php>,
//! <https://hodoku.sourceforge.net/en/tech_misc.php#sdc>.

use super::{Changed, Evidence, Found, Position};
use crate::board::{Cells, UNIT_CELLS, UNITS, cells_at, common_peers, digits_of, size};

/// Memory that the search of almost locked sets reuses.
#[derive(Debug, Default)]
pub struct Memory {
    sets: Vec<Als>,
    /// The places of each digit in the sets that may share it as an RCC, and the set.
    places: [Vec<(Cells, u16)>; 9],
    /// The RCCs of each set with the current one, while they are collected.
    common: Vec<u16>,
    /// The sets that have RCCs with the current one, and these.
    linked: Vec<(u16, u16)>,
}

/// An almost locked set.
#[derive(Debug)]
struct Als {
    cells: Cells,
    digits: u16,
    /// Those that other cells have that see all their places in the set.
    seen_digits: u16,
    /// The cells that see all places of each digit.
    seen: [Cells; 9],
}

impl Memory {
    /// Collects all almost locked sets.
    fn collect(&mut self, position: &Position) {
        self.sets.clear();
        self.places.iter_mut().for_each(Vec::clear);
        for unit in (0..27).rev() {
            let masks = UNIT_CELLS[unit].map(|cell| position.masks[usize::from(cell)]);
            subsets(&masks, open(&masks), 0, 0, &mut |set, digits| {
                if size(digits) == size(set) + 1 {
                    self.add(position, unit, cells_at(unit, set), digits);
                }
            });
        }
        self.common.clear();
        self.common.resize(self.sets.len(), 0);
    }

    /// Adds a set, unless it is one of another unit.
    fn add(&mut self, position: &Position, unit: usize, cells: Cells, digits: u16) {
        // Sets within a box and a line are those of the box; single cells those of any.
        let is_new = match unit {
            18.. => true,
            9..18 => (18..27).all(|square| cells & !UNITS[square] != 0),
            _ => (9..27).all(|other| cells & !UNITS[other] != 0),
        };
        if !is_new {
            return;
        }
        let (mut seen, mut seen_digits) = ([0; 9], 0);
        for digit in digits_of(digits) {
            let places = cells & position.open[digit];
            seen[digit] = common_peers(places);
            if seen[digit] & position.open[digit] != 0 {
                seen_digits |= 1 << digit;
                self.places[digit].push((places, self.sets.len() as u16));
            }
        }
        self.sets.push(Als { cells, digits, seen_digits, seen });
    }

    /// Finds the sets that have RCCs with this one. They have no places of these digits in both.
    fn link(&mut self, set: usize) {
        self.linked.clear();
        let Als { seen, seen_digits, .. } = &self.sets[set];
        for digit in digits_of(*seen_digits) {
            for &(places, other) in &self.places[digit] {
                if places & !seen[digit] == 0 {
                    let common = &mut self.common[usize::from(other)];
                    if *common == 0 {
                        self.linked.push((other, 0));
                    }
                    *common |= 1 << digit;
                }
            }
        }
        for (other, common) in &mut self.linked {
            *common = std::mem::take(&mut self.common[usize::from(*other)]);
        }
    }
}

/// Visits all sets of items, except the empty one, with the union of their elements.
fn subsets(
    items: &[u16; 9],
    mut rest: u16,
    set: u16,
    union: u16,
    visit: &mut impl FnMut(u16, u16),
) {
    while rest != 0 {
        let i = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let (set, union) = (set | 1 << i, union | items[i]);
        visit(set, union);
        subsets(items, rest, set, union, visit);
    }
}

/// Two sets with an RCC X: one of them lacks X and has its other digits, so cells that see all
/// places of another common digit Z lose Z. With two RCCs, both sets are locked.
pub fn xz<F: Found>(position: &Position, changed: Changed, memory: &mut Memory, out: &mut F) {
    memory.collect(position);
    for i in 0..memory.sets.len() {
        if memory.sets[i].cells & changed.cells == 0 {
            continue;
        }
        memory.link(i);
        let a = &memory.sets[i];
        for &(j, rcc) in &memory.linked {
            let b = &memory.sets[usize::from(j)];
            // One of two sets with changes finds the other.
            if usize::from(j) < i && b.cells & changed.cells != 0 {
                continue;
            }
            let common = a.seen_digits & b.seen_digits;
            if common & common.wrapping_sub(1) == 0 {
                continue;
            }
            let mut removed = [0; 9];
            let has_two = rcc & (rcc - 1) != 0;
            for digit in digits_of(a.digits | b.digits) {
                let is_common = common >> digit & 1 != 0;
                let (in_a, in_b) = (a.digits >> digit & 1 != 0, b.digits >> digit & 1 != 0);
                if is_common && (has_two || rcc >> digit & 1 == 0) {
                    removed[digit] |= a.seen[digit] & b.seen[digit];
                }
                if has_two && rcc >> digit & 1 == 0 {
                    removed[digit] |= if in_a { a.seen[digit] } else { 0 };
                    removed[digit] |= if in_b { b.seen[digit] } else { 0 };
                }
            }
            out.remove_effective(&position.board, removed, || Evidence {
                digits: a.digits & b.digits & !rcc,
                common: rcc,
                cells: [a.cells, b.cells, 0],
                ..Evidence::default()
            });
        }
    }
}

/// A pivot C with an RCC X to A and another one, Y, to B: A or B has each other common digit Z, so
/// cells that see all its places in both lose Z.
pub fn xy_wing<F: Found>(position: &Position, changed: Changed, memory: &mut Memory, out: &mut F) {
    memory.collect(position);
    for pivot in 0..memory.sets.len() {
        memory.link(pivot);
        let Memory { sets, linked, .. } = &*memory;
        for (i, &(first, by_first)) in linked.iter().enumerate() {
            for &(second, by_second) in &linked[i + 1..] {
                let (a, b) = (&sets[usize::from(first)], &sets[usize::from(second)]);
                let cells = a.cells | b.cells | sets[pivot].cells;
                // X and Y must differ.
                let is_same = by_first == by_second && size(by_first) == 1;
                if is_same || cells & changed.cells == 0 {
                    continue;
                }
                for z in digits_of(a.seen_digits & b.seen_digits) {
                    let targets = a.seen[z] & b.seen[z] & position.open[z];
                    if targets == 0 {
                        continue;
                    }
                    let (x, y) = (by_first & !(1 << z), by_second & !(1 << z));
                    if x == 0 || y == 0 || x == y && size(x) == 1 {
                        continue;
                    }
                    out.remove_digit(&position.board, z, targets, || Evidence {
                        digits: 1 << z,
                        common: x | y,
                        cells: [a.cells, b.cells, sets[pivot].cells],
                        ..Evidence::default()
                    });
                }
            }
        }
    }
}

/// Two or three cells that a box shares with a line have at least two digits more than cells. With
/// cells of the line and of the box, which have no digit in common, there are as many digits as
/// cells: each digit is removed from the rest of the line or box that must have it here.
pub fn sue_de_coq<F: Found>(position: &Position, changed: Changed, out: &mut F) {
    for square in 18..27 {
        for line in 0..18 {
            let shared = UNITS[square] & UNITS[line];
            if shared == 0 || (UNITS[square] | UNITS[line]) & changed.cells == 0 {
                continue;
            }
            let pool = |unit: usize| {
                let rest = |&i: &usize| shared >> UNIT_CELLS[unit][i] & 1 == 0;
                (0..9).filter(rest).fold(0, |set: u16, i| set | 1 << i)
            };
            let masks =
                |unit: usize| UNIT_CELLS[unit].map(|cell| position.masks[usize::from(cell)]);
            let (in_line, in_box) = (masks(line), masks(square));
            subsets(&in_box, !pool(square) & open(&in_box), 0, 0, &mut |core, v| {
                let surplus = size(v).wrapping_sub(size(core));
                if size(core) < 2 || !(2..9).contains(&surplus) {
                    return;
                }
                // By how much a set of cells reduces the surplus.
                let gain = |set: u16, digits: u16| size(set).wrapping_sub(size(digits & !v));
                subsets(&in_line, pool(line) & open(&in_line), 0, 0, &mut |l, dl| {
                    let by_line = gain(l, dl);
                    if !(1..surplus).contains(&by_line) {
                        return;
                    }
                    subsets(&in_box, pool(square) & open(&in_box), 0, 0, &mut |b, db| {
                        if gain(b, db) != surplus - by_line || dl & db != 0 {
                            return;
                        }
                        let core = cells_at(square, core);
                        let (l, b) = (cells_at(line, l), cells_at(square, b));
                        let (line, square) = (UNITS[line], UNITS[square]);
                        let mut removed = [0; 9];
                        for digit in digits_of((v | dl) & !db) {
                            removed[digit] |= line & !(core | l);
                        }
                        for digit in digits_of((v | db) & !dl) {
                            removed[digit] |= square & !(core | b);
                        }
                        out.remove_effective(&position.board, removed, || Evidence {
                            digits: v,
                            cells: [core, l, b],
                            ..Evidence::default()
                        });
                    });
                });
            });
        }
    }
}

/// Returns the items that have any element.
fn open(items: &[u16; 9]) -> u16 {
    (0..9).filter(|&i| items[i] != 0).fold(0, |set, i| set | 1 << i)
}
