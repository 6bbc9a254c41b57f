//! Which sides wait on the kernel's pages.

use lane_kernel::{LaneSet, MOST_LANES};

use super::order::SideId;

/// The columns of a page in which sides lie, and which they are.
#[derive(Clone, Copy, Debug)]
struct Page {
    occupied: LaneSet,
    sides: [SideId; MOST_LANES],
}

impl Page {
    const EMPTY: Self = Self { occupied: 0, sides: [0; MOST_LANES] };
}

/// The sides on all pages.
#[derive(Debug)]
pub(super) struct Waiting {
    pages: Vec<Page>,
    /// The topmost page on which a side lies, or the lowest page.
    top: usize,
    sides: u32,
}

impl Waiting {
    /// Room for so many pages; more are made room for when they are wanted.
    pub(super) fn new(room: usize) -> Self {
        let mut pages = Vec::with_capacity(room);
        pages.push(Page::EMPTY);
        Self { pages, top: 0, sides: 0 }
    }

    /// How many sides wait.
    #[inline(always)]
    pub(super) fn sides(&self) -> u32 {
        self.sides
    }

    /// The topmost page.
    #[inline(always)]
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// The columns of the topmost page in which sides lie.
    #[inline(always)]
    pub(super) fn at_top(&self) -> LaneSet {
        self.pages[self.top].occupied
    }

    /// The topmost page if these columns are free, else a new one above it.
    #[inline(always)]
    pub(super) fn room_at_top(&self, lanes: LaneSet) -> usize {
        self.top + usize::from(self.at_top() & lanes != 0)
    }

    /// The lowest page of which these columns are free.
    #[inline(always)]
    pub(super) fn lowest_room(&self, lanes: LaneSet) -> usize {
        let room = self.pages[..=self.top].iter().position(|page| page.occupied & lanes == 0);
        room.unwrap_or(self.top + 1)
    }

    /// A side comes to a free column.
    #[inline(always)]
    pub(super) fn put(&mut self, page: usize, column: usize, side: SideId) {
        if page == self.pages.len() {
            self.pages.push(Page::EMPTY);
        }
        self.top = self.top.max(page);
        self.sides += 1;
        let page = &mut self.pages[page];
        debug_assert_eq!(page.occupied >> column & 1, 0);
        page.occupied |= 1 << column;
        page.sides[column] = side;
    }

    /// A column is free again; the side that lay there.
    #[inline(always)]
    pub(super) fn take(&mut self, page: usize, column: usize) -> SideId {
        debug_assert_eq!(self.pages[page].occupied >> column & 1, 1);
        self.pages[page].occupied &= !(1 << column);
        self.sides -= 1;
        while self.pages[self.top].occupied == 0 && self.top > 0 {
            self.top -= 1;
        }
        self.pages[page].sides[column]
    }

    /// Forgets all sides.
    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.occupied = 0);
        (self.top, self.sides) = (0, 0);
    }
}
