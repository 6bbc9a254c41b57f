//! All lanes search together: a lane that is free takes any alternative of any search.
//!
//! The alternatives B of lanes that branch go straight into lanes that have failed, by one permutation a cell;
//! what is left over lies on [`pages`]. Where each lane has a stack of its own
//! ([`super::per_lane`]), moving cells takes three times as long.
//!
//! In which order the alternatives of a search are looked at depends on what else is going on. That does not
//! matter where all of them are: with no solution or only one. When a second one turns up, the puzzle is
//! *deferred*, and searched again in the right order. What the first search has cost is lost then; so
//! where puzzles with several solutions are frequent none is searched together
//! ([`SeveralRate`](super::run::SeveralRate)).

use lane_kernel::{Exchange, Kernel, LaneSet, MAX_LANES, Verdict, lanes_of};

use super::pages::{self, Pages};
use super::run::{Effort, Entry, Next, Policy, Run, SearchResult};
use super::searches::{SearchId, Searches};
use crate::solver::contract::Question;

/// With this many deferred puzzles, no more enter.
const MAX_DEFERRED: usize = 256;

/// All lanes search together.
pub(super) struct WorkSharing {
    pages: Pages,
    searches: Searches,
    /// The search that each lane works for, or has worked for if it is free.
    owner: [SearchId; MAX_LANES],
    /// Puzzles with a second solution, and those for whose alternatives there was no room.
    pub(super) deferred: Vec<Entry>,
}

impl WorkSharing {
    pub(super) fn new(lanes: usize) -> Self {
        // Each search has a lane or an alternative.
        let most = lanes + pages::MAX_PAGES * lanes;
        Self {
            pages: Pages::EMPTY,
            searches: Searches::new(most),
            owner: [0; MAX_LANES],
            // Those that are searched when there are many, and an entry block.
            deferred: Vec::with_capacity(MAX_DEFERRED + most + MAX_LANES),
        }
    }

    /// Whether the order of a search does not matter, while there is only one solution.
    pub(super) fn suits(question: &Question<'_>) -> bool {
        question.limits.solutions.get() > 1 && question.limits.nodes.is_none()
    }

    /// An alternative for each of the `free` lanes, while there are any, and a place for each alternative B.
    ///
    /// In place: the moves are too fresh to be copied.
    fn match_up(&mut self, run: &mut Run<'_, impl Kernel>, free: LaneSet, exchange: &mut Exchange) {
        let Self { pages, searches, owner, .. } = self;
        let Exchange { branching, shared, saved, restored, page } = exchange;
        // First those without room on the topmost page: in the low half.
        let without_room = *branching & pages.occupied();
        let mut givers = u64::from(without_room) | u64::from(*branching & !without_room) << 32;
        let mut takers = free;
        while takers != 0 && givers != 0 {
            let from = givers.trailing_zeros() as usize % MAX_LANES;
            let taker = takers.trailing_zeros() as usize;
            givers &= givers - 1;
            takers &= takers - 1;
            shared.add(taker, from);
            owner[taker] = owner[from];
            searches.branch(owner[taker]);
        }
        run.busy |= shared.lanes;
        *saved = givers as LaneSet | (givers >> 32) as LaneSet;
        for lane in lanes_of(*saved) {
            searches.branch(owner[lane]);
        }
        if takers != 0 {
            run.busy |= pages.take(run.kernel, takers, owner, restored);
        } else if *saved != 0 && !pages.push(*saved, owner) {
            self.defer(run, *saved);
            *saved = 0;
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
    /// Lanes take new puzzles only when no alternative is pending.
    fn refill(&mut self, run: &mut Run<'_, K>, branching: LaneSet) -> LaneSet {
        let mut stuck = 0;
        loop {
            let alternatives = self.pages.alternatives + (branching | stuck).count_ones();
            let mut free = run.free();
            if free.count_ones() <= alternatives {
                return stuck;
            }
            (0..alternatives).for_each(|_| free &= free - 1);
            if !run.several.is_low() || self.deferred.len() >= MAX_DEFERRED {
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
        if branching | exchange.restored.lanes != 0 {
            run.kernel.exchange(&exchange);
        }
    }

    fn handle_events(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next {
        if verdict.solved != 0 {
            self.count_solutions(run, verdict.solved);
        }
        // Those of deferred puzzles are free already.
        let over = verdict.ended() & run.busy;
        run.busy &= !over;
        // Which is the last one of its search cannot be predicted: no branch on it.
        let (mut ended, mut count) = ([0; MAX_LANES], 0);
        for lane in lanes_of(over) {
            ended[count] = self.owner[lane];
            count += usize::from(self.searches.end_alternative(ended[count]));
        }
        for id in &ended[..count] {
            let search = self.searches.remove(*id);
            // The puzzle itself, and both alternatives of each guess.
            let (guesses, nodes) = (search.guesses(), 1 + 2 * search.guesses());
            run.finish(&SearchResult {
                entered: search.entered,
                solutions: search.solutions,
                gave_up: false,
                effort: Effort { guesses, nodes },
            });
        }
        Next { branching: verdict.stuck & run.busy, returning: 0 }
    }

    fn is_done(&self, run: &Run<'_, K>) -> bool {
        run.busy == 0 && run.all_entered() && self.pages.alternatives == 0
    }

    #[cold]
    fn abandon(&mut self, _: &mut Run<'_, K>) -> Option<usize> {
        self.pages = Pages::EMPTY;
        let deferred = self.deferred.iter().map(|entered| entered.puzzle);
        deferred.chain(self.searches.abandon()).min()
    }
}
