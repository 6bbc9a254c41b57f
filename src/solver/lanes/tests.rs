//! Every rule and every movement, at every level that the machine has, against an oracle that
//! is obvious.

use fearless_simd::{Level, Simd, dispatch, u16x8};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{u16x16, u16x32};
use proptest::prelude::*;

use super::branch::Split;
use super::clues::{eliminate_clues, eliminate_singles};
use super::engine::{Engine as Width, Solve};
use super::pages::{Exchange, Pages};
use super::searches::SearchId;
use super::several_rate::SeveralRate;
use super::stack::Stack;
use super::sweep::{
    CONFIGURATIONS, Cells, Closure, Verdict, all_configurations, configurations, solved, step,
    sweep_together,
};
use super::transpose::{load, load_marks, move_lanes, store};
use super::vector::{ALL, LaneSet, Vector, lanes_of};
use crate::bundled::BUNDLED;
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle, Unit};
use crate::simd::SimdLevel;
use crate::solver::contract::Question;
use crate::solver::{Batch, Limits, Outcome, StopFlag};

/// Runs `check::<S, V>(s, input)` at every level, compiled for that level.
macro_rules! at_every_level {
    ($check:ident, $input:expr) => {
        #[inline(always)]
        fn eight<S: Simd>(s: S, input: &Input) {
            $check::<S, u16x8<S>>(s, input);
        }
        for level in SimdLevel::available() {
            match level.token() {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512(s) => s.vectorize(
                    #[inline(always)]
                    || $check::<_, u16x32<_>>(s, $input),
                ),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2(s) => s.vectorize(
                    #[inline(always)]
                    || $check::<_, u16x16<_>>(s, $input),
                ),
                other => dispatch!(other, s => eight(s, $input)),
            }
        }
    };
}

/// What a check needs, lane by lane.
#[derive(Debug, Clone)]
struct Input {
    /// Candidates of every cell.
    cells: Vec<[u16; CELLS]>,
    /// Complete grids.
    grids: Vec<Puzzle>,
    /// The same with most cells blank and a few changed.
    puzzles: Vec<Puzzle>,
    lanes: LaneSet,
    from: [u16; 32],
}

/// The complete grid that every other comes from.
const GRID: &[u8; CELLS] =
    b"123456789456789123789123456231674895875912364694538217317265948542897631968341572";

/// Another complete grid: the digits renamed, rows and columns exchanged within their chutes,
/// transposed or not.
fn permuted(digits: &[u8], rows: [usize; 9], columns: [usize; 9], transposed: bool) -> Puzzle {
    Puzzle::from_cells(std::array::from_fn(|cell| {
        let (row, column) = (rows[cell / 9], columns[cell % 9]);
        let at = if transposed { column * 9 + row } else { row * 9 + column };
        digits[usize::from(GRID[at] - b'1')]
    }))
    .expect("digits")
}

/// The nine lines, exchanged within their chutes.
fn lines() -> impl Strategy<Value = [usize; 9]> {
    let three = || Just(vec![0, 1, 2]).prop_shuffle();
    (three(), three(), three(), three()).prop_map(|(a, b, c, chutes)| {
        let within = [a, b, c];
        std::array::from_fn(|i| 3 * chutes[i / 3] + within[i / 3][i % 3])
    })
}

fn grid() -> impl Strategy<Value = Puzzle> {
    let digits = Just((1..=9).collect::<Vec<u8>>()).prop_shuffle();
    (digits, lines(), lines(), any::<bool>()).prop_map(|(d, r, c, t)| permuted(&d, r, c, t))
}

