//! Tests of the scheduler with a model kernel: its puzzles are random trees, which are easy to
//! search.

use std::num::NonZeroU32;

use lane_kernel::{
    Candidates, Column, Digits, Exchange, Kernel, LaneBlock, LaneSet, LaneVerdict, MAX_LANES,
    Moves, lanes_of,
};
use proptest::prelude::*;

use super::pages;
use super::scheduler::Scheduler;
use crate::puzzle::{Grid, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::{Batch, Limits, Outcome, Query, StopFlag};

/// A node of a tree that is generated as it is visited.
#[derive(Clone, Copy, Default)]
struct TreeNode {
    hash: u32,
    /// Whether the alternatives of this node are twins, and which of such alternatives it is.
    has_twins: bool,
    twin: u8,
    depth: u8,
    /// The depth of the tree.
    deepest: u8,
    /// The percentages of nodes that branch, and of other nodes that are solutions.
    branching: u8,
    solutions: u8,
}

#[derive(PartialEq)]
enum NodeKind {
    Failed,
    Solved,
    Stuck,
}

impl TreeNode {
    /// Returns the root, which is determined by the first digits of a puzzle.
    fn of(puzzle: &Digits) -> Self {
        let seed = puzzle[..8].iter().fold(0, |seed, digit| seed * 10 + u32::from(*digit));
        let (deepest, branching) = (puzzle[8] + puzzle[12] / 3, 40 + 6 * puzzle[9]);
        let solutions = [0, 1, 5, 50, 100][usize::from(puzzle[10]) % 5];
        let (depth, has_twins, twin) = (u8::MAX, false, 0);
        let parent = Self { hash: seed, has_twins, twin, depth, deepest, branching, solutions };
        parent.alternative(0)
    }

    /// Returns an alternative. Twins differ only in their digits, and all branches below them have
    /// twins.
    fn alternative(self, alternative: u32) -> Self {
        let bits = if self.has_twins { 1 << 30 } else { alternative << 30 };
        let mut hash = (self.hash ^ bits).wrapping_add(0x9E37_79B9);
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^= hash >> 16;
        Self {
            hash,
            has_twins: self.has_twins || hash.is_multiple_of(5),
            twin: self.twin << 1 | u8::from(alternative == 2),
            depth: self.depth.wrapping_add(1),
            ..self
        }
    }

    fn kind(self) -> NodeKind {
        if self.depth < self.deepest && self.hash % 100 < self.branching.into() {
            NodeKind::Stuck
        } else if (self.hash >> 20) % 100 < self.solutions.into() {
            NodeKind::Solved
        } else {
            NodeKind::Failed
        }
    }

    fn digits(self) -> Digits {
        std::array::from_fn(|i| ((self.hash >> (i % 30)) as u8 ^ self.twin) % 9 + 1)
    }

    fn column(self) -> Column {
        let Self { hash, has_twins, twin, depth, deepest, branching, solutions } = self;
        let of = |low, high| u16::from_le_bytes([low, high]);
        let mut column = [0; 81];
        column[..2].copy_from_slice(&[hash as u16, (hash >> 16) as u16]);
        column[2..4].copy_from_slice(&[of(depth, deepest), of(branching, solutions)]);
        column[4] = of(twin, has_twins.into());
        Column(column)
    }

    fn of_column(Column(column): &Column) -> Self {
        let hash = u32::from(column[0]) | u32::from(column[1]) << 16;
        let ([depth, deepest], [branching, solutions]) =
            (column[2].to_le_bytes(), column[3].to_le_bytes());
        let [twin, has_twins] = column[4].to_le_bytes();
        Self { hash, has_twins: has_twins != 0, twin, depth, deepest, branching, solutions }
    }
}

/// Returns the outcome of a plain depth-first search.
fn plain_search(puzzle: &Puzzle, known: Option<&Grid>, limits: Limits) -> Outcome {
    if clashes(puzzle.cells()) {
        return Outcome { nodes: 1, ..Outcome::NONE };
    }
    let most = limits.max_nodes();
    let mut outcome = Outcome::NONE;
    let mut waiting = vec![TreeNode::of(puzzle.cells())];
    while let Some(state) = waiting.pop() {
        if outcome.nodes == most {
            return Outcome { gave_up: true, ..outcome };
        }
        outcome.nodes += 1;
        match state.kind() {
            NodeKind::Stuck if outcome.nodes == most => {
                return Outcome { gave_up: true, ..outcome };
            }
            NodeKind::Stuck => {
                outcome.guesses += 1;
                waiting.extend([state.alternative(2), state.alternative(1)]);
            }
            NodeKind::Solved if known.is_none_or(|known| known.0 != state.digits()) => {
                if outcome.solutions == 0 {
                    outcome.grid = Grid(state.digits());
                }
                outcome.solutions += 1;
                if outcome.solutions == limits.solutions.get() {
                    return outcome;
                }
            }
            NodeKind::Solved | NodeKind::Failed => {}
        }
    }
    outcome
}

/// Returns whether the clues of a puzzle clash, as some do.
fn clashes(puzzle: &Digits) -> bool {
    puzzle[11] == 9
}

type TreeNodes = [TreeNode; MAX_LANES];

/// A kernel that searches trees.
#[derive(Default)]
struct TreeKernel {
    lanes: usize,
    entry: TreeNodes,
    clashing: LaneSet,
    work: TreeNodes,
    exit: TreeNodes,
    pages: [TreeNodes; pages::MAX_PAGES],
    stacks: [Vec<TreeNode>; MAX_LANES],
    /// The number of calls of [`Kernel::work`], and the call that requests a stop.
    calls: usize,
    stop_at: Option<(usize, StopFlag)>,
}

impl TreeKernel {
    fn block(&self, of: LaneBlock) -> &TreeNodes {
        match of {
            LaneBlock::Entry => &self.entry,
            LaneBlock::Work => &self.work,
            LaneBlock::Exit => &self.exit,
            LaneBlock::Page(number) => &self.pages[number],
        }
    }

    /// Lets the lane continue with alternative A, and returns alternative B.
    fn branch(&mut self, lane: usize) -> TreeNode {
        let parent = self.work[lane];
        assert!(parent.kind() == NodeKind::Stuck, "nothing is left to infer");
        self.work[lane] = parent.alternative(1);
        parent.alternative(2)
    }
}

fn set_of(lanes: impl Iterator<Item = usize>) -> LaneSet {
    lanes.fold(0, |set, lane| set | 1 << lane)
}

fn verdict(states: &TreeNodes, lanes: LaneSet) -> LaneVerdict {
    let are = |kind| set_of(lanes_of(lanes).filter(|lane| states[*lane].kind() == kind));
    LaneVerdict {
        failed: are(NodeKind::Failed),
        solved: are(NodeKind::Solved),
        stuck: are(NodeKind::Stuck),
    }
}

fn apply_moves(from: &TreeNodes, moves: &Moves, to: &mut TreeNodes) {
    lanes_of(moves.lanes).for_each(|lane| to[lane] = from[usize::from(moves.from[lane])]);
}

impl Kernel for TreeKernel {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn load<P>(&mut self, puzzles: &[P], clues_of: impl Fn(&P) -> &Digits) {
        self.clashing = set_of((0..puzzles.len()).filter(|i| clashes(clues_of(&puzzles[*i]))));
        for (state, puzzle) in self.entry.iter_mut().zip(puzzles) {
            *state = TreeNode::of(clues_of(puzzle));
        }
    }

    fn load_candidates<M>(&mut self, _: &[M], _: impl Fn(&M) -> &Candidates) {
        unreachable!("puzzles only");
    }

    fn sweep_entry(&mut self, lanes: LaneSet) -> LaneVerdict {
        let clashing = self.clashing & lanes;
        let found = verdict(&self.entry, lanes & !clashing);
        LaneVerdict { failed: found.failed | clashing, ..found }
    }

    fn admit(&mut self, moves: &Moves, _: LaneSet) {
        apply_moves(&self.entry, moves, &mut self.work);
    }

    /// Varies which lanes have an event in each step.
    fn work(&mut self, busy: LaneSet, enough: u32) -> LaneVerdict {
        assert_ne!(busy, 0, "a lane for each step");
        if let Some((last, stop)) = &self.stop_at {
            assert!(self.calls < *last, "asked to stop");
            if self.calls + 1 == *last {
                stop.request();
            }
        }
        self.calls += 1;
        let arrived =
            |lane: &usize, step: usize| !(self.work[*lane].hash as usize + step).is_multiple_of(3);
        let events = |step| set_of(lanes_of(busy).filter(|lane| arrived(lane, step)));
        let enough_events = |lanes: &LaneSet| lanes.count_ones() >= enough;
        let events = (self.calls..).map(events).take(3).find(enough_events);
        verdict(&self.work, events.unwrap_or(busy))
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let Exchange { branching, shared, saved, page, restored } = exchange;
        assert!(*saved == 0 || restored.lanes == 0);
        let mut b = self.work;
        lanes_of(*branching).for_each(|lane| b[lane] = self.branch(lane));
        apply_moves(&b, shared, &mut self.work);
        apply_moves(&self.pages[*page], restored, &mut self.work);
        lanes_of(*saved).for_each(|lane| self.pages[*page][lane] = b[lane]);
    }

    fn paired(&self) -> LaneSet {
        set_of((0..self.lanes).filter(|lane| self.work[*lane].has_twins))
    }

    fn push_and_pop(
        &mut self,
        branching: LaneSet,
        pushing: LaneSet,
        returning: LaneSet,
    ) -> LaneSet {
        for lane in lanes_of(branching) {
            let b = self.branch(lane);
            if pushing >> lane & 1 != 0 {
                self.stacks[lane].push(b);
            }
        }
        for lane in lanes_of(returning) {
            self.work[lane] = self.stacks[lane].pop().expect("something was pushed");
        }
        set_of((0..self.lanes).filter(|lane| !self.stacks[*lane].is_empty()))
    }

    fn pop(&mut self, lane: usize) -> Option<Column> {
        self.stacks[lane].pop().map(TreeNode::column)
    }

    fn clear(&mut self, lanes: LaneSet) {
        lanes_of(lanes).for_each(|lane| self.stacks[lane].clear());
    }

    fn move_to_exit(&mut self, moves: &Moves) {
        apply_moves(&self.work, moves, &mut self.exit);
    }

    fn store<P>(&self, of: LaneBlock, places: &mut [P], digits_of: impl Fn(&mut P) -> &mut Digits) {
        for (place, state) in places.iter_mut().zip(self.block(of)) {
            *digits_of(place) = state.digits();
        }
    }

    fn column(&self, of: LaneBlock, lane: usize) -> Column {
        self.block(of)[lane].column()
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        self.work[lane] = TreeNode::of_column(cells);
    }

    fn digits(cells: &Column) -> Digits {
        TreeNode::of_column(cells).digits()
    }
}

/// Generates trees of all kinds.
fn puzzles(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Puzzle>> {
    let digits = proptest::array::uniform13(0..=9_u8);
    let puzzle = digits.prop_map(|digits| {
        let cells = std::array::from_fn(|i| digits.get(i).copied().unwrap_or(0));
        Puzzle::from_cells(cells).expect("digits")
    });
    proptest::collection::vec(puzzle, count)
}

fn without_solutions(puzzle: &Puzzle) -> Puzzle {
    let mut cells = *puzzle.cells();
    cells[10] = 0;
    Puzzle::from_cells(cells).expect("digits")
}

fn scheduler(kernel: TreeKernel) -> Scheduler<TreeKernel> {
    Scheduler::new(kernel, SimdLevel::best())
}

/// Solves a batch and checks that all final outcomes equal those of a plain search.
fn check_batch(
    scheduler: &mut Scheduler<TreeKernel>,
    puzzles: &[Puzzle],
    known: Option<&[Grid]>,
    limits: Limits,
    stop: &StopFlag,
) {
    let mut outcomes = vec![Outcome { solutions: 77, ..Outcome::NONE }; puzzles.len()];
    let batch = Batch::Puzzles(puzzles);
    let solutions = if known.is_some() { NonZeroU32::MIN } else { limits.solutions };
    let query = Query { batch, known, limits: Limits { solutions, ..limits } };
    let done = scheduler.solve(&query, stop, &mut outcomes);
    assert!(done == puzzles.len() || stop.is_requested());
    for (i, outcome) in outcomes[..done].iter().enumerate() {
        let expected = plain_search(&puzzles[i], known.map(|known| &known[i]), query.limits);
        assert_eq!(Outcome { latency_ns: 0, ..*outcome }, expected, "number {i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Checks the outcomes under any policy and in any batch. Some searches exclude a known
    /// solution, which may be any solution, or none.
    #[test]
    fn outcomes_match_a_plain_search(
        puzzles in puzzles(1..150),
        lanes in prop_oneof![Just(8_usize), Just(16), Just(32)],
        solutions in prop_oneof![Just(1_u32), Just(2), Just(3), 17..200_u32, Just(u32::MAX)],
        nodes in prop_oneof![Just(0_u64), Just(0), 1..40_u64],
        other in proptest::option::of(0..4),
        batch in prop_oneof![Just(1_usize), Just(7), Just(40), Just(1000)],
        reset in any::<bool>(),
    ) {
        let limits = Limits::count(solutions.try_into().expect("not 0"));
        let limits = nodes.try_into().map_or(limits, |nodes| limits.with_nodes(nodes));
        let known: Option<Vec<Grid>> = other.map(|number| {
            let next = |puzzle, known: Grid| plain_search(puzzle, Some(&known), Limits::FIRST).grid;
            let known = |puzzle| (0..number).fold(Grid::BLANK, |known, _| next(puzzle, known));
            puzzles.iter().map(known).collect()
        });
        let mut scheduler = scheduler(TreeKernel { lanes, ..TreeKernel::default() });
        for at in (0..puzzles.len()).step_by(batch) {
            if reset {
                scheduler.reset();
            }
            let range = at..puzzles.len().min(at + batch);
            let known = known.as_ref().map(|known| &known[range.clone()]);
            check_batch(&mut scheduler, &puzzles[range], known, limits, &StopFlag::default());
        }
    }

    /// Checks that outcomes that are final when a batch is stopped are correct, and so is the next
    /// batch.
    #[test]
    fn final_outcomes_are_correct_after_a_stop(
        puzzles in puzzles(40..150),
        with_solutions in prop_oneof![Just(usize::MAX), 1..6_usize],
        solutions in prop_oneof![1..4_u32, Just(u32::MAX)],
        last_call in 1..60_usize,
    ) {
        // So few puzzles have several solutions that they are deferred.
        let puzzles: Vec<Puzzle> = puzzles
            .into_iter()
            .enumerate()
            .map(|(i, puzzle)| if i < with_solutions { puzzle } else { without_solutions(&puzzle) })
            .collect();
        let limits = Limits::count(solutions.try_into().expect("not 0"));
        let mut undisturbed = scheduler(TreeKernel { lanes: 8, ..TreeKernel::default() });
        check_batch(&mut undisturbed, &puzzles, None, limits, &StopFlag::default());
        // Also stop at the very last call, when there is nothing left to stop.
        let calls = undisturbed.kernel().calls;
        for last_call in [last_call, calls.saturating_sub(last_call).max(1), calls.max(1)] {
            let stop = StopFlag::default();
            let kernel = TreeKernel { lanes: 8, stop_at: Some((last_call, stop.clone())), ..TreeKernel::default() };
            let mut scheduler = scheduler(kernel);
            check_batch(&mut scheduler, &puzzles, None, limits, &stop);
            scheduler.kernel().stop_at = None;
            check_batch(&mut scheduler, &puzzles, None, limits, &StopFlag::default());
        }
    }
}
