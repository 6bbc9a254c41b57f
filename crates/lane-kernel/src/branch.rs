//! Branching: what a lane assumes once nothing more can be inferred.
//!
//! A branch picks a chute and a digit and splits the digit's configurations in two: alternative A
//! keeps some of them, alternative B the others. An alternative is expressed as candidates removed
//! from minirows. This is exact for every split made here: any one configuration, any two, and all
//! or all but those through one minirow. (Removing one configuration of four or more cannot be
//! expressed: the alternative would remove nothing, and the search would never end.)
//!
//! If every digit of every chute has one configuration left, the cells are either solved or
//! contradictory, so a stuck lane can always branch. Alternative A leaves one configuration, or at
//! most two of four to six: no chain of alternatives A is longer than [`MAX_DEPTH`].

use fearless_simd::{Select, Simd};

use super::rules::Rules;
use super::sweep::{Cells, Configurations, Minirows, THROUGH};
use crate::LaneSet;

/// Maximum number of consecutive alternatives A: two for each of the 54 pairs of chute and digit.
pub const MAX_DEPTH: usize = 108;

/// Candidates that each alternative of a branch removes from the minirows.
pub(crate) struct Split<V: Rules<S>, S: Simd> {
    /// Candidates that alternative A removes from the minirows of the chosen chute.
    a: Minirows<V>,
    /// Candidates that alternative B removes from the minirows of the chosen chute.
    b: Minirows<V>,
    /// For each chute (three bands, three stacks), the lanes that branch in it.
    branching_lanes: [V::Mask; 6],
}

/// Candidates that each alternative removes from the cells of a box.
pub(crate) struct BoxSplit<V> {
    /// Candidates that alternative A removes, from horizontal and from vertical minirows.
    a: [[V; 3]; 2],
    /// Candidates that alternative B removes, from horizontal and from vertical minirows.
    b: [[V; 3]; 2],
}

/// The best branch that a chute offers.
#[derive(Clone, Copy)]
struct BranchChoice<V> {
    /// The configurations of each digit.
    configurations: [V; 6],
    /// The digit to branch on; 0 if every digit has at most one configuration.
    digit: V,
    /// The order of preference, lowest first; different for every chute.
    rank: V,
}

/// Mask of the low bits of a rank, which hold the chute.
const CHUTE_MASK: u16 = 7;
/// Added to the rank of a chute that has no digit with two or three configurations.
const LAST_RESORT: u16 = 1 << 14;
const NO_CHOICE: u16 = u16::MAX;

impl<V: Rules<S>, S: Simd> Split<V, S> {
    /// Chooses a branch for the lanes `stuck`, each of which must have one. Both alternatives of
    /// the other lanes remove nothing.
    ///
    /// Following tdoku (T. Dillon), prefers a digit with two configurations left, then one with
    /// three, in the chute with the fewest configurations over all digits.
    #[inline(always)]
    pub(crate) fn choose(s: S, left: &Configurations<V>, stuck: LaneSet) -> Self {
        let zero = V::splat(s, 0);
        let mut best =
            BranchChoice { configurations: [zero; 6], digit: zero, rank: V::splat(s, NO_CHOICE) };
        for (chute, left) in left.iter().enumerate() {
            best.or_better(best_choice(s, chute as u16, left));
        }
        let chute = best.rank & V::splat(s, CHUTE_MASK);
        let mut branching_lanes = [V::mask(s, stuck); 6];
        for i in 0..6 {
            branching_lanes[i] &= chute.simd_eq(V::splat(s, i as u16));
        }
        let (a, b) = alternatives(s, &best);
        Self { a, b, branching_lanes }
    }

