//! Bookkeeping of the kernel's pages: the pending alternatives of all searches.
//!
//! Alternatives are saved on the topmost page and restored from it into any lane. Saving takes a
//! blend, and restoring takes a permutation.

use lane_kernel::{Exchange, Kernel, LaneSet, MAX_LANES, Moves, lanes_of};

use super::searches::SearchId;

/// Maximum number of pages. Hard sets need three or four. (Too few in unit tests, on purpose.)
pub(super) const MAX_PAGES: usize = if cfg!(test) { 2 } else { 64 };

/// The alternatives on one page.
#[derive(Clone, Copy)]
struct PageColumns {
    occupied: LaneSet,
    /// The search that each column belongs to.
    owners: [SearchId; MAX_LANES],
}

/// The alternatives on all pages of the kernel.
pub(super) struct PageTable {
    all: [PageColumns; MAX_PAGES],
    /// The topmost page. Pages below it may be empty; pages above it are.
    pub(super) top: usize,
    /// Number of alternatives on all pages.
    pub(super) alternatives: u32,
}

impl PageTable {
    pub(super) const EMPTY: Self = Self {
        all: [PageColumns { occupied: 0, owners: [0; MAX_LANES] }; MAX_PAGES],
        top: 0,
        alternatives: 0,
    };

    /// Returns the columns of the topmost page that hold alternatives.
    pub(super) fn occupied(&self) -> LaneSet {
        self.all[self.top].occupied
    }

    /// Saves alternatives of `owners` in the columns `lanes` of the topmost page, or of a new page
    /// if one of the columns is occupied. Returns `false` if all pages are full.
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

    /// Takes an alternative for each of the lanes `takers` until none is left. Returns the lanes
    /// that receive one.
    ///
    /// `restored` is set to the pending moves from the topmost page. Alternatives from other pages
    /// are already in their lanes.
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

    /// Removes the alternatives of a search.
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
