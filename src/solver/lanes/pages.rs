//! Sides that wait for a lane, those of all searches together, on the kernel's pages.
//!
//! Sides go onto the topmost page and come from it, into any lane: that takes a blend to put them
//! there, and a permutation to take them back.

use lane_kernel::{Exchange, Kernel, LaneSet, MOST_LANES, Moves, lanes_of};

use super::searches::SearchId;

/// How many pages there are. Hard sets want three or four. (In unit tests so few that they do not
/// suffice.)
pub(super) const MOST: usize = if cfg!(test) { 2 } else { 64 };

/// The sides on a page.
#[derive(Clone, Copy)]
struct Page {
    occupied: LaneSet,
    /// Whose they are, by column.
    owners: [SearchId; MOST_LANES],
}

/// Which sides lie on the kernel's pages.
pub(super) struct Pages {
    all: [Page; MOST],
    /// The topmost one. Those below may be empty, those above are.
    pub(super) top: usize,
    /// How many sides lie here.
    pub(super) sides: u32,
}

impl Pages {
    pub(super) const EMPTY: Self =
        Self { all: [Page { occupied: 0, owners: [0; MOST_LANES] }; MOST], top: 0, sides: 0 };

    /// The columns of the topmost page in which sides lie.
    pub(super) fn occupied(&self) -> LaneSet {
        self.all[self.top].occupied
    }

    /// The columns `lanes` of the topmost page become sides of these `owners`, if they are empty or
    /// another page can be laid on top: whether that is so.
    pub(super) fn push(&mut self, lanes: LaneSet, owners: &[SearchId; MOST_LANES]) -> bool {
        if lanes & self.occupied() != 0 {
            if self.top + 1 == MOST {
                return false;
            }
            self.top += 1;
        }
        self.sides += lanes.count_ones();
        let page = &mut self.all[self.top];
        page.occupied |= lanes;
        for lane in lanes_of(lanes) {
            page.owners[lane] = owners[lane];
        }
        true
    }

    /// A side for each of the lanes `takers`, as long as there are any; returns the lanes that get one.
    ///
    /// Those from the topmost page are still to move, which `back` says; others are in their lanes
    /// already.
    pub(super) fn take(
        &mut self,
        kernel: &mut impl Kernel,
        takers: LaneSet,
        owners: &mut [SearchId; MOST_LANES],
        back: &mut Moves,
    ) -> LaneSet {
        let mut left = takers;
        loop {
            let page = &mut self.all[self.top];
            back.lanes = 0;
            for (taker, column) in lanes_of(left).zip(lanes_of(page.occupied)) {
                back.add(taker, column);
                owners[taker] = page.owners[column];
                page.occupied &= !(1 << column);
                self.sides -= 1;
            }
            left &= !back.lanes;
            if left == 0 || self.top == 0 {
                return takers & !left;
            }
            if back.lanes != 0 {
                kernel.exchange(&Exchange { page: self.top, back: *back, ..Exchange::NONE });
            }
            self.top -= 1;
        }
    }

    /// Forgets the sides of a search.
    pub(super) fn remove(&mut self, owner: SearchId) {
        for page in &mut self.all[..=self.top] {
            for column in lanes_of(page.occupied) {
                if page.owners[column] == owner {
                    page.occupied &= !(1 << column);
                    self.sides -= 1;
                }
            }
        }
    }
}
