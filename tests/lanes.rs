//! The lane engine: correct outcomes, which are the same at every SIMD level, in every batch, and
//! next to any neighbor.

use std::num::{NonZeroU32, NonZeroU64};

use bulkdoku::{Batch, EngineKind, Limits, Outcome, Puzzle, SimdLevel};

use crate::common::command::{CLASSIC, SOLVED};
use crate::common::{NONE, SEVENTEEN, oracle};

fn parse(text: &str) -> Puzzle {
    text.parse().expect("a puzzle")
}

fn solve_at(level: SimdLevel, batch: usize, puzzles: &[Puzzle], limits: Limits) -> Vec<Outcome> {
    let mut engine = EngineKind::Lanes.build(level);
    let mut outcomes = vec![Outcome { solutions: 77, ..Outcome::NONE }; puzzles.len()];
    for (puzzles, outcomes) in puzzles.chunks(batch).zip(outcomes.chunks_mut(batch)) {
        engine.solve(Batch::Puzzles(puzzles), limits, outcomes);
    }
    outcomes.iter_mut().for_each(|outcome| outcome.latency_ns = 0);
    outcomes
}

/// Returns the outcomes, after checking that they are the same for every level and batch size.
fn solve(puzzles: &[Puzzle], limits: Limits) -> Vec<Outcome> {
    let expected = solve_at(SimdLevel::best(), 1000, puzzles, limits);
    for level in SimdLevel::available() {
        for batch in [1, 31, 33, 1000] {
            let found = solve_at(level, batch, puzzles, limits);
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "{level}, batches of {batch}: {}", puzzles[i]);
            }
        }
    }
    for (puzzle, outcome) in puzzles.iter().zip(&expected) {
        assert!(outcome.solution().is_none_or(|grid| grid.solves(puzzle)), "{puzzle}");
    }
    expected
}

/// Requires guesses.
const HARD: &str =
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

#[test]
fn an_empty_batch_has_no_outcomes() {
    for level in SimdLevel::available() {
        EngineKind::Lanes.build(level).solve(Batch::Puzzles(&[]), Limits::PROOF, &mut []);
    }
}

#[test]
fn a_complete_grid_is_its_own_solution_or_none() {
    let right = parse(SOLVED);
    let wrong = parse(&SOLVED.replacen("53467", "35467", 1));
    let outcomes = solve(&[right, wrong], Limits::PROOF);
    assert_eq!(outcomes[0].solutions, 1);
    assert_eq!(Puzzle::from(outcomes[0].grid), right);
    assert_eq!((outcomes[0].guesses, outcomes[0].nodes), (0, 1));
    assert_eq!(outcomes[1], Outcome { nodes: 1, ..Outcome::NONE });
}

#[test]
fn two_equal_clues_in_a_unit_have_no_solution() {
    let pairs = [(0, 8), (0, 72), (0, 20), (40, 50), (60, 80), (36, 44)];
    let puzzles = pairs.map(|(a, b)| {
        let mut cells = [0; 81];
        (cells[a], cells[b]) = (7, 7);
        Puzzle::from_cells(cells).expect("digits")
    });
    for outcome in solve(&puzzles, Limits::PROOF) {
        assert_eq!(outcome, Outcome { nodes: 1, ..Outcome::NONE });
    }
}

#[test]
fn puzzles_that_are_hard_for_other_searches_need_few_nodes() {
    let puzzles = [NONE, SEVENTEEN, CLASSIC, HARD].map(parse);
    let outcomes = solve(&puzzles, Limits::PROOF);
    let solutions: Vec<u32> = outcomes.iter().map(|outcome| outcome.solutions).collect();
    assert_eq!(solutions, [0, 1, 1, 1]);
    assert!(outcomes.iter().all(|outcome| outcome.nodes < 1000), "{outcomes:?}");
}

#[test]
fn few_clues_need_few_nodes() {
    let solution = parse(SOLVED);
    let puzzles: Vec<Puzzle> = (0..60_usize)
        .map(|i| {
            let mut cells = [0; 81];
            for k in 0..i / 10 {
                let at = (i * 31 + k * 47) % 81;
                cells[at] = solution.cells()[at];
            }
            Puzzle::from_cells(cells).expect("digits")
        })
        .collect();
    for outcome in solve(&puzzles, Limits::PROOF) {
        assert_eq!(outcome.solutions, 2);
        assert!(outcome.nodes < 1000, "{outcome:?}");
    }
}

