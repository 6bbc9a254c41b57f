//! Many rows at once, which an engine solves as batches.

use std::mem;
use std::ops::Range;

use super::order::RemovalOrder;
use super::recipe::Recipe;
use super::reduction::{Next, Reduction};
use super::{Generator, kinds, narrow};
use crate::puzzle::{Grid, Puzzle};
use crate::random::SeededRng;
use crate::solver::{Batch, Limits, Outcome, StopFlag};

/// Rows in flight: enough to keep all lanes busy, few enough for the caches.
const AT_ONCE: usize = 256;
/// Grids that are drawn for a row between two checks of the stop flag.
const DRAWS: usize = 1024;

/// A row in progress. It is large and moves from list to list.
#[derive(Debug)]
pub struct InFlight {
    place: usize,
    random: SeededRng,
    reduction: Reduction,
}

/// Buffers for a round.
#[derive(Debug, Default)]
pub struct Room {
    puzzles: Vec<Puzzle>,
    known: Vec<Grid>,
    outcomes: Vec<Outcome>,
    /// Rows that are fully reduced.
    #[expect(clippy::vec_box, reason = "rows are large and move from list to list")]
    reduced: Vec<Box<InFlight>>,
}

struct Stopped;

impl InFlight {
    /// Begins the row at this place with a random grid.
    fn begin(
        place: usize,
        mut random: SeededRng,
        recipe: &Recipe,
        stop: &StopFlag,
    ) -> Result<Box<Self>, Stopped> {
        let allowed = recipe.pattern.mask();
        let is_narrow = allowed.count_ones() <= narrow::MOST_CELLS;
        loop {
            if stop.is_requested() {
                return Err(Stopped);
            }
            for _ in 0..DRAWS {
                let solution = if is_narrow {
                    let found = narrow::search(allowed, recipe.grids, &mut random, stop);
                    found.ok_or(Stopped)?
                } else {
                    recipe.grids.fill(&mut random)
                };
                let order = RemovalOrder::random(recipe.symmetry, allowed, &mut random);
                if let Some(reduction) = Reduction::new(solution, order) {
                    return Ok(Box::new(Self { place, random, reduction }));
                }
            }
        }
    }
}

impl Generator {
    /// Makes rows by removing clues; fewer if it is stopped.
    pub(super) fn reduce_all(
        &mut self,
        recipe: &Recipe,
        seed: u64,
        indices: Range<u64>,
    ) -> Vec<Puzzle> {
        let mut made = Vec::new();
        self.rows.clear();
        if self.try_reduce_all(recipe, seed, indices, &mut made).is_err() {
            // Keeps the rows before the first missing one.
            let missing = made.iter().position(|&puzzle| puzzle == Puzzle::EMPTY);
            made.truncate(missing.unwrap_or(made.len()));
        }
        made
    }

    fn try_reduce_all(
        &mut self,
        recipe: &Recipe,
        seed: u64,
        indices: Range<u64>,
        made: &mut Vec<Puzzle>,
    ) -> Result<(), Stopped> {
        let mut waiting = indices.enumerate();
        loop {
            while self.rows.len() < AT_ONCE
                && let Some((place, index)) = waiting.next()
            {
                made.push(Puzzle::EMPTY);
                let random = SeededRng::of_row(seed, index);
                self.rows.push(InFlight::begin(place, random, recipe, &self.stop)?);
            }
            if self.rows.is_empty() {
                return Ok(());
            }
            self.search(recipe)?;
            self.finish(recipe, made)?;
        }
    }

    /// Runs the searches of all rows, and moves fully reduced rows to their list.
    fn search(&mut self, recipe: &Recipe) -> Result<(), Stopped> {
        let Self { engine, stop, rows, room, .. } = self;
        let Room { puzzles, known, outcomes, reduced } = room;
        puzzles.clear();
        known.clear();
        for row in &*rows {
            puzzles.push(*row.reduction.puzzle());
            known.push(*row.reduction.solution());
        }
        outcomes.resize(rows.len(), Outcome::NONE);
        let batch = Batch::Puzzles(puzzles);
        if engine.solve_other(batch, known, Limits::FIRST, outcomes) < rows.len() {
            return Err(Stopped);
        }
        for (mut row, outcome) in mem::take(rows).into_iter().zip(&*outcomes) {
            match row.reduction.learn(outcome.solution()) {
                Next::Search => rows.push(row),
                Next::Done => reduced.push(row),
                Next::Impossible => {
                    rows.push(InFlight::begin(row.place, row.random, recipe, stop)?);
                }
            }
        }
        Ok(())
    }

    /// Finishes reduced rows; those that do not fit the recipe are restarted.
    fn finish(&mut self, recipe: &Recipe, made: &mut [Puzzle]) -> Result<(), Stopped> {
        let reduced = mem::take(&mut self.room.reduced);
        if recipe.needs_guesses() {
            self.count_guesses(&reduced)?;
        }
        for (i, mut row) in reduced.into_iter().enumerate() {
            if self.stop.is_requested() {
                return Err(Stopped);
            }
            let (puzzle, solution) = (row.reduction.puzzle(), row.reduction.solution());
            let fits = recipe.fits(puzzle)
                && (!recipe.needs_guesses()
                    || recipe.guesses.contains(&self.room.outcomes[i].guesses));
            let random = &mut row.random;
            let found = fits
                .then(|| kinds::of_minimal(recipe.kind, puzzle.0, &solution.0, random, &self.stop));
            if let Some(cells) = found.flatten() {
                made[row.place] = Puzzle(cells);
            } else {
                self.rows.push(InFlight::begin(row.place, row.random, recipe, &self.stop)?);
            }
        }
        Ok(())
    }

    /// Solves the reduced puzzles to count their guesses.
    fn count_guesses(&mut self, reduced: &[Box<InFlight>]) -> Result<(), Stopped> {
        let Room { puzzles, outcomes, .. } = &mut self.room;
        puzzles.clear();
        puzzles.extend(reduced.iter().map(|row| *row.reduction.puzzle()));
        outcomes.resize(puzzles.len(), Outcome::NONE);
        let solved = self.engine.solve(Batch::Puzzles(puzzles), Limits::PROOF, outcomes);
        if solved < puzzles.len() { Err(Stopped) } else { Ok(()) }
    }
}
