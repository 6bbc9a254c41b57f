//! One puzzle in all lanes, in the order of a search depth first: what counts many solutions.
//!
//! A puzzle with many solutions, alone in its batch, would leave all lanes but one empty. Here all
//! lanes search it. Each of them propagates another node, and what has been found lies in a list,
//! in the order in which a single lane would have come to it:
//!
//! ```text
//!  found   ◀── first                                                          last ──▶
//!  12, 31   │ lane 4 │ solution │ lane 0 │ slot 7 │ lane 9 │ solution │ slot 3 │ slot 2 │
//! ```
//!
//! Free lanes take the first nodes that wait, so that all lanes work near the head of the list.
//! Solutions at the head are counted, with what was searched before them. So the count stops at
//! the same solution, after the same guesses and nodes, as the search of a single lane.

use lane_kernel::{
    CELLS, Column, Exchange, Kernel, LaneSet, MAX_DEPTH, MOST_LANES, Moves, Verdict, lanes_of,
};

use super::run::{Effort, Entry, Run};

/// With more parts than this, lanes that get free wait until the others have come to an end; then
/// one lane goes on alone. So memory is bounded. (In unit tests so few that this happens.)
const CROWDED: usize = if cfg!(test) { 24 } else { 4096 };

/// The most parts: a lane adds one part for each branch until it comes to an end.
const MOST: usize = CROWDED + (MOST_LANES + 1) * (MAX_DEPTH + 1);

/// The page of fresh sides B, each in the lane that has branched.
const FRESH: usize = 0;

/// A part of the search tree.
#[derive(Clone, Copy)]
struct Part {
    /// What was searched before it, and after the part before it in the list.
    before: Effort,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// A node in a lane.
    Lane(u8),
    /// Side B of the branch of this lane, just made.
    Fresh(u8),
    /// A node that waits.
    Slot(u16),
    Solution,
}

/// The memory of the search.
pub(super) struct Parts {
    /// The last part of the search first, so that its head is the end of the list.
    list: Vec<Part>,
    /// Parts that are being replaced.
    old: Vec<Part>,
    slots: Vec<Column>,
    /// Slots that are free again.
    spare: Vec<u16>,
}

impl Parts {
    /// Room for all that the search can need. What is never needed is never touched.
    pub(super) fn new() -> Self {
        Self {
            list: Vec::with_capacity(MOST),
            old: Vec::with_capacity(MOST),
            slots: Vec::with_capacity(MOST),
            spare: Vec::with_capacity(MOST),
        }
    }

    /// A slot that is free.
    fn slot(&mut self) -> u16 {
        self.spare.pop().unwrap_or_else(|| {
            self.slots.push([0; CELLS]);
            (self.slots.len() - 1) as u16
        })
    }
}

/// What was found.
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) solutions: u32,
    pub(super) effort: Effort,
}

/// The search of one puzzle in all lanes.
pub(super) struct Ordered<'a, 'b, K> {
    /// A batch of this puzzle alone.
    run: Run<'a, K>,
    parts: &'b mut Parts,
    /// What was found at the head of the list, which is gone from there.
    counted: Counted,
    /// What was searched after the last part.
    after: Effort,
}

impl<'a, 'b, K: Kernel> Ordered<'a, 'b, K> {
    pub(super) fn new(run: Run<'a, K>, parts: &'b mut Parts) -> Self {
        parts.list.clear();
        parts.slots.clear();
        parts.spare.clear();
        Self { run, parts, counted: Counted::default(), after: Effort::NONE }
    }

    /// Counts the solutions of a puzzle that has several, up to the limit; `None` if asked to stop.
    pub(super) fn count(mut self) -> Option<Counted> {
        assert!(self.run.has_entries(), "what has several solutions has to be searched");
        let stuck = self.run.take_entries(1, |Entry { .. }| {});
        self.parts.list.push(Part { before: Effort::NONE, what: What::Lane(0) });
        let mut verdict = Verdict { stuck, ..Verdict::default() };
        while !self.run.is_stopped() {
            self.settle(verdict);
            if self.count_head() {
                return Some(self.counted);
            }
            self.fill_lanes(verdict.stuck);
            verdict = self.run.work();
        }
        None
    }

