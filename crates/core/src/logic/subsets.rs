//! Naked and hidden pairs, triples, and quads.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Naked_Subset.html>,
//! <http://sudopedia.enjoysudoku.com/Hidden_Subset.html>.

use super::{Changed, Evidence, Found, Position};
use crate::board::{UNIT_CELLS, UNITS, cells_at, digits_of, size};

/// Visits every set of `count` of these items whose union has `count` elements, with the union.
/// Items with fewer than two elements are ignored.
#[inline(always)]
pub fn tight_sets(items: &[u16; 9], count: usize, mut visit: impl FnMut(u16, u16)) {
    let eligible = (0..9).filter(|&i| (2..=count).contains(&size(items[i])));
    let eligible = eligible.fold(0, |set: u16, i| set | 1 << i);
    if size(eligible) >= count {
        extend(items, eligible, count, count, (0, 0), &mut visit);
    }
}

fn extend(
    items: &[u16; 9],
    mut eligible: u16,
    missing: usize,
    limit: usize,
    (set, union): (u16, u16),
    visit: &mut impl FnMut(u16, u16),
) {
    if missing == 0 {
        return visit(set, union);
    }
    while eligible != 0 {
        let i = eligible.trailing_zeros() as usize;
        eligible &= eligible - 1;
        let larger = union | items[i];
        if size(larger) <= limit {
            extend(items, eligible, missing - 1, limit, (set | 1 << i, larger), visit);
        }
    }
}

/// Some cells of a unit have only as many digits, which the other cells of the unit lose.
pub fn naked<F: Found>(position: &Position, changed: Changed, count: usize, out: &mut F) {
    for unit in (0..27).filter(|&unit| UNITS[unit] & changed.cells != 0) {
        let masks = UNIT_CELLS[unit].map(|cell| position.masks[usize::from(cell)]);
        tight_sets(&masks, count, |set, digits| {
            let mut removed = [0; 9];
            let mut is_effective = false;
            for digit in digits_of(digits) {
                let others = position.places(unit, digit) & !set;
                if others != 0 {
                    removed[digit] = cells_at(unit, others);
                    is_effective = true;
                }
            }
            if is_effective {
                out.remove(&removed, || Evidence {
                    digits,
                    cells: [cells_at(unit, set), 0, 0],
                    base: 1 << unit,
                    ..Evidence::default()
                });
            }
        });
    }
}

/// Some digits have only as many places in a unit, and these lose all other digits.
pub fn hidden<F: Found>(position: &Position, changed: Changed, count: usize, out: &mut F) {
    for unit in (0..27).filter(|&unit| UNITS[unit] & changed.cells != 0) {
        let places = std::array::from_fn(|digit| position.places(unit, digit));
        tight_sets(&places, count, |digits, set| {
            let mut removed = [0; 9];
            let mut is_effective = false;
            for digit in digits_of(!digits & 0x1ff) {
                if places[digit] & set != 0 {
                    removed[digit] = cells_at(unit, places[digit] & set);
                    is_effective = true;
                }
            }
            if is_effective {
                out.remove(&removed, || Evidence {
                    digits,
                    cells: [cells_at(unit, set), 0, 0],
                    base: 1 << unit,
                    ..Evidence::default()
                });
            }
        });
    }
}
