//! Every lane has a search for itself, which goes depth first: so which solutions come first, and
//! where a limit of nodes is reached, depends on the puzzle alone. Where neither matters, lanes search
//! together ([`super::work_sharing`]).

use lane_kernel::{Kernel, LaneSet, MAX_LANES, Verdict, lanes_of};

use super::run::{Effort, Entry, Next, Policy, Run, SearchResult};
use crate::solver::Limits;

/// Every lane searches one puzzle.
pub(super) struct PerLane {
    /// The lanes with an alternative on their stack.
    pub(super) stacked: LaneSet,
    node_limit: u64,
    solution_limit: u32,
    entered: [Entry; MAX_LANES],
    solutions: [u32; MAX_LANES],
    guesses: [u64; MAX_LANES],
    nodes: [u64; MAX_LANES],
}

impl PerLane {
    pub(super) const NONE: Self = Self {
        stacked: 0,
        node_limit: u64::MAX,
        solution_limit: 0,
        entered: [Entry { puzzle: 0, at_ns: 0 }; MAX_LANES],
        solutions: [0; MAX_LANES],
        guesses: [0; MAX_LANES],
        nodes: [0; MAX_LANES],
    };

    /// Sets the limits of the next searches.
    pub(super) fn begin(&mut self, limits: Limits) {
        self.node_limit = limits.max_nodes();
        self.solution_limit = limits.solutions.get();
    }

    /// What the search of a lane has found so far.
    pub(super) fn result_of(&self, lane: usize) -> SearchResult {
        SearchResult {
            entered: self.entered[lane],
            solutions: self.solutions[lane],
            gave_up: false,
            effort: Effort { guesses: self.guesses[lane], nodes: self.nodes[lane] },
        }
    }

    /// Those of the lanes that have no node left.
    fn spent(&self, lanes: LaneSet) -> LaneSet {
        let spent = lanes_of(lanes).filter(|&lane| self.nodes[lane] == self.node_limit);
        spent.fold(0, |spent, lane| spent | 1 << lane)
    }

    /// Those of the solved lanes whose solution counts.
    fn counting(&self, run: &Run<'_, impl Kernel>, mut solved: LaneSet) -> LaneSet {
        if run.job.question.known.is_some() {
            for lane in lanes_of(solved) {
                let puzzle = self.entered[lane].puzzle;
                let is_known = run.job.question.known(puzzle) == Some(&run.grid(lane));
                solved &= !(LaneSet::from(is_known) << lane);
            }
        }
        solved
    }

    /// Counts the solutions in these lanes, and keeps the grid of the first ones; returns the lanes that
    /// have enough.
    fn count_solutions(&mut self, run: &mut Run<'_, impl Kernel>, lanes: LaneSet) -> LaneSet {
        // Which are first cannot be predicted: no branch on it.
        let (mut first, mut enough) = (0, 0);
        for lane in lanes_of(lanes) {
            self.solutions[lane] += 1;
            first |= LaneSet::from(self.solutions[lane] == 1) << lane;
            enough |= LaneSet::from(self.solutions[lane] == self.solution_limit) << lane;
        }
        run.keep_solutions(first, |lane| self.entered[lane].puzzle);
        enough
    }

    /// The lanes `done` are free again; what was found goes to their outcomes.
    fn finish(&mut self, run: &mut Run<'_, impl Kernel>, done: LaneSet, gave_up: LaneSet) {
        run.busy &= !done;
        if self.stacked & done != 0 {
            self.stacked &= !done;
            run.kernel.clear(done);
        }
        for lane in lanes_of(done) {
            let gave_up = gave_up >> lane & 1 != 0;
            run.finish(&SearchResult { gave_up, ..self.result_of(lane) });
        }
    }
}

impl<K: Kernel> Policy<K> for PerLane {
    /// Gives every free lane an entry, while there are any.
    fn refill(&mut self, run: &mut Run<'_, K>, _: LaneSet) -> LaneSet {
        let mut branching = 0;
        while run.free() != 0 && run.has_entries() {
            let stuck = run.take_entries(run.free(), |lane, entered| {
                self.entered[lane] = entered;
                self.solutions[lane] = 0;
                self.guesses[lane] = 0;
                self.nodes[lane] = 1;
            });
            for lane in lanes_of(stuck) {
                // It branches at once: a guess, and its alternative A.
                self.guesses[lane] = 1;
                self.nodes[lane] = 2;
            }
            branching |= stuck;
        }
        branching
    }

    fn advance(&mut self, run: &mut Run<'_, K>, Next { branching, returning }: Next) {
        if branching | returning != 0 {
            self.stacked = run.kernel.push_and_pop(branching, returning);
        }
    }

    /// Lanes at an end leave; the others return to an alternative that was pushed, or branch.
    fn handle_events(&mut self, run: &mut Run<'_, K>, verdict: Verdict) -> Next {
        let right = self.counting(run, verdict.solved);
        let (over, stuck) = (verdict.ended(), verdict.stuck);
        let done = (over & !self.stacked) | self.count_solutions(run, right);
        let still = (over & !done) | stuck;
        let spent = if self.node_limit == u64::MAX { 0 } else { self.spent(still) };
        let (branching, returning) = (stuck & !spent, over & !done & !spent);
        run.level.run(
            #[inline(always)]
            || {
                count(&mut self.guesses, branching);
                count(&mut self.nodes, branching | returning);
            },
        );
        self.finish(run, done | spent, spent);
        Next { branching, returning }
    }

    /// The last few puzzles are for [`Ordered`](super::ordered::Ordered), unless their nodes are
    /// counted.
    fn is_done(&self, run: &Run<'_, K>) -> bool {
        let is_for_all = run.has_few_busy() && self.node_limit == u64::MAX;
        run.all_entered() && (run.busy == 0 || is_for_all)
    }

    #[cold]
    fn abandon(&mut self, run: &mut Run<'_, K>) -> Option<usize> {
        self.stacked = 0;
        run.kernel.clear(LaneSet::MAX);
        lanes_of(run.busy).map(|lane| self.entered[lane].puzzle).min()
    }
}

/// Adds one for each of the lanes. Which they are cannot be predicted: no branch on it.
#[inline(always)]
fn count(counters: &mut [u64; MAX_LANES], lanes: LaneSet) {
    for (lane, counter) in counters.iter_mut().enumerate() {
        *counter += u64::from(lanes & 1 << lane != 0);
    }
}
