//! Sides that are still to be looked at, those of all searches together.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  page 1       │ B │   │ B │ B │   │ ... │   │   a side lies in the column of the lane
//!  page 0       │ B │ B │   │ B │ B │ ... │ B │   that has put it there
//! ```
//!
//! Sides go onto the topmost page and come from it, into any lane: that takes a blend to put them
//! there, and a permutation to take them back.

use fearless_simd::{Select, Simd};

use super::branch::Split;
use super::searches::SearchId;
use super::sweep::Cells;
use super::transpose::move_lanes;
use super::vector::{LaneSet, Vector, lanes_of};
use crate::puzzle::CELLS;

/// How many pages there are. Hard sets want three or four. (In unit tests so few that they do not
/// suffice.)
const MOST: usize = if cfg!(test) { 2 } else { 64 };

/// A side in each of some columns.
struct Page<V> {
    sides: Cells<V>,
    occupied: LaneSet,
    /// Whose they are.
    owners: [SearchId; 32],
}

/// What moves in one pass over the cells.
pub(super) struct Exchange {
    /// Lanes that get side B of a lane that branches, and of which one.
    pub(super) given: LaneSet,
    pub(super) giver: [u16; 32],
    /// Lanes that get a side from the topmost page, and from which column.
    pub(super) back: LaneSet,
    pub(super) column: [u16; 32],
    /// Lanes whose side B goes onto the topmost page.
    pub(super) pushed: LaneSet,
}

/// The lanes that have got a side.
pub(super) struct Taken {
    pub(super) all: LaneSet,
    /// Those whose cells are still to move.
    pub(super) back: LaneSet,
}

/// The sides that no lane looks at.
pub(super) struct Pages<V> {
    pages: Vec<Page<V>>,
    /// The topmost one. Those below may be empty, those above are.
    top: usize,
}

impl<V> Pages<V> {
    /// Room for all of them. What is never needed is never touched.
    pub(super) fn new<S: Simd>(s: S) -> Self
    where
        V: Vector<S>,
    {
        let mut pages = Vec::with_capacity(MOST);
        pages.push(Page::new(s));
        Self { pages, top: 0 }
    }

    /// The most sides that can lie here.
    pub(super) const fn room<S: Simd>() -> usize
    where
        V: Vector<S>,
    {
        MOST * V::LEN
    }

    /// How many sides lie here.
    #[inline(always)]
    pub(super) fn sides(&self) -> u32 {
        let in_use = &self.pages[..=self.top];
        in_use.iter().map(|page| page.occupied.count_ones()).sum()
    }

    /// The columns of the topmost page in which sides lie.
    #[inline(always)]
    pub(super) fn occupied(&self) -> LaneSet {
        self.pages[self.top].occupied
    }

    /// The columns `lanes` of the topmost page become sides of these `owners`, if they are empty or
    /// another page can be laid on top: whether that is so.
    #[inline(always)]
    pub(super) fn push<S: Simd>(&mut self, s: S, lanes: LaneSet, owners: &[SearchId; 32]) -> bool
    where
        V: Vector<S>,
    {
        if lanes & self.occupied() != 0 {
            if self.top + 1 == MOST {
                return false;
            }
            self.top += 1;
            if self.top == self.pages.len() {
                self.pages.push(Page::new(s));
            }
        }
        let page = &mut self.pages[self.top];
        page.occupied |= lanes;
        for lane in lanes_of(lanes) {
            page.owners[lane] = owners[lane];
        }
        true
    }

    /// A side for each of the lanes `takers`, as long as there are any. Those from the
    /// topmost page are still to move, from these `columns`; others are in the `cells` already.
    #[inline(always)]
    pub(super) fn take<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        takers: LaneSet,
        owners: &mut [SearchId; 32],
        columns: &mut [u16; 32],
    ) -> Taken
    where
        V: Vector<S>,
    {
        let mut left = takers;
        loop {
            let page = &mut self.pages[self.top];
            let mut back = 0;
            for (taker, column) in lanes_of(left).zip(lanes_of(page.occupied)) {
                columns[taker] = column as u16;
                owners[taker] = page.owners[column];
                page.occupied &= !(1 << column);
                back |= 1 << taker;
            }
            left &= !back;
            if left == 0 || self.top == 0 {
                return Taken { all: takers & !left, back };
            }
            move_lanes(s, &page.sides, columns, cells, back);
            self.top -= 1;
        }
    }

    /// Forgets all sides.
    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.occupied = 0);
        self.top = 0;
    }

    /// Forgets the sides of a search.
    pub(super) fn remove(&mut self, owner: SearchId) {
        for page in &mut self.pages[..=self.top] {
            for column in lanes_of(page.occupied) {
                if page.owners[column] == owner {
                    page.occupied &= !(1 << column);
                }
            }
        }
    }

    /// Gives side A to the lanes that branch, and makes the moves that were planned.
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
        match (exchange.pushed != 0, exchange.back != 0) {
            (true, false) => self.exchange_with::<S, true, false>(s, cells, split, exchange),
            (false, true) => self.exchange_with::<S, false, true>(s, cells, split, exchange),
            _ => self.exchange_with::<S, false, false>(s, cells, split, exchange),
        }
    }

    #[inline(always)]
    fn exchange_with<S: Simd, const PUSH: bool, const BACK: bool>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        exchange: &Exchange,
    ) where
        V: Vector<S>,
    {
        let sides = &mut self.pages[self.top].sides;
        let (givers, given) = (V::order(s, &exchange.giver), V::mask(s, exchange.given));
        let (columns, back) = (V::order(s, &exchange.column), V::mask(s, exchange.back));
        let pushed = V::mask(s, exchange.pushed);
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
                        if PUSH {
                            sides[i] = pushed.select(b, sides[i]);
                        }
                    }
                }
            }
        }
    }

    /// [`Pages::exchange`] where no lane branches.
    #[inline(always)]
    pub(super) fn give_back<S: Simd>(&self, s: S, cells: &mut Cells<V>, exchange: &Exchange)
    where
        V: Vector<S>,
    {
        move_lanes(s, &self.pages[self.top].sides, &exchange.column, cells, exchange.back);
    }
}

impl<V> Page<V> {
    fn new<S: Simd>(s: S) -> Self
    where
        V: Vector<S>,
    {
        Self { sides: [V::splat(s, 0); CELLS], occupied: 0, owners: [0; 32] }
    }
}
