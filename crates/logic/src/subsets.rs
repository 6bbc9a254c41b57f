//! Naked and hidden pairs, triples, and quads.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Naked_Subset.html>,
//! <http://sudopedia.enjoysudoku.com/Hidden_Subset.html>.

use super::{Evidence, Instances, Position};
use crate::board::{Bits, UNITS, boxes_as_rows, cells_at, digits_of, size, transpose};

/// Visits every set of `count` (2 to 4) of these items whose union has `count` elements, with the
/// union. Items with fewer than two elements are ignored.
#[inline(always)]
pub fn tight_sets(items: &[u16; 9], count: usize, visit: impl FnMut(u16, u16)) {
    small_unions(items, count, count, visit);
}

/// Visits every set of `count` (2 to 4) of these items whose union has at most `limit` elements,
/// with the union. Items with fewer than two elements are ignored.
#[inline(always)]
pub fn small_unions(items: &[u16; 9], count: usize, limit: usize, mut visit: impl FnMut(u16, u16)) {
    let (mut eligible, mut all) = (0_u16, 0);
    for (i, &item) in items.iter().enumerate() {
        if (2..=limit).contains(&size(item)) {
            eligible |= 1 << i;
            all |= item;
        }
    }
    if size(eligible) < count || size(all) < count {
        return;
    }
    // Loops instead of recursion, with the union so far.
    let after = |rest: u16| digits_of(rest & rest.wrapping_sub(1));
    let from = |i: usize| eligible & (0x1ff << i);
    for a in digits_of(eligible) {
        for b in after(from(a)) {
            let (pair, ab) = (1 << a | 1 << b, items[a] | items[b]);
            if size(ab) > limit {
                continue;
            }
            if count == 2 {
                visit(pair, ab);
                continue;
            }
            for c in after(from(b)) {
                let (triple, abc) = (pair | 1 << c, ab | items[c]);
                if size(abc) > limit {
                    continue;
                }
                if count == 3 {
                    visit(triple, abc);
                    continue;
                }
                for d in after(from(c)).filter(|&d| size(abc | items[d]) <= limit) {
                    visit(triple | 1 << d, abc | items[d]);
                }
            }
        }
    }
}

/// Visits sets of items, except the empty one, with the union of their elements and the items that
/// can be added; none are added if the visitor returns `false`.
pub fn subsets(
    items: &[u16; 9],
    mut rest: u16,
    set: u16,
    union: u16,
    visit: &mut impl FnMut(u16, u16, u16) -> bool,
) {
    while rest != 0 {
        let i = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let (set, union) = (set | 1 << i, union | items[i]);
        if visit(set, union, rest) {
            subsets(items, rest, set, union, visit);
        }
    }
}

/// Returns the units with at least this number of open cells.
#[inline(always)]
fn units_with_open(position: &Position, at_least: usize) -> u32 {
    let open = position.open_cells();
    let layouts = [open, transpose(open), boxes_as_rows(open)];
    let is_larger =
        |&unit: &usize| size((layouts[unit / 9] >> (9 * (unit % 9))) as u16 & 0x1ff) >= at_least;
    (0..27).filter(is_larger).fold(0, |units, unit| units | 1 << unit)
}

/// Some cells of a unit have only as many digits, which the other cells of the unit lose. Only units
/// with a number of open cells are searched.
#[inline(always)]
pub fn naked(position: &Position, count: usize, min_open: usize, out: &mut Instances) {
    let small = position.exactly[2..=count].iter().fold(0, |all, cells| all | cells);
    for unit in Bits(units_with_open(position, min_open).into()) {
        // At least two cells, before they are counted.
        let eligible = UNITS[unit] & small;
        if UNITS[unit] & position.changed.cells == 0 || eligible & eligible.wrapping_sub(1) == 0 {
            continue;
        }
        tight_sets(&position.unit_masks(unit), count, |set, digits| {
            report(position, unit, (digits, set), true, out);
        });
    }
}

/// Some digits have only as many places in a unit, and these lose all other digits. Only units with
/// a number of open cells are searched.
#[inline(always)]
pub fn hidden(position: &Position, count: usize, min_open: usize, out: &mut Instances) {
    let units = units_with_open(position, min_open);
    if units == 0 {
        return;
    }
    for kind in 0..3 {
        // The cells that two digits of a pair share.
        let (mut once, mut twice) = (0, 0);
        for strong in &position.strong {
            twice |= once & strong[kind];
            once |= strong[kind];
        }
        if count == 2 && twice == 0 {
            continue;
        }
        let places: [_; 9] = std::array::from_fn(|digit| position.all_places(kind, digit));
        for i in 0..9 {
            let unit = 9 * kind + i;
            let shared = UNITS[unit] & twice;
            let lacks_pair = count == 2 && shared & shared.wrapping_sub(1) == 0;
            if UNITS[unit] & position.changed.cells == 0 || lacks_pair || units >> unit & 1 == 0 {
                continue;
            }
            let places = places.map(|places| places[i]);
            tight_sets(&places, count, |digits, set| {
                report(position, unit, (digits, set), false, out);
            });
        }
    }
}

/// Reports digits that are in as many cells: the other cells lose the digits if the set is naked, the
/// cells lose the other digits if it is hidden.
#[inline(always)]
fn report(
    position: &Position,
    unit: usize,
    (digits, set): (u16, u16),
    is_naked: bool,
    out: &mut Instances,
) {
    let (lost, cells) = if is_naked { (digits, !set) } else { (!digits & 0x1ff, set) };
    let mut removed = [0; 9];
    for digit in digits_of(lost) {
        let places = position.places(unit, digit) & cells;
        if places != 0 {
            removed[digit] = cells_at(unit, places);
        }
    }
    if removed != [0; 9] {
        out.remove(&removed, || {
            Evidence::pattern(cells_at(unit, set), digits).with_base(1 << unit)
        });
    }
}
