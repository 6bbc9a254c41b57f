//! The job that draws isomorphs of puzzles.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::classify::classify;
use super::{Job, Worker, derive_rows};
use crate::input::{Record, Records, Unit};
use crate::output::{Derived, Results, has_writable_answer};
use crate::pipeline::{BLOCK_BYTES, Block, Work};
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
    fn search(
        &self,
        (records, index): (&Records, usize),
        block: &Block,
        puzzle: &Puzzle,
        solution: Option<&Grid>,
    ) {
        let is_replaced =
            |field: usize| records.kept_cells.iter().flatten().any(|cells| cells.field == field);
        let solution = solution.map(|grid| grid.cells().map(|digit| b'0' + digit));
        let is_own = |cells: &Line| *cells == puzzle.text() || solution == Some(*cells);
        let fields = if records.unit == Unit::Row {
            let field = |number| block.contents.field(index, number).0;
            (0..block.contents.fields()).map(field).collect::<Vec<_>>()
        } else {
            let fields = records.kept_fields(index).iter();
            fields.map(|field| field.text(block.filled())).collect()
        };
        for (number, text) in fields.iter().enumerate().take(64) {
            if !is_replaced(number)
                && (CELLS..MAX_SEARCHED_BYTES).contains(&text.len())
                && forms::grids(text).iter().any(is_own)
            {
                self.fields.fetch_or(1 << number, Ordering::Relaxed);
            }
        }
    }
}

/// The progress of [`Augment`] within a block.
struct Augmenter<'j> {
    job: &'j Augment,
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
    fn start<'j>(&'j self, _: &StopFlag) -> Box<dyn Worker + 'j> {
        Box::new(Augmenter { job: self, record: 0, drawn: None, seen: Hashes::default() })
    }

    fn block_bytes(&self) -> usize {
        (BLOCK_BYTES / self.times.max(1) as usize).max(128)
    }
}

impl Worker for Augmenter<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        (self.record, self.drawn) = (0, None);
        let Work { block, records, results, .. } = work;
        classify(records, results);
        compare_solutions(self.job.hints.1 > 0, block, records, results);
        if !records.givens.is_empty() {
            self.job.leftovers.has_placed.store(true, Ordering::Relaxed);
        }
        let first = results.statuses.iter().position(|status| *status == Status::Ok);
        let record = first.and_then(|index| records.all.iter().nth(index));
        if let Some((index, record)) = first.zip(record)
            && let Some(puzzle) = record.puzzle.ok().and_then(|puzzle| records.puzzle(puzzle))
        {
            let solution = solution(records.answer(index, block.filled()));
            let of = (&*records, index);
            self.job.leftovers.search(of, block, &puzzle, solution.as_ref());
        }
        Ok(())
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let Self { job, record, drawn, seen } = self;
        let Work { block, records, results, derived } = work;
        derive_rows(record, block, records, derived, |index, record| {
            if drawn.is_none()
                && let Some(puzzle) = valid_puzzle(index, record, records, results)
            {
                let line = block.first + u64::from(record.line);
                let rng = SeededRng::of_stream(job.seed, [block.source as u64, line, 0]);
                seen.clear();
                seen.insert(Seen::hash(&puzzle));
                let solution = solution(records.answer(index, block.filled()));
                let blank = blank_of(record, block, records);
                *drawn = Some(DrawnIsomorphs { puzzle, solution, blank, rng, rows: 0 });
            }
            let next = drawn.as_mut().and_then(|drawn| drawn.next(job, seen));
            if next.is_none() {
                *drawn = None;
            }
            Ok(next)
        })
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
        let Some(puzzle) = puzzle.filter(|_| is_compared) else { continue };
        let compared = if check::solves(&puzzle, answer) {
            Ok(())
        } else {
            check::compare(&(&puzzle).into(), answer)
        };
        let is_writable = || {
            let solution = solution(answer).filter(|_| answer.len() != CELLS);
            let block = block.filled();
            solution.is_none_or(|grid| has_writable_answer(records, index, block, &grid))
        };
        let mismatch = match compared {
            Err(mismatch) => mismatch,
            Ok(()) if is_writable() => continue,
            Ok(()) => Mismatch::Form,
        };
        results.statuses[index] = Status::Mismatch;
        results.reasons.push(mismatch.to_string());
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

/// Parses a complete solution in any form.
fn solution(text: &[u8]) -> Option<Grid> {
    let cells = check::read(text.trim_ascii()).ok()?;
    Grid::try_from(*cells.cells()).ok().filter(|grid| *grid != Grid::BLANK)
}
