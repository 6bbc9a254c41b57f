//! The searches that are going on: the sides of each in the order of a plain depth-first search.
//!
//! A search is a list of sides that are still to be looked at. A side that branches becomes two
//! neighbours; one that fails leaves the list, and what it has cost goes to the one behind it:
//!
//! ```text
//!  search ─ side in lane 4 ─ side on page 0 ─ solution ─ side in lane 9 ─ end
//!           cost before it   cost before it   ...                         cost before it
//! ```
//!
//! So sides may be looked at in any order and by any lane: read from the front, the list tells what the
//! depth-first search would have found and what that would have cost, to the node at which it would
//! have stopped. Sides behind the last solution that is wanted are dropped.

/// A side, by its number.
pub(super) type SideId = u32;

/// A search, by its number.
pub(super) type SearchId = u32;

/// Where a side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a work lane.
    Lane(u8),
    /// On a page.
    Page { page: u16, column: u8 },
    /// Nowhere: it was a solution.
    Solution,
    /// The end of a list, which is no side, or a side that is not used.
    End,
}

/// What a search has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) guesses: u64,
    pub(super) nodes: u64,
}

impl Effort {
    /// A state that was looked at.
    const NODE: Self = Self { guesses: 0, nodes: 1 };
    /// A state at which something was assumed.
    const BRANCH: Self = Self { guesses: 1, nodes: 1 };
}

impl std::ops::AddAssign for Effort {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.guesses += other.guesses;
        self.nodes += other.nodes;
    }
}

#[derive(Clone, Copy, Debug)]
struct Side {
    before: SideId,
    behind: SideId,
    search: SearchId,
    place: Place,
    /// What sides cost that lay between this one and the one before, and are gone.
    cost: Effort,
}

/// The search of one puzzle.
#[derive(Clone, Copy, Debug)]
struct Search {
    /// The end of its list of sides, which is a ring.
    end: SideId,
    /// The puzzle's place in the batch.
    puzzle: usize,
    entered_ns: u64,
    /// Sides in lanes and on pages.
    open: u32,
    /// Solutions in the list.
    pending: u32,
    /// Solutions that have left the list at its front, and what was spent up to the last of them.
    solutions: u32,
    spent: Effort,
}

/// What a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) puzzle: usize,
    pub(super) entered_ns: u64,
    pub(super) solutions: u32,
    pub(super) effort: Effort,
}

/// All searches.
#[derive(Debug)]
pub(super) struct Order {
    sides: Vec<Side>,
    spare_sides: Vec<SideId>,
    searches: Vec<Search>,
    spare_searches: Vec<SearchId>,
}

impl Order {
    /// Room for so many sides; more are made room for when they are wanted.
    pub(super) fn new(sides: usize) -> Self {
        Self {
            sides: Vec::with_capacity(2 * sides),
            spare_sides: Vec::with_capacity(2 * sides),
            searches: Vec::with_capacity(sides),
            spare_searches: Vec::with_capacity(sides),
        }
    }

    /// How many searches are going on.
    pub(super) fn searches(&self) -> usize {
        self.searches.len() - self.spare_searches.len()
    }

    /// The numbers of the searches that are going on.
    pub(super) fn each(&self) -> impl Iterator<Item = SearchId> {
        let open = self.searches.iter().enumerate().filter(|(_, search)| search.open > 0);
        open.map(|(id, _)| id as SearchId)
    }

    /// A puzzle has come into a lane.
    pub(super) fn begin(&mut self, puzzle: usize, entered_ns: u64, lane: usize) -> SideId {
        let id = self.spare_searches.pop().unwrap_or(self.searches.len() as SearchId);
        let end = self.new_side();
        let side = self.new_side();
        self.sides[end as usize] = Side {
            before: side,
            behind: side,
            search: id,
            place: Place::End,
            cost: Effort::default(),
        };
        let place = Place::Lane(lane as u8);
        self.sides[side as usize] =
            Side { before: end, behind: end, search: id, place, cost: Effort::default() };
        let search = Search {
            end,
            puzzle,
            entered_ns,
            open: 1,
            pending: 0,
            solutions: 0,
            spent: Effort::default(),
        };
        match self.searches.get_mut(id as usize) {
            Some(place) => *place = search,
            None => self.searches.push(search),
        }
        side
    }

