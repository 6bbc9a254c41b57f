//! One batch on its way through the lanes: which lane does what next.
//!
//! ```text
//!            entry: a block of newcomers             work: lanes that search
//!          ┌───────────────────────────┐  the rest  ┌────────────────────────┐
//! puzzles ─▶ load, sweep all together   ├───────────▶ step, branch, go on    │
//!          └──────────┬────────────────┘ into free  └──────┬─────────────────┘
//!                     │ solved, failed      lanes          │ solved, failed
//!                     ▼                                    ▼
//!                  outcomes ◀───────────────── exit: a block of solutions
//! ```
//!
//! Nothing here is a vector: the scheduler moves numbers and sets of lanes, the kernel does the rest.
//! A lane is free, or it looks at a side of a search (`owner`). After every few steps the lanes with an
//! event are settled ([`Run::settle`]): their sides have failed, are solutions, or branch. Then the
//! free lanes get sides or newcomers ([`super::policy`]).

use std::time::Instant;

use lane_kernel::{Block, Kernel, LaneSet, MOST_LANES, Moves, Verdict, lanes_of};

use super::entry::Entry;
use super::order::{Order, Place, SearchId, SideId};
use super::rate::Rate;
use super::waiting::Waiting;
use crate::puzzle::Grid;
use crate::solver::contract::Question;
use crate::solver::{Outcome, StopFlag};

/// Sides and pages that there is room for from the start.
const SIDES: usize = 2048;
const PAGES: usize = 256;

/// Work lanes go on until so many of 32 have an event: events cost about as much as steps, and a
/// lane that waits is swept for nothing.
const EVENTS: u32 = 12;

/// A kernel, and what is known of the searches in its lanes.
pub(super) struct Scheduler {
    pub(super) kernel: Box<dyn Kernel>,
    order: Order,
    waiting: Waiting,
    pub(super) rate: Rate,
}

impl Scheduler {
    pub(super) fn new(kernel: Box<dyn Kernel>) -> Self {
        let order = Order::new(SIDES);
        Self { kernel, order, waiting: Waiting::new(PAGES), rate: Rate::UNKNOWN }
    }

    /// Fills in the outcomes; returns how many are final, from the first.
    pub(super) fn solve(
        &mut self,
        job: Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize {
        assert_eq!(job.batch.len(), outcomes.len(), "one outcome for each puzzle");
        let Self { kernel, order, waiting, rate } = self;
        let run = Run {
            every: LaneSet::MAX >> (MOST_LANES - kernel.lanes()),
            kernel: kernel.as_mut(),
            order,
            waiting,
            rate,
            job,
            stop,
            outcomes,
            busy: 0,
            owner: [0; MOST_LANES],
            returning: 0,
            returning_to: [0; MOST_LANES],
            entry: Entry::default(),
            clock: Clock { start: Instant::now(), ns: 0, is_right: true },
            leaving: 0,
            leaving_puzzles: [0; MOST_LANES],
        };
        run.all()
    }
}

/// Nanoseconds since the start. Reading a clock costs about as much as an easy puzzle, so one reading
/// serves all that happens between two steps.
pub(super) struct Clock {
    start: Instant,
    ns: u64,
    pub(super) is_right: bool,
}

impl Clock {
    pub(super) fn now_ns(&mut self) -> u64 {
        if !self.is_right {
            self.ns = self.start.elapsed().as_nanos() as u64;
            self.is_right = true;
        }
        self.ns
    }
}

/// One batch.
pub(super) struct Run<'a> {
    pub(super) kernel: &'a mut dyn Kernel,
    pub(super) order: &'a mut Order,
    pub(super) waiting: &'a mut Waiting,
    pub(super) rate: &'a mut Rate,
    pub(super) job: Question<'a>,
    stop: &'a StopFlag,
    pub(super) outcomes: &'a mut [Outcome],
    /// All lanes.
    pub(super) every: LaneSet,
    /// The work lanes that look at a side, and which.
    pub(super) busy: LaneSet,
    pub(super) owner: [SideId; MOST_LANES],
    /// Lanes that have just come to an end of a search that has other sides, and which search.
    pub(super) returning: LaneSet,
    pub(super) returning_to: [SearchId; MOST_LANES],
    pub(super) entry: Entry,
    pub(super) clock: Clock,
    /// The solutions in the exit block: their puzzles.
    leaving: usize,
    leaving_puzzles: [usize; MOST_LANES],
}

