//! Bookkeeping of the searches that share work.

use super::run::EnteredPuzzle;

/// The index of a search.
pub(super) type SearchId = u16;

/// The state of the search for one puzzle.
#[derive(Clone, Copy)]
pub(super) struct SharedSearch {
    pub(super) entered: EnteredPuzzle,
    pub(super) solutions: u32,
    /// The guesses, above the low 16 bits. The low bits count the open alternatives, in lanes and
    /// on pages: at most one column of each page, some 2,000. Both are in one number, because each
    /// event of a lane waits for the update by the previous lane.
    counts: u64,
}

impl SharedSearch {
    /// Adds one guess and one open alternative.
    const BRANCH: u64 = 1 << 16 | 1;

    fn new(entered: EnteredPuzzle) -> Self {
        Self { entered, solutions: 0, counts: 1 }
    }

    pub(super) fn guesses(&self) -> u64 {
        self.counts >> 16
    }

    fn is_open(&self) -> bool {
        self.counts as u16 != 0
    }
}

/// All current searches.
pub(super) struct Searches {
    /// The searches, indexed by [`SearchId`].
    all: Vec<SharedSearch>,
    /// The unused indices.
    unused: Vec<SearchId>,
}

impl Searches {
    /// Reserves space for this many searches at a time.
    pub(super) fn new(most: usize) -> Self {
        Self { all: Vec::with_capacity(most), unused: Vec::with_capacity(most) }
    }

    /// Starts the search for a puzzle that has entered a lane.
    #[inline]
    pub(super) fn begin(&mut self, entered: EnteredPuzzle) -> SearchId {
        let search = SharedSearch::new(entered);
        if let Some(id) = self.unused.pop() {
            *self.of(id) = search;
            return id;
        }
        self.all.push(search);
        SearchId::try_from(self.all.len() - 1).expect("fewer searches than numbers")
    }

    #[inline]
    pub(super) fn of(&mut self, id: SearchId) -> &mut SharedSearch {
        &mut self.all[usize::from(id)]
    }

    /// Replaces an alternative with two.
    #[inline]
    pub(super) fn branch(&mut self, id: SearchId) {
        self.of(id).counts += SharedSearch::BRANCH;
    }

    /// Ends an alternative; returns whether it was the last one.
    #[inline]
    pub(super) fn end_alternative(&mut self, id: SearchId) -> bool {
        let search = self.of(id);
        search.counts -= 1;
        !search.is_open()
    }

    /// Removes a search.
    #[inline]
    pub(super) fn remove(&mut self, id: SearchId) -> SharedSearch {
        self.unused.push(id);
        let search = *self.of(id);
        self.of(id).counts = 0;
        search
    }

    /// Removes all searches; returns the first puzzle among them, if any.
    pub(super) fn discard(&mut self) -> Option<usize> {
        self.unused.clear();
        let open = self.all.drain(..).filter(SharedSearch::is_open);
        open.map(|search| search.entered.puzzle).min()
    }
}
