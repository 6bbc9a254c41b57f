//! Tests every method of the kernel, at every SIMD level of this CPU, against a plain model.

use super::rules::ALL_DIGITS;
use super::sweep::CONFIGURATIONS;
use crate::{
    CELLS, Candidates, Column, Digits, Exchange, Kernel, LaneBlock, LaneKernel, LaneSet,
    LaneVerdict, MAX_LANES, Moves, SimdLevel, lanes_of,
};

/// A `SplitMix64` random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) as usize % end
    }

    fn lanes(&mut self) -> LaneSet {
        self.below(1 << 32) as LaneSet
    }

    /// Returns a complete grid, with digits relabeled and lines permuted within their chutes.
    fn grid(&mut self) -> Digits {
        let mut grid =
            *b"123456789456789123789123456231674895875912364694538217317265948542897631968341572";
        for _ in 0..90 {
            let (a, b) = (self.below(9), self.below(9));
            let other = a / 3 * 3 + b % 3;
            let row_of = |row| {
                if row == a {
                    other
                } else if row == other {
                    a
                } else {
                    row
                }
            };
            grid = std::array::from_fn(|i| grid[row_of(i % 9) * 9 + i / 9]);
            grid = grid.map(|digit| match usize::from(digit - b'1') {
                digit if digit == a => b'1' + b as u8,
                digit if digit == b => b'1' + a as u8,
                _ => digit,
            });
        }
        grid.map(|digit| digit - b'0')
    }
}

/// Random input for the checks, lane by lane.
struct RandomInput {
    /// Candidates of every cell, which include those of the grid.
    cells: Vec<Candidates>,
    /// Complete grids.
    grids: Vec<Digits>,
    /// The grids with most cells blank and a few changed.
    puzzles: Vec<Digits>,
    lanes: LaneSet,
    from: [u16; MAX_LANES],
}

impl RandomInput {
    fn new(random: &mut Random) -> Self {
        let grids: Vec<Digits> = (0..MAX_LANES).map(|_| random.grid()).collect();
        let (mut cells, mut puzzles) = (Vec::new(), Vec::new());
        for grid in &grids {
            let (blank, spoilt) = (10 + random.below(60), 3 * random.below(2));
            let mut puzzle = *grid;
            cells.push(grid.map(|digit| 1 << digit));
            for i in 0..CELLS {
                let chance = random.below(100);
                if chance < blank {
                    puzzle[i] = if chance < spoilt { 1 + random.below(9) as u8 } else { 0 };
                    cells.last_mut().expect("a lane")[i] |=
                        (random.lanes() as u16 & ALL_DIGITS) << 1;
                }
            }
            puzzles.push(puzzle);
        }
        let from = std::array::from_fn(|_| random.below(8) as u16);
        Self { cells, grids, puzzles, lanes: random.lanes(), from }
    }
}

/// Number of pages that the checks use.
const PAGES: usize = 7;

/// Returns moves of each of these lanes to itself.
fn identity_moves(lanes: LaneSet) -> Moves {
    let mut moves = Moves::NONE;
    lanes_of(lanes).for_each(|lane| moves.add(lane, lane));
    moves
}

fn all_lanes(kernel: &LaneKernel) -> LaneSet {
    LaneSet::MAX >> (MAX_LANES - kernel.lanes())
}

fn contains(lanes: LaneSet, lane: usize) -> bool {
    lanes >> lane & 1 != 0
}

/// Returns the candidates of all lanes of a block, with bit `d` for digit `d`.
fn cells(kernel: &LaneKernel, of: LaneBlock) -> Vec<Candidates> {
    (0..kernel.lanes()).map(|lane| kernel.column(of, lane).0.map(|cell| cell << 1)).collect()
}

/// Overwrites the work block.
fn set_work_block(kernel: &mut LaneKernel, cells: &[Candidates]) {
    for (lane, cells) in cells.iter().enumerate().take(kernel.lanes()) {
        kernel.set_lane(lane, &Column(cells.map(|cell| cell >> 1)));
    }
}

