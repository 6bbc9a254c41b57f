//! Lanes at work: from the batch into lanes, search, out of them.
//!
//! ```text
//!            entry: a block of newcomers             work: lanes that search
//!          ┌───────────────────────────┐  the rest  ┌────────────────────────┐
//! puzzles ─▶ load, step all together    ├───────────▶ step, branch, return    │
//!          └──────────┬────────────────┘ into free  └──────┬─────────────────┘
//!                     │ solved, failed      lanes          │ solved, failed
//!                     ▼                                    ▼
//!                  outcomes ◀───────────────── exit: a block of solutions
//! ```
//!
//! Newcomers start together, so their first steps waste no lane, and those that need no search
//! (nearly all of an easy set) go from the entry block straight to their outcomes. The others
//! move into free lanes of the work block, where every lane is at its own point of its search.

use std::time::Instant;

use fearless_simd::Simd;

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::share::{Effort, Found, Shares};
use super::stack::Stack;
use super::sweep::{Cells, Verdict, solved, step, step_together};
use super::touch::{touch_all, touch_batch};
use super::transpose::{Batch, load, load_marks, move_lanes, store};
use super::vector::{LaneSet, Vector, align_stack, lanes_of};
use crate::puzzle::Grid;
use crate::solver::{Limits, Outcome};

/// What a lane is about, beside its cells.
#[derive(Clone, Copy, Default)]
struct Search {
    puzzle: usize,
    entered_ns: u64,
    solutions: u32,
    /// What it had cost at the first solution.
    at_first: Effort,
}

/// The lanes of one vector width, with all their memory.
pub(super) struct Engine<S: Simd, V> {
    simd: S,
    work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    stack: Stack<S, V>,
}

/// An engine of any width.
pub(super) trait Solve: Send {
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]);
}

impl<S: Simd, V: Vector<S>> Engine<S, V> {
    pub(super) fn new(simd: S) -> Self {
        let blank = || Box::new([V::splat(simd, 0); 81]);
        Self { simd, work: blank(), entry: blank(), exit: blank(), stack: Stack::new(simd) }
    }
}

impl<S: Simd, V: Vector<S> + Send> Solve for Engine<S, V> {
    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) {
        Run::new(self, batch, limits, outcomes).all();
    }
}

/// How the lanes with an event go on.
struct Next {
    /// Stuck: with side A of a branch.
    branching: LaneSet,
    /// Failed, or after a solution: with the side put by last.
    returning: LaneSet,
}

/// One batch.
struct Run<'a, S: Simd, V> {
    s: S,
    engine: &'a mut Engine<S, V>,
    batch: Batch<'a>,
    outcomes: &'a mut [Outcome],
    limits: Limits,
    node_limit: u64,
    start: Instant,
    /// The next puzzle that enters.
    next: usize,
    /// The work lanes that are searching, and what for.
    busy: LaneSet,
    search: [Search; 32],
    guesses: [u64; 32],
    nodes: [u64; 32],
    /// The newcomers that are still to move into work lanes, and which of them are stuck.
    waiting: LaneSet,
    waiting_stuck: LaneSet,
    /// The puzzle in lane 0 of the entry block, and when it came.
    first_waiting: usize,
    entered_ns: u64,
    /// How many sweeps the two last blocks of newcomers took.
    sweeps: [usize; 2],
    /// The last reading of the clock, and whether no step has been made since.
    clock_ns: u64,
    clock_is_right: bool,
    /// The solutions in the exit block: their puzzles.
    leaving: usize,
    leaving_puzzles: [usize; 32],
    /// At the end of the batch: lanes that share a search, and their solutions.
    shares: Shares,
    grids: [Option<Grid>; 32],
}

impl<'a, S: Simd, V: Vector<S>> Run<'a, S, V> {
    /// All lanes of the vector.
    const EVERY: LaneSet = LaneSet::MAX >> (32 - V::LEN);

    /// Work lanes go on until so many of 32 have an event: events cost about as much as steps,
    /// and a lane that waits is swept for nothing.
    const EVENTS: u32 = 12;

    /// Newcomers go on together until fewer than this many are still changing.
    const TOGETHER: u32 = V::LEN as u32 * 10 / 32;

