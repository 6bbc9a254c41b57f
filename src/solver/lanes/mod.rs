//! The engine `lanes`: many puzzles at once, one in each lane of the vector.
//!
//! Fast solvers of one puzzle at a time spend the vector, or tables, inside that puzzle. A batch has
//! something that they lack: more puzzles. The [kernel](lane_kernel) holds one puzzle in each 16-bit
//! lane of a vector and applies every rule to all of them, without a branch, a table or a shuffle. The
//! [scheduler] says which lane does what next: it is ordinary code without vectors.

mod entry;
mod order;
mod policy;
mod rate;
mod scheduler;
#[cfg(test)]
mod tests;
mod waiting;

use self::scheduler::Scheduler;
use super::contract::Question;
use super::{Batch, Engine, Limits, Outcome, StopFlag};
use crate::puzzle::Grid;
use crate::simd::SimdLevel;

/// Many puzzles at once, one in each lane of the vector.
pub struct Lanes {
    level: SimdLevel,
    scheduler: Scheduler,
    stop: StopFlag,
}

impl Lanes {
    /// An engine for this vector level, ready for its first batch.
    pub fn new(level: SimdLevel) -> Self {
        let scheduler = Scheduler::new(lane_kernel::kernel(level));
        Self { level, scheduler, stop: StopFlag::default() }
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

    fn solve(&mut self, batch: Batch<'_>, limits: Limits, outcomes: &mut [Outcome]) -> usize {
        self.scheduler.solve(Question::all(batch, limits), &self.stop, outcomes)
    }

    fn solve_other(
        &mut self,
        batch: Batch<'_>,
        known: &[Grid],
        limits: Limits,
        outcomes: &mut [Outcome],
    ) -> usize {
        self.scheduler.solve(Question::other(batch, known, limits), &self.stop, outcomes)
    }
}