/// Returns the cells that share a row, a column, or a box with this one.
fn peers(cell: usize) -> impl Iterator<Item = usize> {
    let units = |cell: usize| [cell / 9, 9 + cell % 9, 18 + cell / 27 * 3 + cell % 9 / 3];
    let shares = move |&peer: &usize| (0..3).any(|i| units(cell)[i] == units(peer)[i]);
    (0..CELLS).filter(move |&peer| peer != cell).filter(shares)
}

/// Removes clues or single candidates from their peers; also returns whether two of them clash.
fn eliminated(given: &Candidates) -> (Candidates, bool) {
    let single = |cell: usize| if given[cell].is_power_of_two() { given[cell] } else { 0 };
    let taken = |cell: usize| peers(cell).fold(0, |taken, peer| taken | single(peer));
    let clashing = (0..CELLS).any(|cell| single(cell) & taken(cell) != 0);
    let left = |cell| if single(cell) == 0 { given[cell] & !taken(cell) } else { given[cell] };
    (std::array::from_fn(left), clashing)
}

fn candidates(clues: &Digits) -> Candidates {
    clues.map(|clue| if clue == 0 { ALL_DIGITS << 1 } else { 1 << clue })
}

fn is_full(cells: &Candidates) -> bool {
    cells.iter().all(|cell| cell.is_power_of_two())
}

/// Checks that clues and candidates are loaded and removed from their peers, and clashes detected.
fn check_load(kernel: &mut LaneKernel, input: &RandomInput) {
    // One lane has no puzzle.
    let some = kernel.lanes() - 1;
    for is_clues in [true, false] {
        let given: Vec<Candidates> = if is_clues {
            kernel.load(&input.puzzles[..some], |clues| clues);
            input.puzzles.iter().map(candidates).collect()
        } else {
            kernel.load_candidates(&input.cells[..some], |marks| marks);
            input.cells.clone()
        };
        let loaded = cells(kernel, LaneBlock::Entry);
        let found = kernel.sweep_entry(all_lanes(kernel));
        let swept = cells(kernel, LaneBlock::Entry);
        for lane in 0..some {
            // A blank has no candidates until the clues are removed from their peers.
            let is_loaded = |i: usize| loaded[lane][i] == 0 || loaded[lane][i] == given[lane][i];
            assert!((0..CELLS).all(is_loaded));
            let (expected, clashes) = eliminated(&given[lane]);
            assert!(!clashes || contains(found.failed, lane));
            assert!((0..CELLS).all(|i| swept[lane][i] & !expected[i] == 0));
        }
    }
}

/// Checks that solutions are recognized, moved between lanes, and written as digits.
fn check_solutions(kernel: &mut LaneKernel, input: &RandomInput) {
    let lanes = kernel.lanes();
    kernel.load(&input.grids[..lanes], |clues| clues);
    let solved = LaneVerdict { solved: all_lanes(kernel), ..LaneVerdict::default() };
    assert_eq!(kernel.sweep_entry(all_lanes(kernel)), solved);
    // Once with fewer places than lanes.
    for some in [lanes, lanes - 1] {
        let mut digits = vec![[0; CELLS]; some];
        kernel.store(LaneBlock::Entry, &mut digits, |digits| digits);
        assert_eq!(digits, input.grids[..some]);
    }
    // Some lanes receive other cells, and the rest keep theirs.
    let before: Vec<Candidates> = input.grids.iter().rev().map(candidates).collect();
    set_work_block(kernel, &before);
    let moves = Moves { lanes: input.lanes & all_lanes(kernel), from: input.from };
    kernel.admit(&moves, 0);
    kernel.move_to_exit(&identity_moves(all_lanes(kernel)));
    let mut kept = vec![[0; CELLS]; lanes];
    kernel.store(LaneBlock::Exit, &mut kept, |digits| digits);
    for lane in 0..lanes {
        let from = usize::from(input.from[lane]);
        let expected =
            input.grids[if contains(moves.lanes, lane) { from } else { MAX_LANES - 1 - lane }];
        let found = LaneKernel::digits(&kernel.column(LaneBlock::Work, lane));
        assert_eq!((found, kept[lane]), (expected, expected));
    }
}

