//! Whether the solution that an input gives for a puzzle is right.
//!
//! Such a solution is called an *answer* here, to tell it from what an engine finds. It is right if
//! it is a complete grid, keeps what the puzzle gives, obeys the rules, and is the puzzle's only
//! solution. The first three are seen by looking at it: [`solves`] says quickly whether they hold,
//! and [`compare`] what is wrong. For the last one an engine is asked, and [`judge`] looks at what it
//! found. So every right answer is also a check of the engine, which has to find the same.

use std::fmt::{self, Write};

use crate::simd::vectors::{Simd, SimdBase, SimdMask, dispatch};

use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Contradiction, Grid, Malformed, Puzzle, cell_name};
use crate::simd::SimdLevel;
use crate::solver::{Limits, Outcome};
use crate::status::Status;
use crate::text::{Line, windows};

/// Why an answer is not right: the first of these that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// There is none.
    Missing,
    /// There is none because the input of the answers has ended: it has fewer than there are puzzles.
    Ended,
    /// It is no grid at all.
    NoGrid(Malformed),
    /// It is a grid, but a cell is blank.
    Blank {
        /// The first such cell.
        cell: usize,
    },
    /// The puzzle's clues break the rules: no answer could be right.
    Clues(Contradiction),
    /// A clue is another digit in the answer.
    Clue {
        /// The first such cell.
        cell: usize,
        /// What the puzzle has there.
        clue: u8,
        /// What the answer has there.
        digit: u8,
    },
    /// A digit is no candidate of its cell.
    Candidate {
        /// The first such cell.
        cell: usize,
        /// What the puzzle's pencil marks leave it.
        candidates: Digits,
        /// What the answer has there.
        digit: u8,
    },
    /// A digit stands twice in a unit of the answer.
    Twice(Contradiction),
    /// The answer is a solution, but not the only one.
    Several,
}

/// Where a [`Mismatch`] shows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the answer, behind this many of its bytes.
    Answer(usize),
    /// In the puzzle, at this cell.
    Puzzle(usize),
}

impl Mismatch {
    /// Where it shows itself.
    pub fn place(&self) -> Place {
        match self {
            Self::Missing | Self::Ended => Place::Answer(0),
            Self::NoGrid(malformed) => Place::Answer(malformed.column - 1),
            Self::Blank { cell } | Self::Clue { cell, .. } | Self::Candidate { cell, .. } => {
                Place::Answer(*cell)
            }
            Self::Twice(found) => Place::Answer(found.cells[1]),
            Self::Clues(found) => Place::Puzzle(found.cells[1]),
            Self::Several => Place::Puzzle(0),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the solution is missing"),
            Self::Ended => {
                f.write_str("the solution is missing: there are fewer solutions than puzzles")
            }
            Self::NoGrid(malformed) => write!(f, "the solution is no grid: {malformed}"),
            Self::Blank { cell } => {
                write!(f, "the solution is not complete: {} is blank", cell_name(*cell))
            }
            Self::Clues(found) => write!(f, "the puzzle's clues contradict each other: {found}"),
            Self::Clue { cell, clue, digit } => {
                let cell = cell_name(*cell);
                write!(
                    f,
                    "a clue is changed: {cell} is {clue} in the puzzle, {digit} in the solution"
                )
            }
            Self::Candidate { cell, candidates, digit } => {
                let cell = cell_name(*cell);
                let candidates = match candidates.len() {
                    0 => "nothing".into(),
                    _ => candidates.to_string(),
                };
                write!(
                    f,
                    "no candidate: {cell} may be {candidates} in the puzzle, is {digit} in the solution"
                )
            }
            Self::Twice(found) => write!(f, "the solution breaks the rules: {found}"),
            Self::Several => f.write_str("the puzzle has more than one solution"),
        }
    }
}

/// Whether an answer is a complete grid that keeps every clue and obeys the rules.
///
/// ```
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
    let Ok(line) = answer.try_into() else { return false };
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || keeps_clues(simd, puzzle, line) && is_valid(line)
    ))
}

/// Whether all characters are digits, and those of the clues where there are any.
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

