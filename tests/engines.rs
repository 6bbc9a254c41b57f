//! Every engine, at every SIMD level of this CPU, compared with a table of cases, with the oracle,
//! and between batches.

use std::time::Duration;

use crate::common::command::{CLASSIC, SOLVED};
use crate::common::{
    EMPTY, NONE, SEVENTEEN, SEVENTEEN_SOLVED, TWO, check, count, engines, full_grid, oracle, order,
    solve, solve_one, textbook_engines, with_nodes,
};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Batch, Engine, EngineKind, Grid, Limits, Outcome, Puzzle, SimdLevel, StopFlag};
use proptest::prelude::*;

/// A puzzle and the number of its solutions up to a limit.
struct Case {
    name: &'static str,
    puzzle: &'static str,
    limit: u32,
    solutions: u32,
    /// The solution, if it is unique.
    solution: Option<&'static str>,
}

/// The node limit for random inputs; some nearly empty grids take very long.
const ENOUGH: u64 = 1000;

const fn case(name: &'static str, puzzle: &'static str, limit: u32, solutions: u32) -> Case {
    Case { name, puzzle, limit, solutions, solution: None }
}

/// Creates a case with exactly one solution.
const fn unique(name: &'static str, puzzle: &'static str, solution: &'static str) -> Case {
    Case { name, puzzle, limit: 2, solutions: 1, solution: Some(solution) }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    unique("naked singles suffice", CLASSIC, SOLVED),
    unique("17 clues", SEVENTEEN, SEVENTEEN_SOLVED),
    unique("a full valid grid", SOLVED, SOLVED),
    unique("one blank",
        "53467891267219534819834256785976142342685379171392485696153728428741963534528617.", SOLVED),
    unique("a blank row",
        "534678912672195348198342567859761423.........713924856961537284287419635345286179", SOLVED),
    case("the first only", CLASSIC, 1, 1),
    case("more than there are", CLASSIC, 1000, 1),
    case("two solutions, the first", TWO, 1, 1),
    case("two solutions, proof", TWO, 2, 2),
    case("two solutions, all", TWO, 10, 2),
    case("the empty grid, 1", EMPTY, 1, 1),
    case("the empty grid, 2", EMPTY, 2, 2),
    case("the empty grid, 10", EMPTY, 10, 10),
    case("the empty grid, 1000", EMPTY, 1000, 1000),
    case("one clue, 1",
        "........................................7........................................", 1, 1),
    case("one clue, 1000",
        "........................................7........................................", 1000, 1000),
    case("two rows given",
        "534678912672195348...............................................................", 1000, 1000),
    case("no solution: legal clues, a long search", NONE, 2, 0),
    case("no solution: a cell without candidates",
        "12345678.........9...............................................................", 2, 0),
    case("no solution: a digit without a place in a row",
        "234567.........1.................................................................", 2, 0),
    case("no solution: a digit without a place in a column",
        "2........3........4........5........6........7.........1.........................", 2, 0),
    case("no solution: a digit without a place in a box",
        "234..........1...........1.......................................................", 2, 0),
    case("contradictory: row",
        "1.......1........................................................................", 2, 0),
    case("contradictory: column",
        "..1.......................................................................1......", 2, 0),
    case("contradictory: box",
        "...........................................................................7.7...", 2, 0),
    case("contradictory: box, not in one row",
        "............................................................1.........1..........", 2, 0),
    case("contradictory: a full grid with two digits exchanged",
        "354678912672195348198342567859761423426853791713924856961537284287419635345286179", 2, 0),
    case("contradictory: all ones",
        "111111111111111111111111111111111111111111111111111111111111111111111111111111111", 2, 0),
];

