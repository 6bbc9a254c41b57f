//! Pencil marks: every engine, at every SIMD level of this CPU, compared with a table of cases,
//! with equivalent puzzles, and with the oracle.

use crate::common::command::{CLASSIC, SOLVED};
use crate::common::{
    EMPTY, SEVENTEEN, SEVENTEEN_SOLVED, TWO, check, count, engines, full_grid, oracle, solve,
    solve_marks, textbook_engines, with_nodes,
};
use bulkdoku::marks::{Digits, Marks};
use bulkdoku::puzzle::CELLS;
use bulkdoku::{Batch, EngineKind, Limits, Outcome, Puzzle, SimdLevel, Solutions, StopFlag};
use proptest::prelude::*;

/// The other solution of [`TWO`].
const TWO_CHANGED: &str =
    "534678912672195348198342567859763421426851793713924856961537284287419635345286179";

/// Marks and the number of their solutions up to a limit.
struct Case {
    name: &'static str,
    marks: Marks,
    limit: u32,
    solutions: u32,
    /// The solution, if it is unique.
    solution: Option<&'static str>,
}

/// Returns the marks of a puzzle without some candidates: `(row, column, digits)`, counted from 1.
fn less(puzzle: &str, taken: &[(usize, usize, &str)]) -> Marks {
    let mut marks = Marks::from(&puzzle.parse::<Puzzle>().unwrap());
    for &(row, column, digits) in taken {
        let cell = (row - 1) * 9 + column - 1;
        let is_taken = |digit: u8| digits.contains(char::from(b'0' + digit));
        marks.set(cell, set(marks.of_cell(cell).into_iter().filter(|&digit| !is_taken(digit))));
    }
    marks
}

fn set(digits: impl IntoIterator<Item = u8>) -> Digits {
    let mut set = Digits::default();
    digits.into_iter().for_each(|digit| set.insert(digit));
    set
}

/// Returns the next digit; 1 after 9.
fn next(digit: u8) -> u8 {
    digit % 9 + 1
}

/// Returns marks with the digit of [`SOLVED`] and the next digit in each cell. If one cell of a row
/// has its next digit, all cells of the row must, and likewise for columns, so there are two
/// solutions.
fn two_in_each_cell() -> Marks {
    let full: Puzzle = SOLVED.parse().unwrap();
    Marks::from_cells(full.cells().map(|digit| set([digit, next(digit)])))
}

/// The second solution.
const SHIFTED: &str =
    "645789123783216459219453678961872534537964812824135967172648395398521746456397281";

fn cases() -> Vec<Case> {
    let case =
        |name, marks, limit, solutions| Case { name, marks, limit, solutions, solution: None };
    let unique = |name, marks, solution| Case {
        name,
        marks,
        limit: 2,
        solutions: 1,
        solution: Some(solution),
    };
    let nothing = Marks::from_cells([Digits::default(); CELLS]);
    let mut shifted_only = two_in_each_cell();
    shifted_only.set(80, Digits::one(1));
    vec![
        unique("an easy puzzle", less(CLASSIC, &[]), SOLVED),
        unique("17 clues", less(SEVENTEEN, &[]), SEVENTEEN_SOLVED),
        unique("a full grid", less(SOLVED, &[]), SOLVED),
        case("all candidates, 10", Marks::ALL, 10, 10),
        case("all candidates, 1000", Marks::ALL, 1000, 1000),
        case("two solutions", less(TWO, &[]), 10, 2),
        unique("one of two, by a candidate less", less(TWO, &[(4, 6, "3")]), SOLVED),
        unique("the other of two", less(TWO, &[(4, 6, "1")]), TWO_CHANGED),
        unique("one of two, by another cell", less(TWO, &[(5, 9, "124567")]), TWO_CHANGED),
        case("none of two", less(TWO, &[(4, 6, "1"), (5, 9, "3")]), 10, 0),
        case("a solution's candidate is missing", less(CLASSIC, &[(1, 3, "4")]), 2, 0),
        case("two candidates a cell", two_in_each_cell(), 10, 2),
        case("two candidates a cell, the first", two_in_each_cell(), 1, 1),
        unique("two candidates a cell, one settled", shifted_only, SHIFTED),
        case("a cell without candidates", less(CLASSIC, &[(9, 1, "123456789")]), 2, 0),
        case(
            "a cell without candidates in an empty grid",
            less(EMPTY, &[(5, 5, "123456789")]),
            2,
            0,
        ),
        case("no candidate at all", nothing, 2, 0),
        case(
            "a digit without a place in a row",
            (1..=9).fold(Marks::ALL, |mut marks, column| {
                marks.set(35 + column, set(1..=8));
                marks
            }),
            2,
            0,
        ),
        case(
            "two equal singles in a row",
            less(EMPTY, &[(3, 1, "12345678"), (3, 9, "12345678")]),
            2,
            0,
        ),
        case(
            "two equal singles in a box",
            less(EMPTY, &[(4, 4, "23456789"), (6, 6, "23456789")]),
            2,
            0,
        ),
    ]
}

