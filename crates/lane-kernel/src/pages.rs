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
use crate::{CELLS, Exchange, Moves, Own};

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

    /// Makes room for a page.
    #[inline(always)]
    fn make_room<S: Simd>(&mut self, s: S, page: usize)
    where
        V: Vector<S>,
    {
        if page == self.0.len() {
            self.0.push([V::splat(s, 0); CELLS]);
        }
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
    pub(super) fn take_own<S: Simd>(&self, s: S, cells: &mut Cells<V>, own: &[Own])
    where
        V: Vector<S>,
    {
        for own in own.chunks(AT_ONCE) {
            match own.len() {
                1 => self.blend::<S, 1>(s, cells, own),
                2 => self.blend::<S, 2>(s, cells, own),
                3 => self.blend::<S, 3>(s, cells, own),
                _ => self.blend::<S, AT_ONCE>(s, cells, own),
            }
        }
    }

    #[inline(always)]
    fn blend<S: Simd, const N: usize>(&self, s: S, cells: &mut Cells<V>, own: &[Own])
    where
        V: Vector<S>,
    {
        let lanes = chosen::<S, V, N>(s, own);
        let mut pages = [&self.0[0]; N];
        for i in 0..N {
            pages[i] = &self.0[own[i].page];
        }
        for i in 0..CELLS {
            let mut x = cells[i];
            for page in 0..N {
                x = x.or_in(lanes[page], pages[page][i]);
            }
            cells[i] = x;
        }
    }

    /// Lanes come back from their own columns; then lanes branch, and some are put onto a page.
    #[inline(always)]
    pub(super) fn exchange_own<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        put: Own,
        own: &[Own],
    ) where
        V: Vector<S>,
    {
        self.make_room(s, put.page);
        // The page that is written to comes first: lanes may come back from that, too.
        let mut pages = [Own { lanes: 0, ..put }; 1 + AT_ONCE];
        let mut count = 1;
        for own in own {
            if own.page == put.page {
                pages[0].lanes |= own.lanes;
            } else if count == pages.len() {
                self.blend::<S, 1>(s, cells, &[*own]);
            } else {
                pages[count] = *own;
                count += 1;
            }
        }
        match count {
            1 => self.exchange_own_with::<S, 1>(s, cells, split, put.lanes, &pages),
            2 => self.exchange_own_with::<S, 2>(s, cells, split, put.lanes, &pages),
            3 => self.exchange_own_with::<S, 3>(s, cells, split, put.lanes, &pages),
            4 => self.exchange_own_with::<S, 4>(s, cells, split, put.lanes, &pages),
            _ => self.exchange_own_with::<S, { 1 + AT_ONCE }>(s, cells, split, put.lanes, &pages),
        }
    }

    #[inline(always)]
    fn exchange_own_with<S: Simd, const N: usize>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        put: LaneSet,
        own: &[Own],
    ) where
        V: Vector<S>,
    {
        let (lanes, put) = (chosen::<S, V, N>(s, own), V::mask(s, put));
        let mut numbers = [0; N];
        for i in 0..N {
            numbers[i] = own[i].page;
        }
        let pages = self.0.get_disjoint_mut(numbers).expect("each page once");
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let mut x = cells[i];
                        for page in 0..N {
                            x = x.or_in(lanes[page], pages[page][i]);
                        }
                        let (a, b) = taken.of_cell(x, row, column);
                        cells[i] = a;
                        // Read again, not kept from above: so it becomes a masked store.
                        pages[0][i] = put.select(b, pages[0][i]);
                    }
                }
            }
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
        self.make_room(s, exchange.page);
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

/// The lanes of the first `N`.
#[inline(always)]
fn chosen<S: Simd, V: Vector<S>, const N: usize>(s: S, own: &[Own]) -> [V::Chosen; N] {
    let mut lanes = [V::chosen(s, 0); N];
    for i in 0..N {
        lanes[i] = V::chosen(s, own[i].lanes);
    }
    lanes
}
