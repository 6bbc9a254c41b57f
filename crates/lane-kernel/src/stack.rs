//! Per-lane stacks of pending alternatives.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  held          │ B │   │ B │ B │   │ ... │ B │   the alternative pushed last, in the lane's own column
//!                  │       │   │             │
//!  top             3   7   5   3             2     the frame below, for each lane
//!
//!  frame 3       │l0 │l25│l10│l3 │   │l13│   │   │ 81 rows of eight columns: lane l lies in
//!  links           ─   1   4   9       2           column l mod 8; the frame below it is linked
//! ```
//!
//! Half of all alternatives that are pushed come back before the lane pushes another one. So the topmost alternative
//! of every lane is held in a block like the cells: putting it there and taking it back is a blend for
//! all lanes at once. When a lane that holds an alternative pushes another one, the held alternative goes into a frame.
//! Frames are narrow, to stay in the cache: a frame takes one lane of each residue modulo 8, so that
//! repeating a row over the vector brings each column back to its lane. Alternatives also go into the free columns
//! of frames that are in use.
//!
//! Where puzzles have several solutions, many lanes push one alternative after the other, of which few
//! ever come back. So when far more lanes go down than come back, the held block itself becomes a *wide*
//! frame, each lane in its own column, and another block takes its place. That costs next to nothing,
//! but a whole pass for each lane that returns from it, and memory: there are a few, and further alternatives go
//! into narrow frames.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, u16x8, u32x16};

use super::branch::{MAX_DEPTH, Split};
use super::sweep::Cells;
use super::transpose::column;
use super::vector::Vector;
use crate::{CELLS, Column, LaneSet, lanes_of};

/// No frame below.
const NO_FRAME: u16 = u16::MAX;

/// Maximum number of frames that are blended in one pass.
const FRAMES_PER_PASS: usize = 4;

/// Number of frames that are searched for free columns at once.
const FRAMES_PER_SEARCH: usize = 32;

/// Number of wide frames. No tested set of puzzles needed more; further alternatives go into
/// narrow ones. (In unit tests so few that this happens.)
const WIDE_FRAMES: usize = if cfg!(test) { 3 } else { 64 };

/// Room for the frames that lanes return from, with some to spare for the last pass.
const MAX_SOURCES: usize = 32 + FRAMES_PER_PASS;

/// One alternative in each column.
type Frame<S> = [u16x8<S>; CELLS];

/// Lanes that return from one frame.
#[derive(Clone, Copy)]
struct Source {
    frame: u16,
    lanes: LaneSet,
}

/// The stacks of all lanes.
pub(crate) struct Stack<S: Simd, V> {
    /// The alternative that each lane has pushed last.
    held: Box<Cells<V>>,
    /// The lanes that have one there; the others have none, or only in frames.
    holding: LaneSet,
    /// The topmost frame of each lane.
    top: [u16; 32],
    /// The lanes with alternatives in frames.
    deep: LaneSet,
    frames: Vec<Frame<S>>,
    /// The wide frames used so far.
    wide: Vec<Cells<V>>,
    /// The frame below, for each frame and lane. Here and in `live`, but not in `returning`, wide
    /// frames follow: they have the numbers from [`Stack::WIDE`].
    below: Vec<[u16; 32]>,
    /// The lanes that have an alternative in each frame, also in those that have not been needed yet.
    live: Vec<LaneSet>,
    /// The lanes that return from each narrow frame in this pass.
    returning: Vec<LaneSet>,
    /// The frames that lanes return from in this pass.
    sources: [Source; MAX_SOURCES],
}

impl<S: Simd, V: Vector<S>> Stack<S, V> {
    /// The number of the first wide frame: lanes cannot need as many narrow ones, since a frame holds
    /// at least one alternative.
    const WIDE: usize = V::LEN * MAX_DEPTH;

    /// What is held becomes a wide frame when far more lanes push such an alternative than
    /// return. On hard puzzles that is rare: there they are fewer.
    const WIDE_FROM: u32 = V::LEN as u32 * 6 / 32;

