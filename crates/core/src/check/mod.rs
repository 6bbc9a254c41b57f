//! Checks the input's solutions, which are called `answer` in code.
//!
//! The input's solution is right if it is a complete grid, keeps the clues, obeys the rules, and is
//! the puzzle's only solution. The grid alone shows the first three: [`solves`] checks them
//! quickly, and [`compare`] returns what is wrong. The last one needs an engine, whose outcome
//! [`judge`] compares. So a right solution in the input also checks the engine, which must find the
//! same grid.

mod mismatch;
mod score;

use crate::simd::vectors::{Simd, SimdBase, SimdMask, dispatch};

pub use mismatch::Mismatch;
pub use score::{Score, score};

use crate::forms;
use crate::marks::Marks;
use crate::puzzle::{CELLS, Grid, Malformed, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::{Limits, Outcome};
use crate::status::Status;
use crate::text::{Line, windows};

/// Returns whether the input's solution is a complete grid, keeps every clue, and obeys the rules.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::{Puzzle, check};
///
/// let puzzle: Puzzle =
///     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
///         .parse()?;
/// let answer =
///     b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// assert!(check::solves(&puzzle, answer));
/// assert!(!check::solves(&puzzle, b"534678912"));
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[inline]
pub fn solves(puzzle: &Puzzle, answer: &[u8]) -> bool {
    let Ok(line) = answer.try_into() else {
        return read(answer).is_ok_and(|cells| solves(puzzle, &cells.text()));
    };
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || keeps_clues(simd, puzzle, line) && is_valid(line)
    ))
}

/// Returns whether all characters are digits and all clues are kept.
#[inline(always)]
fn keeps_clues<S: Simd>(s: S, puzzle: &Puzzle, line: &Line) -> bool {
    let mut all_right = true;
    for at in windows::<S>() {
        let digit = S::u8s::from_slice(s, &line[at..at + S::u8s::LEN]) - b'0';
        let clue = S::u8s::from_slice(s, &puzzle.cells()[at..at + S::u8s::LEN]);
        let is_digit = (digit - 1).simd_le(8);
        let is_kept = clue.simd_eq(0) | clue.simd_eq(digit);
        all_right &= (is_digit & is_kept).all_true();
    }
    all_right
}

/// Returns whether every unit of 81 digits has every digit.
///
/// Each digit from 1 to 8 is a bit of a byte, and 9 is 0. If the exclusive or of a unit's nine
/// bytes has all bits, each bit occurs an odd number of times, which leaves just one cell for a 9.
#[inline(always)]
fn is_valid(line: &Line) -> bool {
    let mut bits = [0_u8; CELLS + 2];
    for (bits, character) in bits.iter_mut().zip(line) {
        *bits = (1..=8)
            .fold(0, |bits, digit| bits | u8::from(*character == b'0' + digit) << (digit - 1));
    }
    // The exclusive or of each cell and the next two.
    let three: [u8; CELLS] = std::array::from_fn(|i| bits[i] ^ bits[i + 1] ^ bits[i + 2]);
    let mut columns = [0_u8; 9];
    let mut all = u8::MAX;
    for row in 0..9 {
        let at = row * 9;
        for (column, bits) in columns.iter_mut().zip(&bits[at..at + 9]) {
            *column ^= bits;
        }
        all &= three[at] ^ three[at + 3] ^ three[at + 6];
        let corner = row / 3 * 27 + row % 3 * 3;
        all &= three[corner] ^ three[corner + 9] ^ three[corner + 18];
    }
    columns.into_iter().fold(all, |all, column| all & column) == u8::MAX
}

