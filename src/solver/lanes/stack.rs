//! Sides that are still to be looked at.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  held          │ B │   │ B │ B │   │ ... │ B │   the side put by last, in the lane's own column
//!                  │       │   │             │
//!  top             3   7   5   3             2     the frame below, for each lane
//!
//!  frame 3       │l0 │l25│l10│l3 │   │l13│   │   │ 81 rows of eight columns: lane l lies in
//!  links           ─   1   4   9       2           column l mod 8; what lies below it is linked
//! ```
//!
//! Half of all sides that are put by come back before the lane puts by another one. So the
//! topmost side of every lane is held in a block like the cells: putting it there and taking it
//! back is a blend for all lanes at once. Only when a lane that holds a side puts by another
//! one, the held side goes into a frame. Frames are narrow, to stay in the cache: a frame takes
//! one lane of each residue modulo 8, so that its columns are lanes of one block or the other,
//! and repeating a row over the vector brings each column back to its lane.
//!
//! The links allow any depth. With 32 lanes sides also go into the free columns of frames that are in
//! use; with fewer into empty frames.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, u8x32, u16x8};

use super::branch::{MAX_DEPTH, Split};
use super::sweep::Cells;
use super::vector::{LaneSet, Vector, lanes_of};
use crate::puzzle::CELLS;

/// No frame: nothing lies below.
const BOTTOM: u16 = u16::MAX;

/// The most frames that are blended in one pass.
const AT_ONCE: usize = 4;

/// How many frames are looked at at once for free columns.
const LIVE_AT_ONCE: usize = 32;

/// Room for the frames that lanes return from, with some to spare for the last pass.
const MOST: usize = 32 + AT_ONCE;

/// One side in each column.
type Frame<S> = [u16x8<S>; CELLS];

/// What is known of a frame; beside the frames, since it is read far more often.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Links {
    /// The frame below, for each column.
    below: [u16; 8],
    /// The lanes that return from it in this pass.
    returning: LaneSet,
}

/// Lanes that return from one frame.
#[derive(Clone, Copy)]
struct Source {
    frame: u16,
    lanes: LaneSet,
}

/// The stacks of all lanes.
pub(super) struct Stack<S: Simd, V> {
    /// The side that each lane has put by last.
    held: Box<Cells<V>>,
    /// The lanes for which that is so; the others have none, or only in frames.
    holding: LaneSet,
    /// The topmost frame of each lane.
    top: [u16; 32],
    /// The lanes that have something in frames.
    deep: LaneSet,
    frames: Vec<Frame<S>>,
    links: Vec<Links>,
    /// The columns in use of each frame, also of those that have not been needed yet.
    live: Vec<u8>,
    /// The frames that lanes return from in this pass.
    sources: [Source; MOST],
}

impl<S: Simd, V: Vector<S>> Stack<S, V> {
    /// Whether lanes go into free columns of frames that are in use, too. That takes a blend, but
    /// less than half the frames (24 instead of 55 on the hardest set): it pays for 32 lanes, whose
    /// frames would fall out of the first-level cache.
    const DENSE: bool = V::LEN > 16;

    /// Room for all that the lanes can need, since a frame holds at least one side. What is
    /// never needed is never touched.
    pub(super) fn new(s: S) -> Self {
        let most = V::LEN * MAX_DEPTH;
        let mut frames = Vec::with_capacity(most);
        frames.push([u16x8::splat(s, 0); CELLS]);
        let mut links = Vec::with_capacity(most);
        links.push(Links { below: [BOTTOM; 8], returning: 0 });
        Self {
            held: Box::new([V::splat(s, 0); CELLS]),
            holding: 0,
            top: [BOTTOM; 32],
            deep: 0,
            frames,
            links,
            live: vec![0; most],
            sources: [Source { frame: 0, lanes: 0 }; MOST],
        }
    }

    /// The lanes with something on their stack.
    #[inline(always)]
    pub(super) fn occupied(&self) -> LaneSet {
        self.holding | self.deep
    }

    /// Forgets all sides of a lane.
    #[inline(always)]
    pub(super) fn clear(&mut self, lane: usize) {
        self.holding &= !(1 << lane);
        if self.deep >> lane & 1 == 0 {
            return;
        }
        self.deep &= !(1 << lane);
        let mut index = std::mem::replace(&mut self.top[lane], BOTTOM);
        while index != BOTTOM {
            self.live[usize::from(index)] &= !(1 << (lane % 8));
            index = self.links[usize::from(index)].below[lane % 8];
        }
    }

