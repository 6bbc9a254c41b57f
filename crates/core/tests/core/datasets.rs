//! The bundled puzzle sets, checked against their expected results and the rules.

use std::fs;
use std::path::Path;

use crate::common::{count, engines, solve, solve_one, without_one};
use bulkdoku::rating::Level;
use bulkdoku::{EngineKind, Limits, Puzzle, SimdLevel};

struct Row {
    puzzle: Puzzle,
    /// The number of solutions, up to [`LIMIT`].
    solutions: u32,
    /// The solution, if it is unique.
    solution: String,
}

/// The solution limit of the expected results.
const LIMIT: u32 = 1000;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn set(name: &str) -> Vec<Row> {
    let (puzzles, expected) = (read(&format!("{name}.txt")), read(&format!("{name}.expected")));
    let expected = expected.strip_prefix("solutions,solution\n").expect("a header");
    assert_eq!(puzzles.lines().count(), expected.lines().count(), "{name}");
    let rows = puzzles.lines().zip(expected.lines()).map(|(puzzle, expected)| {
        let (solutions, solution) = expected.split_once(',').expect("two columns");
        Row {
            puzzle: puzzle.parse().expect("a puzzle"),
            solutions: solutions.parse().expect("a number"),
            solution: solution.into(),
        }
    });
    rows.collect()
}

/// Checks that all engines find the expected results, and that solutions obey the rules.
fn check(name: &str, rows: &[Row]) {
    let puzzles: Vec<Puzzle> = rows.iter().map(|row| row.puzzle).collect();
    for (engine_name, mut engine) in engines() {
        for (row, outcome) in rows.iter().zip(solve(&mut *engine, &puzzles, count(LIMIT))) {
            let label = format!("{engine_name}, {name}: {}", row.puzzle);
            crate::common::check(&label, &row.puzzle, &outcome, row.solutions);
            let solution =
                if row.solutions == 1 { outcome.grid.to_string() } else { String::new() };
            assert_eq!(solution, row.solution, "{label}");
        }
    }
}

#[test]
fn every_set_has_its_results_with_every_engine() {
    type Holds = fn(&Row) -> bool;
    let all: [(&str, usize, Holds); 5] = [
        ("easy", 2000, |row| {
            let is_easy = Level::of(&row.puzzle) == Level::NakedSingles;
            row.solutions == 1 && (30..=37).contains(&row.puzzle.clues()) && is_easy
        }),
        ("minimal", 2000, |row| row.solutions == 1),
        ("hard", 250, |row| {
            // They were selected by the guesses of this engine.
            let mut scalar = EngineKind::Scalar.build(SimdLevel::best());
            solve_one(&mut *scalar, &row.puzzle, Limits::PROOF).guesses > 10
        }),
        ("several", 500, |row| row.solutions > 1),
        ("unsolvable", 500, |row| row.solutions == 0 && row.puzzle.contradiction().is_none()),
    ];
    for (name, length, holds) in all {
        let rows = set(name);
        assert_eq!(rows.len(), length, "{name}");
        rows.iter().for_each(|row| assert!(holds(row), "{name}: {}", row.puzzle));
        check(name, &rows);
        if ["minimal", "hard"].contains(&name) {
            check_minimal(&rows);
        }
    }
}

/// Checks that removing any clue results in a second solution.
fn check_minimal(rows: &[Row]) {
    // The first engine checks all rows, the others some.
    for (i, (name, mut engine)) in engines().into_iter().enumerate() {
        let step = if i == 0 { 1 } else { 20 };
        let puzzles: Vec<Puzzle> =
            rows.iter().step_by(step).flat_map(|row| without_one(&row.puzzle)).collect();
        for (puzzle, outcome) in puzzles.iter().zip(solve(&mut *engine, &puzzles, Limits::PROOF)) {
            crate::common::check(&name, puzzle, &outcome, 2);
        }
    }
}