/// A lane: a grid, a puzzle of it (perhaps spoilt), and candidates that contain it.
fn lane() -> impl Strategy<Value = (Puzzle, Puzzle, [u16; CELLS])> {
    let noise = proptest::collection::vec((0..100_u8, 1..=9_u8, 0..=ALL), CELLS);
    (grid(), 10..70_u8, prop_oneof![Just(0), Just(3_u8)], noise).prop_map(
        |(grid, blank, spoilt, noise)| {
            let solution = grid.cells();
            let puzzle = std::array::from_fn(|i| match noise[i].0 {
                chance if chance < spoilt => noise[i].1,
                chance if chance < blank => 0,
                _ => solution[i],
            });
            let cells = std::array::from_fn(|i| {
                let extra = if noise[i].0 < blank { noise[i].2 } else { 0 };
                extra | 1 << (solution[i] - 1)
            });
            (grid, Puzzle::from_cells(puzzle).expect("digits"), cells)
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    let lanes = proptest::collection::vec(lane(), 32);
    (lanes, any::<LaneSet>(), proptest::array::uniform32(0..8_u16)).prop_map(
        |(all, lanes, from)| Input {
            cells: all.iter().map(|lane| lane.2).collect(),
            grids: all.iter().map(|lane| lane.0).collect(),
            puzzles: all.iter().map(|lane| lane.1).collect(),
            lanes,
            from,
        },
    )
}

#[inline(always)]
fn vectors<S: Simd, V: Vector<S>>(s: S, lanes: &[[u16; CELLS]]) -> Cells<V> {
    let mut cells = [V::splat(s, 0); CELLS];
    for i in 0..CELLS {
        cells[i] = V::from_fn(s, |lane| lanes[lane][i]);
    }
    cells
}

fn lane_of<S: Simd, V: Vector<S>>(cells: &Cells<V>, lane: usize) -> [u16; CELLS] {
    std::array::from_fn(|i| cells[i].as_slice()[lane])
}

fn every<S: Simd, V: Vector<S>>() -> LaneSet {
    LaneSet::MAX >> (32 - V::LEN)
}

/// The clues of a puzzle as candidates, nothing for a blank.
fn clues(puzzle: &Puzzle) -> [u16; CELLS] {
    puzzle.cells().map(|clue| if clue == 0 { 0 } else { 1 << (clue - 1) })
}

fn marks(cells: &[u16; CELLS]) -> Marks {
    Marks::from_cells(cells.map(|mask| Digits(mask << 1)))
}

fn peers(cell: usize) -> impl Iterator<Item = usize> {
    let units = Unit::all().map(Unit::cells).filter(move |cells| cells.contains(&cell));
    units.flatten().filter(move |&peer| peer != cell)
}

/// Loading gives every clue its mask and every cell its marks, storing gives the digits back.
#[inline(always)]
fn check_in_and_out<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut cells = vectors::<S, V>(s, &input.cells);
    load(s, &input.puzzles[..V::LEN - 1], &mut cells);
    for lane in 0..V::LEN - 1 {
        assert_eq!(lane_of(&cells, lane), clues(&input.puzzles[lane]));
    }
    let marks: Vec<Marks> = input.cells.iter().map(marks).collect();
    load_marks(s, &marks[1..V::LEN], &mut cells);
    for lane in 0..V::LEN - 1 {
        assert_eq!(lane_of(&cells, lane), input.cells[lane + 1]);
    }
    load(s, &input.grids, &mut cells);
    assert_eq!(solved(s, &cells), every::<S, V>());
    let mut grids = [Grid::BLANK; 32];
    store(s, &cells, &mut grids[..]);
    let mut outcomes = vec![Outcome::NONE; V::LEN];
    store(s, &cells, &mut outcomes[..]);
    for lane in 0..V::LEN {
        let expected = Grid(*input.grids[lane].cells());
        assert_eq!((grids[lane], outcomes[lane].grid), (expected, expected));
    }
}

#[inline(always)]
fn check_moves<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let source = vectors::<S, V>(s, &input.cells);
    let mut target = vectors::<S, V>(s, &input.puzzles.iter().map(clues).collect::<Vec<_>>());
    move_lanes(s, &source, &input.from, &mut target, input.lanes);
    for lane in 0..V::LEN {
        let moved = input.lanes >> lane & 1 != 0;
        let expected = if moved {
            input.cells[usize::from(input.from[lane])]
        } else {
            clues(&input.puzzles[lane])
        };
        assert_eq!(lane_of(&target, lane), expected);
    }
}

