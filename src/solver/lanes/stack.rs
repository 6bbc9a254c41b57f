//! The sides that wait for a lane of their own.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  held          │ B │   │ B │ B │   │ ... │ B │   the side pushed last, in the lane's own column
//!                  │       │   │             │
//!  top             3   7   5   3             2     the place below, for each lane
//!
//!  frame 3       │l0 │l25│l10│l3 │   │l13│   │   │ a frame has eight columns: lane l lies in
//!  below           ─   1   4   9       2           column l mod 8; what lies below it is linked
//! ```
//!
//! Half of all sides that are pushed come back before the lane pushes another one. So the
//! topmost side of every lane is held on a page: putting it there and taking it
//! back is a blend for all lanes at once. Only when a lane that holds a side pushes another
//! one, the held side goes into a frame. Frames are narrow, to stay in the cache. The links allow any
//! depth.
//!
//! Where puzzles have several solutions, many lanes push one side after the other, of which few
//! ever come back: moving them into frames would be for nothing. So when far more lanes go down than
//! come back, the page that holds them becomes a place like a frame, each lane in its own column, and
//! another page takes over. There are a few pages; sides beyond go into frames.

use lane_kernel::{
    COLUMNS, Column, Kernel, LaneSet, MAX_DEPTH, MOST_LANES, Own, OwnExchange, lanes_of,
};

use super::pages;

/// No place: nothing lies below.
const BOTTOM: u16 = u16::MAX;

/// How many frames there can be: one holds at least one side.
pub(super) const MOST_FRAMES: usize = MOST_LANES * MAX_DEPTH;

/// The first place that is a page.
const FIRST_PAGE: usize = MOST_FRAMES;

/// How many places there are.
const PLACES: usize = MOST_FRAMES + pages::MOST;

/// Frames or pages that lanes return from in this pass.
struct Sources {
    all: [Own; MOST_LANES],
    count: usize,
    /// The place of number 0.
    first: usize,
}

impl Sources {
    const fn new(first: usize) -> Self {
        Self { all: [Own { place: 0, lanes: 0 }; MOST_LANES], count: 0, first }
    }

    fn as_slice(&self) -> &[Own] {
        &self.all[..self.count]
    }
}

/// The stacks of all lanes. A place is a frame, or a page by its number from [`FIRST_PAGE`].
pub(super) struct Stack {
    /// The page with the side that each lane has pushed last.
    held: usize,
    /// The lanes for which that is so; the others have none, or only below.
    holding: LaneSet,
    /// The topmost place of each lane.
    top: [u16; MOST_LANES],
    /// The lanes that have something there.
    deep: LaneSet,
    /// The place below, for each place and lane.
    below: Vec<[u16; MOST_LANES]>,
    /// The free frames in words of 64, by column.
    free: Vec<[u64; COLUMNS]>,
    /// The lanes that have a side on each page.
    live: [LaneSet; pages::MOST],
    /// The lanes that return from each place in this pass.
    returning: Vec<LaneSet>,
    from_frames: Sources,
    from_pages: Sources,
    /// Whether lanes go into free columns of frames that are in use, too. That takes less
    /// than half the frames (24 instead of 55 on the hardest set): it pays for 32 lanes, whose
    /// frames would fall out of the first-level cache.
    dense: bool,
    /// A page becomes a place when this many more lanes push a side that they hold than return. On
    /// hard puzzles that is rare: there they are fewer.
    many: u32,
}

