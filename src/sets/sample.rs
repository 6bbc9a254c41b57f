//! Random samples: records with the smallest random numbers, in all or in each stratum.

use std::collections::BinaryHeap;
use std::io;

use super::Strata;
use crate::isomorph::SeededRng;
use crate::memory;

/// A record in the order in which records are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedRecord {
    /// A random number.
    rank: u64,
    source: usize,
    line: u64,
}

impl RankedRecord {
    /// Returns a record by the index of its input and its line, with the random number that a seed
    /// determines.
    pub fn new(seed: u64, source: usize, line: u64) -> Self {
        Self { rank: SeededRng::sample_rank(seed, source, line), source, line }
    }
}

/// Draws records: in each stratum those with the smallest ranks.
///
/// A smaller sample with the same seed is part of a larger one. A drawn record takes 24 bytes.
///
/// ```
/// use bulkdoku::sets::{RankedRecord, Sampler, Strata};
///
/// let mut sampler = Sampler::new(10, Strata::new("strata"));
/// for line in 1..=1000 {
///     sampler.add(RankedRecord::new(42, 0, line), None)?;
/// }
/// let drawn = sampler.finish()?;
/// assert_eq!(drawn.len(), 10);
/// assert!(drawn.is_sorted());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Sampler {
    count: u64,
    strata: Strata,
    /// The records of each stratum drawn so far. The one with the largest rank is replaced next.
    drawn: Vec<BinaryHeap<RankedRecord>>,
}

impl Sampler {
    /// Creates a sampler that draws this many records of each stratum.
    pub fn new(count: u64, strata: Strata) -> Self {
        Self { count, strata, drawn: Vec::new() }
    }

    /// Adds a record, with the value that is its stratum, if there are strata.
    ///
    /// # Errors
    /// Fails if there are too many strata, or if there is too little memory.
    pub fn add(&mut self, record: RankedRecord, value: Option<Vec<u8>>) -> io::Result<()> {
        let stratum = value.map_or(Ok(0), |value| self.strata.number(value))? as usize;
        if stratum == self.drawn.len() {
            self.drawn.push(BinaryHeap::new());
        }
        let drawn = &mut self.drawn[stratum];
        if (drawn.len() as u64) < self.count {
            memory::reserve_in_heap(drawn)?;
            drawn.push(record);
        } else if let Some(mut largest) = drawn.peek_mut()
            && record < *largest
        {
            *largest = record;
        }
        Ok(())
    }

    /// Returns the values of the strata, each with the number of its records drawn so far.
    pub fn strata(&self) -> impl Iterator<Item = (&[u8], usize)> {
        self.strata.iter().map(|(value, stratum)| (value, self.drawn[stratum as usize].len()))
    }

    /// Returns the sample: the indices of inputs and the lines of its records, in their order.
    ///
    /// # Errors
    /// Fails if there is too little memory.
    pub fn finish(self) -> io::Result<Vec<(usize, u64)>> {
        let mut places = Vec::new();
        memory::reserve(&mut places, self.drawn.iter().map(BinaryHeap::len).sum())?;
        places.extend(self.drawn.into_iter().flatten().map(|record| (record.source, record.line)));
        places.sort_unstable();
        Ok(places)
    }
}
