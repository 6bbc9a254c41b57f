//! The number of puzzles with each number of clues and guesses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The requested counts of puzzles ([`Pipeline::tally`](super::Pipeline::tally)).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By the number of clues.
    pub clues: BTreeMap<usize, u64>,
    /// By the number of binary digits of the guesses: 0 for none, 1 for one, 2 for two or three, 3
    /// for four to seven, and so on.
    #[serde(default)]
    pub guesses: BTreeMap<u8, u64>,
}

impl Tally {
    pub(super) fn add_all(&mut self, other: &Self) {
        fn add<K: Ord + Copy>(all: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
            other.iter().for_each(|(&key, count)| *all.entry(key).or_default() += count);
        }
        add(&mut self.clues, &other.clues);
        add(&mut self.guesses, &other.guesses);
    }
}
