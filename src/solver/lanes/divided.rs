//! One search in many lanes: what keeps them busy when no puzzles are left.
//!
//! At the end of a batch a few long searches would leave most lanes empty. So a free lane takes
//! the *last* side that a busy one has pushed: the one at the bottom of its stack, which is the
//! largest, and which comes after all else that the busy lane has still to do. The lanes of a
//! puzzle form a list in the order of the undivided search:
//!
//! ```text
//!  before ─ lane 4 ─ after ─ lane 17 ─ after ─ lane 9 ─ after
//! ```
//!
//! `before` and `after` are what lanes that have ended found in between. Found in any order,
//! read in this one: the outcome is that of the undivided search, guesses and nodes included,
//! down to the node at which that would have stopped. For this a part remembers how far it was at
//! its first solution, which is enough for limits of one and two solutions; with more, or with
//! a node limit, nothing is shared.

use lane_kernel::LaneSet;

use super::run::Effort;
use crate::puzzle::Grid;

/// What a part of a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) solutions: u32,
    pub(super) effort: Effort,
    /// The effort at the first solution, if there is one.
    pub(super) at_first: Effort,
    /// The first solution, unless it has gone to its outcome already.
    pub(super) grid: Option<Grid>,
}

impl Found {
    pub(super) const NOTHING: Self =
        Self { solutions: 0, effort: Effort::NONE, at_first: Effort::NONE, grid: None };

    /// This part, then the `later` one, as one search that stops at `limit` solutions (one or
    /// two). Each part has stopped there by itself.
    pub(super) fn then(&self, later: &Self, limit: u32) -> Self {
        if self.solutions >= limit {
            return *self;
        }
        // One more solution is wanted, or two, at which the later part has stopped.
        let stops_at_first = later.solutions > 0 && limit - self.solutions == 1;
        let rest = if stops_at_first { later.at_first } else { later.effort };
        let effort = self.effort.and(rest);
        let solutions = limit.min(self.solutions + later.solutions);
        if self.solutions > 0 {
            Self { solutions, effort, ..*self }
        } else {
            let at_first = self.effort.and(later.at_first);
            Self { solutions, effort, at_first, grid: later.grid }
        }
    }
}

const NO_LANE: u8 = u8::MAX;

/// A lane's place in the list of its puzzle.
#[derive(Clone, Copy)]
struct Place {
    previous: u8,
    next: u8,
    /// Found by lanes before the first one; nothing in the others.
    before: Found,
    /// Found by lanes that have ended, before the next one in the list.
    after: Found,
}

const ALONE: Place =
    Place { previous: NO_LANE, next: NO_LANE, before: Found::NOTHING, after: Found::NOTHING };

/// Which lanes share a search.
pub(super) struct Divided {
    lanes: LaneSet,
    places: [Place; 32],
}

/// What the end of a lane means for its puzzle.
pub(super) struct Ended {
    /// All that was found, if no lane is left.
    pub(super) all: Option<Found>,
    /// Lanes whose part the undivided search would not have come to.
    pub(super) needless: LaneSet,
}

impl Divided {
    pub(super) const NONE: Self = Self { lanes: 0, places: [ALONE; 32] };

    /// The lanes that have a part of a search, not all of it.
    pub(super) fn lanes(&self) -> LaneSet {
        self.lanes
    }

    /// Lane `taker` takes the last side of lane `giver`.
    pub(super) fn divide(&mut self, giver: usize, taker: usize) {
        if self.lanes >> giver & 1 == 0 {
            self.places[giver] = ALONE;
        }
        self.lanes |= 1 << giver | 1 << taker;
        let Place { next, after, .. } = self.places[giver];
        self.places[taker] = Place { previous: giver as u8, next, before: Found::NOTHING, after };
        self.places[giver].next = taker as u8;
        self.places[giver].after = Found::NOTHING;
        if next != NO_LANE {
            self.places[usize::from(next)].previous = taker as u8;
        }
    }

    /// A lane has ended and found this.
    pub(super) fn end(&mut self, lane: usize, found: &Found, limit: u32) -> Ended {
        let place = self.places[lane];
        self.lanes &= !(1 << lane);
        let found = place.before.then(found, limit).then(&place.after, limit);
        let mut next = place.next;
        let mut needless = 0;
        while found.solutions >= limit && next != NO_LANE {
            needless |= 1 << next;
            next = self.places[usize::from(next)].next;
        }
        self.lanes &= !needless;
        if next != NO_LANE {
            self.places[usize::from(next)].previous = place.previous;
        }
        if place.previous != NO_LANE {
            let previous = &mut self.places[usize::from(place.previous)];
            previous.next = next;
            previous.after = previous.after.then(&found, limit);
        } else if next != NO_LANE {
            self.places[usize::from(next)].before = found;
        } else {
            return Ended { all: Some(found), needless };
        }
        Ended { all: None, needless }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A part as a list of what it meets: nodes, some of them guesses, some of them solutions.
    fn found(events: &[(bool, bool)], limit: u32) -> Found {
        let mut found = Found::NOTHING;
        for &(guess, solution) in events {
            if found.solutions == limit {
                break;
            }
            found.effort.nodes += 1;
            found.effort.guesses += u64::from(guess);
            if solution {
                found.solutions += 1;
                if found.solutions == 1 {
                    found.at_first = found.effort;
                    found.grid = Some(Grid([found.effort.nodes as u8; 81]));
                }
            }
        }
        found
    }

    proptest! {
        /// However a search is divided and in whatever order its parts end, all is found as
        /// if it had not been.
        #[test]
        fn a_divided_search_finds_the_same(
            events in proptest::collection::vec((any::<bool>(), 0..8_u8), 0..60),
            cuts in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..12),
            order in Just((0..32_usize).collect::<Vec<_>>()).prop_shuffle(),
            limit in 1..=2_u32,
        ) {
            let events: Vec<(bool, bool)> =
                events.into_iter().map(|(guess, chance)| (guess, chance == 0)).collect();
            let mut divided = Divided::NONE;
            // Lanes and what each has still to do.
            let mut parts = vec![(0_usize, events.clone())];
            for (taker, (giver, at)) in cuts.into_iter().enumerate() {
                let giver = usize::from(giver) % parts.len();
                let at = usize::from(at) % (parts[giver].1.len() + 1);
                let rest = parts[giver].1.split_off(at);
                divided.divide(parts[giver].0, taker + 1);
                parts.push((taker + 1, rest));
            }
            let mut running: LaneSet = 0;
            parts.iter().for_each(|part| running |= 1 << part.0);
            let mut all = None;
            if parts.len() == 1 {
                all = Some(found(&parts[0].1, limit));
            }
            for lane in order {
                if parts.len() > 1 && running >> lane & 1 != 0 {
                    let ended = divided.end(lane, &found(&parts[lane].1, limit), limit);
                    running &= !(ended.needless | 1 << lane);
                    prop_assert_eq!(ended.all.is_some(), running == 0);
                    all = ended.all;
                }
            }
            let (all, expected) = (all.expect("ended"), found(&events, limit));
            prop_assert_eq!(all.solutions, expected.solutions);
            prop_assert_eq!(all.effort, expected.effort);
            let nodes_before = expected.at_first.nodes;
            prop_assert!(all.solutions == 0 || all.at_first.nodes == nodes_before);
        }
    }
}