    /// The lanes with more than one side put by; [`Stack::take_last`] is for them.
    #[inline(always)]
    pub(super) fn generous(&self) -> LaneSet {
        self.holding & self.deep
    }

    /// Takes the side at the bottom of a lane's stack, which must be in a frame, and puts it
    /// into lane `taker` of the cells.
    #[inline(always)]
    pub(super) fn take_last(&mut self, lane: usize, cells: &mut Cells<V>, taker: usize) {
        let column = lane % 8;
        let (mut index, mut above) = (self.top[lane], None);
        while self.links[usize::from(index)].below[column] != BOTTOM {
            above = Some(index);
            index = self.links[usize::from(index)].below[column];
        }
        if let Some(above) = above {
            self.links[usize::from(above)].below[column] = BOTTOM;
        } else {
            self.top[lane] = BOTTOM;
            self.deep &= !(1 << lane);
        }
        let frame = &self.frames[usize::from(index)];
        for (cell, side) in cells.iter_mut().zip(frame) {
            cell.as_mut_slice()[taker] = side.as_slice()[column];
        }
        self.live[usize::from(index)] &= !(1 << column);
    }

    /// The lanes `branching` go on with side A and put side B by; the lanes `returning`, which
    /// must have put something by, go on with that.
    #[inline(always)]
    pub(super) fn exchange(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        branching: LaneSet,
        returning: LaneSet,
    ) {
        self.put_into_frames(s, branching & self.holding);
        let back = returning & self.holding;
        let count = self.leave_frames(returning & !self.holding);
        self.take_from_frames(s, cells, AT_ONCE, count);
        match count {
            0 => self.exchange_with::<0>(s, cells, split, branching, back),
            1 => self.exchange_with::<1>(s, cells, split, branching, back),
            2 => self.exchange_with::<2>(s, cells, split, branching, back),
            3 => self.exchange_with::<3>(s, cells, split, branching, back),
            _ => self.exchange_with::<AT_ONCE>(s, cells, split, branching, back),
        }
        self.holding = (self.holding & !returning) | branching;
    }

