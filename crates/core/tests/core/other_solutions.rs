//! The search for a solution other than a known one, compared with counting.

use bulkdoku::generate::Kind;
use bulkdoku::{Batch, Engine, EngineKind, Grid, Limits, Marks, Outcome, Puzzle, SimdLevel};

use crate::common::{
    CLASSIC, CONTRADICTORY, EMPTY, SEVENTEEN, SOLVED, TWO, engines, generated, puzzle, solve,
    textbook_engines, with_nodes, without_one,
};

/// Searches for other solutions than the given ones; all outcomes must be final.
fn solve_other(
    engine: &mut dyn Engine,
    batch: Batch<'_>,
    known: &[Grid],
    limits: Limits,
) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome { solutions: 77, ..Outcome::NONE }; batch.len()];
    assert_eq!(engine.solve_other(batch, known, limits, &mut outcomes), batch.len());
    outcomes.iter_mut().for_each(|outcome| outcome.latency_ns = 0);
    outcomes
}

/// Returns puzzles with one solution, with a clue removed, and with many solutions.
fn mixed() -> Vec<Puzzle> {
    let mut puzzles = generated(Kind::Several, 7, 300);
    for (index, minimal) in generated(Kind::Minimal, 7, 300).into_iter().enumerate() {
        puzzles.extend(without_one(&minimal).skip(index % 20).take(3).chain([minimal]));
    }
    puzzles.extend([CLASSIC, SOLVED, CONTRADICTORY, EMPTY, SEVENTEEN, TWO].map(puzzle));
    puzzles
}

/// The known solutions in each round are the first ones, the other ones, and blank grids.
#[test]
fn another_solution_is_found_if_there_is_one() {
    let puzzles = mixed();
    let mut reference = EngineKind::Scalar.build(SimdLevel::best());
    let counted = solve(&mut *reference, &puzzles, Limits::PROOF);
    let mut known: Vec<Grid> = counted.iter().map(|outcome| outcome.grid).collect();
    let (mut with_one, mut with_others) = (0, 0);
    for round in 0..3 {
        let mut answers: Vec<(&str, Vec<Outcome>)> = Vec::new();
        for (name, mut engine) in engines() {
            let batch = Batch::Puzzles(&puzzles);
            let outcomes = solve_other(&mut *engine, batch, &known, Limits::PROOF);
            for (i, (puzzle, outcome)) in puzzles.iter().zip(&outcomes).enumerate() {
                let known_one = u32::from(known[i] != Grid::BLANK);
                let others = (counted[i].solutions - known_one).min(1);
                assert_eq!(outcome.solutions, others, "{name}, round {round}: {puzzle}");
                assert!(!outcome.gave_up, "{name}: {puzzle}");
                let is_other = |grid: &Grid| grid.solves(puzzle) && *grid != known[i];
                assert!(outcome.solution().is_none_or(is_other), "{name}: {puzzle}");
                assert!(others == 1 || outcome.grid == Grid::BLANK, "{name}: {puzzle}");
                assert!(outcome.guesses < outcome.nodes, "{name}: {puzzle}");
            }
            match answers.iter().find(|(kind, _)| *kind == engine.name()) {
                Some((_, first)) => assert_eq!(&outcomes, first, "{name}"),
                None => answers.push((engine.name(), outcomes)),
            }
        }
        let found = &answers[0].1;
        with_one += counted.iter().filter(|outcome| outcome.solutions == 1).count();
        with_others += found.iter().filter(|outcome| outcome.solutions == 1).count();
        known = match round {
            0 => found.iter().zip(&known).map(|(f, k)| *f.solution().unwrap_or(k)).collect(),
            _ => vec![Grid::BLANK; puzzles.len()],
        };
    }
    assert!(with_one > 500 && with_others > 1500, "{with_one}, {with_others}");
}

/// Repeating the search for the first solution makes it precede or follow the other one.
#[test]
fn neither_the_batch_nor_pencil_marks_change_what_is_found() {
    let puzzles = mixed();
    let marks: Vec<Marks> = puzzles.iter().map(Marks::from).collect();
    for (name, mut engine) in engines() {
        let first = solve(&mut *engine, &puzzles, Limits::FIRST);
        let known: Vec<Grid> = first.iter().map(|outcome| outcome.grid).collect();
        let all = solve_other(&mut *engine, Batch::Puzzles(&puzzles), &known, Limits::FIRST);
        for size in [1, 5, 40, 1000] {
            let mut parts = Vec::new();
            for (marks, known) in marks.chunks(size).zip(known.chunks(size)) {
                let batch = Batch::Marks(marks);
                parts.extend(solve_other(&mut *engine, batch, known, Limits::FIRST));
            }
            assert_eq!(parts, all, "{name}, {size} at once");
        }
    }
}

#[test]
fn textbook_engines_find_other_solutions() {
    let puzzles = [CLASSIC, TWO, SOLVED, CONTRADICTORY].map(puzzle);
    let batch = Batch::Puzzles(&puzzles);
    for (name, mut engine) in textbook_engines() {
        let limits = with_nodes(Limits::FIRST, 1_000_000);
        let first = solve(&mut *engine, &puzzles, limits);
        let mut known: Vec<Grid> = first.iter().map(|outcome| outcome.grid).collect();
        let others = solve_other(&mut *engine, batch, &known, limits);
        let found: Vec<u32> = others.iter().map(|outcome| outcome.solutions).collect();
        assert_eq!(found, [0, 1, 0, 0], "{name}");
        assert!(others[1].grid.solves(&puzzles[1]) && others[1].grid != known[1], "{name}");
        known[1] = others[1].grid;
        let others = solve_other(&mut *engine, batch, &known, limits);
        assert_eq!(others[1].grid, first[1].grid, "{name}");
    }
}
