//! Every engine, at every SIMD level of this CPU, with puzzles and with pencil marks: compared with
//! a table of cases, with the oracle, and between batches.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::isomorph::SeededRng;
use bulkdoku::puzzle::{CELLS, Unit};
use bulkdoku::{
    Engine, EngineKind, Grid, Limits, Marks, Outcome, Puzzle, SimdLevel, Solutions, StopFlag,
};
use proptest::prelude::*;

use crate::cases::{Case, SHIFTED, any_marks, any_puzzle, less, marks, puzzles, two_in_each_cell};
use crate::common::{
    CLASSIC, EMPTY, Given, HARDEST, NONE, SEVENTEEN, SMALLEST, SOLVED, TWO, check, count, engines,
    few_cases, oracle, puzzle, solve, solve_one, textbook_engines, with_nodes,
};

/// An engine with its name and, for textbook engines, the node limit that they need.
type Tested = (String, Box<dyn Engine>, Option<u64>);

fn all_engines(patience: u64) -> impl Iterator<Item = Tested> {
    let others = engines().into_iter().map(|(name, engine)| (name, engine, None));
    let textbook = textbook_engines().into_iter();
    others.chain(textbook.map(move |(name, engine)| (name, engine, Some(patience))))
}

/// Adds the node limit of an engine to limits without one.
fn bounded(limits: Limits, patience: Option<u64>) -> Limits {
    let patience = patience.filter(|_| limits.nodes.is_none());
    patience.map_or(limits, |nodes| with_nodes(limits, nodes))
}