    /// A side that nothing is known of yet.
    #[inline(always)]
    fn new_side(&mut self) -> SideId {
        self.spare_sides.pop().unwrap_or_else(|| {
            let unused = Side {
                before: 0,
                behind: 0,
                search: 0,
                place: Place::End,
                cost: Effort::default(),
            };
            self.sides.push(unused);
            self.sides.len() as SideId - 1
        })
    }

    /// A side becomes two: it goes on as its side A, side B comes behind it.
    #[inline(always)]
    pub(super) fn branch(&mut self, a: SideId, place_of_b: Place) -> SideId {
        let b = self.new_side();
        let side = &mut self.sides[a as usize];
        side.cost += Effort::BRANCH;
        let (search, behind) = (side.search, side.behind);
        side.behind = b;
        self.sides[behind as usize].before = b;
        self.sides[b as usize] =
            Side { before: a, behind, search, place: place_of_b, cost: Effort::default() };
        self.searches[search as usize].open += 1;
        b
    }

    /// A side has failed; returns its search, and whether that was the last one.
    #[inline(always)]
    pub(super) fn fail(&mut self, id: SideId) -> (SearchId, bool) {
        let Side { search, mut cost, .. } = self.sides[id as usize];
        cost += Effort::NODE;
        let behind = self.unlink(id);
        self.sides[behind as usize].cost += cost;
        let open = &mut self.searches[search as usize].open;
        *open -= 1;
        (search, *open == 0)
    }

    /// Takes a side out of its list; returns the one behind it.
    #[inline(always)]
    fn unlink(&mut self, id: SideId) -> SideId {
        let Side { before, behind, .. } = self.sides[id as usize];
        self.sides[before as usize].behind = behind;
        self.sides[behind as usize].before = before;
        self.spare_sides.push(id);
        behind
    }

    /// A side is a solution; whether it is the first of those that are known.
    pub(super) fn solve(&mut self, id: SideId) -> bool {
        self.sides[id as usize].place = Place::Solution;
        let search = self.sides[id as usize].search as usize;
        self.searches[search].open -= 1;
        self.searches[search].pending += 1;
        let mut is_first = self.searches[search].solutions == 0;
        let mut side = self.sides[id as usize].before;
        while is_first && self.sides[side as usize].place != Place::End {
            is_first = self.sides[side as usize].place != Place::Solution;
            side = self.sides[side as usize].before;
        }
        is_first
    }

    /// Solutions at the front of a list leave it.
    fn settle_front(&mut self, search: usize) {
        loop {
            let end = self.searches[search].end;
            let front = self.sides[end as usize].behind;
            let Side { place, mut cost, .. } = self.sides[front as usize];
            if place != Place::Solution {
                return;
            }
            cost += Effort::NODE;
            let search = &mut self.searches[search];
            search.spent += cost;
            search.solutions += 1;
            search.pending -= 1;
            self.unlink(front);
        }
    }

    /// After a solution: drops all sides behind the one that is number `limit`, if that is known;
    /// `dropped` is told where they are. Whether no side is left.
    pub(super) fn drop_behind(
        &mut self,
        search: SearchId,
        limit: u32,
        dropped: impl FnMut(Place),
    ) -> bool {
        let Search { end, solutions, pending, .. } = self.searches[search as usize];
        let mut wanted = limit.saturating_sub(solutions);
        if wanted <= pending {
            let mut side = end;
            while wanted > 0 {
                side = self.sides[side as usize].behind;
                wanted -= u32::from(self.sides[side as usize].place == Place::Solution);
            }
            self.drop_sides_behind(side, dropped);
        }
        self.settle_front(search as usize);
        self.searches[search as usize].open == 0
    }