/// Every type of contradiction must be detected immediately if little else can be inferred. Missing
/// two equal singles in a minirow takes more than 100,000 nodes in some of these grids.
#[test]
fn no_grid_with_few_clues_needs_many_nodes() {
    let solution = parse(SOLVED);
    let mut random = 1_u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % n
    };
    let mut puzzles = Vec::new();
    for i in 0..20_000 {
        let digits: Vec<u8> = (0..9).map(|k| (k + i % 9) as u8 % 9 + 1).collect();
        let mut cells = [0; 81];
        for _ in 0..=below(6) {
            let at = below(81) as usize;
            cells[at] = digits[usize::from(solution.cells()[at] - 1)];
        }
        puzzles.push(Puzzle::from_cells(cells).expect("digits"));
    }
    let limits = Limits::PROOF.with_nodes(NonZeroU64::new(1000).expect("not 0"));
    for (puzzle, outcome) in puzzles.iter().zip(solve_at(SimdLevel::best(), 1000, &puzzles, limits))
    {
        assert!(outcome.solutions == 2 && outcome.nodes < 200, "{puzzle}: {outcome:?}");
    }
}

#[test]
fn solutions_are_counted_up_to_any_limit() {
    // Two pairs of digits can be swapped in two rectangles of this grid.
    let mut cells = *parse(SOLVED).cells();
    for cell in &mut cells {
        if [1, 2, 3, 4].contains(cell) {
            *cell = 0;
        }
    }
    let puzzle = Puzzle::from_cells(cells).expect("digits");
    // A plain search counts as many.
    let all = 1584;
    for limit in [1, 2, 3, all - 1, all, all + 1, u32::MAX] {
        let limits = Limits::count(NonZeroU32::new(limit).expect("not 0"));
        let puzzles = [puzzle, Puzzle::EMPTY];
        let outcomes =
            if limit > 1_000_000 { solve(&puzzles[..1], limits) } else { solve(&puzzles, limits) };
        assert_eq!(outcomes[0].solutions, limit.min(all));
        assert!(!outcomes[0].gave_up);
        assert!(outcomes.get(1).is_none_or(|empty| empty.solutions == limit));
    }
}

/// Many solutions are counted by walks, of which a node limit makes none.
#[test]
fn walks_have_the_guesses_and_nodes_of_a_single_lane() {
    let without = |digits: &[u8], blank: std::ops::Range<usize>| {
        let mut cells = *parse(SOLVED).cells();
        for (i, cell) in cells.iter_mut().enumerate() {
            *cell *= u8::from(!digits.contains(cell) && !blank.contains(&i));
        }
        Puzzle::from_cells(cells).expect("digits")
    };
    let four_clues = without(&[1, 2, 3, 4, 5, 6, 7], 14..75);
    let puzzles =
        [Puzzle::EMPTY, four_clues, without(&[1, 2, 3, 4, 5], 0..12), without(&[], 9..60)];
    for (puzzle, limit) in puzzles.iter().zip([40_000, 30_011, 50_000, 20_001]) {
        let limits = Limits::count(NonZeroU32::new(limit).expect("not 0"));
        let single = limits.with_nodes(NonZeroU64::MAX);
        for level in SimdLevel::available() {
            let [walked, single] = [limits, single].map(|limits| {
                let outcome = solve_at(level, 1, &[*puzzle], limits)[0];
                (outcome.solutions, outcome.guesses, outcome.nodes)
            });
            assert_eq!(walked, single, "{puzzle} at {level}");
        }
    }
}

/// A branch after a sweep that has left no choice must not count its solution twice.
#[test]
fn no_solution_is_counted_twice() {
    let puzzle =
        "..9.862...4.....8......7.6.1....8.....5.42.7...3671.58....3.425..28....7...725...";
    let puzzle = parse(puzzle);
    let outcomes = solve(&[puzzle], Limits::count(NonZeroU32::new(20).expect("not 0")));
    assert_eq!(outcomes[0].solutions, 15);
    assert_eq!(oracle(&puzzle, 20).map(|found| found.solutions), Some(15));
}

#[test]
fn a_node_limit_is_exact() {
    let puzzles = [HARD, NONE, SEVENTEEN, CLASSIC].map(parse);
    let free = solve(&puzzles, Limits::PROOF);
    for limit in [1, 2, 3, 5, 8, 13, free[0].nodes - 1, free[0].nodes, free[0].nodes + 1] {
        let limits = Limits::PROOF.with_nodes(NonZeroU64::new(limit).expect("not 0"));
        for (limited, free) in solve(&puzzles, limits).iter().zip(&free) {
            assert_eq!(limited.nodes, limit.min(free.nodes));
            assert_eq!(limited.gave_up, limit < free.nodes);
            if !limited.gave_up {
                assert_eq!(limited, free);
            }
        }
    }
}

#[test]
fn latency_is_of_each_puzzle() {
    let puzzles = vec![parse(HARD); 100];
    let mut outcomes = vec![Outcome::NONE; 100];
    let start = std::time::Instant::now();
    EngineKind::Lanes.build(SimdLevel::best()).solve(
        Batch::Puzzles(&puzzles),
        Limits::PROOF,
        &mut outcomes,
    );
    let all = start.elapsed().as_nanos() as u64;
    assert!(outcomes.iter().all(|outcome| (1..=all).contains(&outcome.latency_ns)));
}
