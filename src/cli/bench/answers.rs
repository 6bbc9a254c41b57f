//! What solvers that are commands print, and the check of all answers.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroU32;
use std::ops::ControlFlow;

use bulkdoku::puzzle::{CELLS, Grid};
use bulkdoku::{Batch, EngineKind, Limits, Outcome, SimdLevel};

use super::rows::Rows;

/// The forms of answers on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// One line per puzzle with the solution: the only run of exactly 81 digits. An empty line, `.`,
    /// or the puzzle alone means that there is none, or more than one.
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
    /// A solution, as text.
    Grid([u8; CELLS]),
    /// The number of solutions.
    Count(u64),
    /// A line in another form.
    Unreadable,
}

/// The number of lines that are listed per fault.
const MAX_LISTED: usize = 10;

/// The maximum length of a line.
const MAX_LINE: u64 = 1 << 16;

/// Passes the answers in a stream to `each`, until it breaks. Takes no more memory than a line.
///
/// # Errors
/// When the stream fails, or a line is too long.
pub fn read_answers(
    stream: impl Read,
    form: AnswerForm,
    mut each: impl FnMut(Answer) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    let (mut line, mut grid) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if stream.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            let cut = (!grid.is_empty()).then_some(Answer::Unreadable);
            return Ok(cut.map_or(ControlFlow::Continue(()), each));
        }
        if line.len() as u64 == MAX_LINE {
            return Err(io::Error::other("a line without end"));
        }
        let answer = match form {
            AnswerForm::Lines => Some(answer_in(&line)),
            AnswerForm::Count => {
                let number = str::from_utf8(&line).ok().and_then(|line| line.trim().parse().ok());
                Some(number.map_or(Answer::Unreadable, Answer::Count))
            }
            AnswerForm::Grid => row_of_grid(&line, &mut grid),
        };
        if let Some(answer) = answer
            && each(answer).is_break()
        {
            return Ok(ControlFlow::Break(()));
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

/// Adds the digits of a line to an incomplete grid. Returns the answer that the line completes.
fn row_of_grid(line: &[u8], grid: &mut Vec<u8>) -> Option<Answer> {
    if line.trim_ascii() == b"." && grid.is_empty() {
        return Some(Answer::None);
    }
    let digits = line.iter().filter(|byte| is_digit(**byte));
    if digits.clone().count() == 9 {
        grid.extend(digits);
    }
    let answer = <[u8; CELLS]>::try_from(&**grid).ok()?;
    grid.clear();
    Some(Answer::Grid(answer))
}

/// Rows, and the outcomes that answers are compared with.
pub struct Task {
    pub rows: Rows,
    expected: Vec<Outcome>,
    limit: u32,
}

impl Task {
    /// Solves the rows. Solutions are counted up to a limit of at least 2.
    pub fn new(rows: Rows, limits: Limits) -> Self {
        let solutions = limits.solutions.max(NonZeroU32::MIN.saturating_add(1));
        let mut expected = vec![Outcome::NONE; rows.len()];
        let mut engine = EngineKind::default().build(SimdLevel::best());
        let puzzles: Vec<_> = (0..rows.len()).map(|row| rows.puzzle(row)).collect();
        engine.solve(Batch::Puzzles(&puzzles), Limits { solutions, ..limits }, &mut expected);
        Self { rows, expected, limit: limits.solutions.get() }
    }

    /// Returns the number of solutions of a row up to a limit, if the search did not give up.
    fn solutions(&self, row: usize, limit: u32) -> Option<u32> {
        let of = &self.expected[row];
        (!of.gave_up).then_some(of.solutions.min(limit))
    }

    /// Checks the answer of a command to a row.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn check(&self, row: usize, answer: &Answer) -> Result<(), &'static str> {
        let known = self.solutions(row, u32::MAX);
        match answer {
            Answer::Unreadable => Err("unreadable"),
            Answer::None if known == Some(1) => Err("missing"),
            Answer::None => Ok(()),
            Answer::Count(count) => {
                let is_right = |known| (*count).min(self.limit.max(2).into()) == u64::from(known);
                if known.is_none_or(is_right) { Ok(()) } else { Err("wrong") }
            }
            Answer::Grid(text) => {
                let digits = text.map(|digit| digit - b'0');
                let is_of =
                    |of: &Outcome| of.solution().is_some_and(|grid| *grid.cells() == digits);
                let is_right = is_of(&self.expected[row])
                    || Grid::try_from(digits).is_ok_and(|grid| grid.solves(&self.rows.puzzle(row)));
                match is_right {
                    true => Ok(()),
                    false if self.expected.iter().any(is_of) => Err("out of order"),
                    false => Err("wrong"),
                }
            }
        }
    }

    /// Checks that every solution of an engine obeys the rules and keeps the clues of its row, and
    /// that the numbers of solutions are right where no search has given up.
    ///
    /// # Errors
    /// Returns what is wrong with the first row that is.
    pub fn check_outcomes(&self, outcomes: &[Outcome]) -> Result<(), String> {
        for (row, outcome) in outcomes.iter().enumerate() {
            let puzzle = self.rows.text(row);
            if outcome.solution().is_some_and(|grid| !grid.solves(&self.rows.puzzle(row))) {
                return Err(format!("{} is not a solution of {puzzle}", outcome.grid));
            }
            let (found, known) = (outcome.solutions, self.solutions(row, self.limit));
            if let Some(known) = known.filter(|known| !outcome.gave_up && *known != found) {
                return Err(format!("{found} solutions instead of {known} of {puzzle}"));
            }
        }
        Ok(())
    }
}

