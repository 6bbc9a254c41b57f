//! Newcomers: puzzles that come into the lanes.
//!
//! They start together, so their first sweeps waste no lane, and those that need no search (nearly
//! all of an easy set) go from the entry block straight to their outcomes. The others move into free
//! lanes of the work block, where every lane is at its own point of a search.

use std::num::NonZeroU64;

use lane_kernel::{Block, Digits, Given, Kernel, LaneSet, MOST_LANES, Moves, Verdict, lanes_of};

use super::scheduler::{Run, known_solutions};
use crate::puzzle::CELLS;
use crate::solver::{Batch, Outcome};
use crate::touch::touch_all;

/// The block of newcomers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The next puzzle that enters.
    next: usize,
    /// The newcomers that are still to move into work lanes, and which of them are stuck.
    waiting: LaneSet,
    stuck: LaneSet,
    /// The puzzle in lane 0, and when the block was loaded.
    first: usize,
    entered_ns: u64,
}

impl Entry {
    /// The first puzzle that has not come into a work lane or to its outcome.
    pub(super) fn first_outside(&self) -> usize {
        if self.waiting == 0 {
            self.next
        } else {
            self.first + self.waiting.trailing_zeros() as usize
        }
    }
}

impl Run<'_> {
    /// Whether a newcomer waits for a work lane; as long as none does, more are loaded.
    pub(super) fn has_newcomers(&mut self) -> bool {
        while self.entry.waiting == 0 && self.entry.next < self.job.batch.len() {
            self.load();
        }
        self.entry.waiting != 0
    }

    /// Whether all puzzles have entered and left the entry block.
    pub(super) fn is_through(&self) -> bool {
        self.entry.waiting == 0 && self.entry.next == self.job.batch.len()
    }

    /// Moves newcomers into lanes that are free, as many as there are; returns the lanes that are stuck.
    pub(super) fn take_newcomers(&mut self, free: LaneSet) -> LaneSet {
        let mut moves = Moves::NONE;
        let mut stuck = 0;
        for (lane, newcomer) in lanes_of(free).zip(lanes_of(self.entry.waiting)) {
            moves.add(lane, newcomer);
            stuck |= (self.entry.stuck >> newcomer & 1) << lane;
            self.entry.waiting &= !(1 << newcomer);
            let puzzle = self.entry.first + newcomer;
            self.owner[lane] = self.order.begin(puzzle, self.entry.entered_ns, lane);
        }
        self.busy |= moves.lanes;
        self.kernel.admit(&moves, stuck);
        stuck
    }

    /// Takes up to a vector of puzzles into the entry block and sweeps them together.
    fn load(&mut self) {
        let (first, lanes) = (self.entry.next, self.kernel.lanes());
        let (batch, end) = (self.job.batch, self.job.batch.len());
        let next = end.min(first + lanes);
        self.entry = Entry { next, first, entered_ns: self.clock.now_ns(), ..Entry::default() };
        let clashing = match batch.part(first..next) {
            Batch::Puzzles(puzzles) => {
                let clues = each(puzzles, |puzzle| puzzle.cells());
                self.kernel.load(Given::Clues(&clues))
            }
            Batch::Marks(marks) => {
                let candidates = each(marks, |marks| marks.masks());
                self.kernel.load(Given::Candidates(&candidates))
            }
        };
        match batch.part(next..end.min(next + lanes)) {
            Batch::Puzzles(ahead) => touch_all(ahead),
            Batch::Marks(ahead) => touch_all(ahead),
        }
        touch_all(&self.outcomes[first..next]);
        let filled = LaneSet::MAX >> (MOST_LANES - (next - first));
        let mut verdict = self.kernel.sweep_entry(filled & !clashing);
        verdict.failed |= clashing & filled;
        self.clock.is_right = false;
        self.sort(verdict, filled);
    }

    /// Newcomers that need no search leave; the others wait for a work lane.
    fn sort(&mut self, verdict: Verdict, filled: LaneSet) {
        let Entry { first, next, entered_ns, .. } = self.entry;
        let Verdict { mut failed, mut solved, stuck } = verdict;
        let place = |lane: usize| first + lane;
        if solved != 0 && self.job.knows_solutions() {
            let known = known_solutions(self.kernel, &self.job, solved, Block::Entry, place);
            failed |= known;
            solved &= !known;
        }
        let refused = if self.job.limits.nodes == Some(NonZeroU64::MIN) { stuck } else { 0 };
        let done = solved | failed | refused;
        self.entry.waiting = filled & !done;
        self.entry.stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.clock.now_ns() - entered_ns;
        let newcomers = &mut self.outcomes[first..next];
        if solved != 0 {
            // Of all newcomers: a branch for each lane, on what cannot be predicted, takes longer. What
            // is not a solution is overwritten, here or when the search ends.
            store(self.kernel, newcomers);
        }
        for lane in lanes_of(solved) {
            let outcome = &mut newcomers[lane];
            outcome.solutions = 1;
            outcome.gave_up = false;
            outcome.guesses = 0;
            outcome.nodes = 1;
            outcome.latency_ns = latency_ns;
        }
        for lane in lanes_of(done & !solved) {
            let gave_up = refused >> lane & 1 != 0;
            newcomers[lane] = Outcome { gave_up, nodes: 1, latency_ns, ..Outcome::NONE };
        }
    }
}

/// One for each lane; lanes for which there is none get the first.
#[inline(always)]
fn each<'a, T, U>(all: &'a [T], of: impl Fn(&'a T) -> &'a U) -> [&'a U; MOST_LANES] {
    let mut each = [of(&all[0]); MOST_LANES];
    for (each, one) in each.iter_mut().zip(all) {
        *each = of(one);
    }
    each
}

/// The digits of a block of newcomers to their outcomes.
fn store(kernel: &mut dyn Kernel, outcomes: &mut [Outcome]) {
    /// A whole block.
    fn all<const N: usize>(kernel: &dyn Kernel, outcomes: &mut [Outcome]) {
        let outcomes: &mut [Outcome; N] = outcomes.try_into().expect("a whole block");
        kernel.store_entry(&mut outcomes.each_mut().map(|outcome| &mut outcome.grid.0));
    }
    match (kernel.lanes(), outcomes.len()) {
        (32, 32) => all::<32>(kernel, outcomes),
        (16, 16) => all::<16>(kernel, outcomes),
        (8, 8) => all::<8>(kernel, outcomes),
        _ => {
            let digits: &[Digits; MOST_LANES] = kernel.digits(Block::Entry);
            for (outcome, digits) in outcomes.iter_mut().zip(digits) {
                outcome.grid.0 = *digits;
            }
        }
    }
}

// The kernel and the project mean the same cells.
const _: () = assert!(CELLS == lane_kernel::CELLS);
