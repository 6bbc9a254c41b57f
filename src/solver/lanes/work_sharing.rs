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

use fearless_simd::Simd;

use super::branch::Split;
use super::deferred::Deferred;
use super::pages::{Exchange, Pages};
use super::run::{Ended, Entry, Run};
use super::searches::{SearchId, Searches};
use super::sweep::Verdict;
use super::vector::{LaneSet, Vector, align_stack, lanes_of};
use crate::puzzle::Grid;
use crate::solver::contract::Question;

/// What searching together needs beside the cells.
pub(super) struct Sides<V> {
    pages: Pages<V>,
    searches: Searches,
}

impl<V> Sides<V> {
    pub(super) fn new<S: Simd>(s: S) -> Self
    where
        V: Vector<S>,
    {
        let searches = Searches::new(Self::most_searches());
        Self { pages: Pages::new(s), searches }
    }

    /// The most searches at once: each of them has a lane or a side.
    pub(super) const fn most_searches<S: Simd>() -> usize
    where
        V: Vector<S>,
    {
        V::LEN + Pages::<V>::room()
    }
}

/// A batch that all lanes search together.
pub(super) struct WorkSharing<'a, S: Simd, V> {
    run: Run<'a, S, V>,
    sides: &'a mut Sides<V>,
    /// The search that each lane works for.
    owner: [SearchId; 32],
    /// Puzzles with a second solution, and those for whose sides there was no room.
    deferred: &'a mut Deferred,
}

impl<'a, S: Simd, V: Vector<S>> WorkSharing<'a, S, V> {
    /// Whether the order of a search does not matter, as long as there is only one solution.
    pub(super) fn suits(question: &Question<'_>) -> bool {
        question.limits.solutions.get() > 1 && question.limits.nodes.is_none()
    }

    pub(super) fn new(
        run: Run<'a, S, V>,
        sides: &'a mut Sides<V>,
        deferred: &'a mut Deferred,
    ) -> Self {
        Self { run, sides, owner: [Searches::NONE; 32], deferred }
    }

    /// Searches puzzles until it does not pay any more.
    pub(super) fn all(mut self) -> Ended {
        let mut branching = 0;
        loop {
            if self.run.is_stopped() {
                let first_open = self.first_open();
                self.run.flush();
                return Ended { next: first_open, stopped: true };
            }
            branching |= self.refill(branching);
            let (s, sharing) = (self.run.s, &mut self);
            s.vectorize(
                #[inline(always)]
                || sharing.advance(branching),
            );
            branching = if self.run.busy != 0 {
                let verdict = self.run.work();
                self.settle(verdict)
            } else if self.run.is_through() && self.sides.pages.sides() == 0 {
                break;
            } else {
                0 // The puzzles of all busy lanes were deferred.
            };
        }
        self.run.flush();
        Ended { next: self.run.next(), stopped: false }
    }

    /// The first puzzle whose outcome is not final; all searches are forgotten.
    #[cold]
    fn first_open(&mut self) -> usize {
        let Sides { pages, searches } = &mut *self.sides;
        let searched = searches.first_puzzle().unwrap_or(usize::MAX);
        pages.clear();
        searches.clear();
        let deferred = self.deferred.first().unwrap_or(usize::MAX);
        searched.min(self.run.first_outside()).min(deferred)
    }

    /// Entries for the lanes that there is no side for; returns those that are stuck already.
    fn refill(&mut self, branching: LaneSet) -> LaneSet {
        let mut stuck = 0;
        loop {
            let free = self.without_side(branching | stuck);
            if free == 0 {
                return stuck;
            }
            if !self.run.several_rate.few_several() || self.deferred.are_many() {
                self.run.end_entry();
            }
            if !self.run.has_entries() {
                return stuck;
            }
            let (owner, searches) = (&mut self.owner, &mut self.sides.searches);
            stuck |= self.run.take_entries(free, |entry| {
                let Entry { lane, puzzle, entered_ns, .. } = entry;
                owner[lane] = searches.begin(puzzle, entered_ns);
            });
        }
    }

    /// The free lanes that there is no side for.
    fn without_side(&self, branching: LaneSet) -> LaneSet {
        let mut free = self.run.free();
        if free == 0 {
            return 0;
        }
        self.run.s.vectorize(
            #[inline(always)]
            || {
                let sides = self.sides.pages.sides() + branching.count_ones();
                for _ in 0..sides.min(free.count_ones()) {
                    free &= free - 1;
                }
                free
            },
        )
    }