/// Other cells lose the clues of their peers, and clashing clues are seen.
#[inline(always)]
fn check_clues<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut cells = vectors::<S, V>(s, &input.puzzles.iter().map(clues).collect::<Vec<_>>());
    let clashing = eliminate_clues(s, &mut cells);
    for lane in 0..V::LEN {
        let puzzle = &input.puzzles[lane];
        assert_eq!(clashing >> lane & 1 != 0, puzzle.contradiction().is_some(), "{puzzle}");
        let given = clues(puzzle);
        let expected: [u16; CELLS] = std::array::from_fn(|cell| {
            let taken = peers(cell).map(|peer| given[peer]);
            if given[cell] == 0 { taken.fold(ALL, |left, mask| left & !mask) } else { given[cell] }
        });
        assert_eq!(lane_of(&cells, lane), expected);
    }
    let mut cells = vectors::<S, V>(s, &input.cells);
    let clashing = eliminate_singles(s, &mut cells);
    for lane in 0..V::LEN {
        let given = &input.cells[lane];
        let clues = marks(given).clues();
        assert_eq!(clashing >> lane & 1 != 0, clues.contradiction().is_some(), "{clues}");
        let expected: [u16; CELLS] = std::array::from_fn(|cell| {
            let taken = peers(cell).map(|peer| given[peer]).filter(|mask| mask.is_power_of_two());
            if given[cell].count_ones() > 1 {
                taken.fold(given[cell], |left, mask| left & !mask)
            } else {
                given[cell]
            }
        });
        assert_eq!(lane_of(&cells, lane), expected);
    }
}

/// The closure of a chute is what lies on some configuration of it, digit by digit.
#[inline(always)]
fn check_closure<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let minirow = |i: usize| V::from_fn(s, |lane| input.cells[lane][i] ^ input.cells[lane][i + 9]);
    let before: [[V; 3]; 3] = std::array::from_fn(|l| std::array::from_fn(|b| minirow(3 * l + b)));
    let mut closure = Closure::of(&configurations(&before));
    let after: [[V; 3]; 3] = std::array::from_fn(|_| closure.next_line());
    for lane in 0..V::LEN {
        let holds =
            |line: usize, b: usize, digit: u32| before[line][b].as_slice()[lane] >> digit & 1 != 0;
        for (line, b, digit) in (0..81).map(|i| (i / 27, i / 9 % 3, i as u32 % 9)) {
            let expected = (CONFIGURATIONS.iter()).any(|boxes| {
                boxes[line] == b && (0..3).all(|line| holds(line, boxes[line], digit))
            });
            assert_eq!(after[line][b].as_slice()[lane] >> digit & 1 != 0, expected);
        }
    }
}

/// A step only takes candidates, and never one of a solution; what is stuck stays as it is.
#[inline(always)]
fn check_steps<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut cells = vectors::<S, V>(s, &input.cells);
    let mut before = input.cells.clone();
    let mut stuck = 0;
    for _ in 0..20 {
        let verdict = one_step(s, &mut cells);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        assert_eq!(stuck & !verdict.stuck, 0);
        for lane in 0..V::LEN {
            let after = lane_of(&cells, lane);
            let solution = clues(&input.grids[lane]);
            for i in 0..CELLS {
                assert_eq!(after[i] & !before[lane][i], 0);
                assert_eq!(after[i] & solution[i], solution[i]);
            }
            assert!(stuck >> lane & 1 == 0 || after == before[lane]);
            before[lane] = after;
        }
        stuck = verdict.stuck;
    }
}

/// However many sweeps are blind, the same is left in the end, and what a look tells is so.
#[inline(always)]
fn check_together<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut wanted = vectors::<S, V>(s, &input.cells);
    while one_step(s, &mut wanted).stuck != every::<S, V>() & !full(&wanted) {}
    for blind in 0..6 {
        for few in [1, V::LEN as u32 / 2] {
            let mut cells = vectors::<S, V>(s, &input.cells);
            let lanes = every::<S, V>();
            let (verdict, sweeps) = sweep_together(s, &mut cells, lanes, blind, few);
            assert!(sweeps > blind);
            assert_eq!(verdict.failed, 0, "every lane has a solution");
            let left = (lanes & !verdict.settled()).count_ones();
            assert!(left < if sweeps == 1 { 2 * few } else { few });
            assert_eq!(verdict.full & !full(&cells), 0);
            for lane in lanes_of(verdict.stuck) {
                assert_eq!(lane_of(&cells, lane), lane_of(&wanted, lane));
            }
            while one_step(s, &mut cells).stuck != lanes & !full(&cells) {}
            assert!(cells.iter().zip(&wanted).all(|(a, b)| a.as_slice() == b.as_slice()));
        }
    }
}