impl Run<'_> {
    /// Returns how many outcomes are final, from the first.
    fn all(mut self) -> usize {
        let mut stuck = 0;
        while !self.stop.is_requested() {
            self.assign(stuck);
            if self.busy == 0 {
                break;
            }
            let enough = (self.busy.count_ones() * EVENTS / MOST_LANES as u32).max(1);
            self.clock.is_right = false;
            let verdict = self.kernel.work(self.busy, enough);
            stuck = self.settle(verdict);
        }
        self.flush();
        let outside = self.entry.first_outside();
        let open = self.order.first_puzzle();
        if open.is_some() {
            self.order.clear();
            self.waiting.clear();
        }
        open.map_or(outside, |open| open.min(outside))
    }

    /// At how many solutions a search ends.
    pub(super) fn limit(&self) -> u32 {
        self.job.limits.solutions.get()
    }

    /// Sides that have failed or are solutions are counted and leave their lanes; returns the lanes
    /// that have to branch.
    fn settle(&mut self, verdict: Verdict) -> LaneSet {
        let Verdict { mut failed, mut solved, stuck } = verdict;
        if solved != 0 && self.job.knows_solutions() {
            let puzzle_of = |lane: usize| self.order.puzzle_of(self.owner[lane]);
            let known = known_solutions(self.kernel, &self.job, solved, Block::Work, puzzle_of);
            failed |= known;
            solved &= !known;
        }
        let over = failed | solved;
        self.busy &= !over;
        self.returning = 0;
        // Which side is the last one of its search cannot be predicted: no branch on it.
        let (mut ended, mut count) = ([0; MOST_LANES], 0);
        for lane in lanes_of(failed) {
            let (search, is_last) = self.order.fail(self.owner[lane]);
            self.returning_to[lane] = search;
            ended[count] = search;
            count += usize::from(is_last);
        }
        for lane in lanes_of(solved) {
            self.returning_to[lane] = self.order.search_of(self.owner[lane]);
        }
        if solved != 0 {
            self.count_solutions(solved, &mut ended, &mut count);
        }
        if !self.is_shared() {
            for lane in lanes_of(over) {
                let is_open = self.order.is_open(self.returning_to[lane]);
                self.returning |= LaneSet::from(is_open) << lane;
            }
            if let Some(nodes) = self.job.limits.nodes {
                self.give_up_at(nodes.get(), stuck & self.busy);
            }
        }
        for search in &ended[..count] {
            self.finish(*search);
        }
        stuck & self.busy
    }

    /// The lanes `solved` hold solutions. Their searches may have come to an end with them: those
    /// become more of the `ended` ones.
    fn count_solutions(
        &mut self,
        mut solved: LaneSet,
        ended: &mut [SearchId; MOST_LANES],
        count: &mut usize,
    ) {
        let limit = self.limit();
        let mut puzzles = [0; MOST_LANES];
        let mut first = 0;
        while solved != 0 {
            let lane = solved.trailing_zeros() as usize;
            solved &= solved - 1;
            let (side, search) = (self.owner[lane], self.returning_to[lane]);
            if self.order.solve(side) {
                first |= 1 << lane;
                puzzles[lane] = self.order.puzzle_of_search(search);
            }
            let mut dropped = 0;
            let waiting = &mut *self.waiting;
            let is_last = self.order.drop_behind(search, limit, |place| match place {
                Place::Lane(lane) => dropped |= 1 << lane,
                Place::Page { page, column } => {
                    waiting.take(page.into(), column.into());
                }
                Place::Solution | Place::End => unreachable!("not open"),
            });
            self.busy &= !dropped;
            solved &= !dropped;
            ended[*count] = search;
            *count += usize::from(is_last);
        }
        self.keep_solutions(first, &puzzles);
    }

    /// Searches in these lanes, or that lanes return to, give up if they have spent all nodes.
    fn give_up_at(&mut self, nodes: u64, stuck: LaneSet) {
        for lane in lanes_of(stuck | self.returning) {
            let is_stuck = stuck >> lane & 1 != 0;
            let search = if is_stuck {
                self.order.search_of(self.owner[lane])
            } else {
                self.returning_to[lane]
            };
            if self.order.nodes_before_first(search) + u64::from(is_stuck) < nodes {
                continue;
            }
            let waiting = &mut *self.waiting;
            let mut found = self.order.give_up(search, |place| {
                if let Place::Page { page, column } = place {
                    waiting.take(page.into(), column.into());
                }
            });
            found.effort.nodes = nodes;
            self.busy &= !(1 << lane);
            self.returning &= !(1 << lane);
            self.write(&found, true);
        }
    }

    /// All sides of a search have been looked at, or as many as are wanted.
    fn finish(&mut self, search: SearchId) {
        let found = self.order.finish(search, self.limit());
        self.write(&found, false);
    }

    /// Writes all but the solution to the outcome.
    fn write(&mut self, found: &super::order::Found, gave_up: bool) {
        self.rate.note(found.solutions > u32::from(!self.job.knows_solutions()));
        let latency_ns = self.clock.now_ns() - found.entered_ns;
        let outcome = &mut self.outcomes[found.puzzle];
        outcome.solutions = found.solutions;
        outcome.gave_up = gave_up;
        outcome.guesses = found.effort.guesses;
        outcome.nodes = found.effort.nodes;
        outcome.latency_ns = latency_ns;
        if found.solutions == 0 {
            outcome.grid = Grid::BLANK;
        }
    }

    /// The solutions in these work lanes go to the exit block, and from there to their puzzles.
    fn keep_solutions(&mut self, mut lanes: LaneSet, puzzles: &[usize; MOST_LANES]) {
        while lanes != 0 {
            let mut moves = Moves::NONE;
            for lane in lanes_of(lanes).take(self.kernel.lanes() - self.leaving) {
                self.leaving_puzzles[self.leaving] = puzzles[lane];
                moves.add(self.leaving, lane);
                self.leaving += 1;
                lanes &= !(1 << lane);
            }
            self.kernel.keep(&moves);
            if self.leaving == self.kernel.lanes() {
                self.flush();
            }
        }
    }

    /// Writes the solutions of the exit block.
    fn flush(&mut self) {
        if self.leaving == 0 {
            return;
        }
        let solutions = self.kernel.digits(Block::Exit);
        for (puzzle, solution) in self.leaving_puzzles[..self.leaving].iter().zip(solutions) {
            self.outcomes[*puzzle].grid = Grid(*solution);
        }
        self.leaving = 0;
    }
}

/// Those of the lanes that hold the solution that is known of their puzzle.
pub(super) fn known_solutions(
    kernel: &mut dyn Kernel,
    job: &Question<'_>,
    lanes: LaneSet,
    block: Block,
    puzzle_of: impl Fn(usize) -> usize,
) -> LaneSet {
    let digits = kernel.digits(block);
    let is_known =
        |lane: &usize| job.known(puzzle_of(*lane)).is_some_and(|known| known.0 == digits[*lane]);
    lanes_of(lanes).filter(is_known).fold(0, |known, lane| known | 1 << lane)
}
