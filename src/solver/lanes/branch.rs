//! What a lane assumes when nothing is left to infer.
//!
//! A branch takes a chute and a digit and splits the digit's configurations in two: side A
//! keeps some of them, side B the others. A side is expressed by what it takes from the
//! minirows. That is exact for every split made here: any one configuration, any two, and all
//! or all but those through one minirow. (Removing one configuration of four or more could
//! not be expressed: the side would lose nothing, and the search would never end.)
//!
//! Where every digit of every chute has one configuration left, the cells are settled or
//! contradict; so a stuck lane always finds a branch. A leaves one configuration, or at most
//! two of four to six: no chain of sides A is longer than [`MAX_DEPTH`].

use fearless_simd::{Select, Simd};

use super::sweep::{Cells, Minirows, configurations, through, unions};
use super::vector::{LaneSet, Vector};

/// 54 pairs of chute and digit, at most two sides A for each.
pub(super) const MAX_DEPTH: usize = 108;

/// What both sides take from every minirow of the cells.
pub(super) struct Split<V> {
    /// Side A, from the bands' minirows and from the stacks'.
    a: [Minirows<V>; 6],
    /// Side B.
    b: [Minirows<V>; 6],
}

/// A chute's candidates for a branch.
#[derive(Clone, Copy)]
struct Offer<V> {
    /// The configurations of each digit.
    configurations: [V; 6],
    /// The digit to branch on; nothing if every digit is settled.
    digit: V,
    /// Smaller is better; different for every chute.
    rank: V,
}

/// Added to the rank of a chute that has no digit with two or three configurations.
const LAST_RESORT: u16 = 1 << 14;
const NO_OFFER: u16 = u16::MAX;

impl<V> Split<V> {
    /// Chooses for the lanes `stuck`, which must have something to choose; the others lose
    /// nothing on either side.
    ///
    /// As tdoku does (T. Dillon), a digit with two configurations left is taken, else one with
    /// three, in the chute with the fewest configurations of all its digits.
    #[inline(always)]
    pub(super) fn choose<S: Simd>(s: S, cells: &Cells<V>, stuck: LaneSet) -> Self
    where
        V: Vector<S>,
    {
        let zero = V::splat(s, 0);
        let nothing = Offer { configurations: [zero; 6], digit: zero, rank: zero };
        let mut offers = [nothing; 6];
        let mut best = V::splat(s, NO_OFFER);
        for chute in 0..6 {
            let unions = if chute < 3 {
                let band = cells[27 * chute..].first_chunk().expect("27 cells a band");
                unions::<S, V, false, 27>(s, band)
            } else {
                let stack = cells[3 * (chute - 3)..].first_chunk();
                unions::<S, V, true, 75>(s, stack.expect("75 cells of a stack"))
            };
            offers[chute] = offer(s, chute as u16, configurations(&unions));
            best = best.min(offers[chute].rank);
        }
        let mut chosen = offers[0];
        let mut here = [V::mask(s, 0); 6];
        for chute in 0..6 {
            let offer = &offers[chute];
            here[chute] = V::mask(s, offer.rank.lanes_equal(best) & stuck);
            chosen.digit = here[chute].select(offer.digit, chosen.digit);
            for i in 0..6 {
                let selected =
                    here[chute].select(offer.configurations[i], chosen.configurations[i]);
                chosen.configurations[i] = selected;
            }
        }
        let many = best.simd_ge(V::splat(s, LAST_RESORT)).select(chosen.digit, zero);
        let (a, b) = sides(s, &chosen, many);
        Self { a: in_chutes(s, here, &a), b: in_chutes(s, here, &b) }
    }

