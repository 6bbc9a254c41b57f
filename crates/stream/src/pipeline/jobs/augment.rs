//! The job that draws isomorphs of puzzles.

use std::ops::ControlFlow;

use super::{Classify, DerivedRows, Job, Stopped, derive_rows};
use crate::input::{Record, Records};
use crate::output::{Derived, Results, Timed};
use crate::pipeline::block::{BLOCK_BYTES, Block};
use crate::sets::{Hashes, Seen};
use bulkdoku_core::check;
use bulkdoku_core::isomorph::{Kinds, Permutation, SeededRng};
use bulkdoku_core::puzzle::{CELLS, Grid, Puzzle};
use bulkdoku_core::solver::StopFlag;
use bulkdoku_core::status::Status;

/// The number of draws per known isomorph without a new one after which a puzzle is assumed to have
/// no more. The probability of an error is e⁻⁶⁴.
const MAX_DRAWS: usize = 64;

/// A job that draws random isomorphs of each record, applied to the puzzle and the input's
/// solution. A record whose solution is wrong has the status `mismatch` and no rows. Without an
/// engine, the solution is not proved to be unique.
///
/// Isomorphs depend on the seed, the index of the input, and the line, but not on how many are
/// drawn. They differ from each other and from the record. A puzzle with fewer isomorphs has fewer
/// rows.
#[derive(Clone, Copy, Debug)]
pub struct Augment {
    /// The number of isomorphs of each record.
    pub times: u32,
    /// Whether the record itself is written before its isomorphs.
    pub original: bool,
    /// The seed of the random permutations.
    pub seed: u64,
    /// The kinds of permutations.
    pub kinds: Kinds,
    /// The minimum and maximum number of cells of the solution added to each isomorph. If there are
    /// any, a record without a solution in the input has no rows.
    pub hints: (u8, u8),
}

/// The progress of [`Augment`] within a block.
#[derive(Default)]
pub struct Augmenter {
    /// The index of the current record.
    record: usize,
    /// The isomorphs of the current record, once the first has been drawn.
    drawn: Option<DrawnIsomorphs>,
    /// The hashes of the current record and its isomorphs so far.
    seen: Hashes,
}

struct DrawnIsomorphs {
    puzzle: Puzzle,
    solution: Option<Grid>,
    blank: u8,
    rng: SeededRng,
    /// The number of rows so far, including the record itself even if it is not written.
    rows: u32,
}

impl Job for Augment {
    type Worker = Augmenter;

    fn worker(&self, _: &StopFlag) -> Augmenter {
        Augmenter::default()
    }

    fn run(
        &self,
        augmenter: &mut Augmenter,
        block: &Block,
        records: &mut Records,
        results: &mut Results,
    ) -> ControlFlow<Stopped> {
        (augmenter.record, augmenter.drawn) = (0, None);
        let classify = Classify::default();
        classify.run(&mut None, block, records, results)?;
        results.timed = Timed::Nothing;
        compare_solutions(self.hints.1 > 0, block, records, results);
        ControlFlow::Continue(())
    }

    fn derive(
        &self,
        augmenter: &mut Augmenter,
        block: &Block,
        records: &Records,
        results: &mut Results,
        rows: &mut Vec<Derived>,
    ) -> ControlFlow<Stopped, DerivedRows> {
        let Augmenter { record, drawn, seen } = augmenter;
        derive_rows(record, block, records, rows, |index, record| {
            if drawn.is_none()
                && let Some(puzzle) = valid_puzzle(index, record, records, results)
            {
                let line = block.first + u64::from(record.line);
                let rng = SeededRng::of_stream(self.seed, [block.source as u64, line, 0]);
                seen.clear();
                seen.insert(Seen::hash(&puzzle));
                let solution = solution(records.answer(index, block.filled()));
                let blank = blank_of(record, block, records);
                *drawn = Some(DrawnIsomorphs { puzzle, solution, blank, rng, rows: 0 });
            }
            let next = drawn.as_mut().and_then(|drawn| drawn.next(self, seen));
            if next.is_none() {
                *drawn = None;
            }
            ControlFlow::Continue(next)
        })
    }

    fn block_bytes(&self) -> usize {
        (BLOCK_BYTES / self.times.max(1) as usize).max(128)
    }
}

