//! Aligned pair and triplet exclusion.
//!
//! Sources: <https://www.sudokuwiki.org/Aligned_Pair_Exclusion>,
//! <http://sudopedia.enjoysudoku.com/Aligned_Triple_Exclusion.html>.

use super::{Changed, Evidence, Instances, Position, Role};
use crate::board::{Bits, Cells, PEERS, digits_of, size};

/// Two cells cannot have digits that are all candidates of a cell that sees both, nor the same
/// digit if they see each other. Candidates without a possible combination are removed.
pub fn pair(position: &Position, changed: Changed, out: &mut Instances) {
    let masks = &position.masks;
    let open = position.open.iter().fold(0, |all, cells| all | cells);
    for a in Bits(open) {
        let seen = PEERS[a] & position.exactly[2];
        let near = Bits(seen).fold(0, |all, cell| all | PEERS[cell]);
        for b in Bits(near & open & !1 << a) {
            let excluders = seen & PEERS[b];
            let see = PEERS[a] >> b & 1 != 0;
            // Each excluder, and seeing each other, exclude one digit with a candidate.
            let most = excluders.count_ones() as usize + usize::from(see);
            let is_new = (excluders | 1 << a | 1 << b) & changed.cells != 0;
            if !is_new || most < size(masks[a]).min(size(masks[b])) {
                continue;
            }
            let excluding = Bits(excluders).fold(0, |all, cell| all | masks[cell]);
            let mut removed = [0; 9];
            for (cell, other) in [(a, b), (b, a)] {
                // A candidate goes if each one of the other cell is excluded, or the same digit.
                let rest = masks[other] & !excluding;
                if rest != 0 && !(see && size(rest) == 1) {
                    continue;
                }
                for digit in digits_of(masks[cell]) {
                    let bit = 1 << digit;
                    let excluded = Bits(excluders & position.open[digit]);
                    let excluded = excluded.fold(0, |all, cell| all | masks[cell] & !bit);
                    if masks[other] & !(excluded | if see { bit } else { 0 }) == 0 {
                        removed[digit] |= 1 << cell;
                    }
                }
            }
            out.remove_effective(&position.board, removed, || evidence(1 << a | 1 << b, excluders));
        }
    }
}

/// The same for three cells and the cells with two or three candidates that see all of them.
pub fn triplet(position: &Position, changed: Changed, out: &mut Instances) {
    let open = position.open.iter().fold(0, |all, cells| all | cells);
    let small = position.exactly[2] | position.exactly[3];
    for a in Bits(open) {
        for b in Bits(open & !1 << a) {
            let seen = PEERS[a] & PEERS[b] & small;
            let cells = Bits(seen).fold(0, |all, cell| all | PEERS[cell]);
            for c in Bits(cells & open & !1 << b) {
                let excluders = seen & PEERS[c];
                if (excluders | 1 << a | 1 << b | 1 << c) & changed.cells != 0 {
                    exclude(position, [a, b, c], excluders, out);
                }
            }
        }
    }
}

fn exclude(position: &Position, cells: [usize; 3], excluders: Cells, out: &mut Instances) {
    let [a, b, c] = cells;
    let masks = cells.map(|cell| position.masks[cell]);
    let sees = |i: usize, j: usize| PEERS[i] >> j & 1 != 0;
    let (ab, ac, bc) = (sees(a, b), sees(a, c), sees(b, c));
    // A candidate is removed only if all combinations with it are excluded: each excluder excludes
    // some, as do cells that see each other.
    let [two, three] = [2, 3].map(|n| (excluders & position.exactly[n]).count_ones() as usize);
    let can_lose = |others: [usize; 2], see: [bool; 3]| {
        let [y, z] = others.map(|i| size(masks[i]));
        let [by_y, by_z, by_both] = see.map(usize::from);
        two * (y + z - 1) + 2 * three + by_y * z + by_z * y + by_both * y.min(z) >= y * z
    };
    if ![([1, 2], [ab, ac, bc]), ([0, 2], [ab, bc, ac]), ([0, 1], [ac, bc, ab])]
        .into_iter()
        .any(|(others, see)| can_lose(others, see))
    {
        return;
    }
    // With enough digits that no excluder has, any candidate is in a possible combination.
    let excluding = Bits(excluders).fold(0, |all, cell| all | position.masks[cell]);
    let free = masks.map(|mask| size(mask & !excluding));
    let needed =
        [[ab, ac], [ab, bc], [ac, bc]].map(|see| 1 + see.into_iter().filter(|see| *see).count());
    if (0..3).all(|i| free[i] >= needed[i]) {
        return;
    }
    // What the third cell cannot be if another one has a digit, and the excluders of three digits.
    let mut partners = [0; 9];
    for cell in Bits(excluders & position.exactly[2]) {
        let mask = position.masks[cell];
        digits_of(mask).for_each(|digit| partners[digit] |= mask & !(1 << digit));
    }
    let triples = excluders & position.exactly[3];
    let mut possible = [0_u16; 3];
    for x in digits_of(masks[0]) {
        for y in digits_of(masks[1]) {
            let is_known = possible[0] >> x & possible[1] >> y & 1 != 0;
            let is_excluded = x == y && ab || partners[x] >> y & 1 != 0;
            if is_excluded || is_known && possible[2] == masks[2] {
                continue;
            }
            let both = 1 << x | 1 << y;
            let mut third = masks[2] & !(partners[x] | partners[y]);
            third &= !(u16::from(ac) << x | u16::from(bc) << y);
            for excluder in Bits(triples) {
                let rest = position.masks[excluder] & !both;
                third &= if rest.is_power_of_two() { !rest } else { !0 };
            }
            if third != 0 {
                possible[0] |= 1 << x;
                possible[1] |= 1 << y;
                possible[2] |= third;
                if possible == masks {
                    return;
                }
            }
        }
    }
    let mut removed = [0; 9];
    for i in 0..3 {
        for digit in digits_of(masks[i] & !possible[i]) {
            removed[digit] |= 1 << cells[i];
        }
    }
    out.remove(&removed, || evidence(1 << a | 1 << b | 1 << c, excluders));
}

fn evidence(cells: Cells, excluders: Cells) -> Evidence {
    Evidence::pattern(cells, 0).with(Role::Excluders, excluders, 0)
}