/// The outcomes of each search: an engine at all levels performs the same one, and so do all kinds
/// of backtracking.
#[derive(Default)]
struct Searches(BTreeMap<&'static str, Vec<Outcome>>);

impl Searches {
    fn assert_same(&mut self, name: &str, engine: &dyn Engine, outcomes: Vec<Outcome>) {
        let search = engine.name().split('-').next().expect("a name");
        match self.0.get(search) {
            Some(first) => assert_eq!(&outcomes, first, "{name}"),
            None => _ = self.0.insert(search, outcomes),
        }
    }
}

fn given<G: Given>(cases: &[Case<G>]) -> Vec<G> {
    cases.iter().map(|case| case.given).collect()
}

#[test]
fn every_engine_solves_every_case() {
    solve_cases(&puzzles());
    solve_cases(&marks());
}

fn solve_cases<G: Given>(cases: &[Case<G>]) {
    for case in cases {
        let mut searches = Searches::default();
        for (name, mut engine, patience) in all_engines(100_000) {
            let label = format!("{name}, {}", case.name);
            let limits = bounded(count(case.limit), patience);
            let outcome = solve_one(&mut *engine, &case.given, limits);
            if outcome.gave_up {
                assert_eq!(Some(outcome.nodes), patience, "{label}");
                assert!(outcome.solutions <= case.solutions, "{label}");
            } else {
                check(&label, &case.given, &outcome, case.solutions);
            }
            if let (Some(grid), Some(solution)) = (outcome.solution(), case.solution) {
                assert_eq!(grid.to_string(), solution, "{label}");
            }
            searches.assert_same(&label, &*engine, vec![outcome]);
        }
    }
}

/// The marks include those of the puzzles.
#[test]
fn the_oracle_agrees_with_the_table() {
    for case in marks() {
        let limit = case.limit.min(20);
        let Some(found) = oracle(&case.given, limit) else {
            let text = case.given.clues().to_string();
            assert!([NONE, HARDEST].contains(&&*text), "only two cases take too long: {text}");
            continue;
        };
        assert_eq!(found.solutions, case.solutions.min(limit), "{}", case.name);
        if let Some(solution) = case.solution {
            assert_eq!(found.first.as_ref(), Some(puzzle(solution).cells()), "{}", case.name);
        }
    }
}

#[test]
fn outcomes_do_not_depend_on_the_batch_the_level_and_the_notation() {
    let (puzzles, marks) = (given(&puzzles()), given(&marks()));
    for limits in [Limits::FIRST, Limits::PROOF, count(10), with_nodes(Limits::PROOF, 3)] {
        let mut searches = Searches::default();
        for (name, mut engine, patience) in all_engines(1000) {
            let limits = bounded(limits, patience);
            let of_puzzles = solve_in_batches(&name, &mut *engine, &puzzles, limits);
            let of_marks = solve_in_batches(&name, &mut *engine, &marks, limits);
            assert_eq!(of_puzzles, of_marks[..puzzles.len()], "{name}");
            searches.assert_same(&name, &*engine, of_marks);
        }
    }
}

/// Returns the outcomes of inputs that are solved one by one, after checking that they are the same
/// in batches, with different neighbors.
fn solve_in_batches<G: Given>(
    name: &str,
    engine: &mut dyn Engine,
    given: &[G],
    limits: Limits,
) -> Vec<Outcome> {
    let alone: Vec<Outcome> = given.iter().map(|one| solve_one(engine, one, limits)).collect();
    for (first, size) in [(0, 0), (1, 2), (4, 7), (0, 31), (5, 32), (0, 33), (5, 33), (2, 500)] {
        let batch: Vec<usize> = (first..).map(|i| i % given.len()).take(size).collect();
        let inputs: Vec<G> = batch.iter().map(|&i| given[i]).collect();
        for (&i, outcome) in batch.iter().zip(solve(engine, &inputs, limits)) {
            assert_eq!(outcome, alone[i], "{name}: {} in a batch of {size}", given[i]);
        }
    }
    alone
}

#[test]
fn a_node_limit_is_exact_and_has_no_other_effect() {
    limit_nodes(&puzzles());
    limit_nodes(&marks());
}

fn limit_nodes<G: Given>(cases: &[Case<G>]) {
    for (name, mut engine, patience) in all_engines(500) {
        for case in cases {
            let label = format!("{name}, {}", case.name);
            let limits = count(case.limit);
            let free = solve_one(&mut *engine, &case.given, bounded(limits, patience));
            let n = free.nodes;
            let mut all = vec![1, 2, 3, 5, 13, n / 2, n - 1, n];
            all.extend((!free.gave_up).then_some(n + 1));
            for nodes in all.into_iter().filter(|&nodes| nodes > 0 && nodes <= n + 1) {
                let limited = solve_one(&mut *engine, &case.given, with_nodes(limits, nodes));
                if nodes >= n {
                    assert_eq!(limited, free, "{label}");
                    continue;
                }
                assert!(limited.gave_up, "{label}: {nodes} nodes of {n}");
                assert_eq!(limited.nodes, nodes, "{label}");
                assert!(limited.solutions <= free.solutions, "{label}");
                assert!(limited.guesses <= free.guesses, "{label}");
            }
        }
    }
}

proptest! {
    #![proptest_config(few_cases(5))]

    #[test]
    fn engines_agree_on_random_puzzles(
        batch in prop::collection::vec(any_puzzle(), 1..250),
        limit in prop_oneof![Just(1_u32), Just(2), Just(3), Just(20)],
    ) {
        compare(&batch, limit);
    }

    #[test]
    fn engines_agree_on_random_marks(
        batch in prop::collection::vec(any_marks(), 1..80),
        limit in prop_oneof![Just(1_u32), Just(2), Just(20)],
    ) {
        compare(&batch, limit);
    }
}

/// Checks that all outcomes are those of the oracle, and depend neither on neighbors nor on levels.
/// This is hardest with conflicting clues, because rules must be applied in a fixed order.
fn compare<G: Given>(batch: &[G], limit: u32) {
    let expected: Vec<_> = batch.iter().map(|given| oracle(given, limit)).collect();
    let mut searches = Searches::default();
    for (name, mut engine, patience) in all_engines(5000) {
        // Textbook engines are slow, and solve one input after another.
        let batch = if patience.is_some() { &batch[..batch.len().min(40)] } else { batch };
        let limits = with_nodes(count(limit), patience.unwrap_or(1000));
        let outcomes = solve(&mut *engine, batch, limits);
        for ((given, outcome), expected) in batch.iter().zip(&outcomes).zip(&expected) {
            if patience.is_none() {
                assert_eq!(&solve_one(&mut *engine, given, limits), outcome, "{name}: {given}");
            }
            let (Some(expected), false) = (expected, outcome.gave_up) else { continue };
            check(&name, given, outcome, expected.solutions);
            if expected.solutions == 1 && limit > 1 {
                assert_eq!(Some(outcome.grid.cells()), expected.first.as_ref(), "{name}: {given}");
            }
        }
        searches.assert_same(&name, &*engine, outcomes);
    }
}

#[test]
fn a_contradiction_or_a_full_grid_is_one_node() {
    let one_node = Outcome { nodes: 1, ..Outcome::NONE };
    let grid = SOLVED.parse::<Grid>().expect("a grid");
    let mut puzzles = vec![puzzle(SOLVED), puzzle(&SOLVED.replacen("53467", "35467", 1))];
    let mut expected = vec![Outcome { solutions: 1, grid, ..one_node }, one_node];
    for unit in Unit::all().map(Unit::cells) {
        for (i, j) in (0..9).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let mut cells = [0; CELLS];
            (cells[unit[i]], cells[unit[j]]) = (7, 7);
            puzzles.push(Puzzle::from_cells(cells).expect("digits"));
            expected.push(one_node);
        }
    }
    let marks: Vec<Marks> = puzzles.iter().map(Marks::from).collect();
    for (name, mut engine, _) in all_engines(1) {
        assert_eq!(solve(&mut *engine, &puzzles, Limits::PROOF), expected, "{name}");
        assert_eq!(solve(&mut *engine, &marks, Limits::PROOF), expected, "{name}");
    }
}