/// Returns the puzzle of a valid record that has rows.
pub(super) fn valid_puzzle(
    index: usize,
    record: &Record,
    records: &Records,
    results: &Results,
) -> Option<Puzzle> {
    let is_valid = results.statuses[index] == Status::Ok && results.destination(index).is_some();
    record.puzzle.ok().and_then(|puzzle| records.puzzle(puzzle)).filter(|_| is_valid)
}

/// Returns the first blank of a record as written, which blanks of derived rows are as well.
pub(super) fn blank_of(record: &Record, block: &Block, records: &Records) -> u8 {
    let text = records.text(record, block.filled());
    text.iter().find(|byte| !matches!(byte, b'1'..=b'9')).copied().unwrap_or(b'.')
}

/// Returns the cells of a puzzle with this blank.
pub(super) fn cells_with(blank: u8, puzzle: &Puzzle) -> [u8; CELLS] {
    puzzle.text().map(|cell| if cell == b'.' { blank } else { cell })
}

/// Compares the input's solutions with the clues. Valid records have a correct one or, unless
/// solutions are required, none.
pub(super) fn compare_solutions(
    are_required: bool,
    block: &Block,
    records: &Records,
    results: &mut Results,
) {
    if records.answers.is_empty() {
        return;
    }
    for (index, record) in records.all.iter().enumerate() {
        let answer = records.answer(index, block.filled()).trim_ascii();
        let is_compared =
            results.statuses[index] == Status::Ok && (are_required || !answer.is_empty());
        let puzzle = record.puzzle.ok().and_then(|puzzle| records.puzzle(puzzle));
        if let Some(puzzle) = puzzle.filter(|_| is_compared)
            && !check::solves(&puzzle, answer)
            && let Err(mismatch) = check::compare(&(&puzzle).into(), answer)
        {
            results.statuses[index] = Status::Mismatch;
            results.reasons.push(&mismatch, false);
        }
    }
}

impl DrawnIsomorphs {
    /// Returns the next row; `seen` contains the hashes of the earlier rows.
    fn next(&mut self, augment: &Augment, seen: &mut Hashes) -> Option<Derived> {
        if self.rows == 0 {
            self.rows = 1;
            if augment.original {
                return Some(self.row(&self.puzzle, self.solution));
            }
        }
        if self.rows > augment.times {
            return None;
        }
        for _ in 0..MAX_DRAWS * self.rows as usize {
            let permutation = Permutation::of_kinds(&mut self.rng, augment.kinds);
            let (mut isomorph, solution) = match &self.solution {
                None => (permutation.puzzle(&self.puzzle), None),
                Some(solution) => {
                    let (puzzle, solution) = permutation.puzzle_and_grid(&self.puzzle, solution);
                    (puzzle, Some(solution))
                }
            };
            if let Some(solution) = solution {
                self.add_hints(augment.hints, &mut isomorph, &solution);
            }
            if seen.insert(Seen::hash(&isomorph)) {
                self.rows += 1;
                return Some(self.row(&isomorph, solution));
            }
        }
        None
    }

    /// Copies cells of the solution to blank cells.
    fn add_hints(&mut self, (least, largest): (u8, u8), puzzle: &mut Puzzle, solution: &Grid) {
        if largest == 0 {
            return;
        }
        let mut hints = usize::from(least) + self.rng.below(usize::from(largest - least) + 1);
        let mut blanks = CELLS - puzzle.clues();
        for (cell, digit) in puzzle.cells_mut().iter_mut().zip(solution.cells()) {
            if *cell == 0 {
                // All blank cells have the same probability.
                if self.rng.below(blanks) < hints {
                    *cell = *digit;
                    hints -= 1;
                }
                blanks -= 1;
            }
        }
    }

    fn row(&self, puzzle: &Puzzle, solution: Option<Grid>) -> Derived {
        let cells = Some(cells_with(self.blank, puzzle));
        Derived { copy: self.rows - 1, cells, solution, ..Derived::default() }
    }
}

/// Parses a solution; returns `None` if it is not 81 digits.
fn solution(text: &[u8]) -> Option<Grid> {
    let cells: [u8; CELLS] = text.trim_ascii().try_into().ok()?;
    let cells = cells.map(|byte| byte.wrapping_sub(b'0'));
    Grid::try_from(cells).ok().filter(|grid| *grid != Grid::BLANK)
}
