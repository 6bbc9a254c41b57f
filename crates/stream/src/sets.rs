//! Sets of puzzles: which records are the same, and in which part of a set each of them is.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, ErrorKind};

use twox_hash::XxHash3_128;

use crate::output::{Decision, Needs, Row};
use bulkdoku_core::{Puzzle, Status};

/// The criterion by which two puzzles are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They have the same clues in the same cells.
    Puzzle,
    /// They are isomorphic.
    Class,
    /// Each has exactly one solution, and these solutions are isomorphic.
    Grid,
}

impl Sameness {
    /// Returns the properties that [`Sameness::representative`] reads.
    pub const fn needs(self) -> Needs {
        match self {
            Self::Class => Needs::FORM,
            Self::Puzzle => Needs::NONE,
            Self::Grid => Needs::GRID,
        }
    }

    /// Returns a puzzle that is equal for all puzzles that are the same. Returns `None` if the record
    /// is malformed or contradictory, has pencil marks that clues cannot express, or has no such
    /// grid.
    pub fn representative(self, row: &Row<'_>) -> Option<Puzzle> {
        match self {
            Self::Class => row.properties().form.map(|canonical| canonical.form),
            Self::Puzzle => row.puzzle().filter(|_| row.status() != Status::Contradictory),
            Self::Grid => row.properties().grid.map(Puzzle::from),
        }
    }

    /// Returns the hash of that puzzle, for a [`Seen`].
    pub fn hash(self, row: &Row<'_>) -> Option<u128> {
        self.representative(row).map(|puzzle| Seen::hash(&puzzle))
    }
}

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

/// A division of all puzzles into parts. Each part is a range of hashes, so the part of a puzzle
/// depends on the seed and the shares alone, whatever else is in a set.
///
/// ```
/// use bulkdoku_core::Puzzle;
/// use bulkdoku_stream::sets::{Sameness, Split};
///
/// let split = Split::new(&[80.0, 20.0], Sameness::Puzzle, 1);
/// let larger = Split::new(&[90.0, 10.0], Sameness::Puzzle, 1);
/// let part = split.part(&Puzzle::EMPTY);
/// assert!(part < 2);
/// assert!(larger.part(&Puzzle::EMPTY) <= part); // the first part has what it had before, and more
/// ```
#[derive(Clone, Debug)]
pub struct Split {
    by: Sameness,
    seed: u64,
    /// The first hash of each part except the first.
    firsts: Vec<u128>,
}

impl Split {
    /// Creates a division into parts of these relative sizes. Puzzles that are the same by the
    /// criterion are in the same part.
    ///
    /// # Panics
    /// Panics unless there are 1 to 256 shares.
    pub fn new(shares: &[f64], by: Sameness, seed: u64) -> Self {
        assert!((1..=256).contains(&shares.len()), "a split has 1 to 256 parts");
        let sum: f64 = shares.iter().sum();
        let mut before = 0.0;
        let first = |share: &f64| {
            before += share;
            // Conversions of numbers that are too large return the largest hash.
            (before / sum * 2_f64.powi(128)) as u128
        };
        Self { by, seed, firsts: shares[..shares.len() - 1].iter().map(first).collect() }
    }

    /// Returns the part of a puzzle that represents all puzzles that are the same
    /// ([`Sameness::representative`]).
    pub fn part(&self, representative: &Puzzle) -> u8 {
        let hash = XxHash3_128::oneshot_with_seed(self.seed, representative.cells());
        self.firsts.partition_point(|first| *first <= hash) as u8
    }

    /// Returns the part of a record. Records without a representative are in none.
    pub fn decide(&self, row: &Row<'_>) -> Decision {
        let representative = self.by.representative(row);
        representative.map_or(Decision::Drop, |puzzle| Decision::To(self.part(&puzzle)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bulkdoku_core::puzzle::CLASSIC;

    /// Compares with the highest bytes of the hashes that `xxhash.xxh3_128` of Python returns.
    #[test]
    fn hashes_are_those_of_other_implementations() {
        let classic: Puzzle = CLASSIC.parse().unwrap();
        let split = Split::new(&[1.0; 256], Sameness::Puzzle, 42);
        assert_eq!([split.part(&classic), split.part(&Puzzle::EMPTY)], [0xAB, 0x38]);
    }
}
