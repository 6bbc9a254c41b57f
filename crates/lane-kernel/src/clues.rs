//! Clues of new puzzles: removed from their peers, and checked against each other.

use fearless_simd::{Select, Simd};

use super::rules::{ALL_DIGITS, Rules};
use super::sweep::Cells;
use crate::LaneSet;

/// Removes every clue from the other cells of its row, column, and box, and gives blanks the
/// remaining candidates. Each cell of `cells` is a clue, or 0 for a blank.
///
/// Returns the lanes in which two equal clues share a unit.
#[inline(always)]
pub(crate) fn eliminate_clues<S: Simd, V: Rules<S>>(s: S, cells: &mut Cells<V>) -> LaneSet {
    let all = V::splat(s, ALL_DIGITS);
    eliminate(
        s,
        cells,
        #[inline(always)]
        |clue| clue,
        #[inline(always)]
        |clue, taken| clue.or_else(all.without(taken)),
    )
}

/// Removes single candidates from the other cells of their units that have several candidates.
/// Returns the lanes in which two equal singles share a unit.
#[inline(always)]
pub(crate) fn eliminate_singles<S: Simd, V: Rules<S>>(s: S, cells: &mut Cells<V>) -> LaneSet {
    let zero = V::splat(s, 0);
    eliminate(
        s,
        cells,
        #[inline(always)]
        |cell| is_single(cell).select(cell, zero),
        #[inline(always)]
        |cell, taken| is_single(cell).select(cell, cell.without(taken)),
    )
}

/// Returns the lanes in which a cell has at most one candidate.
#[inline(always)]
fn is_single<S: Simd, V: Rules<S>>(cell: V) -> V::Mask {
    let s = cell.token();
    (cell & (cell - V::splat(s, 1))).simd_eq(V::splat(s, 0))
}

/// Removes clues from the other cells, which `rest` updates, and returns the lanes where clues
/// clash. Sweeps may miss a clash, since they read what a unit *can* hold, and a search could
/// continue for long before it fails.
///
/// Clues clash if the sum of all clues, as candidate masks, is larger than the sum of what the rows
/// hold, or the columns, or the boxes. (81 times 256 fits in a lane.)
#[inline(always)]
fn eliminate<S: Simd, V: Rules<S>>(
    s: S,
    cells: &mut Cells<V>,
    clue_of: impl Fn(V) -> V,
    rest: impl Fn(V, V) -> V,
) -> LaneSet {
    let zero = V::splat(s, 0);
    let (mut rows, mut columns, mut boxes) = ([zero; 9], [zero; 9], [zero; 9]);
    let mut sum = zero;
    for row in 0..9 {
        for b in 0..3 {
            let mut clue = [zero; 3];
            for k in 0..3 {
                let column = 3 * b + k;
                clue[k] = clue_of(cells[row * 9 + column]);
                columns[column] |= clue[k];
                sum += clue[k];
            }
            let minirow = clue[0].or3(clue[1], clue[2]);
            rows[row] |= minirow;
            boxes[row / 3 * 3 + b] |= minirow;
        }
    }
    for row in 0..9 {
        for b in 0..3 {
            let taken = rows[row] | boxes[row / 3 * 3 + b];
            for k in 0..3 {
                let column = 3 * b + k;
                let cell = &mut cells[row * 9 + column];
                *cell = rest(*cell, taken | columns[column]);
            }
        }
    }
    held_by(s, &rows).lanes_differ(sum)
        | held_by(s, &columns).lanes_differ(sum)
        | held_by(s, &boxes).lanes_differ(sum)
}

/// Returns the sum of the digits that nine units hold.
#[inline(always)]
fn held_by<S: Simd, V: Rules<S>>(s: S, units: &[V; 9]) -> V {
    let mut held = V::splat(s, 0);
    for unit in units {
        held += *unit;
    }
    held
}
