//! The path of one batch through the lanes: entry, search, and exit.
//!
//! New puzzles start together, so their first sweeps waste no lane. Those that need no search
//! (nearly all of an easy set) go from the entry block straight to their outcomes. The others move
//! to free lanes of the work block, where each lane is at a different point of a search
//! (`docs/lane-engine.md`, "Scheduling").

use std::num::NonZeroU64;

use lane_kernel::{
    CELLS, Kernel, LaneBlock, LaneSet, LaneVerdict, MAX_LANES, Moves, SimdLevel, lanes_of,
};

use crate::clock::Instant;
use crate::marks::Marks;
use crate::prefetch::prefetch_all;
use crate::puzzle::{Grid, Puzzle};
use crate::solver::contract::Query;
use crate::solver::{Batch, Outcome, StopFlag};

/// Decaying estimate of how often recent puzzles had several solutions. One such puzzle outweighs 31
/// others.
#[derive(Clone, Copy)]
pub(super) struct MultipleSolutionsRate(i32);

impl MultipleSolutionsRate {
    /// The initial estimate, which assumes that few puzzles have several solutions.
    pub(super) const INITIAL: Self = Self(-128);

    /// Updates the estimate after a puzzle has been searched.
    pub(super) fn update(&mut self, multiple_solutions: bool) {
        let weight = if multiple_solutions { 31 } else { -1 };
        self.0 = (self.0 + weight).clamp(-1024, 1024);
    }

    /// Returns whether so few puzzles have several solutions that sharing work pays.
    pub(super) fn is_low(self) -> bool {
        self.0 <= 0
    }
}

/// A query about a batch, its outcomes, and the flag that stops it.
pub(super) struct BatchJob<'a> {
    pub(super) query: Query<'a>,
    pub(super) outcomes: &'a mut [Outcome],
    pub(super) stop: &'a StopFlag,
    /// The origin of all latencies.
    pub(super) start: Instant,
}

/// The index of a puzzle in the batch, and the time at which it entered.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EnteredPuzzle {
    pub(super) puzzle: usize,
    pub(super) at_ns: u64,
}

/// The cost of a search.
#[derive(Clone, Copy, Default)]
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

/// The result of a search, except its grid.
#[derive(Clone, Copy)]
pub(super) struct SearchResult {
    pub(super) entered: EnteredPuzzle,
    pub(super) solutions: u32,
    pub(super) gave_up: bool,
    pub(super) effort: Effort,
}

/// How far a batch has been searched.
pub(super) struct SearchEnd {
    /// The first puzzle that was not searched; if stopped, the first one whose outcome is not
    /// final.
    pub(super) next: usize,
    /// Whether the stop flag ended the search.
    pub(super) stopped: bool,
}

/// How the lanes with an event continue.
#[derive(Clone, Copy, Default)]
pub(super) struct Continuation {
    /// Stuck lanes, which continue with alternative A of a branch.
    pub(super) branching: LaneSet,
    /// Lanes that have failed or found a solution, which continue with their last pushed
    /// alternative.
    pub(super) returning: LaneSet,
}

