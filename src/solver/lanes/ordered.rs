//! The last puzzles of a batch in all lanes, in the order of a search depth first.
//!
//! A few long searches, or one with many solutions, would leave most lanes empty. Here all lanes take
//! part in them. What has been found and what is open lies in a list, in the order in which single lanes
//! would have come to it ([`super::per_lane`], which these searches come from), puzzle by puzzle. Free
//! lanes take the first nodes that wait. Solutions at the head are counted, with what was searched
//! before them (`docs/lane-engine.md`, "Ordered search").

use lane_kernel::{
    Block, CELLS, Column, Exchange, Kernel, LaneSet, MAX_DEPTH, MAX_LANES, Moves, Verdict, lanes_of,
};

use super::per_lane::PerLane;
use super::run::{Effort, Next, Policy, Run, SearchResult};
use crate::puzzle::Grid;

/// With more parts than this, lanes that get free wait until the others have come to an end; then
/// one lane continues alone. So memory is bounded. (In unit tests so few that this happens.)
const CROWDED_PARTS: usize = if cfg!(test) { 24 } else { 4096 };

/// The most parts: those of the searches taken over, and one for each branch of a lane until it comes
/// to an end.
const MAX_PARTS: usize = CROWDED_PARTS + 2 * (MAX_LANES + 1) * (MAX_DEPTH + 2);

/// The page of fresh alternatives B, each in the lane that has branched.
const FRESH_PAGE: usize = 0;

/// A part of the searches.
#[derive(Clone, Copy)]
struct Part {
    /// What was searched before it, and after the part before it in the list.
    before: Effort,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// A node in a lane.
    Lane(usize),
    /// Alternative B of the branch of this lane, just made.
    Fresh(usize),
    /// A node that waits.
    Slot(usize),
    /// A solution, and where it is kept if it may be needed.
    Solution(Option<usize>),
    /// The end of a puzzle.
    End,
}

/// All lanes search a few puzzles.
pub(super) struct Ordered {
    /// The last part first, so that the head of the list is its end.
    list: Vec<Part>,
    /// Parts that are being replaced.
    old: Vec<Part>,
    /// The puzzles in the order of the list, and what was found at its head, which is gone from there.
    puzzles: Vec<SearchResult>,
    slots: Slots,
}

/// Cells that wait.
struct Slots {
    all: Vec<Column>,
    /// Those that are free again.
    spare: Vec<usize>,
}

impl Slots {
    /// Puts cells into a slot that is free.
    fn keep(&mut self, cells: Column) -> usize {
        let slot = self.spare.pop().unwrap_or(self.all.len());
        if slot == self.all.len() {
            self.all.push(cells);
        } else {
            self.all[slot] = cells;
        }
        slot
    }
}

impl Ordered {
    /// Room for all that the search can need. What is never needed is never touched.
    pub(super) fn new() -> Self {
        Self {
            list: Vec::with_capacity(MAX_PARTS),
            old: Vec::with_capacity(MAX_PARTS),
            puzzles: Vec::with_capacity(MAX_LANES),
            slots: Slots {
                all: Vec::with_capacity(MAX_PARTS),
                spare: Vec::with_capacity(MAX_PARTS),
            },
        }
    }

    /// Continues the searches of the lanes that are busy.
    pub(super) fn take_over(&mut self, run: &mut Run<'_, impl Kernel>, per_lane: &mut PerLane) {
        per_lane.stacked = 0;
        for lane in lanes_of(run.busy) {
            let mut searched = per_lane.result_of(lane);
            // What is in the lane is counted when it ends.
            let Effort { guesses, nodes } = std::mem::take(&mut searched.effort);
            self.puzzles.push(searched);
            self.push(Effort::NONE, What::End);
            let first = self.list.len();
            self.push(Effort { guesses, nodes: nodes - 1 }, What::Lane(lane));
            while let Some(alternative) = run.kernel.pop(lane) {
                let slot = self.slots.keep(alternative);
                self.push(Effort::NONE, What::Slot(slot));
            }
            self.list[first..].reverse();
        }
    }

    fn push(&mut self, before: Effort, what: What) {
        self.list.push(Part { before, what });
    }

    /// Replaces a part, whose lane has an event, by what has become of it.
    fn replace(&mut self, run: &Run<'_, impl Kernel>, lane: usize, before: Effort, of: Verdict) {
        let Effort { guesses, nodes } = before;
        let searched = Effort { guesses, nodes: nodes + 1 };
        if of.failed >> lane & 1 != 0 {
            self.pass_on(searched);
        } else if of.solved >> lane & 1 != 0 {
            let head = self.puzzles.last().expect("a puzzle for each end");
            let is_counted_only = self.puzzles.len() == 1 && head.solutions > 0;
            let is_wanted = !is_counted_only || run.job.question.known.is_some();
            let slot = is_wanted.then(|| self.slots.keep(run.kernel.column(Block::Work, lane)));
            self.push(searched, What::Solution(slot));
        } else {
            self.push(Effort::NONE, What::Fresh(lane));
            self.push(Effort { guesses: guesses + 1, ..searched }, What::Lane(lane));
        }
    }

