//! Sides that any lane may take.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  page 1       │ B │   │ B │ B │   │ ... │   │   a side lies in the column of the lane
//!  page 0       │ B │ B │   │ B │ B │ ... │ B │   that has put it there
//! ```
//!
//! Putting sides onto a page takes a blend, taking them back into any lane a permutation. Which
//! columns hold sides is for the caller to know.

use fearless_simd::{Select, Simd};

use super::branch::Split;
use super::sweep::{Cells, Configurations};
use super::transpose::move_lanes;
use super::vector::Vector;
use crate::{CELLS, Exchange};

/// The pages that have been wanted so far.
pub(crate) struct Pages<V>(Vec<Cells<V>>);

impl<V> Pages<V> {
    /// Room for this many. What is never needed is never touched.
    pub(crate) fn new(most: usize) -> Self {
        Self(Vec::with_capacity(most))
    }

    /// A page.
    pub(crate) fn page(&self, number: usize) -> &Cells<V> {
        &self.0[number]
    }

    /// Gives side A to the lanes that branch, and makes the moves.
    #[inline(always)]
    pub(crate) fn exchange<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        configurations: &Configurations<V>,
        exchange: &Exchange,
    ) where
        V: Vector<S>,
    {
        while exchange.page >= self.0.len() {
            self.0.push([V::splat(s, 0); CELLS]);
        }
        let Exchange { branching, given, put, back, page } = exchange;
        if branching | given.lanes | put == 0 {
            return move_lanes(s, &self.0[*page], back, cells);
        }
        let split = &Split::choose(s, configurations, *branching);
        match (*put != 0, back.lanes != 0) {
            (true, false) => self.branch::<S, true, false>(s, cells, split, exchange),
            (false, true) => self.branch::<S, false, true>(s, cells, split, exchange),
            _ => self.branch::<S, false, false>(s, cells, split, exchange),
        }
    }

    /// The pass over all cells.
    #[inline(always)]
    fn branch<S: Simd, const PUT: bool, const BACK: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) where
        V: Vector<S>,
    {
        let sides = &mut self.0[exchange.page];
        let Exchange { given, back, put, .. } = exchange;
        let (givers, given) = (V::order(s, &given.from), V::mask(s, given.lanes));
        let (columns, back) = (V::order(s, &back.from), V::mask(s, back.lanes));
        let put = V::mask(s, *put);
        // In loops of three: longer ones are not unrolled, and places cost more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let (a, b) = taken.of_cell(cells[i], row, column);
                        let mut x = given.select(b.permute(givers), a);
                        if BACK {
                            x = back.select(sides[i].permute(columns), x);
                        }
                        cells[i] = x;
                        if PUT {
                            sides[i] = put.select(b, sides[i]);
                        }
                    }
                }
            }
        }
    }
}
