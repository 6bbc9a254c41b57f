//! Every call of the kernel, at every level that the machine has, against an oracle that is obvious.

use proptest::prelude::*;

use super::sweep::{CONFIGURATIONS, THROUGH};
use super::vector::ALL;
use crate::{
    Block, CELLS, Candidates, Digits, Exchange, Kernel, LaneSet, Lanes, MOST_LANES, Marks, Moves,
    SimdLevel, Verdict, lanes_of,
};

/// What a check needs, lane by lane.
#[derive(Debug, Clone)]
struct Input {
    /// Candidates of every cell; they allow the grid.
    cells: Vec<Candidates>,
    /// Complete grids.
    grids: Vec<Digits>,
    /// The same with most cells blank and a few changed.
    puzzles: Vec<Digits>,
    lanes: LaneSet,
    from: [u16; MOST_LANES],
}

/// The complete grid that every other comes from.
const GRID: &[u8; CELLS] =
    b"123456789456789123789123456231674895875912364694538217317265948542897631968341572";

/// Another complete grid: the digits renamed, rows and columns exchanged within their chutes,
/// transposed or not.
fn permuted(digits: &[u8], rows: [usize; 9], columns: [usize; 9], transposed: bool) -> Digits {
    std::array::from_fn(|cell| {
        let (row, column) = (rows[cell / 9], columns[cell % 9]);
        let at = if transposed { column * 9 + row } else { row * 9 + column };
        digits[usize::from(GRID[at] - b'1')]
    })
}

/// The nine lines, exchanged within their chutes.
fn lines() -> impl Strategy<Value = [usize; 9]> {
    let three = || Just(vec![0, 1, 2]).prop_shuffle();
    (three(), three(), three(), three()).prop_map(|(a, b, c, chutes)| {
        let within = [a, b, c];
        std::array::from_fn(|i| 3 * chutes[i / 3] + within[i / 3][i % 3])
    })
}

fn grid() -> impl Strategy<Value = Digits> {
    let digits = Just((1..=9).collect::<Vec<u8>>()).prop_shuffle();
    (digits, lines(), lines(), any::<bool>()).prop_map(|(d, r, c, t)| permuted(&d, r, c, t))
}

