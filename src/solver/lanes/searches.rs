//! The current searches in lanes and on pages.

use super::run::Entry;

/// A search, by its number.
pub(super) type SearchId = u16;

/// State of the search of one puzzle.
#[derive(Clone, Copy)]
pub(super) struct Search {
    pub(super) entered: Entry,
    pub(super) solutions: u32,
    /// Above the low 16 bits the guesses; in these the lanes that search an alternative of it, and its alternatives on
    /// pages: a column of each page at most, some 2,000. In one number, because each event of a lane
    /// waits for that of the lane before.
    counts: u64,
}

impl Search {
    /// A guess, and one more open alternative.
    const BRANCH: u64 = 1 << 16 | 1;

    fn new(entered: Entry) -> Self {
        Self { entered, solutions: 0, counts: 1 }
    }

    pub(super) fn guesses(&self) -> u64 {
        self.counts >> 16
    }

    fn is_open(&self) -> bool {
        self.counts as u16 != 0
    }
}

/// All searches that are going on.
pub(super) struct Searches {
    /// By number.
    all: Vec<Search>,
    /// Numbers that are free again.
    spare: Vec<SearchId>,
}

impl Searches {
    /// Room for this many at once.
    pub(super) fn new(most: usize) -> Self {
        Self { all: Vec::with_capacity(most), spare: Vec::with_capacity(most) }
    }

    /// A puzzle has come into a lane.
    #[inline]
    pub(super) fn begin(&mut self, entered: Entry) -> SearchId {
        let search = Search::new(entered);
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

    /// Replaces an alternative with two.
    #[inline]
    pub(super) fn branch(&mut self, id: SearchId) {
        self.of(id).counts += Search::BRANCH;
    }

    /// Ends an alternative; returns whether it was the last one.
    #[inline]
    pub(super) fn end_alternative(&mut self, id: SearchId) -> bool {
        let search = self.of(id);
        search.counts -= 1;
        !search.is_open()
    }

    /// Forgets a search.
    #[inline]
    pub(super) fn remove(&mut self, id: SearchId) -> Search {
        self.spare.push(id);
        let search = *self.of(id);
        self.of(id).counts = 0;
        search
    }

    /// Forgets all searches; returns the first puzzle of those that are searched, if any is.
    pub(super) fn abandon(&mut self) -> Option<usize> {
        self.spare.clear();
        let open = self.all.drain(..).filter(Search::is_open);
        open.map(|search| search.entered.puzzle).min()
    }
}
