//! Drawing isomorphs of puzzles.

use std::ops::ControlFlow;

use super::{CHUNK_BYTES, Classify, DerivedRows, Job, ROW_BYTES, Stopped};
use crate::canon::Seen;
use crate::input::Records;
use crate::isomorph::{Kinds, Permutation, SeededRng};
use crate::output::{Derived, Results, Timed};
use crate::pipeline::block::{BLOCK_BYTES, Block};
use crate::puzzle::{Grid, Puzzle};
use crate::solver::StopFlag;
use crate::status::Status;

/// After this many draws per known isomorph without a new one, there are no more. The chance that
/// this is wrong is e⁻⁶⁴.
const MAX_DRAWS: usize = 64;

/// Draws random isomorphs of each record, applied to the puzzle and the input's solution.
///
/// They depend on the seed, the index of the input, and the line there. The first ones do not depend
/// on how many there are. All differ from each other and from the record. A puzzle with fewer
/// isomorphs has fewer rows.
#[derive(Clone, Copy, Debug)]
pub struct Augment {
    /// The number of isomorphs of each record.
    pub times: u32,
    /// Whether the record itself comes before them.
    pub original: bool,
    /// The seed of the random permutations.
    pub seed: u64,
    /// The kinds of permutations.
    pub kinds: Kinds,
}

/// The progress of [`Augment`] within a block.
#[derive(Default)]
pub struct Augmenter {
    /// The index of the current record.
    record: usize,
    /// The isomorphs of the current record, once they have begun.
    drawn: Option<Drawn>,
}

/// The isomorphs of a record.
struct Drawn {
    puzzle: Puzzle,
    solution: Option<Grid>,
    rng: SeededRng,
    /// The hashes of the puzzle and its isomorphs so far.
    seen: Seen,
    /// The number of rows so far, the record itself included whether it is written or not.
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
        *augmenter = Augmenter::default();
        let classify = Classify::default();
        classify.run(&mut None, block, records, results)?;
        results.timed = Timed::Nothing;
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
        let mut all = records.all.iter();
        all.skip_records(augmenter.record);
        let mut bytes = 0;
        for record in all {
            let index = augmenter.record;
            let is_augmented =
                results.statuses[index] == Status::Ok && results.destination(index).is_some();
            let puzzle = record.puzzle.ok().and_then(|puzzle| records.puzzle(puzzle));
            if let Some(puzzle) = puzzle.filter(|_| is_augmented) {
                let drawn = augmenter.drawn.get_or_insert_with(|| {
                    let line = block.first + u64::from(record.line);
                    let rng = SeededRng::of_stream(self.seed, [block.source as u64, line, 0]);
                    Drawn::new(puzzle, records.answer(index, block.filled()), rng)
                });
                let row_bytes = ROW_BYTES + records.kept_bytes(index, block.filled());
                while let Some(mut row) = drawn.next(self) {
                    row.record = index as u32;
                    rows.push(row);
                    bytes += row_bytes;
                    if bytes >= CHUNK_BYTES {
                        return ControlFlow::Continue(DerivedRows::More);
                    }
                }
            }
            augmenter.record += 1;
            augmenter.drawn = None;
        }
        ControlFlow::Continue(DerivedRows::Last)
    }

    fn block_bytes(&self) -> usize {
        (BLOCK_BYTES / self.times.max(1) as usize).max(128)
    }
}

impl Drawn {
    fn new(puzzle: Puzzle, answer: &[u8], rng: SeededRng) -> Self {
        let mut seen = Seen::default();
        seen.insert(Seen::hash(&puzzle));
        Self { puzzle, solution: solution(answer), rng, seen, rows: 0 }
    }

    /// Returns the next row, without the index of its record.
    fn next(&mut self, augment: &Augment) -> Option<Derived> {
        if self.rows == 0 {
            self.rows = 1;
            if augment.original {
                return Some(self.row(self.puzzle, self.solution));
            }
        }
        if self.rows > augment.times {
            return None;
        }
        for _ in 0..MAX_DRAWS * self.rows as usize {
            let permutation = Permutation::of_kinds(&mut self.rng, augment.kinds);
            let isomorph = permutation.puzzle(&self.puzzle);
            if self.seen.insert(Seen::hash(&isomorph)) {
                self.rows += 1;
                let solution = self.solution.map(|grid| permutation.grid(&grid));
                return Some(self.row(isomorph, solution));
            }
        }
        None
    }

    fn row(&self, puzzle: Puzzle, solution: Option<Grid>) -> Derived {
        Derived { record: 0, copy: self.rows - 1, cells: Some(puzzle.text()), solution }
    }
}

/// Parses a solution; `None` if it is not 81 digits.
fn solution(text: &[u8]) -> Option<Grid> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| byte - b'0').filter(|&digit| digit > 0);
    let cells: Option<Vec<_>> = text.trim_ascii().iter().map(digit).collect();
    Some(Grid(cells?.try_into().ok()?))
}