    fn drop_sides_behind(&mut self, id: SideId, mut dropped: impl FnMut(Place)) {
        let search = self.sides[id as usize].search as usize;
        loop {
            let side = self.sides[id as usize].behind;
            let place = self.sides[side as usize].place;
            match place {
                Place::End => return,
                Place::Solution => self.searches[search].pending -= 1,
                Place::Lane(_) | Place::Page { .. } => {
                    self.searches[search].open -= 1;
                    dropped(place);
                }
            }
            self.unlink(side);
        }
    }

    /// Ends a search of which no side is left.
    pub(super) fn finish(&mut self, search: SearchId, limit: u32) -> Found {
        self.settle_front(search as usize);
        let Search { end, puzzle, entered_ns, open, pending, solutions, spent } =
            self.searches[search as usize];
        debug_assert_eq!((open, pending), (0, 0));
        let mut effort = spent;
        if solutions < limit {
            effort += self.sides[end as usize].cost;
        }
        self.spare_sides.push(end);
        self.spare_searches.push(search);
        Found { puzzle, entered_ns, solutions, effort }
    }

    /// Ends a search whose first side, which is the only one in a lane, may not go on; `dropped` is
    /// told where its sides are.
    pub(super) fn give_up(&mut self, search: SearchId, dropped: impl FnMut(Place)) -> Found {
        let end = self.searches[search as usize].end;
        let front = self.sides[end as usize].behind;
        let mut effort = self.searches[search as usize].spent;
        effort += self.sides[front as usize].cost;
        self.drop_sides_behind(end, dropped);
        Found { effort, ..self.finish(search, 0) }
    }

    /// The nodes that a search has spent before its first side.
    pub(super) fn nodes_before_first(&self, search: SearchId) -> u64 {
        let Search { end, spent, .. } = self.searches[search as usize];
        let front = self.sides[end as usize].behind;
        spent.nodes + self.sides[front as usize].cost.nodes
    }

    /// The sides of a search that are in lanes or on pages, in order.
    pub(super) fn open_sides(&self, search: SearchId) -> impl Iterator<Item = (SideId, Place)> {
        let mut side = self.searches[search as usize].end;
        std::iter::from_fn(move || {
            loop {
                side = self.sides[side as usize].behind;
                match self.sides[side as usize].place {
                    Place::End => return None,
                    Place::Solution => {}
                    place => return Some((side, place)),
                }
            }
        })
    }

    /// The first side of a search that is in a lane or on a page.
    #[inline(always)]
    pub(super) fn first(&self, search: SearchId) -> Option<(SideId, Place)> {
        self.open_sides(search).next()
    }

    /// The search that a side belongs to.
    #[inline(always)]
    pub(super) fn search_of(&self, side: SideId) -> SearchId {
        self.sides[side as usize].search
    }

    /// Whether a search has sides in lanes or on pages.
    #[inline(always)]
    pub(super) fn is_open(&self, search: SearchId) -> bool {
        self.searches[search as usize].open > 0
    }

    /// The place in the batch of the puzzle that is searched.
    pub(super) fn puzzle_of_search(&self, search: SearchId) -> usize {
        self.searches[search as usize].puzzle
    }

    /// The place in the batch of the puzzle that a side belongs to.
    #[inline(always)]
    pub(super) fn puzzle_of(&self, side: SideId) -> usize {
        self.searches[self.search_of(side) as usize].puzzle
    }

    /// A side has moved.
    #[inline(always)]
    pub(super) fn set_place(&mut self, side: SideId, place: Place) {
        self.sides[side as usize].place = place;
    }

    /// The first puzzle that is searched, if any is.
    pub(super) fn first_puzzle(&self) -> Option<usize> {
        self.each().map(|id| self.searches[id as usize].puzzle).min()
    }

    /// Forgets all searches.
    pub(super) fn clear(&mut self) {
        self.sides.clear();
        self.spare_sides.clear();
        self.searches.clear();
        self.spare_searches.clear();
    }
}
