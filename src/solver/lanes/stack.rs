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
//! The links allow any depth; a frame is free again when its last column has left it.

use fearless_simd::{Select, Simd, SimdBase, u16x8};

use super::branch::{MAX_DEPTH, Split};
use super::sweep::Cells;
use super::vector::{LaneSet, Vector, lanes_of};
use crate::puzzle::CELLS;

/// No frame: nothing lies below.
const BOTTOM: u16 = u16::MAX;

/// How many frames a pass over the cells blends.
const TOGETHER: usize = 4;

/// One side in each column.
type Frame<S> = [u16x8<S>; CELLS];

/// What is known of a frame; beside the frames, since it is read far more often.
#[derive(Clone, Copy)]
struct Links {
    /// The frame below, for each column.
    below: [u16; 8],
    /// The columns in use.
    live: u8,
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
    free: Vec<u16>,
}

impl<S: Simd, V: Vector<S>> Stack<S, V> {
    /// Room for all that the lanes can need, since a frame holds at least one side. What is
    /// never needed is never touched.
    pub(super) fn new(s: S) -> Self {
        let most = V::LEN * MAX_DEPTH;
        Self {
            held: Box::new([V::splat(s, 0); CELLS]),
            holding: 0,
            top: [BOTTOM; 32],
            deep: 0,
            frames: Vec::with_capacity(most),
            links: Vec::with_capacity(most),
            free: Vec::with_capacity(most),
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
        while self.top[lane] != BOTTOM {
            self.leave(lane);
        }
    }

    /// The lanes `branching` go on with side A and put side B by; the lanes `returning`, which
    /// must have put something by, go on with that.
    #[inline(always)]
    pub(super) fn exchange(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V>,
        branching: LaneSet,
        returning: LaneSet,
    ) {
        self.put_into_frames(s, branching & self.holding);
        self.take_from_frames(s, cells, returning & !self.holding);
        let (mask, back) = (V::mask(s, branching), V::mask(s, returning & self.holding));
        for row in 0..9 {
            for column in 0..9 {
                let i = row * 9 + column;
                let held = self.held[i];
                let (a, b) = split.of_cell(back.select(held, cells[i]), row, column);
                cells[i] = a;
                self.held[i] = mask.select(b, held);
            }
        }
        self.holding = (self.holding & !returning) | branching;
    }

    /// Only returns: [`Stack::exchange`] without lanes that branch.
    #[inline(always)]
    pub(super) fn give_back(&mut self, s: S, cells: &mut Cells<V>, returning: LaneSet) {
        self.take_from_frames(s, cells, returning & !self.holding);
        let back = V::mask(s, returning & self.holding);
        for i in 0..CELLS {
            cells[i] = back.select(self.held[i], cells[i]);
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
            let index = self.free_frame(s);
            let fold = V::folding(s, chosen);
            let frame = &mut self.frames[usize::from(index)];
            for i in 0..CELLS {
                frame[i] = self.held[i].fold(fold);
            }
            let links = &mut self.links[usize::from(index)];
            for lane in lanes_of(chosen) {
                links.live |= 1 << (lane % 8);
                links.below[lane % 8] = std::mem::replace(&mut self.top[lane], index);
            }
        }
    }

    #[inline(always)]
    fn free_frame(&mut self, s: S) -> u16 {
        self.free.pop().unwrap_or_else(|| {
            self.frames.push([u16x8::splat(s, 0); CELLS]);
            self.links.push(Links { below: [BOTTOM; 8], live: 0, returning: 0 });
            (self.frames.len() - 1) as u16
        })
    }

    /// The topmost frames of `lanes` go into the cells. Few lanes share a frame; so that the
    /// cells are not read and written for each, some frames are blended in one pass.
    #[inline(always)]
    fn take_from_frames(&mut self, s: S, cells: &mut Cells<V>, lanes: LaneSet) {
        if lanes == 0 {
            return;
        }
        let mut sources = [Source { frame: 0, lanes: 0 }; 32 + TOGETHER];
        let mut count = 0;
        for lane in lanes_of(lanes) {
            let frame = self.leave(lane);
            let returning = &mut self.links[usize::from(frame)].returning;
            sources[count].frame = frame;
            count += usize::from(*returning == 0);
            *returning |= 1 << lane;
        }
        for source in &mut sources[..count] {
            let links = &mut self.links[usize::from(source.frame)];
            source.lanes = std::mem::take(&mut links.returning);
        }
        // The frame after the last one may be any that exists: no lane returns from it.
        sources[count].frame = 0;
        for sources in sources[..count.next_multiple_of(TOGETHER)].as_chunks::<TOGETHER>().0 {
            match sources.iter().filter(|source| source.lanes != 0).count() {
                1 => self.blend::<1>(s, cells, sources),
                2 => self.blend::<2>(s, cells, sources),
                _ => self.blend::<TOGETHER>(s, cells, sources),
            }
        }
    }

    /// Takes a lane from its topmost frame.
    #[inline(always)]
    fn leave(&mut self, lane: usize) -> u16 {
        let index = self.top[lane];
        let links = &mut self.links[usize::from(index)];
        self.top[lane] = links.below[lane % 8];
        links.live &= !(1 << (lane % 8));
        if links.live == 0 {
            self.free.push(index);
        }
        self.deep &= !(LaneSet::from(self.top[lane] == BOTTOM) << lane);
        index
    }

    #[inline(always)]
    fn blend<const N: usize>(&self, s: S, cells: &mut Cells<V>, sources: &[Source; TOGETHER]) {
        let mut masks = [V::mask(s, 0); N];
        let mut frames = [&self.frames[0]; N];
        for i in 0..N {
            masks[i] = V::mask(s, sources[i].lanes);
            frames[i] = &self.frames[usize::from(sources[i].frame)];
        }
        for cell in 0..CELLS {
            let mut x = cells[cell];
            for i in 0..N {
                x = masks[i].select(V::block_splat(frames[i][cell]), x);
            }
            cells[cell] = x;
        }
    }
}

/// Of the lanes that are equal modulo 8, only the lowest.
#[inline(always)]
fn one_of_each_residue(lanes: LaneSet) -> LaneSet {
    let [a, b, c, d] = lanes.to_le_bytes();
    LaneSet::from_le_bytes([a, b & !a, c & !(a | b), d & !(a | b | c)])
}
