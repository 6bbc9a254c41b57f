//! Sides that are still to be looked at.
//!
//! A frame is a whole vector for each cell: lane `l` lies in lane `l`. All lanes that branch
//! at the same time push onto one frame with 81 plain stores; a return blends the lanes that
//! come back from a frame into the cells. What lies below a lane's side is linked, so the
//! depth of a lane has no limit of its own, and a frame is free again when its last lane has
//! left it.

use fearless_simd::{Select, Simd};

use super::branch::{MAX_DEPTH, Split};
use super::sweep::Cells;
use super::vector::{LaneSet, Vector, lanes_of};
use crate::puzzle::CELLS;

/// No frame: nothing lies below.
pub(super) const BOTTOM: u16 = u16::MAX;

struct Frame<V> {
    cells: Cells<V>,
    /// The frame below, for each lane.
    below: [u16; 32],
    /// The lanes that lie in it.
    live: LaneSet,
}

/// The stacks of all lanes.
pub(super) struct Stack<V> {
    frames: Vec<Frame<V>>,
    free: Vec<u16>,
    /// The topmost frame of each lane.
    top: [u16; 32],
    /// The lanes with something on their stack.
    occupied: LaneSet,
}

impl<V> Stack<V> {
    /// Room for all that `lanes` lanes can need, since a frame holds at least one side.
    /// What is never needed is never touched.
    pub(super) fn new(lanes: usize) -> Self {
        let most = lanes * MAX_DEPTH;
        Self {
            frames: Vec::with_capacity(most),
            free: Vec::with_capacity(most),
            top: [BOTTOM; 32],
            occupied: 0,
        }
    }

    /// The lanes with something on their stack.
    #[inline(always)]
    pub(super) fn occupied(&self) -> LaneSet {
        self.occupied
    }

    /// Side A of `lanes` into the cells, side B onto their stacks.
    #[inline(always)]
    pub(super) fn push<S: Simd>(
        &mut self,
        s: S,
        cells: &mut Cells<V>,
        split: &Split<V>,
        lanes: LaneSet,
    ) where
        V: Vector<S>,
    {
        let index = self.free.pop().unwrap_or_else(|| {
            let blank = [V::splat(s, 0); CELLS];
            self.frames.push(Frame { cells: blank, below: [BOTTOM; 32], live: 0 });
            (self.frames.len() - 1) as u16
        });
        let frame = &mut self.frames[usize::from(index)];
        for row in 0..9 {
            for column in 0..9 {
                let cell = row * 9 + column;
                (cells[cell], frame.cells[cell]) = split.of_cell(cells[cell], row, column);
            }
        }
        frame.live = lanes;
        for lane in lanes_of(lanes) {
            frame.below[lane] = std::mem::replace(&mut self.top[lane], index);
        }
        self.occupied |= lanes;
    }

    /// The topmost sides of `lanes`, which must have one, into the cells.
    #[inline(always)]
    pub(super) fn pop<S: Simd>(&mut self, s: S, cells: &mut Cells<V>, mut lanes: LaneSet)
    where
        V: Vector<S>,
    {
        while lanes != 0 {
            let first = lanes.trailing_zeros() as usize;
            let index = self.top[first];
            let frame = &mut self.frames[usize::from(index)];
            let mut together = 0;
            for lane in lanes_of(lanes & frame.live) {
                if self.top[lane] == index {
                    together |= 1 << lane;
                    self.top[lane] = frame.below[lane];
                    self.occupied &= !(LaneSet::from(frame.below[lane] == BOTTOM) << lane);
                }
            }
            let mask = V::mask(s, together);
            for i in 0..CELLS {
                cells[i] = mask.select(frame.cells[i], cells[i]);
            }
            lanes &= !together;
            frame.live &= !together;
            if frame.live == 0 {
                self.free.push(index);
            }
        }
    }

    /// Forgets all sides of a lane.
    #[inline(always)]
    pub(super) fn clear(&mut self, lane: usize) {
        while self.top[lane] != BOTTOM {
            let index = self.top[lane];
            let frame = &mut self.frames[usize::from(index)];
            self.top[lane] = frame.below[lane];
            frame.live &= !(1 << lane);
            if frame.live == 0 {
                self.free.push(index);
            }
        }
        self.occupied &= !(1 << lane);
    }
}
