//! The job that draws isomorphs of puzzles.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::classify::classify;
use super::{Job, Worker, derive_rows};
use crate::output::{Derived, Row};
use crate::pipeline::{BLOCK_BYTES, Work};
use crate::sets::{Hashes, Seen};
use bulkdoku_core::check::{self, Mismatch};
use bulkdoku_core::isomorph::{Kinds, Permutation, SeededRng};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::text::Line;
use bulkdoku_core::{Grid, Puzzle, Status, StopFlag, forms};

/// The number of draws per known isomorph without a new one after which a puzzle is assumed to have
/// no more. The probability of an error is e⁻⁶⁴.
const MAX_DRAWS: usize = 64;

/// A job that draws random isomorphs of each record, applied to the puzzle and the input's
/// solution, which keep their forms and places. A record whose solution is wrong, or cannot be written
/// in its form, has the status `mismatch` and no rows. Without an engine, the solution is not proved to
/// be unique.
///
/// Isomorphs depend on the seed, the index of the input, and the line, but not on how many are
/// drawn. They differ from each other and from the record. A puzzle with fewer isomorphs has fewer
/// rows.
#[derive(Clone, Debug)]
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
    /// What the rows have that is not of the isomorph.
    pub leftovers: Arc<Leftovers>,
}

/// What rows of isomorphs have that is not of the isomorph, as far as one record per block shows.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// A bit for each of the first 64 kept fields that has the cells of the record or of its solution,
    /// but is not the one that is replaced.
    fields: AtomicU64,
    /// Whether solved cells have become clues.
    has_placed: AtomicBool,
}

/// The longest text that is searched for cells.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

impl Leftovers {
    /// Returns the indices of the kept fields that have the cells of a record.
    pub fn fields(&self) -> impl Iterator<Item = usize> {
        let fields = self.fields.load(Ordering::Relaxed);
        (0..64).filter(move |field| fields >> field & 1 != 0)
    }

    /// Returns whether solved cells have become clues.
    pub fn has_placed(&self) -> bool {
        self.has_placed.load(Ordering::Relaxed)
    }

    /// Looks for the cells of a record in its other kept fields.
    fn search(&self, row: &Row<'_>, puzzle: &Puzzle) {
        let kept_cells = &row.rows.records.kept_cells;
        let is_replaced =
            |field: usize| kept_cells.iter().flatten().any(|cells| cells.field == field);
        let solution = solution(row.answer()).map(|grid| grid.cells().map(|digit| b'0' + digit));
        let is_own = |cells: &Line| *cells == puzzle.text() || solution == Some(*cells);
        for (number, text) in row.kept_texts().enumerate().take(64) {
            if !is_replaced(number)
                && (CELLS..MAX_SEARCHED_BYTES).contains(&text.len())
                && forms::grids(&text).iter().any(is_own)
            {
                self.fields.fetch_or(1 << number, Ordering::Relaxed);
            }
        }
    }
}

/// The progress of [`Augment`].
struct Augmenter<'j> {
    job: &'j Augment,
    /// The puzzle of the current record, if it is valid, and its solution in the input.
    puzzle: Option<Puzzle>,
    solution: Option<Grid>,
    blank: u8,
    rng: SeededRng,
    /// The hashes of the current record and its isomorphs so far.
    seen: Hashes,
}

impl Job for Augment {
    fn start<'j>(&'j self, _: &StopFlag) -> Box<dyn Worker + 'j> {
        let (rng, seen) = (SeededRng::of_stream(self.seed, [0; 3]), Hashes::default());
        Box::new(Augmenter { job: self, puzzle: None, solution: None, blank: b'.', rng, seen })
    }

    fn block_bytes(&self) -> usize {
        (BLOCK_BYTES / self.times.max(1) as usize).max(128)
    }
}

