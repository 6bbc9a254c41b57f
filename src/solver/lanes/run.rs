//! One batch on its way through the lanes: in, to work, and out.
//!
//! ```text
//!            entry: a block of puzzles             work: lanes that search
//!          ┌───────────────────────────┐  the rest  ┌────────────────────────┐
//! puzzles ─▶ load, sweep all together   ├───────────▶ step, branch, return    │
//!          └──────────┬────────────────┘ into free  └──────┬─────────────────┘
//!                     │ solved, failed      lanes          │ solved, failed
//!                     ▼                                    ▼
//!                  outcomes ◀───────────────── exit: a block of solutions
//! ```
//!
//! Entries start together, so their first sweeps waste no lane, and those that need no search
//! (nearly all of an easy set) go from the entry block straight to their outcomes. The others
//! move into free lanes of the work block, where every lane is at its own point of a search.

use std::num::NonZeroU64;
use std::time::Instant;

use lane_kernel::{
    Block, CELLS, Candidates, Clues, Digits, Kernel, LaneSet, MOST_LANES, Moves, Place, SimdLevel,
    Verdict, lanes_of,
};

use super::several_rate::SeveralRate;
use crate::marks::Marks;
use crate::prefetch::prefetch_all;
use crate::puzzle::{Grid, Puzzle};
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

impl Clues for Puzzle {
    #[inline(always)]
    fn clues(&self) -> &Digits {
        self.cells()
    }
}

impl lane_kernel::Marks for Marks {
    #[inline(always)]
    fn candidates(&self) -> &Candidates {
        self.masks()
    }
}

impl Place for Outcome {
    #[inline(always)]
    fn digits(&mut self) -> &mut Digits {
        &mut self.grid.0
    }
}

/// What all ways to search a batch have in common, from batch to batch.
pub(super) struct Memory<K> {
    pub(super) kernel: K,
    /// What loops over sets of lanes are compiled for.
    pub(super) level: SimdLevel,
    pub(super) several_rate: SeveralRate,
}

/// A question about a batch, where its answers go, and what may end it early.
pub(super) struct Job<'a> {
    pub(super) question: Question<'a>,
    pub(super) outcomes: &'a mut [Outcome],
    pub(super) stop: &'a StopFlag,
    /// What latencies count from.
    pub(super) start: Instant,
}

impl Job<'_> {
    /// The same once more.
    pub(super) fn again(&mut self) -> Job<'_> {
        Job { outcomes: &mut *self.outcomes, ..*self }
    }
}

/// A puzzle that has come into a work lane.
pub(super) struct Entry {
    pub(super) lane: usize,
    /// Its place in the batch.
    pub(super) puzzle: usize,
    pub(super) entered_ns: u64,
    /// Whether it is stuck, and has to branch at once.
    pub(super) stuck: bool,
}

/// What a search has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) guesses: u64,
    pub(super) nodes: u64,
}

impl Effort {
    pub(super) const NONE: Self = Self { guesses: 0, nodes: 0 };

    pub(super) fn and(self, other: Self) -> Self {
        Self { guesses: self.guesses + other.guesses, nodes: self.nodes + other.nodes }
    }
}

/// What a search has found that is over. Its grid has gone to the outcome already.
pub(super) struct Searched {
    pub(super) puzzle: usize,
    pub(super) entered_ns: u64,
    pub(super) solutions: u32,
    pub(super) gave_up: bool,
    pub(super) effort: Effort,
}

/// How far a batch was searched.
pub(super) struct Ended {
    /// The first puzzle that was not; if stopped, the first one whose outcome is not final.
    pub(super) next: usize,
    /// Whether that was because all searches are to end.
    pub(super) stopped: bool,
}

/// How the lanes with an event go on.
#[derive(Clone, Copy, Default)]
pub(super) struct Next {
    /// Stuck: with side A of a branch.
    pub(super) branching: LaneSet,
    /// Failed, or after a solution: with the side pushed last.
    pub(super) returning: LaneSet,
}

