//! The clues of newcomers: taken from their peers, and checked against each other.

use fearless_simd::{Select, Simd};

use super::sweep::Cells;
use super::vector::{ALL, LaneSet, Vector};

/// Takes every clue from the blank cells of its row, column and box. Returns the lanes in
/// which two equal clues share one: the sweeps need not see that (they read what a unit
/// *can* hold), and a search could go on for long before it does.
///
/// Clues clash if the sum of all clues, as candidate masks, is larger than that of what the
/// rows hold, or the columns, or the boxes. (81 times 256 fits a lane.)
#[inline(always)]
pub(super) fn eliminate_clues<S: Simd, V: Vector<S>>(s: S, cells: &mut Cells<V>) -> LaneSet {
    let (zero, all) = (V::splat(s, 0), V::splat(s, ALL));
    let (mut rows, mut columns, mut boxes) = ([zero; 9], [zero; 9], [zero; 9]);
    let mut sum = zero;
    for row in 0..9 {
        for column in (0..9).step_by(3) {
            let clue: [V; 3] = std::array::from_fn(
                #[inline(always)]
                |k| {
                    let cell = cells[row * 9 + column + k];
                    cell.simd_eq(all).select(zero, cell)
                },
            );
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
            *cell = cell.simd_eq(all).select(cell.without(taken), *cell);
        }
    }
    let clashing = [rows, columns, boxes].map(
        #[inline(always)]
        |units| {
            let held = (units.into_iter()).fold(
                zero,
                #[inline(always)]
                |held, unit| held + unit,
            );
            held.lanes_differ(sum)
        },
    );
    clashing[0] | clashing[1] | clashing[2]
}