    /// Returns the part of the split for the box where a band and a stack cross.
    #[inline(always)]
    pub(crate) fn of_box(&self, s: S, band: usize, stack: usize) -> BoxSplit<V> {
        let zero = V::splat(s, 0);
        let (in_band, in_stack) = (self.branching_lanes[band], self.branching_lanes[3 + stack]);
        let mut taken = BoxSplit { a: [[zero; 3]; 2], b: [[zero; 3]; 2] };
        for line in 0..3 {
            taken.a[0][line] = in_band.select(self.a[line][stack], zero);
            taken.b[0][line] = in_band.select(self.b[line][stack], zero);
            taken.a[1][line] = in_stack.select(self.a[line][band], zero);
            taken.b[1][line] = in_stack.select(self.b[line][band], zero);
        }
        taken
    }
}

impl<V> BoxSplit<V> {
    /// Returns alternatives A and B of the cell in this row and column of the box.
    #[inline(always)]
    pub(crate) fn of_cell<S: Simd>(&self, cell: V, row: usize, column: usize) -> (V, V)
    where
        V: Rules<S>,
    {
        (
            cell.without2(self.a[0][row], self.a[1][column]),
            cell.without2(self.b[0][row], self.b[1][column]),
        )
    }
}

impl<V> BranchChoice<V> {
    /// Replaces this choice with `other` in the lanes where that has the lower rank.
    #[inline(always)]
    fn or_better<S: Simd>(&mut self, other: Self)
    where
        V: Rules<S>,
    {
        let better = other.rank.simd_lt(self.rank);
        for i in 0..6 {
            self.configurations[i] = better.select(other.configurations[i], self.configurations[i]);
        }
        self.digit = better.select(other.digit, self.digit);
        self.rank = self.rank.min(other.rank);
    }
}

/// Returns the lanes in which no cell has more than two candidates.
#[inline(always)]
pub(crate) fn paired<S: Simd, V: Rules<S>>(s: S, cells: &Cells<V>) -> LaneSet {
    let (zero, one) = (V::splat(s, 0), V::splat(s, 1));
    let mut more = zero;
    for x in cells {
        let all_but_one = *x & (*x - one);
        more |= all_but_one & (all_but_one - one);
    }
    more.lanes_empty()
}

/// Returns the best branch of a chute.
#[inline(always)]
fn best_choice<S: Simd, V: Rules<S>>(s: S, chute: u16, left: &[V; 6]) -> BranchChoice<V> {
    let zero = V::splat(s, 0);
    let [a, b, c, d, e, f] = *left;
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
    let rank = digit.simd_eq(zero).select(V::splat(s, NO_CHOICE), rank | resort);
    BranchChoice { configurations: *left, digit, rank }
}

/// Returns the candidates that alternatives A and B remove from the minirows of the chosen chute.
///
/// With two or three configurations, A keeps the first and B the others. With more, A keeps those
/// through the first minirow of the first line, or through the second if the first has none: either
/// the digit is in that minirow, or it is not.
#[inline(always)]
fn alternatives<S: Simd, V: Rules<S>>(
    s: S,
    chosen: &BranchChoice<V>,
) -> (Minirows<V>, Minirows<V>) {
    let zero = V::splat(s, 0);
    let many = chosen.rank.simd_ge(V::splat(s, LAST_RESORT)).select(chosen.digit, zero);
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
    let [one, other] = THROUGH[0][0];
    let [next, other_next] = THROUGH[0][1];
    let first = (own[one] | own[other]) & many;
    kept_by_a[one] |= own[one] & many;
    kept_by_a[other] |= own[other] & many;
    kept_by_a[next] |= (own[next] & many).without(first);
    kept_by_a[other_next] |= (own[other_next] & many).without(first);

    let (mut a, mut b) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for line in 0..3 {
        for square in 0..3 {
            let [i, j] = THROUGH[line][square];
            let (i_of_b, j_of_b) = (own[i].without(kept_by_a[i]), own[j].without(kept_by_a[j]));
            a[line][square] = chosen.digit.without2(kept_by_a[i], kept_by_a[j]);
            b[line][square] = chosen.digit.without2(i_of_b, j_of_b);
        }
    }
    (a, b)
}
