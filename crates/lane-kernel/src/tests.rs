//! Every call of the kernel, at every level that the machine has, against an oracle that is obvious.

use proptest::prelude::*;

use super::sweep::{CONFIGURATIONS, THROUGH};
use super::vector::ALL;
use crate::{
    Block, CELLS, COLUMNS, Candidates, Column, Digits, Exchange, Given, Kernel, LaneSet,
    MOST_LANES, Moves, Own, OwnExchange, SimdLevel, Verdict, kernel, lanes_of,
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

/// How many pages and frames the checks use.
const PAGES: usize = 7;
const FRAMES: usize = 9;

fn every(kernel: &dyn Kernel) -> LaneSet {
    LaneSet::MAX >> (MOST_LANES - kernel.lanes())
}

fn refs<T>(all: &[T]) -> [&T; MOST_LANES] {
    std::array::from_fn(|i| &all[i])
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
fn check_load(kernel: &mut dyn Kernel, input: &Input) {
    for is_clues in [true, false] {
        let given: Vec<Candidates> = if is_clues {
            kernel.load(Given::Clues(&refs(&input.puzzles)));
            input.puzzles.iter().map(candidates).collect()
        } else {
            kernel.load(Given::Candidates(&refs(&input.cells)));
            input.cells.clone()
        };
        let loaded = kernel.cells(Block::Entry);
        let found = kernel.sweep_entry(every(kernel));
        let swept = kernel.cells(Block::Entry);
        for lane in 0..kernel.lanes() {
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
fn check_solutions(kernel: &mut dyn Kernel, input: &Input) {
    kernel.load(Given::Clues(&refs(&input.grids)));
    let solved = Verdict { solved: every(kernel), ..Verdict::default() };
    assert_eq!(kernel.sweep_entry(every(kernel)), solved);
    let lanes = kernel.lanes();
    let mut digits = [[0; CELLS]; MOST_LANES];
    kernel.store(Block::Entry, &mut digits.each_mut());
    assert_eq!(digits[..lanes], input.grids[..lanes]);
    kernel.admit(&Moves { lanes: every(kernel), from: input.from }, 0);
    for lane in 0..lanes {
        assert_eq!(kernel.solution(lane), input.grids[usize::from(input.from[lane])]);
    }
}

fn check_moves(kernel: &mut dyn Kernel, input: &Input) {
    let lanes = kernel.lanes();
    let moves = Moves { lanes: input.lanes & every(kernel), from: input.from };
    kernel.load(Given::Clues(&refs(&input.grids)));
    kernel.set(Block::Work, &input.puzzles.iter().map(candidates).collect::<Vec<_>>());
    kernel.admit(&moves, 0);
    let expected: Vec<Candidates> = (0..lanes)
        .map(|lane| {
            let is_moved = has(moves.lanes, lane);
            let from = usize::from(input.from[lane]);
            candidates(if is_moved { &input.grids[from] } else { &input.puzzles[lane] })
        })
        .collect();
    assert_eq!(kernel.cells(Block::Work), expected);
    kernel.keep(&Moves { lanes: every(kernel), from: input.from });
    for (kept, from) in kernel.cells(Block::Exit).iter().zip(input.from) {
        assert_eq!(*kept, expected[usize::from(from)]);
    }
}

/// A step only takes candidates, and never one of a solution; what is stuck stays as it is.
fn check_steps(kernel: &mut dyn Kernel, input: &Input) {
    kernel.set(Block::Work, &input.cells);
    let mut before = kernel.cells(Block::Work);
    let mut stuck = 0;
    for _ in 0..20 {
        let verdict = kernel.work(every(kernel), 0);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        assert_eq!(stuck & !verdict.stuck, 0);
        let after = kernel.cells(Block::Work);
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
fn check_entry(kernel: &mut dyn Kernel, input: &Input) {
    let lanes = every(kernel);
    let all = kernel.lanes() as u32;
    kernel.load(Given::Candidates(&refs(&input.cells)));
    kernel.admit(&Moves { lanes, from: std::array::from_fn(|lane| lane as u16) }, 0);
    kernel.work(lanes, all);
    let wanted = kernel.cells(Block::Work);
    // The kernel learns from block to block how many sweeps may be blind.
    for _ in 0..20 {
        kernel.load(Given::Candidates(&refs(&input.cells)));
        let verdict = kernel.sweep_entry(lanes);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        let cells = kernel.cells(Block::Entry);
        for lane in lanes_of(verdict.solved | verdict.stuck) {
            assert_eq!(cells[lane], wanted[lane]);
            assert_eq!(has(verdict.solved, lane), is_full(&cells[lane]));
        }
        kernel.admit(&Moves { lanes, from: std::array::from_fn(|lane| lane as u16) }, 0);
        kernel.work(lanes, all);
        assert_eq!(kernel.cells(Block::Work), wanted);
    }
}

/// Two cells with the same single candidate, in any unit, are a contradiction after one step.
fn check_equal_singles(kernel: &mut dyn Kernel, input: &Input) {
    for first in 0..CELLS {
        let mut lanes = [[ALL << 1; CELLS]; MOST_LANES];
        let equal: Vec<usize> = peers(first).collect();
        for (lane, cells) in lanes.iter_mut().enumerate() {
            let second = equal[(lane + usize::from(input.from[0]) * 4) % equal.len()];
            (cells[first], cells[second]) = (2 << (lane % 9), 2 << (lane % 9));
        }
        kernel.set(Block::Work, &lanes);
        assert_eq!(kernel.work(every(kernel), 0).failed, every(kernel), "cell {first}");
    }
}

/// The two sides of a branch share no solution and lose none; both lose something. Whether a lane
/// branches after a step or at once when it comes in makes no difference.
fn check_branches(kernel: &mut dyn Kernel, input: &Input) {
    kernel.set(Block::Work, &input.cells);
    let lanes = kernel.lanes();
    let stuck = kernel.work(every(kernel), lanes as u32).stuck & input.lanes;
    let parents = kernel.cells(Block::Work);
    let own = Moves { lanes: stuck, from: std::array::from_fn(|lane| lane as u16) };
    let branch = Exchange { branching: stuck, put: stuck, ..Exchange::NONE };
    kernel.exchange(&branch);
    let side_a = kernel.cells(Block::Work);
    kernel.take(0, &own);
    let side_b = kernel.cells(Block::Work);
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
    kernel.set(Block::Entry, &parents);
    kernel.admit(&Moves { lanes: every(kernel), ..own }, stuck);
    kernel.exchange(&branch);
    assert_eq!(kernel.cells(Block::Work), side_a);
}

/// Two sets of lanes from a linear congruential generator (Knuth's MMIX).
fn two_sets(random: &mut u64) -> (LaneSet, LaneSet) {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ((*random >> 16) as LaneSet, (*random >> 32) as LaneSet)
}

/// Pages and frames against a model of them. No configuration is left, so lanes that branch lose
/// nothing on either side.
fn check_storage(kernel: &mut dyn Kernel, input: &Input) {
    let lanes = kernel.lanes();
    let mut pages = vec![vec![[0; CELLS]; lanes]; PAGES];
    let mut frames = vec![vec![[0; CELLS]; COLUMNS]; FRAMES];
    let mut random = u64::from(input.lanes) | 1 << 32;
    kernel.set(Block::Work, &[[0; CELLS]; MOST_LANES]);
    kernel.work(every(kernel), 0);
    for page in 0..PAGES {
        kernel.exchange(&Exchange { put: every(kernel), page, ..Exchange::NONE });
    }
    for (frame, column) in (0..FRAMES * COLUMNS).map(|i| (i / COLUMNS, i % COLUMNS)) {
        kernel.copy(Column::Page(0, 0), Column::Frame(frame, column));
    }
    for round in 0..100 {
        let (one, other) = two_sets(&mut random);
        let (one, other) = (one & every(kernel), other & every(kernel));
        let mut work: Vec<Candidates> =
            input.cells[..lanes].iter().map(|cells| cells.map(|cell| cell ^ round << 1)).collect();
        kernel.set(Block::Work, &work);
        let page = random as usize % PAGES;
        let from = input.from.map(|from| from ^ round & 7);
        let before = work.clone();
        match round % 6 {
            0 | 1 => {
                let given = Moves { lanes: one & !other, from };
                kernel.exchange(&Exchange { given, put: other, page, ..Exchange::NONE });
                lanes_of(other).for_each(|lane| pages[page][lane] = work[lane]);
                for lane in lanes_of(given.lanes) {
                    work[lane] = before[usize::from(from[lane])];
                }
            }
            2 => {
                let (given, back) =
                    (Moves { lanes: one & !other, from }, Moves { lanes: other, from });
                kernel.exchange(&Exchange { given, page, back, ..Exchange::NONE });
                for lane in lanes_of(one | other) {
                    let source = if has(other, lane) { &pages[page] } else { &before };
                    work[lane] = source[usize::from(from[lane])];
                }
            }
            3 => {
                kernel.take(page, &Moves { lanes: one, from });
                lanes_of(one).for_each(|lane| work[lane] = pages[page][usize::from(from[lane])]);
            }
            4 => {
                let (lane, frame, column) = (page, page, usize::from(from[page] & 7));
                kernel.copy(Column::Page(page, lane), Column::Frame(frame, column));
                frames[frame][column] = pages[page][lane];
                kernel.copy(Column::Frame(frame + 1, column), Column::Work(lane));
                work[lane] = frames[frame + 1][column];
                kernel.copy(Column::Work(lane), Column::Page(page, lane));
                pages[page][lane] = work[lane];
            }
            _ => {
                let (returning, branching) = (one & !other, other);
                let [held, place] = [page, random as usize / PAGES % (PAGES - 1)];
                let held_before = if branching & 1 == 0 { held } else { (held + 1) % PAGES };
                // From the held page, from another one, from frames.
                let [back, low, high] = [0xFF, 0x0F00, 0xFF_F000].map(|some| returning & some);
                let spare = (0..PAGES).find(|page| ![held, held_before].contains(page));
                let to_frames = [Own { place: 8, lanes: branching & 0x8421 }];
                let from_pages = [Own { place: spare.expect("7") as u16, lanes: low }];
                let from_frames: Vec<Own> = (0..place)
                    .map(|i| Own { place: i as u16, lanes: high & 0x0101_0101 << i })
                    .collect();
                kernel.exchange_own(&OwnExchange {
                    branching,
                    back,
                    held,
                    held_before,
                    to_frames: if branching == 0 { &[] } else { &to_frames },
                    from_frames: &from_frames,
                    from_pages: &from_pages,
                });
                let old = pages[held_before].clone();
                lanes_of(to_frames[0].lanes).for_each(|lane| frames[8][lane % 8] = old[lane]);
                lanes_of(low).for_each(|lane| work[lane] = pages[spare.unwrap()][lane]);
                for Own { place, lanes } in from_frames {
                    lanes_of(lanes)
                        .for_each(|lane| work[lane] = frames[usize::from(place)][lane % COLUMNS]);
                }
                lanes_of(back).for_each(|lane| work[lane] = old[lane]);
                if branching != 0 {
                    pages[held] = old;
                    lanes_of(branching).for_each(|lane| pages[held][lane] = work[lane]);
                }
            }
        }
        assert_eq!(kernel.cells(Block::Work), work, "round {round}");
    }
}

/// The closure of a chute is what lies on some configuration of it, digit by digit: so a digit that has
/// lost a minirow in all its configurations loses it.
fn check_closure(kernel: &mut dyn Kernel, input: &Input) {
    // One band, of which every minirow holds the digits that chance gives it; the rest is open.
    let minirow =
        |lane: usize, i: usize| (input.cells[lane][i] ^ input.cells[lane][i + 9]) & ALL << 1;
    let given: Vec<Candidates> = (0..MOST_LANES)
        .map(|lane| {
            std::array::from_fn(|cell| if cell < 27 { minirow(lane, cell / 3) } else { ALL << 1 })
        })
        .collect();
    kernel.set(Block::Work, &given);
    kernel.work(every(kernel), 0);
    let after = kernel.cells(Block::Work);
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

const CHECKS: [(&str, fn(&mut dyn Kernel, &Input)); 9] = [
    ("clues and candidates come in, and clashes are seen", check_load),
    ("solutions are known and go out", check_solutions),
    ("lanes move", check_moves),
    ("steps keep every solution", check_steps),
    ("the closure leaves nothing impossible", check_closure),
    ("entries end where others do", check_entry),
    ("equal singles fail at once", check_equal_singles),
    ("branches part the solutions", check_branches),
    ("pages and frames give back what was put there", check_storage),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_kernel_keeps_its_word(input in input()) {
        for level in SimdLevel::available() {
            for (name, check) in CHECKS {
                println!("{level}: {name}");
                check(kernel(level, PAGES, FRAMES).as_mut(), &input);
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