/// Compares the input's solution with its puzzle, without regard to other solutions of the puzzle.
/// A cell with one candidate is a clue.
///
/// # Errors
/// The first mismatch.
pub fn compare(puzzle: &Marks, answer: &[u8]) -> Result<(), Mismatch> {
    let digits = parse_answer(answer)?;
    let clues = puzzle.clues();
    if let Some(found) = clues.contradiction() {
        return Err(Mismatch::Clues(found));
    }
    for (cell, (&digit, &clue)) in digits.cells().iter().zip(clues.cells()).enumerate() {
        if clue != 0 && clue != digit {
            return Err(Mismatch::Clue { cell, clue, digit });
        }
        let candidates = puzzle.of_cell(cell);
        if !candidates.contains(digit) {
            return Err(Mismatch::Candidate { cell, candidates, digit });
        }
    }
    digits.contradiction().map_or(Ok(()), |found| Err(Mismatch::Twice(found)))
}

/// Reads the input's solution in any form of a puzzle; cells may be blank.
///
/// ```
/// let rows = ["534678912", "672195348", "198342567", "859761423", "426853791", "713924856",
///     "961537284", "287419635", "345286179"];
/// let cells = bulkdoku_core::check::read(rows.join("\n").as_bytes())?;
/// assert_eq!(cells.to_string(), rows.concat());
/// for text in ["I cannot solve this", "Impossible"] {
///     let refused = bulkdoku_core::check::read(text.as_bytes()).unwrap_err().to_string();
///     assert!(refused.ends_with(&format!("text instead of 81 cells: {text:?}")), "{refused}");
/// }
/// # Ok::<(), bulkdoku_core::check::Mismatch>(())
/// ```
///
/// # Errors
/// [`Mismatch::Missing`] or [`Mismatch::NoGrid`].
pub fn read(answer: &[u8]) -> Result<Puzzle, Mismatch> {
    if let Some(digits) = <&Line>::try_from(answer).ok().and_then(Puzzle::from_text) {
        return Ok(digits);
    }
    if forms::trimmed(answer).is_empty() {
        return Err(Mismatch::Missing);
    }
    let form = forms::read(answer)
        .map_err(|fault| Mismatch::NoGrid(forms::prose(answer).unwrap_or(fault)))?;
    form.marks().puzzle().ok_or_else(|| {
        let what = "pencil marks, not digits".into();
        Mismatch::NoGrid(Malformed { column: 1, what })
    })
}

/// Reads the input's solution, in which no cell may be blank.
fn parse_answer(answer: &[u8]) -> Result<Puzzle, Mismatch> {
    let digits = read(answer)?;
    match digits.cells().iter().position(|&digit| digit == 0) {
        Some(cell) => Err(Mismatch::Blank { cell }),
        None => Ok(digits),
    }
}

/// Returns the status of a record whose input's solution solves the puzzle.
///
/// `outcome` is the outcome of an engine under `limits`. The status is `ok` if the engine found the
/// same solution and no other. If the limit is one solution, the outcome is ignored.
///
/// # Errors
/// [`Mismatch::Several`].
pub fn judge(answer: &[u8], limits: Limits, outcome: &Outcome) -> Result<Status, Mismatch> {
    if limits.solutions.get() == 1 {
        return Ok(Status::Ok);
    }
    match outcome.solutions {
        2.. => Err(Mismatch::Several),
        1 if equals_grid(answer, &outcome.grid)
            || read(answer).is_ok_and(|digits| digits.cells() == outcome.grid.cells()) =>
        {
            Ok(if outcome.gave_up { Status::GaveUp } else { Status::Ok })
        }
        1 if outcome.gave_up => Err(Mismatch::Several),
        0 if outcome.gave_up => Ok(Status::GaveUp),
        // The input's solution solves the puzzle, so an engine that does not find it is wrong.
        _ => Ok(Status::InternalError),
    }
}

