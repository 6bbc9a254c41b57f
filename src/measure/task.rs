//! Rows for solvers that are not engines of this library, and the check of their answers.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use twox_hash::XxHash3_128;

use super::set::SetRows;
use super::{BenchError, Configuration, Contender};
use crate::puzzle::{CELLS, Grid};
use crate::simd::SimdLevel;
use crate::solver::{EngineKind, Limits};

/// The forms of answers on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerForm {
    /// One line per puzzle with the solution: the only run of exactly 81 digits. An empty line, `.`,
    /// or the puzzle alone means that there is none, or more than one.
    #[default]
    Lines,
    /// Nine lines with nine digits each per puzzle; other characters and lines are ignored.
    Grid,
    /// One line per puzzle with the number of solutions.
    Count,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The puzzle has several solutions or none.
    None,
    /// A solution, as digits.
    Grid([u8; CELLS]),
    /// The number of solutions.
    Count(u64),
    /// A line in another form.
    Unreadable,
    /// A line without end.
    TooLong,
}

impl Answer {
    /// Returns a hash, by which answers of different passes are compared.
    pub fn digest(&self) -> u64 {
        match self {
            Self::None => 1,
            Self::Grid(grid) => XxHash3_128::oneshot(grid) as u64,
            Self::Count(count) => count.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            Self::Unreadable | Self::TooLong => 2,
        }
    }
}

/// The maximum length of a line.
const MAX_LINE: usize = 1 << 16;

/// Reads answers from pieces of the output, in bounded memory.
#[derive(Debug, Default)]
pub struct AnswerReader {
    form: AnswerForm,
    /// The start of a line whose end is not read.
    line: Vec<u8>,
    /// The digits of an incomplete grid.
    grid: Vec<u8>,
}

impl AnswerReader {
    /// Creates a reader.
    pub fn new(form: AnswerForm) -> Self {
        Self { form, ..Self::default() }
    }

    /// Passes the answers of a piece of the output to `each`, until it breaks.
    pub fn read(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(Answer) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if self.line.is_empty() {
                self.add(line).map_or(ControlFlow::Continue(()), &mut *each)?;
            } else {
                let mut start = std::mem::take(&mut self.line);
                start.extend_from_slice(line);
                self.add(&start).map_or(ControlFlow::Continue(()), &mut *each)?;
            }
        }
        if self.line.len() + bytes.len() > MAX_LINE {
            return each(Answer::TooLong);
        }
        self.line.extend_from_slice(bytes);
        ControlFlow::Continue(())
    }

    /// Passes the answer of a last line without a line ending to `each`.
    pub fn finish(mut self, each: &mut impl FnMut(Answer) -> ControlFlow<()>) -> ControlFlow<()> {
        let line = std::mem::take(&mut self.line);
        let last = if line.is_empty() { None } else { self.add(&line) };
        let cut = (!self.grid.is_empty()).then_some(Answer::Unreadable);
        last.into_iter().chain(cut).try_for_each(each)
    }

    /// Returns the answer that a line completes.
    fn add(&mut self, line: &[u8]) -> Option<Answer> {
        match self.form {
            AnswerForm::Lines => Some(answer_in(line)),
            AnswerForm::Count => {
                let number =
                    std::str::from_utf8(line).ok().and_then(|line| line.trim().parse().ok());
                Some(number.map_or(Answer::Unreadable, Answer::Count))
            }
            AnswerForm::Grid => {
                if line.trim_ascii() == b"." && self.grid.is_empty() {
                    return Some(Answer::None);
                }
                let digits = line.iter().filter(|byte| is_digit(**byte));
                if digits.clone().count() == 9 {
                    self.grid.extend(digits);
                }
                let grid = <[u8; CELLS]>::try_from(&*self.grid).ok()?;
                self.grid.clear();
                Some(Answer::Grid(grid))
            }
        }
    }
}

fn is_digit(byte: u8) -> bool {
    (b'1'..=b'9').contains(&byte)
}

/// Returns the answer in a line.
fn answer_in(line: &[u8]) -> Answer {
    let mut runs = line.split(|byte| !is_digit(*byte));
    if let Some(grid) = runs.find_map(|run| <[u8; CELLS]>::try_from(run).ok()) {
        return Answer::Grid(grid);
    }
    let is_cell = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let puzzle = line.iter().take_while(|byte| is_cell(byte)).count();
    let rest = if puzzle == CELLS { &line[puzzle..] } else { line };
    let rest: &[u8] = rest.trim_ascii().strip_prefix(b",").unwrap_or(rest).trim_ascii();
    if matches!(rest, b"" | b".") { Answer::None } else { Answer::Unreadable }
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It breaks the rules, has other clues, or is another number.
    Wrong,
    /// It is not an answer.
    Unreadable,
    /// There is a solution, but no answer.
    Missing,
    /// It is the solution of another row.
    Reordered,
    /// There is no such row.
    Extra,
}

