//! The scheduler, which decides how each batch is searched.

use lane_kernel::{Kernel, MAX_LANES, SimdLevel};

use super::ordered::Ordered;
use super::per_lane::PerLane;
use super::run::{BatchJob, BatchState, EnteredPuzzle, MultipleSolutionsRate, SearchEnd};
use super::work_sharing::WorkSharing;
use crate::clock::Instant;
use crate::puzzle::Grid;
use crate::solver::contract::Query;
use crate::solver::{Batch, Outcome, StopFlag};

/// Solves batches; owns all memory.
pub(super) struct Scheduler<K> {
    kernel: K,
    level: SimdLevel,
    multiple_solutions: MultipleSolutionsRate,
    work_sharing: WorkSharing,
    per_lane: PerLane,
    ordered: Ordered,
}

impl<K: Kernel> Scheduler<K> {
    /// Returns a scheduler of a kernel with [`pages::MAX_PAGES`](super::pages::MAX_PAGES) pages.
    pub(super) fn new(kernel: K, level: SimdLevel) -> Self {
        let lanes = kernel.lanes();
        Self {
            kernel,
            level,
            multiple_solutions: MultipleSolutionsRate::INITIAL,
            work_sharing: WorkSharing::new(lanes),
            per_lane: PerLane::NONE,
            ordered: Ordered::new(),
        }
    }

    /// Solves a batch. Returns the number of final outcomes, from the first.
    pub(super) fn solve(
        &mut self,
        query: &Query<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
    ) -> usize {
        let start = Instant::now();
        let mut done = 0;
        while done < outcomes.len() {
            let query = query.part(done..outcomes.len());
            let share = WorkSharing::suits(&query) && self.multiple_solutions.is_low();
            let job = BatchJob { query, outcomes: &mut outcomes[done..], stop, start };
            let ended = if share { self.share_work(job) } else { self.per_lane(job) };
            done += ended.next;
            if ended.stopped {
                break;
            }
        }
        done
    }

    /// Lists solutions, up to the limit for each puzzle. Returns the number of final outcomes, whose
    /// grids are blank.
    pub(super) fn list(
        &mut self,
        query: &Query<'_>,
        stop: &StopFlag,
        outcomes: &mut [Outcome],
        list: &mut Vec<(usize, Grid)>,
    ) -> usize {
        outcomes.fill(Outcome::NONE);
        let job = BatchJob { query: *query, outcomes, stop, start: Instant::now() };
        self.per_lane.begin(query.limits);
        // Many of these puzzles have several solutions, which says nothing about the next batch.
        let mut multiple_solutions = self.multiple_solutions;
        let run = BatchState::new(&mut self.kernel, self.level, &mut multiple_solutions, job);
        run.listing(list).search(&mut self.per_lane).next
    }

    /// Searches puzzles with work sharing while that pays.
    fn share_work(&mut self, mut job: BatchJob<'_>) -> SearchEnd {
        let again = BatchJob { outcomes: &mut *job.outcomes, ..job };
        let mut ended =
            BatchState::new(&mut self.kernel, self.level, &mut self.multiple_solutions, again)
                .search(&mut self.work_sharing);
        let mut deferred = std::mem::take(&mut self.work_sharing.deferred);
        deferred.sort_unstable();
        // These puzzles have already been counted.
        let multiple_solutions = self.multiple_solutions;
        for group in deferred.chunks(self.kernel.lanes()) {
            if ended.stopped {
                break;
            }
            if let Some(next) = self.search_again(&mut job, group) {
                ended = SearchEnd { next, stopped: true };
            }
        }
        self.multiple_solutions = multiple_solutions;
        deferred.clear();
        self.work_sharing.deferred = deferred;
        ended
    }

    /// Searches each puzzle in its own lane; at the end, all lanes search the last few.
    fn per_lane(&mut self, job: BatchJob<'_>) -> SearchEnd {
        self.per_lane.begin(job.query.limits);
        let run =
            &mut BatchState::new(&mut self.kernel, self.level, &mut self.multiple_solutions, job);
        let ended = run.search(&mut self.per_lane);
        if ended.stopped || run.busy == 0 {
            return ended;
        }
        self.ordered.take_over(run, &mut self.per_lane);
        run.search(&mut self.ordered)
    }

    /// Searches deferred puzzles in order, at most one per lane. If stopped, returns the first one
    /// whose outcome is not final.
    #[cold]
    fn search_again(&mut self, job: &mut BatchJob<'_>, group: &[EnteredPuzzle]) -> Option<usize> {
        let start = Instant::now();
        let mut found = [Outcome::NONE; MAX_LANES];
        let found = &mut found[..group.len()];
        let which: [usize; MAX_LANES] =
            std::array::from_fn(|i| group.get(i).map_or(0, |entered| entered.puzzle));
        let (limits, stop) = (job.query.limits, job.stop);
        let mut search = |batch: Batch<'_>| {
            let batch = batch.part(0..group.len());
            let query = Query { batch, limits, known: None };
            self.per_lane(BatchJob { query, outcomes: found, stop, start })
        };
        let ended = match job.query.batch {
            Batch::Puzzles(all) => search(Batch::Puzzles(&which.map(|i| all[i]))),
            Batch::Marks(all) => search(Batch::Marks(&which.map(|i| all[i]))),
        };
        let start_ns = start.duration_since(job.start).as_nanos() as u64;
        for (entered, found) in group.iter().zip(&found[..ended.next]) {
            let latency_ns = found.latency_ns + start_ns - entered.at_ns;
            job.outcomes[entered.puzzle] = Outcome { latency_ns, ..*found };
        }
        ended.stopped.then(|| group[ended.next].puzzle)
    }

    #[cfg(test)]
    pub(super) fn kernel(&mut self) -> &mut K {
        &mut self.kernel
    }

    /// Discards what is known about previous puzzles.
    #[cfg(test)]
    pub(super) fn reset(&mut self) {
        self.multiple_solutions = MultipleSolutionsRate::INITIAL;
    }
}
