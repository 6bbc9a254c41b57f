//! Every lane has a search for itself, which goes depth first: so which solutions come first, and
//! where a limit of nodes is reached, depends on the puzzle alone. Where neither matters, lanes search
//! together ([`super::work_sharing`]).

use lane_kernel::{Kernel, LaneSet, MOST_LANES, Verdict, lanes_of};

use super::deferred::Deferred;
use super::divided::{Divided, Found};
use super::run::{Effort, Entry, Next, Policy, Run, Searched};
use crate::puzzle::Grid;
use crate::solver::contract::Question;

/// What a lane is about, beside its cells.
#[derive(Clone, Copy, Default)]
struct Search {
    puzzle: usize,
    entered_ns: u64,
    solutions: u32,
    /// What it had cost at the first solution.
    at_first: Effort,
}

/// Every lane searches one puzzle.
pub(super) struct PerLane {
    /// The lanes with a side on their stack.
    stacked: LaneSet,
    /// Puzzles with many solutions, at the end of the batch.
    pub(super) deferred: Deferred,
    node_limit: u64,
    /// The number of solutions at which a search ends: the limit, or fewer if it is then deferred.
    enough: u32,
    search: [Search; MOST_LANES],
    guesses: [u64; MOST_LANES],
    nodes: [u64; MOST_LANES],
    /// At the end of the batch: lanes that share a search, and their solutions.
    divided: Divided,
    grids: [Option<Grid>; MOST_LANES],
}

impl PerLane {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            stacked: 0,
            deferred: Deferred::new(lanes),
            node_limit: u64::MAX,
            enough: 0,
            search: [Search::default(); MOST_LANES],
            guesses: [0; MOST_LANES],
            nodes: [0; MOST_LANES],
            divided: Divided::NONE,
            grids: [None; MOST_LANES],
        }
    }

    /// From now on for this question.
    pub(super) fn begin(&mut self, question: &Question<'_>) {
        self.node_limit = question.limits.nodes.map_or(u64::MAX, std::num::NonZeroU64::get);
        self.enough = question.limits.solutions.get();
    }

    /// Forgets what is on the stacks of these lanes.
    fn clear(&mut self, run: &mut Run<'_, impl Kernel>, lanes: LaneSet) {
        if self.stacked & lanes != 0 {
            self.stacked &= !lanes;
            run.kernel.clear(lanes);
        }
    }

    /// Those of the lanes that have no node left.
    fn spent(&self, lanes: LaneSet) -> LaneSet {
        let spent = lanes_of(lanes).filter(|&lane| self.nodes[lane] == self.node_limit);
        spent.fold(0, |spent, lane| spent | 1 << lane)
    }

    /// What a lane's search has cost.
    fn effort(&self, lane: usize) -> Effort {
        Effort { guesses: self.guesses[lane], nodes: self.nodes[lane] }
    }

    /// Counts the solutions in the lanes `right`, and keeps the grid of the first ones; returns
    /// the lanes that have enough.
    fn count_solutions(&mut self, run: &mut Run<'_, impl Kernel>, right: LaneSet) -> LaneSet {
        // Which are first cannot be predicted: no branch on it.
        let (mut first, mut enough) = (0, 0);
        for lane in lanes_of(right) {
            let solutions = &mut self.search[lane].solutions;
            *solutions += 1;
            first |= LaneSet::from(*solutions == 1) << lane;
            enough |= LaneSet::from(*solutions >= self.enough) << lane;
        }
        for lane in lanes_of(first) {
            self.search[lane].at_first = self.effort(lane);
        }
        for lane in lanes_of(first & self.divided.lanes()) {
            self.grids[lane] = Some(Grid(run.kernel.solution(lane)));
        }
        run.keep_solutions(first & !self.divided.lanes(), |lane| self.search[lane].puzzle);
        enough
    }

    /// The lanes `done` are free again; what was found goes to their outcomes.
    fn finish(&mut self, run: &mut Run<'_, impl Kernel>, done: LaneSet, gave_up: LaneSet) {
        if done == 0 {
            return;
        }
        run.busy &= !done;
        let cut_off = self.stacked & !gave_up;
        let whole = done & !self.divided.lanes();
        self.clear(run, whole);
        for lane in lanes_of(whole) {
            let Search { puzzle, entered_ns, solutions, .. } = self.search[lane];
            let is_cut_off = cut_off >> lane & 1 != 0;
            if is_cut_off && solutions < run.question.limits.solutions.get() {
                run.several_rate.note(true);
                self.deferred.push(puzzle, entered_ns);
                continue;
            }
            let (gave_up, effort) = (gave_up >> lane & 1 != 0, self.effort(lane));
            run.finish(&Searched { puzzle, entered_ns, solutions, gave_up, effort });
        }
        for lane in lanes_of(done & self.divided.lanes()) {
            self.end_part(run, lane);
        }
    }

    /// Free lanes take sides of those that have several, see [`super::divided`].
    fn share(&mut self, run: &mut Run<'_, impl Kernel>, free: LaneSet) {
        let (_, generous) = run.kernel.stacked();
        let limits = run.question.limits;
        if generous == 0 || limits.solutions.get() > 2 || limits.nodes.is_some() {
            return;
        }
        for (taker, giver) in lanes_of(free).zip(lanes_of(generous)) {
            run.kernel.take_last(giver, taker);
            self.divided.divide(giver, taker);
            run.busy |= 1 << taker;
            self.search[taker] = Search { solutions: 0, ..self.search[giver] };
            self.guesses[taker] = 0;
            self.nodes[taker] = 1;
        }
        (self.stacked, _) = run.kernel.stacked();
    }

    /// At the end of a batch few lanes are left. They defer puzzles that turn out to have many
    /// solutions: an ordered search in all lanes is faster than theirs, though it starts again.
    fn defer_long(&mut self, run: &Run<'_, impl Kernel>) {
        const MANY: u32 = 4;
        let limits = run.question.limits;
        if run.has_few_busy() && limits.nodes.is_none() {
            self.enough = limits.solutions.get().min(MANY);
        }
    }

    /// A lane has ended that had a part of a search, unless it was needless already.
    fn end_part(&mut self, run: &mut Run<'_, impl Kernel>, lane: usize) {
        if self.divided.lanes() >> lane & 1 == 0 {
            return;
        }
        let Search { puzzle, entered_ns, solutions, at_first } = self.search[lane];
        let found =
            Found { solutions, effort: self.effort(lane), at_first, grid: self.grids[lane] };
        let ended = self.divided.end(lane, &found, run.question.limits.solutions.get());
        self.clear(run, ended.needless | 1 << lane);
        for lane in lanes_of(ended.needless | 1 << lane) {
            self.grids[lane] = None;
        }
        run.busy &= !ended.needless;
        if let Some(Found { solutions, effort, grid, .. }) = ended.all {
            run.finish(&Searched { puzzle, entered_ns, solutions, gave_up: false, effort });
            if let Some(grid) = grid {
                run.outcomes[puzzle].grid = grid;
            }
        }
    }
}

