//! The smallest solution, whatever the engine, and those that follow it.
//!
//! Solutions are compared as 81-digit numbers. The smallest is found by asking: take the blanks
//! row by row, try digits upward, keep the first for which a solution still exists. What the
//! engine finds on the way is made use of: no digit above that of a known solution is tried.

use std::ops::Range;
use std::time::Instant;

use super::contract::Stopped;
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::marks::{Digits, Marks};
use crate::propagate::peers;
use crate::puzzle::{CELLS, Grid};
use crate::simd::SimdLevel;

/// An engine whose solutions are the smallest ones.
///
/// Each question has the node limit to itself; when one reaches it the outcome has given up, and
/// no solution. Guesses, nodes and latency are those of all questions together.
pub struct LexFirst {
    engine: Box<dyn Engine>,
    finds_smallest: bool,
    /// Puzzles whose smallest solution is looked for, all at once: engines want many questions.
    refined: Vec<Refined>,
    questions: Vec<Marks>,
    answers: Vec<Outcome>,
}

/// The most puzzles whose smallest solutions are looked for at once.
const AT_ONCE: usize = 64;

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It reached the limit of nodes.
    GaveUp,
    /// The engine was asked to stop.
    Stopped,
}

impl LexFirst {
    /// Asks `engine`; `finds_smallest` if its first solution is the smallest as it is.
    pub fn new(engine: Box<dyn Engine>, finds_smallest: bool) -> Self {
        Self {
            engine,
            finds_smallest,
            refined: Vec::with_capacity(AT_ONCE),
            questions: Vec::with_capacity(8 * AT_ONCE),
            answers: Vec::with_capacity(8 * AT_ONCE),
        }
    }

