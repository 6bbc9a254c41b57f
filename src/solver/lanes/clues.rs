//! The clues of newcomers: taken from their peers, and checked against each other.

use fearless_simd::{Select, Simd};

use super::sweep::Cells;
use super::vector::{ALL, LaneSet, Vector};

/// The cells of a puzzle that have no clue.
#[inline(always)]
pub(super) fn is_blank<S: Simd, V: Vector<S>>(cell: V) -> V::Mask {
    cell.simd_eq(V::splat(cell.token(), ALL))
}

/// The cells of marks that have no clue: they have several candidates.
#[inline(always)]
pub(super) fn is_open<S: Simd, V: Vector<S>>(cell: V) -> V::Mask {
    let s = cell.token();
    (cell & (cell - V::splat(s, 1))).simd_ne(V::splat(s, 0))
}

/// Takes every clue from the other cells of its row, column and box. Returns the lanes in
/// which two equal clues share one: the sweeps need not see that (they read what a unit
/// *can* hold), and a search could go on for long before it does.
///
/// Clues clash if the sum of all clues, as candidate masks, is larger than that of what the
/// rows hold, or the columns, or the boxes. (81 times 256 fits a lane.)
#[inline(always)]
pub(super) fn eliminate_clues<S: Simd, V: Vector<S>>(
    s: S,
    cells: &mut Cells<V>,
    has_no_clue: impl Fn(V) -> V::Mask,
) -> LaneSet {
    let zero = V::splat(s, 0);
    let (mut rows, mut columns, mut boxes) = ([zero; 9], [zero; 9], [zero; 9]);
    let mut sum = zero;
    for row in 0..9 {
        for column in (0..9).step_by(3) {
            let mut clue = [zero; 3];
            for k in 0..3 {
                let cell = cells[row * 9 + column + k];
                clue[k] = has_no_clue(cell).select(zero, cell);
            }
            for k in 0..3 {
                columns[column + k] |= clue[k];
                sum += clue[k];
            }
            let minirow = clue[0].or3(clue[1], clue[2]);
            rows[row] |= minirow;
            let square = row / 3 * 3 + column / 3;
            boxes[square] |= minirow;
        }
    }
    for row in 0..9 {
        for column in 0..9 {
            let cell = &mut cells[row * 9 + column];
            let taken = rows[row].or3(columns[column], boxes[row / 3 * 3 + column / 3]);
            *cell = has_no_clue(*cell).select(cell.without(taken), *cell);
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
