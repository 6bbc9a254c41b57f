//! States that wait for a lane, a column each.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  page 1        │ B │   │ B │ B │   │ ... │   │   a state lies in the column of the lane
//!  page 0        │ B │ B │   │ B │ B │ ... │ B │   that has put it there
//! ```
//!
//! To put states there takes a blend. To take them back takes a permutation, unless each goes to the
//! lane of its own column: then that is a blend, too, and some pages are taken from in one pass.

use fearless_simd::{Select, Simd};

use super::branch::Split;
use super::sweep::Cells;
use super::transpose::move_lanes;
use super::vector::{LaneSet, Vector};
use crate::{CELLS, Exchange, Moves};

/// How many pages there is room for from the start. Hard sets want three or four; more are made when
/// they are wanted.
const ROOM: usize = 256;

/// The most pages that are blended in one pass.
const AT_ONCE: usize = 4;

/// All states that wait.
pub(super) struct Pages<V>(Vec<Cells<V>>);

impl<V> Pages<V> {
    /// None yet. What is never wanted is never touched.
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(ROOM))
    }

    /// Moves columns of a page into these lanes.
    #[inline(always)]
    pub(super) fn take<S: Simd>(&self, s: S, cells: &mut Cells<V>, page: usize, moves: &Moves)
    where
        V: Vector<S>,
    {
        move_lanes(s, &self.0[page], &moves.from, cells, moves.lanes);
    }

    /// Moves lanes back from their own columns.
    #[inline(always)]
    pub(super) fn take_own<S: Simd>(&self, s: S, cells: &mut Cells<V>, from: &[(usize, LaneSet)])
    where
        V: Vector<S>,
    {
        for from in from.chunks(AT_ONCE) {
            match from.len() {
                1 => self.blend::<S, 1>(s, cells, from),
                2 => self.blend::<S, 2>(s, cells, from),
                3 => self.blend::<S, 3>(s, cells, from),
                _ => self.blend::<S, AT_ONCE>(s, cells, from),
            }
        }
    }

    #[inline(always)]
    fn blend<S: Simd, const N: usize>(&self, s: S, cells: &mut Cells<V>, from: &[(usize, LaneSet)])
    where
        V: Vector<S>,
    {
        let mut lanes = [V::chosen(s, 0); N];
        let mut pages = [&self.0[0]; N];
        for i in 0..N {
            lanes[i] = V::chosen(s, from[i].1);
            pages[i] = &self.0[from[i].0];
        }
        for i in 0..CELLS {
            let mut x = cells[i];
            for page in 0..N {
                x = x.or_in(lanes[page], pages[page][i]);
            }
            cells[i] = x;
        }
    }

    /// The lanes that branch go on with side A, and everything moves that is to.
    #[inline(always)]
    pub(super) fn exchange<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) where
        V: Vector<S>,
    {
        if exchange.page == self.0.len() {
            self.0.push([V::splat(s, 0); CELLS]);
        }
        match (exchange.put != 0, exchange.back.lanes != 0) {
            (true, _) => self.exchange_with::<S, true, false>(s, cells, split, exchange),
            (_, true) => self.exchange_with::<S, false, true>(s, cells, split, exchange),
            _ => self.exchange_with::<S, false, false>(s, cells, split, exchange),
        }
    }

    #[inline(always)]
    fn exchange_with<S: Simd, const PUT: bool, const BACK: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) where
        V: Vector<S>,
    {
        let Exchange { given, put, page, back, .. } = exchange;
        let sides = &mut self.0[*page];
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