/// A lane: a grid, a puzzle of it (perhaps spoilt), and candidates that contain it.
fn lane() -> impl Strategy<Value = (Digits, Digits, Candidates)> {
    let noise = proptest::collection::vec((0..100_u8, 1..=9_u8, 0..=ALL), CELLS);
    (grid(), 10..70_u8, prop_oneof![Just(0), Just(3_u8)], noise).prop_map(
        |(grid, blank, spoilt, noise)| {
            let solution = grid;
            let puzzle = std::array::from_fn(|i| match noise[i].0 {
                chance if chance < spoilt => noise[i].1,
                chance if chance < blank => 0,
                _ => solution[i],
            });
            let cells = std::array::from_fn(|i| {
                let extra = if noise[i].0 < blank { noise[i].2 << 1 } else { 0 };
                extra | 1 << solution[i]
            });
            (grid, puzzle, cells)
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

/// How many pages the checks use.
const PAGES: usize = 7;

impl Marks for Candidates {
    fn candidates(&self) -> &Candidates {
        self
    }
}

/// Every lane from itself.
const OWN: [u16; MOST_LANES] = {
    let mut own = [0; MOST_LANES];
    let mut lane = 0;
    while lane < MOST_LANES {
        own[lane] = lane as u16;
        lane += 1;
    }
    own
};

fn every(kernel: &Lanes) -> LaneSet {
    LaneSet::MAX >> (MOST_LANES - kernel.lanes())
}

fn has(lanes: LaneSet, lane: usize) -> bool {
    lanes >> lane & 1 != 0
}

/// The cells that share a row, a column or a box with this one.
fn peers(cell: usize) -> impl Iterator<Item = usize> {
    let units = |cell: usize| [cell / 9, 9 + cell % 9, 18 + cell / 27 * 3 + cell % 9 / 3];
    let shares = move |&peer: &usize| (0..3).any(|i| units(cell)[i] == units(peer)[i]);
    (0..CELLS).filter(move |&peer| peer != cell).filter(shares)
}

/// What clues or single candidates leave to the other cells, and whether two of them clash.
fn eliminated(given: &Candidates) -> (Candidates, bool) {
    let single = |cell: usize| if given[cell].is_power_of_two() { given[cell] } else { 0 };
    let taken = |cell: usize| peers(cell).fold(0, |taken, peer| taken | single(peer));
    let clashing = (0..CELLS).any(|cell| single(cell) & taken(cell) != 0);
    let left = |cell| if single(cell) == 0 { given[cell] & !taken(cell) } else { given[cell] };
    (std::array::from_fn(left), clashing)
}

fn candidates(clues: &Digits) -> Candidates {
    clues.map(|clue| if clue == 0 { ALL << 1 } else { 1 << clue })
}

fn is_full(cells: &Candidates) -> bool {
    cells.iter().all(|cell| cell.is_power_of_two())
}

/// Clues and candidates come in and are taken from their peers; clashing ones are seen.
fn check_load(kernel: &mut Lanes, input: &Input) {
    // Not all lanes have a puzzle.
    let some = kernel.lanes() - 1;
    for is_clues in [true, false] {
        let given: Vec<Candidates> = if is_clues {
            kernel.load(&input.puzzles[..some]);
            input.puzzles.iter().map(candidates).collect()
        } else {
            kernel.load_marks(&input.cells[..some]);
            input.cells.clone()
        };
        let loaded = kernel.cells(true);
        let found = kernel.sweep_entry(every(kernel));
        let swept = kernel.cells(true);
        for lane in 0..some {
            // A blank of a puzzle is nothing until the clues are taken from it.
            let is_loaded = |i: usize| loaded[lane][i] == 0 || loaded[lane][i] == given[lane][i];
            assert!((0..CELLS).all(is_loaded));
            let (expected, clashes) = eliminated(&given[lane]);
            assert!(!clashes || has(found.failed, lane));
            assert!((0..CELLS).all(|i| swept[lane][i] & !expected[i] == 0));
        }
    }
}

/// Solutions are known as such, and go out as digits.
fn check_solutions(kernel: &mut Lanes, input: &Input) {
    let lanes = kernel.lanes();
    kernel.load(&input.grids[..lanes]);
    let solved = Verdict { solved: every(kernel), ..Verdict::default() };
    assert_eq!(kernel.sweep_entry(every(kernel)), solved);
    // A block of which not all lanes have a place, too.
    for some in [lanes, lanes - 1] {
        let mut digits = vec![[0; CELLS]; some];
        kernel.store(Block::Entry, &mut digits);
        assert_eq!(digits, input.grids[..some]);
    }
    kernel.admit(&Moves { lanes: every(kernel), from: input.from }, 0);
    kernel.keep(&Moves { lanes: every(kernel), from: OWN });
    let mut kept = vec![[0; CELLS]; lanes];
    kernel.store(Block::Exit, &mut kept);
    for lane in 0..lanes {
        let expected = input.grids[usize::from(input.from[lane])];
        assert_eq!((kernel.solution(lane), kept[lane]), (expected, expected));
    }
}

fn check_moves(kernel: &mut Lanes, input: &Input) {
    let lanes = kernel.lanes();
    let moves = Moves { lanes: input.lanes & every(kernel), from: input.from };
    kernel.load(&input.grids[..lanes]);
    kernel.set(false, &input.puzzles.iter().map(candidates).collect::<Vec<_>>());
    kernel.admit(&moves, 0);
    let expected: Vec<Candidates> = (0..lanes)
        .map(|lane| {
            let is_moved = has(moves.lanes, lane);
            let from = usize::from(input.from[lane]);
            candidates(if is_moved { &input.grids[from] } else { &input.puzzles[lane] })
        })
        .collect();
    assert_eq!(kernel.cells(false), expected);
}

/// A step only takes candidates, and never one of a solution; what is stuck stays as it is.
fn check_steps(kernel: &mut Lanes, input: &Input) {
    kernel.set(false, &input.cells);
    let mut before = kernel.cells(false);
    let mut stuck = 0;
    for _ in 0..20 {
        let verdict = kernel.work(every(kernel), 0);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        assert_eq!(stuck & !verdict.stuck, 0);
        let after = kernel.cells(false);
        for (lane, after) in after.iter().enumerate() {
            for cell in 0..CELLS {
                assert_eq!(after[cell] & !before[lane][cell], 0);
                assert!(after[cell] >> input.grids[lane][cell] & 1 != 0);
            }
            assert!(!has(stuck, lane) || *after == before[lane]);
            assert_eq!(has(verdict.solved, lane), is_full(after));
        }
        (before, stuck) = (after, verdict.stuck);
    }
}

/// However many sweeps are blind, the entry block ends where steps do, and what it tells is so.
fn check_entry(kernel: &mut Lanes, input: &Input) {
    let (every, lanes) = (every(kernel), kernel.lanes());
    let stay = Moves { lanes: every, from: OWN };
    kernel.load_marks(&input.cells[..lanes]);
    kernel.admit(&stay, 0);
    kernel.work(every, lanes as u32);
    let wanted = kernel.cells(false);
    // The kernel learns from block to block how many sweeps may be blind.
    for _ in 0..20 {
        kernel.load_marks(&input.cells[..lanes]);
        let verdict = kernel.sweep_entry(every);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        let cells = kernel.cells(true);
        for lane in lanes_of(verdict.solved | verdict.stuck) {
            assert_eq!(cells[lane], wanted[lane]);
            assert_eq!(has(verdict.solved, lane), is_full(&cells[lane]));
        }
        kernel.admit(&stay, 0);
        kernel.work(every, lanes as u32);
        assert_eq!(kernel.cells(false), wanted);
    }
}

/// Two cells with the same single candidate, in any unit, are a contradiction after one step.
fn check_equal_singles(kernel: &mut Lanes, input: &Input) {
    for first in 0..CELLS {
        let mut lanes = [[ALL << 1; CELLS]; MOST_LANES];
        let equal: Vec<usize> = peers(first).collect();
        for (lane, cells) in lanes.iter_mut().enumerate() {
            let second = equal[(lane + usize::from(input.from[0]) * 4) % equal.len()];
            (cells[first], cells[second]) = (2 << (lane % 9), 2 << (lane % 9));
        }
        kernel.set(false, &lanes);
        assert_eq!(kernel.work(every(kernel), 0).failed, every(kernel), "cell {first}");
    }
}

/// The two sides of a branch share no solution and lose none; both lose something. Whether a lane
/// branches after a step or at once when it comes in makes no difference.
fn check_branches(kernel: &mut Lanes, input: &Input) {
    kernel.set(false, &input.cells);
    let lanes = kernel.lanes();
    let stuck = kernel.work(every(kernel), lanes as u32).stuck & input.lanes;
    let parents = kernel.cells(false);
    let own = Moves { lanes: stuck, from: OWN };
    let branch = Exchange { branching: stuck, put: stuck, ..Exchange::NONE };
    kernel.exchange(&branch);
    let side_a = kernel.cells(false);
    kernel.take(0, &own);
    let side_b = kernel.cells(false);
    for lane in 0..lanes {
        let (parent, a, b) = (&parents[lane], &side_a[lane], &side_b[lane]);
        if !has(stuck, lane) {
            assert!(parent == a && parent == b);
            continue;
        }
        assert!(parent != a && parent != b);
        let holds =
            |side: &Candidates| (0..CELLS).all(|i| side[i] >> input.grids[lane][i] & 1 != 0);
        assert!(holds(a) != holds(b), "exactly one side has the solution");
    }
    kernel.set(true, &parents);
    kernel.admit(&Moves { lanes: every(kernel), ..own }, stuck);
    kernel.exchange(&branch);
    assert_eq!(kernel.cells(false), side_a);
}

/// Two sets of lanes from a linear congruential generator (Knuth's MMIX).
fn two_sets(random: &mut u64) -> (LaneSet, LaneSet) {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ((*random >> 16) as LaneSet, (*random >> 32) as LaneSet)
}

/// Sets the work lanes to cells of the input, another time to others; no configuration is left, so that
/// lanes that branch lose nothing on either side.
fn set_unlike(kernel: &mut Lanes, input: &Input, round: u16) -> Vec<Candidates> {
    kernel.set(false, &[[0; CELLS]; MOST_LANES]);
    kernel.work(every(kernel), 0);
    let unlike = |cells: &Candidates| cells.map(|cell| cell ^ round << 1);
    let work: Vec<_> = input.cells[..kernel.lanes()].iter().map(unlike).collect();
    kernel.set(false, &work);
    work
}

/// Pages against a model of them.
fn check_pages(kernel: &mut Lanes, input: &Input) {
    let mut pages: Vec<_> = (0..PAGES as u16).map(|page| set_unlike(kernel, input, page)).collect();
    for page in 0..PAGES {
        kernel.set(false, &pages[page]);
        kernel.exchange(&Exchange { put: every(kernel), page, ..Exchange::NONE });
    }
    let mut random = u64::from(input.lanes) | 1 << 32;
    for round in 0..60 {
        let (one, other) = two_sets(&mut random);
        let (one, other) = (one & every(kernel), other & every(kernel));
        let page = random as usize % PAGES;
        let from = input.from.map(|from| from ^ round & 7);
        let before = set_unlike(kernel, input, round);
        let mut work = before.clone();
        match round % 4 {
            kind @ (0 | 1) => {
                let given = Moves { lanes: one & !other, from };
                let (put, back) = if kind == 0 { (other, 0) } else { (0, other) };
                let back = Moves { lanes: back, from };
                kernel.exchange(&Exchange { given, put, back, page, ..Exchange::NONE });
                lanes_of(put).for_each(|lane| pages[page][lane] = before[lane]);
                for lane in lanes_of(given.lanes) {
                    work[lane] = before[usize::from(from[lane])];
                }
                for lane in lanes_of(back.lanes) {
                    work[lane] = pages[page][usize::from(from[lane])];
                }
            }
            2 => {
                kernel.take(page, &Moves { lanes: one, from });
                lanes_of(one).for_each(|lane| work[lane] = pages[page][usize::from(from[lane])]);
            }
            _ => {
                let (lane, column) = (usize::from(from[0]), usize::from(from[1]));
                let cells = kernel.column(page, column);
                kernel.set_lane(lane, &cells);
                work[lane] = pages[page][column];
            }
        }
        assert_eq!(kernel.cells(false), work, "round {round}");
    }
}

/// The stacks against a list for each lane.
fn check_stacks(kernel: &mut Lanes, input: &Input) {
    let lanes = kernel.lanes();
    let mut model: Vec<Vec<Candidates>> = vec![Vec::new(); lanes];
    let mut random = u64::from(input.lanes) | 1 << 32;
    for round in 0..60 {
        let (one, other) = two_sets(&mut random);
        let mut work = set_unlike(kernel, input, round);
        let branching = if round % 3 == 0 { 0 } else { one & every(kernel) };
        let returning = other & kernel.stacked().0 & !branching;
        kernel.push_and_pop(branching, returning);
        lanes_of(branching).for_each(|lane| model[lane].push(work[lane]));
        lanes_of(returning).for_each(|lane| work[lane] = model[lane].pop().expect("a side"));
        assert_eq!(kernel.cells(false), work, "round {round}");
        // One of the lanes that can loses its first side, a few lose all.
        if let Some(lane) = lanes_of(kernel.stacked().1).next() {
            kernel.take_last(lane, lanes - 1);
            assert_eq!(kernel.cells(false)[lanes - 1], model[lane].remove(0));
        }
        let cleared = one.rotate_left(8) & other.rotate_left(16) & every(kernel) & random as u32;
        kernel.clear(cleared);
        lanes_of(cleared).for_each(|lane| model[lane].clear());
        for lane in 0..lanes {
            assert_eq!(has(kernel.stacked().0, lane), !model[lane].is_empty());
        }
    }
}

/// The closure of a chute is what lies on some configuration of it, digit by digit: so a digit that has
/// lost a minirow in all its configurations loses it.
fn check_closure(kernel: &mut Lanes, input: &Input) {
    // One band, of which every minirow holds the digits that chance gives it; the rest is open.
    let minirow =
        |lane: usize, i: usize| (input.cells[lane][i] ^ input.cells[lane][i + 9]) & ALL << 1;
    let given: Vec<Candidates> = (0..MOST_LANES)
        .map(|lane| {
            std::array::from_fn(|cell| if cell < 27 { minirow(lane, cell / 3) } else { ALL << 1 })
        })
        .collect();
    kernel.set(false, &given);
    kernel.work(every(kernel), 0);
    let after = kernel.cells(false);
    for lane in 0..kernel.lanes() {
        for (line, b, digit) in (0..81).map(|i| (i / 27, i / 9 % 3, 1 + i as u32 % 9)) {
            let holds = |line: usize, b: usize| minirow(lane, 3 * line + b) >> digit & 1 != 0;
            let fits = |boxes: &[usize; 3]| (0..3).all(|line| holds(line, boxes[line]));
            let is_possible = (CONFIGURATIONS.iter()).any(|boxes| boxes[line] == b && fits(boxes));
            let is_left = (0..3).any(|k| after[lane][line * 9 + 3 * b + k] >> digit & 1 != 0);
            assert!(is_possible || !is_left);
        }
    }
}

type Check = fn(&mut Lanes, &Input);

const CHECKS: [(&str, Check); 10] = [
    ("clues and candidates come in, and clashes are seen", check_load),
    ("solutions are known and go out", check_solutions),
    ("lanes move", check_moves),
    ("steps keep every solution", check_steps),
    ("the closure leaves nothing impossible", check_closure),
    ("entries end where others do", check_entry),
    ("equal singles fail at once", check_equal_singles),
    ("branches part the solutions", check_branches),
    ("pages give back what was put there", check_pages),
    ("stacks give back what was pushed", check_stacks),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_kernel_keeps_its_word(input in input()) {
        for level in SimdLevel::available() {
            for (name, check) in CHECKS {
                println!("{level}: {name}");
                check(&mut Lanes::new(level, PAGES), &input);
            }
        }
    }
}

#[test]
fn two_configurations_go_through_each_minirow() {
    for (line, b) in (0..9).map(|i| (i / 3, i % 3)) {
        let expected: Vec<usize> = (0..6).filter(|&i| CONFIGURATIONS[i][line] == b).collect();
        assert_eq!(THROUGH[line][b].to_vec(), expected);
    }
}