/// Checks that steps only remove candidates, never those of a solution, and keep stuck lanes.
fn check_steps(kernel: &mut LaneKernel, input: &RandomInput) {
    set_work_block(kernel, &input.cells);
    let mut before = cells(kernel, LaneBlock::Work);
    let mut stuck = 0;
    for _ in 0..20 {
        let verdict = kernel.work(all_lanes(kernel), 0);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        assert_eq!(stuck & !verdict.stuck, 0);
        let after = cells(kernel, LaneBlock::Work);
        for (lane, after) in after.iter().enumerate() {
            for cell in 0..CELLS {
                assert_eq!(after[cell] & !before[lane][cell], 0);
                assert!(after[cell] >> input.grids[lane][cell] & 1 != 0);
            }
            assert!(!contains(stuck, lane) || *after == before[lane]);
            assert_eq!(contains(verdict.solved, lane), is_full(after));
        }
        (before, stuck) = (after, verdict.stuck);
    }
}

/// Checks that any number of unchecked sweeps leads to the state and verdict of plain steps.
fn check_entry(kernel: &mut LaneKernel, input: &RandomInput) {
    let (all_lanes, lanes) = (all_lanes(kernel), kernel.lanes());
    let identity_moves = identity_moves(all_lanes);
    kernel.load_candidates(&input.cells[..lanes], |marks| marks);
    kernel.admit(&identity_moves, 0);
    kernel.work(all_lanes, lanes as u32);
    let expected = cells(kernel, LaneBlock::Work);
    // The kernel learns from block to block how many sweeps to leave unchecked.
    for _ in 0..20 {
        kernel.load_candidates(&input.cells[..lanes], |marks| marks);
        let verdict = kernel.sweep_entry(all_lanes);
        assert_eq!(verdict.failed, 0, "every lane has a solution");
        let entries = cells(kernel, LaneBlock::Entry);
        for lane in lanes_of(verdict.solved | verdict.stuck) {
            assert_eq!(entries[lane], expected[lane]);
            assert_eq!(contains(verdict.solved, lane), is_full(&entries[lane]));
        }
        kernel.admit(&identity_moves, 0);
        kernel.work(all_lanes, lanes as u32);
        assert_eq!(cells(kernel, LaneBlock::Work), expected);
    }
}

/// Checks that equal single candidates in any unit are a contradiction after one step.
fn check_equal_singles(kernel: &mut LaneKernel, input: &RandomInput) {
    for first in 0..CELLS {
        let mut lanes = [[ALL_DIGITS << 1; CELLS]; MAX_LANES];
        let equal: Vec<usize> = peers(first).collect();
        for (lane, cells) in lanes.iter_mut().enumerate() {
            let second = equal[(lane + usize::from(input.from[0]) * 4) % equal.len()];
            (cells[first], cells[second]) = (2 << (lane % 9), 2 << (lane % 9));
        }
        set_work_block(kernel, &lanes);
        assert_eq!(kernel.work(all_lanes(kernel), 0).failed, all_lanes(kernel), "cell {first}");
    }
}

