//! Every lane has a search for itself, which goes depth first: so which solutions come first, and
//! where a limit of nodes is reached, depends on the puzzle alone. Where neither matters, lanes search
//! together ([`super::work_sharing`]).

use fearless_simd::Simd;

use super::branch::Split;
use super::deferred::Deferred;
use super::divided::{Divided, Effort, Found};
use super::run::{Blocks, Ended, Entry, Run};
use super::stack::Stack;
use super::sweep::Verdict;
use super::vector::{LaneSet, Vector, align_stack, lanes_of};
use crate::puzzle::Grid;

/// What a lane is about, beside its cells.
#[derive(Clone, Copy, Default)]
struct Search {
    puzzle: usize,
    entered_ns: u64,
    solutions: u32,
    /// What it had cost at the first solution.
    at_first: Effort,
}

/// How the lanes with an event go on.
struct Next {
    /// Stuck: with side A of a branch.
    branching: LaneSet,
    /// Failed, or after a solution: with the side pushed last.
    returning: LaneSet,
}

/// A batch of which every lane searches one puzzle.
pub(super) struct PerLane<'a, S: Simd, V> {
    run: Run<'a, S, V>,
    stack: &'a mut Stack<S, V>,
    /// Puzzles with many solutions, at the end of the batch.
    deferred: &'a mut Deferred,
    node_limit: u64,
    /// The number of solutions at which a search ends: the limit, or fewer if it is then deferred.
    enough: u32,
    search: [Search; 32],
    guesses: [u64; 32],
    nodes: [u64; 32],
    /// At the end of the batch: lanes that share a search, and their solutions.
    divided: Divided,
    grids: [Option<Grid>; 32],
}

impl<'a, S: Simd, V: Vector<S>> PerLane<'a, S, V> {
    pub(super) fn new(
        run: Run<'a, S, V>,
        stack: &'a mut Stack<S, V>,
        deferred: &'a mut Deferred,
    ) -> Self {
        Self {
            deferred,
            enough: run.question.limits.solutions.get(),
            node_limit: run.question.limits.nodes.map_or(u64::MAX, std::num::NonZeroU64::get),
            run,
            stack,
            search: [Search::default(); 32],
            guesses: [0; 32],
            nodes: [0; 32],
            divided: Divided::NONE,
            grids: [None; 32],
        }
    }

    /// Searches every puzzle of the batch, but for the deferred ones.
    pub(super) fn all(mut self) -> Ended {
        let mut next = Next { branching: 0, returning: 0 };
        while !self.run.is_stopped() {
            next.branching |= self.refill();
            if self.run.busy == 0 {
                break;
            }
            self.advance(&next);
            let verdict = self.run.work();
            next = self.settle(verdict);
        }
        self.run.flush();
        let open = self.run.busy | self.divided.lanes();
        if open == 0 && self.run.is_through() {
            return Ended { next: self.run.next(), stopped: false };
        }
        self.stack.clear(LaneSet::MAX);
        let open = lanes_of(open).map(|lane| self.search[lane].puzzle).chain(self.deferred.first());
        Ended { next: open.fold(self.run.first_outside(), usize::min), stopped: true }
    }

    /// Gives every free lane an entry, as long as there are any; returns the lanes that
    /// were stuck already.
    fn refill(&mut self) -> LaneSet {
        let mut branching = 0;
        loop {
            let free = self.run.free();
            if free == 0 {
                return branching;
            }
            if !self.run.has_entries() {
                self.share(free);
                self.defer_long();
                return branching;
            }
            branching |=
                self.run.take_entries(free, |Entry { lane, puzzle, entered_ns, stuck }| {
                    self.search[lane] = Search { puzzle, entered_ns, ..Search::default() };
                    // A stuck one branches at once: a guess, and its side A.
                    self.guesses[lane] = u64::from(stuck);
                    self.nodes[lane] = 1 + u64::from(stuck);
                });
        }
    }

