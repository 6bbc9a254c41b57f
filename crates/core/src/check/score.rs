//! Scores of answers: how much of a solution is right.

use crate::puzzle::{CELLS, Grid, Puzzle, ROW_COLUMN_BOX};

/// How much of an answer to a puzzle is right, for rewards in reinforcement learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// The number of cells with the right digit, up to 81: the digit of the only solution. If there
    /// is not exactly one, all cells of an answer that solves the puzzle are right, and none of
    /// another.
    pub correct: u8,
    /// The number of clues that the answer keeps.
    pub clues_kept: u8,
    /// The number of rows, columns, and boxes in which the answer has a digit twice, up to 27.
    pub rules_broken: u8,
    /// Whether the answer is a complete grid that keeps the clues and obeys the rules.
    pub solved: bool,
}

/// Scores an answer as written, in any form of a puzzle; `None` if it is not readable. A blank cell
/// is wrong and breaks no rule.
///
/// `only` is the only solution, if it is known that there is exactly one. A malformed puzzle is
/// `None`.
///
/// ```
/// use bulkdoku_core::check::score;
///
/// let text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle = text.parse::<bulkdoku_core::Puzzle>()?;
/// let score = score(Some(&puzzle), text.as_bytes(), puzzle.solve().as_ref()).unwrap();
/// assert_eq!((score.correct, score.clues_kept, score.rules_broken, score.solved), (30, 30, 0, false));
/// # Ok::<(), bulkdoku_core::Malformed>(())
/// ```
pub fn score(puzzle: Option<&Puzzle>, answer: &[u8], only: Option<&Grid>) -> Option<Score> {
    let digits = *super::read(answer).ok()?.cells();
    let clues = puzzle.map_or([0; CELLS], |puzzle| *puzzle.cells());
    let clues_kept = equal(&clues, &digits);
    let correct = only.map_or(0, |grid| equal(grid.cells(), &digits));
    if usize::from(correct) == CELLS {
        return Some(Score { correct, clues_kept, rules_broken: 0, solved: true });
    }
    let rules_broken = rules_broken(&digits);
    let solved = puzzle.is_some_and(|puzzle| usize::from(clues_kept) == puzzle.clues())
        && rules_broken == 0
        && !digits.contains(&0);
    let correct = if solved { CELLS as u8 } else { correct };
    Some(Score { correct, clues_kept, rules_broken, solved })
}

/// Returns the number of cells with the same digit.
fn equal(a: &[u8; CELLS], b: &[u8; CELLS]) -> u8 {
    a.iter().zip(b).fold(0, |count, (a, b)| count + u8::from((a == b) & (*a != 0)))
}

fn rules_broken(digits: &[u8; CELLS]) -> u8 {
    // Blanks are bit 0, which does not count.
    let (mut once, mut twice) = ([0_u16; 27], [0_u16; 27]);
    for (digit, units) in digits.iter().zip(&ROW_COLUMN_BOX) {
        for (kind, unit) in (0..).zip(units) {
            let unit = 9 * kind + usize::from(*unit);
            twice[unit] |= once[unit] & 1 << digit;
            once[unit] |= 1 << digit;
        }
    }
    twice.iter().fold(0, |count, twice| count + u8::from(twice & !1 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CLASSIC, SOLVED};

    fn of(puzzle: &str, answer: &str, has_only: bool) -> (u8, u8, u8, bool) {
        let only = Grid(*SOLVED.parse::<Puzzle>().unwrap().cells());
        let puzzle = puzzle.parse().ok();
        let Score { correct, clues_kept, rules_broken, solved } =
            score(puzzle.as_ref(), answer.as_bytes(), has_only.then_some(&only)).unwrap();
        (correct, clues_kept, rules_broken, solved)
    }

    #[test]
    fn cells_are_compared_with_the_only_solution() {
        assert_eq!(of(CLASSIC, SOLVED, true), (81, 30, 0, true));
        assert_eq!(of(CLASSIC, CLASSIC, true), (30, 30, 0, false));
        // r1c1 changes from 5 to 3, which r1, c1, and its box already have.
        assert_eq!(of(CLASSIC, &SOLVED.replacen('5', "3", 1), true), (80, 29, 3, false));
        assert_eq!(of(CLASSIC, &"x".repeat(81), true), (0, 0, 0, false));
        assert_eq!(of(CLASSIC, &"1".repeat(81), true), (9, 3, 27, false));
    }

    #[test]
    fn without_an_only_solution_all_cells_are_right_or_none() {
        assert_eq!(of(&".".repeat(81), SOLVED, false), (81, 0, 0, true));
        assert_eq!(of(&".".repeat(81), &SOLVED.replacen('5', ".", 1), false), (0, 0, 0, false));
        assert_eq!(of("not a puzzle", SOLVED, false), (0, 0, 0, false));
    }

    #[test]
    fn an_answer_has_any_form_of_a_puzzle_or_no_score() {
        let spaced: Vec<_> = SOLVED.chars().map(String::from).collect();
        assert_eq!(of(CLASSIC, &spaced.join(" "), true), (81, 30, 0, true));
        for answer in ["", &SOLVED[1..], &format!("{SOLVED}1"), "I give up"] {
            assert_eq!(score(None, answer.as_bytes(), None), None);
        }
    }
}
