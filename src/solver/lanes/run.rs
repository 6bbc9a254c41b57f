//! One batch in the lanes: entry, search, and exit.
//!
//! Entries start together, so their first sweeps waste no lane, and those that need no search
//! (nearly all of an easy set) go from the entry block straight to their outcomes. The others
//! move into free lanes of the work block, where every lane is at its own point of a search
//! (`docs/lane-engine.md`, "Scheduling").

use std::num::NonZeroU64;

use lane_kernel::{Block, CELLS, Kernel, LaneSet, MAX_LANES, Moves, SimdLevel, Verdict, lanes_of};

use crate::clock::Instant;
use crate::marks::Marks;
use crate::prefetch::prefetch_all;
use crate::puzzle::{Grid, Puzzle};
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

/// Decaying estimate of how often recent puzzles had several solutions. One such puzzle outweighs 31
/// others.
#[derive(Clone, Copy)]
pub(super) struct SeveralRate(i32);

impl SeveralRate {
    /// Assumes that there are few.
    pub(super) const UNKNOWN: Self = Self(-128);

    /// A puzzle has been searched.
    pub(super) fn note(&mut self, several: bool) {
        let weight = if several { 31 } else { -1 };
        self.0 = (self.0 + weight).clamp(-1024, 1024);
    }

    /// Returns whether there are so few that it pays to search as if there were none.
    pub(super) fn is_low(self) -> bool {
        self.0 <= 0
    }
}

/// A question about a batch, where its answers go, and what may end it early.
pub(super) struct Job<'a> {
    pub(super) question: Question<'a>,
    pub(super) outcomes: &'a mut [Outcome],
    pub(super) stop: &'a StopFlag,
    /// What latencies count from.
    pub(super) start: Instant,
}

/// A puzzle that has entered: its place in the batch, and the time.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
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
    pub(super) entered: Entry,
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

/// How the lanes with an event continue.
#[derive(Clone, Copy, Default)]
pub(super) struct Next {
    /// Stuck: with alternative A of a branch.
    pub(super) branching: LaneSet,
    /// Failed, or after a solution: with the alternative pushed last.
    pub(super) returning: LaneSet,
}

