//! Lanes of an ordered search that search everything below a node by themselves.
//!
//! A puzzle with many solutions has far more nodes than lanes, so only one of many nodes has to be in
//! order; those below it are merely counted. A walk keeps its first node: if the limit of solutions is
//! within it, it is searched again, node by node.
//!
//! Half of the branches of such a puzzle have *twin* alternatives, only one of which is walked. Where
//! a lane is stuck with two candidates in each open cell, each digit has two places in every unit
//! that lacks it. So exchanging the candidates of all open cells turns alternative A into
//! alternative B, and both have as many solutions, guesses, and nodes.

use lane_kernel::{Kernel, LaneSet, LaneVerdict, MAX_LANES, SimdLevel};

use super::run::Effort;

/// Walks begin only while at least this many solutions are missing. (Few in unit tests, so that this
/// happens.)
pub(super) const MIN_MISSING: u32 = if cfg!(test) { 16 } else { 4096 };

/// The maximum length of a walk. Its remaining nodes are divided among the lanes.
const MAX_NODES: u32 = if cfg!(test) { 8 } else { 4096 };

/// A walk is shorter than the number of missing solutions divided by this, because all lanes together
/// count about as many solutions too many as they walk nodes.
const MISSING_PER_NODE: u32 = 64;

/// The result of a walk.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    /// The slot of the first node.
    pub(super) start: usize,
    pub(super) solutions: u32,
    pub(super) effort: Effort,
}

/// All current walks.
pub(super) struct Walks {
    /// The lanes that walk, those of them with an alternative on their stack, and those below a branch
    /// with twins.
    pub(super) lanes: LaneSet,
    pub(super) stacked: LaneSet,
    pub(super) twins: LaneSet,
    /// A walk ends at the first solution or failure after this many nodes.
    most: u32,
    start: [usize; MAX_LANES],
    solutions: [u32; MAX_LANES],
    guesses: [u32; MAX_LANES],
    nodes: [u32; MAX_LANES],
    /// The number of nodes that the node of each lane stands for.
    weight: [u32; MAX_LANES],
}

/// How walks continue after a step.
pub(super) struct WalkEvents {
    /// The lanes that return to their last alternative.
    pub(super) returning: LaneSet,
    /// The lanes whose walks have ended, perhaps with alternatives on their stacks.
    pub(super) ended: LaneSet,
}

impl Walks {
    pub(super) const NONE: Self = Self {
        lanes: 0,
        stacked: 0,
        twins: 0,
        most: 0,
        start: [0; MAX_LANES],
        solutions: [0; MAX_LANES],
        guesses: [0; MAX_LANES],
        nodes: [0; MAX_LANES],
        weight: [1; MAX_LANES],
    };

    /// Sets the length of walks. It is minimal while a lane has nothing to search.
    pub(super) fn limit(&mut self, missing: u32, is_short_of_nodes: bool) {
        self.most = if is_short_of_nodes { 0 } else { MAX_NODES.min(missing / MISSING_PER_NODE) };
    }

    /// Begins a walk from the node in a slot.
    pub(super) fn begin(&mut self, lane: usize, start: usize) {
        self.lanes |= 1 << lane;
        self.twins &= !(1 << lane);
        (self.start[lane], self.weight[lane]) = (start, 1);
        (self.solutions[lane], self.guesses[lane], self.nodes[lane]) = (0, 0, 0);
    }

    /// Ends a walk.
    pub(super) fn end(&mut self, lane: usize) -> Walk {
        self.lanes &= !(1 << lane);
        self.stacked &= !(1 << lane);
        let (guesses, nodes) = (self.guesses[lane].into(), self.nodes[lane].into());
        let (start, solutions) = (self.start[lane], self.solutions[lane]);
        Walk { start, solutions, effort: Effort { guesses, nodes } }
    }

    /// Counts the events of walks.
    pub(super) fn count(
        &mut self,
        kernel: &impl Kernel,
        level: SimdLevel,
        verdict: LaneVerdict,
    ) -> WalkEvents {
        let stuck = verdict.stuck & self.lanes;
        let twins = if stuck == 0 { 0 } else { stuck & kernel.paired() };
        self.twins = (self.twins | twins) & !verdict.ended();
        let too_long = level.run(
            #[inline(always)]
            || {
                let weight = &mut self.weight;
                add(&mut self.solutions, weight, verdict.solved);
                add(&mut self.guesses, weight, verdict.stuck);
                add(&mut self.nodes, weight, verdict.events());
                for (lane, weight) in weight.iter_mut().enumerate() {
                    *weight <<= twins >> lane & 1;
                    *weight = if verdict.ended() >> lane & 1 == 0 { *weight } else { 1 };
                }
                let too_long = self.nodes.iter().enumerate();
                too_long.fold(0, |lanes, (lane, nodes)| {
                    lanes | LaneSet::from(*nodes >= self.most) << lane
                })
            },
        );
        let over = verdict.ended() & self.lanes;
        let ended = over & (!self.stacked | too_long);
        WalkEvents { returning: over & !ended, ended }
    }
}

/// Adds the weights of lanes to their counters, without branches.
#[inline(always)]
fn add(counters: &mut [u32; MAX_LANES], weights: &[u32; MAX_LANES], lanes: LaneSet) {
    for (lane, (counter, weight)) in counters.iter_mut().zip(weights).enumerate() {
        *counter += weight * (lanes >> lane & 1);
    }
}