    /// Gives the lanes that branch or return the cells of their next node.
    fn advance(&mut self, next: &Next) {
        let &Next { branching, returning } = next;
        let (s, stack) = (self.run.s, &mut *self.stack);
        let Blocks { work, configurations, .. } = &mut *self.run.blocks;
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                if branching != 0 {
                    let split = Split::choose(s, configurations, branching);
                    stack.exchange(s, work, &split, branching, returning);
                } else if returning != 0 {
                    stack.give_back(s, work, returning);
                }
            },
        );
    }

    /// Lanes at an end leave; the others return to a side that was pushed, or branch.
    fn settle(&mut self, verdict: Verdict) -> Next {
        let Verdict { failed, full, stuck } = verdict;
        let right = self.run.counting(self.run.solved(full), |lane| self.search[lane].puzzle);
        let over = failed | full;
        let done = (over & !self.stack.occupied()) | self.count_solutions(right);
        let going_on = (over & !done) | stuck;
        let spent = if self.run.question.limits.nodes.is_some() { self.spent(going_on) } else { 0 };
        let (branching, returning) = (stuck & !spent, over & !done & !spent);
        let (s, guesses, nodes) = (self.run.s, &mut self.guesses, &mut self.nodes);
        s.vectorize(
            #[inline(always)]
            || {
                count(guesses, branching);
                count(nodes, branching | returning);
            },
        );
        self.finish(done | spent, spent);
        // Lanes that share a search may have ended with another one.
        Next { branching: branching & self.run.busy, returning: returning & self.run.busy }
    }

    /// Those of the lanes that have no node left.
    fn spent(&self, lanes: LaneSet) -> LaneSet {
        let spent = lanes_of(lanes).filter(|&lane| self.nodes[lane] == self.node_limit);
        spent.fold(0, |spent, lane| spent | 1 << lane)
    }

    /// What a lane's search has cost.
    fn effort(&self, lane: usize) -> Effort {
        Effort { guesses: self.guesses[lane], nodes: self.nodes[lane] }
    }

    /// Counts the solutions in the lanes `right`, and keeps the grid of the first ones; returns
    /// the lanes that have enough.
    fn count_solutions(&mut self, right: LaneSet) -> LaneSet {
        // Which are first cannot be predicted: no branch on it.
        let (mut first, mut enough) = (0, 0);
        for lane in lanes_of(right) {
            let solutions = &mut self.search[lane].solutions;
            *solutions += 1;
            first |= LaneSet::from(*solutions == 1) << lane;
            enough |= LaneSet::from(*solutions >= self.enough) << lane;
        }
        for lane in lanes_of(first) {
            self.search[lane].at_first = self.effort(lane);
        }
        for lane in lanes_of(first & self.divided.lanes()) {
            self.grids[lane] = Some(self.grid_of(lane));
        }
        self.run.keep_solutions(first & !self.divided.lanes(), |lane| self.search[lane].puzzle);
        enough
    }

    /// The lanes `done` are free again; what was found goes to their outcomes.
    fn finish(&mut self, done: LaneSet, gave_up: LaneSet) {
        if done == 0 {
            return;
        }
        self.run.busy &= !done;
        let now_ns = self.run.now_ns();
        let cut_off = self.stack.occupied() & !gave_up;
        self.stack.clear(done & !self.divided.lanes());
        for lane in lanes_of(done & !self.divided.lanes()) {
            let search = &self.search[lane];
            self.run.several_rate.note(search.solutions > 1);
            let is_cut_off = cut_off >> lane & 1 != 0;
            if is_cut_off && search.solutions < self.run.question.limits.solutions.get() {
                self.deferred.push(search.puzzle, search.entered_ns);
                continue;
            }
            let outcome = &mut self.run.outcomes[search.puzzle];
            outcome.solutions = search.solutions;
            outcome.gave_up = gave_up >> lane & 1 != 0;
            outcome.guesses = self.guesses[lane];
            outcome.nodes = self.nodes[lane];
            outcome.latency_ns = now_ns - search.entered_ns;
            if search.solutions == 0 {
                outcome.grid = Grid::BLANK;
            }
        }
        for lane in lanes_of(done & self.divided.lanes()) {
            self.end_part(lane, now_ns);
        }
    }

    /// Free lanes take sides of those that have several, see [`super::divided`].
    fn share(&mut self, free: LaneSet) {
        let generous = self.stack.generous();
        if generous == 0
            || self.run.question.limits.solutions.get() > 2
            || self.run.question.limits.nodes.is_some()
        {
            return;
        }
        for (taker, giver) in lanes_of(free).zip(lanes_of(generous)) {
            self.stack.take_last(giver, &mut self.run.blocks.work, taker);
            self.divided.divide(giver, taker);
            self.run.busy |= 1 << taker;
            self.search[taker] = Search { solutions: 0, ..self.search[giver] };
            self.guesses[taker] = 0;
            self.nodes[taker] = 1;
        }
    }

    /// At the end of a batch few lanes are left. They defer puzzles that turn out to have many
    /// solutions: an ordered search in all lanes is faster than theirs, though it starts again.
    fn defer_long(&mut self) {
        const MANY: u32 = 4;
        let limits = self.run.question.limits;
        let few = self.run.busy.count_ones() as usize <= V::LEN / 4;
        if few && limits.nodes.is_none() {
            self.enough = limits.solutions.get().min(MANY);
        }
    }

    /// A lane has ended that had a part of a search, unless it was needless already.
    fn end_part(&mut self, lane: usize, now_ns: u64) {
        if self.divided.lanes() >> lane & 1 == 0 {
            return;
        }
        let Search { puzzle, entered_ns, solutions, at_first } = self.search[lane];
        let effort = self.effort(lane);
        let found = Found { solutions, effort, at_first, grid: self.grids[lane] };
        let ended = self.divided.end(lane, &found, self.run.question.limits.solutions.get());
        self.stack.clear(ended.needless | 1 << lane);
        for lane in lanes_of(ended.needless | 1 << lane) {
            self.grids[lane] = None;
        }
        self.run.busy &= !ended.needless;
        if let Some(all) = ended.all {
            self.run.several_rate.note(all.solutions > 1);
            let outcome = &mut self.run.outcomes[puzzle];
            outcome.solutions = all.solutions;
            outcome.gave_up = false;
            outcome.guesses = all.effort.guesses;
            outcome.nodes = all.effort.nodes;
            outcome.latency_ns = now_ns - entered_ns;
            if let Some(grid) = all.grid {
                outcome.grid = grid;
            } else if all.solutions == 0 {
                outcome.grid = Grid::BLANK;
            }
        }
    }

    /// The digits of a work lane that is solved.
    fn grid_of(&self, lane: usize) -> Grid {
        let digit = |cell: &V| cell.as_slice()[lane].trailing_zeros() as u8 + 1;
        Grid(std::array::from_fn(|i| digit(&self.run.blocks.work[i])))
    }
}

/// Adds one for each of the lanes.
#[inline(always)]
fn count(counters: &mut [u64; 32], lanes: LaneSet) {
    for lane in 0..32 {
        counters[lane] += u64::from(lanes >> lane & 1);
    }
}