#[test]
fn puzzles_that_are_hard_for_other_searches_need_few_nodes() {
    for (name, mut engine) in engines() {
        let most = if engine.name() == "lanes" { 1000 } else { 20_000 };
        for text in [NONE, SEVENTEEN, CLASSIC, HARDEST] {
            let outcome = solve_one(&mut *engine, &puzzle(text), Limits::PROOF);
            assert!(outcome.nodes < most, "{name}: {} nodes for {text}", outcome.nodes);
        }
    }
}

/// In `lanes`, every type of contradiction must be detected immediately if little else can be
/// inferred. Missing two equal singles in a minirow takes more than 100,000 nodes in some of these
/// grids.
#[test]
fn no_grid_with_few_clues_needs_many_nodes() {
    let solution = puzzle(SOLVED);
    let mut rng = SeededRng::new(1);
    let mut puzzles = vec![Puzzle::EMPTY];
    for shift in (0..9).cycle().take(20_000) {
        let mut cells = [0; CELLS];
        for _ in 0..=rng.below(6) {
            let at = rng.below(CELLS);
            cells[at] = (solution.cells()[at] + shift) % 9 + 1;
        }
        puzzles.push(Puzzle::from_cells(cells).expect("digits"));
    }
    let mut lanes = EngineKind::Lanes.build(SimdLevel::best());
    let outcomes = solve(&mut *lanes, &puzzles, with_nodes(Limits::PROOF, 1000));
    for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
        assert!(outcome.solutions == 2 && outcome.nodes < 200, "{puzzle}: {outcome:?}");
    }
}

/// `lanes` counts many solutions by walks, but makes none under a node limit.
#[test]
fn walks_have_the_guesses_and_nodes_of_a_single_lane() {
    let without = |digits: &[u8], blank: std::ops::Range<usize>| {
        let mut cells = *puzzle(SOLVED).cells();
        for (i, cell) in cells.iter_mut().enumerate() {
            *cell *= u8::from(!digits.contains(cell) && !blank.contains(&i));
        }
        Puzzle::from_cells(cells).expect("digits")
    };
    let four_clues = without(&[1, 2, 3, 4, 5, 6, 7], 14..75);
    let puzzles =
        [Puzzle::EMPTY, four_clues, without(&[1, 2, 3, 4, 5], 0..12), without(&[], 9..60)];
    for level in SimdLevel::available() {
        let mut engine = EngineKind::Lanes.build(level);
        for (puzzle, limit) in puzzles.iter().zip([40_000, 30_011, 50_000, 20_001]) {
            let walked = solve_one(&mut *engine, puzzle, count(limit));
            let single = solve_one(&mut *engine, puzzle, with_nodes(count(limit), u64::MAX));
            assert_eq!(walked, single, "{puzzle} at {level}");
        }
    }
}

