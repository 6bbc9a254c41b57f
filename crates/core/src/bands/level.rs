//! Levels: the rules that a puzzle needs.

use super::Bands;
use crate::puzzle::Puzzle;

/// The rules that solve a puzzle. Each level includes the rules of the levels before it.
///
/// A level below [`Level::Beyond`] proves that the puzzle has exactly one solution, and the
/// engine `lanes` then needs no guess. It has one more rule, so it also proves some puzzles beyond
/// them without a guess.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::Puzzle;
/// use bulkdoku::bands::Level;
///
/// let easy: Puzzle =
///     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let hard: Puzzle =
///     "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..".parse()?;
/// assert_eq!(Level::of(&easy), Level::NakedSingles);
/// assert_eq!(Level::of(&hard), Level::Beyond);
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// A cell with one candidate left has that digit.
    NakedSingles,
    /// The only cell of a unit that can have a digit has it.
    HiddenSingles,
    /// If all places of a digit in a row or box are in one minirow, the digit is removed from the
    /// rest of the other unit. The same rules apply to columns.
    LockedCandidates,
    /// These rules are not enough. This includes every puzzle with several solutions or none.
    Beyond,
}

impl Level {
    /// Returns the level of a puzzle, which is the same for all its isomorphs.
    pub fn of(puzzle: &Puzzle) -> Self {
        let mut bands = Bands::of(puzzle);
        match bands.deduce(Self::LockedCandidates) {
            Ok(level) if bands.is_full() => level,
            _ => Self::Beyond,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::BUNDLED;
    use crate::isomorph::{Permutation, SeededRng};
    use crate::solver::{Limits, Outcome, solve_batch};

    /// Returns the first puzzles of each bundled set.
    fn puzzles() -> Vec<Puzzle> {
        let first = |text: &str| text.lines().take(300).map(|line| line.parse().unwrap()).collect();
        BUNDLED.iter().map(|set| set.text).flat_map(|text| -> Vec<Puzzle> { first(text) }).collect()
    }

    #[test]
    fn levels_agree_with_engines() {
        let puzzles = puzzles();
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        solve_batch(&puzzles, Limits::PROOF, &mut outcomes);
        let (mut seen, mut without_guess) = ([0; 4], 0);
        for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
            let level = Level::of(puzzle);
            let is_easy = outcome.solutions == 1 && outcome.guesses == 0;
            assert!(level == Level::Beyond || is_easy, "{puzzle}");
            without_guess += usize::from(is_easy && level == Level::Beyond);
            seen[level as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
        // The engine has one more rule.
        assert!((1..seen[3] / 20).contains(&without_guess), "{without_guess}");
    }

    #[test]
    fn isomorphs_have_the_same_level() {
        for (seed, puzzle) in puzzles().iter().enumerate() {
            let permuted = Permutation::random(&mut SeededRng::new(seed as u64)).puzzle(puzzle);
            assert_eq!(Level::of(&permuted), Level::of(puzzle), "{puzzle}");
        }
    }
}