impl Stack {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            held: 0,
            holding: 0,
            top: [BOTTOM; MOST_LANES],
            deep: 0,
            below: vec![[0; MOST_LANES]; PLACES],
            free: vec![[u64::MAX; COLUMNS]; MOST_FRAMES.div_ceil(64)],
            live: [0; pages::MOST],
            returning: vec![0; PLACES],
            from_frames: Sources::new(0),
            from_pages: Sources::new(FIRST_PAGE),
            dense: lanes > 16,
            many: lanes as u32 * 6 / 32,
        }
    }

    /// The lanes with something on their stack.
    pub(super) fn occupied(&self) -> LaneSet {
        self.holding | self.deep
    }

    /// Forgets all sides of these lanes.
    pub(super) fn clear(&mut self, lanes: LaneSet) {
        self.holding &= !lanes;
        for lane in lanes_of(lanes & self.deep) {
            while self.top[lane] != BOTTOM {
                self.leave(lane);
            }
        }
    }

    /// The lanes with more than one side pushed; [`Stack::take_last`] is for them.
    pub(super) fn generous(&self) -> LaneSet {
        self.holding & self.deep
    }

    /// Takes the side at the bottom of a lane's stack, which must not be held, and puts it
    /// into the work lane `taker`.
    pub(super) fn take_last(&mut self, kernel: &mut dyn Kernel, lane: usize, taker: usize) {
        let (mut place, mut above) = (usize::from(self.top[lane]), None);
        while self.below[place][lane] != BOTTOM {
            above = Some(place);
            place = usize::from(self.below[place][lane]);
        }
        if let Some(above) = above {
            self.below[above][lane] = BOTTOM;
        } else {
            self.top[lane] = BOTTOM;
            self.deep &= !(1 << lane);
        }
        self.free_column(place, lane);
        let from = match place.checked_sub(FIRST_PAGE) {
            Some(page) => Column::Page(page, lane),
            None => Column::Frame(place, lane),
        };
        kernel.copy(from, Column::Work(taker));
    }

    /// The lanes `branching` continue with side A and push side B; the lanes `returning`, which
    /// must have pushed something, continue with that.
    pub(super) fn exchange(
        &mut self,
        kernel: &mut dyn Kernel,
        branching: LaneSet,
        returning: LaneSet,
    ) {
        let (pushed, back) = (branching & self.holding, returning & self.holding);
        let held_before = self.held;
        let (mut to_frames, mut count) = ([Own { place: 0, lanes: 0 }; MOST_LANES / COLUMNS], 0);
        if pushed.count_ones() >= returning.count_ones() + self.many
            && let Some(page) = self.spare_page()
        {
            self.live[held_before] = pushed;
            self.link(FIRST_PAGE + held_before, pushed);
            self.held = page;
        } else {
            let mut lanes = pushed;
            while lanes != 0 {
                let chosen = one_of_each_column(lanes);
                lanes &= !chosen;
                let place = self.take_columns(columns_of(chosen));
                self.link(place, chosen);
                to_frames[count] = Own { place: place as u16, lanes: chosen };
                count += 1;
            }
        }
        self.leave_all(returning & !back);
        self.holding = (self.holding & !returning) | branching;
        kernel.exchange_own(&OwnExchange {
            branching,
            back,
            held: self.held,
            held_before,
            to_frames: &to_frames[..count],
            from_frames: self.from_frames.as_slice(),
            from_pages: self.from_pages.as_slice(),
        });
    }

    /// A page on which no lane has a side, if there is one.
    fn spare_page(&self) -> Option<usize> {
        (0..pages::MOST).find(|&page| page != self.held && self.live[page] == 0)
    }

    /// The first frame in which these columns are free; they are taken.
    fn take_columns(&mut self, columns: u8) -> usize {
        for (word, free) in self.free.iter_mut().enumerate() {
            let all = if self.dense {
                lanes_of(columns.into()).fold(u64::MAX, |all, column| all & free[column])
            } else {
                free.iter().fold(u64::MAX, |all, free| all & free)
            };
            if all != 0 {
                for column in lanes_of(columns.into()) {
                    free[column] &= !(all & all.wrapping_neg());
                }
                return 64 * word + all.trailing_zeros() as usize;
            }
        }
        unreachable!("a frame holds at least one side");
    }

    /// A lane has no side in this place any more.
    fn free_column(&mut self, place: usize, lane: usize) {
        if let Some(page) = place.checked_sub(FIRST_PAGE) {
            self.live[page] &= !(1 << lane);
        } else {
            self.free[place / 64][lane % COLUMNS] |= 1 << (place % 64);
        }
    }

    /// A place becomes the topmost one of these lanes.
    fn link(&mut self, place: usize, lanes: LaneSet) {
        self.deep |= lanes;
        let below = &mut self.below[place];
        for lane in lanes_of(lanes) {
            below[lane] = std::mem::replace(&mut self.top[lane], place as u16);
        }
    }

    /// Takes lanes from their topmost places, which are frames or pages.
    fn leave_all(&mut self, lanes: LaneSet) {
        self.from_frames.count = 0;
        self.from_pages.count = 0;
        for lane in lanes_of(lanes) {
            let place = self.leave(lane);
            let sources =
                if place < FIRST_PAGE { &mut self.from_frames } else { &mut self.from_pages };
            let returning = &mut self.returning[place];
            sources.all[sources.count].place = (place - sources.first) as u16;
            sources.count += usize::from(*returning == 0);
            *returning |= 1 << lane;
        }
        for Sources { all, count, first } in [&mut self.from_frames, &mut self.from_pages] {
            for Own { place, lanes } in &mut all[..*count] {
                *lanes = std::mem::take(&mut self.returning[*first + usize::from(*place)]);
            }
        }
    }

    /// Takes a lane from its topmost place: which.
    fn leave(&mut self, lane: usize) -> usize {
        let place = usize::from(self.top[lane]);
        self.top[lane] = self.below[place][lane];
        self.free_column(place, lane);
        self.deep &= !(LaneSet::from(self.top[lane] == BOTTOM) << lane);
        place
    }
}

/// The columns of lanes.
fn columns_of(lanes: LaneSet) -> u8 {
    let [a, b, c, d] = lanes.to_le_bytes();
    a | b | c | d
}

/// Of the lanes with the same column, only the lowest.
fn one_of_each_column(lanes: LaneSet) -> LaneSet {
    let [a, b, c, d] = lanes.to_le_bytes();
    LaneSet::from_le_bytes([a, b & !a, c & !(a | b), d & !(a | b | c)])
}
