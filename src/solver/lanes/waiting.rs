//! Which sides wait on the kernel's pages.

use lane_kernel::{LaneSet, MOST_LANES};

use super::order::SideId;

/// The sides on all pages.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The columns of each page in which sides lie.
    occupied: Vec<LaneSet>,
    /// Which they are.
    sides: Vec<[SideId; MOST_LANES]>,
    /// The topmost page on which a side lies, or the lowest page.
    top: usize,
    count: u32,
}

impl Waiting {
    /// Room for so many pages; more are made room for when they are wanted.
    pub(super) fn new(room: usize) -> Self {
        let (mut occupied, mut sides) = (Vec::with_capacity(room), Vec::with_capacity(room));
        occupied.push(0);
        sides.push([0; MOST_LANES]);
        Self { occupied, sides, top: 0, count: 0 }
    }

    /// How many sides wait.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The topmost page.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// The columns of the topmost page in which sides lie.
    #[inline(always)]
    pub(super) fn at_top(&self) -> LaneSet {
        self.occupied[self.top]
    }

    /// The topmost page if these columns are free, else a new one above it.
    #[inline(always)]
    pub(super) fn room_at_top(&self, lanes: LaneSet) -> usize {
        self.top + usize::from(self.at_top() & lanes != 0)
    }

    /// The lowest page of which these columns are free.
    #[inline(always)]
    pub(super) fn lowest_room(&self, lanes: LaneSet) -> usize {
        let room = self.occupied[..=self.top].iter().position(|occupied| occupied & lanes == 0);
        room.unwrap_or(self.top + 1)
    }

    /// A side comes to a free column.
    #[inline(always)]
    pub(super) fn put(&mut self, page: usize, column: usize, side: SideId) {
        if page == self.occupied.len() {
            self.occupied.push(0);
            self.sides.push([0; MOST_LANES]);
        }
        self.top = self.top.max(page);
        self.count += 1;
        debug_assert_eq!(self.occupied[page] >> column & 1, 0);
        self.occupied[page] |= 1 << column;
        self.sides[page][column] = side;
    }

    /// A column is free again; the side that lay there.
    #[inline(always)]
    pub(super) fn take(&mut self, page: usize, column: usize) -> SideId {
        debug_assert_eq!(self.occupied[page] >> column & 1, 1);
        self.occupied[page] &= !(1 << column);
        self.count -= 1;
        while self.occupied[self.top] == 0 && self.top > 0 {
            self.top -= 1;
        }
        self.sides[page][column]
    }

    /// Forgets all sides.
    pub(super) fn clear(&mut self) {
        self.occupied.fill(0);
        (self.top, self.count) = (0, 0);
    }
}
