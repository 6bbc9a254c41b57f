//! In which ways a batch is searched.

use std::time::Instant;

use lane_kernel::{Kernel, MOST_LANES, SimdLevel};

use super::deferred::DeferredPuzzle;
use super::ordered::{Ordered, Parts};
use super::per_lane::PerLane;
use super::run::{Ended, Job, Memory, Run};
use super::several_rate::SeveralRate;
use super::work_sharing::WorkSharing;
use crate::solver::contract::Question;
use crate::solver::{Batch, Outcome, StopFlag};

/// What searches batches, with all its memory.
pub(super) struct Scheduler<K> {
    memory: Memory<K>,
    work_sharing: WorkSharing,
    per_lane: PerLane,
    parts: Parts,
}

impl<K: Kernel> Scheduler<K> {
    /// Over a kernel with [`pages::MOST`](super::pages::MOST) pages.
    pub(super) fn new(kernel: K, level: SimdLevel) -> Self {
        let lanes = kernel.lanes();
        Self {
            memory: Memory { kernel, level, several_rate: SeveralRate::UNKNOWN },
            work_sharing: WorkSharing::new(lanes),
            per_lane: PerLane::new(lanes),
            parts: Parts::new(),
        }
    }

    /// Returns how many outcomes are final, from the first.
    pub(super) fn solve(
        &mut self,
        question: &Question<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize {
        let start = Instant::now();
        let mut done = 0;
        while done < outcomes.len() {
            let question = question.part(done..outcomes.len());
            let share = WorkSharing::suits(&question) && self.memory.several_rate.few_several();
            let job = Job { question, outcomes: &mut outcomes[done..], stop, start };
            let ended = if share { self.share_work(job) } else { self.per_lane(job) };
            done += ended.next;
            if ended.stopped {
                break;
            }
        }
        done
    }

    /// Searches as many puzzles of a batch together as it pays for.
    fn share_work(&mut self, mut job: Job<'_>) -> Ended {
        let run = &mut Run::new(&mut self.memory, job.again());
        let mut ended = run.search(&mut self.work_sharing);
        let mut several = std::mem::take(&mut self.work_sharing.deferred);
        let several_rate = self.memory.several_rate;
        for group in several.in_order().chunks(self.memory.kernel.lanes()) {
            if ended.stopped {
                break;
            }
            if let Some(first_open) = self.resolve(&mut job, group) {
                ended = Ended { next: first_open, stopped: true };
            }
        }
        // These puzzles were counted before.
        self.memory.several_rate = several_rate;
        several.clear();
        self.work_sharing.deferred = several;
        ended
    }

    /// Searches puzzles of a batch apart.
    fn per_lane(&mut self, mut job: Job<'_>) -> Ended {
        self.per_lane.begin(&job.question);
        let run = &mut Run::new(&mut self.memory, job.again());
        let mut ended = run.search(&mut self.per_lane);
        let mut many = std::mem::take(&mut self.per_lane.deferred);
        for entry in many.in_order() {
            if ended.stopped {
                break;
            }
            if !self.count_in_order(&mut job, *entry) {
                ended = Ended { next: entry.puzzle, stopped: true };
            }
        }
        many.clear();
        self.per_lane.deferred = many;
        ended
    }

    /// Searches deferred puzzles apart, one for each lane; if asked to stop, returns the first one
    /// whose outcome is not final.
    #[cold]
    fn resolve(&mut self, job: &mut Job<'_>, group: &[DeferredPuzzle]) -> Option<usize> {
        let start = Instant::now();
        let mut found = [Outcome::NONE; MOST_LANES];
        let found = &mut found[..group.len()];
        let mut which = [0; MOST_LANES];
        for (which, entry) in which.iter_mut().zip(group) {
            *which = entry.puzzle;
        }
        let (limits, stop) = (job.question.limits, job.stop);
        let mut search = |batch: Batch<'_>| {
            let question = Question::all(batch.part(0..group.len()), limits);
            self.per_lane(Job { question, outcomes: found, stop, start })
        };
        let ended = match job.question.batch {
            Batch::Puzzles(all) => search(Batch::Puzzles(&which.map(|i| all[i]))),
            Batch::Marks(all) => search(Batch::Marks(&which.map(|i| all[i]))),
        };
        let start_ns = start.duration_since(job.start).as_nanos() as u64;
        for (entry, found) in group.iter().zip(&found[..ended.next]) {
            let latency_ns = found.latency_ns + start_ns - entry.entered_ns;
            job.outcomes[entry.puzzle] = Outcome { latency_ns, ..*found };
        }
        ended.stopped.then(|| group[ended.next].puzzle)
    }

    /// Counts the solutions of a deferred puzzle in all lanes, of which the first is in its outcome;
    /// whether the outcome is final.
    #[cold]
    fn count_in_order(&mut self, job: &mut Job<'_>, deferred: DeferredPuzzle) -> bool {
        let DeferredPuzzle { puzzle, entered_ns } = deferred;
        let alone = Job {
            question: job.question.part(puzzle..puzzle + 1),
            outcomes: &mut job.outcomes[puzzle..=puzzle],
            ..*job
        };
        let run = Run::new(&mut self.memory, alone);
        let Some(counted) = Ordered::new(run, &mut self.parts).count() else { return false };
        let outcome = &mut job.outcomes[puzzle];
        outcome.solutions = counted.solutions;
        outcome.gave_up = false;
        outcome.guesses = counted.effort.guesses;
        outcome.nodes = counted.effort.nodes;
        outcome.latency_ns = job.start.elapsed().as_nanos() as u64 - entered_ns;
        true
    }

    /// From now on this is expected of puzzles.
    #[cfg(test)]
    pub(super) fn expect(&mut self, several_rate: SeveralRate) {
        self.memory.several_rate = several_rate;
    }
}
