//! The set of puzzles seen before.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;

use twox_hash::XxHash3_128;

use crate::memory;
use crate::puzzle::Puzzle;

/// A small set of hashes of puzzles ([`Seen::hash`]).
pub(crate) type Hashes = HashSet<u128, BuildHasherDefault<IdentityHasher>>;

/// A set of puzzles, each as a hash of 128 bits.
///
/// A puzzle takes 20 to 39 bytes in the hash table, 2.4 GiB for 100 million. The chance that two of
/// `n` different puzzles have the same hash is about n² / 2¹²⁹: one in 10²² for 100 million.
///
/// ```
/// use bulkdoku::Puzzle;
/// use bulkdoku::sets::Seen;
///
/// let mut seen = Seen::default();
/// assert!(seen.insert(Seen::hash(&Puzzle::EMPTY))?);
/// assert!(!seen.insert(Seen::hash(&Puzzle::EMPTY))?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Seen {
    /// The hashes by their first byte. A table is in memory twice while it grows; with shards, only
    /// a 256th of the set is.
    shards: Vec<Hashes>,
    /// The size of the tables, if only [`Seen::insert_within`] is used.
    bytes: usize,
}

/// The size of a hash table for this many hashes: a power of two slots of 17 bytes, seven eighths
/// of which are used.
pub(super) fn table_bytes(room: usize) -> usize {
    if room == 0 { 0 } else { (room * 8).div_ceil(7).next_power_of_two().max(4) * 17 }
}

const SHARDS: usize = 256;

impl Default for Seen {
    fn default() -> Self {
        Self { shards: vec![HashSet::default(); SHARDS], bytes: 0 }
    }
}

impl Seen {
    /// The hash of a puzzle.
    pub fn hash(puzzle: &Puzzle) -> u128 {
        XxHash3_128::oneshot(puzzle.cells())
    }

    /// Adds a puzzle by its hash, unless the tables would take more than this many bytes while one
    /// of them grows, or more than there are; `None` if they would.
    pub fn insert_within(&mut self, hash: u128, most_bytes: usize) -> Option<bool> {
        let shard = &self.shards[(hash >> 120) as usize];
        if shard.len() == shard.capacity() && !shard.contains(&hash) {
            let larger = table_bytes(shard.capacity() + 1);
            if self.bytes + larger > most_bytes {
                return None;
            }
            self.bytes += larger - table_bytes(shard.capacity());
        }
        self.insert(hash).ok()
    }

    /// Adds a puzzle by its hash; returns `false` if it is already there.
    ///
    /// # Errors
    /// When the memory for it is not available.
    pub fn insert(&mut self, hash: u128) -> io::Result<bool> {
        let shard = &mut self.shards[(hash >> 120) as usize];
        if shard.len() == shard.capacity() {
            shard.try_reserve(1).map_err(|_| memory::exhausted())?;
            memory::check_after(table_bytes(shard.capacity()))?;
        }
        Ok(shard.insert(hash))
    }

    /// Whether a puzzle is there, by its hash.
    pub fn contains(&self, hash: u128) -> bool {
        self.shards[(hash >> 120) as usize].contains(&hash)
    }

    /// Removes all hashes and returns them in ascending order. The tables keep their memory.
    pub fn drain_sorted(&mut self) -> impl Iterator<Item = u128> {
        // The shards are in order, so only one at a time must be sorted.
        self.shards.iter_mut().flat_map(|shard| {
            let mut hashes: Vec<_> = shard.drain().collect();
            hashes.sort_unstable();
            hashes
        })
    }

    /// The number of puzzles.
    pub fn len(&self) -> usize {
        self.shards.iter().map(HashSet::len).sum()
    }

    /// Whether there are no puzzles.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(HashSet::is_empty)
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A hasher for hashes: it returns the lower half.
#[derive(Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("hashes are numbers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_puzzle_is_new_once() {
        let puzzles: Vec<_> = (0..81_u8)
            .flat_map(|cell| (0..10).map(move |digit| (cell, digit)))
            .map(|(cell, digit)| {
                let mut cells = [0; 81];
                cells[usize::from(cell)] = digit;
                Puzzle::from_cells(cells).unwrap()
            })
            .collect();
        let mut seen = Seen::default();
        let new = puzzles.iter().filter(|puzzle| seen.insert(Seen::hash(puzzle)).unwrap()).count();
        // All boards without a clue are the same puzzle.
        assert_eq!((new, seen.len()), (81 * 9 + 1, 81 * 9 + 1));
        assert!(puzzles.iter().all(|puzzle| !seen.insert(Seen::hash(puzzle)).unwrap()));
    }
}