fn puzzle(text: &str) -> Puzzle {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_engine_solves_every_case() {
    for (name, mut engine) in engines() {
        for case in CASES {
            let (puzzle, label) = (puzzle(case.puzzle), format!("{name}, {}", case.name));
            let outcome = solve_one(&mut *engine, &puzzle, count(case.limit));
            check(&label, &puzzle, &outcome, case.solutions);
            if let Some(solution) = case.solution {
                assert_eq!(outcome.grid.to_string(), solution, "{label}");
            }
        }
    }
}

/// The node limit for textbook engines, sufficient for most cases.
const PATIENCE: u64 = 200_000;

#[test]
fn textbook_engines_solve_the_cases_that_they_finish() {
    for case in CASES {
        let puzzle = puzzle(case.puzzle);
        let mut searches = Vec::new();
        for (name, mut engine) in textbook_engines() {
            let limits = with_nodes(count(case.limit), PATIENCE);
            let outcome = solve_one(&mut *engine, &puzzle, limits);
            if outcome.gave_up {
                assert_eq!(outcome.nodes, PATIENCE, "{name}, {}", case.name);
                assert!(outcome.solutions <= case.solutions, "{name}, {}", case.name);
            } else {
                check(&format!("{name}, {}", case.name), &puzzle, &outcome, case.solutions);
            }
            if let (Some(grid), Some(solution)) = (outcome.solution(), case.solution) {
                assert_eq!(grid.to_string(), solution, "{name}, {}", case.name);
            }
            if name.starts_with("backtrack") {
                searches.push(outcome);
            }
        }
        // All of them perform the same search.
        assert!(searches.iter().all(|outcome| *outcome == searches[0]), "{}", case.name);
    }
}

#[test]
fn textbook_engines_respect_a_node_limit() {
    for (name, mut engine) in textbook_engines() {
        for case in CASES {
            let (puzzle, label) = (puzzle(case.puzzle), format!("{name}, {}", case.name));
            let limits = count(case.limit.min(10));
            let patient = solve_one(&mut *engine, &puzzle, with_nodes(limits, PATIENCE));
            let same = solve_one(&mut *engine, &puzzle, with_nodes(limits, patient.nodes));
            assert_eq!(same, patient, "{label}");
            if patient.nodes > 1 {
                let fewer = with_nodes(limits, patient.nodes - 1);
                let limited = solve_one(&mut *engine, &puzzle, fewer);
                assert!(limited.gave_up, "{label}");
                assert_eq!(limited.nodes, patient.nodes - 1, "{label}");
            }
        }
    }
}

#[test]
fn the_oracle_agrees_with_the_table() {
    for case in CASES {
        let limit = case.limit.min(10);
        // Only one of the cases takes the oracle too long.
        let Some(found) = oracle(&puzzle(case.puzzle), limit) else {
            assert_eq!(case.puzzle, NONE);
            continue;
        };
        assert_eq!(found.solutions, case.solutions.min(limit), "{}", case.name);
        if let Some(solution) = case.solution {
            let first = found.first.map(|cells| cells.map(|digit| char::from(b'0' + digit)));
            assert_eq!(first.map(String::from_iter).as_deref(), Some(solution), "{}", case.name);
        }
    }
}

#[test]
fn a_case_has_the_same_outcome_in_every_batch() {
    let cases: Vec<Puzzle> = CASES.iter().map(|case| puzzle(case.puzzle)).collect();
    for (name, mut engine) in engines() {
        for limits in [Limits::FIRST, Limits::PROOF, count(10), with_nodes(Limits::PROOF, 3)] {
            let alone: Vec<Outcome> =
                cases.iter().map(|puzzle| solve_one(&mut *engine, puzzle, limits)).collect();
            for size in [0, 1, 2, 31, 32, 33, 1000] {
                // Another start gives each case different neighbors.
                for start in [0, 5] {
                    let batch: Vec<usize> = (start..).map(|i| i % cases.len()).take(size).collect();
                    let puzzles: Vec<Puzzle> = batch.iter().map(|&i| cases[i]).collect();
                    for (&i, outcome) in batch.iter().zip(solve(&mut *engine, &puzzles, limits)) {
                        assert_eq!(outcome, alone[i], "{name}: {} of {size}", CASES[i].name);
                    }
                }
            }
        }
    }
}

#[test]
fn a_node_limit_is_respected_and_has_no_other_effect() {
    for (name, mut engine) in engines() {
        for case in CASES {
            let (puzzle, limits) = (puzzle(case.puzzle), count(case.limit));
            let label = format!("{name}, {}", case.name);
            let unlimited = solve_one(&mut *engine, &puzzle, limits);
            if unlimited.nodes > 0 {
                let enough = with_nodes(limits, unlimited.nodes);
                assert_eq!(solve_one(&mut *engine, &puzzle, enough), unlimited, "{label}");
            }
            for nodes in [1, unlimited.nodes / 2, unlimited.nodes.saturating_sub(1)] {
                if nodes == 0 || nodes >= unlimited.nodes {
                    continue;
                }
                let limited = solve_one(&mut *engine, &puzzle, with_nodes(limits, nodes));
                assert!(limited.gave_up, "{label}: {nodes} nodes of {}", unlimited.nodes);
                assert_eq!(limited.nodes, nodes, "{label}");
                assert!(limited.solutions <= unlimited.solutions, "{label}");
                assert!(limited.guesses <= unlimited.guesses, "{label}");
                let again = solve_one(&mut *engine, &puzzle, with_nodes(limits, nodes));
                assert_eq!(again, limited, "{label}");
            }
        }
    }
}

#[test]
fn outcomes_of_one_engine_are_the_same_at_every_vector_level() {
    let cases: Vec<Puzzle> = CASES.iter().map(|case| puzzle(case.puzzle)).collect();
    let mut known: Vec<(&str, Vec<Outcome>)> = Vec::new();
    for (name, mut engine) in engines() {
        let outcomes = solve(&mut *engine, &cases, count(10));
        match known.iter().find(|(kind, _)| *kind == engine.name()) {
            Some((_, first)) => assert_eq!(&outcomes, first, "{name}"),
            None => known.push((engine.name(), outcomes)),
        }
    }
}

#[test]
fn a_puzzle_that_takes_plain_searches_millions_of_guesses_is_fast() {
    for (name, mut engine) in engines() {
        let outcome = solve_one(&mut *engine, &puzzle(NONE), Limits::PROOF);
        assert!(outcome.nodes < 20_000, "{name}: {} nodes", outcome.nodes);
    }
}

#[test]
#[should_panic(expected = "one outcome for each puzzle")]
fn slices_of_different_lengths_are_refused() {
    let (_, mut engine) = engines().remove(0);
    engine.solve(Batch::Puzzles(&[Puzzle::EMPTY; 2]), Limits::FIRST, &mut [Outcome::NONE; 1]);
}

/// Generates puzzles of all types from a complete grid: nearly empty, several solutions, one
/// solution, redundant clues, complete. Then some cells are set at random, which makes most puzzles
/// unsolvable and many contradictory.
fn any_puzzle() -> impl Strategy<Value = Puzzle> {
    let clues = prop_oneof![0..12_usize, 17..26_usize, 24..32_usize, 32..81_usize, Just(81)];
    let damage = prop_oneof![4 => Just(0), 2 => 1..3_usize, 1 => 3..12_usize];
    (full_grid(), order(CELLS), clues, damage, prop::collection::vec((0..CELLS, 1..=9_u8), 12))
        .prop_map(|(mut cells, order, clues, damage, changes)| {
            order[clues..].iter().for_each(|&cell| cells[cell] = 0);
            changes[..damage].iter().for_each(|&(cell, digit)| cells[cell] = digit);
            Puzzle::from_cells(cells).expect("digits up to 9")
        })
}

/// Generates puzzles that are minimal as far as the oracle can determine.
fn minimal_puzzle() -> impl Strategy<Value = Puzzle> {
    (full_grid(), order(CELLS)).prop_map(|(mut cells, order)| {
        for cell in order {
            let clue = std::mem::take(&mut cells[cell]);
            let found = oracle(&Puzzle::from_cells(cells).expect("digits"), 2);
            if found.is_none_or(|found| found.solutions != 1) {
                cells[cell] = clue;
            }
        }
        Puzzle::from_cells(cells).expect("digits")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_with_the_oracle(
        puzzles in prop::collection::vec(any_puzzle(), 1..40),
        limit in prop_oneof![Just(1_u32), Just(2), Just(3), Just(20)],
    ) {
        let expected: Vec<_> = puzzles.iter().map(|puzzle| oracle(puzzle, limit)).collect();
        for (name, mut engine) in engines() {
            let outcomes = solve(&mut *engine, &puzzles, with_nodes(count(limit), ENOUGH));
            for ((puzzle, outcome), expected) in puzzles.iter().zip(&outcomes).zip(&expected) {
                let Some(expected) = expected else { continue };
                if outcome.gave_up {
                    continue;
                }
                check(&name, puzzle, outcome, expected.solutions);
                if expected.solutions == 1 && limit > 1 {
                    prop_assert_eq!(Some(outcome.grid.cells()), expected.first.as_ref());
                }
            }
        }
        for (name, mut engine) in textbook_engines() {
            let outcomes = solve(&mut *engine, &puzzles, with_nodes(count(limit), 10_000));
            for ((puzzle, outcome), expected) in puzzles.iter().zip(&outcomes).zip(&expected) {
                if let (Some(expected), false) = (expected, outcome.gave_up) {
                    check(&name, puzzle, outcome, expected.solutions);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// The outcome of a puzzle depends neither on its neighbors nor on the SIMD level. This is
    /// hardest with conflicting clues, because rules must be applied in a fixed order.
    #[test]
    fn outcomes_do_not_depend_on_neighbors_and_levels(
        puzzles in prop::collection::vec(any_puzzle(), 100..300),
        limit in 1..=3_u32,
    ) {
        let limits = with_nodes(count(limit), 1000);
        let mut known: Vec<(&str, Vec<Outcome>)> = Vec::new();
        for (name, mut engine) in engines() {
            let outcomes = solve(&mut *engine, &puzzles, limits);
            for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
                prop_assert_eq!(&solve_one(&mut *engine, puzzle, limits), outcome, "{}", name);
            }
            match known.iter().find(|(kind, _)| *kind == engine.name()) {
                Some((_, first)) => prop_assert_eq!(&outcomes, first, "{}", name),
                None => known.push((engine.name(), outcomes)),
            }
        }
    }

    #[test]
    fn engines_agree_on_minimal_puzzles(puzzle in minimal_puzzle()) {
        for (name, mut engine) in engines() {
            let outcome = solve_one(&mut *engine, &puzzle, Limits::PROOF);
            check(&name, &puzzle, &outcome, 1);
            for cell in (0..CELLS).filter(|&cell| puzzle.cells()[cell] != 0) {
                let mut cells = *puzzle.cells();
                cells[cell] = 0;
                let fewer = Puzzle::from_cells(cells).expect("digits");
                let outcome = solve_one(&mut *engine, &fewer, Limits::PROOF);
                if oracle(&fewer, 2).is_some() {
                    check(&name, &fewer, &outcome, 2);
                }
            }
        }
    }
}

#[test]
fn without_a_solution_the_grid_is_blank() {
    for (name, mut engine) in engines() {
        let outcomes = solve(&mut *engine, &[puzzle(CLASSIC), puzzle(NONE)], Limits::PROOF);
        assert_eq!(outcomes[1].grid, Grid::BLANK, "{name}");
    }
}

/// Sets a flag after some time, on another thread, while `solve` runs.
fn stopped_after<T>(time: Duration, stop: &StopFlag, solve: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(time);
            stop.request();
        });
        solve()
    })
}

/// Each of these searches would take hours without a node limit.
#[test]
fn every_engine_stops_inside_a_search() {
    let puzzles = [puzzle(CLASSIC), Puzzle::EMPTY, puzzle(CLASSIC)];
    let mut all = engines();
    all.extend(textbook_engines());
    for kind in EngineKind::ALL {
        let lex_first: Box<dyn Engine> = Box::new(kind.build_lex_first(SimdLevel::best()));
        all.push((format!("{kind}, smallest first"), lex_first));
    }
    for (name, mut engine) in all {
        let stop = StopFlag::default();
        engine.stop_at(stop.clone());
        let mut outcomes = [Outcome::NONE; 3];
        let done = stopped_after(Duration::from_millis(20), &stop, || {
            engine.solve(Batch::Puzzles(&puzzles), count(u32::MAX), &mut outcomes)
        });
        assert_eq!(done, 1, "{name}");
        check(&name, &puzzles[0], &outcomes[0], 1);
        let done = engine.solve(Batch::Puzzles(&puzzles), Limits::PROOF, &mut outcomes);
        assert_eq!(done, 0, "{name}: the request stays");
        engine.stop_at(StopFlag::default());
        let outcomes = solve(&mut *engine, &[puzzles[0], puzzles[2]], Limits::PROOF);
        outcomes.iter().for_each(|outcome| check(&name, &puzzles[0], outcome, 1));
    }
}

/// Wherever a batch is stopped, the final outcomes are correct, and the engine can be used again.
#[test]
fn final_outcomes_of_a_stopped_batch_are_correct() {
    let kinds = [CLASSIC, SEVENTEEN, NONE, TWO, EMPTY, CLASSIC].map(puzzle);
    for limits in [Limits::FIRST, Limits::PROOF, count(50)] {
        for share in [1, 40] {
            // The engine treats few puzzles with several solutions differently from many.
            let kind = |i: usize| {
                if i.is_multiple_of(share) { kinds[i / share % 6] } else { kinds[i % 3] }
            };
            let puzzles: Vec<Puzzle> = (0..20_000).map(kind).collect();
            for (name, mut engine) in engines() {
                let expected = solve(&mut *engine, &puzzles[..1000], limits);
                for millis in 0..6 {
                    let stop = StopFlag::default();
                    engine.stop_at(stop.clone());
                    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
                    let done = stopped_after(Duration::from_millis(millis), &stop, || {
                        engine.solve(Batch::Puzzles(&puzzles), limits, &mut outcomes)
                    });
                    for (i, (found, expected)) in outcomes[..done].iter().zip(&expected).enumerate()
                    {
                        let found = Outcome { latency_ns: 0, ..*found };
                        assert_eq!(found, *expected, "{name}, number {i} of {done}");
                    }
                }
                engine.stop_at(StopFlag::default());
                assert_eq!(solve(&mut *engine, &puzzles[..1000], limits), expected, "{name}");
            }
        }
    }
}
