//! All lanes search together: a lane that is free takes any side of any search.
//!
//! The sides B of lanes that branch go straight into lanes that have failed, by one permutation a cell;
//! what is left over lies on [`pages`]. Where each lane has a stack of its own
//! ([`super::per_lane`]), moving cells takes three times as long.
//!
//! In which order the sides of a search are looked at depends on what else is going on. That does not
//! matter where all of them are: with no solution or only one. When a second one turns up, the puzzle is
//! *deferred*, and searched again in the right order. What the first search has cost is lost then; so
//! where puzzles with several solutions are frequent none is searched together
//! ([`SeveralRate`](super::run::SeveralRate)).

use lane_kernel::{Exchange, Kernel, LaneSet, MOST_LANES, Verdict, lanes_of};

use super::pages::{self, Pages};
use super::run::{Effort, Entered, Next, Policy, Run, Searched};
use super::searches::{SearchId, Searches};
use crate::solver::contract::Question;

/// At this many deferred puzzles no more enter.
const MANY: usize = 256;

/// All lanes search together.
pub(super) struct WorkSharing {
    pages: Pages,
    searches: Searches,
    /// The search that each lane works for, or has worked for if it is free.
    owner: [SearchId; MOST_LANES],
    /// Puzzles with a second solution, and those for whose sides there was no room.
    pub(super) deferred: Vec<Entered>,
}

impl WorkSharing {
    pub(super) fn new(lanes: usize) -> Self {
        // Each search has a lane or a side.
        let most = lanes + pages::MOST * lanes;
        Self {
            pages: Pages::EMPTY,
            searches: Searches::new(most),
            owner: [0; MOST_LANES],
            // Those that are searched when there are many, and an entry block.
            deferred: Vec::with_capacity(MANY + most + MOST_LANES),
        }
    }

    /// Whether the order of a search does not matter, as long as there is only one solution.
    pub(super) fn suits(question: &Question<'_>) -> bool {
        question.limits.solutions.get() > 1 && question.limits.nodes.is_none()
    }

    /// A side for each of the `free` lanes, as long as there are any, and a place for each side B.
    ///
    /// In place: the moves are too fresh to be copied.
    fn match_up(&mut self, run: &mut Run<'_, impl Kernel>, free: LaneSet, exchange: &mut Exchange) {
        let Self { pages, searches, owner, .. } = self;
        let Exchange { branching, given, put, back, page } = exchange;
        // First those without room on the topmost page: in the low half.
        let without_room = *branching & pages.occupied();
        let mut givers = u64::from(without_room) | u64::from(*branching & !without_room) << 32;
        let mut takers = free;
        while takers != 0 && givers != 0 {
            let from = givers.trailing_zeros() as usize % MOST_LANES;
            let taker = takers.trailing_zeros() as usize;
            givers &= givers - 1;
            takers &= takers - 1;
            given.add(taker, from);
            owner[taker] = owner[from];
            searches.branch(owner[taker]);
        }
        run.busy |= given.lanes;
        *put = givers as LaneSet | (givers >> 32) as LaneSet;
        for lane in lanes_of(*put) {
            searches.branch(owner[lane]);
        }
        if takers != 0 {
            run.busy |= pages.take(run.kernel, takers, owner, back);
        } else if *put != 0 && !pages.push(*put, owner) {
            self.defer(run, *put);
            *put = 0;
        }
        *page = self.pages.top;
    }

    /// The first solutions leave; puzzles with a second one are deferred.
    fn count_solutions(&mut self, run: &mut Run<'_, impl Kernel>, solved: LaneSet) {
        let Self { owner, searches, .. } = self;
        let (mut first, mut second) = (0, 0);
        for lane in lanes_of(solved) {
            let search = searches.of(owner[lane]);
            search.solutions += 1;
            first |= LaneSet::from(search.solutions == 1) << lane;
            second |= LaneSet::from(search.solutions == 2) << lane;
        }
        run.keep_solutions(first, |lane| searches.of(owner[lane]).entered.puzzle);
        if second != 0 {
            self.defer(run, second);
        }
    }

    /// Ends the searches that these lanes work for, and defers their puzzles.
    #[cold]
    fn defer(&mut self, run: &mut Run<'_, impl Kernel>, lanes: LaneSet) {
        for lane in lanes_of(lanes) {
            if run.busy >> lane & 1 == 0 {
                continue; // with another lane
            }
            let id = self.owner[lane];
            self.pages.remove(id);
            for (lane, owner) in self.owner.iter().enumerate() {
                if *owner == id {
                    run.busy &= !(1 << lane);
                }
            }
            self.deferred.push(self.searches.remove(id).entered);
            run.several.note(true);
        }
    }
}

impl<K: Kernel> Policy<K> for WorkSharing {
    /// Entries are for the lanes that there is no side for.
    fn refill(&mut self, run: &mut Run<'_, K>, branching: LaneSet) -> LaneSet {
        let mut stuck = 0;
        loop {
            let sides = self.pages.sides + (branching | stuck).count_ones();
            let mut free = run.free();
            if free.count_ones() <= sides {
                return stuck;
            }
            (0..sides).for_each(|_| free &= free - 1);
            if !run.several.is_low() || self.deferred.len() >= MANY {
                run.end_entry();
            }
            if !run.has_entries() {
                return stuck;
            }
            stuck |= run.take_entries(free, |lane, entered| {
                self.owner[lane] = self.searches.begin(entered);
            });
        }
    }

    fn advance(&mut self, run: &mut Run<'_, K>, next: Next) {
        let (branching, free) = (next.branching, run.free());
        if branching | free == 0 {
            return;
        }
        let mut exchange = Exchange { branching, ..Exchange::NONE };
        self.match_up(run, free, &mut exchange);
        if branching | exchange.back.lanes != 0 {
            run.kernel.exchange(&exchange);
        }
    }

    fn settle(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next {
        if verdict.solved != 0 {
            self.count_solutions(run, verdict.solved);
        }
        // Those of deferred puzzles are free already.
        let over = verdict.ended() & run.busy;
        run.busy &= !over;
        // Which is the last one of its search cannot be predicted: no branch on it.
        let (mut ended, mut count) = ([0; MOST_LANES], 0);
        for lane in lanes_of(over) {
            ended[count] = self.owner[lane];
            count += usize::from(self.searches.end_side(ended[count]));
        }
        for id in &ended[..count] {
            let search = self.searches.remove(*id);
            // The puzzle itself, and both sides of each guess.
            let (guesses, nodes) = (search.guesses(), 1 + 2 * search.guesses());
            run.finish(&Searched {
                entered: search.entered,
                solutions: search.solutions,
                gave_up: false,
                effort: Effort { guesses, nodes },
            });
        }
        Next { branching: verdict.stuck & run.busy, returning: 0 }
    }

    fn is_through(&self, run: &Run<'_, K>) -> bool {
        run.busy == 0 && run.all_entered() && self.pages.sides == 0
    }

    #[cold]
    fn forget_all(&mut self, _: &mut Run<'_, K>) -> Option<usize> {
        self.pages = Pages::EMPTY;
        let deferred = self.deferred.iter().map(|entered| entered.puzzle);
        deferred.chain(self.searches.forget_all()).min()
    }
}
