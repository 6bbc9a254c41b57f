//! What the puzzles of a run are: how many have each number of clues, each level, how many guesses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::block::Block;
use super::worker::Worker;
use crate::input::PuzzleRef;
use crate::rating::Level;

/// Which of them are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedTally {
    /// Numbers of clues.
    pub clues: bool,
    /// Guesses, where an engine is asked.
    pub guesses: bool,
    /// Levels.
    pub levels: bool,
}

/// How many puzzles have each number of clues, each level and how many guesses, as far as that is
/// counted ([`Pipeline::tally`](super::Pipeline::tally)).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By the number of clues.
    pub clues: BTreeMap<usize, u64>,
    /// By the number of the level.
    pub levels: BTreeMap<u8, u64>,
    /// By the number of binary digits of the guesses: 0 for none, 1 for one, 2 for two or three, 3
    /// for four to seven.
    #[serde(default)]
    pub guesses: BTreeMap<u8, u64>,
}

impl Tally {
    pub(super) fn add_all(&mut self, other: &Self) {
        fn add<K: Ord + Copy>(all: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
            other.iter().for_each(|(&key, count)| *all.entry(key).or_default() += count);
        }
        add(&mut self.clues, &other.clues);
        add(&mut self.levels, &other.levels);
        add(&mut self.guesses, &other.guesses);
    }
}

impl Worker<'_> {
    /// Counts what is wanted of the records of a judged block.
    pub(super) fn tally(&self, block: &mut Block) {
        let wanted = self.pipeline.tally;
        block.tally = Tally::default();
        if wanted == WantedTally::default() {
            return;
        }
        let guesses = wanted.guesses && self.pipeline.asks_engine();
        let (mut clues, mut bits) = ([0; 82], [0; 65]);
        let given = self.records.all.iter().filter_map(|record| record.puzzle.ok());
        for given in given {
            if guesses {
                let outcome = self.outcomes.of(given);
                bits[(u64::BITS - outcome.guesses.leading_zeros()) as usize] += 1;
            }
            if wanted.clues {
                let count = match given {
                    PuzzleRef::Puzzle(place) => self.records.puzzles[place as usize].clues(),
                    PuzzleRef::Marks(place) => self.records.marks[place as usize].clues().clues(),
                };
                clues[count] += 1;
            }
            if wanted.levels {
                let level = Level::of_marks(&self.records.as_marks(given));
                *block.tally.levels.entry(level.number()).or_default() += 1;
            }
        }
        let counted = |counts: &[u64]| -> Vec<(usize, u64)> {
            counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
        };
        block.tally.clues = counted(&clues).into_iter().collect();
        block.tally.guesses =
            counted(&bits).into_iter().map(|(bits, count)| (bits as u8, count)).collect();
    }
}