/// The rows that a solver reads, and what is known about them.
pub struct Task {
    rows: SetRows,
    /// Lines of the rows.
    lines: Vec<u8>,
    /// The number of solutions of each row, up to the limit, if it is known.
    solutions: Vec<Option<u32>>,
    limit: u32,
    /// The rows by the digests of their solutions.
    by_digest: HashMap<u64, u32>,
}

/// The bytes of a line.
const LINE: usize = CELLS + 1;

impl Task {
    /// Solves the rows.
    pub(super) fn new(rows: SetRows, limits: Limits) -> Result<Self, BenchError> {
        let least = NonZeroU32::MIN.saturating_add(1);
        let limits = Limits { solutions: limits.solutions.max(least), ..limits };
        let one = NonZeroUsize::MIN;
        let (engine, simd) = (EngineKind::default(), SimdLevel::best());
        let solver = Contender::new(Configuration { engine, simd, threads: one }, 1000, limits)?;
        let outcomes = solver.outcomes(&rows, rows.len());
        let solved = (0..).zip(&outcomes).filter_map(|(row, outcome)| {
            let mut digits = [0; CELLS];
            let grid = outcome.solution()?.to_string();
            digits.copy_from_slice(grid.as_bytes());
            Some((Answer::Grid(digits).digest(), row))
        });
        let by_digest = solved.collect();
        let solutions = outcomes.iter().map(|of| (!of.gave_up).then_some(of.solutions)).collect();
        let text = rows.text(0..rows.len()).chunks_exact(CELLS);
        let lines = text.flat_map(|row| row.iter().copied().chain([b'\n'])).collect();
        Ok(Self { rows, lines, solutions, limit: limits.solutions.get(), by_digest })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether the task has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the lines of some rows.
    pub fn lines(&self, rows: Range<usize>) -> &[u8] {
        &self.lines[rows.start * LINE..rows.end * LINE]
    }

    /// Checks the answer to a row.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn check(&self, row: usize, answer: &Answer) -> Result<(), Fault> {
        let solutions = self.solutions[row];
        match answer {
            Answer::Unreadable | Answer::TooLong => Err(Fault::Unreadable),
            Answer::None if solutions == Some(1) => Err(Fault::Missing),
            Answer::None => Ok(()),
            Answer::Count(count) => match solutions {
                Some(known) if (*count).min(self.limit.into()) != u64::from(known) => {
                    Err(Fault::Wrong)
                }
                _ => Ok(()),
            },
            Answer::Grid(digits) => {
                let grid = Grid::try_from(digits.map(|digit| digit - b'0'));
                if grid.is_ok_and(|grid| self.rows.is_solved_by(row, &grid)) {
                    return Ok(());
                }
                let other = self.by_digest.get(&answer.digest());
                Err(if other.is_some() { Fault::Reordered } else { Fault::Wrong })
            }
        }
    }
}

/// The faults of a pass: their numbers, and the first lines that have them.
#[derive(Clone, Debug, Default)]
pub struct Faults([(u64, Vec<u64>); 5]);

/// The number of lines that are listed per fault.
const MAX_LISTED: usize = 10;

impl Faults {
    /// Adds a fault of a line of the output, from 1.
    pub fn add(&mut self, fault: Fault, line: u64) {
        let (count, lines) = &mut self.0[fault as usize];
        *count += 1;
        if lines.len() < MAX_LISTED {
            lines.push(line);
        }
    }

    /// Returns how often a fault occurred.
    pub fn count(&self, fault: Fault) -> u64 {
        self.0[fault as usize].0
    }

    /// Returns whether there are none.
    pub fn are_none(&self) -> bool {
        self.0.iter().all(|(count, _)| *count == 0)
    }
}

impl Display for Faults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = ["wrong", "unreadable", "missing", "out of order", "extra"];
        let listed = names.iter().zip(&self.0).filter(|(_, (count, _))| *count > 0);
        for (number, (name, (count, lines))) in listed.enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            let plural = if *count == 1 { "" } else { "s" };
            let more = if *count > lines.len() as u64 { ", …" } else { "" };
            let lines: Vec<_> = lines.iter().map(u64::to_string).collect();
            write!(f, "{separator}{count} {name} (line{plural} {}{more})", lines.join(", "))?;
        }
        Ok(())
    }
}

/// What a pass of a solver used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Nanoseconds of wall time per puzzle, without start-up.
    pub wall_ns: f64,
    /// Nanoseconds of user time per puzzle.
    pub user_ns: f64,
    /// Nanoseconds of system time per puzzle.
    pub system_ns: f64,
}

/// The figures of a solver, after its last round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The rounds.
    pub rounds: Vec<Usage>,
    /// The least time from start to end for a single row, in nanoseconds.
    pub startup_ns: f64,
    /// The largest resident memory in bytes, if it is known.
    pub peak_bytes: Option<u64>,
}

/// Measures passes of more and more rows, up to `most`, until one is enough, and returns its number
/// of rows. `is_enough` receives this number and the factor by which the next pass would be longer.
///
/// # Errors
/// Those of `is_enough`.
pub fn grow<E>(
    most: usize,
    factor: usize,
    mut is_enough: impl FnMut(usize, f64) -> Result<bool, E>,
) -> Result<usize, E> {
    let mut rows = most.min(16);
    loop {
        let next = most.min(factor * rows);
        if is_enough(rows, next as f64 / rows as f64)? || next == rows {
            return Ok(rows);
        }
        rows = next;
    }
}