/// What is wrong with the answers of a pass, how often, and in which lines of the output first.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<(&'static str, usize, Vec<usize>)>);

impl Faults {
    /// Adds a fault of a line, from 1.
    pub fn add(&mut self, fault: &'static str, line: usize) {
        let at = self.0.iter().position(|(other, ..)| *other == fault).unwrap_or_else(|| {
            self.0.push((fault, 0, Vec::new()));
            self.0.len() - 1
        });
        let (_, count, first) = &mut self.0[at];
        *count += 1;
        first.extend((first.len() < MAX_LISTED).then_some(line));
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|(_, count, _)| count).sum()
    }
}

impl Display for Faults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |(fault, count, first): &(&str, usize, Vec<usize>)| {
            let more = if *count > first.len() { ", …" } else { "" };
            let first: Vec<_> = first.iter().map(usize::to_string).collect();
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} {fault} (line{plural} {}{more})", first.join(", "))
        };
        f.write_str(&self.0.iter().map(list).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Plan;
    use super::*;
    use crate::cli::sets::PuzzleSet;

    const CLASSIC: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str =
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn read(form: AnswerForm, text: &str) -> Vec<Answer> {
        let mut answers = Vec::new();
        let read = read_answers(text.as_bytes(), form, |answer| {
            answers.push(answer);
            ControlFlow::Continue(())
        });
        assert!(read.unwrap().is_continue());
        answers
    }

    #[test]
    fn answers_are_read_in_every_form() {
        use Answer::{Count, None, Unreadable};
        let solution = Answer::Grid(SOLVED.as_bytes().try_into().unwrap());
        let lines = format!(
            "{SOLVED}\r\n{CLASSIC},{SOLVED}\n\n.\n{CLASSIC}\n{CLASSIC},.\n\
             12 µs: {SOLVED} ok\nnone\n{SOLVED}1\n{SOLVED}"
        );
        let expected = [
            solution, solution, None, None, None, None, solution, Unreadable, Unreadable, solution,
        ];
        assert_eq!(read(AnswerForm::Lines, &lines), expected);
        let counts = read(AnswerForm::Count, "1\n 2 \r\nx\n0");
        assert_eq!(counts, [Count(1), Count(2), Unreadable, Count(0)]);
        let rows: Vec<_> = SOLVED.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
        let rows = rows.join("\n");
        let grids = format!("Grid 1\n{rows}\n\n.\n+---+\n{rows}\n123456789");
        assert_eq!(read(AnswerForm::Grid, &grids), [solution, None, solution, Unreadable]);
        let endless =
            read_answers(io::repeat(b'1'), AnswerForm::Lines, |_| ControlFlow::Continue(()));
        assert!(endless.is_err());
    }

    fn task(puzzles: &[&str], limits: Limits) -> Task {
        let puzzles = puzzles.iter().map(|text| text.parse().unwrap()).collect();
        let set = PuzzleSet { puzzles, ..PuzzleSet::tested(0) };
        let plan = Plan { rows_at_least: 0, seed: None, ..Plan::tested() };
        Task::new(Rows::new(&set, &plan), limits)
    }

    #[test]
    fn answers_of_commands_are_checked() {
        let task = task(&[CLASSIC, &".".repeat(81), SOLVED], Limits::FIRST);
        let grid = |text: &str| Answer::Grid(text.as_bytes().try_into().unwrap());
        let swapped = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        for (row, answer, expected) in [
            (0, grid(SOLVED), Ok(())),
            (1, grid(&swapped), Ok(())),
            (0, grid(&swapped), Err("wrong")),
            (0, Answer::None, Err("missing")),
            (1, Answer::None, Ok(())),
            (0, Answer::Count(1), Ok(())),
            (0, Answer::Count(2), Err("wrong")),
            (1, Answer::Count(6_670), Ok(())),
            (1, Answer::Count(1), Err("wrong")),
            (2, Answer::Unreadable, Err("unreadable")),
        ] {
            assert_eq!(task.check(row, &answer), expected, "{row} {answer:?}");
        }
        let mut faults = Faults::default();
        assert_eq!(faults.count(), 0);
        (1..=12).for_each(|line| faults.add("wrong", line));
        faults.add("extra", 20);
        let text = "12 wrong (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …); 1 extra (line 20)";
        assert_eq!((faults.to_string().as_str(), faults.count()), (text, 13));
    }

    #[test]
    fn wrong_outcomes_of_engines_are_detected() {
        let task = task(&[&".".repeat(81), &".".repeat(81)], Limits::PROOF);
        let of = |solutions| Outcome { solutions, ..Outcome::NONE };
        let ones = Grid::try_from([1; CELLS]).unwrap();
        let error = task.check_outcomes(&[Outcome { grid: ones, ..of(1) }]).unwrap_err();
        assert!(error.starts_with("1111"), "{error}");
        let unfinished = Outcome { gave_up: true, ..Outcome::NONE };
        assert_eq!(task.check_outcomes(&[unfinished]), Ok(()));
        let error = task.check_outcomes(&[unfinished, of(0)]).unwrap_err();
        assert!(error.starts_with("0 solutions instead of 2 of ..."), "{error}");
    }
}
