//! Which side a free lane takes: two policies.
//!
//! *Shared*: any side of any search, and a newcomer only if there is none. Half of the lanes with an
//! event have failed, the other half branch; so the sides B of those that branch go straight into the
//! lanes that have failed, by one permutation a cell, and what is left over lies on the topmost page
//! until more lanes fail than branch. That is right where all sides have to be looked at anyhow: where
//! a puzzle has one solution or none, and that is to be proved.
//!
//! *In order*: the first side of its own search, else a newcomer, so that no side is looked at that the
//! depth-first search would not have come to. When there are no newcomers left, the lanes are divided
//! among the searches, and each search gets its first sides into lanes: a lane that is far behind is
//! put onto a page for the sake of a side in front of it. That is right where a search ends at a
//! solution, or is counted to its last one.
//!
//! The outcome is the same ([`super::order`]).

use lane_kernel::{Exchange, LaneSet, MOST_LANES, Moves, Own, lanes_of};

use super::order::Place;
use super::scheduler::Run;

impl Run<'_> {
    /// Whether lanes take any side.
    pub(super) fn is_shared(&self) -> bool {
        let all_sides_matter = self.limit() == 2 || self.job.knows_solutions();
        all_sides_matter && self.job.limits.nodes.is_none() && self.rate.is_low()
    }

    /// Lanes that are stuck branch, free ones get a side or a newcomer.
    pub(super) fn assign(&mut self, mut stuck: LaneSet) {
        if self.is_shared() {
            loop {
                let free = self.without_side(stuck);
                if free == 0 || !self.has_newcomers() {
                    break;
                }
                stuck |= self.take_newcomers(free);
            }
            self.share(stuck);
        } else {
            let returns = self.return_to_first();
            loop {
                let free = self.every & !self.busy;
                if free == 0 || !self.has_newcomers() {
                    break;
                }
                stuck |= self.take_newcomers(free);
            }
            self.go_on_in_order(stuck, &returns);
        }
    }

    /// The free lanes that there is no side for.
    fn without_side(&self, branching: LaneSet) -> LaneSet {
        let mut free = self.every & !self.busy;
        if free == 0 {
            return 0;
        }
        let sides = self.waiting.count() + branching.count_ones();
        for _ in 0..sides.min(free.count_ones()) {
            free &= free - 1;
        }
        free
    }

    /// Shared: a side for each free lane, as long as there are any, and a place for each side B.
    fn share(&mut self, branching: LaneSet) {
        let mut takers = self.every & !self.busy;
        if branching == 0 {
            let (page, moves) = self.take_waiting(takers);
            if moves.lanes != 0 {
                self.kernel.take(page, &moves);
            }
            return;
        }
        let mut exchange = Exchange { branching, page: self.waiting.top(), ..Exchange::default() };
        // Those go onto a page for whose side there is room on the topmost one.
        let mut without_room = branching & self.waiting.at_top();
        let mut with_room = branching & !without_room;
        while takers != 0 && (without_room | with_room) != 0 {
            let from = if without_room != 0 { &mut without_room } else { &mut with_room };
            let (giver, taker) = (from.trailing_zeros() as usize, takers.trailing_zeros() as usize);
            *from &= *from - 1;
            takers &= takers - 1;
            self.owner[taker] = self.order.branch(self.owner[giver], Place::Lane(taker as u8));
            exchange.given.add(taker, giver);
        }
        self.busy |= exchange.given.lanes;
        exchange.put = without_room | with_room;
        if takers != 0 {
            (exchange.page, exchange.back) = self.take_waiting(takers);
        } else if exchange.put != 0 {
            exchange.page = self.waiting.room_at_top(exchange.put);
            self.put(&exchange);
        }
        self.kernel.exchange(&exchange);
    }

    /// Lanes put side B onto the exchange's page.
    fn put(&mut self, exchange: &Exchange) {
        for lane in lanes_of(exchange.put) {
            let place = Place::Page { page: exchange.page as u16, column: lane as u8 };
            let side = self.order.branch(self.owner[lane], place);
            self.waiting.put(exchange.page, lane, side);
        }
    }

    /// The lanes `takers` get sides from the topmost pages. Those from the last of these pages are
    /// still to move.
    fn take_waiting(&mut self, mut takers: LaneSet) -> (usize, Moves) {
        loop {
            let page = self.waiting.top();
            let mut moves = Moves::NONE;
            for (taker, column) in lanes_of(takers).zip(lanes_of(self.waiting.at_top())) {
                self.take_side(page, column, taker);
                moves.add(taker, column);
            }
            takers &= !moves.lanes;
            if takers == 0 || self.waiting.count() == 0 {
                return (page, moves);
            }
            self.kernel.take(page, &moves);
        }
    }

    /// A side leaves its page for a lane.
    fn take_side(&mut self, page: usize, column: usize, lane: usize) {
        let side = self.waiting.take(page, column);
        self.order.set_place(side, Place::Lane(lane as u8));
        self.owner[lane] = side;
        self.busy |= 1 << lane;
    }

    /// In order: lanes whose side has come to an end go on with the first one of the same search, if
    /// that waits.
    fn return_to_first(&mut self) -> Returns {
        let mut returns = Returns::default();
        for lane in lanes_of(std::mem::take(&mut self.returning)) {
            let Some((_, Place::Page { page, column })) = self.order.first(self.returning_to[lane])
            else {
                continue;
            };
            let (page, column) = (usize::from(page), usize::from(column));
            if column == lane {
                returns.add(page, lane);
            } else {
                let mut moves = Moves::NONE;
                moves.add(lane, column);
                self.kernel.take(page, &moves);
            }
            self.take_side(page, column, lane);
        }
        returns
    }

    /// In order: lanes that are stuck go on with side A, side B waits. Lanes for which there is no
    /// newcomer take the first sides of the searches that are left.
    fn go_on_in_order(&mut self, stuck: LaneSet, returns: &Returns) {
        let free = self.every & !self.busy;
        let lanes_each = self.kernel.lanes() / self.order.searches().max(1);
        let is_end = self.is_through() && self.job.limits.nodes.is_none();
        let front = (is_end && (free != 0 || lanes_each > 1))
            .then(|| self.front(lanes_each.max(1), free.count_ones() as usize));
        let (mut takers, mut parked) = (free, 0);
        if let Some(front) = &front {
            for lane in lanes_of(stuck & !front.lanes) {
                if takers.count_ones() as usize >= front.count {
                    break;
                }
                parked |= 1 << lane;
                takers |= 1 << lane;
            }
        }
        let put = Own { page: self.waiting.lowest_room(stuck), lanes: stuck };
        for lane in lanes_of(stuck) {
            let place = Place::Page { page: put.page as u16, column: lane as u8 };
            let mut side = self.owner[lane];
            if parked >> lane & 1 == 0 {
                side = self.order.branch(side, place);
            } else {
                self.order.set_place(side, place);
            }
            self.waiting.put(put.page, lane, side);
        }
        let returns = returns.pages();
        if stuck != 0 || !returns.is_empty() {
            self.kernel.exchange_own(stuck & !parked, put, returns);
        }
        self.busy &= !parked;
        let front = front.iter().flat_map(|front| &front.waiting[..front.count]);
        for (lane, (page, column)) in lanes_of(takers).zip(front) {
            self.take_side(*page, *column, lane);
            let mut moves = Moves::NONE;
            moves.add(lane, *column);
            self.kernel.take(*page, &moves);
        }
    }

    /// The first sides of all searches, so many each; more if that leaves some of the free lanes
    /// without one.
    fn front(&self, each: usize, free: usize) -> Front {
        let front = self.front_of(each);
        if front.count < free { self.front_of(MOST_LANES) } else { front }
    }

    fn front_of(&self, each: usize) -> Front {
        let mut front = Front::default();
        for search in self.order.each() {
            for (_, place) in self.order.open_sides(search).take(each) {
                match place {
                    Place::Lane(lane) => front.lanes |= 1 << lane,
                    Place::Page { page, column } if front.count < MOST_LANES => {
                        front.waiting[front.count] = (page.into(), column.into());
                        front.count += 1;
                    }
                    _ => {}
                }
            }
        }
        front
    }
}

/// Lanes that come back from their own columns, page by page.
#[derive(Default)]
struct Returns {
    pages: [Own; MOST_LANES],
    count: usize,
}

impl Returns {
    fn add(&mut self, page: usize, lane: usize) {
        let pages = &mut self.pages[..=self.count.min(MOST_LANES - 1)];
        let at = pages[..self.count].iter().position(|own| own.page == page).unwrap_or(self.count);
        self.count = self.count.max(at + 1);
        let own = &mut pages[at];
        *own = Own { page, lanes: own.lanes | 1 << lane };
    }

    fn pages(&self) -> &[Own] {
        &self.pages[..self.count]
    }
}

/// The first sides of all searches.
#[derive(Default)]
struct Front {
    /// The lanes that look at one.
    lanes: LaneSet,
    /// Those that wait: page and column.
    waiting: [(usize, usize); MOST_LANES],
    count: usize,
}