/// A step, of which nothing is chosen afterwards.
#[inline(always)]
fn one_step<S: Simd, V: Vector<S>>(s: S, cells: &mut Cells<V>) -> Verdict {
    step(s, cells, &mut [[V::splat(s, 0); 6]; 6])
}

/// The lanes in which every cell has one candidate.
fn full<S: Simd, V: Vector<S>>(cells: &Cells<V>) -> LaneSet {
    let is_full = |lane: &usize| lane_of(cells, *lane).iter().all(|cell| cell.is_power_of_two());
    (0..V::LEN).filter(is_full).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// Two cells with the same single candidate, in any unit, are a contradiction after one step.
#[inline(always)]
fn check_equal_singles<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    for first in 0..CELLS {
        let mut lanes = vec![[ALL; CELLS]; 32];
        let equal: Vec<usize> = peers(first).collect();
        for (lane, cells) in lanes.iter_mut().enumerate() {
            let second = equal[(lane + usize::from(input.from[0]) * 4) % equal.len()];
            (cells[first], cells[second]) = (1 << (lane % 9), 1 << (lane % 9));
        }
        let mut cells = vectors::<S, V>(s, &lanes);
        assert_eq!(one_step(s, &mut cells).failed, every::<S, V>(), "cell {first}");
    }
}

/// The two sides of a branch share no solution and lose none; both lose something; the stack
/// gives side B back.
#[inline(always)]
fn check_branches<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut cells = vectors::<S, V>(s, &input.cells);
    let mut stack = Stack::<S, V>::new(s);
    let mut stuck = 0;
    let (mut left, mut found) = ([[V::splat(s, 0); 6]; 6], [[V::splat(s, 0); 6]; 6]);
    for _ in 0..20 {
        stuck = step(s, &mut cells, &mut left).stuck & input.lanes & every::<S, V>();
    }
    all_configurations(s, &mut cells, &mut found);
    for (left, found) in left.as_flattened().iter().zip(found.as_flattened()) {
        lanes_of(stuck).for_each(|lane| assert_eq!(left.as_slice()[lane], found.as_slice()[lane]));
    }
    let parent = cells;
    let split = Split::choose(s, &left, stuck);
    stack.exchange(s, &mut cells, &split, stuck, 0);
    assert_eq!(stack.occupied(), stuck);
    let side_a = cells;
    stack.give_back(s, &mut cells, stuck);
    assert_eq!(stack.occupied(), 0);
    for lane in 0..V::LEN {
        let [p, a, b] = [&parent, &side_a, &cells].map(|cells| lane_of(cells, lane));
        if stuck >> lane & 1 == 0 {
            assert!(p == a && p == b);
            continue;
        }
        assert!(p != a && p != b);
        let solution = clues(&input.grids[lane]);
        let holds = |side: &[u16; CELLS]| (0..CELLS).all(|i| side[i] & solution[i] != 0);
        assert!(holds(&a) != holds(&b), "exactly one side has the solution");
    }
}

/// Two sets of lanes from a linear congruential generator (Knuth's MMIX).
fn two_sets(random: &mut u64) -> (LaneSet, LaneSet) {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ((*random >> 16) as LaneSet, (*random >> 32) as LaneSet)
}

