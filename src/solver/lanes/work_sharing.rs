//! All lanes search together: a lane that is free takes any side of any search.
//!
//! Half of the lanes with an event have failed, the other half branch. So the sides B of those that
//! branch go straight into the lanes that have failed, by one permutation a cell; what is left over
//! lies on [pages](super::pages) until more lanes fail than branch. Where each lane has a stack of
//! its own ([`super::per_lane`]), moving cells takes three times as long.
//!
//! In which order the sides of a search are looked at depends on what else is going on. That does not
//! matter where all of them are: with no solution or only one, the solution, the guesses and the nodes
//! are those of any order. When a second solution turns up, the puzzle is *deferred*, and a lane of
//! its own searches it again in the right order. What the first search has cost is lost then; so where
//! puzzles with several solutions are frequent none is searched together
//! ([`SeveralRate`](super::several_rate::SeveralRate)).

use lane_kernel::{Exchange, Kernel, LaneSet, MOST_LANES, Verdict, lanes_of};

use super::deferred::Deferred;
use super::pages::{self, Pages};
use super::run::{Effort, Entry, Next, Policy, Run, Searched};
use super::searches::{SearchId, Searches};
use crate::solver::contract::Question;

/// All lanes search together.
pub(super) struct WorkSharing {
    pages: Pages,
    searches: Searches,
    /// The search that each lane works for.
    owner: [SearchId; MOST_LANES],
    /// Puzzles with a second solution, and those for whose sides there was no room.
    pub(super) deferred: Deferred,
}

impl WorkSharing {
    pub(super) fn new(lanes: usize) -> Self {
        // Each search has a lane or a side.
        let most = lanes + pages::MOST * lanes;
        Self {
            pages: Pages::EMPTY,
            searches: Searches::new(most),
            owner: [Searches::NONE; MOST_LANES],
            deferred: Deferred::new(most),
        }
    }

    /// Whether the order of a search does not matter, as long as there is only one solution.
    pub(super) fn suits(question: &Question<'_>) -> bool {
        question.limits.solutions.get() > 1 && question.limits.nodes.is_none()
    }

    /// The free lanes that there is no side for.
    fn without_side(&self, run: &Run<'_, impl Kernel>, branching: LaneSet) -> LaneSet {
        let mut free = run.free();
        if free == 0 {
            return 0;
        }
        run.level.run(
            #[inline(always)]
            || {
                let sides = self.pages.sides() + branching.count_ones();
                for _ in 0..sides.min(free.count_ones()) {
                    free &= free - 1;
                }
                free
            },
        )
    }

    /// A side for each of the `free` lanes, as long as there are any, and a place for each side B.
    ///
    /// In place: the moves are too fresh to be copied.
    #[inline(always)]
    fn match_up(&mut self, run: &mut Run<'_, impl Kernel>, free: LaneSet, exchange: &mut Exchange) {
        let Self { pages, searches, owner, .. } = self;
        let Exchange { branching, given, put, back, page } = exchange;
        let branching = *branching;
        // Those go on pages for whose side there is room on the topmost one.
        let mut without_room = branching & pages.occupied();
        let mut with_room = branching & !without_room;
        let mut takers = free;
        while takers != 0 && without_room | with_room != 0 {
            let from = if without_room != 0 { without_room } else { with_room };
            let (from, taker) = (from.trailing_zeros() as usize, takers.trailing_zeros() as usize);
            without_room &= !(1 << from);
            with_room &= !(1 << from);
            takers &= takers - 1;
            given.add(taker, from);
            owner[taker] = owner[from];
            searches.branch(owner[taker]);
        }
        run.busy |= given.lanes;
        *put = without_room | with_room;
        for lane in lanes_of(*put) {
            searches.branch(owner[lane]);
        }
        if takers != 0 {
            run.busy |= pages.take(run.kernel, takers, owner, back);
        } else if *put != 0 && !pages.push(*put, owner) {
            self.defer(run, *put);
            *put = 0;
        }
        *page = self.pages.top();
    }

