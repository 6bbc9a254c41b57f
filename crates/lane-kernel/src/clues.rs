//! The clues of entries: taken from their peers, and checked against each other.

use fearless_simd::{Select, Simd};

use super::sweep::Cells;
use super::vector::{ALL, Vector};
use crate::LaneSet;

/// Takes every clue from the other cells of its row, column and box, and gives blanks the
/// candidates that are left to them: `cells` are clues, or nothing for a blank.
///
/// Returns the lanes in which two equal clues share a unit.
#[inline(always)]
pub(crate) fn eliminate_clues<S: Simd, V: Vector<S>>(s: S, cells: &mut Cells<V>) -> LaneSet {
    let all = V::splat(s, ALL);
    eliminate(
        s,
        cells,
        #[inline(always)]
        |clue| clue,
        #[inline(always)]
        |clue, taken| clue.or_else(all.without(taken)),
    )
}

/// Takes from all cells of several candidates what other cells of their units have as the only
/// one. Returns the lanes in which two of these are equal and share a unit.
#[inline(always)]
pub(crate) fn eliminate_singles<S: Simd, V: Vector<S>>(s: S, cells: &mut Cells<V>) -> LaneSet {
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

/// The cells that have at most one candidate.
#[inline(always)]
fn is_single<S: Simd, V: Vector<S>>(cell: V) -> V::Mask {
    let s = cell.token();
    (cell & (cell - V::splat(s, 1))).simd_eq(V::splat(s, 0))
}

/// Takes the clues from the `rest`, and returns the lanes where they clash: the sweeps need not see that (they
/// read what a unit *can* hold), and a search could go on for long before it does.
///
/// Clues clash if the sum of all clues, as candidate masks, is larger than that of what the
/// rows hold, or the columns, or the boxes. (81 times 256 fits a lane.)
#[inline(always)]
fn eliminate<S: Simd, V: Vector<S>>(
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

/// The sum of what nine units hold.
#[inline(always)]
fn held_by<S: Simd, V: Vector<S>>(s: S, units: &[V; 9]) -> V {
    let mut held = V::splat(s, 0);
    for unit in units {
        held += *unit;
    }
    held
}
