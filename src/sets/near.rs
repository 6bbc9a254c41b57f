//! Puzzles that differ by a few clues.

use super::Seen;
use crate::puzzle::{CELLS, Puzzle};

/// Returns the hashes of the canonical forms of a puzzle with up to `removed` clues removed, first
/// that of the puzzle itself. Two puzzles are in the same class after removing up to that many clues
/// from each if and only if they have such a hash in common.
///
/// A puzzle of n clues has 1 + n of them for one clue, 1 + n + n (n - 1) / 2 for two. Each takes as
/// long as a canonical form. Contradictory puzzles have none.
pub fn near_hashes(puzzle: &Puzzle, removed: usize) -> Vec<u128> {
    let (mut puzzle, mut hashes) = (*puzzle, Vec::new());
    add(&mut puzzle, 0, removed, &mut hashes);
    hashes
}

/// Adds the hash of a puzzle, and of those with clues removed from `first` on.
fn add(puzzle: &mut Puzzle, first: usize, removed: usize, hashes: &mut Vec<u128>) {
    let Ok(canonical) = puzzle.canonical() else { return };
    hashes.push(Seen::hash(&canonical.form));
    if removed == 0 {
        return;
    }
    for cell in first..CELLS {
        let clue = puzzle.cells()[cell];
        if clue != 0 {
            puzzle.cells_mut()[cell] = 0;
            add(puzzle, cell + 1, removed - 1, hashes);
            puzzle.cells_mut()[cell] = clue;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::puzzle::CLASSIC;

    #[test]
    fn each_set_of_clues_is_removed_once() {
        let puzzle: Puzzle = CLASSIC.parse().unwrap();
        let clues = puzzle.clues();
        for (removed, count) in [(0, 1), (1, 1 + clues), (2, 1 + clues + clues * (clues - 1) / 2)] {
            let hashes = near_hashes(&puzzle, removed);
            assert_eq!(hashes.len(), count);
            // Only a few of them are isomorphic.
            let different = hashes.iter().collect::<HashSet<_>>().len();
            assert!(10 * different > 9 * count, "{different} of {count}");
        }
    }
}