impl Worker for Augmenter<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        classify(&work.records, &mut work.results);
        compare_solutions(self.job.hints.1 > 0, work);
        if !work.records.givens.is_empty() {
            self.job.leftovers.has_placed.store(true, Ordering::Relaxed);
        }
        let rows = work.rows();
        if let Some(first) = rows.records().find(|row| row.status() == Status::Ok)
            && let Some(puzzle) = first.puzzle()
        {
            self.job.leftovers.search(&first, &puzzle);
        }
        Ok(())
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let source = work.block.source as u64;
        derive_rows(work, |row, copy| {
            if copy == 0 {
                self.puzzle = valid_puzzle(row);
                self.solution = solution(row.answer());
                self.blank = blank_of(row);
                self.rng = SeededRng::of_stream(self.job.seed, [source, row.line(), 0]);
                self.seen.clear();
                self.seen.extend(self.puzzle.as_ref().map(Seen::hash));
            }
            Ok(self.next(copy + u32::from(!self.job.original)))
        })
    }
}

/// Returns the puzzle of a valid record that has rows.
pub(super) fn valid_puzzle(row: &Row<'_>) -> Option<Puzzle> {
    let has_rows = row.rows.results.destination(row.index).is_some();
    row.puzzle().filter(|_| has_rows && row.status() == Status::Ok)
}

/// Returns the first blank of a record as written, which blanks of derived rows are as well.
pub(super) fn blank_of(row: &Row<'_>) -> u8 {
    row.text().iter().find(|byte| !matches!(byte, b'1'..=b'9')).copied().unwrap_or(b'.')
}

pub(super) fn cells_with(blank: u8, puzzle: &Puzzle) -> [u8; CELLS] {
    puzzle.text().map(|cell| if cell == b'.' { blank } else { cell })
}

/// Compares the input's solutions with the clues. Valid records have a correct one or, unless
/// solutions are required, none.
pub(super) fn compare_solutions(are_required: bool, work: &mut Work) {
    if work.records.answers.is_empty() {
        return;
    }
    let rows = work.rows();
    let mismatch = |row: &Row<'_>| {
        let answer = row.answer().trim_ascii();
        let is_compared = row.status() == Status::Ok && (are_required || !answer.is_empty());
        let puzzle = row.puzzle().filter(|_| is_compared)?;
        if !check::solves(&puzzle, answer)
            && let Err(mismatch) = check::compare(&(&puzzle).into(), answer)
        {
            return Some(mismatch);
        }
        let solution = solution(answer).filter(|_| answer.len() != CELLS)?;
        (!row.has_writable_answer(&solution)).then_some(Mismatch::Form)
    };
    let mismatches = rows.records().filter_map(|row| mismatch(&row).map(|it| (row.index, it)));
    for (index, mismatch) in mismatches.collect::<Vec<_>>() {
        work.results.statuses[index] = Status::Mismatch;
        work.results.reasons.push(mismatch.to_string());
    }
}

impl Augmenter<'_> {
    /// Returns a row of the current record; 0 is the record itself.
    fn next(&mut self, copy: u32) -> Option<Derived> {
        let puzzle = self.puzzle?;
        if copy == 0 {
            return Some(self.row(copy, &puzzle, self.solution));
        }
        if copy > self.job.times {
            return None;
        }
        for _ in 0..MAX_DRAWS * copy as usize {
            let permutation = Permutation::of_kinds(&mut self.rng, self.job.kinds);
            let (mut isomorph, solution) = match &self.solution {
                None => (permutation.puzzle(&puzzle), None),
                Some(solution) => {
                    let (puzzle, solution) = permutation.puzzle_and_grid(&puzzle, solution);
                    (puzzle, Some(solution))
                }
            };
            if let Some(solution) = solution {
                self.add_hints(&mut isomorph, &solution);
            }
            if self.seen.insert(Seen::hash(&isomorph)) {
                return Some(self.row(copy, &isomorph, solution));
            }
        }
        None
    }

    /// Copies cells of the solution to blank cells.
    fn add_hints(&mut self, puzzle: &mut Puzzle, solution: &Grid) {
        let (least, largest) = self.job.hints;
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

    fn row(&self, copy: u32, puzzle: &Puzzle, solution: Option<Grid>) -> Derived {
        let cells = Some(cells_with(self.blank, puzzle));
        Derived { copy, cells, solution, ..Derived::default() }
    }
}

/// Parses a complete solution in any form.
fn solution(text: &[u8]) -> Option<Grid> {
    let cells = check::read(text.trim_ascii()).ok()?;
    Grid::try_from(*cells.cells()).ok().filter(|grid| *grid != Grid::BLANK)
}