    fn new(
        engine: &'a mut Engine<S, V>,
        batch: Batch<'a>,
        limits: Limits,
        outcomes: &'a mut [Outcome],
    ) -> Self {
        Self {
            s: engine.simd,
            engine,
            batch,
            outcomes,
            limits,
            node_limit: limits.nodes.map_or(u64::MAX, std::num::NonZeroU64::get),
            start: Instant::now(),
            next: 0,
            busy: 0,
            search: [Search::default(); 32],
            guesses: [0; 32],
            nodes: [0; 32],
            waiting: 0,
            waiting_stuck: 0,
            first_waiting: 0,
            entered_ns: 0,
            sweeps: [0; 2],
            clock_ns: 0,
            clock_is_right: false,
            leaving: 0,
            leaving_puzzles: [0; 32],
            shares: Shares::NONE,
            grids: [None; 32],
        }
    }

    fn all(&mut self) {
        let mut next = Next { branching: 0, returning: 0 };
        loop {
            next.branching |= self.refill();
            if self.busy == 0 {
                break;
            }
            self.go_on(&next);
            let verdict = self.work();
            next = self.settle(verdict);
        }
        self.flush();
    }

    /// Nanoseconds since the batch began. Reading a clock costs about as much as an easy
    /// puzzle, so one reading serves all that happens between two steps.
    fn now_ns(&mut self) -> u64 {
        if !self.clock_is_right {
            self.clock_ns = self.start.elapsed().as_nanos() as u64;
            self.clock_is_right = true;
        }
        self.clock_ns
    }

    /// Gives every free lane a newcomer, as long as there are any; returns the lanes that
    /// were stuck already.
    fn refill(&mut self) -> LaneSet {
        let mut stuck = 0;
        loop {
            let free = Self::EVERY & !self.busy;
            if free == 0 {
                return stuck;
            }
            if self.waiting == 0 {
                if self.next == self.batch.len() {
                    self.share(free);
                    return stuck;
                }
                self.admit();
            }
            stuck |= self.take_newcomers(free);
        }
    }

    /// Moves newcomers into `free` lanes; returns those of them that are stuck.
    fn take_newcomers(&mut self, free: LaneSet) -> LaneSet {
        let mut from = [0; 32];
        let (mut taken, mut stuck) = (0, 0);
        for (lane, newcomer) in lanes_of(free).zip(lanes_of(self.waiting)) {
            from[lane] = newcomer as u16;
            taken |= 1 << lane;
            // A stuck one branches at once: a guess, and its side A.
            let branches = self.waiting_stuck >> newcomer & 1;
            stuck |= branches << lane;
            self.waiting &= !(1 << newcomer);
            self.search[lane] = Search {
                puzzle: self.first_waiting + newcomer,
                entered_ns: self.entered_ns,
                ..Search::default()
            };
            self.guesses[lane] = u64::from(branches);
            self.nodes[lane] = 1 + u64::from(branches);
        }
        self.busy |= taken;
        let (s, Engine { entry, work, .. }) = (self.s, &mut *self.engine);
        s.vectorize(
            #[inline(always)]
            || move_lanes(s, entry, &from, work, taken),
        );
        stuck
    }

