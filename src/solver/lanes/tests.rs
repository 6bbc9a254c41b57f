//! The scheduler with a toy kernel: its puzzles are random trees, whose search is easily written down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lane_kernel::{
    Block, Clues, Column, Digits, Exchange, Kernel, LaneSet, MOST_LANES, Marks, Moves, Place,
    Verdict, lanes_of,
};
use proptest::prelude::*;

use super::pages;
use super::scheduler::Scheduler;
use super::several_rate::SeveralRate;
use crate::puzzle::{Grid, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::contract::Question;
use crate::solver::{Batch, Limits, Outcome, StopFlag};

/// A state of a search: a node of a tree that is made up as it is visited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    hash: u64,
    depth: u32,
    /// Of the tree.
    deepest: u32,
    /// Of a hundred nodes, how many branch, and of the others how many are solutions.
    branching: u64,
    solutions: u64,
    /// Steps before what is known of it shows.
    steps: u32,
}

#[derive(PartialEq)]
enum Kind {
    Failed,
    Solved,
    Stuck,
}

impl State {
    /// The root, from the first digits of a puzzle.
    fn of(puzzle: &Digits) -> Self {
        let seed = puzzle[..8].iter().fold(0, |seed, digit| seed * 10 + u64::from(*digit));
        let root = Self {
            deepest: u32::from(puzzle[8]) + 2 * u32::from(puzzle[12]),
            branching: 40 + 6 * u64::from(puzzle[9]),
            solutions: [0, 1, 5, 50, 100][usize::from(puzzle[10]) % 5],
            ..Self::default()
        };
        root.child(seed, 0)
    }

    fn child(&self, side: u64, depth: u32) -> Self {
        let mut hash = (self.hash ^ side).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^= hash >> 32;
        Self { hash, depth, steps: (hash >> 20) as u32 % 4, ..*self }
    }

    fn side(&self, side: u64) -> Self {
        self.child(side + 1, self.depth + 1)
    }

    fn kind(&self) -> Kind {
        if self.depth < self.deepest && self.hash % 100 < self.branching {
            Kind::Stuck
        } else if (self.hash >> 40) % 100 < self.solutions {
            Kind::Solved
        } else {
            Kind::Failed
        }
    }

    fn digits(&self) -> Digits {
        std::array::from_fn(|i| (self.hash >> (i % 60)) as u8 % 9 + 1)
    }
}

/// What a plain depth-first search finds.
fn plain(puzzle: &Puzzle, known: Option<&Grid>, limits: Limits) -> Outcome {
    let most = limits.nodes.map_or(u64::MAX, std::num::NonZero::get);
    let mut outcome = Outcome::NONE;
    let mut waiting = vec![State::of(puzzle.cells())];
    while let Some(state) = waiting.pop() {
        if outcome.nodes == most {
            return Outcome { gave_up: true, ..outcome };
        }
        outcome.nodes += 1;
        match state.kind() {
            Kind::Stuck if outcome.nodes == most => return Outcome { gave_up: true, ..outcome },
            Kind::Stuck => {
                outcome.guesses += 1;
                waiting.extend([state.side(1), state.side(0)]);
            }
            Kind::Solved if known.is_none_or(|known| known.0 != state.digits()) => {
                if outcome.solutions == 0 {
                    outcome.grid = Grid(state.digits());
                }
                outcome.solutions += 1;
                if outcome.solutions == limits.solutions.get() {
                    return outcome;
                }
            }
            Kind::Solved | Kind::Failed => {}
        }
    }
    outcome
}

/// A kernel of trees.
struct Toy {
    lanes: usize,
    entry: [State; MOST_LANES],
    clashing: LaneSet,
    work: [State; MOST_LANES],
    exit: [State; MOST_LANES],
    pages: Vec<[State; MOST_LANES]>,
    stacks: Vec<Vec<State>>,
    /// Calls of [`Kernel::work`], and after how many of them it asks to stop.
    calls: Arc<AtomicUsize>,
    last_call: usize,
    stop: StopFlag,
}

impl Toy {
    fn new(lanes: usize) -> Self {
        let blank = [State::default(); MOST_LANES];
        Self {
            lanes,
            entry: blank,
            clashing: 0,
            work: blank,
            exit: blank,
            pages: vec![blank; pages::MOST],
            stacks: vec![Vec::new(); lanes],
            calls: Arc::default(),
            last_call: usize::MAX,
            stop: StopFlag::default(),
        }
    }

    /// The lanes with at least this many sides on their stack.
    fn with_sides(&self, least: usize) -> LaneSet {
        let has = |lane: &usize| self.stacks[*lane].len() >= least;
        (0..self.lanes).filter(has).fold(0, |set, lane| set | 1 << lane)
    }