    /// Room for all that the lanes can need. What is never needed is never touched.
    pub(crate) fn new(s: S) -> Self {
        let mut frames = Vec::with_capacity(Self::WIDE);
        frames.push([u16x8::splat(s, 0); CELLS]);
        Self {
            held: Box::new([V::splat(s, 0); CELLS]),
            holding: 0,
            top: [NO_FRAME; 32],
            deep: 0,
            frames,
            wide: Vec::with_capacity(WIDE_FRAMES),
            below: vec![[0; 32]; Self::WIDE + WIDE_FRAMES],
            // The last ones are no frames: where a search for room ends.
            live: vec![0; Self::WIDE + WIDE_FRAMES + FRAMES_PER_SEARCH],
            returning: vec![0; Self::WIDE],
            sources: [Source { frame: 0, lanes: 0 }; MAX_SOURCES],
        }
    }

    /// The lanes with something on their stack.
    #[inline(always)]
    pub(crate) fn occupied(&self) -> LaneSet {
        self.holding | self.deep
    }

    /// Forgets all alternatives of these lanes.
    #[inline(always)]
    pub(crate) fn clear(&mut self, lanes: LaneSet) {
        self.holding &= !lanes;
        let lanes = lanes & self.deep;
        if lanes == 0 {
            return;
        }
        self.deep &= !lanes;
        for lane in lanes_of(lanes) {
            self.top[lane] = NO_FRAME;
        }
        for live in &mut self.live[..self.frames.len()] {
            *live &= !lanes;
        }
        for live in &mut self.live[Self::WIDE..Self::WIDE + self.wide.len()] {
            *live &= !lanes;
        }
    }

    /// Takes what a lane has pushed last, if it has anything.
    pub(crate) fn pop(&mut self, lane: usize) -> Option<Column> {
        if self.holding >> lane & 1 != 0 {
            self.holding &= !(1 << lane);
            return Some(column(&self.held, lane));
        }
        if self.deep >> lane & 1 == 0 {
            return None;
        }
        let frame = usize::from(self.pop_frame(lane));
        Some(match frame.checked_sub(Self::WIDE) {
            Some(wide) => column(&self.wide[wide], lane),
            None => column(&self.frames[frame], lane % 8),
        })
    }

