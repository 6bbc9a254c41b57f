//! The numbers of puzzles by clues and by guesses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::output::{Rows, Timed};

/// The numbers of puzzles by clues and by guesses ([`Options::counts_statistics`]).
///
/// [`Options::counts_statistics`]: super::Options::counts_statistics
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// By the number of clues.
    pub clues: BTreeMap<usize, u64>,
    /// By the number of binary digits of the guesses: 0 for none, 1 for one, 2 for two or three, 3
    /// for four to seven, and so on.
    pub guesses: BTreeMap<u8, u64>,
}

impl Statistics {
    /// Counts the puzzles of a block.
    pub(super) fn of(rows: &Rows<'_>) -> Self {
        let (mut clues, mut bits) = ([0; 82], [0; 65]);
        let is_solved = rows.results.timed == Timed::Solutions;
        for row in rows.records() {
            if let (Some(marks), Ok(outcome)) = (row.marks(), row.outcome()) {
                clues[marks.clues().clues()] += 1;
                bits[(u64::BITS - outcome.guesses.leading_zeros()) as usize] +=
                    u64::from(is_solved);
            }
        }
        let counted = |counts: &[u64]| -> Vec<(usize, u64)> {
            counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
        };
        let guesses = counted(&bits).into_iter().map(|(bits, count)| (bits as u8, count));
        Self { clues: counted(&clues).into_iter().collect(), guesses: guesses.collect() }
    }

    /// Adds the numbers of a block.
    pub(super) fn add_all(&mut self, other: &Self) {
        fn add<K: Ord + Copy>(all: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
            other.iter().for_each(|(&key, count)| *all.entry(key).or_default() += count);
        }
        add(&mut self.clues, &other.clues);
        add(&mut self.guesses, &other.guesses);
    }
}
