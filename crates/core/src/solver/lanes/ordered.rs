//! A policy for the last puzzles of a batch: all lanes search them together, in depth-first order.
//!
//! A few long searches, or one with many solutions, would leave most lanes idle. With this policy,
//! all lanes take part in them. A list contains the solutions and unexplored nodes, puzzle by
//! puzzle, in the order in which a single lane would have reached them ([`super::per_lane`], which
//! started these searches). Free lanes take the first pending nodes. Solutions at the head of the
//! list are counted, with the effort of the search before them (`docs/lane-engine.md`, "Ordered
//! search"). While many solutions of the last puzzle are missing, lanes search everything below a
//! pending node by themselves ([`walks`]).

use lane_kernel::{
    Column, Exchange, Kernel, LaneBlock, LaneSet, LaneVerdict, MAX_DEPTH, MAX_LANES, Moves,
    lanes_of,
};

use super::per_lane::PerLane;
use super::run::{BatchState, Continuation, Effort, Policy, SearchResult};
use super::walks::{self, Walk, Walks};
use crate::puzzle::Grid;
use crate::solver::contract::Query;

/// With more parts than this, free lanes wait until the busy ones end; then one lane continues by
/// itself. This bounds the memory. (Small in unit tests, so that this happens.)
const MAX_PARTS_FOR_PARALLEL: usize = if cfg!(test) { 24 } else { 4096 };

/// Maximum number of parts: those of the searches taken over, and one for each branch of a lane
/// until it ends.
const MAX_PARTS: usize = MAX_PARTS_FOR_PARALLEL + 2 * (MAX_LANES + 1) * (MAX_DEPTH + 2);

/// The page of new alternatives B, each in the column of the lane that has branched.
const NEW_ALTERNATIVES_PAGE: usize = 0;

/// A node, a solution, or the end of a puzzle, in the list of the searches.
#[derive(Clone, Copy)]
struct SearchPart {
    /// The effort of the search between the previous part and this one.
    effort_before: Effort,
    kind: PartKind,
}

#[derive(Clone, Copy)]
enum PartKind {
    /// A node being searched in a lane, with all nodes below it if the lane walks.
    Lane(usize),
    /// Alternative B of this lane's latest branch.
    NewAlternative(usize),
    /// A pending node, stored in this slot.
    Slot(usize),
    /// A solution, and the slot that stores it if its grid may be needed.
    Solution(Option<usize>),
    /// The nodes of a walk that has ended.
    Walked(Walk),
    /// The end of a puzzle.
    End,
}

/// A policy by which all lanes search a few puzzles.
pub(super) struct Ordered {
    /// The parts in reverse order: the head of the list is at the end of the vector.
    list: Vec<SearchPart>,
    /// Scratch space for the parts that are being replaced.
    replaced: Vec<SearchPart>,
    /// The puzzles in the reverse order of the list, with the results counted so far.
    puzzles: Vec<SearchResult>,
    slots: Slots,
    walks: Walks,
    /// Whether the limit of solutions is within a walk, which is being searched again.
    is_last: bool,
}

/// Storage for the cells of pending nodes and solutions.
struct Slots {
    all: Vec<Column>,
    /// The unused slots.
    unused: Vec<usize>,
}

impl Slots {
    /// Stores cells in an unused slot and returns the slot.
    fn store(&mut self, cells: Column) -> usize {
        let slot = self.unused.pop().unwrap_or(self.all.len());
        if slot == self.all.len() {
            self.all.push(cells);
        } else {
            self.all[slot] = cells;
        }
        slot
    }
}

impl Ordered {
    /// Reserves space for everything that the search can need. Unused memory is never touched.
    pub(super) fn new() -> Self {
        Self {
            list: Vec::with_capacity(MAX_PARTS),
            replaced: Vec::with_capacity(MAX_PARTS),
            puzzles: Vec::with_capacity(MAX_LANES),
            slots: Slots {
                all: Vec::with_capacity(MAX_PARTS),
                unused: Vec::with_capacity(MAX_PARTS),
            },
            walks: Walks::NONE,
            is_last: false,
        }
    }

    /// Continues the searches of the busy lanes.
    pub(super) fn take_over(
        &mut self,
        run: &mut BatchState<'_, impl Kernel>,
        per_lane: &mut PerLane,
    ) {
        per_lane.stacked = 0;
        self.is_last = false;
        for lane in lanes_of(run.busy) {
            let mut searched = per_lane.result_of(lane);
            // The node in the lane is counted when it ends.
            let Effort { guesses, nodes } = std::mem::take(&mut searched.effort);
            self.puzzles.push(searched);
            self.push(Effort::NONE, PartKind::End);
            let first = self.list.len();
            self.push(Effort { guesses, nodes: nodes - 1 }, PartKind::Lane(lane));
            while let Some(alternative) = run.kernel.pop(lane) {
                let slot = self.slots.store(alternative);
                self.push(Effort::NONE, PartKind::Slot(slot));
            }
            self.list[first..].reverse();
        }
    }