    /// What a part has cost that is gone goes to the one behind it.
    fn pass_on(&mut self, searched: Effort) {
        let later = self.list.last_mut().expect("the end of the puzzle");
        later.before = searched.and(later.before);
    }

    /// Counts what is at the head of the list; puzzles leave that have come to their end, or have
    /// enough solutions.
    fn count_head<K: Kernel>(&mut self, run: &mut Run<'_, K>) {
        while let Some(Part { before, what }) = self.list.last().copied() {
            let head = self.puzzles.last_mut().expect("a puzzle for each end");
            let puzzle = head.entered.puzzle;
            let mut is_over = matches!(what, What::End);
            if let What::Solution(slot) = what {
                self.list.pop();
                self.slots.spare.extend(slot);
                let grid = slot.map(|slot| Grid(K::digits(&self.slots.all[slot])));
                if grid.is_some() && grid.as_ref() == run.job.question.known(puzzle) {
                    self.pass_on(before);
                    continue;
                }
                if let Some(grid) = grid.filter(|_| head.solutions == 0) {
                    run.job.outcomes[puzzle].grid = grid;
                }
                head.solutions += 1;
                is_over = head.solutions == run.job.question.limits.solutions.get();
            } else if !is_over {
                return;
            }
            head.effort = head.effort.and(before);
            if is_over {
                run.finish(head);
                self.puzzles.pop();
                self.drop_rest(run);
            }
        }
    }

    /// Forgets the parts of the first puzzle.
    fn drop_rest(&mut self, run: &mut Run<'_, impl Kernel>) {
        while let Some(Part { what, .. }) = self.list.pop() {
            match what {
                What::Lane(lane) => run.busy &= !(1 << lane),
                What::Slot(slot) => self.slots.spare.push(slot),
                What::Solution(slot) => self.slots.spare.extend(slot),
                What::Fresh(_) => {}
                What::End => return,
            }
        }
    }
}

impl<K: Kernel> Policy<K> for Ordered {
    fn refill(&mut self, _: &mut Run<'_, K>, _: LaneSet) -> LaneSet {
        0
    }

    /// The first nodes that wait go into the free lanes; other fresh ones go into slots.
    fn advance(&mut self, run: &mut Run<'_, K>, Next { branching, .. }: Next) {
        let mut free = run.free();
        if self.list.len() > CROWDED_PARTS {
            let lowest = free & free.wrapping_neg();
            free = if run.busy == 0 { lowest } else { 0 };
        }
        let mut exchange = Exchange { branching, page: FRESH_PAGE, ..Exchange::NONE };
        let (mut saved, mut loaded) = (Moves::NONE, Moves::NONE);
        let mut fresh = branching;
        for at in (0..self.list.len()).rev() {
            if free | fresh == 0 {
                break;
            }
            let lane = free.trailing_zeros() as usize;
            let what = &mut self.list[at].what;
            match *what {
                What::Fresh(from) if free == 0 => {
                    let slot = self.slots.keep([0; CELLS]);
                    saved.add(from, slot);
                    fresh &= !(1 << from);
                    *what = What::Slot(slot);
                    continue;
                }
                What::Fresh(from) => {
                    exchange.shared.add(lane, from);
                    fresh &= !(1 << from);
                }
                What::Slot(slot) if free != 0 => loaded.add(lane, slot),
                _ => continue,
            }
            *what = What::Lane(lane);
            free &= free - 1;
        }
        run.busy |= exchange.shared.lanes | loaded.lanes;
        if branching != 0 {
            exchange.saved = saved.lanes;
            run.kernel.exchange(&exchange);
        }
        for lane in lanes_of(saved.lanes) {
            self.slots.all[usize::from(saved.from[lane])] =
                run.kernel.column(Block::Page(FRESH_PAGE), lane);
        }
        for lane in lanes_of(loaded.lanes) {
            let slot = usize::from(loaded.from[lane]);
            run.kernel.set_lane(lane, &self.slots.all[slot]);
            self.slots.spare.push(slot);
        }
    }

    fn handle_events(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next {
        run.busy &= !verdict.ended();
        let mut events = verdict.events();
        let mut first = self.list.len();
        while events != 0 {
            first -= 1;
            if let What::Lane(lane) = self.list[first].what {
                events &= !(1 << lane);
            }
        }
        let mut old = std::mem::take(&mut self.old);
        old.clear();
        old.extend_from_slice(&self.list[first..]);
        self.list.truncate(first);
        for part in &old {
            match part.what {
                What::Lane(lane) if verdict.events() >> lane & 1 != 0 => {
                    self.replace(run, lane, part.before, verdict);
                }
                _ => self.list.push(*part),
            }
        }
        self.old = old;
        self.count_head(run);
        Next { branching: verdict.stuck & run.busy, returning: 0 }
    }

    fn is_done(&self, _: &Run<'_, K>) -> bool {
        self.list.is_empty()
    }

    #[cold]
    fn abandon(&mut self, _: &mut Run<'_, K>) -> Option<usize> {
        let first = self.puzzles.iter().map(|searched| searched.entered.puzzle).min();
        self.list.clear();
        self.puzzles.clear();
        self.slots.all.clear();
        self.slots.spare.clear();
        first
    }
}