/// Checks that the alternatives of a branch share no solution, lose no solution, and both remove
/// candidates, whether a lane branches after a step or immediately after it enters.
fn check_branches(kernel: &mut LaneKernel, input: &RandomInput) {
    set_work_block(kernel, &input.cells);
    let lanes = kernel.lanes();
    let stuck = kernel.work(all_lanes(kernel), lanes as u32).stuck & input.lanes;
    let parents = cells(kernel, LaneBlock::Work);
    let branch = Exchange { branching: stuck, saved: stuck, ..Exchange::NONE };
    kernel.exchange(&branch);
    let alternative_a = cells(kernel, LaneBlock::Work);
    kernel.exchange(&Exchange { restored: identity_moves(stuck), ..Exchange::NONE });
    let alternative_b = cells(kernel, LaneBlock::Work);
    for lane in 0..lanes {
        let (parent, a, b) = (&parents[lane], &alternative_a[lane], &alternative_b[lane]);
        if !contains(stuck, lane) {
            assert!(parent == a && parent == b);
            continue;
        }
        assert!(parent != a && parent != b);
        let holds = |alternative: &Candidates| {
            (0..CELLS).all(|i| alternative[i] >> input.grids[lane][i] & 1 != 0)
        };
        assert!(holds(a) != holds(b), "exactly one alternative has the solution");
    }
    kernel.load_candidates(&parents, |marks| marks);
    kernel.admit(&identity_moves(all_lanes(kernel)), stuck);
    kernel.exchange(&branch);
    assert_eq!(cells(kernel, LaneBlock::Work), alternative_a);
}

/// Sets the work lanes to cells that vary by round. No configuration is left, so both alternatives
/// of a branching lane remove nothing.
fn set_varied_lanes(kernel: &mut LaneKernel, input: &RandomInput, round: u16) -> Vec<Candidates> {
    set_work_block(kernel, &[[0; CELLS]; MAX_LANES]);
    kernel.work(all_lanes(kernel), 0);
    let unlike = |cells: &Candidates| cells.map(|cell| cell ^ round << 1);
    let work: Vec<_> = input.cells[..kernel.lanes()].iter().map(unlike).collect();
    set_work_block(kernel, &work);
    work
}

/// Checks pages against a model.
fn check_pages(kernel: &mut LaneKernel, input: &RandomInput) {
    let mut pages: Vec<_> =
        (0..PAGES as u16).map(|page| set_varied_lanes(kernel, input, page)).collect();
    for page in 0..PAGES {
        set_work_block(kernel, &pages[page]);
        kernel.exchange(&Exchange { saved: all_lanes(kernel), page, ..Exchange::NONE });
    }
    let mut random = Random(u64::from(input.lanes));
    for round in 0..60 {
        let [one, other] = [random.lanes(), random.lanes()].map(|lanes| lanes & all_lanes(kernel));
        let (page, from) = (random.below(PAGES), input.from.map(|from| from ^ round & 7));
        let before = set_varied_lanes(kernel, input, round);
        let mut work = before.clone();
        let shared = Moves { lanes: if round % 3 == 0 { 0 } else { one & !other }, from };
        let (saved, restored) = if round % 2 == 0 { (other, 0) } else { (0, other) };
        let restored = Moves { lanes: restored, from };
        kernel.exchange(&Exchange { shared, saved, restored, page, ..Exchange::NONE });
        lanes_of(saved).for_each(|lane| pages[page][lane] = before[lane]);
        lanes_of(shared.lanes).for_each(|lane| work[lane] = before[usize::from(from[lane])]);
        for lane in lanes_of(restored.lanes) {
            work[lane] = pages[page][usize::from(from[lane])];
        }
        assert_eq!(cells(kernel, LaneBlock::Work), work, "round {round}");
    }
    for page in 0..PAGES {
        assert_eq!(cells(kernel, LaneBlock::Page(page)), pages[page]);
    }
}

/// Checks which lanes have at most two candidates in each cell.
fn check_paired(kernel: &mut LaneKernel, input: &RandomInput) {
    let pair = |mask: u16| mask & mask.wrapping_neg() | 1 << mask.ilog2();
    for more in 0..MAX_LANES {
        let mut given = set_varied_lanes(kernel, input, more as u16);
        let has_more = |lane: usize| lane > more;
        for (lane, cells) in given.iter_mut().enumerate() {
            *cells = cells.map(|mask| if mask == 0 { 2 } else { pair(mask) });
            cells[7 * lane % CELLS] = if has_more(lane) { 0x92 } else { 0x90 };
        }
        set_work_block(kernel, &given);
        let paired = kernel.paired();
        assert!((0..kernel.lanes()).all(|lane| contains(paired, lane) != has_more(lane)));
    }
}