impl<K: Kernel> Policy<K> for PerLane {
    /// Gives every free lane an entry, as long as there are any.
    fn refill(&mut self, run: &mut Run<'_, K>, _: LaneSet) -> LaneSet {
        let mut branching = 0;
        loop {
            let free = run.free();
            if free == 0 {
                return branching;
            }
            if !run.has_entries() {
                self.share(run, free);
                self.defer_long(run);
                return branching;
            }
            branching |= run.take_entries(free, |Entry { lane, puzzle, entered_ns, stuck }| {
                self.search[lane] = Search { puzzle, entered_ns, ..Search::default() };
                // A stuck one branches at once: a guess, and its side A.
                self.guesses[lane] = u64::from(stuck);
                self.nodes[lane] = 1 + u64::from(stuck);
            });
        }
    }

    fn advance(&mut self, run: &mut Run<'_, K>, Next { branching, returning }: Next) {
        if branching | returning != 0 {
            run.kernel.push_and_pop(branching, returning);
            (self.stacked, _) = run.kernel.stacked();
        }
    }

    /// Lanes at an end leave; the others return to a side that was pushed, or branch.
    fn settle(&mut self, run: &mut Run<'_, K>, Verdict { failed, solved, stuck }: Verdict) -> Next {
        let right = run.counting(solved, |lane| self.search[lane].puzzle);
        let over = failed | solved;
        let done = (over & !self.stacked) | self.count_solutions(run, right);
        let still = (over & !done) | stuck;
        let spent = if self.node_limit == u64::MAX { 0 } else { self.spent(still) };
        let (branching, returning) = (stuck & !spent, over & !done & !spent);
        let (guesses, nodes) = (&mut self.guesses, &mut self.nodes);
        run.level.run(
            #[inline(always)]
            || {
                count(guesses, branching);
                count(nodes, branching | returning);
            },
        );
        self.finish(run, done | spent, spent);
        // Lanes that share a search may have ended with another one.
        Next { branching: branching & run.busy, returning: returning & run.busy }
    }

    fn is_through(&self, run: &Run<'_, K>) -> bool {
        run.is_through()
    }

    #[cold]
    fn forget_all(&mut self, run: &mut Run<'_, K>) -> Option<usize> {
        let open = run.busy | self.divided.lanes();
        self.clear(run, LaneSet::MAX);
        self.divided = Divided::NONE;
        self.grids = [None; MOST_LANES];
        let open = lanes_of(open).map(|lane| self.search[lane].puzzle);
        open.chain(self.deferred.first()).min()
    }
}

/// Adds one for each of the lanes. Which they are cannot be predicted: no branch on it.
#[inline(always)]
fn count(counters: &mut [u64; MOST_LANES], lanes: LaneSet) {
    for (lane, counter) in counters.iter_mut().enumerate() {
        *counter += u64::from(lanes & 1 << lane != 0);
    }
}
