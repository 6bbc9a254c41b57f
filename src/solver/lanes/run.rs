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

use fearless_simd::Simd;

use super::clues::{eliminate_clues, eliminate_singles};
use super::several_rate::SeveralRate;
use super::sweep::{
    Cells, Configurations, Verdict, all_configurations, solved, step, sweep_together,
};
use super::transpose::{load, load_marks, move_lanes, prefetch_batch, store};
use super::vector::{LaneSet, Vector, align_stack, lanes_of};
use crate::prefetch::prefetch_all;
use crate::puzzle::{CELLS, Grid};
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

/// The cells of all lanes, wherever they are.
pub(super) struct Blocks<V> {
    pub(super) work: Box<Cells<V>>,
    entry: Box<Cells<V>>,
    exit: Box<Cells<V>>,
    /// Those of the work block, for lanes that are stuck.
    pub(super) configurations: Box<Configurations<V>>,
}

impl<V> Blocks<V> {
    pub(super) fn new<S: Simd>(s: S) -> Self
    where
        V: Vector<S>,
    {
        let blank = || Box::new([V::splat(s, 0); CELLS]);
        let configurations = Box::new([[V::splat(s, 0); 6]; 6]);
        Self { work: blank(), entry: blank(), exit: blank(), configurations }
    }
}

/// What all ways to search a batch have in common, from batch to batch.
pub(super) struct Memory<V> {
    pub(super) blocks: Blocks<V>,
    pub(super) several_rate: SeveralRate,
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

/// How far a batch was searched.
pub(super) struct Ended {
    /// The first puzzle that was not; if stopped, the first one whose outcome is not final.
    pub(super) next: usize,
    /// Whether that was because all searches are to end.
    pub(super) stopped: bool,
}

/// One batch, and what all ways to search it have in common.
pub(super) struct Run<'a, S: Simd, V> {
    pub(super) s: S,
    pub(super) blocks: &'a mut Blocks<V>,
    pub(super) outcomes: &'a mut [Outcome],
    pub(super) question: &'a Question<'a>,
    pub(super) several_rate: &'a mut SeveralRate,
    /// The work lanes that are searching.
    pub(super) busy: LaneSet,
    stop: &'a StopFlag,
    start: Instant,
    /// The next puzzle that enters, and the first one that does not.
    next: usize,
    end: usize,
    /// The entries that are still to move into work lanes, and which of them are stuck.
    waiting: LaneSet,
    waiting_stuck: LaneSet,
    /// The puzzle in lane 0 of the entry block, and when it came.
    first_waiting: usize,
    entered_ns: u64,
    /// How many blind sweeps would have been right for the two last blocks of entries.
    blind: [usize; 2],
    /// The last reading of the clock, and whether no step has been made since.
    clock_ns: u64,
    clock_is_right: bool,
    /// The solutions in the exit block: their puzzles.
    leaving: usize,
    leaving_puzzles: [usize; 32],
}

impl<'a, S: Simd, V: Vector<S>> Run<'a, S, V> {
    /// All lanes of the vector.
    const EVERY: LaneSet = LaneSet::MAX >> (32 - V::LEN);

    /// Work lanes are stepped until this many of 32 have an event: events cost about as much as steps,
    /// and a lane that waits is swept for nothing.
    const EVENTS: u32 = 12;

    /// Entries are swept together until fewer than this many are still changing.
    const TOGETHER: u32 = V::LEN as u32 * 10 / 32;

    pub(super) fn new(
        s: S,
        start: Instant,
        memory: &'a mut Memory<V>,
        question: &'a Question<'a>,
        stop: &'a StopFlag,
        outcomes: &'a mut [Outcome],
    ) -> Self {
        let Memory { blocks, several_rate } = memory;
        Self {
            s,
            start,
            blocks,
            several_rate,
            end: question.batch.len(),
            question,
            stop,
            outcomes,
            busy: 0,
            next: 0,
            waiting: 0,
            waiting_stuck: 0,
            first_waiting: 0,
            entered_ns: 0,
            blind: [0; 2],
            clock_ns: 0,
            clock_is_right: false,
            leaving: 0,
            leaving_puzzles: [0; 32],
        }
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
        Self::EVERY & !self.busy
    }