    /// Side A and side B of the cell in row `row` and column `column`.
    #[inline(always)]
    pub(super) fn of_cell<S: Simd>(&self, cell: V, row: usize, column: usize) -> (V, V)
    where
        V: Vector<S>,
    {
        let (band, stack) = (row / 3, column / 3);
        let (a, b) = (&self.a, &self.b);
        let (line, upright) = (row % 3, column % 3);
        (
            cell.without2(a[band][line][stack], a[3 + stack][upright][band]),
            cell.without2(b[band][line][stack], b[3 + stack][upright][band]),
        )
    }
}

/// `taken` in the chute where each lane branches, nothing in the others.
#[inline(always)]
fn in_chutes<S: Simd, V: Vector<S>>(
    s: S,
    here: [V::Mask; 6],
    taken: &Minirows<V>,
) -> [Minirows<V>; 6] {
    let zero = V::splat(s, 0);
    let mut chutes = [[[zero; 3]; 3]; 6];
    for chute in 0..6 {
        for line in 0..3 {
            for b in 0..3 {
                chutes[chute][line][b] = here[chute].select(taken[line][b], zero);
            }
        }
    }
    chutes
}

/// What a chute has to offer.
#[inline(always)]
fn offer<S: Simd, V: Vector<S>>(s: S, chute: u16, configurations: [V; 6]) -> Offer<V> {
    let zero = V::splat(s, 0);
    let [a, b, c, d, e, f] = configurations;
    // Full adders: the number of configurations of every digit, in three bit planes.
    let (low, high) = (a.xor3(b, c), a.at_least_two(b, c));
    let (low2, high2) = (d.xor3(e, f), d.at_least_two(e, f));
    let (ones, carry) = (low ^ low2, low & low2);
    let (twos, fours) = (high.xor3(high2, carry), high.at_least_two(high2, carry));

    let two = twos.without2(ones, fours);
    let three = (twos & ones).without(fours);
    let digits = two.or_else(three).or_else(fours);
    let digit = digits & (zero - digits);
    let total = ones.count_ones() + (twos.count_ones() << 1) + (fours.count_ones() << 2);
    let rank = (total << 3) + V::splat(s, chute);
    let resort = (two | three).simd_eq(zero).select(V::splat(s, LAST_RESORT), zero);
    let rank = digit.simd_eq(zero).select(V::splat(s, NO_OFFER), rank | resort);
    Offer { configurations, digit, rank }
}

/// What side A and side B take from each minirow of the chosen chute.
///
/// Two or three configurations: A keeps the first, B the others. More (`many` holds the
/// digit): A keeps those through the first minirow of the first line, or if there are none
/// those through the second: the digit is there, or it is not.
#[inline(always)]
fn sides<S: Simd, V: Vector<S>>(s: S, chosen: &Offer<V>, many: V) -> (Minirows<V>, Minirows<V>) {
    let zero = V::splat(s, 0);
    let few = chosen.digit.without(many);
    let mut own = chosen.configurations;
    for i in 0..6 {
        own[i] &= chosen.digit;
    }
    let mut kept_by_a = [zero; 6];
    let mut seen = zero;
    for i in 0..6 {
        kept_by_a[i] = (own[i] & few).without(seen);
        seen |= own[i] & few;
    }
    let [here, other_here] = through(0, 0);
    let [next, other_next] = through(0, 1);
    let first = (own[here] | own[other_here]) & many;
    kept_by_a[here] |= own[here] & many;
    kept_by_a[other_here] |= own[other_here] & many;
    kept_by_a[next] |= (own[next] & many).without(first);
    kept_by_a[other_next] |= (own[other_next] & many).without(first);

    let (mut a, mut b) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for line in 0..3 {
        for square in 0..3 {
            let [i, j] = through(line, square);
            let (i_of_b, j_of_b) = (own[i].without(kept_by_a[i]), own[j].without(kept_by_a[j]));
            a[line][square] = chosen.digit.without2(kept_by_a[i], kept_by_a[j]);
            b[line][square] = chosen.digit.without2(i_of_b, j_of_b);
        }
    }
    (a, b)
}