    /// The lane continues with side A: side B.
    fn branch(&mut self, lane: usize) -> State {
        assert!(verdict(&self.work, 1 << lane).stuck != 0, "nothing is left to infer");
        let parent = self.work[lane];
        self.work[lane] = parent.side(0);
        parent.side(1)
    }
}

fn verdict(states: &[State; MOST_LANES], lanes: LaneSet) -> Verdict {
    let are = |kind| {
        let is = |lane: &usize| states[*lane].steps == 0 && states[*lane].kind() == kind;
        lanes_of(lanes).filter(is).fold(0, |set, lane| set | 1 << lane)
    };
    Verdict { failed: are(Kind::Failed), solved: are(Kind::Solved), stuck: are(Kind::Stuck) }
}

fn moved(from: &[State; MOST_LANES], moves: &Moves, to: &mut [State; MOST_LANES]) {
    lanes_of(moves.lanes).for_each(|lane| to[lane] = from[usize::from(moves.from[lane])]);
}

impl Kernel for Toy {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn load(&mut self, puzzles: &[impl Clues]) {
        self.clashing = 0;
        for (lane, puzzle) in puzzles.iter().enumerate() {
            self.entry[lane] = State::of(puzzle.clues());
            self.clashing |= LaneSet::from(puzzle.clues()[11] == 9) << lane;
        }
    }

    fn load_marks(&mut self, _: &[impl Marks]) {
        unreachable!("puzzles only");
    }

    fn sweep_entry(&mut self, lanes: LaneSet) -> Verdict {
        let clashing = self.clashing & lanes;
        let found = verdict(&self.entry, lanes & !clashing);
        Verdict { failed: found.failed | clashing, ..found }
    }

    fn admit(&mut self, moves: &Moves, _: LaneSet) {
        moved(&self.entry, moves, &mut self.work);
    }

    fn work(&mut self, busy: LaneSet, enough: u32) -> Verdict {
        if self.calls.fetch_add(1, Ordering::Relaxed) + 1 >= self.last_call {
            self.stop.request();
        }
        loop {
            self.work.iter_mut().for_each(|state| state.steps = state.steps.saturating_sub(1));
            let found = verdict(&self.work, busy);
            if (found.failed | found.solved | found.stuck).count_ones() >= enough {
                return found;
            }
        }
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let Exchange { branching, given, put, page, back } = exchange;
        assert!(*put == 0 || back.lanes == 0);
        let mut b = self.work;
        for lane in lanes_of(*branching) {
            b[lane] = self.branch(lane);
        }
        moved(&b, given, &mut self.work);
        moved(&self.pages[*page], back, &mut self.work);
        lanes_of(*put).for_each(|lane| self.pages[*page][lane] = b[lane]);
    }

    fn take(&mut self, page: usize, moves: &Moves) {
        moved(&self.pages[page], moves, &mut self.work);
    }

    fn push_and_pop(&mut self, branching: LaneSet, returning: LaneSet) {
        for lane in lanes_of(branching) {
            let b = self.branch(lane);
            self.stacks[lane].push(b);
        }
        for lane in lanes_of(returning) {
            self.work[lane] = self.stacks[lane].pop().expect("something was pushed");
        }
    }

    fn stacked(&self) -> (LaneSet, LaneSet) {
        (self.with_sides(1), self.with_sides(2))
    }

    fn clear(&mut self, lanes: LaneSet) {
        lanes_of(lanes & self.with_sides(1)).for_each(|lane| self.stacks[lane].clear());
    }

    fn take_last(&mut self, from: usize, into: usize) {
        self.work[into] = self.stacks[from].remove(0);
    }

    fn column(&self, page: usize, lane: usize) -> Column {
        let State { hash, depth, deepest, branching, solutions, steps } = self.pages[page][lane];
        let all = [hash, depth.into(), deepest.into(), branching, solutions, steps.into()];
        std::array::from_fn(|i| if i < 24 { (all[i / 4] >> (i % 4 * 16)) as u16 } else { 0 })
    }

    fn set_lane(&mut self, lane: usize, cells: &Column) {
        let all: [u64; 6] = std::array::from_fn(|i| {
            (0..4).fold(0, |all, k| all | u64::from(cells[4 * i + k]) << (16 * k))
        });
        let [hash, depth, deepest, branching, solutions, steps] = all;
        let [depth, deepest, steps] = [depth, deepest, steps].map(|value| value as u32);
        self.work[lane] = State { hash, depth, deepest, branching, solutions, steps };
    }

    fn keep(&mut self, moves: &Moves) {
        moved(&self.work, moves, &mut self.exit);
    }

    fn solution(&self, lane: usize) -> Digits {
        self.work[lane].digits()
    }

    fn store(&self, of: Block, places: &mut [impl Place]) {
        let states = match of {
            Block::Entry => &self.entry,
            Block::Exit => &self.exit,
        };
        for (place, state) in places.iter_mut().zip(states) {
            *place.digits() = state.digits();
        }
    }
}

