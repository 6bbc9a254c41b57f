//! The engine `lanes`: many puzzles at once, one per lane of the vector.
//!
//! All vector code is in the crate `lane-kernel`: cells, rules, the choice of a branch, and pending
//! alternatives. This module is the scheduler, which decides what each lane does next. It only
//! handles masks and indices.
//!
//! New puzzles are swept together until most of them are solved, failed, or stuck. The others move
//! to work lanes ([`run`]), each of which is at a different point of a search. Three policies
//! decide which lane searches which node: [`work_sharing`], [`per_lane`], and [`ordered`]. They all
//! yield the same outcomes.
//!
//! `docs/lane-engine.md` explains the engine, and `docs/lab-notes.md` lists what was tried.

mod ordered;
mod pages;
mod per_lane;
mod run;
mod scheduler;
mod searches;
#[cfg(test)]
mod tests;
mod walks;
mod work_sharing;

use lane_kernel::LaneKernel;

use self::scheduler::Scheduler;
use super::contract::Query;
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::puzzle::Grid;
use crate::simd::SimdLevel;

/// The engine `lanes`, which solves many puzzles at once, one per lane of the vector.
pub struct Lanes {
    level: SimdLevel,
    scheduler: Scheduler<LaneKernel>,
    stop: StopFlag,
}

impl Lanes {
    /// Returns an engine for this SIMD level.
    pub fn new(level: SimdLevel) -> Self {
        let kernel = LaneKernel::new(level, pages::MAX_PAGES);
        Self { level, scheduler: Scheduler::new(kernel, level), stop: StopFlag::default() }
    }

    /// Lists the solutions of each puzzle of a batch, up to a limit, with the index of the puzzle.
    /// Those of a puzzle are in the order of the search.
    ///
    /// Returns the number of final outcomes, like [`Engine::solve`]. Their grids are unspecified.
    ///
    /// # Panics
    /// When the numbers of outcomes and puzzles differ.
    pub fn list(
        &mut self,
        batch: Batch<'_>,
        limits: Limits,
        outcomes: &mut [Outcome],
        list: &mut Vec<(usize, Grid)>,
    ) -> usize {
        assert_eq!(batch.len(), outcomes.len(), "one outcome for each puzzle");
        let query = Query { batch, limits, known: None };
        self.scheduler.list(&query, &self.stop, outcomes, list)
    }
}

impl Engine for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn simd(&self) -> Option<SimdLevel> {
        Some(self.level)
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        self.scheduler.solve(query, &self.stop, outcomes)
    }
}
