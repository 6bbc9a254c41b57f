//! The searches that are going on in lanes and on pages.

/// A search, by its number.
pub(super) type SearchId = u16;

/// What is known of the search of one puzzle.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// The puzzle's place in the batch.
    pub(super) puzzle: usize,
    pub(super) entered_ns: u64,
    pub(super) guesses: u64,
    pub(super) solutions: u32,
    /// The lanes that look at a side of it, and its sides on pages.
    open: u64,
}

/// All searches that are going on.
pub(super) struct Searches {
    /// By number; the first one is no search.
    all: Vec<Search>,
    /// Numbers that are free again.
    spare: Vec<SearchId>,
}

impl Searches {
    /// The number of no search, for lanes that have none; it never ends.
    pub(super) const NONE: SearchId = 0;

    /// Room for this many at once.
    pub(super) fn new(most: usize) -> Self {
        let none = Search { puzzle: 0, entered_ns: 0, guesses: 0, solutions: 0, open: u64::MAX };
        let mut all = Vec::with_capacity(1 + most);
        all.push(none);
        Self { all, spare: Vec::with_capacity(most) }
    }

    /// A puzzle has come into a lane.
    pub(super) fn begin(&mut self, puzzle: usize, entered_ns: u64) -> SearchId {
        let search = Search { puzzle, entered_ns, guesses: 0, solutions: 0, open: 1 };
        if let Some(id) = self.spare.pop() {
            self.all[usize::from(id)] = search;
            return id;
        }
        self.all.push(search);
        SearchId::try_from(self.all.len() - 1).expect("fewer searches than numbers")
    }

    /// The place in the batch of the puzzle that is searched.
    pub(super) fn puzzle(&self, id: SearchId) -> usize {
        self.all[usize::from(id)].puzzle
    }

    /// A solution has been found; how many that makes.
    pub(super) fn count_solution(&mut self, id: SearchId) -> u32 {
        let search = &mut self.all[usize::from(id)];
        search.solutions += 1;
        search.solutions
    }

    /// A side has become two.
    #[inline(always)]
    pub(super) fn branch(&mut self, id: SearchId) {
        let search = &mut self.all[usize::from(id)];
        search.guesses += 1;
        search.open += 1;
    }

    /// A side has been looked at; whether it was the last one.
    #[inline(always)]
    pub(super) fn end_side(&mut self, id: SearchId) -> bool {
        let search = &mut self.all[usize::from(id)];
        search.open -= 1;
        search.open == 0
    }

    /// Forgets a search.
    pub(super) fn remove(&mut self, id: SearchId) -> Search {
        self.spare.push(id);
        let search = &mut self.all[usize::from(id)];
        search.open = 0;
        *search
    }

    /// The first puzzle of those that are searched, if any is.
    pub(super) fn first_puzzle(&self) -> Option<usize> {
        let open = self.all[1..].iter().filter(|search| search.open > 0);
        open.map(|search| search.puzzle).min()
    }

    /// Forgets all searches.
    pub(super) fn clear(&mut self) {
        self.all.truncate(1);
        self.spare.clear();
    }
}