/// A stack of many frames against a list for each lane.
#[inline(always)]
fn check_stack<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut stack = Stack::<S, V>::new(s);
    let mut model: Vec<Vec<[u16; CELLS]>> = vec![Vec::new(); V::LEN];
    let mut cells = vectors::<S, V>(s, &input.cells);
    let nothing = Split::choose(s, &[[V::splat(s, 0); 6]; 6], 0);
    let mut random = u64::from(input.lanes) | 1 << 32;
    for round in 0..60_u16 {
        let (one, other) = two_sets(&mut random);
        for cell in &mut cells {
            *cell ^= V::splat(s, round);
        }
        let branching = one & every::<S, V>();
        let returning = other & stack.occupied() & !branching;
        lanes_of(branching).for_each(|lane| model[lane].push(lane_of(&cells, lane)));
        if random >> 63 == 0 {
            stack.exchange(s, &mut cells, &nothing, branching, returning);
        } else {
            for lane in lanes_of(branching) {
                model[lane].pop();
            }
            stack.give_back(s, &mut cells, returning);
        }
        for lane in lanes_of(returning) {
            assert_eq!(Some(lane_of(&cells, lane)), model[lane].pop());
        }
        // One of the lanes that can loses its first side, a few lose all.
        if let Some(lane) = lanes_of(stack.generous()).next() {
            let mut taken = cells;
            stack.take_last(lane, &mut taken, V::LEN - 1);
            assert_eq!(lane_of(&taken, V::LEN - 1), model[lane].remove(0));
        }
        let cleared = one.rotate_left(8) & other.rotate_left(16) & every::<S, V>() & random as u32;
        stack.clear(cleared);
        lanes_of(cleared).for_each(|lane| model[lane].clear());
        for lane in 0..V::LEN {
            assert_eq!(stack.occupied() >> lane & 1 == 0, model[lane].is_empty());
        }
    }
}

/// Pages against a list of sides: every side that is pushed comes back once, to a lane that wants it.
#[inline(always)]
fn check_pages<S: Simd, V: Vector<S>>(s: S, input: &Input) {
    let mut pages = Pages::<V>::new(s);
    // By owner, who has one side only.
    let mut model: Vec<(SearchId, [u16; CELLS])> = Vec::new();
    let mut cells = vectors::<S, V>(s, &input.cells);
    let nothing = Split::choose(s, &[[V::splat(s, 0); 6]; 6], 0);
    let mut random = u64::from(input.lanes) | 1 << 32;
    for round in 0..60_u16 {
        let (one, other) = two_sets(&mut random);
        for cell in &mut cells {
            *cell ^= V::splat(s, round);
        }
        let before: Vec<_> = (0..V::LEN).map(|lane| lane_of(&cells, lane)).collect();
        let mut owners = std::array::from_fn(|lane| 32 * round + lane as SearchId);
        let mut exchange =
            Exchange { given: 0, giver: [0; 32], back: 0, column: [0; 32], pushed: 0 };
        let mut taken = 0;
        if random >> 63 == 0 {
            let wanted = one & other & every::<S, V>();
            if pages.push(s, wanted, &owners) {
                exchange.pushed = wanted;
                lanes_of(wanted).for_each(|lane| model.push((owners[lane], before[lane])));
            }
            // A lane that puts nothing by gets its neighbour's side.
            exchange.given = one & !other & every::<S, V>();
            for lane in lanes_of(exchange.given) {
                exchange.giver[lane] = ((lane + 1) % V::LEN) as u16;
            }
            pages.exchange(s, &mut cells, &nothing, &exchange);
        } else {
            let takers = one & every::<S, V>();
            let got = pages.take(s, &mut cells, takers, &mut owners, &mut exchange.column);
            exchange.back = got.back;
            taken = got.all;
            assert_eq!(taken.count_ones() as usize, model.len().min(takers.count_ones() as usize));
            if random >> 62 & 1 == 0 {
                pages.give_back(s, &mut cells, &exchange);
            } else {
                pages.exchange(s, &mut cells, &nothing, &exchange);
            }
        }
        for lane in 0..V::LEN {
            let expected = if taken >> lane & 1 != 0 {
                let place = model.iter().position(|side| side.0 == owners[lane]);
                model.swap_remove(place.expect("it is there")).1
            } else if exchange.given >> lane & 1 != 0 {
                before[usize::from(exchange.giver[lane])]
            } else {
                before[lane]
            };
            assert_eq!(lane_of(&cells, lane), expected);
        }
        if round % 7 == 0
            && let Some(forgotten) = model.pop()
        {
            pages.remove(forgotten.0);
        }
        assert_eq!(pages.sides() as usize, model.len());
    }
}