/// Checks stacks against one list per lane.
fn check_stacks(kernel: &mut LaneKernel, input: &RandomInput) {
    let mut model: Vec<Vec<Candidates>> = vec![Vec::new(); kernel.lanes()];
    let mut random = Random(u64::from(input.lanes));
    let mut stacked = 0;
    for round in 0..60 {
        let [one, other] = [random.lanes(), random.lanes()];
        let mut work = set_varied_lanes(kernel, input, round);
        let branching = if round % 3 == 0 { 0 } else { one & all_lanes(kernel) };
        let returning = other & stacked & !branching;
        let pushing = branching & !other.rotate_left(2);
        stacked = kernel.push_and_pop(branching, pushing, returning);
        lanes_of(pushing).for_each(|lane| model[lane].push(work[lane]));
        lanes_of(returning)
            .for_each(|lane| work[lane] = model[lane].pop().expect("an alternative"));
        assert_eq!(cells(kernel, LaneBlock::Work), work, "round {round}");
        let has_any = |lane: usize| !model[lane].is_empty();
        assert!((0..kernel.lanes()).all(|lane| contains(stacked, lane) == has_any(lane)));
        // Some lanes lose one alternative, and a few lose all.
        for lane in lanes_of(one.rotate_left(4) & other & all_lanes(kernel)) {
            let popped = kernel.pop(lane).map(|cells| cells.0.map(|cell| cell << 1));
            assert_eq!(popped, model[lane].pop());
        }
        let cleared =
            one.rotate_left(8) & other.rotate_left(16) & all_lanes(kernel) & random.lanes();
        kernel.clear(cleared);
        lanes_of(cleared).for_each(|lane| model[lane].clear());
        stacked = kernel.push_and_pop(0, 0, 0);
    }
}

/// Checks that the closure of a chute has exactly the candidates that are on a configuration, digit
/// by digit.
fn check_closure(kernel: &mut LaneKernel, input: &RandomInput) {
    // Each minirow of one band holds random digits; the rest is open.
    let minirow =
        |lane: usize, i: usize| (input.cells[lane][i] ^ input.cells[lane][i + 9]) & ALL_DIGITS << 1;
    let given: Vec<Candidates> = (0..MAX_LANES)
        .map(|lane| {
            std::array::from_fn(
                |cell| if cell < 27 { minirow(lane, cell / 3) } else { ALL_DIGITS << 1 },
            )
        })
        .collect();
    set_work_block(kernel, &given);
    kernel.work(all_lanes(kernel), 0);
    let after = cells(kernel, LaneBlock::Work);
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

type CheckFn = fn(&mut LaneKernel, &RandomInput);

const CHECKS: [(&str, CheckFn); 10] = [
    ("clues and candidates come in, and clashes are seen", check_load),
    ("solutions are known, move, and go out", check_solutions),
    ("steps keep every solution", check_steps),
    ("the closure leaves nothing impossible", check_closure),
    ("entries end where others do", check_entry),
    ("equal singles fail at once", check_equal_singles),
    ("branches part the solutions", check_branches),
    ("pairs of candidates are recognized", check_paired),
    ("pages give back what was put there", check_pages),
    ("stacks give back what was pushed", check_stacks),
];

#[test]
fn every_kernel_matches_the_model() {
    for seed in 0..24 {
        let input = RandomInput::new(&mut Random(seed));
        for level in SimdLevel::available() {
            for (name, check) in CHECKS {
                println!("seed {seed}, {level}: {name}");
                check(&mut LaneKernel::new(level, PAGES), &input);
            }
        }
    }
}