    /// Lanes that branch continue with side A, free ones with any side.
    #[inline(always)]
    fn advance(&mut self, branching: LaneSet) {
        let s = self.run.s;
        align_stack::<S, V>(s);
        let free = self.run.free();
        if branching == 0 {
            if free != 0 {
                let exchange = self.match_up(0, free);
                self.sides.pages.give_back(s, &mut self.run.blocks.work, &exchange);
            }
            return;
        }
        let split = Split::choose(s, &self.run.blocks.configurations, branching);
        let exchange = self.match_up(branching, free);
        self.sides.pages.exchange(s, &mut self.run.blocks.work, &split, &exchange);
    }

    /// A side for each of the `free` lanes, as long as there are any, and a place for each side B.
    #[inline(always)]
    fn match_up(&mut self, branching: LaneSet, free: LaneSet) -> Exchange {
        let Sides { pages, searches } = &mut *self.sides;
        let owner = &mut self.owner;
        let (mut giver, mut column) = ([0; 32], [0; 32]);
        // Those go on pages for whose side there is room on the topmost one.
        let mut without_room = branching & pages.occupied();
        let mut with_room = branching & !without_room;
        let mut takers = free;
        for _ in 0..branching.count_ones().min(free.count_ones()) {
            let from = if without_room != 0 { without_room } else { with_room };
            let (from, taker) = (from.trailing_zeros(), takers.trailing_zeros() as usize);
            without_room &= !(1 << from);
            with_room &= !(1 << from);
            takers &= takers - 1;
            giver[taker] = from as u16;
            owner[taker] = owner[from as usize];
            searches.branch(owner[taker]);
        }
        let given = free & !takers;
        self.run.busy |= given;
        let mut pushed = without_room | with_room;
        let mut back = 0;
        for lane in lanes_of(pushed) {
            searches.branch(owner[lane]);
        }
        if takers != 0 {
            let (s, work) = (self.run.s, &mut *self.run.blocks.work);
            let taken = pages.take(s, work, takers, owner, &mut column);
            self.run.busy |= taken.all;
            back = taken.back;
        } else if pushed != 0 && !pages.push(self.run.s, pushed, owner) {
            self.defer(pushed);
            pushed = 0;
        }
        Exchange { given, giver, back, column, pushed }
    }

    /// Lanes at an end are free; the others branch: which.
    fn settle(&mut self, verdict: Verdict) -> LaneSet {
        let Verdict { failed, full, stuck } = verdict;
        let over = failed | full;
        if full != 0 {
            self.count_solutions(self.run.solved(full));
        }
        self.run.busy &= !over;
        // Which is the last one of its search cannot be predicted: no branch on it.
        let (mut ended, mut count) = ([Searches::NONE; 32], 0);
        for lane in lanes_of(over) {
            ended[count] = std::mem::replace(&mut self.owner[lane], Searches::NONE);
            count += usize::from(self.sides.searches.end_side(ended[count]));
        }
        for id in &ended[..count] {
            self.finish(*id);
        }
        stuck & self.run.busy
    }

    /// The first solutions leave; puzzles with a second one are deferred.
    fn count_solutions(&mut self, solved: LaneSet) {
        let (owner, searches) = (&self.owner, &mut self.sides.searches);
        let (mut first, mut second) = (0, 0);
        for lane in lanes_of(solved) {
            let solutions = searches.count_solution(owner[lane]);
            first |= LaneSet::from(solutions == 1) << lane;
            second |= LaneSet::from(solutions == 2) << lane;
        }
        self.run.keep_solutions(first, |lane| searches.puzzle(owner[lane]));
        if second != 0 {
            self.defer(second);
        }
    }

    /// All sides of a search have been looked at.
    fn finish(&mut self, id: SearchId) {
        let search = self.sides.searches.remove(id);
        self.run.several_rate.note(false);
        let latency_ns = self.run.now_ns() - search.entered_ns;
        let outcome = &mut self.run.outcomes[search.puzzle];
        outcome.solutions = search.solutions;
        outcome.gave_up = false;
        outcome.guesses = search.guesses;
        // The puzzle itself, and both sides of each guess.
        outcome.nodes = 1 + 2 * search.guesses;
        outcome.latency_ns = latency_ns;
        if search.solutions == 0 {
            outcome.grid = Grid::BLANK;
        }
    }

    /// Ends the searches that these lanes work for, and defers their puzzles.
    #[cold]
    fn defer(&mut self, lanes: LaneSet) {
        let Sides { pages, searches } = &mut *self.sides;
        for lane in lanes_of(lanes) {
            let id = self.owner[lane];
            if id == Searches::NONE {
                continue; // with another lane
            }
            pages.remove(id);
            for (lane, owner) in self.owner.iter_mut().enumerate() {
                if *owner == id {
                    *owner = Searches::NONE;
                    self.run.busy &= !(1 << lane);
                }
            }
            let search = searches.remove(id);
            self.deferred.push(search.puzzle, search.entered_ns);
            self.run.several_rate.note(true);
        }
    }
}