/// Trees of all kinds; some puzzles clash.
fn puzzles(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Puzzle>> {
    let digits = proptest::array::uniform12(0..=9_u8);
    proptest::collection::vec(digits, count).prop_map(|all| {
        let puzzle = |digits: [u8; 12]| {
            Puzzle::from_cells(std::array::from_fn(|i| digits.get(i).copied().unwrap_or(0)))
        };
        all.into_iter().map(|digits| puzzle(digits).expect("digits")).collect()
    })
}

/// The outcome that a puzzle must have.
fn expected(puzzle: &Puzzle, known: Option<&Grid>, limits: Limits) -> Outcome {
    if puzzle.cells()[11] == 9 {
        return Outcome { nodes: 1, ..Outcome::NONE };
    }
    plain(puzzle, known, limits)
}

fn limits(solutions: u32, nodes: u64) -> Limits {
    let limits = Limits::count(solutions.try_into().expect("not 0"));
    nodes.try_into().map_or(limits, |nodes| limits.with_nodes(nodes))
}

/// Solves in batches and compares all outcomes.
fn check(
    scheduler: &mut Scheduler<Toy>,
    puzzles: &[Puzzle],
    known: Option<&[Grid]>,
    limits: Limits,
) {
    let stop = &StopFlag::default();
    let mut outcomes = vec![Outcome { solutions: 77, ..Outcome::NONE }; puzzles.len()];
    let batch = Batch::Puzzles(puzzles);
    let question = match known {
        Some(known) => Question::other(batch, known, limits),
        None => Question::all(batch, limits),
    };
    assert_eq!(scheduler.solve(&question, stop, &mut outcomes), puzzles.len());
    for (i, outcome) in outcomes.iter().enumerate() {
        let wanted = expected(&puzzles[i], known.map(|known| &known[i]), limits);
        assert_eq!(Outcome { latency_ns: 0, ..*outcome }, wanted, "number {i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// By any policy, in any batch, the outcome is that of the plain search.
    #[test]
    fn finds_what_a_plain_search_finds(
        puzzles in puzzles(1..150),
        lanes in prop_oneof![Just(8_usize), Just(16), Just(32)],
        solutions in prop_oneof![Just(1_u32), Just(2), Just(2), Just(3), Just(40), Just(u32::MAX)],
        nodes in prop_oneof![Just(0_u64), Just(0), 1..40_u64],
        batch in prop_oneof![Just(1_usize), Just(7), Just(1000)],
        forget in any::<bool>(),
    ) {
        let mut scheduler = Scheduler::new(Toy::new(lanes), SimdLevel::best());
        for puzzles in puzzles.chunks(batch) {
            if forget {
                scheduler.expect(SeveralRate::UNKNOWN);
            }
            check(&mut scheduler, puzzles, None, limits(solutions, nodes));
        }
    }

    /// The first solution besides a known one, which may be any of them, or none.
    #[test]
    fn finds_another_solution(
        puzzles in puzzles(1..150),
        lanes in prop_oneof![Just(8_usize), Just(32)],
        number in 0..4_u32,
        forget in any::<bool>(),
    ) {
        let first = Limits::FIRST;
        let known: Vec<Grid> = puzzles
            .iter()
            .map(|puzzle| {
                let next = |known: Grid| plain(puzzle, Some(&known), first).grid;
                (0..number).fold(Grid::BLANK, |known, _| next(known))
            })
            .collect();
        let mut scheduler = Scheduler::new(Toy::new(lanes), SimdLevel::best());
        for (puzzles, known) in puzzles.chunks(40).zip(known.chunks(40)) {
            if forget {
                scheduler.expect(SeveralRate::UNKNOWN);
            }
            check(&mut scheduler, puzzles, Some(known), first);
        }
    }

    /// Wherever it is stopped, what is final is right, and the next batch is solved as ever.
    #[test]
    fn stops_at_once_and_goes_on(
        puzzles in puzzles(40..150),
        solutions in 1..4_u32,
        last_call in 1..30_usize,
    ) {
        let stop = StopFlag::default();
        let toy = Toy { last_call, stop: stop.clone(), ..Toy::new(8) };
        let calls = Arc::clone(&toy.calls);
        let mut scheduler = Scheduler::new(toy, SimdLevel::best());
        let limits = limits(solutions, 0);
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let question = Question::all(Batch::Puzzles(&puzzles), limits);
        let done = scheduler.solve(&question, &stop, &mut outcomes);
        prop_assert!(calls.load(Ordering::Relaxed) <= last_call);
        prop_assert!(done == puzzles.len() || stop.is_requested());
        for (puzzle, outcome) in puzzles.iter().zip(&outcomes[..done]) {
            prop_assert_eq!(Outcome { latency_ns: 0, ..*outcome }, expected(puzzle, None, limits));
        }
        check(&mut scheduler, &puzzles, None, limits);
    }
}
