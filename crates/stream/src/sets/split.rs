//! Divides records into parts, without separating records that are the same.

use twox_hash::XxHash3_128;

use super::Sameness;
use crate::output::{Decision, Row};
use bulkdoku_core::Puzzle;

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