    /// The lanes `branching` continue with alternative A and push alternative B; the lanes `returning`, which
    /// must have pushed something, continue with that.
    #[inline(always)]
    pub(crate) fn exchange(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        branching: LaneSet,
        returning: LaneSet,
    ) {
        let pushed = branching & self.holding;
        let back = returning & self.holding;
        self.pop_frames(s, cells, returning & !self.holding);
        let is_wide = pushed.count_ones() >= returning.count_ones() + Self::WIDE_FROM;
        let wide = if is_wide { self.free_wide_frame(s) } else { None };
        if let Some(wide) = wide {
            if wide == self.wide.len() {
                self.wide.push([V::splat(s, 0); CELLS]);
            }
            std::mem::swap(&mut *self.held, &mut self.wide[wide]);
            self.link(Self::WIDE + wide, pushed);
        } else {
            self.push_into_frames(s, pushed);
        }
        let (fresh, from_held) = (V::mask(s, branching), V::chosen(s, back));
        let held: &mut Cells<V> = &mut self.held;
        // What was held before is in a wide frame if it has just become one.
        let before = wide.map(|wide| &self.wide[wide]);
        // In loops of three: longer ones are not unrolled, and places cost more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let x =
                            from_held.either(before.map_or(held[i], |before| before[i]), cells[i]);
                        let (a, b) = taken.of_cell(x, row, column);
                        cells[i] = a;
                        // Read again, not kept from above: so it becomes a masked store.
                        held[i] = fresh.select(b, before.map_or(held[i], |before| before[i]));
                    }
                }
            }
        }
        self.holding = (self.holding & !returning) | branching;
    }

    /// Only returns: [`Stack::exchange`] without lanes that branch.
    #[inline(always)]
    pub(crate) fn pop_all(&mut self, s: S, cells: &mut Cells<V>, returning: LaneSet) {
        self.pop_frames(s, cells, returning & !self.holding);
        let back = V::chosen(s, returning & self.holding);
        for i in 0..CELLS {
            cells[i] = back.either(self.held[i], cells[i]);
        }
        self.holding &= !returning;
    }

    /// What `lanes` hold goes into narrow frames.
    #[inline(always)]
    fn push_into_frames(&mut self, s: S, mut lanes: LaneSet) {
        while lanes != 0 {
            let chosen = one_of_each_residue(lanes);
            lanes &= !chosen;
            let columns = columns_of(chosen);
            let index = self.first_free(s, 0, LaneSet::from_le_bytes([columns; 4]));
            if index == self.frames.len() {
                self.frames.push([u16x8::splat(s, 0); CELLS]);
            }
            let (frame, columns) = (&mut self.frames[index], u16x8::chosen(s, columns.into()));
            for i in 0..CELLS {
                frame[i] = columns.either(self.held[i].fold(s, chosen), frame[i]);
            }
            self.link(index, chosen);
        }
    }

    /// The first wide frame in which no lane has an alternative, if there is one.
    #[inline(always)]
    fn free_wide_frame(&self, s: S) -> Option<usize> {
        let wide = self.first_free(s, Self::WIDE, LaneSet::MAX) - Self::WIDE;
        (wide < WIDE_FRAMES).then_some(wide)
    }

    /// The first frame, from number `first`, in which these lanes have no alternative.
    #[inline(always)]
    fn first_free(&self, s: S, mut first: usize, lanes: LaneSet) -> usize {
        let zero = u32x16::splat(s, 0);
        loop {
            let low = u32x16::from_slice(s, &self.live[first..first + 16]);
            let high = u32x16::from_slice(s, &self.live[first + 16..first + FRAMES_PER_SEARCH]);
            let free = (low & lanes).simd_eq(zero).to_bitmask()
                | (high & lanes).simd_eq(zero).to_bitmask() << 16;
            if free != 0 {
                return first + free.trailing_zeros() as usize;
            }
            first += FRAMES_PER_SEARCH;
        }
    }

    /// A frame becomes the topmost one of these lanes.
    #[inline(always)]
    fn link(&mut self, index: usize, lanes: LaneSet) {
        self.deep |= lanes;
        self.live[index] |= lanes;
        let below = &mut self.below[index];
        for lane in lanes_of(lanes) {
            below[lane] = std::mem::replace(&mut self.top[lane], index as u16);
        }
    }

    /// Takes `lanes` from their topmost frames.
    #[inline(always)]
    fn pop_frames(&mut self, s: S, cells: &mut Cells<V>, lanes: LaneSet) {
        let mut count = 0;
        for lane in lanes_of(lanes) {
            let frame = self.pop_frame(lane);
            if let Some(wide) = usize::from(frame).checked_sub(Self::WIDE) {
                let (lane, frame) = (V::chosen(s, 1 << lane), &self.wide[wide]);
                for i in 0..CELLS {
                    cells[i] = lane.either(frame[i], cells[i]);
                }
                continue;
            }
            let returning = &mut self.returning[usize::from(frame)];
            self.sources[count].frame = frame;
            count += usize::from(*returning == 0);
            *returning |= 1 << lane;
        }
        for source in &mut self.sources[..count] {
            source.lanes = std::mem::take(&mut self.returning[usize::from(source.frame)]);
        }
        // No lane returns from those that fill up the last pass.
        for source in &mut self.sources[count..count + FRAMES_PER_PASS] {
            source.lanes = 0;
        }
        // Few lanes share a frame; so that the cells are not read and written for each, some frames are
        // blended in one pass.
        for i in (0..count).step_by(FRAMES_PER_PASS) {
            match count - i {
                1 => self.blend::<1>(s, cells, &self.sources[i..]),
                2 => self.blend::<2>(s, cells, &self.sources[i..]),
                _ => self.blend::<FRAMES_PER_PASS>(s, cells, &self.sources[i..]),
            }
        }
    }

    /// Takes a lane from its topmost frame.
    #[inline(always)]
    fn pop_frame(&mut self, lane: usize) -> u16 {
        let index = self.top[lane];
        self.top[lane] = self.below[usize::from(index)][lane];
        self.live[usize::from(index)] &= !(1 << lane);
        self.deep &= !(LaneSet::from(self.top[lane] == NO_FRAME) << lane);
        index
    }

    #[inline(always)]
    fn blend<const N: usize>(&self, s: S, cells: &mut Cells<V>, sources: &[Source]) {
        let mut lanes = [V::splat(s, 0); N];
        let mut frames = [&self.frames[0]; N];
        for i in 0..N {
            lanes[i] = V::chosen(s, sources[i].lanes);
            frames[i] = &self.frames[usize::from(sources[i].frame)];
        }
        for i in 0..CELLS {
            let mut x = cells[i];
            for f in 0..N {
                x = lanes[f].either(V::block_splat(frames[f][i]), x);
            }
            cells[i] = x;
        }
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
