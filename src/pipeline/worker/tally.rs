//! Counts the puzzles of a block by clues, level and guesses.

use super::Worker;
use crate::input::PuzzleRef;
use crate::pipeline::block::Block;
use crate::pipeline::requested::RequestedTally;
use crate::pipeline::tally::Tally;

impl Worker<'_> {
    /// Makes the requested counts of a block.
    pub(super) fn tally(&self, block: &mut Block) {
        let requested = self.pipeline.tally;
        block.tally = Tally::default();
        if requested == RequestedTally::default() {
            return;
        }
        let guesses = requested.guesses && self.pipeline.uses_engine();
        let (mut clues, mut bits) = ([0; 82], [0; 65]);
        let given = self.records.all.iter().filter_map(|record| record.puzzle.ok());
        for given in given {
            if guesses {
                let outcome = self.outcomes.of(given);
                bits[(u64::BITS - outcome.guesses.leading_zeros()) as usize] += 1;
            }
            if requested.clues {
                let count = match given {
                    PuzzleRef::Puzzle(place) => self.records.puzzles[place as usize].clues(),
                    PuzzleRef::Marks(place) => self.records.marks[place as usize].clues().clues(),
                };
                clues[count] += 1;
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
