//! A set of puzzles in memory.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, ErrorKind};

use twox_hash::XxHash3_128;

use bulkdoku_core::Puzzle;

/// A small set of hashes of puzzles ([`Seen::hash`]).
pub(crate) type Hashes = HashSet<u128, BuildHasherDefault<IdentityHasher>>;

/// A set of puzzles, each as a hash of 128 bits.
///
/// A puzzle takes 20 to 39 bytes in the hash table, 2.4 GiB for 100 million. The chance that two of
/// `n` different puzzles have the same hash is about n² / 2¹²⁹: one in 10²² for 100 million.
///
/// ```
/// use bulkdoku_core::Puzzle;
/// use bulkdoku_stream::sets::Seen;
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
}

const SHARDS: usize = 256;

impl Default for Seen {
    fn default() -> Self {
        Self { shards: vec![HashSet::default(); SHARDS] }
    }
}

impl Seen {
    /// Returns the hash of a puzzle.
    pub fn hash(puzzle: &Puzzle) -> u128 {
        XxHash3_128::oneshot(puzzle.cells())
    }

    /// Adds a puzzle by its hash; returns whether it is new.
    ///
    /// # Errors
    /// Fails if the operating system does not provide the memory.
    pub fn insert(&mut self, hash: u128) -> io::Result<bool> {
        let shard = &mut self.shards[(hash >> 120) as usize];
        if shard.len() == shard.capacity() {
            shard.try_reserve(1).map_err(|_| {
                io::Error::new(ErrorKind::OutOfMemory, "not enough memory for the set of puzzles")
            })?;
        }
        Ok(shard.insert(hash))
    }

    /// Returns whether a puzzle with this hash is in the set.
    pub fn contains(&self, hash: u128) -> bool {
        self.shards[(hash >> 120) as usize].contains(&hash)
    }

    /// Returns the number of puzzles.
    pub fn len(&self) -> usize {
        self.shards.iter().map(HashSet::len).sum()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(HashSet::is_empty)
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