    /// Replaces the parts whose lanes have an event by what has become of them.
    fn settle(&mut self, Verdict { failed, solved, stuck }: Verdict) {
        self.run.busy &= !(failed | solved);
        let Parts { list, old, .. } = &mut *self.parts;
        let mut events = (failed | solved | stuck).count_ones();
        let mut first = list.len();
        while events > 0 {
            first -= 1;
            if let What::Lane(lane) = list[first].what {
                events -= (failed | solved | stuck) >> lane & 1;
            }
        }
        old.clear();
        old.extend_from_slice(&list[first..]);
        list.truncate(first);
        for part in &*old {
            let What::Lane(lane) = part.what else {
                list.push(*part);
                continue;
            };
            let is_in = |lanes: LaneSet| lanes >> lane & 1 != 0;
            let searched = Effort {
                guesses: part.before.guesses + u64::from(is_in(stuck)),
                nodes: part.before.nodes + 1,
            };
            if is_in(failed) {
                let later = list.last_mut().map_or(&mut self.after, |part| &mut part.before);
                *later = searched.and(*later);
            } else if is_in(solved) {
                list.push(Part { before: searched, what: What::Solution });
            } else if is_in(stuck) {
                list.push(Part { before: Effort::NONE, what: What::Fresh(lane) });
                list.push(Part { before: searched, what: part.what });
            } else {
                list.push(*part);
            }
        }
    }

    /// Counts the solutions at the head of the list; whether that is all.
    fn count_head(&mut self) -> bool {
        let Counted { solutions, effort } = &mut self.counted;
        while let Some(Part { before, what: What::Solution }) = self.parts.list.last() {
            *solutions += 1;
            *effort = effort.and(*before);
            if *solutions == self.run.question.limits.solutions.get() {
                return true;
            }
            self.parts.list.pop();
        }
        let all = self.parts.list.is_empty();
        if all {
            *effort = effort.and(self.after);
        }
        all
    }

    /// The lanes `stuck` branch. The first nodes that wait go into the free lanes; other fresh ones go
    /// into slots.
    fn fill_lanes(&mut self, stuck: LaneSet) {
        let mut free = self.run.free();
        if self.parts.list.len() > CROWDED {
            let lowest = free & free.wrapping_neg();
            free = if self.run.busy == 0 { lowest } else { 0 };
        }
        let mut exchange = Exchange { branching: stuck, page: FRESH, ..Exchange::NONE };
        let (mut put, mut loaded) = (Moves::NONE, Moves::NONE);
        let mut fresh = stuck;
        for at in (0..self.parts.list.len()).rev() {
            if free | fresh == 0 {
                break;
            }
            let lane = free.trailing_zeros() as usize;
            let what = match self.parts.list[at].what {
                What::Fresh(branched) => {
                    fresh &= !(1 << branched);
                    if free == 0 {
                        let slot = self.parts.slot();
                        put.add(branched.into(), slot.into());
                        What::Slot(slot)
                    } else {
                        exchange.given.add(lane, branched.into());
                        What::Lane(lane as u8)
                    }
                }
                What::Slot(slot) if free != 0 => {
                    loaded.add(lane, slot.into());
                    What::Lane(lane as u8)
                }
                _ => continue,
            };
            if matches!(what, What::Lane(_)) {
                free &= free - 1;
            }
            self.parts.list[at].what = what;
        }
        self.run.busy |= exchange.given.lanes | loaded.lanes;
        let kernel = &mut *self.run.kernel;
        if stuck != 0 {
            exchange.put = put.lanes;
            kernel.exchange(&exchange);
        }
        for lane in lanes_of(put.lanes) {
            self.parts.slots[usize::from(put.from[lane])] = kernel.column(FRESH, lane);
        }
        for lane in lanes_of(loaded.lanes) {
            let slot = loaded.from[lane];
            self.parts.spare.push(slot);
            kernel.set_lane(lane, &self.parts.slots[usize::from(slot)]);
        }
    }
}