    /// Takes up to a vector of puzzles into the entry block and steps them together.
    fn admit(&mut self) {
        let count = (self.batch.len() - self.next).min(V::LEN);
        let block = self.batch.part(self.next..self.next + count);
        self.first_waiting = self.next;
        self.entered_ns = self.now_ns();
        self.next += count;
        let filled = LaneSet::MAX >> (32 - count);
        let ahead = self.batch.part(self.next..(self.next + V::LEN).min(self.batch.len()));
        let outcomes = &self.outcomes[self.first_waiting..self.next];
        let (s, entry) = (self.s, &mut *self.engine.entry);
        // Two fewer than the faster of the two blocks before took.
        let blind = self.sweeps[0].min(self.sweeps[1]).saturating_sub(2);
        let (verdict, sweeps) = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                match block {
                    Batch::Puzzles(puzzles) => load(s, puzzles, entry),
                    Batch::Marks(marks) => load_marks(s, marks, entry),
                }
                touch_batch(ahead);
                touch_all(outcomes);
                let clashing = match block {
                    Batch::Puzzles(_) => eliminate_clues(s, entry),
                    Batch::Marks(_) => eliminate_singles(s, entry),
                };
                let (mut verdict, sweeps) =
                    step_together(s, entry, filled & !clashing, blind, Self::TOGETHER);
                verdict.failed |= clashing;
                verdict.full &= !clashing;
                (verdict, sweeps)
            },
        );
        self.sweeps = [self.sweeps[1], sweeps];
        self.clock_is_right = false;
        self.sort_newcomers(verdict, filled);
    }

    /// Newcomers that need no search leave; the others wait for a work lane.
    fn sort_newcomers(&mut self, verdict: Verdict, filled: LaneSet) {
        let full = verdict.full & filled;
        let right = if full == 0 { 0 } else { full & solved_in(self.s, &self.engine.entry) };
        let failed = (verdict.failed & filled) | (full & !right);
        let stuck = verdict.stuck & filled & !failed;
        let refused = if self.node_limit == 1 { stuck } else { 0 };
        let done = right | failed | refused;
        self.waiting = filled & !done;
        self.waiting_stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.now_ns() - self.entered_ns;
        let (s, entry) = (self.s, &*self.engine.entry);
        let newcomers = &mut self.outcomes[self.first_waiting..self.next];
        s.vectorize(
            #[inline(always)]
            || {
                if right != 0 {
                    // Of all newcomers: a branch for each lane, on what cannot be predicted, takes
                    // longer. What is not a solution is overwritten, here or when the search ends.
                    store_newcomers(s, entry, newcomers);
                }
                for lane in lanes_of(right) {
                    let outcome = &mut newcomers[lane];
                    outcome.solutions = 1;
                    outcome.gave_up = false;
                    outcome.guesses = 0;
                    outcome.nodes = 1;
                    outcome.latency_ns = latency_ns;
                }
                for lane in lanes_of(done & !right) {
                    let gave_up = refused >> lane & 1 != 0;
                    newcomers[lane] = Outcome { gave_up, nodes: 1, latency_ns, ..Outcome::NONE };
                }
            },
        );
    }

    /// Lanes that branch or return get the cells that they go on with.
    fn go_on(&mut self, next: &Next) {
        let &Next { branching, returning } = next;
        let (s, Engine { work, stack, .. }) = (self.s, &mut *self.engine);
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                if branching != 0 {
                    let split = Split::choose(s, work, branching);
                    stack.exchange(s, work, &split, branching, returning);
                } else if returning != 0 {
                    stack.give_back(s, work, returning);
                }
            },
        );
    }

    /// Steps until enough lanes have an event.
    fn work(&mut self) -> Verdict {
        self.clock_is_right = false;
        let (s, work, busy) = (self.s, &mut *self.engine.work, self.busy);
        let enough = (busy.count_ones() * Self::EVENTS / 32).max(1);
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                loop {
                    let Verdict { failed, full, stuck } = step(s, work);
                    let events = (failed | full | stuck) & busy;
                    if events.count_ones() >= enough {
                        return Verdict {
                            failed: failed & busy,
                            full: full & busy,
                            stuck: stuck & busy,
                        };
                    }
                }
            },
        )
    }

    /// Lanes at an end leave; the others return to a side that was put by, or branch.
    fn settle(&mut self, verdict: Verdict) -> Next {
        let Verdict { failed, full, stuck } = verdict;
        let right = if full == 0 { 0 } else { full & solved_in(self.s, &self.engine.work) };
        let over = failed | full;
        let done = (over & !self.engine.stack.occupied()) | self.count_solutions(right);
        let going_on = (over & !done) | stuck;
        let spent = if self.limits.nodes.is_some() { self.spent(going_on) } else { 0 };
        let (branching, returning) = (stuck & !spent, over & !done & !spent);
        let (s, guesses, nodes) = (self.s, &mut self.guesses, &mut self.nodes);
        s.vectorize(
            #[inline(always)]
            || {
                count(guesses, branching);
                count(nodes, branching | returning);
            },
        );
        self.finish(done | spent, spent);
        // Lanes that share a search may have ended with another one.
        Next { branching: branching & self.busy, returning: returning & self.busy }
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
            enough |= LaneSet::from(*solutions == self.limits.solutions.get()) << lane;
        }
        for lane in lanes_of(first) {
            self.search[lane].at_first = self.effort(lane);
        }
        for lane in lanes_of(first & self.shares.lanes()) {
            self.grids[lane] = Some(self.grid_of(lane));
        }
        self.keep_solutions(first & !self.shares.lanes());
        enough
    }

    /// The solutions in these lanes go to the exit block.
    fn keep_solutions(&mut self, mut first: LaneSet) {
        while first != 0 {
            let mut from = [0; 32];
            let (mut places, mut lanes) = (0, 0);
            for (place, lane) in (self.leaving..V::LEN).zip(lanes_of(first)) {
                from[place] = lane as u16;
                places |= 1 << place;
                lanes |= 1 << lane;
                self.leaving_puzzles[place] = self.search[lane].puzzle;
            }
            let (s, Engine { work, exit, .. }) = (self.s, &mut *self.engine);
            s.vectorize(
                #[inline(always)]
                || move_lanes(s, work, &from, exit, places),
            );
            first &= !lanes;
            self.leaving += lanes.count_ones() as usize;
            if self.leaving == V::LEN {
                self.flush();
            }
        }
    }

    /// Writes the solutions of the exit block.
    fn flush(&mut self) {
        if self.leaving == 0 {
            return;
        }
        let (s, exit, outcomes) = (self.s, &*self.engine.exit, &mut *self.outcomes);
        let puzzles = &self.leaving_puzzles[..self.leaving];
        s.vectorize(
            #[inline(always)]
            || {
                let mut solutions = [Grid::BLANK; 32];
                store(s, exit, &mut solutions[..]);
                for (puzzle, solution) in puzzles.iter().zip(&solutions) {
                    outcomes[*puzzle].grid = *solution;
                }
            },
        );
        self.leaving = 0;
    }

    /// The lanes `done` are free again; what was found goes to their outcomes.
    fn finish(&mut self, done: LaneSet, gave_up: LaneSet) {
        if done == 0 {
            return;
        }
        self.busy &= !done;
        let now_ns = self.now_ns();
        self.engine.stack.clear(done & !self.shares.lanes());
        for lane in lanes_of(done & !self.shares.lanes()) {
            let search = &self.search[lane];
            let outcome = &mut self.outcomes[search.puzzle];
            outcome.solutions = search.solutions;
            outcome.gave_up = gave_up >> lane & 1 != 0;
            outcome.guesses = self.guesses[lane];
            outcome.nodes = self.nodes[lane];
            outcome.latency_ns = now_ns - search.entered_ns;
            if search.solutions == 0 {
                outcome.grid = Grid::BLANK;
            }
        }
        for lane in lanes_of(done & self.shares.lanes()) {
            self.end_part(lane, now_ns);
        }
    }

    /// Free lanes take sides of those that have several, see [`super::share`].
    fn share(&mut self, free: LaneSet) {
        let generous = self.engine.stack.generous();
        if generous == 0 || self.limits.solutions.get() > 2 || self.limits.nodes.is_some() {
            return;
        }
        for (taker, giver) in lanes_of(free).zip(lanes_of(generous)) {
            let Engine { work, stack, .. } = &mut *self.engine;
            stack.take_last(giver, work, taker);
            self.shares.divide(giver, taker);
            self.busy |= 1 << taker;
            self.search[taker] = Search { solutions: 0, ..self.search[giver] };
            self.guesses[taker] = 0;
            self.nodes[taker] = 1;
        }
    }

    /// A lane has ended that had a part of a search, unless it was needless already.
    fn end_part(&mut self, lane: usize, now_ns: u64) {
        if self.shares.lanes() >> lane & 1 == 0 {
            return;
        }
        let Search { puzzle, entered_ns, solutions, at_first } = self.search[lane];
        let effort = self.effort(lane);
        let found = Found { solutions, effort, at_first, grid: self.grids[lane] };
        let ended = self.shares.end(lane, &found, self.limits.solutions.get());
        self.engine.stack.clear(ended.needless | 1 << lane);
        for lane in lanes_of(ended.needless | 1 << lane) {
            self.grids[lane] = None;
        }
        self.busy &= !ended.needless;
        if let Some(all) = ended.all {
            let outcome = &mut self.outcomes[puzzle];
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
        Grid(std::array::from_fn(|i| digit(&self.engine.work[i])))
    }
}

/// Adds one for each of the lanes.
#[inline(always)]
fn count(counters: &mut [u64; 32], lanes: LaneSet) {
    for lane in 0..32 {
        counters[lane] += u64::from(lanes >> lane & 1);
    }
}

/// [`solved`], for the rare lanes that are full.
fn solved_in<S: Simd, V: Vector<S>>(s: S, cells: &Cells<V>) -> LaneSet {
    s.vectorize(
        #[inline(always)]
        || solved(s, cells),
    )
}

/// The solutions of a block of newcomers to their outcomes, of which a last block has fewer.
#[inline(always)]
fn store_newcomers<S: Simd, V: Vector<S>>(s: S, entry: &Cells<V>, outcomes: &mut [Outcome]) {
    if outcomes.len() == V::LEN {
        return store(s, entry, outcomes);
    }
    let mut solutions = [Grid::BLANK; 32];
    store(s, entry, &mut solutions[..]);
    for (outcome, solution) in outcomes.iter_mut().zip(&solutions) {
        outcome.grid = *solution;
    }
}
