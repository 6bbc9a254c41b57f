//! A policy by which each lane searches one puzzle, depth first. The order of solutions and the
//! node at which a limit is reached therefore depend on the puzzle alone. If neither matters, lanes
//! search together ([`super::work_sharing`]).

use lane_kernel::{Kernel, LaneSet, LaneVerdict, MAX_LANES, lanes_of};

use super::run::{BatchState, Continuation, Effort, EnteredPuzzle, Policy, SearchResult};
use crate::solver::Limits;

/// A policy by which each lane searches one puzzle.
pub(super) struct PerLane {
    /// The lanes with an alternative on their stack.
    pub(super) stacked: LaneSet,
    node_limit: u64,
    solution_limit: u32,
    entered: [EnteredPuzzle; MAX_LANES],
    solutions: [u32; MAX_LANES],
    guesses: [u64; MAX_LANES],
    nodes: [u64; MAX_LANES],
}

impl PerLane {
    pub(super) const NONE: Self = Self {
        stacked: 0,
        node_limit: u64::MAX,
        solution_limit: 0,
        entered: [EnteredPuzzle { puzzle: 0, at_ns: 0 }; MAX_LANES],
        solutions: [0; MAX_LANES],
        guesses: [0; MAX_LANES],
        nodes: [0; MAX_LANES],
    };

    /// Sets the limits of the next searches.
    pub(super) fn begin(&mut self, limits: Limits) {
        self.node_limit = limits.max_nodes();
        self.solution_limit = limits.solutions.get();
    }

    /// Returns the result so far of the search in a lane.
    pub(super) fn result_of(&self, lane: usize) -> SearchResult {
        SearchResult {
            entered: self.entered[lane],
            solutions: self.solutions[lane],
            gave_up: false,
            effort: Effort { guesses: self.guesses[lane], nodes: self.nodes[lane] },
        }
    }

    /// Returns those of the lanes that have reached the node limit.
    fn at_node_limit(&self, lanes: LaneSet) -> LaneSet {
        let at_node_limit = lanes_of(lanes).filter(|&lane| self.nodes[lane] == self.node_limit);
        at_node_limit.fold(0, |at_node_limit, lane| at_node_limit | 1 << lane)
    }

    /// Returns those of the solved lanes whose solution counts.
    fn with_new_solution(&self, run: &BatchState<'_, impl Kernel>, mut solved: LaneSet) -> LaneSet {
        if run.job.query.known.is_some() {
            for lane in lanes_of(solved) {
                let puzzle = self.entered[lane].puzzle;
                let is_known = run.job.query.known(puzzle) == Some(&run.grid(lane));
                solved &= !(LaneSet::from(is_known) << lane);
            }
        }
        solved
    }

    /// Counts the solutions in these lanes, and keeps the grid of each search's first one. Returns
    /// the lanes that have enough solutions.
    fn count_solutions(
        &mut self,
        run: &mut BatchState<'_, impl Kernel>,
        lanes: LaneSet,
    ) -> LaneSet {
        // Written without branches, because which solutions are first is unpredictable.
        let (mut first, mut enough) = (0, 0);
        for lane in lanes_of(lanes) {
            self.solutions[lane] += 1;
            first |= LaneSet::from(self.solutions[lane] == 1) << lane;
            enough |= LaneSet::from(self.solutions[lane] == self.solution_limit) << lane;
        }
        let kept = if run.lists() { lanes } else { first };
        run.keep_solutions(kept, |lane| self.entered[lane].puzzle);
        enough
    }

    /// Writes the results of the lanes `done`, and frees these lanes.
    fn finish(&mut self, run: &mut BatchState<'_, impl Kernel>, done: LaneSet, gave_up: LaneSet) {
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
    /// Moves new puzzles into the free lanes.
    fn refill(&mut self, run: &mut BatchState<'_, K>, _: LaneSet) -> LaneSet {
        let mut branching = 0;
        while run.free() != 0 && run.has_entries() {
            let stuck = run.take_entries(run.free(), |lane, entered| {
                self.entered[lane] = entered;
                self.solutions[lane] = 0;
                self.guesses[lane] = 0;
                self.nodes[lane] = 1;
            });
            for lane in lanes_of(stuck) {
                // It branches at once, which counts as a guess and a node for alternative A.
                self.guesses[lane] = 1;
                self.nodes[lane] = 2;
            }
            branching |= stuck;
        }
        branching
    }

    fn advance(
        &mut self,
        run: &mut BatchState<'_, K>,
        Continuation { branching, returning }: Continuation,
    ) {
        if branching | returning != 0 {
            self.stacked = run.kernel.push_and_pop(branching, branching, returning);
        }
    }

    /// Finishes lanes whose search ends; the others return to their last alternative, or branch.
    fn handle_events(&mut self, run: &mut BatchState<'_, K>, verdict: LaneVerdict) -> Continuation {
        let right = self.with_new_solution(run, verdict.solved);
        let (over, stuck) = (verdict.ended(), verdict.stuck);
        let done = (over & !self.stacked) | self.count_solutions(run, right);
        let still = (over & !done) | stuck;
        let at_node_limit = if self.node_limit == u64::MAX { 0 } else { self.at_node_limit(still) };
        let (branching, returning) = (stuck & !at_node_limit, over & !done & !at_node_limit);
        run.level.run(
            #[inline(always)]
            || {
                count(&mut self.guesses, branching);
                count(&mut self.nodes, branching | returning);
            },
        );
        self.finish(run, done | at_node_limit, at_node_limit);
        Continuation { branching, returning }
    }

    /// Leaves the last few puzzles to [`Ordered`](super::ordered::Ordered), unless nodes are
    /// limited or solutions are listed.
    fn is_done(&self, run: &BatchState<'_, K>) -> bool {
        let is_for_all = run.has_few_busy() && self.node_limit == u64::MAX && !run.lists();
        run.all_entered() && (run.busy == 0 || is_for_all)
    }

    #[cold]
    fn discard(&mut self, run: &mut BatchState<'_, K>) -> Option<usize> {
        self.stacked = 0;
        run.kernel.clear(LaneSet::MAX);
        lanes_of(run.busy).map(|lane| self.entered[lane].puzzle).min()
    }
}

/// Adds one to the counter of each lane, without branches, because the lanes are unpredictable.
#[inline(always)]
fn count(counters: &mut [u64; MAX_LANES], lanes: LaneSet) {
    for (lane, counter) in counters.iter_mut().enumerate() {
        *counter += u64::from(lanes & 1 << lane != 0);
    }
}
