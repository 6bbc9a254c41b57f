//! The searches that are going on in lanes and on pages.

use super::run::Entered;

/// A search, by its number.
pub(super) type SearchId = u16;

/// What is known of the search of one puzzle.
#[derive(Clone, Copy)]
pub(super) struct Search {
    pub(super) entered: Entered,
    pub(super) guesses: u64,
    pub(super) solutions: u32,
    /// The lanes that look at a side of it, and its sides on pages. (Not as wide as the guesses: both
    /// would be loaded at once, just after one of them was stored, which makes the processor wait.)
    pub(super) open: u32,
}

/// All searches that are going on.
pub(super) struct Searches {
    /// By number; the first one is no search.
    all: Vec<Search>,
    /// Numbers that are free again.
    spare: Vec<SearchId>,
}

impl Searches {
    /// The number of no search, for lanes that have none.
    pub(super) const NONE: SearchId = 0;

    /// Room for this many at once.
    pub(super) fn new(most: usize) -> Self {
        let entered = Entered::default();
        let mut all = Vec::with_capacity(1 + most);
        all.push(Search { entered, guesses: 0, solutions: 0, open: 0 });
        Self { all, spare: Vec::with_capacity(most) }
    }

    /// A puzzle has come into a lane.
    #[inline]
    pub(super) fn begin(&mut self, entered: Entered) -> SearchId {
        let search = Search { entered, guesses: 0, solutions: 0, open: 1 };
        if let Some(id) = self.spare.pop() {
            *self.of(id) = search;
            return id;
        }
        self.all.push(search);
        SearchId::try_from(self.all.len() - 1).expect("fewer searches than numbers")
    }

    #[inline]
    pub(super) fn of(&mut self, id: SearchId) -> &mut Search {
        &mut self.all[usize::from(id)]
    }

    /// A side has become two.
    #[inline]
    pub(super) fn branch(&mut self, id: SearchId) {
        let search = self.of(id);
        search.guesses += 1;
        search.open += 1;
    }

    /// A side has been looked at; whether it was the last one.
    #[inline]
    pub(super) fn end_side(&mut self, id: SearchId) -> bool {
        let search = self.of(id);
        search.open -= 1;
        search.open == 0
    }

    /// Forgets a search.
    #[inline]
    pub(super) fn remove(&mut self, id: SearchId) -> Search {
        self.spare.push(id);
        self.of(id).open = 0;
        *self.of(id)
    }

    /// Forgets all searches; returns the first puzzle of those that are searched, if any is.
    pub(super) fn forget_all(&mut self) -> Option<usize> {
        self.spare.clear();
        let open = self.all.drain(1..).filter(|search| search.open > 0);
        open.map(|search| search.entered.puzzle).min()
    }
}
