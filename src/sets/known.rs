//! A set of puzzles for membership tests, in memory or on disk.

use std::io;

use super::seen::Seen;
use super::sort::ExternalSort;
use super::sorted::Sorted;
use crate::temporary::in_folder;

/// Collects the hashes of a set of puzzles ([`Seen::hash`]).
///
/// In memory each puzzle takes 20 to 39 bytes, as in [`Seen`]. At a limit, or if the operating system
/// provides no more memory, the hashes are written, sorted, to an unnamed temporary file in the folder
/// `TMPDIR`, 24 bytes each. At the end these files are merged, to 16 bytes each.
///
/// ```
/// use bulkdoku::Puzzle;
/// use bulkdoku::sets::{Collector, Seen};
///
/// let mut collector = Collector::new(None);
/// collector.insert(Seen::hash(&Puzzle::EMPTY))?;
/// let known = collector.finish()?;
/// assert_eq!(known.len(), 1);
/// assert!(known.contains(Seen::hash(&Puzzle::EMPTY))?);
/// assert!(!known.contains(Seen::hash(&"1".repeat(81).parse().unwrap()))?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Collector {
    seen: Seen,
    most_bytes: Option<usize>,
    spilled: ExternalSort,
}

impl Collector {
    /// An empty collector that takes at most this many bytes of memory.
    pub fn new(most_bytes: Option<usize>) -> Self {
        Self { seen: Seen::default(), most_bytes, spilled: ExternalSort::default() }
    }

    /// Adds a puzzle by its hash.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn insert(&mut self, hash: u128) -> io::Result<()> {
        let most = self.most_bytes.unwrap_or(usize::MAX);
        if self.seen.insert_within(hash, most).is_none() {
            self.spill()?;
            // One hash is kept even if the limit is too small for it.
            if self.seen.insert_within(hash, most).is_none() {
                self.seen.insert(hash)?;
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.spilled.push_file(self.seen.drain_sorted().map(u128::to_be_bytes))
    }

    /// The set of all collected puzzles.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub fn finish(mut self) -> io::Result<Known> {
        if self.spilled.is_empty() {
            return Ok(Known::InMemory(self.seen));
        }
        self.spill()?;
        // Frees its memory for the merge.
        drop(self.seen);
        Ok(Known::OnDisk(Sorted::of(self.spilled)?))
    }
}

/// A set of puzzles for membership tests.
#[derive(Debug)]
pub enum Known {
    /// All hashes are in memory.
    InMemory(Seen),
    /// The hashes are in a sorted file. A test reads 4 KiB.
    OnDisk(Sorted),
}

impl Known {
    /// Whether a puzzle is in the set, by its hash. The chance of a false positive is the size of
    /// the set in 2¹²⁸.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn contains(&self, hash: u128) -> io::Result<bool> {
        match self {
            Self::InMemory(seen) => Ok(seen.contains(hash)),
            Self::OnDisk(sorted) => sorted.contains(hash).map_err(in_folder),
        }
    }

    /// The number of different puzzles.
    pub fn len(&self) -> u64 {
        match self {
            Self::InMemory(seen) => seen.len() as u64,
            Self::OnDisk(sorted) => sorted.len(),
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::isomorph::{Permutation, SeededRng};
    use crate::puzzle::CLASSIC;

    #[test]
    fn sets_on_disk_hold_what_sets_in_memory_hold() {
        let puzzle = CLASSIC.parse::<crate::Puzzle>().unwrap();
        let mut rng = SeededRng::new(11);
        let mut hash = || Seen::hash(&Permutation::random(&mut rng).puzzle(&puzzle));
        let (inside, outside): (Vec<_>, Vec<_>) = (0..5000).map(|_| (hash(), hash())).unzip();
        let different: HashSet<_> = inside.iter().collect();
        for most_bytes in [None, Some(1 << 20), Some(100_000), Some(20_000), Some(0)] {
            let mut collector = Collector::new(most_bytes);
            // Most hashes occur twice, in different files.
            let all = if most_bytes == Some(0) { &inside[..100] } else { &inside[..] };
            for &hash in all.iter().chain(&all[all.len() / 2..]) {
                collector.insert(hash).unwrap();
            }
            let is_spilled = !collector.spilled.is_empty();
            let known = collector.finish().unwrap();
            assert_eq!(matches!(known, Known::OnDisk(_)), is_spilled);
            assert_eq!(is_spilled, most_bytes.is_some_and(|most| most < 1 << 20));
            if most_bytes != Some(0) {
                assert_eq!(known.len(), different.len() as u64);
            }
            assert!(all.iter().all(|&hash| known.contains(hash).unwrap()));
            assert!(!outside.iter().any(|&hash| known.contains(hash).unwrap()));
            assert!(!known.contains(0).unwrap() && !known.contains(u128::MAX).unwrap());
        }
    }
}
