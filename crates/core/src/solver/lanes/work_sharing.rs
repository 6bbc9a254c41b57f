//! A policy by which all lanes search together: a free lane takes any alternative of any search.
//!
//! When lanes branch, their alternatives B move straight to free lanes, by one permutation per
//! cell; the rest is saved on [`pages`]. If each lane used its own stack ([`super::per_lane`]),
//! moving cells would take three times as long.
//!
//! The order in which the alternatives of a search are visited depends on the other searches. That
//! does not matter if all of them are visited, with no solution or only one. When a second solution
//! turns up, the puzzle is *deferred* and searched again in the right order, which wastes the first
//! search. So this policy is not used while puzzles with several solutions are frequent
//! ([`MultipleSolutionsRate`](super::run::MultipleSolutionsRate)).

use lane_kernel::{Exchange, Kernel, LaneSet, LaneVerdict, MAX_LANES, lanes_of};

use super::pages::{self, PageTable};
use super::run::{BatchState, Continuation, Effort, EnteredPuzzle, Policy, SearchResult};
use super::searches::{SearchId, Searches};
use crate::solver::contract::Query;

/// With this many deferred puzzles, no more puzzles enter.
const MAX_DEFERRED: usize = 256;

/// A policy by which all lanes search together.
pub(super) struct WorkSharing {
    pages: PageTable,
    searches: Searches,
    /// The search of each lane, or the last one if the lane is free.
    owner: [SearchId; MAX_LANES],
    /// Puzzles with a second solution, and those whose alternatives did not fit on the pages.
    pub(super) deferred: Vec<EnteredPuzzle>,
}

impl WorkSharing {
    pub(super) fn new(lanes: usize) -> Self {
        // Each search has a lane or a saved alternative.
        let most = lanes + pages::MAX_PAGES * lanes;
        Self {
            pages: PageTable::EMPTY,
            searches: Searches::new(most),
            owner: [0; MAX_LANES],
            // Also the puzzles being searched when the limit is reached, and an entry block.
            deferred: Vec::with_capacity(MAX_DEFERRED + most + MAX_LANES),
        }
    }

    /// Returns whether the order of a search is irrelevant while there is at most one solution. A
    /// known solution must not count, which only the other policies consider.
    pub(super) fn suits(query: &Query<'_>) -> bool {
        let Query { limits, known, .. } = query;
        limits.solutions.get() > 1 && limits.nodes.is_none() && known.is_none()
    }

    /// Finds an alternative for each of the `free` lanes until none is left, and a place for each
    /// alternative B.
    ///
    /// Writes to `exchange` in place, which avoids copying values that have just been stored.
    fn match_up(
        &mut self,
        run: &mut BatchState<'_, impl Kernel>,
        free: LaneSet,
        exchange: &mut Exchange,
    ) {
        let Self { pages, searches, owner, .. } = self;
        let Exchange { branching, shared, saved, restored, page } = exchange;
        // Lanes whose column of the topmost page is occupied come first: they are in the low half.
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

    /// Writes first solutions, and defers puzzles with a second one.
    fn count_solutions(&mut self, run: &mut BatchState<'_, impl Kernel>, solved: LaneSet) {
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

    /// Ends the searches of these lanes, and defers their puzzles.
    #[cold]
    fn defer(&mut self, run: &mut BatchState<'_, impl Kernel>, lanes: LaneSet) {
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
            run.multiple_solutions.update(true);
        }
    }
}

impl<K: Kernel> Policy<K> for WorkSharing {
    /// Moves new puzzles to free lanes only when no alternative is pending.
    fn refill(&mut self, run: &mut BatchState<'_, K>, branching: LaneSet) -> LaneSet {
        let mut stuck = 0;
        loop {
            let alternatives = self.pages.alternatives + (branching | stuck).count_ones();
            let mut free = run.free();
            if free.count_ones() <= alternatives {
                return stuck;
            }
            (0..alternatives).for_each(|_| free &= free - 1);
            if !run.multiple_solutions.is_low() || self.deferred.len() >= MAX_DEFERRED {
                run.stop_entries();
            }
            if !run.has_entries() {
                return stuck;
            }
            stuck |= run.take_entries(free, |lane, entered| {
                self.owner[lane] = self.searches.begin(entered);
            });
        }
    }

    fn advance(&mut self, run: &mut BatchState<'_, K>, next: Continuation) {
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

    fn handle_events(&mut self, run: &mut BatchState<'_, K>, verdict: LaneVerdict) -> Continuation {
        if verdict.solved != 0 {
            self.count_solutions(run, verdict.solved);
        }
        // Lanes of deferred puzzles are already free.
        let over = verdict.ended() & run.busy;
        run.busy &= !over;
        // Written without branches, because which alternative is the last of its search is
        // unpredictable.
        let (mut ended, mut count) = ([0; MAX_LANES], 0);
        for lane in lanes_of(over) {
            ended[count] = self.owner[lane];
            count += usize::from(self.searches.end_alternative(ended[count]));
        }
        for id in &ended[..count] {
            let search = self.searches.remove(*id);
            // The nodes are the puzzle itself and both alternatives of each guess.
            let (guesses, nodes) = (search.guesses(), 1 + 2 * search.guesses());
            run.finish(&SearchResult {
                entered: search.entered,
                solutions: search.solutions,
                gave_up: false,
                effort: Effort { guesses, nodes },
            });
        }
        Continuation { branching: verdict.stuck & run.busy, returning: 0 }
    }

    fn is_done(&self, run: &BatchState<'_, K>) -> bool {
        run.busy == 0 && run.all_entered() && self.pages.alternatives == 0
    }

    #[cold]
    fn discard(&mut self, _: &mut BatchState<'_, K>) -> Option<usize> {
        self.pages = PageTable::EMPTY;
        let deferred = self.deferred.iter().map(|entered| entered.puzzle);
        deferred.chain(self.searches.discard()).min()
    }
}