    /// Whether an entry waits for a work lane; as long as none does, more are loaded.
    pub(super) fn has_entries(&mut self) -> bool {
        while self.waiting == 0 && self.next < self.end {
            self.load_entries();
        }
        self.waiting != 0
    }

    /// The next puzzle that would enter.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Whether all puzzles have entered and left the entry block.
    pub(super) fn is_through(&self) -> bool {
        self.waiting == 0 && self.next == self.end
    }

    /// Whether all searches are to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// The first puzzle that has not come into a work lane or to its outcome.
    pub(super) fn first_outside(&self) -> usize {
        if self.waiting == 0 {
            self.next
        } else {
            self.first_waiting + self.waiting.trailing_zeros() as usize
        }
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
        let mut from = [0; 32];
        let (mut taken, mut stuck) = (0, 0);
        for (lane, entry) in lanes_of(free).zip(lanes_of(self.waiting)) {
            from[lane] = entry as u16;
            taken |= 1 << lane;
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
        self.busy |= taken;
        let (s, Blocks { entry, work, configurations, .. }) = (self.s, &mut *self.blocks);
        s.vectorize(
            #[inline(always)]
            || {
                move_lanes(s, entry, &from, work, taken);
                if stuck != 0 {
                    all_configurations(s, work, configurations);
                }
            },
        );
        stuck
    }

    /// Takes up to a vector of puzzles into the entry block and sweeps them together.
    fn load_entries(&mut self) {
        let count = (self.end - self.next).min(V::LEN);
        let block = self.question.batch.part(self.next..self.next + count);
        self.first_waiting = self.next;
        self.entered_ns = self.now_ns();
        self.next += count;
        let filled = LaneSet::MAX >> (32 - count);
        let ahead = self.question.batch.part(self.next..(self.next + V::LEN).min(self.end));
        let outcomes = &self.outcomes[self.first_waiting..self.next];
        let known = self.question.known_of(self.first_waiting..self.next);
        let (s, entry) = (self.s, &mut *self.blocks.entry);
        let blind = self.blind[0].min(self.blind[1]);
        let (verdict, sweeps) = s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                match block {
                    Batch::Puzzles(puzzles) => load(s, puzzles, entry),
                    Batch::Marks(marks) => load_marks(s, marks, entry),
                }
                prefetch_batch(ahead);
                prefetch_all(outcomes);
                prefetch_all(known);
                let clashing = match block {
                    Batch::Puzzles(_) => eliminate_clues(s, entry),
                    Batch::Marks(_) => eliminate_singles(s, entry),
                };
                let (mut verdict, sweeps) =
                    sweep_together(s, entry, filled & !clashing, blind, Self::TOGETHER);
                verdict.failed |= clashing;
                verdict.full &= !clashing;
                (verdict, sweeps)
            },
        );
        self.blind = [self.blind[1], self.right_blind(sweeps, filled & !verdict.ended())];
        self.clock_is_right = false;
        self.sort_entries(verdict, filled);
    }

    /// How many blind sweeps would have been right for a block that took `sweeps`: all but the last,
    /// and but the one before where that has to tell which lanes are stuck. Whether fewer would have
    /// been enough is tried from time to time.
    fn right_blind(&self, sweeps: usize, not_ended: LaneSet) -> usize {
        const TRIED_AFTER: usize = 8;
        let is_tried = (self.next / V::LEN).is_multiple_of(TRIED_AFTER);
        let all_but = if is_tried || not_ended.count_ones() >= Self::TOGETHER { 2 } else { 1 };
        sweeps.saturating_sub(all_but)
    }

    /// Entries that need no search leave; the others wait for a work lane.
    fn sort_entries(&mut self, verdict: Verdict, filled: LaneSet) {
        let full = verdict.full & filled;
        let right = if full == 0 { 0 } else { full & solved_in(self.s, &self.blocks.entry) };
        let failed = (verdict.failed & filled) | (full & !right);
        let stuck = verdict.stuck & filled & !failed;
        let refused = if self.question.limits.nodes == Some(NonZeroU64::MIN) { stuck } else { 0 };
        let done = right | failed | refused;
        self.waiting = filled & !done;
        self.waiting_stuck = stuck & !done;
        if done == 0 {
            return;
        }
        let latency_ns = self.now_ns() - self.entered_ns;
        let (s, entry) = (self.s, &*self.blocks.entry);
        let entries = &mut self.outcomes[self.first_waiting..self.next];
        let (question, first) = (self.question, self.first_waiting);
        s.vectorize(
            #[inline(always)]
            || {
                if right != 0 {
                    // Of all entries: a branch for each lane, on what cannot be predicted, takes
                    // longer. What is not a solution is overwritten, here or when the search ends.
                    store_entries(s, entry, entries);
                }
                let mut found = right;
                if question.knows_solutions() {
                    for lane in lanes_of(right) {
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
        let (s, busy) = (self.s, self.busy);
        let Blocks { work, configurations, .. } = &mut *self.blocks;
        let enough = (busy.count_ones() * Self::EVENTS / 32).max(1);
        s.vectorize(
            #[inline(always)]
            || {
                align_stack::<S, V>(s);
                loop {
                    let Verdict { failed, full, stuck } = step(s, work, configurations);
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

    /// Those of the `full` work lanes that are solved.
    pub(super) fn solved(&self, full: LaneSet) -> LaneSet {
        if full == 0 { 0 } else { full & solved_in(self.s, &self.blocks.work) }
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
                let is_known = known.is_some_and(|known| self.shows(lane, known));
                solved &= !(LaneSet::from(is_known) << lane);
            }
        }
        solved
    }

    /// Whether a solved work lane shows this solution.
    fn shows(&self, lane: usize, solution: &Grid) -> bool {
        // Not through the count of zeros, which is slow without the instruction set of a level.
        let digit_is = |cell: &V, digit: u8| {
            u32::from(cell.as_slice()[lane]) << 1 == 1_u32.wrapping_shl(digit.into())
        };
        let mut cells = self.blocks.work.iter().zip(&solution.0);
        cells.all(|(cell, digit)| digit_is(cell, *digit))
    }

    /// The solutions in these work lanes go to the exit block; `puzzle_of` a lane is its place in
    /// the batch.
    pub(super) fn keep_solutions(
        &mut self,
        mut solved: LaneSet,
        puzzle_of: impl Fn(usize) -> usize,
    ) {
        while solved != 0 {
            let mut from = [0; 32];
            let (mut places, mut lanes) = (0, 0);
            for (place, lane) in (self.leaving..V::LEN).zip(lanes_of(solved)) {
                from[place] = lane as u16;
                places |= 1 << place;
                lanes |= 1 << lane;
                self.leaving_puzzles[place] = puzzle_of(lane);
            }
            let (s, Blocks { work, exit, .. }) = (self.s, &mut *self.blocks);
            s.vectorize(
                #[inline(always)]
                || move_lanes(s, work, &from, exit, places),
            );
            solved &= !lanes;
            self.leaving += lanes.count_ones() as usize;
            if self.leaving == V::LEN {
                self.flush();
            }
        }
    }

    /// Writes the solutions of the exit block.
    pub(super) fn flush(&mut self) {
        if self.leaving == 0 {
            return;
        }
        let (s, exit, outcomes) = (self.s, &*self.blocks.exit, &mut *self.outcomes);
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
}

/// [`solved`], for the rare lanes that are full.
fn solved_in<S: Simd, V: Vector<S>>(s: S, cells: &Cells<V>) -> LaneSet {
    s.vectorize(
        #[inline(always)]
        || solved(s, cells),
    )
}

/// The solutions of a block of entries to their outcomes, of which a last block has fewer.
#[inline(always)]
fn store_entries<S: Simd, V: Vector<S>>(s: S, entry: &Cells<V>, outcomes: &mut [Outcome]) {
    if outcomes.len() == V::LEN {
        return store(s, entry, outcomes);
    }
    let mut solutions = [Grid::BLANK; 32];
    store(s, entry, &mut solutions[..]);
    for (outcome, solution) in outcomes.iter_mut().zip(&solutions) {
        outcome.grid = *solution;
    }
}