    fn push(&mut self, effort_before: Effort, kind: PartKind) {
        self.list.push(SearchPart { effort_before, kind });
    }

    /// Replaces the part of a lane whose walk has ended with the walk and the rest of its stack.
    fn replace_walk(&mut self, run: &mut BatchState<'_, impl Kernel>, lane: usize, before: Effort) {
        let first = self.list.len();
        let walk = self.walks.end(lane);
        self.push(before, PartKind::Walked(walk));
        while let Some(alternative) = run.kernel.pop(lane) {
            let slot = self.slots.store(alternative);
            self.push(Effort::NONE, PartKind::Slot(slot));
        }
        self.list[first..].reverse();
    }

    /// Returns the number of missing solutions, if lanes may walk: solutions are only counted, and
    /// many are missing.
    fn missing(&self, run: &BatchState<'_, impl Kernel>) -> Option<u32> {
        let Query { known, limits, .. } = run.job.query;
        let [SearchResult { solutions: 1.., .. }] = self.puzzles[..] else { return None };
        let missing = limits.solutions.get() - self.puzzles[0].solutions;
        let may_walk = !self.is_last && known.is_none() && missing >= walks::MIN_MISSING;
        may_walk.then_some(missing)
    }

    /// Replaces the part of a lane with the results of the lane's event.
    fn replace(
        &mut self,
        run: &BatchState<'_, impl Kernel>,
        lane: usize,
        effort_before: Effort,
        of: LaneVerdict,
    ) {
        let Effort { guesses, nodes } = effort_before;
        let searched = Effort { guesses, nodes: nodes + 1 };
        if of.failed >> lane & 1 != 0 {
            self.add_to_next(searched);
        } else if of.solved >> lane & 1 != 0 {
            let head = self.puzzles.last().expect("a puzzle for each end");
            let is_counted_only = self.puzzles.len() == 1 && head.solutions > 0;
            let needs_grid = !is_counted_only || run.job.query.known.is_some();
            let slot =
                needs_grid.then(|| self.slots.store(run.kernel.column(LaneBlock::Work, lane)));
            self.push(searched, PartKind::Solution(slot));
        } else {
            self.push(Effort::NONE, PartKind::NewAlternative(lane));
            self.push(Effort { guesses: guesses + 1, ..searched }, PartKind::Lane(lane));
        }
    }

    /// Adds the effort of a part that has been removed to the next part.
    fn add_to_next(&mut self, searched: Effort) {
        let later = self.list.last_mut().expect("the end of the puzzle");
        later.effort_before = searched.and(later.effort_before);
    }

    /// Counts the solutions at the head of the list, and finishes puzzles that are complete or have
    /// enough solutions.
    fn count_head<K: Kernel>(&mut self, run: &mut BatchState<'_, K>) {
        while let Some(SearchPart { effort_before, kind }) = self.list.last().copied() {
            let head = self.puzzles.last_mut().expect("a puzzle for each end");
            let puzzle = head.entered.puzzle;
            let mut is_over = matches!(kind, PartKind::End);
            if let PartKind::Walked(Walk { start, solutions, effort }) = kind {
                self.list.pop();
                if solutions >= run.job.query.limits.solutions.get() - head.solutions {
                    self.drop_rest(run);
                    self.is_last = true;
                    self.push(Effort::NONE, PartKind::End);
                    self.push(effort_before, PartKind::Slot(start));
                    return;
                }
                self.slots.unused.push(start);
                head.solutions += solutions;
                head.effort = head.effort.and(effort_before).and(effort);
                continue;
            }
            if let PartKind::Solution(slot) = kind {
                self.list.pop();
                self.slots.unused.extend(slot);
                let grid = slot.map(|slot| Grid(K::digits(&self.slots.all[slot])));
                if grid.is_some() && grid.as_ref() == run.job.query.known(puzzle) {
                    self.add_to_next(effort_before);
                    continue;
                }
                if let Some(grid) = grid.filter(|_| head.solutions == 0) {
                    run.job.outcomes[puzzle].grid = grid;
                }
                head.solutions += 1;
                is_over = head.solutions == run.job.query.limits.solutions.get();
            } else if !is_over {
                return;
            }
            head.effort = head.effort.and(effort_before);
            if is_over {
                run.finish(head);
                self.puzzles.pop();
                self.drop_rest(run);
            }
        }
    }

    /// Removes the remaining parts of the first puzzle.
    fn drop_rest(&mut self, run: &mut BatchState<'_, impl Kernel>) {
        while let Some(SearchPart { kind, .. }) = self.list.pop() {
            match kind {
                PartKind::Lane(lane) => {
                    run.busy &= !(1 << lane);
                    if self.walks.lanes >> lane & 1 != 0 {
                        self.slots.unused.push(self.walks.end(lane).start);
                        run.kernel.clear(1 << lane);
                    }
                }
                PartKind::Walked(walk) => self.slots.unused.push(walk.start),
                PartKind::Slot(slot) => self.slots.unused.push(slot),
                PartKind::Solution(slot) => self.slots.unused.extend(slot),
                PartKind::NewAlternative(_) => {}
                PartKind::End => return,
            }
        }
    }
}

