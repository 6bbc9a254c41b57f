//! Aligned pair and triplet exclusion.
//!
//! Sources: <https://www.sudokuwiki.org/Aligned_Pair_Exclusion>,
//! <http://sudopedia.enjoysudoku.com/Aligned_Triple_Exclusion.html>.

use super::{Evidence, Instances, Position, Role};
use crate::board::{ALL, Bits, Cells, PEERS, any_peers, digits_of, size};

/// Two cells cannot have digits that are all candidates of a cell that sees both, nor the same
/// digit if they see each other. Candidates without a possible combination are removed.
pub fn pair(position: &Position, out: &mut Instances) {
    let masks = &position.masks;
    let open = position.open_cells();
    for a in Bits(open) {
        let seen = PEERS[a] & position.exactly[2];
        let near = if position.changed.cells >> a & 1 != 0 {
            any_peers(seen)
        } else {
            any_peers(seen & position.changed.cells) | position.changed.cells
        };
        for b in Bits(near & open & !1 << a) {
            let excluders = seen & PEERS[b];
            let see = PEERS[a] >> b & 1 != 0;
            // Each excluder, and seeing each other, exclude one digit with a candidate.
            let most = excluders.count_ones() as usize + usize::from(see);
            if most < size(masks[a]).min(size(masks[b])) {
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
            out.remove_effective(position, removed, || evidence(1 << a | 1 << b, excluders));
        }
    }
}

/// The same for three cells and the cells with two or three candidates that see all of them.
pub fn triplet(position: &Position, out: &mut Instances) {
    let open = position.open_cells();
    let small = position.exactly[2] | position.exactly[3];
    for a in Bits(open) {
        for b in Bits(open & !1 << a) {
            let seen = PEERS[a] & PEERS[b] & small;
            // Any of the cells and excluders must have changed.
            let near = any_peers(seen & position.changed.cells) | position.changed.cells;
            let near = if (1 << a | 1 << b) & position.changed.cells != 0 { ALL } else { near };
            if near & open & !1 << b == 0 {
                continue;
            }
            let (mut one, mut two) = (0, 0);
            for cell in Bits(seen) {
                two |= one & PEERS[cell];
                one |= PEERS[cell];
            }
            // One cell excludes too few combinations of cells that have several candidates and do not
            // see each other.
            let is_enough = PEERS[a] >> b & 1 != 0 || position.exactly[1] != 0;
            let cells = if is_enough { one } else { two | one & (PEERS[a] | PEERS[b]) };
            for c in Bits(cells & near & open & !1 << b) {
                exclude(position, [a, b, c], seen & PEERS[c], out);
            }
        }
    }
}

fn exclude(position: &Position, cells: [usize; 3], excluders: Cells, out: &mut Instances) {
    let [a, b, c] = cells;
    let masks = cells.map(|cell| position.masks[cell]);
    let sees = |i: usize, j: usize| u16::from(PEERS[i] >> j & 1 != 0);
    let (ab, ac, bc) = (sees(a, b), sees(a, c), sees(b, c));
    let sizes = masks.map(size);
    let triples = excluders & position.exactly[3];
    let pairs = (excluders & !triples).count_ones() as usize;
    let others = 2 * triples.count_ones() as usize;
    let roles = [([0, 1, 2], [ab, ac, bc]), ([1, 0, 2], [ab, bc, ac]), ([2, 0, 1], [ac, bc, ab])];
    // All combinations with a candidate must be excluded. An excluder with two candidates of which
    // it is one excludes those with the other one, which are at least two or the last ones; any other
    // excluder excludes at most two.
    let can_lose = |([_, j, k], [ij, ik, jk]): ([usize; 3], [u16; 3])| {
        let both = usize::from(jk) * sizes[j].min(sizes[k]);
        let left = |cell: usize, see: u16| sizes[cell].saturating_sub(pairs + usize::from(see));
        left(j, ij) * left(k, ik) <= both + others
    };
    if !roles.into_iter().any(can_lose) {
        return;
    }
    // The other digits of excluders with two candidates, for each of them.
    let mut partners = [0; 9];
    for cell in Bits(excluders & !triples) {
        let mask = position.masks[cell];
        digits_of(mask).for_each(|digit| partners[digit] |= mask & !(1 << digit));
    }
    let mut removed = [0; 9];
    for role @ ([i, j, k], [ij, ik, jk]) in roles {
        if !can_lose(role) {
            continue;
        }
        for x in digits_of(masks[i]) {
            let y = masks[j] & !(partners[x] | ij << x);
            let z = masks[k] & !(partners[x] | ik << x);
            let by = size(partners[x]).min(pairs);
            if size(y) * size(z) > usize::from(jk) * size(y & z) + 2 * (pairs - by) + others {
                continue;
            }
            let is_possible = digits_of(y).any(|y| {
                let excluded = partners[y] | jk << y;
                let rests = Bits(triples).map(|cell| position.masks[cell] & !(1 << x | 1 << y));
                let rests = rests.filter(|rest| rest.is_power_of_two());
                z & !rests.fold(excluded, |excluded, rest| excluded | rest) != 0
            });
            if !is_possible {
                removed[x] |= 1 << cells[i];
            }
        }
    }
    out.remove_effective(position, removed, || evidence(1 << a | 1 << b | 1 << c, excluders));
}

fn evidence(cells: Cells, excluders: Cells) -> Evidence {
    Evidence::pattern(cells, 0).with(Role::Excluders, excluders, 0)
}