/// Whether every unit of 81 digits has every digit.
///
/// Each digit from 1 to 8 is a bit of a byte, 9 is none. Where the nine bytes of a unit differ in
/// all bits, each bit stands there an odd number of times; that leaves room for just one 9.
#[inline(always)]
fn is_valid(line: &Line) -> bool {
    let mut bits = [0_u8; CELLS + 2];
    for (bits, character) in bits.iter_mut().zip(line) {
        *bits = (1..=8)
            .fold(0, |bits, digit| bits | u8::from(*character == b'0' + digit) << (digit - 1));
    }
    // Of each cell and the two behind it.
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

/// Finds out what is wrong with an answer, whatever other solutions the puzzle has. A cell with one
/// candidate is a clue.
///
/// # Errors
/// What is wrong.
pub fn compare(puzzle: &Marks, answer: &[u8]) -> Result<(), Mismatch> {
    let digits = read(answer)?;
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

/// The digits of an answer, none of them blank.
fn read(answer: &[u8]) -> Result<Puzzle, Mismatch> {
    if answer.is_empty() {
        return Err(Mismatch::Missing);
    }
    let digits = Puzzle::parse(answer).map_err(Mismatch::NoGrid)?;
    match digits.cells().iter().position(|&digit| digit == 0) {
        Some(cell) => Err(Mismatch::Blank { cell }),
        None => Ok(digits),
    }
}

/// What becomes of a record whose answer solves its puzzle, if an engine found `outcome` under
/// `limits`: `ok` if it found the same and no other. Where no second solution was looked for, it
/// does not matter what was found.
///
/// # Errors
/// [`Mismatch::Several`].
pub fn judge(answer: &[u8], limits: Limits, outcome: &Outcome) -> Result<Status, Mismatch> {
    if limits.solutions.get() == 1 {
        return Ok(Status::Ok);
    }
    match outcome.solutions {
        2.. => Err(Mismatch::Several),
        1 if is_of(answer, &outcome.grid) => {
            Ok(if outcome.gave_up { Status::GaveUp } else { Status::Ok })
        }
        1 if outcome.gave_up => Err(Mismatch::Several),
        0 if outcome.gave_up => Ok(Status::GaveUp),
        // The answer solves the puzzle: an engine that does not find it is wrong.
        _ => Ok(Status::InternalError),
    }
}

/// Whether an answer is this very grid.
#[inline(always)]
pub(crate) fn is_of(answer: &[u8], grid: &Grid) -> bool {
    let Ok(line) = <&Line>::try_from(answer) else { return false };
    // Without an early end, so that it is done in vectors.
    line.iter().zip(grid.cells()).fold(true, |all, (text, digit)| all & (*text == digit + b'0'))
}

/// What is wrong with the answers of a block, in the order of its records. Kept and filled again.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    text: String,
    /// For each, where its text ends, and where it shows itself.
    each: Vec<(usize, Place)>,
}

/// What is wrong with one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    /// In plain words.
    pub text: &'a str,
    /// Where it shows itself.
    pub place: Place,
}

impl Reasons {
    /// Forgets everything but keeps the room.
    pub fn clear(&mut self) {
        self.text.clear();
        self.each.clear();
    }

    /// Adds what is wrong with the next answer that is; `is_unsolvable` if it is known that the
    /// puzzle has no solution.
    pub fn push(&mut self, disagreement: &Mismatch, is_unsolvable: bool) {
        let is_news = is_unsolvable && !matches!(disagreement, Mismatch::Clues(_));
        let end = if is_news { "; the puzzle has no solution" } else { "" };
        write!(self.text, "{disagreement}{end}").expect("a string takes every write");
        self.each.push((self.text.len(), disagreement.place()));
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Reason<'_>> {
        let mut start = 0;
        self.each.iter().map(move |&(end, place)| {
            let text = &self.text[start..end];
            start = end;
            Reason { text, place }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str =
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn outcome(solutions: u32, gave_up: bool, grid: &str) -> Outcome {
        let grid = Grid(*grid.parse::<Puzzle>().unwrap().cells());
        Outcome { solutions, gave_up, grid, ..Outcome::NONE }
    }

    #[test]
    fn one_character_that_is_another_is_seen_wherever_it_stands() {
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
    fn what_an_engine_found_decides_about_other_solutions() {
        let other = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        let judged = |limits, outcome| judge(SOLVED.as_bytes(), limits, &outcome);
        let proof = |outcome| judged(Limits::PROOF, outcome);
        assert_eq!(proof(outcome(1, false, SOLVED)), Ok(Status::Ok));
        assert_eq!(proof(outcome(2, false, SOLVED)), Err(Mismatch::Several));
        assert_eq!(proof(outcome(1, true, SOLVED)), Ok(Status::GaveUp));
        assert_eq!(proof(outcome(0, true, &".".repeat(81))), Ok(Status::GaveUp));
        // Two were found, one by the engine.
        assert_eq!(proof(outcome(1, true, &other)), Err(Mismatch::Several));
        // The engine says that the answer, which is right, is none.
        assert_eq!(proof(outcome(1, false, &other)), Ok(Status::InternalError));
        assert_eq!(proof(outcome(0, false, &".".repeat(81))), Ok(Status::InternalError));
        assert_eq!(judged(Limits::FIRST, Outcome::NONE), Ok(Status::Ok));
    }

    #[test]
    fn reasons_come_in_order_and_say_that_there_is_no_solution() {
        let mut reasons = Reasons::default();
        for _ in 0..2 {
            reasons.clear();
            reasons.push(&Mismatch::Missing, true);
            let twice = "11".to_owned() + &".".repeat(79);
            let clues = twice.parse::<Puzzle>().unwrap().contradiction().unwrap();
            reasons.push(&Mismatch::Clues(clues), true);
            reasons.push(&Mismatch::Several, false);
            let found: Vec<_> = reasons.iter().map(|reason| (reason.text, reason.place)).collect();
            let expected = [
                ("the solution is missing; the puzzle has no solution", Place::Answer(0)),
                (
                    "the puzzle's clues contradict each other: 1 stands twice in row 1, at r1c1 \
                     and r1c2",
                    Place::Puzzle(1),
                ),
                ("the puzzle has more than one solution", Place::Puzzle(0)),
            ];
            assert_eq!(found, expected);
        }
    }
}