#[test]
fn the_smallest_solution_and_the_next_are_the_same_for_every_engine() {
    let two = two_in_each_cell();
    let mut cases = vec![(two, SOLVED), (less(TWO, &[]), SOLVED)];
    cases.extend(SMALLEST.map(|[text, smallest]| (less(text, &[]), smallest)));
    // Without 1 to 5 in the first cell, the smallest grid differs from that of all marks.
    let marks = less(EMPTY, &[(1, 1, "12345"), (1, 2, "1"), (1, 3, "2")]);
    cases.push((
        marks,
        "621345789345789126789126345132457698456891237897263451213578964564912873978634512",
    ));
    let limits = with_nodes(Limits::PROOF, 100_000);
    for kind in EngineKind::ALL {
        let mut engine = kind.build_lex_first(SimdLevel::best());
        for (marks, smallest) in &cases {
            let outcome = solve_one(&mut engine, marks, limits);
            if outcome.gave_up && kind.is_textbook() {
                assert!([SMALLEST[1][1], SMALLEST[3][1]].contains(smallest), "{kind}");
            } else {
                assert_eq!(outcome.grid.to_string(), *smallest, "{kind}");
            }
        }
        let mut after = Solutions::stopped_by(StopFlag::default());
        after.begin_after(&two, &solve_one(&mut engine, &two, limits).grid);
        assert_eq!(after.next(), Some(SHIFTED.parse().expect("a grid")), "{kind}");
        assert_eq!(after.next(), None, "{kind}");
    }
}

#[test]
#[should_panic(expected = "one outcome for each puzzle")]
fn slices_of_different_lengths_are_refused() {
    let mut lanes = EngineKind::Lanes.build(SimdLevel::best());
    lanes.solve(Given::batch(&[Puzzle::EMPTY; 2]), Limits::FIRST, &mut [Outcome::NONE]);
}

#[test]
fn latency_is_of_each_puzzle() {
    let puzzles = [puzzle(HARDEST); 100];
    for (name, mut engine, patience) in all_engines(1000) {
        let mut outcomes = [Outcome::NONE; 100];
        let start = Instant::now();
        let limits = bounded(Limits::PROOF, patience);
        engine.solve(Given::batch(&puzzles), limits, &mut outcomes);
        let all = start.elapsed().as_nanos() as u64;
        let is_within = |outcome: &Outcome| (1..=all).contains(&outcome.latency_ns);
        assert!(outcomes.iter().all(is_within), "{name}");
    }
}

/// Each of these searches would take hours without a node limit.
#[test]
fn every_engine_stops_inside_a_search() {
    let puzzles = [CLASSIC, EMPTY, CLASSIC].map(puzzle);
    let mut all: Vec<_> = all_engines(0).map(|(name, engine, _)| (name, engine)).collect();
    for kind in EngineKind::ALL {
        let lex_first: Box<dyn Engine> = Box::new(kind.build_lex_first(SimdLevel::best()));
        all.push((format!("{kind}, smallest first"), lex_first));
    }
    stop_inside_a_search(all, &puzzles);
    stop_inside_a_search(engines(), &puzzles.each_ref().map(Marks::from));
}

fn stop_inside_a_search<G: Given>(all: Vec<(String, Box<dyn Engine>)>, given: &[G; 3]) {
    for (name, mut engine) in all {
        let stop = StopFlag::default();
        engine.stop_at(stop.clone());
        let mut outcomes = [Outcome::NONE; 3];
        let done = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                stop.request();
            });
            engine.solve(G::batch(given), count(u32::MAX), &mut outcomes)
        });
        assert_eq!(done, 1, "{name}");
        check(&name, &given[0], &outcomes[0], 1);
        let done = engine.solve(G::batch(given), Limits::PROOF, &mut outcomes);
        assert_eq!(done, 0, "{name}: the request stays");
        engine.stop_at(StopFlag::default());
        let outcomes = solve(&mut *engine, &[given[0], given[2]], Limits::PROOF);
        outcomes.iter().for_each(|outcome| check(&name, &given[0], outcome, 1));
    }
}
