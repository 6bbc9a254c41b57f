//! Per-lane stacks of pending alternatives.
//!
//! ```text
//!  lane            0   1   2   3   4  ...  31
//!  held          │ B │   │ B │ B │   │ ... │ B │   the last alternative, in the lane's own column
//!                  │       │   │             │
//!  top             3   7   5   3             2     the frame below, for each lane
//!
//!  frame 3       │l0 │l25│l10│l3 │   │l13│   │   │ 81 rows of eight columns: lane l uses
//!  links           ─   1   4   9       2           column l mod 8 and links to the frame below
//! ```
//!
//! Half of all alternatives return before their lane pushes another one. So the topmost alternative
//! of every lane is held in a block like the cells: pushing it there and popping it is a blend for
//! all lanes at once. When a lane that holds an alternative pushes another one, the held
//! alternative moves to a frame. Frames are narrow, to stay in the cache: a frame has one column
//! for each residue modulo 8, so repeating a row over the vector brings each column back to its
//! lane. Alternatives also use the free columns of frames that are in use.
//!
//! When puzzles have several solutions, many lanes push one alternative after the other, few of
//! which ever return. So when far more lanes push than return, the held block itself becomes a
//! *wide* frame, with each lane in its own column, and another block replaces it. This costs next
//! to nothing at first, but returning from a wide frame takes a whole pass per lane, and wide
//! frames take memory. Their number is therefore limited, and further alternatives use narrow
//! frames.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, u16x8, u32x16};

use super::branch::{MAX_DEPTH, Split};
use super::rules::Rules;
use super::sweep::Cells;
use super::transpose::column;
use super::vector::Vector;
use crate::{CELLS, Column, LaneSet, MAX_LANES, lanes_of};

/// Marks a lane that has no frame below.
const NO_FRAME: u16 = u16::MAX;

/// Maximum number of frames that are blended in one pass.
const FRAMES_PER_PASS: usize = 4;

/// Number of frames that are checked for free columns at once.
const FRAMES_PER_SEARCH: usize = 32;

/// Maximum number of wide frames. No tested set of puzzles needed more; further alternatives use
/// narrow ones. (Few in unit tests, so that this happens.)
const WIDE_FRAMES: usize = if cfg!(test) { 3 } else { 64 };

/// Capacity for the frames that lanes return from, including the padding of the last pass.
const MAX_SOURCE_FRAMES: usize = MAX_LANES + FRAMES_PER_PASS;

/// A narrow frame: one alternative in each of eight columns.
type Frame<S> = [u16x8<S>; CELLS];

/// The lanes that return from one frame.
#[derive(Clone, Copy)]
struct SourceFrame {
    frame: u16,
    lanes: LaneSet,
}

/// The stacks of pending alternatives of all lanes.
pub(crate) struct AlternativeStacks<S: Simd, V> {
    /// The last alternative that each lane has pushed.
    held: Box<Cells<V>>,
    /// The lanes that have an alternative in `held`.
    holding: LaneSet,
    /// The topmost frame of each lane.
    top: [u16; MAX_LANES],
    /// The lanes with alternatives in frames.
    in_frames: LaneSet,
    frames: Vec<Frame<S>>,
    /// The wide frames used so far.
    wide: Vec<Cells<V>>,
    /// The frame below, for each frame and each of [`MAX_LANES`] lanes. The numbers of wide frames
    /// follow those of narrow ones, from [`AlternativeStacks::FIRST_WIDE_FRAME`] on.
    below: Vec<u16>,
    /// The lanes that have an alternative in each frame, including frames not yet allocated.
    live: Vec<LaneSet>,
    /// The lanes that return from each frame in this pass.
    returning: Vec<LaneSet>,
    /// The narrow and the wide frames that lanes return from in this pass.
    sources: [[SourceFrame; MAX_SOURCE_FRAMES]; 2],
}

impl<S: Simd, V: Rules<S>> AlternativeStacks<S, V> {
    /// Number of the first wide frame. Lanes never need this many narrow ones, since each frame in
    /// use holds at least one alternative.
    const FIRST_WIDE_FRAME: usize = V::LEN * MAX_DEPTH;

    /// The held block becomes a wide frame when this many more lanes push a held alternative than
    /// return. This is rare on hard puzzles.
    const MIN_SURPLUS_FOR_WIDE: u32 = V::LEN as u32 * 6 / 32;

    /// Reserves space for everything that the lanes can need. Unused memory is never touched.
    #[inline(always)]
    pub(crate) fn new(s: S) -> Self {
        let mut frames = Vec::with_capacity(Self::FIRST_WIDE_FRAME);
        frames.push([u16x8::splat(s, 0); CELLS]);
        Self {
            held: Box::new([V::splat(s, 0); CELLS]),
            holding: 0,
            top: [NO_FRAME; MAX_LANES],
            in_frames: 0,
            frames,
            wide: Vec::with_capacity(WIDE_FRAMES),
            below: vec![0; MAX_LANES * (Self::FIRST_WIDE_FRAME + WIDE_FRAMES)],
            // The last entries are not frames; they are where a search for a free column ends.
            live: vec![0; Self::FIRST_WIDE_FRAME + WIDE_FRAMES + FRAMES_PER_SEARCH],
            returning: vec![0; Self::FIRST_WIDE_FRAME + WIDE_FRAMES],
            sources: [0, Self::FIRST_WIDE_FRAME as u16]
                .map(|frame| [SourceFrame { frame, lanes: 0 }; MAX_SOURCE_FRAMES]),
        }
    }

