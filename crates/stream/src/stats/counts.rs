//! Counts of records by status, and of other lines.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use bulkdoku_core::Status;

/// The numbers of records and other lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub(crate) by_status: [u64; Status::ALL.len()],
    /// Lines with only white space.
    pub blank_lines: u64,
    /// Lines that start with `#`.
    pub comments: u64,
    /// Records with a typographic ellipsis among their cells, which is parsed as three dots.
    #[serde(default)]
    pub dotted: u64,
}

impl Counts {
    /// Adds records with this status.
    pub fn add(&mut self, status: Status, records: usize) {
        self.by_status[status as usize] += records as u64;
    }

    /// Returns the number of records with this status.
    pub fn of(&self, status: Status) -> u64 {
        self.by_status[status as usize]
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.by_status.iter().sum()
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        for (mine, theirs) in self.by_status.iter_mut().zip(other.by_status) {
            *mine += theirs;
        }
        self.blank_lines += other.blank_lines;
        self.comments += other.comments;
        self.dotted += other.dotted;
    }
}