    /// The first solutions leave; puzzles with a second one are deferred.
    fn count_solutions(&mut self, run: &mut Run<'_, impl Kernel>, solved: LaneSet) {
        let Self { owner, searches, .. } = self;
        let (mut first, mut second) = (0, 0);
        for lane in lanes_of(solved) {
            let solutions = searches.count_solution(owner[lane]);
            first |= LaneSet::from(solutions == 1) << lane;
            second |= LaneSet::from(solutions == 2) << lane;
        }
        run.keep_solutions(first, |lane| searches.puzzle(owner[lane]));
        if second != 0 {
            self.defer(run, second);
        }
    }

    /// All sides of a search have been looked at.
    fn finish(&mut self, run: &mut Run<'_, impl Kernel>, id: SearchId) {
        let search = self.searches.remove(id);
        let guesses = search.guesses;
        run.finish(&Searched {
            puzzle: search.puzzle,
            entered_ns: search.entered_ns,
            solutions: search.solutions,
            gave_up: false,
            // The puzzle itself, and both sides of each guess.
            effort: Effort { guesses, nodes: 1 + 2 * guesses },
        });
    }

    /// Ends the searches that these lanes work for, and defers their puzzles.
    #[cold]
    fn defer(&mut self, run: &mut Run<'_, impl Kernel>, lanes: LaneSet) {
        for lane in lanes_of(lanes) {
            let id = self.owner[lane];
            if id == Searches::NONE {
                continue; // with another lane
            }
            self.pages.remove(id);
            for (lane, owner) in self.owner.iter_mut().enumerate() {
                if *owner == id {
                    *owner = Searches::NONE;
                    run.busy &= !(1 << lane);
                }
            }
            let search = self.searches.remove(id);
            self.deferred.push(search.puzzle, search.entered_ns);
            run.several_rate.note(true);
        }
    }
}

impl<K: Kernel> Policy<K> for WorkSharing {
    /// Entries are for the lanes that there is no side for.
    fn refill(&mut self, run: &mut Run<'_, K>, branching: LaneSet) -> LaneSet {
        let mut stuck = 0;
        loop {
            let free = self.without_side(run, branching | stuck);
            if free == 0 {
                return stuck;
            }
            if !run.several_rate.few_several() || self.deferred.are_many() {
                run.end_entry();
            }
            if !run.has_entries() {
                return stuck;
            }
            stuck |= run.take_entries(free, |Entry { lane, puzzle, entered_ns, .. }| {
                self.owner[lane] = self.searches.begin(puzzle, entered_ns);
            });
        }
    }

    fn advance(&mut self, run: &mut Run<'_, K>, next: Next) {
        let (branching, free) = (next.branching, run.free());
        if branching | free == 0 {
            return;
        }
        let mut exchange = Exchange { branching, ..Exchange::NONE };
        run.level.run(
            #[inline(always)]
            || self.match_up(run, free, &mut exchange),
        );
        if branching != 0 {
            run.kernel.exchange(&exchange);
        } else if exchange.back.lanes != 0 {
            run.kernel.take(exchange.page, &exchange.back);
        }
    }

    fn settle(&mut self, run: &mut Run<'_, K>, Verdict { failed, solved, stuck }: Verdict) -> Next {
        let over = failed | solved;
        if solved != 0 {
            self.count_solutions(run, solved);
        }
        run.busy &= !over;
        // Which is the last one of its search cannot be predicted: no branch on it.
        let (mut ended, mut count) = ([Searches::NONE; MOST_LANES], 0);
        for lane in lanes_of(over) {
            ended[count] = std::mem::replace(&mut self.owner[lane], Searches::NONE);
            count += usize::from(self.searches.end_side(ended[count]));
        }
        for id in &ended[..count] {
            self.finish(run, *id);
        }
        Next { branching: stuck & run.busy, returning: 0 }
    }

    fn is_through(&self, run: &Run<'_, K>) -> bool {
        run.is_through() && self.pages.sides() == 0
    }

    #[cold]
    fn forget_all(&mut self, _: &mut Run<'_, K>) -> Option<usize> {
        let first = self.searches.first_puzzle().into_iter().chain(self.deferred.first()).min();
        self.owner = [Searches::NONE; MOST_LANES];
        self.pages.clear();
        self.searches.clear();
        first
    }
}