impl<K: Kernel> Policy<K> for Ordered {
    fn refill(&mut self, _: &mut BatchState<'_, K>, _: LaneSet) -> LaneSet {
        0
    }

    /// Moves the first pending nodes into free lanes, and the remaining new alternatives into
    /// slots.
    fn advance(
        &mut self,
        run: &mut BatchState<'_, K>,
        Continuation { branching, returning }: Continuation,
    ) {
        let (walking, branching) = (branching & self.walks.lanes, branching & !self.walks.lanes);
        if walking | returning != 0 {
            let pushing = walking & !self.walks.twins;
            self.walks.stacked = run.kernel.push_and_pop(walking, pushing, returning);
        }
        let mut free = run.free();
        let missing = self.missing(run);
        let mut may_walk = missing.is_some();
        if self.list.len() > MAX_PARTS_FOR_PARALLEL {
            let lowest = free & free.wrapping_neg();
            free = if run.busy == 0 { lowest } else { 0 };
            may_walk = false;
        }
        let mut exchange = Exchange { branching, page: NEW_ALTERNATIVES_PAGE, ..Exchange::NONE };
        let (mut saved, mut loaded) = (Moves::NONE, Moves::NONE);
        let mut unplaced = branching;
        for at in (0..self.list.len()).rev() {
            if free | unplaced == 0 {
                break;
            }
            let lane = free.trailing_zeros() as usize;
            let kind = &mut self.list[at].kind;
            match *kind {
                PartKind::NewAlternative(from) if free == 0 => {
                    let slot = self.slots.store(Column::EMPTY);
                    saved.add(from, slot);
                    unplaced &= !(1 << from);
                    *kind = PartKind::Slot(slot);
                    continue;
                }
                PartKind::NewAlternative(from) => {
                    exchange.shared.add(lane, from);
                    unplaced &= !(1 << from);
                }
                PartKind::Slot(slot) if free != 0 => loaded.add(lane, slot),
                _ => continue,
            }
            *kind = PartKind::Lane(lane);
            free &= free - 1;
        }
        self.walks.limit(missing.unwrap_or_default(), free != 0);
        run.busy |= exchange.shared.lanes | loaded.lanes;
        if branching != 0 {
            exchange.saved = saved.lanes;
            run.kernel.exchange(&exchange);
        }
        for lane in lanes_of(saved.lanes) {
            self.slots.all[usize::from(saved.from[lane])] =
                run.kernel.column(LaneBlock::Page(NEW_ALTERNATIVES_PAGE), lane);
        }
        for lane in lanes_of(loaded.lanes) {
            let slot = usize::from(loaded.from[lane]);
            run.kernel.set_lane(lane, &self.slots.all[slot]);
            if may_walk {
                self.walks.begin(lane, slot);
            } else {
                self.slots.unused.push(slot);
            }
        }
    }

    fn handle_events(&mut self, run: &mut BatchState<'_, K>, verdict: LaneVerdict) -> Continuation {
        let walked = self.walks.count(run.kernel, run.level, verdict);
        let single = !self.walks.lanes;
        run.busy &= !(verdict.ended() & single | walked.ended);
        let at_single = verdict.events() & single;
        let mut events = at_single | walked.ended;
        let mut first = self.list.len();
        for at in (0..self.list.len()).rev() {
            if events == 0 {
                break;
            }
            let PartKind::Lane(lane) = self.list[at].kind else { continue };
            if (walked.ended & !self.walks.stacked) >> lane & 1 != 0 {
                self.list[at].kind = PartKind::Walked(self.walks.end(lane));
            } else if events >> lane & 1 != 0 {
                first = at;
            }
            events &= !(1 << lane);
        }
        let mut replaced = std::mem::take(&mut self.replaced);
        replaced.clear();
        replaced.extend_from_slice(&self.list[first..]);
        self.list.truncate(first);
        for part in &replaced {
            match part.kind {
                PartKind::Lane(lane) if at_single >> lane & 1 != 0 => {
                    self.replace(run, lane, part.effort_before, verdict);
                }
                PartKind::Lane(lane) if walked.ended >> lane & 1 != 0 => {
                    self.replace_walk(run, lane, part.effort_before);
                }
                _ => self.list.push(*part),
            }
        }
        self.replaced = replaced;
        self.count_head(run);
        let returning = walked.returning & run.busy;
        Continuation { branching: verdict.stuck & run.busy, returning }
    }

    fn is_done(&self, _: &BatchState<'_, K>) -> bool {
        self.list.is_empty()
    }

    #[cold]
    fn discard(&mut self, run: &mut BatchState<'_, K>) -> Option<usize> {
        run.kernel.clear(LaneSet::MAX);
        self.walks = Walks::NONE;
        let first = self.puzzles.iter().map(|searched| searched.entered.puzzle).min();
        self.list.clear();
        self.puzzles.clear();
        self.slots.all.clear();
        self.slots.unused.clear();
        first
    }
}
