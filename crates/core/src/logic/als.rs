//! Almost locked sets: ALS-XZ and ALS-XY-wing; and sue de coq.
//!
//! An almost locked set (ALS) has one digit more than cells, in one unit. Two of them have a
//! restricted common digit (RCC) if all its places in one see all its places in the other.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_als.php>,
//! <https://hodoku.sourceforge.net/en/tech_misc.php#sdc>.

use super::{Evidence, Found, Position};
use crate::board::{Cells, UNIT_CELLS, UNITS, cells_at, common_peers, digits_of, size};

/// An almost locked set.
struct Als {
    cells: Cells,
    digits: u16,
    /// The cells that see all places of each of its digits.
    seen: [Cells; 9],
}

/// Collects all almost locked sets.
fn collect(position: &Position) -> Vec<Als> {
    let mut sets: Vec<Als> = Vec::new();
    for unit in (0..27).rev() {
        let masks = UNIT_CELLS[unit].map(|cell| position.masks[usize::from(cell)]);
        subsets(&masks, open(&masks), 0, 0, &mut |set, digits| {
            let cells = cells_at(unit, set);
            if size(digits) != size(set) + 1 {
                return;
            }
            // Sets within a box and a line are those of the box; single cells those of any.
            let is_new = match unit {
                18.. => true,
                9..18 => (18..27).all(|square| cells & !UNITS[square] != 0),
                _ => (9..27).all(|other| cells & !UNITS[other] != 0),
            };
            if is_new {
                let mut seen = [0; 9];
                for digit in digits_of(digits) {
                    seen[digit] = common_peers(cells & position.open[digit]);
                }
                sets.push(Als { cells, digits, seen });
            }
        });
    }
    sets
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

/// Returns the restricted common digits of two sets.
#[inline(always)]
fn restricted(position: &Position, a: &Als, b: &Als) -> u16 {
    let mut common = a.digits & b.digits;
    let overlap = a.cells & b.cells;
    for digit in digits_of(common) {
        let is_restricted = b.cells & position.open[digit] & !a.seen[digit] == 0;
        if !is_restricted || overlap & position.open[digit] != 0 {
            common &= !(1 << digit);
        }
    }
    common
}

/// Two sets with an RCC X: one of them lacks X and has its other digits, so cells that see all
/// places of another common digit Z lose Z. With two RCCs, both sets are locked.
pub fn xz<F: Found>(position: &Position, out: &mut F) {
    let sets = collect(position);
    for (i, a) in sets.iter().enumerate() {
        for b in &sets[i + 1..] {
            let common = a.digits & b.digits;
            if common & common.wrapping_sub(1) == 0 {
                continue;
            }
            let rcc = restricted(position, a, b);
            if rcc == 0 {
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
                digits: common & !rcc,
                common: rcc,
                cells: [a.cells, b.cells, 0],
                ..Evidence::default()
            });
        }
    }
}

/// A pivot C with an RCC X to A and another one, Y, to B: A or B has each other common digit Z, so
/// cells that see all its places in both lose Z.
pub fn xy_wing<F: Found>(position: &Position, out: &mut F) {
    let sets = collect(position);
    let mut linked: Vec<(usize, u16)> = Vec::new();
    for c in &sets {
        linked.clear();
        for (i, a) in sets.iter().enumerate() {
            let rcc = if a.cells == c.cells { 0 } else { restricted(position, a, c) };
            if rcc != 0 {
                linked.push((i, rcc));
            }
        }
        for (i, &(first, by_first)) in linked.iter().enumerate() {
            for &(second, by_second) in &linked[i + 1..] {
                let (a, b) = (&sets[first], &sets[second]);
                // X and Y must differ.
                if by_first == by_second && size(by_first) == 1 {
                    continue;
                }
                for z in digits_of(a.digits & b.digits) {
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
                        cells: [a.cells, b.cells, c.cells],
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
pub fn sue_de_coq<F: Found>(position: &Position, out: &mut F) {
    for square in 18..27 {
        for line in 0..18 {
            let shared = UNITS[square] & UNITS[line];
            if shared == 0 {
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