    /// Returns the lanes whose stacks are not empty.
    #[inline(always)]
    pub(crate) fn occupied(&self) -> LaneSet {
        self.holding | self.in_frames
    }

    /// Removes all alternatives of these lanes.
    #[inline(always)]
    pub(crate) fn clear(&mut self, lanes: LaneSet) {
        self.holding &= !lanes;
        let lanes = lanes & self.in_frames;
        if lanes == 0 {
            return;
        }
        self.in_frames &= !lanes;
        for lane in lanes_of(lanes) {
            self.top[lane] = NO_FRAME;
        }
        for live in &mut self.live[..self.frames.len()] {
            *live &= !lanes;
        }
        for live in &mut self.live[Self::FIRST_WIDE_FRAME..Self::FIRST_WIDE_FRAME + self.wide.len()]
        {
            *live &= !lanes;
        }
    }

    /// Removes and returns the last alternative on a lane's stack.
    pub(crate) fn pop(&mut self, lane: usize) -> Option<Column> {
        if self.holding >> lane & 1 != 0 {
            self.holding &= !(1 << lane);
            return Some(column(&self.held, lane));
        }
        if self.in_frames >> lane & 1 == 0 {
            return None;
        }
        let frame = usize::from(self.pop_frame(lane));
        Some(match frame.checked_sub(Self::FIRST_WIDE_FRAME) {
            Some(wide) => column(&self.wide[wide], lane),
            None => column(&self.frames[frame], lane % 8),
        })
    }

    /// Lets the lanes of `split` continue with alternative A, of which those in `pushing` push
    /// alternative B, and the lanes `returning`, whose stacks must not be empty, continue with their
    /// last alternative.
    #[inline(always)]
    pub(crate) fn exchange(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V, S>,
        pushing: LaneSet,
        returning: LaneSet,
    ) {
        let pushed = pushing & self.holding;
        let back = returning & self.holding;
        self.pop_frames(s, cells, returning & !self.holding);
        let is_wide = pushed.count_ones() >= returning.count_ones() + Self::MIN_SURPLUS_FOR_WIDE;
        let wide = if is_wide { self.free_wide_frame(s) } else { None };
        if let Some(wide) = wide {
            if wide == self.wide.len() {
                self.wide.push([V::splat(s, 0); CELLS]);
            }
            std::mem::swap(&mut *self.held, &mut self.wide[wide]);
            self.link(Self::FIRST_WIDE_FRAME + wide, pushed);
        } else {
            self.push_into_frames(s, pushed);
        }
        let (fresh, from_held) = (V::mask(s, pushing), V::lane_bits(s, back));
        let held: &mut Cells<V> = &mut self.held;
        // The previously held alternatives are in a wide frame if `held` has just become one.
        let before = wide.map(|wide| &self.wide[wide]);
        // In nested loops of three: longer ones are not unrolled, and computing addresses costs
        // more than blends.
        for band in 0..3 {
            for stack in 0..3 {
                let taken = split.of_box(s, band, stack);
                for row in 0..3 {
                    for column in 0..3 {
                        let i = (3 * band + row) * 9 + 3 * stack + column;
                        let x = from_held
                            .select_bits(before.map_or(held[i], |before| before[i]), cells[i]);
                        let (a, b) = taken.of_cell(x, row, column);
                        cells[i] = a;
                        // Read again instead of reusing the value above, so that this becomes a
                        // masked store.
                        held[i] = fresh.select(b, before.map_or(held[i], |before| before[i]));
                    }
                }
            }
        }
        self.holding = (self.holding & !returning) | pushing;
    }

    /// Pops without branching: [`AlternativeStacks::exchange`] for lanes that only return.
    #[inline(always)]
    pub(crate) fn pop_all(&mut self, s: S, cells: &mut Cells<V>, returning: LaneSet) {
        self.pop_frames(s, cells, returning & !self.holding);
        let back = V::lane_bits(s, returning & self.holding);
        for i in 0..CELLS {
            cells[i] = back.select_bits(self.held[i], cells[i]);
        }
        self.holding &= !returning;
    }