/// A policy that assigns nodes to lanes.
pub(super) trait Policy<K> {
    /// Moves new puzzles to free lanes, if they should take any; returns the lanes that are already
    /// stuck.
    fn refill(&mut self, run: &mut BatchState<'_, K>, branching: LaneSet) -> LaneSet;

    /// Loads the next node of each lane that branches or returns, and pending alternatives into
    /// free lanes.
    fn advance(&mut self, run: &mut BatchState<'_, K>, next: Continuation);

    /// Handles the events of a step.
    fn handle_events(&mut self, run: &mut BatchState<'_, K>, verdict: LaneVerdict) -> Continuation;

    /// Returns whether the policy has nothing left to do.
    fn is_done(&self, run: &BatchState<'_, K>) -> bool;

    /// Discards all searches. Returns the first puzzle that was being searched or was deferred, if
    /// any.
    fn discard(&mut self, run: &mut BatchState<'_, K>) -> Option<usize>;
}

/// The state of one batch that all policies share.
pub(super) struct BatchState<'a, K> {
    pub(super) kernel: &'a mut K,
    /// The SIMD level that loops over outcomes are compiled for.
    pub(super) level: SimdLevel,
    pub(super) multiple_solutions: &'a mut MultipleSolutionsRate,
    pub(super) job: BatchJob<'a>,
    /// The work lanes that are searching.
    pub(super) busy: LaneSet,
    /// The number of lanes.
    lanes: usize,
    /// The next puzzle to enter; `end` is the first one that does not enter.
    next: usize,
    end: usize,
    /// The entries that must move to work lanes; `waiting_stuck` are those that are stuck.
    waiting: LaneSet,
    waiting_stuck: LaneSet,
    /// The puzzle in lane 0 of the entry block.
    first_entry: EnteredPuzzle,
    /// The last clock reading; `clock_is_current` until the next step is made.
    clock_ns: u64,
    clock_is_current: bool,
    /// The number of solutions in the exit block; `exit_puzzles` are their puzzles.
    exit_count: usize,
    exit_puzzles: [usize; MAX_LANES],
    /// All solutions with the indices of their puzzles, if they are listed.
    list: Option<&'a mut Vec<(usize, Grid)>>,
}

impl<'a, K: Kernel> BatchState<'a, K> {
    /// Work lanes are stepped until this many of 32 have an event. Events cost about as much as
    /// steps, and the steps of a lane that waits are wasted.
    const MIN_EVENTS_OF_32: u32 = 12;

    pub(super) fn new(
        kernel: &'a mut K,
        level: SimdLevel,
        multiple_solutions: &'a mut MultipleSolutionsRate,
        job: BatchJob<'a>,
    ) -> Self {
        Self {
            lanes: kernel.lanes(),
            kernel,
            level,
            multiple_solutions,
            end: job.outcomes.len(),
            job,
            busy: 0,
            next: 0,
            waiting: 0,
            waiting_stuck: 0,
            first_entry: EnteredPuzzle::default(),
            clock_ns: 0,
            clock_is_current: false,
            exit_count: 0,
            exit_puzzles: [0; MAX_LANES],
            list: None,
        }
    }

    /// Lists all solutions that are found.
    pub(super) fn listing(self, list: &'a mut Vec<(usize, Grid)>) -> Self {
        Self { list: Some(list), ..self }
    }

    /// Returns whether all solutions are listed.
    pub(super) fn lists(&self) -> bool {
        self.list.is_some()
    }

    /// Searches until the policy is done or the stop flag is set.
    pub(super) fn search(&mut self, policy: &mut impl Policy<K>) -> SearchEnd {
        let mut next = Continuation::default();
        let stopped = loop {
            next.branching |= policy.refill(self, next.branching);
            policy.advance(self, next);
            if policy.is_done(self) {
                break false;
            }
            // Checked only after `is_done`, since a search that is complete is not stopped.
            if self.job.stop.is_requested() {
                break true;
            }
            next = Continuation::default();
            if self.busy != 0 {
                let verdict = self.work();
                next = policy.handle_events(self, verdict);
            }
        };
        self.flush();
        if !stopped {
            return SearchEnd { next: self.next, stopped };
        }
        let waiting = lanes_of(self.waiting).map(|entry| self.first_entry.puzzle + entry).next();
        let first_outside = waiting.unwrap_or(self.next);
        let first_open = policy.discard(self).unwrap_or(usize::MAX);
        SearchEnd { next: first_open.min(first_outside), stopped }
    }

    /// Returns nanoseconds since the start. Reading the clock costs about as much as an easy
    /// puzzle, so one reading serves everything between two steps.
    fn now_ns(&mut self) -> u64 {
        if !self.clock_is_current {
            self.clock_ns = self.job.start.elapsed().as_nanos() as u64;
            self.clock_is_current = true;
        }
        self.clock_ns
    }

    /// Returns the idle work lanes.
    pub(super) fn free(&self) -> LaneSet {
        (LaneSet::MAX >> (MAX_LANES - self.lanes)) & !self.busy
    }

    /// Returns whether at most an eighth of the lanes are busy.
    pub(super) fn has_few_busy(&self) -> bool {
        self.busy.count_ones() as usize <= self.lanes / 8
    }

    /// Returns whether an entry is waiting for a work lane, after loading more if necessary. No more
    /// are loaded once the stop flag is set.
    pub(super) fn has_entries(&mut self) -> bool {
        while self.waiting == 0 && self.next < self.end && !self.job.stop.is_requested() {
            self.load_entries();
        }
        self.waiting != 0
    }

    /// Returns whether all puzzles have entered and left the entry block.
    pub(super) fn all_entered(&self) -> bool {
        self.waiting == 0 && self.next == self.end
    }

    /// Lets no more puzzles enter.
    pub(super) fn stop_entries(&mut self) {
        self.end = self.next;
    }

    /// Moves entries to free lanes and calls `on_entry` for each; returns the lanes that are stuck.
    pub(super) fn take_entries(
        &mut self,
        free: LaneSet,
        mut on_entry: impl FnMut(usize, EnteredPuzzle),
    ) -> LaneSet {
        let mut moves = Moves::NONE;
        let mut stuck = 0;
        for (lane, entry) in lanes_of(free).zip(lanes_of(self.waiting)) {
            moves.add(lane, entry);
            stuck |= (self.waiting_stuck >> entry & 1) << lane;
            self.waiting &= !(1 << entry);
            let puzzle = self.first_entry.puzzle + entry;
            on_entry(lane, EnteredPuzzle { puzzle, ..self.first_entry });
        }
        self.busy |= moves.lanes;
        self.kernel.admit(&moves, stuck);
        stuck
    }

    /// Loads a vector of puzzles, or the remaining ones, into the entry block and sweeps them
    /// together.
    fn load_entries(&mut self) {
        let first = self.next;
        self.next = (first + self.lanes).min(self.end);
        self.first_entry = EnteredPuzzle { puzzle: first, at_ns: self.now_ns() };
        let filled = LaneSet::MAX >> (MAX_LANES - (self.next - first));
        let query = &self.job.query;
        match query.batch.part(first..self.next) {
            Batch::Puzzles(puzzles) => self.kernel.load(puzzles, Puzzle::cells),
            Batch::Marks(marks) => self.kernel.load_candidates(marks, Marks::masks),
        }
        let ahead = query.batch.part(self.next..(self.next + self.lanes).min(self.end));
        self.level.run(
            #[inline(always)]
            || {
                match ahead {
                    Batch::Puzzles(puzzles) => prefetch_all(puzzles),
                    Batch::Marks(marks) => prefetch_all(marks),
                }
                prefetch_all(&self.job.outcomes[first..self.next]);
                prefetch_all(query.known_of(first..self.next));
            },
        );
        let verdict = self.kernel.sweep_entry(filled);
        self.clock_is_current = false;
        self.sort_entries(verdict, filled);
    }

    /// Finishes entries that need no search; the others wait for a work lane.
    fn sort_entries(
        &mut self,
        LaneVerdict { failed, solved, stuck }: LaneVerdict,
        filled: LaneSet,
    ) {
        let is_one_node = self.job.query.limits.nodes == Some(NonZeroU64::MIN);
        let refused = if is_one_node { stuck } else { 0 };
        let done = solved | failed | refused;
        self.waiting = filled & !done;
        self.waiting_stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.now_ns() - self.first_entry.at_ns;
        let first = self.first_entry.puzzle;
        let (query, entries) = (&self.job.query, &mut self.job.outcomes[first..self.next]);
        if solved != 0 {
            // All entries are stored: a branch per lane on unpredictable data takes longer. Grids
            // that are not solutions are overwritten below or when the search ends.
            self.kernel.store(LaneBlock::Entry, entries, |outcome| &mut outcome.grid.0);
        }
        self.level.run(
            #[inline(always)]
            || {
                let mut found = solved;
                if query.known.is_some() {
                    for lane in lanes_of(solved) {
                        let is_known = query.known(first + lane) == Some(&entries[lane].grid);
                        found &= !(LaneSet::from(is_known) << lane);
                    }
                }
                for lane in lanes_of(found) {
                    let outcome = &mut entries[lane];
                    if let Some(list) = &mut self.list {
                        list.push((first + lane, outcome.grid));
                    }
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

    /// Steps the work block until enough lanes have an event.
    fn work(&mut self) -> LaneVerdict {
        self.clock_is_current = false;
        let enough = (self.busy.count_ones() * Self::MIN_EVENTS_OF_32 / 32).max(1);
        self.kernel.work(self.busy, enough)
    }

    /// Returns the solution in a work lane.
    pub(super) fn grid(&self, lane: usize) -> Grid {
        Grid(K::digits(&self.kernel.column(LaneBlock::Work, lane)))
    }

    /// Moves the solutions in these work lanes to the exit block. `puzzle_of` maps a lane to its
    /// index in the batch.
    pub(super) fn keep_solutions(
        &mut self,
        mut solved: LaneSet,
        mut puzzle_of: impl FnMut(usize) -> usize,
    ) {
        while solved != 0 {
            let mut moves = Moves::NONE;
            for (place, lane) in (self.exit_count..self.lanes).zip(lanes_of(solved)) {
                moves.add(place, lane);
                self.exit_puzzles[place] = puzzle_of(lane);
                solved &= !(1 << lane);
            }
            self.kernel.move_to_exit(&moves);
            self.exit_count += moves.lanes.count_ones() as usize;
            if self.exit_count == self.lanes {
                self.flush();
            }
        }
    }

    /// Writes the solutions in the exit block to their outcomes.
    fn flush(&mut self) {
        if self.exit_count == 0 {
            return;
        }
        let puzzles = &self.exit_puzzles[..self.exit_count];
        if let Some(list) = &mut self.list {
            let first = list.len();
            list.extend(puzzles.iter().map(|puzzle| (*puzzle, Grid::BLANK)));
            self.kernel.store(LaneBlock::Exit, &mut list[first..], |(_, grid)| &mut grid.0);
        } else {
            let mut grids = [[0; CELLS]; MAX_LANES];
            self.kernel.store(LaneBlock::Exit, &mut grids[..self.lanes], |grid| grid);
            for (puzzle, grid) in puzzles.iter().zip(&grids) {
                self.job.outcomes[*puzzle].grid.0 = *grid;
            }
        }
        self.exit_count = 0;
    }

    /// Writes the outcome of a search, except its grid.
    pub(super) fn finish(&mut self, searched: &SearchResult) {
        self.multiple_solutions.update(searched.solutions > 1);
        let latency_ns = self.now_ns() - searched.entered.at_ns;
        let outcome = &mut self.job.outcomes[searched.entered.puzzle];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_low_again_after_puzzles_with_one_solution() {
        let mut multiple_solutions = MultipleSolutionsRate::INITIAL;
        assert!(multiple_solutions.is_low());
        (0..40).for_each(|_| multiple_solutions.update(true));
        assert!(!multiple_solutions.is_low());
        (0..2000).for_each(|_| multiple_solutions.update(false));
        assert!(multiple_solutions.is_low());
        (0..20_000).for_each(|i| multiple_solutions.update(i % 64 == 0));
        assert!(multiple_solutions.is_low());
    }
}