    /// The smallest solution of `marks` that is larger than `after`, which must be one of them.
    ///
    /// # Errors
    /// When a question reached the limit of nodes, or the engine was asked to stop.
    pub fn next(
        &mut self,
        marks: &Marks,
        after: &Grid,
        limits: Limits,
    ) -> Result<Option<Grid>, Unanswered> {
        let mut asked = Asked::default();
        for cell in (0..CELLS).rev() {
            let from = prefix(marks, after, cell);
            let digits = marks.of_cell(cell).above(after.cells()[cell]);
            if let Some(grid) = self.first_of(&from, cell, digits, limits, &mut asked)? {
                if self.finds_smallest {
                    return Ok(Some(grid));
                }
                let from = prefix(marks, &grid, cell + 1);
                return self.smallest(&from, grid, limits).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes a solution the smallest that `marks` have.
    fn smallest(&mut self, marks: &Marks, known: Grid, limits: Limits) -> Result<Grid, Unanswered> {
        self.refined.clear();
        self.refined.push(Refined::new(0, *marks, known));
        while !self.ask() {
            self.answer(limits).map_err(|Stopped| Unanswered::Stopped)?;
        }
        let Refined { known, gave_up, .. } = self.refined[0];
        if gave_up { Err(Unanswered::GaveUp) } else { Ok(known) }
    }

    /// Collects the next questions about all puzzles; whether some puzzle has no more.
    fn ask(&mut self) -> bool {
        self.questions.clear();
        let mut is_done = false;
        for refined in &mut self.refined {
            refined.ask(&mut self.questions);
            is_done |= refined.is_done();
        }
        is_done
    }

    /// Has the questions answered.
    fn answer(&mut self, limits: Limits) -> Result<(), Stopped> {
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        self.answers.resize(self.questions.len(), Outcome::NONE);
        let answered = self.engine.solve(Batch::Marks(&self.questions), limits, &mut self.answers);
        if answered < self.questions.len() {
            return Err(Stopped);
        }
        for refined in &mut self.refined {
            refined.answer(&self.answers);
        }
        Ok(())
    }

    /// Replaces solutions by the smallest ones; returns how many outcomes are final.
    fn refine(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        let start = Instant::now();
        self.refined.clear();
        let mut next = 0;
        loop {
            while self.refined.len() < AT_ONCE && next < outcomes.len() {
                if self.may_have_smaller(&outcomes[next], limits) {
                    let marks = match batch {
                        Batch::Puzzles(puzzles) => (&puzzles[next]).into(),
                        Batch::Marks(marks) => marks[next],
                    };
                    self.refined.push(Refined::new(next, marks, outcomes[next].grid));
                    let entered_ns = start.elapsed().as_nanos() as u64;
                    outcomes[next].latency_ns = outcomes[next].latency_ns.wrapping_sub(entered_ns);
                }
                next += 1;
            }
            if self.ask() {
                let now_ns = start.elapsed().as_nanos() as u64;
                self.refined.retain(|refined| {
                    let is_done = refined.is_done();
                    if is_done {
                        refined.write(&mut outcomes[refined.place], now_ns);
                    }
                    !is_done
                });
            } else if self.refined.is_empty() {
                return outcomes.len();
            } else if self.answer(limits).is_err() {
                return self.refined.iter().map(|refined| refined.place).min().unwrap_or(next);
            }
        }
    }

    /// A solution of `marks` with the first of these digits in `cell` for which there is one.
    fn first_of(
        &mut self,
        marks: &Marks,
        cell: usize,
        digits: Digits,
        limits: Limits,
        asked: &mut Asked,
    ) -> Result<Option<Grid>, Unanswered> {
        let mut questions = [*marks; 9];
        let mut count = 0;
        for digit in digits.into_iter().filter(|digit| is_free(marks, cell, *digit)) {
            questions[count].set(cell, Digits::one(digit));
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let mut outcomes = [Outcome::NONE; 9];
        let limits = Limits { nodes: limits.nodes, ..Limits::FIRST };
        let questions = Batch::Marks(&questions[..count]);
        if self.engine.solve(questions, limits, &mut outcomes[..count]) < count {
            return Err(Unanswered::Stopped);
        }
        for outcome in &outcomes[..count] {
            asked.guesses += outcome.guesses;
            asked.nodes += outcome.nodes;
        }
        for outcome in &outcomes[..count] {
            if outcome.solutions > 0 {
                return Ok(Some(outcome.grid));
            }
            if outcome.gave_up {
                return Err(Unanswered::GaveUp);
            }
        }
        Ok(None)
    }

    /// Whether the engine's solution need not be the smallest.
    fn may_have_smaller(&self, outcome: &Outcome, limits: Limits) -> bool {
        // A search that ended by itself has seen every solution.
        let is_only = outcome.solutions < limits.solutions.get() && !outcome.gave_up;
        !self.finds_smallest && (outcome.solutions > 1 || outcome.solutions == 1 && !is_only)
    }
}

/// A puzzle whose smallest solution is looked for, cell by cell.
#[derive(Clone, Debug)]
struct Refined {
    /// The puzzle's place in the batch.
    place: usize,
    marks: Marks,
    /// The smallest solution that is known.
    known: Grid,
    /// The cell that is asked about, or the first one that is not settled.
    cell: usize,
    /// The questions about it: which digits are smaller.
    questions: Range<usize>,
    asked: Asked,
    gave_up: bool,
}

impl Refined {
    fn new(place: usize, marks: Marks, known: Grid) -> Self {
        let asked = Asked::default();
        Self { place, marks, known, cell: 0, questions: 0..0, asked, gave_up: false }
    }

    fn is_done(&self) -> bool {
        self.gave_up || self.cell == CELLS
    }

    /// Adds the next questions: smaller digits in the first cell in which some are free.
    fn ask(&mut self, questions: &mut Vec<Marks>) {
        let start = questions.len();
        while !self.is_done() && questions.len() == start {
            let from = prefix(&self.marks, &self.known, self.cell);
            let digits = self.marks.of_cell(self.cell).below(self.known.cells()[self.cell]);
            for digit in digits.into_iter().filter(|digit| is_free(&from, self.cell, *digit)) {
                let mut question = from;
                question.set(self.cell, Digits::one(digit));
                questions.push(question);
            }
            self.cell += usize::from(questions.len() == start);
        }
        self.questions = start..questions.len();
    }

    /// Takes the answers to its questions out of all.
    fn answer(&mut self, answers: &[Outcome]) {
        let answers = &answers[self.questions.clone()];
        for answer in answers {
            self.asked.guesses += answer.guesses;
            self.asked.nodes += answer.nodes;
        }
        if let Some(first) = answers.iter().find(|answer| answer.solutions > 0 || answer.gave_up) {
            self.gave_up = first.solutions == 0;
            self.known = first.grid;
        }
        self.cell += 1;
    }

    /// Replaces the solution of an outcome, which holds its latency less the time that it was entered
    /// at.
    fn write(&self, outcome: &mut Outcome, now_ns: u64) {
        if self.gave_up {
            *outcome = Outcome { grid: Grid::BLANK, solutions: 0, gave_up: true, ..*outcome };
        } else {
            outcome.grid = self.known;
        }
        outcome.guesses += self.asked.guesses;
        outcome.nodes += self.asked.nodes;
        outcome.latency_ns = outcome.latency_ns.wrapping_add(now_ns);
    }
}

impl Engine for LexFirst {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn simd(&self) -> Option<SimdLevel> {
        self.engine.simd()
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.engine.stop_at(stop);
    }

    /// Any other solution: not the smallest one.
    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.engine.solve_other(batch, known, limits, outcomes)
    }

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        let found = self.engine.solve(batch, limits, outcomes);
        self.refine(batch, limits, &mut outcomes[..found])
    }
}

/// What the questions cost.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    guesses: u64,
    nodes: u64,
}

/// The marks, with the digits of a solution in the cells before `cell`.
fn prefix(marks: &Marks, solution: &Grid, cell: usize) -> Marks {
    let mut from = *marks;
    for before in 0..cell {
        from.set(before, Digits::one(solution.cells()[before]));
    }
    from
}

/// Whether no peer of the cell is known to have the digit.
fn is_free(marks: &Marks, cell: usize, digit: u8) -> bool {
    let digit = Digits::one(digit);
    peers(cell).iter().all(|&peer| marks.of_cell(usize::from(peer)) != digit)
}