    /// The pass of an exchange that reads and writes every cell, with the first `N` frames on
    /// the way.
    #[inline(always)]
    fn exchange_with<const N: usize>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        branching: LaneSet,
        back: LaneSet,
    ) {
        let (fresh, back) = (V::mask(s, branching), V::chosen(s, back));
        let (lanes, frames) = frames_of::<S, V, N>(s, &self.frames, &self.sources);
        let held: &mut Cells<V> = &mut self.held;
        // In loops of three: longer ones are not unrolled, and places cost more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let mut x = cells[i].or_in(back, held[i]);
                        for f in 0..N {
                            x = x.or_in(lanes[f], V::repeat(frames[f][i]));
                        }
                        let (a, b) = taken.of_cell(x, row, column);
                        cells[i] = a;
                        held[i] = fresh.select(b, held[i]);
                    }
                }
            }
        }
    }

    /// Only returns: [`Stack::exchange`] without lanes that branch.
    #[inline(always)]
    pub(super) fn give_back(&mut self, s: S, cells: &mut Cells<V>, returning: LaneSet) {
        let count = self.leave_frames(returning & !self.holding);
        self.take_from_frames(s, cells, 0, count);
        let back = V::chosen(s, returning & self.holding);
        for i in 0..CELLS {
            cells[i] = cells[i].or_in(back, self.held[i]);
        }
        self.holding &= !returning;
    }

    /// What `lanes` hold goes into frames.
    #[inline(always)]
    fn put_into_frames(&mut self, s: S, mut lanes: LaneSet) {
        self.deep |= lanes;
        while lanes != 0 {
            let chosen = one_of_each_residue(lanes);
            lanes &= !chosen;
            let columns = columns_of(chosen);
            let wanted = if Self::DENSE { columns } else { u8::MAX };
            let index = self.room(s, wanted);
            let frame = &mut self.frames[usize::from(index)];
            fold_into(s, frame, &self.held, V::folding(s, chosen), wanted);
            self.live[usize::from(index)] |= columns;
            let links = &mut self.links[usize::from(index)];
            for lane in lanes_of(chosen) {
                links.below[lane % 8] = std::mem::replace(&mut self.top[lane], index);
            }
        }
    }

    /// The first frame in which these columns are free, a new one if there is none.
    #[inline(always)]
    fn room(&mut self, s: S, columns: u8) -> u16 {
        let mut first = 0;
        let index = loop {
            let live = u8x32::from_slice(s, &self.live[first..first + LIVE_AT_ONCE]);
            let free = (live & columns).simd_eq(u8x32::splat(s, 0)).to_bitmask();
            if free != 0 {
                break first + free.trailing_zeros() as usize;
            }
            first += LIVE_AT_ONCE;
        };
        if index == self.frames.len() {
            self.frames.push([u16x8::splat(s, 0); CELLS]);
            self.links.push(Links { below: [BOTTOM; 8], returning: 0 });
        }
        index as u16
    }

    /// Takes `lanes` from their topmost frames, which are then the first of the `sources`: how
    /// many.
    #[inline(always)]
    fn leave_frames(&mut self, lanes: LaneSet) -> usize {
        let mut count = 0;
        for lane in lanes_of(lanes) {
            let frame = self.leave(lane);
            let returning = &mut self.links[usize::from(frame)].returning;
            self.sources[count].frame = frame;
            count += usize::from(*returning == 0);
            *returning |= 1 << lane;
        }
        for source in &mut self.sources[..count] {
            let links = &mut self.links[usize::from(source.frame)];
            source.lanes = std::mem::take(&mut links.returning);
        }
        // No lane returns from those that fill up the last pass.
        for source in &mut self.sources[count..count + AT_ONCE] {
            source.lanes = 0;
        }
        count
    }

    /// The sources from `first` to `count` go into the cells. Few lanes share a frame; so that
    /// the cells are not read and written for each, some frames are blended in one pass.
    #[inline(always)]
    fn take_from_frames(&self, s: S, cells: &mut Cells<V>, first: usize, count: usize) {
        for i in (first..count).step_by(AT_ONCE) {
            match count - i {
                1 => self.blend::<1>(s, cells, &self.sources[i..]),
                2 => self.blend::<2>(s, cells, &self.sources[i..]),
                _ => self.blend::<AT_ONCE>(s, cells, &self.sources[i..]),
            }
        }
    }

    /// Takes a lane from its topmost frame.
    #[inline(always)]
    fn leave(&mut self, lane: usize) -> u16 {
        let index = self.top[lane];
        self.top[lane] = self.links[usize::from(index)].below[lane % 8];
        self.live[usize::from(index)] &= !(1 << (lane % 8));
        self.deep &= !(LaneSet::from(self.top[lane] == BOTTOM) << lane);
        index
    }

    #[inline(always)]
    fn blend<const N: usize>(&self, s: S, cells: &mut Cells<V>, sources: &[Source]) {
        let (lanes, frames) = frames_of::<S, V, N>(s, &self.frames, sources);
        for i in 0..CELLS {
            let mut x = cells[i];
            for f in 0..N {
                x = x.or_in(lanes[f], V::repeat(frames[f][i]));
            }
            cells[i] = x;
        }
    }
}

/// The first `N` of the sources: lanes and frames.
#[inline(always)]
fn frames_of<'a, S: Simd, V: Vector<S>, const N: usize>(
    s: S,
    all: &'a [Frame<S>],
    sources: &[Source],
) -> ([V::Chosen; N], [&'a Frame<S>; N]) {
    let mut lanes = [V::chosen(s, 0); N];
    let mut frames = [&all[0]; N];
    for i in 0..N {
        lanes[i] = V::chosen(s, sources[i].lanes);
        frames[i] = &all[usize::from(sources[i].frame)];
    }
    (lanes, frames)
}

/// One block of every vector of `cells`.
#[inline(always)]
fn fold_into<S: Simd, V: Vector<S>>(
    s: S,
    frame: &mut Frame<S>,
    cells: &Cells<V>,
    folding: V::Folding,
    columns: u8,
) {
    let wanted = u16x8::chosen(s, columns.into());
    for i in 0..CELLS {
        let folded = cells[i].fold(folding);
        frame[i] = if columns == u8::MAX { folded } else { frame[i].or_in(wanted, folded) };
    }
}

/// The columns of lanes.
#[inline(always)]
fn columns_of(lanes: LaneSet) -> u8 {
    let [a, b, c, d] = lanes.to_le_bytes();
    a | b | c | d
}

/// Of the lanes that are equal modulo 8, only the lowest.
#[inline(always)]
fn one_of_each_residue(lanes: LaneSet) -> LaneSet {
    let [a, b, c, d] = lanes.to_le_bytes();
    LaneSet::from_le_bytes([a, b & !a, c & !(a | b), d & !(a | b | c)])
}
