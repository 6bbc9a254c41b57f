//! The job that generates puzzles.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::solve::Solver;
use super::{Job, PropertyEngine, Solve, Stopped};
use crate::generate::{Generator, Kind, Pattern, Recipe, Yield};
use crate::input::Records;
use crate::output::Results;
use crate::pipeline::block::Block;
use crate::pipeline::sources::Ranges;
use crate::puzzle::Puzzle;
use crate::solver::StopFlag;

/// A job that generates the puzzles of a seeded corpus and solves them.
pub struct Generate {
    /// The job that solves the puzzles.
    pub solve: Solve,
    /// The requirements for the puzzles.
    pub recipe: Recipe,
    /// The seed of the corpus.
    pub seed: u64,
    /// The starting puzzles of the search for hard puzzles; if empty, it starts at random puzzles.
    pub pool: Arc<[Puzzle]>,
    /// The number of puzzles drawn, and how many meet the requirements.
    pub yields: Arc<Yield>,
}

impl Generate {
    /// Returns the source of blocks for a range of puzzles of the corpus.
    ///
    /// The size of blocks does not depend on the number of threads, so neither do compressed rows.
    /// Slow recipes use small blocks, so that a stopped run loses little.
    pub fn source(&self, puzzles: Range<u64>) -> Ranges {
        let plain =
            Recipe { kind: self.recipe.kind, grids: self.recipe.grids, ..Recipe::default() };
        let max = match self.recipe.kind {
            Kind::Hard => 4,
            _ if self.recipe.pattern != Pattern::ALL => 4,
            _ if self.recipe != plain => 64,
            _ => 1024,
        };
        let count = puzzles.end.saturating_sub(puzzles.start);
        let per_block = (count / 32).next_power_of_two().clamp(max.min(64), max);
        Ranges::new(puzzles, per_block)
    }
}

impl Job for Generate {
    type Worker = (Generator, Solver);

    fn worker(&self, stop: &StopFlag) -> Self::Worker {
        let mut generator =
            Generator::with((self.solve.engine)()).from_pool(Arc::clone(&self.pool));
        generator = generator.counting(Arc::clone(&self.yields));
        generator.stop_at(stop.clone());
        (generator, self.solve.worker(stop))
    }

    fn run(
        &self,
        (generator, solver): &mut Self::Worker,
        block: &Block,
        records: &mut Records,
        results: &mut Results,
    ) -> ControlFlow<Stopped> {
        let puzzles =
            generator.puzzles(&self.recipe, self.seed, block.first..block.first + block.count);
        if (puzzles.len() as u64) < block.count {
            return ControlFlow::Break(Stopped);
        }
        results.seed = Some(self.seed);
        puzzles.iter().for_each(|puzzle| records.push_generated(puzzle));
        self.solve.run(solver, block, records, results)
    }

    fn engine<'w>(&self, (_, solver): &'w mut Self::Worker) -> Option<PropertyEngine<'w>> {
        self.solve.engine(solver)
    }
}
