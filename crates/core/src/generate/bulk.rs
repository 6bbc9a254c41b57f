//! Generates many rows at a time, whose searches an engine solves as batches.

use std::mem;

use super::order::RemovalOrder;
use super::recipe::Recipe;
use super::reduction::Reduction;
use super::{Cells, Generator, Kind, Pattern, Yield, kinds, narrow};
use crate::puzzle::{Grid, Puzzle};
use crate::random::SeededRng;
use crate::solver::{Batch, Limits, Outcome, StopFlag};

/// Number of rows in progress: enough to keep all lanes busy, few enough for the caches.
const ROWS_IN_PROGRESS: usize = 256;

/// A row in progress. It is large and moves from list to list, so it is boxed.
#[derive(Debug)]
pub struct RowInProgress {
    place: usize,
    random: SeededRng,
    reduction: Reduction,
}

/// Buffers that are reused for each batch.
#[derive(Debug, Default)]
pub struct BatchBuffers {
    puzzles: Vec<Puzzle>,
    known: Vec<Grid>,
    outcomes: Vec<Outcome>,
    /// Rows that are fully reduced.
    #[expect(clippy::vec_box, reason = "rows are large and move from list to list")]
    reduced: Vec<Box<RowInProgress>>,
}

struct GeneratorStopped;

impl RowInProgress {
    /// Starts the row at this place in the result with a random grid.
    fn begin(
        place: usize,
        mut random: SeededRng,
        recipe: &Recipe,
        yields: &Yield,
        stop: &StopFlag,
    ) -> Result<Box<Self>, GeneratorStopped> {
        let allowed = recipe.pattern.mask();
        if stop.is_requested() {
            return Err(GeneratorStopped);
        }
        let solution = if recipe.pattern == Pattern::ALL {
            yields.add(1, 0);
            recipe.grids.fill(&mut random)
        } else {
            let found = narrow::search(allowed, recipe.grids, &mut random, yields, stop);
            found.ok_or(GeneratorStopped)?
        };
        let kind = (recipe.removal, recipe.symmetry);
        let order = RemovalOrder::random(kind, allowed, &solution, &mut random);
        let reduction = Reduction::new(solution, order);
        Ok(Box::new(Self { place, random, reduction }))
    }
}

impl RowInProgress {
    /// Returns the reduced puzzle, with more clues if they need not be minimal; `None` if they
    /// cannot be as many as requested.
    fn with_requested_clues(&mut self, recipe: &Recipe) -> Option<Cells> {
        let (puzzle, solution) = (self.reduction.puzzle().0, &self.reduction.solution().0);
        let Recipe { kind, clues, symmetry, .. } = recipe;
        match kind {
            Kind::Unique => {
                kinds::with_more_clues(puzzle, solution, clues, *symmetry, &mut self.random)
            }
            _ => Some(puzzle),
        }
    }
}

impl Generator {
    /// Generates rows by removing clues; fewer if the generator is stopped.
    pub(super) fn reduce_all(
        &mut self,
        recipe: &Recipe,
        streams: impl Iterator<Item = SeededRng>,
    ) -> Vec<Puzzle> {
        let mut generated = Vec::new();
        self.rows.clear();
        self.buffers.reduced.clear();
        if self.try_reduce_all(recipe, streams, &mut generated).is_err() {
            // Keep the rows before the first missing one.
            let missing = generated.iter().position(|&puzzle| puzzle == Puzzle::EMPTY);
            generated.truncate(missing.unwrap_or(generated.len()));
        }
        generated
    }

    fn try_reduce_all(
        &mut self,
        recipe: &Recipe,
        streams: impl Iterator<Item = SeededRng>,
        generated: &mut Vec<Puzzle>,
    ) -> Result<(), GeneratorStopped> {
        let mut waiting = streams.enumerate();
        loop {
            while self.rows.len() < ROWS_IN_PROGRESS
                && let Some((place, random)) = waiting.next()
            {
                generated.push(Puzzle::EMPTY);
                self.rows.push(RowInProgress::begin(
                    place,
                    random,
                    recipe,
                    &self.yields,
                    &self.stop,
                )?);
            }
            if self.rows.is_empty() {
                return Ok(());
            }
            self.search()?;
            self.finish(recipe, generated)?;
        }
    }

    /// Runs one search per row, and moves fully reduced rows to their list.
    fn search(&mut self) -> Result<(), GeneratorStopped> {
        let Self { engine, rows, buffers, .. } = self;
        let BatchBuffers { puzzles, known, outcomes, reduced } = buffers;
        puzzles.clear();
        known.clear();
        for row in &*rows {
            puzzles.push(*row.reduction.puzzle());
            known.push(*row.reduction.solution());
        }
        outcomes.resize(rows.len(), Outcome::NONE);
        let batch = Batch::Puzzles(puzzles);
        if engine.solve_other(batch, known, Limits::FIRST, outcomes) < rows.len() {
            return Err(GeneratorStopped);
        }
        for (mut row, outcome) in mem::take(rows).into_iter().zip(&*outcomes) {
            let must_search = row.reduction.learn(outcome.solution());
            if must_search { rows.push(row) } else { reduced.push(row) }
        }
        Ok(())
    }

    /// Finishes reduced rows; those that do not match the recipe are restarted.
    fn finish(
        &mut self,
        recipe: &Recipe,
        generated: &mut [Puzzle],
    ) -> Result<(), GeneratorStopped> {
        for mut row in mem::take(&mut self.buffers.reduced) {
            if self.stop.is_requested() {
                return Err(GeneratorStopped);
            }
            let puzzle =
                row.with_requested_clues(recipe).filter(|cells| recipe.fits(&Puzzle(*cells)));
            let solution = *row.reduction.solution();
            let random = &mut row.random;
            let found = puzzle
                .and_then(|cells| kinds::from_minimal(recipe.kind, cells, &solution.0, random));
            if let Some(cells) = found {
                self.yields.add(0, 1);
                generated[row.place] = Puzzle(cells);
            } else {
                let RowInProgress { place, random, .. } = *row;
                let next = RowInProgress::begin(place, random, recipe, &self.yields, &self.stop);
                self.rows.push(next?);
            }
        }
        Ok(())
    }
}
