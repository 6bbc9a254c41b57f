//! Scores of answers: how much of a solution is right.

use crate::board::UNITS_OF;
use crate::puzzle::{CELLS, Grid, Puzzle};

/// How much of an answer to a puzzle is right, for rewards in reinforcement learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// The number of open cells of the puzzle with the right digit: the digit of the only solution.
    /// If there is not exactly one, all cells of an answer that solves the puzzle are right, and
    /// none of another. With wrong and blank cells, these are all open cells.
    pub correct: u8,
    /// The number of open cells with another digit.
    pub wrong: u8,
    /// The number of open cells without a digit.
    pub blank: u8,
    /// The number of clues that the answer keeps.
    pub clues_kept: u8,
    /// The number of rows, columns, and boxes in which the answer has a digit twice, up to 27.
    pub broken_units: u8,
    /// Whether the answer is a complete grid that keeps the clues and obeys the rules.
    pub solved: bool,
}

/// Scores an answer as written, in any form of a puzzle; `None` if it is not readable. A blank cell
/// breaks no rule.
///
/// `only` is the only solution, if it is known that there is exactly one.
///
/// ```
/// use bulkdoku_core::check::score;
///
/// let text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let puzzle = text.parse::<bulkdoku_core::Puzzle>()?;
/// let score = score(&puzzle, text.replacen('.', "1", 1).as_bytes(), puzzle.solve().as_ref()).unwrap();
/// assert_eq!((score.correct, score.wrong, score.blank, score.clues_kept), (0, 1, 50, 30));
/// # Ok::<(), bulkdoku_core::Malformed>(())
/// ```
pub fn score(puzzle: &Puzzle, answer: &[u8], only: Option<&Grid>) -> Option<Score> {
    let digits = *super::read(answer).ok()?.cells();
    let clues = puzzle.cells();
    let open = (CELLS - puzzle.clues()) as u8;
    let clues_kept = equal(clues, &digits);
    let correct = only.map_or(0, |grid| equal(grid.cells(), &digits));
    let is_kept = clues_kept + open == CELLS as u8;
    let is_only = usize::from(correct) == CELLS;
    let broken_units = if is_only { 0 } else { broken_units(&digits) };
    let solved = is_only || is_kept && broken_units == 0 && !digits.contains(&0);
    let is_blank = |(clue, digit): (&u8, &u8)| u8::from((*clue == 0) & (*digit == 0));
    let blank = clues.iter().zip(&digits).fold(0, |count, cell| count + is_blank(cell));
    // The only solution keeps the clues, so they are equal where the answer keeps them.
    let correct = if solved { open } else { correct.saturating_sub(clues_kept) };
    Some(Score { correct, wrong: open - correct - blank, blank, clues_kept, broken_units, solved })
}

/// Returns the number of cells with the same digit.
fn equal(a: &[u8; CELLS], b: &[u8; CELLS]) -> u8 {
    a.iter().zip(b).fold(0, |count, (a, b)| count + u8::from((a == b) & (*a != 0)))
}

fn broken_units(digits: &[u8; CELLS]) -> u8 {
    // Blanks are bit 0, which does not count.
    let (mut once, mut twice) = ([0_u16; 27], [0_u16; 27]);
    for (digit, units) in digits.iter().zip(&UNITS_OF) {
        for unit in units.map(usize::from) {
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

    /// Scores an answer: correct, wrong, and blank cells, clues kept, broken units, and solved.
    fn of(puzzle: &str, answer: &str, has_only: bool) -> (u8, u8, u8, u8, u8, bool) {
        let only = Grid(*SOLVED.parse::<Puzzle>().unwrap().cells());
        let Score { correct, wrong, blank, clues_kept, broken_units, solved } =
            score(&puzzle.parse().unwrap(), answer.as_bytes(), has_only.then_some(&only)).unwrap();
        (correct, wrong, blank, clues_kept, broken_units, solved)
    }

    #[test]
    fn open_cells_are_compared_with_the_only_solution() {
        assert_eq!(of(CLASSIC, SOLVED, true), (51, 0, 0, 30, 0, true));
        assert_eq!(of(CLASSIC, CLASSIC, true), (0, 0, 51, 30, 0, false));
        // r1c1, a clue, changes from 5 to 3, which r1, c1, and its box already have.
        assert_eq!(of(CLASSIC, &SOLVED.replacen('5', "3", 1), true), (51, 0, 0, 29, 3, false));
        assert_eq!(of(CLASSIC, &"x".repeat(81), true), (0, 0, 51, 0, 0, false));
        assert_eq!(of(CLASSIC, &"1".repeat(81), true), (6, 45, 0, 3, 27, false));
    }

    #[test]
    fn without_an_only_solution_all_cells_are_right_or_none() {
        let blank = ".".repeat(81);
        assert_eq!(of(&blank, SOLVED, false), (81, 0, 0, 0, 0, true));
        assert_eq!(of(&blank, &SOLVED.replacen('5', ".", 1), false), (0, 80, 1, 0, 0, false));
    }

    #[test]
    fn an_answer_has_any_form_of_a_puzzle_or_no_score() {
        let spaced: Vec<_> = SOLVED.chars().map(String::from).collect();
        assert_eq!(of(CLASSIC, &spaced.join(" "), true), (51, 0, 0, 30, 0, true));
        for answer in ["", &SOLVED[1..], &format!("{SOLVED}1"), "I give up"] {
            assert_eq!(score(&CLASSIC.parse().unwrap(), answer.as_bytes(), None), None);
        }
    }
}
