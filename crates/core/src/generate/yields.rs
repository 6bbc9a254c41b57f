//! How many of the drawn puzzles meet the requirements.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of puzzles drawn for rows, and the number of rows, of all generators that share it.
#[derive(Debug, Default)]
pub struct Yield {
    drawn: AtomicU64,
    rows: AtomicU64,
}

impl Yield {
    /// Counts drawn puzzles and rows.
    pub fn add(&self, drawn: u64, rows: u64) {
        self.drawn.fetch_add(drawn, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Returns the number of puzzles drawn, and the number of rows.
    pub fn counts(&self) -> (u64, u64) {
        (self.drawn.load(Ordering::Relaxed), self.rows.load(Ordering::Relaxed))
    }
}