/// Which lane takes which node.
pub(super) trait Policy<K> {
    /// Gives free lanes entries, if they are to have any; returns those that are stuck already.
    fn refill(&mut self, run: &mut Run<'_, K>, branching: LaneSet) -> LaneSet;

    /// Gives lanes that branch or return the cells of their next node, and free ones any alternative.
    fn advance(&mut self, run: &mut Run<'_, K>, next: Next);

    /// Handles the events of a step.
    fn handle_events(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next;

    /// Whether nothing is left for this policy.
    fn is_done(&self, run: &Run<'_, K>) -> bool;

    /// The first puzzle of those that are searched or deferred, if there is any; all searches are
    /// forgotten.
    fn abandon(&mut self, run: &mut Run<'_, K>) -> Option<usize>;
}

/// One batch, and what all ways to search it have in common.
pub(super) struct Run<'a, K> {
    pub(super) kernel: &'a mut K,
    /// What loops over outcomes are compiled for.
    pub(super) level: SimdLevel,
    pub(super) several: &'a mut SeveralRate,
    pub(super) job: Job<'a>,
    /// The work lanes that are searching.
    pub(super) busy: LaneSet,
    /// How many lanes there are.
    lanes: usize,
    /// The next puzzle that enters, and the first one that does not.
    next: usize,
    end: usize,
    /// The entries that are still to move into work lanes, and which of them are stuck.
    waiting: LaneSet,
    waiting_stuck: LaneSet,
    /// The puzzle in lane 0 of the entry block.
    first_entry: Entry,
    /// The last reading of the clock, and whether no step has been made since.
    clock_ns: u64,
    clock_is_right: bool,
    /// The solutions in the exit block: their puzzles.
    leaving: usize,
    leaving_puzzles: [usize; MAX_LANES],
}

impl<'a, K: Kernel> Run<'a, K> {
    /// Work lanes are stepped until this many of 32 have an event: events cost about as much as steps,
    /// and a lane that waits is swept for nothing.
    const EVENTS: u32 = 12;

    pub(super) fn new(
        kernel: &'a mut K,
        level: SimdLevel,
        several: &'a mut SeveralRate,
        job: Job<'a>,
    ) -> Self {
        Self {
            lanes: kernel.lanes(),
            kernel,
            level,
            several,
            end: job.outcomes.len(),
            job,
            busy: 0,
            next: 0,
            waiting: 0,
            waiting_stuck: 0,
            first_entry: Entry::default(),
            clock_ns: 0,
            clock_is_right: false,
            leaving: 0,
            leaving_puzzles: [0; MAX_LANES],
        }
    }

    /// Searches until the policy is through.
    pub(super) fn search(&mut self, policy: &mut impl Policy<K>) -> Ended {
        let mut next = Next::default();
        let stopped = loop {
            next.branching |= policy.refill(self, next.branching);
            policy.advance(self, next);
            if policy.is_done(self) {
                break false;
            }
            // Only here: a search that has come to its end is not stopped.
            if self.job.stop.is_requested() {
                break true;
            }
            next = Next::default();
            if self.busy != 0 {
                let verdict = self.work();
                next = policy.handle_events(self, verdict);
            }
        };
        self.flush();
        if !stopped {
            return Ended { next: self.next, stopped };
        }
        let waiting = lanes_of(self.waiting).map(|entry| self.first_entry.puzzle + entry).next();
        let first_outside = waiting.unwrap_or(self.next);
        let first_open = policy.abandon(self).unwrap_or(usize::MAX);
        Ended { next: first_open.min(first_outside), stopped }
    }

    /// Nanoseconds since the start. Reading a clock costs about as much as an easy
    /// puzzle, so one reading serves all that happens between two steps.
    fn now_ns(&mut self) -> u64 {
        if !self.clock_is_right {
            self.clock_ns = self.job.start.elapsed().as_nanos() as u64;
            self.clock_is_right = true;
        }
        self.clock_ns
    }

    /// The work lanes that search nothing.
    pub(super) fn free(&self) -> LaneSet {
        (LaneSet::MAX >> (MAX_LANES - self.lanes)) & !self.busy
    }

    /// Whether at most an eighth of the lanes are busy.
    pub(super) fn has_few_busy(&self) -> bool {
        self.busy.count_ones() as usize <= self.lanes / 8
    }

    /// Returns whether an entry waits for a work lane; loads more while none does.
    pub(super) fn has_entries(&mut self) -> bool {
        while self.waiting == 0 && self.next < self.end {
            self.load_entries();
        }
        self.waiting != 0
    }

    /// Whether all puzzles have entered and left the entry block.
    pub(super) fn all_entered(&self) -> bool {
        self.waiting == 0 && self.next == self.end
    }

    /// The batch ends here.
    pub(super) fn end_entry(&mut self) {
        self.end = self.next;
    }

    /// Moves entries into free lanes and reports each; returns the lanes that are stuck.
    pub(super) fn take_entries(
        &mut self,
        free: LaneSet,
        mut taken_in: impl FnMut(usize, Entry),
    ) -> LaneSet {
        let mut moves = Moves::NONE;
        let mut stuck = 0;
        for (lane, entry) in lanes_of(free).zip(lanes_of(self.waiting)) {
            moves.add(lane, entry);
            stuck |= (self.waiting_stuck >> entry & 1) << lane;
            self.waiting &= !(1 << entry);
            let puzzle = self.first_entry.puzzle + entry;
            taken_in(lane, Entry { puzzle, ..self.first_entry });
        }
        self.busy |= moves.lanes;
        self.kernel.admit(&moves, stuck);
        stuck
    }

    /// Takes up to a vector of puzzles into the entry block and sweeps them together.
    fn load_entries(&mut self) {
        let first = self.next;
        self.next = (first + self.lanes).min(self.end);
        self.first_entry = Entry { puzzle: first, at_ns: self.now_ns() };
        let filled = LaneSet::MAX >> (MAX_LANES - (self.next - first));
        let question = &self.job.question;
        match question.batch.part(first..self.next) {
            Batch::Puzzles(puzzles) => self.kernel.load(puzzles, Puzzle::cells),
            Batch::Marks(marks) => self.kernel.load_candidates(marks, Marks::masks),
        }
        let ahead = question.batch.part(self.next..(self.next + self.lanes).min(self.end));
        self.level.run(
            #[inline(always)]
            || {
                match ahead {
                    Batch::Puzzles(puzzles) => prefetch_all(puzzles),
                    Batch::Marks(marks) => prefetch_all(marks),
                }
                prefetch_all(&self.job.outcomes[first..self.next]);
                prefetch_all(question.known_of(first..self.next));
            },
        );
        let verdict = self.kernel.sweep_entry(filled);
        self.clock_is_right = false;
        self.sort_entries(verdict, filled);
    }

    /// Entries that need no search leave; the others wait for a work lane.
    fn sort_entries(&mut self, Verdict { failed, solved, stuck }: Verdict, filled: LaneSet) {
        let is_one_node = self.job.question.limits.nodes == Some(NonZeroU64::MIN);
        let refused = if is_one_node { stuck } else { 0 };
        let done = solved | failed | refused;
        self.waiting = filled & !done;
        self.waiting_stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.now_ns() - self.first_entry.at_ns;
        let first = self.first_entry.puzzle;
        let (question, entries) = (&self.job.question, &mut self.job.outcomes[first..self.next]);
        if solved != 0 {
            // Of all entries: a branch for each lane, on what cannot be predicted, takes longer. What is
            // not a solution is overwritten, here or when the search ends.
            self.kernel.store(Block::Entry, entries, |outcome| &mut outcome.grid.0);
        }
        self.level.run(
            #[inline(always)]
            || {
                let mut found = solved;
                if question.known.is_some() {
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
    fn work(&mut self) -> Verdict {
        self.clock_is_right = false;
        let enough = (self.busy.count_ones() * Self::EVENTS / 32).max(1);
        self.kernel.work(self.busy, enough)
    }

    /// The solution in a work lane.
    pub(super) fn grid(&self, lane: usize) -> Grid {
        Grid(K::digits(&self.kernel.column(Block::Work, lane)))
    }

    /// The solutions in these work lanes go to the exit block; `puzzle_of` a lane is its place in
    /// the batch.
    pub(super) fn keep_solutions(
        &mut self,
        mut solved: LaneSet,
        mut puzzle_of: impl FnMut(usize) -> usize,
    ) {
        while solved != 0 {
            let mut moves = Moves::NONE;
            for (place, lane) in (self.leaving..self.lanes).zip(lanes_of(solved)) {
                moves.add(place, lane);
                self.leaving_puzzles[place] = puzzle_of(lane);
                solved &= !(1 << lane);
            }
            self.kernel.move_to_exit(&moves);
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
        let mut grids = [[0; CELLS]; MAX_LANES];
        self.kernel.store(Block::Exit, &mut grids[..self.lanes], |grid| grid);
        for (puzzle, grid) in self.leaving_puzzles[..self.leaving].iter().zip(&grids) {
            self.job.outcomes[*puzzle].grid.0 = *grid;
        }
        self.leaving = 0;
    }

    /// Writes the outcome of a search, except its grid.
    pub(super) fn finish(&mut self, searched: &SearchResult) {
        self.several.note(searched.solutions > 1);
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
    fn a_few_with_several_solutions_are_few_and_many_are_forgotten_in_time() {
        let mut several = SeveralRate::UNKNOWN;
        assert!(several.is_low());
        (0..40).for_each(|_| several.note(true));
        assert!(!several.is_low());
        (0..2000).for_each(|_| several.note(false));
        assert!(several.is_low());
        (0..20_000).for_each(|i| several.note(i % 64 == 0));
        assert!(several.is_low());
    }
}