/// Which lane takes which node.
pub(super) trait Policy<K> {
    /// Gives free lanes entries, if they are to have any; returns those that are stuck already.
    fn refill(&mut self, run: &mut Run<'_, K>, branching: LaneSet) -> LaneSet;

    /// Gives lanes that branch or return the cells of their next node, and free ones any side.
    fn advance(&mut self, run: &mut Run<'_, K>, next: Next);

    /// Counts what has come to an end.
    fn settle(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next;

    /// Whether nothing waits while no lane is busy.
    fn is_through(&self, run: &Run<'_, K>) -> bool;

    /// The first puzzle of those that are searched or deferred, if there is any; all searches are
    /// forgotten.
    fn forget_all(&mut self, run: &mut Run<'_, K>) -> Option<usize>;
}

/// One batch, and what all ways to search it have in common.
pub(super) struct Run<'a, K> {
    pub(super) kernel: &'a mut K,
    pub(super) level: SimdLevel,
    pub(super) several_rate: &'a mut SeveralRate,
    pub(super) outcomes: &'a mut [Outcome],
    pub(super) question: Question<'a>,
    /// The work lanes that are searching.
    pub(super) busy: LaneSet,
    stop: &'a StopFlag,
    start: Instant,
    /// How many lanes there are.
    lanes: usize,
    /// The next puzzle that enters, and the first one that does not.
    next: usize,
    end: usize,
    /// The entries that are still to move into work lanes, and which of them are stuck.
    waiting: LaneSet,
    waiting_stuck: LaneSet,
    /// The puzzle in lane 0 of the entry block, and when it came.
    first_waiting: usize,
    entered_ns: u64,
    /// The last reading of the clock, and whether no step has been made since.
    clock_ns: u64,
    clock_is_right: bool,
    /// The solutions in the exit block: their puzzles.
    leaving: usize,
    leaving_puzzles: [usize; MOST_LANES],
}

impl<'a, K: Kernel> Run<'a, K> {
    /// Work lanes are stepped until this many of 32 have an event: events cost about as much as steps,
    /// and a lane that waits is swept for nothing.
    const EVENTS: u32 = 12;

    pub(super) fn new(memory: &'a mut Memory<K>, job: Job<'a>) -> Self {
        let Memory { kernel, level, several_rate } = memory;
        let Job { question, outcomes, stop, start } = job;
        Self {
            lanes: kernel.lanes(),
            kernel,
            level: *level,
            several_rate,
            end: question.batch.len(),
            question,
            outcomes,
            stop,
            start,
            busy: 0,
            next: 0,
            waiting: 0,
            waiting_stuck: 0,
            first_waiting: 0,
            entered_ns: 0,
            clock_ns: 0,
            clock_is_right: false,
            leaving: 0,
            leaving_puzzles: [0; MOST_LANES],
        }
    }

    /// Searches puzzles as long as the policy takes any.
    pub(super) fn search(&mut self, policy: &mut impl Policy<K>) -> Ended {
        let mut next = Next::default();
        let stopped = loop {
            if self.stop.is_requested() {
                break true;
            }
            next.branching |= policy.refill(self, next.branching);
            policy.advance(self, next);
            next = if self.busy != 0 {
                let verdict = self.work();
                policy.settle(self, verdict)
            } else if policy.is_through(self) {
                break false;
            } else {
                Next::default()
            };
        };
        self.flush();
        if !stopped {
            return Ended { next: self.next, stopped };
        }
        let first_outside = self.first_waiting + self.waiting.trailing_zeros() as usize;
        let first_outside = if self.waiting == 0 { self.next } else { first_outside };
        let first_open = policy.forget_all(self).unwrap_or(usize::MAX);
        Ended { next: first_open.min(first_outside), stopped }
    }

    /// Nanoseconds since the start. Reading a clock costs about as much as an easy
    /// puzzle, so one reading serves all that happens between two steps.
    pub(super) fn now_ns(&mut self) -> u64 {
        if !self.clock_is_right {
            self.clock_ns = self.start.elapsed().as_nanos() as u64;
            self.clock_is_right = true;
        }
        self.clock_ns
    }

    /// The work lanes that search nothing.
    pub(super) fn free(&self) -> LaneSet {
        self.every() & !self.busy
    }

    /// All lanes of the vector.
    fn every(&self) -> LaneSet {
        LaneSet::MAX >> (MOST_LANES - self.lanes)
    }

    /// Whether at most a quarter of the lanes are busy.
    pub(super) fn has_few_busy(&self) -> bool {
        self.busy.count_ones() as usize <= self.lanes / 4
    }

    /// Whether an entry waits for a work lane; as long as none does, more are loaded.
    pub(super) fn has_entries(&mut self) -> bool {
        while self.waiting == 0 && self.next < self.end {
            self.load_entries();
        }
        self.waiting != 0
    }

    /// Whether all puzzles have entered and left the entry block.
    pub(super) fn is_through(&self) -> bool {
        self.waiting == 0 && self.next == self.end
    }

    /// Whether all searches are to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// The batch ends here.
    pub(super) fn end_entry(&mut self) {
        self.end = self.next;
    }

    /// Moves entries into lanes that are free, and tells which; returns the lanes that are stuck.
    pub(super) fn take_entries(
        &mut self,
        free: LaneSet,
        mut taken_in: impl FnMut(Entry),
    ) -> LaneSet {
        let mut moves = Moves::NONE;
        let mut stuck = 0;
        for (lane, entry) in lanes_of(free).zip(lanes_of(self.waiting)) {
            moves.add(lane, entry);
            let is_stuck = self.waiting_stuck >> entry & 1;
            stuck |= is_stuck << lane;
            self.waiting &= !(1 << entry);
            taken_in(Entry {
                lane,
                puzzle: self.first_waiting + entry,
                entered_ns: self.entered_ns,
                stuck: is_stuck != 0,
            });
        }
        self.busy |= moves.lanes;
        self.kernel.admit(&moves, stuck);
        stuck
    }

    /// Takes up to a vector of puzzles into the entry block and sweeps them together.
    fn load_entries(&mut self) {
        let first = self.next;
        self.next = (first + self.lanes).min(self.end);
        self.first_waiting = first;
        self.entered_ns = self.now_ns();
        let filled = LaneSet::MAX >> (MOST_LANES - (self.next - first));
        match self.question.batch.part(first..self.next) {
            Batch::Puzzles(puzzles) => self.kernel.load(puzzles),
            Batch::Marks(marks) => self.kernel.load_marks(marks),
        }
        let ahead = self.question.batch.part(self.next..(self.next + self.lanes).min(self.end));
        let (outcomes, question) = (&self.outcomes[first..self.next], &self.question);
        self.level.run(
            #[inline(always)]
            || {
                match ahead {
                    Batch::Puzzles(puzzles) => prefetch_all(puzzles),
                    Batch::Marks(marks) => prefetch_all(marks),
                }
                prefetch_all(outcomes);
                prefetch_all(question.known_of(first..self.next));
            },
        );
        let verdict = self.kernel.sweep_entry(filled);
        self.clock_is_right = false;
        self.sort_entries(verdict, filled);
    }

    /// Entries that need no search leave; the others wait for a work lane.
    fn sort_entries(&mut self, Verdict { failed, solved, stuck }: Verdict, filled: LaneSet) {
        let refused = if self.question.limits.nodes == Some(NonZeroU64::MIN) { stuck } else { 0 };
        let done = solved | failed | refused;
        self.waiting = filled & !done;
        self.waiting_stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.now_ns() - self.entered_ns;
        let first = self.first_waiting;
        let (question, entries) = (self.question, &mut self.outcomes[first..self.next]);
        if solved != 0 {
            // Of all entries: a branch for each lane, on what cannot be predicted, takes longer. What is
            // not a solution is overwritten, here or when the search ends.
            self.kernel.store(Block::Entry, entries);
        }
        self.level.run(
            #[inline(always)]
            || {
                let mut found = solved;
                if question.knows_solutions() {
                    for lane in lanes_of(solved) {
                        let is_known = question.known(first + lane) == Some(&entries[lane].grid);
                        found &= !(LaneSet::from(is_known) << lane);
                    }
                }
                for lane in lanes_of(found) {
                    let outcome = &mut entries[lane];
                    outcome.solutions = 1;
                    outcome.gave_up = false;
                    outcome.guesses = 0;
                    outcome.nodes = 1;
                    outcome.latency_ns = latency_ns;
                }
                for lane in lanes_of(done & !found) {
                    let gave_up = refused >> lane & 1 != 0;
                    entries[lane] = Outcome { gave_up, nodes: 1, latency_ns, ..Outcome::NONE };
                }
            },
        );
    }

    /// Steps until enough lanes have an event.
    pub(super) fn work(&mut self) -> Verdict {
        self.clock_is_right = false;
        let enough = (self.busy.count_ones() * Self::EVENTS / 32).max(1);
        self.kernel.work(self.busy, enough)
    }

    /// Those of the solved work lanes whose solution counts; `puzzle_of` a lane is its place in the
    /// batch.
    pub(super) fn counting(
        &self,
        mut solved: LaneSet,
        puzzle_of: impl Fn(usize) -> usize,
    ) -> LaneSet {
        if self.question.knows_solutions() {
            for lane in lanes_of(solved) {
                let known = self.question.known(puzzle_of(lane));
                let is_known = known.is_some_and(|known| known.0 == self.kernel.solution(lane));
                solved &= !(LaneSet::from(is_known) << lane);
            }
        }
        solved
    }

    /// The solutions in these work lanes go to the exit block; `puzzle_of` a lane is its place in
    /// the batch.
    pub(super) fn keep_solutions(
        &mut self,
        mut solved: LaneSet,
        puzzle_of: impl Fn(usize) -> usize,
    ) {
        while solved != 0 {
            let mut moves = Moves::NONE;
            for (place, lane) in (self.leaving..self.lanes).zip(lanes_of(solved)) {
                moves.add(place, lane);
                self.leaving_puzzles[place] = puzzle_of(lane);
                solved &= !(1 << lane);
            }
            self.kernel.keep(&moves);
            self.leaving += moves.lanes.count_ones() as usize;
            if self.leaving == self.lanes {
                self.flush();
            }
        }
    }

    /// Writes the solutions of the exit block.
    fn flush(&mut self) {
        if self.leaving == 0 {
            return;
        }
        let mut grids = [[0; CELLS]; MOST_LANES];
        self.kernel.store(Block::Exit, &mut grids[..self.lanes]);
        for (puzzle, grid) in self.leaving_puzzles[..self.leaving].iter().zip(&grids) {
            self.outcomes[*puzzle].grid.0 = *grid;
        }
        self.leaving = 0;
    }

    /// Writes the outcome of a search, but for its grid.
    pub(super) fn finish(&mut self, searched: &Searched) {
        self.several_rate.note(searched.solutions > 1);
        let latency_ns = self.now_ns() - searched.entered_ns;
        let outcome = &mut self.outcomes[searched.puzzle];
        outcome.solutions = searched.solutions;
        outcome.gave_up = searched.gave_up;
        outcome.guesses = searched.effort.guesses;
        outcome.nodes = searched.effort.nodes;
        outcome.latency_ns = latency_ns;
        if searched.solutions == 0 {
            outcome.grid = Grid::BLANK;
        }
    }
}