/// A solver that is not an engine of this library.
pub trait Subject: Send {
    /// Returns the name.
    fn name(&self) -> &str;

    /// Returns the number of threads that it was told to use.
    fn threads(&self) -> usize;

    /// Checks the answers to the first rows, as many as it solves in `at_most`, which are then timed.
    /// Returns their number. Rounds should take `at_least` this time.
    ///
    /// # Errors
    /// The reason that the solver is rejected.
    fn check(
        &mut self,
        task: &Task,
        at_least: Duration,
        at_most: Duration,
    ) -> Result<usize, String>;

    /// Measures a round.
    ///
    /// # Errors
    /// The reason that the solver is rejected.
    fn round(&mut self, task: &Task, round: usize) -> Result<(), String>;

    /// Returns the figures of all rounds.
    fn figures(&mut self) -> Figures;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Content, Plan, PuzzleSet};
    use crate::puzzle::{CLASSIC, Puzzle, SOLVED};

    fn read(form: AnswerForm, text: &str, piece: usize) -> Vec<Answer> {
        let (mut reader, mut answers) = (AnswerReader::new(form), Vec::new());
        let mut each = |answer| {
            answers.push(answer);
            ControlFlow::Continue(())
        };
        for bytes in text.as_bytes().chunks(piece) {
            assert!(reader.read(bytes, &mut each).is_continue());
        }
        assert!(reader.finish(&mut each).is_continue());
        answers
    }

    #[test]
    fn answers_are_read_in_any_pieces() {
        let solution = Answer::Grid(SOLVED.as_bytes().try_into().unwrap());
        let lines = format!(
            "{SOLVED}\r\n{CLASSIC},{SOLVED}\n\n.\n{CLASSIC}\n{CLASSIC},.\n\
             12 µs: {SOLVED} ok\nnone\n{SOLVED}1\n{SOLVED}"
        );
        use Answer::{Count, None, Unreadable};
        let expected = [
            solution, solution, None, None, None, None, solution, Unreadable, Unreadable, solution,
        ];
        let rows: Vec<_> = SOLVED.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
        let rows = rows.join("\n");
        let grids = format!("Grid 1\n{rows}\n\n.\n+---+\n{rows}\n123456789");
        for piece in [1, 7, 1000] {
            assert_eq!(read(AnswerForm::Lines, &lines, piece), expected);
            let counts = read(AnswerForm::Count, "1\n 2 \r\nx\n0", piece);
            assert_eq!(counts, [Count(1), Count(2), Unreadable, Count(0)]);
            assert_eq!(
                read(AnswerForm::Grid, &grids, piece),
                [solution, None, solution, Unreadable]
            );
        }
        let (mut reader, mut last) = (AnswerReader::new(AnswerForm::Lines), Option::None);
        let mut each = |answer| {
            last = Some(answer);
            ControlFlow::Break(())
        };
        let endless = (0..100).try_for_each(|_| reader.read(&[b'1'; 1000], &mut each));
        assert!(endless.is_break() && last == Some(Answer::TooLong));
    }

    #[test]
    fn answers_are_checked() {
        let puzzles = [CLASSIC, &".".repeat(81), SOLVED];
        let puzzles = puzzles.map(|text| text.parse::<Puzzle>().unwrap());
        let set = PuzzleSet::new("a set", Content::Puzzles(puzzles.to_vec()), 0);
        let plan = Plan { rows_at_least: 0, seed: None, ..Plan::tested(&[]) };
        let task = Task::new(set.rows(&plan), Limits::FIRST).unwrap();
        assert_eq!(task.lines(0..1), format!("{CLASSIC}\n").as_bytes());
        let grid = |text: &str| Answer::Grid(text.as_bytes().try_into().unwrap());
        let swapped = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        for (row, answer, expected) in [
            (0, grid(SOLVED), Ok(())),
            (1, grid(&swapped), Ok(())),
            (0, grid(&swapped), Err(Fault::Wrong)),
            (0, Answer::None, Err(Fault::Missing)),
            (1, Answer::None, Ok(())),
            (0, Answer::Count(1), Ok(())),
            (0, Answer::Count(2), Err(Fault::Wrong)),
            (1, Answer::Count(6_670), Ok(())),
            (1, Answer::Count(1), Err(Fault::Wrong)),
            (2, Answer::Unreadable, Err(Fault::Unreadable)),
        ] {
            assert_eq!(task.check(row, &answer), expected, "{row} {answer:?}");
        }
        let mut faults = Faults::default();
        assert!(faults.are_none());
        (1..=12).for_each(|line| faults.add(Fault::Wrong, line));
        faults.add(Fault::Extra, 20);
        let text = "12 wrong (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …); 1 extra (line 20)";
        assert_eq!(faults.to_string(), text);
    }
}