/// Checks an outcome against a case.
fn check_case(name: &str, case: &Case, outcome: &Outcome) {
    let label = format!("{name}, {}", case.name);
    check(&label, &case.marks, outcome, case.solutions);
    if let Some(solution) = case.solution {
        assert_eq!(outcome.grid.to_string(), solution, "{label}");
    }
}

/// The node limit for textbook engines, sufficient for most cases.
const PATIENCE: u64 = 200_000;

#[test]
fn every_engine_solves_every_case() {
    for case in cases() {
        let marks = std::slice::from_ref(&case.marks);
        for (name, mut engine) in engines() {
            let outcome = solve_marks(&mut *engine, marks, count(case.limit))[0];
            check_case(&name, &case, &outcome);
        }
        let mut searches = Vec::new();
        for (name, mut engine) in textbook_engines() {
            let limits = with_nodes(count(case.limit), PATIENCE);
            let outcome = solve_marks(&mut *engine, marks, limits)[0];
            if !outcome.gave_up {
                check_case(&name, &case, &outcome);
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
fn the_oracle_agrees_with_the_table() {
    for case in cases() {
        let limit = case.limit.min(10);
        let found = oracle(case.marks, limit).unwrap_or_else(|| panic!("{}", case.name));
        assert_eq!(found.solutions, case.solutions.min(limit), "{}", case.name);
    }
}

#[test]
fn marks_of_a_puzzle_have_its_outcome() {
    const CONTRADICTORY: &str =
        "1.......1........................................................................";
    let puzzles =
        [CLASSIC, SEVENTEEN, SOLVED, EMPTY, TWO, CONTRADICTORY].map(|p| p.parse().unwrap());
    let marks = puzzles.map(|puzzle: Puzzle| Marks::from(&puzzle));
    for limits in [Limits::FIRST, Limits::PROOF, count(10), with_nodes(Limits::PROOF, 3)] {
        for (name, mut engine) in engines() {
            let expected = solve(&mut *engine, &puzzles, limits);
            assert_eq!(solve_marks(&mut *engine, &marks, limits), expected, "{name}");
        }
        for (name, mut engine) in textbook_engines() {
            let limits = limits.nodes.map_or(with_nodes(limits, PATIENCE), |_| limits);
            let expected = solve(&mut *engine, &puzzles, limits);
            assert_eq!(solve_marks(&mut *engine, &marks, limits), expected, "{name}");
        }
    }
}

#[test]
fn outcomes_are_the_same_in_every_batch_and_at_every_level() {
    let cases: Vec<Marks> = cases().iter().map(|case| case.marks).collect();
    for limits in [Limits::FIRST, Limits::PROOF, count(10), with_nodes(Limits::PROOF, 3)] {
        let mut known: Vec<(&str, Vec<Outcome>)> = Vec::new();
        for (name, mut engine) in engines() {
            let alone: Vec<Outcome> = (cases.iter())
                .map(|marks| solve_marks(&mut *engine, std::slice::from_ref(marks), limits)[0])
                .collect();
            for size in [0, 1, 7, 31, 33, 200] {
                let batch: Vec<Marks> = cases.iter().copied().cycle().skip(5).take(size).collect();
                let outcomes = solve_marks(&mut *engine, &batch, limits);
                for (i, outcome) in outcomes.iter().enumerate() {
                    assert_eq!(*outcome, alone[(5 + i) % cases.len()], "{name}: {i} of {size}");
                }
            }
            match known.iter().find(|(kind, _)| *kind == engine.name()) {
                Some((_, first)) => assert_eq!(&alone, first, "{name}"),
                None => known.push((engine.name(), alone)),
            }
        }
    }
}

#[test]
fn the_smallest_solution_and_the_next_are_the_same_for_every_engine() {
    let marks = two_in_each_cell();
    for kind in EngineKind::ALL {
        let mut engine = kind.build_lex_first(SimdLevel::best());
        let limits = with_nodes(Limits::PROOF, PATIENCE);
        let outcomes = solve_marks(&mut engine, &[marks, less(TWO, &[])], limits);
        assert_eq!(outcomes[0].grid.to_string(), SOLVED, "{kind}");
        assert_eq!(outcomes[1].grid.to_string(), SOLVED, "{kind}");
        let mut after = Solutions::stopped_by(StopFlag::default());
        after.begin_after(&marks, &outcomes[0].grid);
        assert_eq!(after.next().unwrap().to_string(), SHIFTED, "{kind}");
        assert_eq!(after.next(), None, "{kind}");
    }
    // Without 1 to 5 in the first cell, the smallest grid differs from that of all marks.
    let marks = less(EMPTY, &[(1, 1, "12345"), (1, 2, "1"), (1, 3, "2")]);
    let smallest = |kind: EngineKind| {
        let mut engine = kind.build_lex_first(SimdLevel::best());
        solve_marks(&mut engine, &[marks], Limits::FIRST)[0].grid
    };
    let expected = smallest(EngineKind::BacktrackMask);
    assert!(expected.to_string().starts_with("621345789"), "{expected}");
    assert_eq!(smallest(EngineKind::Lanes), expected);
    assert_eq!(smallest(EngineKind::Scalar), expected);
}

#[test]
#[should_panic(expected = "one outcome for each puzzle")]
fn slices_of_different_lengths_are_refused() {
    let (_, mut engine) = engines().remove(0);
    engine.solve(Batch::Marks(&[Marks::ALL; 2]), Limits::FIRST, &mut [Outcome::NONE; 1]);
}

/// Generates marks that contain a grid, with few or many candidates. Then some cells are changed at
/// random, which makes many of them unsolvable.
fn any_marks() -> impl Strategy<Value = Marks> {
    let share = 0..=100_u8;
    let damage = prop_oneof![3 => Just(0), 2 => 1..3_usize, 1 => 3..12_usize];
    let changes = prop::collection::vec((0..CELLS, 0..0x200_u16), 12);
    let chances = prop::collection::vec(0..100_u8, CELLS * 9);
    (full_grid(), share, chances, damage, changes).prop_map(
        |(grid, share, chances, damage, changes)| {
            let is_marked = |cell: usize, digit: u8| {
                grid[cell] == digit || chances[cell * 9 + usize::from(digit) - 1] < share
            };
            let of_cell = |cell| set((1..=9).filter(|&digit| is_marked(cell, digit)));
            let mut marks = Marks::from_cells(std::array::from_fn(of_cell));
            for &(cell, mask) in &changes[..damage] {
                marks.set(cell, set((1..=9).filter(|digit| mask >> (digit - 1) & 1 != 0)));
            }
            marks
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_with_the_oracle(
        batch in prop::collection::vec(any_marks(), 1..40),
        limit in prop_oneof![Just(1_u32), Just(2), Just(20)],
    ) {
        let expected: Vec<_> = batch.iter().map(|marks| oracle(*marks, limit)).collect();
        for (name, mut engine) in engines().into_iter().chain(textbook_engines()) {
            let outcomes = solve_marks(&mut *engine, &batch, with_nodes(count(limit), 1000));
            for ((marks, outcome), expected) in batch.iter().zip(&outcomes).zip(&expected) {
                let (Some(expected), false) = (expected, outcome.gave_up) else { continue };
                check(&name, marks, outcome, expected.solutions);
                if expected.solutions == 1 && limit > 1 {
                    prop_assert_eq!(Some(outcome.grid.cells()), expected.first.as_ref());
                }
            }
        }
    }
}