    /// Moves the held alternatives of `lanes` into narrow frames.
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
            let (frame, columns) = (&mut self.frames[index], u16x8::lane_bits(s, columns.into()));
            for i in 0..CELLS {
                frame[i] = columns.select_bits(self.held[i].fold(s, chosen), frame[i]);
            }
            self.link(index, chosen);
        }
    }

    /// Returns the first wide frame in which no lane has an alternative.
    #[inline(always)]
    fn free_wide_frame(&self, s: S) -> Option<usize> {
        let wide =
            self.first_free(s, Self::FIRST_WIDE_FRAME, LaneSet::MAX) - Self::FIRST_WIDE_FRAME;
        (wide < WIDE_FRAMES).then_some(wide)
    }

    /// Returns the first frame, from number `first`, in which these lanes have no alternative.
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

    /// Makes a frame the topmost one of these lanes.
    #[inline(always)]
    fn link(&mut self, index: usize, lanes: LaneSet) {
        self.in_frames |= lanes;
        self.live[index] |= lanes;
        let below = &mut self.below[MAX_LANES * index..][..MAX_LANES];
        for lane in lanes_of(lanes) {
            below[lane] = std::mem::replace(&mut self.top[lane], index as u16);
        }
    }

    /// Pops the alternatives of `lanes` from their topmost frames.
    #[inline(always)]
    fn pop_frames(&mut self, s: S, cells: &mut Cells<V>, lanes: LaneSet) {
        let mut counts = [0; 2];
        for lane in lanes_of(lanes) {
            let frame = self.pop_frame(lane);
            let is_wide = usize::from(usize::from(frame) >= Self::FIRST_WIDE_FRAME);
            let (sources, count) = (&mut self.sources[is_wide], &mut counts[is_wide]);
            let returning = &mut self.returning[usize::from(frame)];
            sources[*count].frame = frame;
            *count += usize::from(*returning == 0);
            *returning |= 1 << lane;
        }
        for (sources, count) in self.sources.iter_mut().zip(counts) {
            for source in &mut sources[..count] {
                source.lanes = std::mem::take(&mut self.returning[usize::from(source.frame)]);
            }
            // Pad the last pass with sources from which no lane returns.
            for source in &mut sources[count..count + FRAMES_PER_PASS] {
                source.lanes = 0;
            }
        }
        let [narrow, wide] = &self.sources;
        let narrow = &narrow[..counts[0] + FRAMES_PER_PASS];
        blend_all(s, cells, narrow, &self.frames, 0, |row| V::block_splat(row));
        let wide = &wide[..counts[1] + FRAMES_PER_PASS];
        blend_all(s, cells, wide, &self.wide, Self::FIRST_WIDE_FRAME, |row| row);
    }

    /// Pops a lane's topmost frame and returns its number.
    #[inline(always)]
    fn pop_frame(&mut self, lane: usize) -> u16 {
        let index = self.top[lane];
        self.top[lane] = self.below[MAX_LANES * usize::from(index) + lane];
        self.live[usize::from(index)] &= !(1 << lane);
        self.in_frames &= !(LaneSet::from(self.top[lane] == NO_FRAME) << lane);
        index
    }
}

/// Moves alternatives from their frames into the lanes of `cells`. The last sources are padding.
/// Frames are numbered from `first`, and `row` converts one of their 81 rows.
///
/// Few lanes share a frame. Blending several frames per pass avoids reading and writing the cells for
/// each of them.
#[inline(always)]
fn blend_all<S: Simd, V: Rules<S>, R: Copy>(
    s: S,
    cells: &mut Cells<V>,
    sources: &[SourceFrame],
    frames: &[[R; CELLS]],
    first: usize,
    row: impl Fn(R) -> V,
) {
    let count = sources.len() - FRAMES_PER_PASS;
    for i in (0..count).step_by(FRAMES_PER_PASS) {
        match count - i {
            1 => blend::<S, V, R, 1>(s, cells, &sources[i..], frames, first, &row),
            2 => blend::<S, V, R, 2>(s, cells, &sources[i..], frames, first, &row),
            _ => blend::<S, V, R, FRAMES_PER_PASS>(s, cells, &sources[i..], frames, first, &row),
        }
    }
}

#[inline(always)]
fn blend<S: Simd, V: Rules<S>, R: Copy, const N: usize>(
    s: S,
    cells: &mut Cells<V>,
    sources: &[SourceFrame],
    frames: &[[R; CELLS]],
    first: usize,
    row: &impl Fn(R) -> V,
) {
    let mut lanes = [V::splat(s, 0); N];
    let mut rows = [&frames[0]; N];
    for i in 0..N {
        lanes[i] = V::lane_bits(s, sources[i].lanes);
        rows[i] = &frames[usize::from(sources[i].frame) - first];
    }
    for i in 0..CELLS {
        let mut x = cells[i];
        for f in 0..N {
            x = lanes[f].select_bits(row(rows[f][i]), x);
        }
        cells[i] = x;
    }
}

/// Returns the columns of the lanes in a narrow frame, as a bit set.
#[inline(always)]
fn columns_of(lanes: LaneSet) -> u8 {
    let [a, b, c, d] = lanes.to_le_bytes();
    a | b | c | d
}

/// Returns the lowest of each group of lanes that are equal modulo 8.
#[inline(always)]
fn one_of_each_residue(lanes: LaneSet) -> LaneSet {
    let [a, b, c, d] = lanes.to_le_bytes();
    LaneSet::from_le_bytes([a, b & !a, c & !(a | b), d & !(a | b | c)])
}