/// Puzzles of all kinds: the input's, some of every bundled set, and empty ones, which have far more
/// sides than there are pages for.
fn mixed(input: &Input) -> Vec<Puzzle> {
    let mut puzzles = input.puzzles.clone();
    for set in BUNDLED {
        puzzles.extend(set.text.lines().take(30).map(|line| line.parse::<Puzzle>().expect(line)));
    }
    puzzles.extend([Puzzle::EMPTY; 3]);
    puzzles
}

/// Together or apart, in one batch or another: the same is found. (Searching together ends where
/// there are many puzzles with several solutions; so each engine gets few of them.)
fn check_ways<S: Simd, V: Vector<S> + Send>(s: S, input: &Input) {
    let puzzles = mixed(input);
    for solutions in [2, 5, 100] {
        let limits = Limits::count(solutions.try_into().unwrap());
        let mut many_several = SeveralRate::UNKNOWN;
        (0..1000).for_each(|_| many_several.note(true));
        let mut apart = Width::<S, V>::expecting(s, many_several);
        let mut wanted = vec![Outcome::NONE; puzzles.len()];
        apart.solve(
            &Question::all(Batch::Puzzles(&puzzles), limits),
            &StopFlag::default(),
            &mut wanted,
        );
        for size in [1, 7, 100] {
            let mut found = vec![Outcome::NONE; puzzles.len()];
            for (puzzles, found) in puzzles.chunks(size).zip(found.chunks_mut(size)) {
                let mut together = Width::<S, V>::expecting(s, SeveralRate::UNKNOWN);
                let question = Question::all(Batch::Puzzles(puzzles), limits);
                together.solve(&question, &StopFlag::default(), found);
            }
            for ((puzzle, found), wanted) in puzzles.iter().zip(&found).zip(&wanted) {
                let found = Outcome { latency_ns: wanted.latency_ns, ..*found };
                assert_eq!(found, *wanted, "{puzzle}");
            }
        }
    }
}

fn ways_at_every_level(input: &Input) {
    fn eight<S: Simd>(s: S, input: &Input) {
        check_ways::<S, u16x8<S>>(s, input);
    }
    for level in SimdLevel::available() {
        match level.token() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(s) => check_ways::<_, u16x32<_>>(s, input),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(s) => check_ways::<_, u16x16<_>>(s, input),
            other => dispatch!(other, s => eight(s, input)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn searching_together_finds_what_searching_apart_does(input in input()) {
        ways_at_every_level(&input);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn puzzles_come_in_and_solutions_go_out(input in input()) {
        at_every_level!(check_in_and_out, &input);
    }

    #[test]
    fn lanes_move(input in input()) {
        at_every_level!(check_moves, &input);
    }

    #[test]
    fn clues_leave_their_peers_and_clashes_are_seen(input in input()) {
        at_every_level!(check_clues, &input);
    }

    #[test]
    fn the_closure_is_exact(input in input()) {
        at_every_level!(check_closure, &input);
    }

    #[test]
    fn steps_keep_every_solution(input in input()) {
        at_every_level!(check_steps, &input);
    }

    #[test]
    fn entries_end_where_others_do(input in input()) {
        at_every_level!(check_together, &input);
    }

    #[test]
    fn equal_singles_fail_at_once(input in input()) {
        at_every_level!(check_equal_singles, &input);
    }

    #[test]
    fn branches_part_the_solutions(input in input()) {
        at_every_level!(check_branches, &input);
    }

    #[test]
    fn pages_give_back_what_was_pushed(input in input()) {
        at_every_level!(check_pages, &input);
    }

    #[test]
    fn the_stack_gives_back_what_was_pushed(input in input()) {
        at_every_level!(check_stack, &input);
    }
}

#[test]
fn two_configurations_go_through_each_minirow() {
    for (line, b) in (0..9).map(|i| (i / 3, i % 3)) {
        let expected: Vec<usize> = (0..6).filter(|&i| CONFIGURATIONS[i][line] == b).collect();
        assert_eq!(super::sweep::THROUGH[line][b].to_vec(), expected);
    }
}
