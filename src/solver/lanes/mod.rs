//! The engine `lanes`: many puzzles at once, one in each lane of the vector.
//!
//! All that is vectors is in the crate `lane-kernel`: cells, rules, the choice of a branch, alternatives that
//! wait. Here is the scheduler, which says what each lane does next. It moves masks and numbers.
//!
//! Entries are swept together until most of them need no more; the others go into work lanes ([`run`]),
//! each of which is at its own point of a search. Three policies say which lane takes which node:
//! [`work_sharing`], [`per_lane`] and [`ordered`]. The outcome is the same.
//!
//! `docs/lane-engine.md` explains it all, `docs/lab-notes.md` says what was tried.

mod ordered;
mod pages;
mod per_lane;
mod run;
mod scheduler;
mod searches;
#[cfg(test)]
mod tests;
mod work_sharing;

use lane_kernel::LaneKernel;

use self::scheduler::Scheduler;
use super::contract::Question;
use super::{Engine, Outcome, StopFlag};
use crate::simd::SimdLevel;

/// Many puzzles at once, one in each lane of the vector.
pub struct Lanes {
    level: SimdLevel,
    scheduler: Scheduler<LaneKernel>,
    stop: StopFlag,
}

impl Lanes {
    /// An engine for this vector level, ready for its first batch.
    pub fn new(level: SimdLevel) -> Self {
        let kernel = LaneKernel::new(level, pages::MAX_PAGES);
        Self { level, scheduler: Scheduler::new(kernel, level), stop: StopFlag::default() }
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

    fn answer(&mut self, question: &Question<'_>, outcomes: &mut [Outcome]) -> usize {
        self.scheduler.solve(question, &self.stop, outcomes)
    }
}
