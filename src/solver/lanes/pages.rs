//! Alternatives that wait for a lane, those of all searches together, on the kernel's pages.
//!
//! Alternatives go onto the topmost page and come from it, into any lane: that takes a blend to put them
//! there, and a permutation to take them back.

use lane_kernel::{Exchange, Kernel, LaneSet, MAX_LANES, Moves, lanes_of};

use super::searches::SearchId;

/// Number of pages. Hard sets need three or four. (In unit tests there are too few.)
pub(super) const MAX_PAGES: usize = if cfg!(test) { 2 } else { 64 };

/// The alternatives on a page.
#[derive(Clone, Copy)]
struct Page {
    occupied: LaneSet,
    /// Whose they are, by column.
    owners: [SearchId; MAX_LANES],
}

/// The alternatives on the kernel's pages.
pub(super) struct Pages {
    all: [Page; MAX_PAGES],
    /// The topmost one. Those below may be empty, those above are.
    pub(super) top: usize,
    /// Number of alternatives on all pages.
    pub(super) alternatives: u32,
}

impl Pages {
    pub(super) const EMPTY: Self = Self {
        all: [Page { occupied: 0, owners: [0; MAX_LANES] }; MAX_PAGES],
        top: 0,
        alternatives: 0,
    };

    /// The columns of the topmost page that hold alternatives.
    pub(super) fn occupied(&self) -> LaneSet {
        self.all[self.top].occupied
    }

    /// The columns `lanes` of the topmost page become alternatives of these `owners`, if they are empty or
    /// another page can be laid on top: whether that is so.
    pub(super) fn push(&mut self, lanes: LaneSet, owners: &[SearchId; MAX_LANES]) -> bool {
        if lanes & self.occupied() != 0 {
            if self.top + 1 == MAX_PAGES {
                return false;
            }
            self.top += 1;
        }
        self.alternatives += lanes.count_ones();
        let page = &mut self.all[self.top];
        page.occupied |= lanes;
        for lane in lanes_of(lanes) {
            page.owners[lane] = owners[lane];
        }
        true
    }

    /// An alternative for each of the lanes `takers`, while there are any; returns the lanes that get one.
    ///
    /// Those from the topmost page are still to move, which `back` says; others are in their lanes
    /// already.
    pub(super) fn take(
        &mut self,
        kernel: &mut impl Kernel,
        takers: LaneSet,
        owners: &mut [SearchId; MAX_LANES],
        restored: &mut Moves,
    ) -> LaneSet {
        let mut left = takers;
        loop {
            let page = &mut self.all[self.top];
            restored.lanes = 0;
            for (taker, column) in lanes_of(left).zip(lanes_of(page.occupied)) {
                restored.add(taker, column);
                owners[taker] = page.owners[column];
                page.occupied &= !(1 << column);
                self.alternatives -= 1;
            }
            left &= !restored.lanes;
            if left == 0 || self.top == 0 {
                return takers & !left;
            }
            if restored.lanes != 0 {
                kernel.exchange(&Exchange {
                    page: self.top,
                    restored: *restored,
                    ..Exchange::NONE
                });
            }
            self.top -= 1;
        }
    }

    /// Forgets the alternatives of a search.
    pub(super) fn remove(&mut self, owner: SearchId) {
        for page in &mut self.all[..=self.top] {
            for column in lanes_of(page.occupied) {
                if page.owners[column] == owner {
                    page.occupied &= !(1 << column);
                    self.alternatives -= 1;
                }
            }
        }
    }
}
