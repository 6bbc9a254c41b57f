//! Pages of pending alternatives that any lane may take.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  page 1       │ B │   │ B │ B │   │ ... │   │   an alternative is in the column of
//!  page 0       │ B │ B │   │ B │ B │ ... │ B │   the lane that saved it
//! ```
//!
//! Saving alternatives takes a blend, and restoring them into any lanes a permutation. The caller
//! keeps track of the columns in use.

use fearless_simd::{Select, Simd};

use super::branch::Split;
use super::rules::Rules;
use super::sweep::{Cells, Configurations};
use super::transpose::move_lanes;
use crate::{CELLS, Exchange};

/// The pages used so far.
pub(crate) struct AlternativePages<V>(Vec<Cells<V>>);

impl<V> AlternativePages<V> {
    /// Reserves space for this many pages. Unused memory is never touched.
    pub(crate) fn new(most: usize) -> Self {
        Self(Vec::with_capacity(most))
    }

    /// Returns a page.
    pub(crate) fn page(&self, number: usize) -> &Cells<V> {
        &self.0[number]
    }

    /// Gives alternative A to the lanes that branch, and makes the moves.
    #[inline(always)]
    pub(crate) fn exchange<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        configurations: &Configurations<V>,
        exchange: &Exchange,
    ) where
        V: Rules<S>,
    {
        while exchange.page >= self.0.len() {
            self.0.push([V::splat(s, 0); CELLS]);
        }
        let Exchange { branching, shared, saved, restored, page } = exchange;
        if branching | shared.lanes | saved == 0 {
            return move_lanes(s, &self.0[*page], restored, cells);
        }
        let split = &Split::choose(s, configurations, *branching);
        match (*saved != 0, restored.lanes != 0) {
            (true, false) => self.branch::<S, true, false>(s, cells, split, exchange),
            (false, true) => self.branch::<S, false, true>(s, cells, split, exchange),
            _ => self.branch::<S, false, false>(s, cells, split, exchange),
        }
    }

    /// Applies an exchange to all cells in one pass.
    #[inline(always)]
    fn branch<S: Simd, const SAVE: bool, const RESTORE: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) where
        V: Rules<S>,
    {
        let alternatives = &mut self.0[exchange.page];
        let Exchange { shared, restored, saved, .. } = exchange;
        let (givers, shared) = (V::order(s, &shared.from), V::mask(s, shared.lanes));
        let (columns, restored) = (V::order(s, &restored.from), V::mask(s, restored.lanes));
        let saved = V::mask(s, *saved);
        // In nested loops of three: longer ones are not unrolled, and computing addresses costs
        // more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let (a, b) = taken.of_cell(cells[i], row, column);
                        let mut x = shared.select(b.permute(givers), a);
                        if RESTORE {
                            x = restored.select(alternatives[i].permute(columns), x);
                        }
                        cells[i] = x;
                        if SAVE {
                            alternatives[i] = saved.select(b, alternatives[i]);
                        }
                    }
                }
            }
        }
    }
}
