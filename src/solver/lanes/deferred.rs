//! Puzzles whose search has ended early, to be done in another way.

/// A puzzle that is still to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeferredPuzzle {
    /// Its place in the batch.
    pub(super) puzzle: usize,
    pub(super) entered_ns: u64,
}

/// The deferred puzzles of a part of a batch, up to a bound.
#[derive(Default)]
pub(super) struct Deferred(Vec<DeferredPuzzle>);

impl Deferred {
    /// At this many the part of the batch should end.
    const MANY: usize = 256;

    /// Room for what is deferred until there are many, and until all searches of that time, and of
    /// an entry block, have ended.
    pub(super) fn new(searches: usize) -> Self {
        Self(Vec::with_capacity(Self::MANY + searches + 32))
    }

    pub(super) fn push(&mut self, puzzle: usize, entered_ns: u64) {
        self.0.push(DeferredPuzzle { puzzle, entered_ns });
    }

    /// Whether no more puzzles should enter.
    pub(super) fn are_many(&self) -> bool {
        self.0.len() >= Self::MANY
    }

    /// The first puzzle in the order of the batch, if there is any.
    pub(super) fn first(&self) -> Option<usize> {
        self.0.iter().map(|entry| entry.puzzle).min()
    }

    /// In the order of the batch.
    pub(super) fn in_order(&mut self) -> &[DeferredPuzzle] {
        self.0.sort_unstable();
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