/// Returns whether the input's solution is this grid.
#[inline(always)]
pub fn equals_grid(answer: &[u8], grid: &Grid) -> bool {
    let Ok(line) = <&Line>::try_from(answer) else { return false };
    // Without an early exit, the compiler vectorizes this.
    line.iter().zip(grid.cells()).fold(true, |all, (text, digit)| all & (*text == digit + b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CLASSIC, SOLVED};

    fn outcome(solutions: u32, gave_up: bool, grid: &str) -> Outcome {
        let grid = Grid(*grid.parse::<Puzzle>().unwrap().cells());
        Outcome { solutions, gave_up, grid, ..Outcome::NONE }
    }

    #[test]
    fn every_changed_character_is_detected() {
        for puzzle in [CLASSIC.parse().unwrap(), Puzzle::EMPTY] {
            for at in 0..CELLS {
                let mut answer = SOLVED.as_bytes().to_vec();
                for byte in 0..=u8::MAX {
                    answer[at] = byte;
                    let is_right = byte == SOLVED.as_bytes()[at];
                    assert_eq!(solves(&puzzle, &answer), is_right, "{byte} at {at}");
                    assert_eq!(compare(&Marks::from(&puzzle), &answer).is_ok(), is_right);
                }
            }
        }
    }

    #[test]
    fn an_answer_is_as_long_as_a_puzzle() {
        let puzzle = CLASSIC.parse().unwrap();
        assert!(!solves(&puzzle, b"") && !solves(&puzzle, &SOLVED.as_bytes()[1..]));
        assert!(!solves(&puzzle, format!("{SOLVED}1").as_bytes()));
    }

    #[test]
    fn an_answer_has_any_form_of_a_puzzle() {
        let puzzle = CLASSIC.parse().unwrap();
        let cells: Vec<_> = SOLVED.chars().map(String::from).collect();
        let rows: Vec<_> =
            SOLVED.as_bytes().chunks(9).map(|row| row.escape_ascii().to_string()).collect();
        let lists: Vec<_> = cells.chunks(9).map(|row| format!("[{}]", row.join(", "))).collect();
        let limits = Limits::PROOF;
        for text in [
            rows.join("\n"),
            cells.join(" "),
            cells.join(","),
            format!("[{}]", cells.join(", ")),
            format!("[{}]", lists.join(", ")),
            format!(" {SOLVED}\r\n"),
            rows.join("\r\n") + "\r\n",
        ] {
            let answer = text.as_bytes();
            assert!(solves(&puzzle, answer), "{text}");
            assert_eq!(compare(&Marks::from(&puzzle), answer), Ok(()));
            assert_eq!(judge(answer, limits, &outcome(1, false, SOLVED)), Ok(Status::Ok));
            let wrong = text.replacen('5', "3", 1);
            assert!(matches!(
                compare(&Marks::from(&puzzle), wrong.as_bytes()),
                Err(Mismatch::Clue { cell: 0, .. })
            ));
        }
        for text in ["", " \n"] {
            assert_eq!(compare(&Marks::from(&puzzle), text.as_bytes()), Err(Mismatch::Missing));
        }
        for text in ["The answer is 42.", &rows[..8].join("\n"), &cells[..80].join(" ")] {
            let found = compare(&Marks::from(&puzzle), text.as_bytes());
            assert!(matches!(found, Err(Mismatch::NoGrid(_))), "{text}: {found:?}");
        }
    }

    #[test]
    fn the_outcome_of_an_engine_decides_about_other_solutions() {
        let other = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        let judged = |limits, outcome| judge(SOLVED.as_bytes(), limits, &outcome);
        let proof = |outcome| judged(Limits::PROOF, outcome);
        assert_eq!(proof(outcome(1, false, SOLVED)), Ok(Status::Ok));
        assert_eq!(proof(outcome(2, false, SOLVED)), Err(Mismatch::Several));
        assert_eq!(proof(outcome(1, true, SOLVED)), Ok(Status::GaveUp));
        assert_eq!(proof(outcome(0, true, &".".repeat(81))), Ok(Status::GaveUp));
        // There are two solutions, and the engine found one of them.
        assert_eq!(proof(outcome(1, true, &other)), Err(Mismatch::Several));
        // The solution in the input is right, so the engine is wrong.
        assert_eq!(proof(outcome(1, false, &other)), Ok(Status::InternalError));
        assert_eq!(proof(outcome(0, false, &".".repeat(81))), Ok(Status::InternalError));
        assert_eq!(judged(Limits::FIRST, Outcome::NONE), Ok(Status::Ok));
    }
}
