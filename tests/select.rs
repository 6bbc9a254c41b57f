//! The selection of rows in `solve` and `check`, and properties of puzzles.

use bulkdoku::generate::{Generator, Kind};
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::logic::Technique;
use bulkdoku::rating::Level;
use bulkdoku::{Limits, Outcome, Puzzle, solve_batch};

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};
use crate::common::contents::table;

/// Creates a file with one puzzle of each type, and an invalid line.
fn mixed(folder: &Folder) {
    let mut generator = Generator::new();
    let mut lines = vec![CLASSIC.to_owned(), CLASSIC.replacen("53..7", "53..5", 1), "bad".into()];
    for kind in [Kind::Minimal, Kind::Several, Kind::Unsolvable] {
        lines.extend((0..30).map(|index| generator.puzzle(kind, 1, index).to_string()));
    }
    folder.file("in", lines.join("\n") + "\n");
}

fn solutions(puzzles: &[Puzzle]) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    solve_batch(puzzles, Limits::PROOF, &mut outcomes);
    outcomes
}

#[test]
fn only_some_statuses_have_rows_and_all_are_counted() {
    let folder = Folder::new();
    mixed(&folder);
    let all = folder.line("solve in --columns line,status");
    let some =
        folder.line("solve in --columns line,status --where `status`in('unique','malformed')");
    let is_selected =
        |row: &&str| ["unique", "malformed", "status"].iter().any(|it| row.ends_with(it));
    let expected: Vec<_> = all.rows.lines().filter(is_selected).collect();
    assert_eq!(some.rows.lines().collect::<Vec<_>>(), expected);
    assert_eq!(some.status, all.status);
    let notes = |ran: &Ran| -> Vec<String> {
        let is_count = |line: &&str| line.starts_with("  ") || line.starts_with("in:");
        ran.messages.lines().filter(is_count).map(String::from).collect()
    };
    assert_eq!(notes(&some), notes(&all));
    let ran = folder.line("solve in --where status=='unique' --format lines -q");
    assert_eq!(ran.rows.lines().map(str::len).collect::<Vec<_>>(), [81; 31]);
    // Reasons stay with their rows.
    folder.file("pairs", format!("{CLASSIC},{SOLVED}\n{CLASSIC},{CLASSIC}\nbad\n{CLASSIC},1\n"));
    let ran = folder.line("check pairs --where status=='mismatch' --columns line,reason");
    let rows = table(&ran.rows);
    assert_eq!(rows.iter().map(|row| &*row["line"]).collect::<Vec<_>>(), ["2", "4"]);
    assert!(rows[1]["reason"].contains('1') && rows[0]["reason"] != rows[1]["reason"], "{rows:?}");
    assert_eq!(ran.status, 1);
}

#[test]
fn options_without_effect_are_refused() {
    let folder = Folder::new();
    mixed(&folder);
    folder.assert_refused(&[
        ("solve in --where status=='uniqe'", "unknown status"),
        ("solve in --where status=='unique' --solutions 2", "cannot be used with '--solutions"),
        ("solve in --columns minimal --first", "--first leaves out"),
        ("solve in --columns guess_rating --limit 1", "--limit 1 leaves out"),
        ("solve in --rating-over 3", "no column shows it"),
        ("solve in --columns copy", "bulkdoku augment"),
        ("solve in --columns technique --solutions 2", "--solutions writes several"),
    ]);
}

#[test]
fn columns_agree_with_the_rules_and_the_engine() {
    let folder = Folder::new();
    mixed(&folder);
    let columns =
        "line,puzzle,status,guesses,clues,technique,difficulty,guess_rating,canonical,minimal";
    let rows = table(&folder.line(&format!("solve in -q --columns {columns}")).rows);
    assert_eq!(rows.len(), 93);
    for row in &rows {
        let Ok(puzzle) = row["puzzle"].parse::<Puzzle>() else {
            assert!(row["clues"].is_empty() && row["canonical"].is_empty());
            continue;
        };
        assert_eq!(row["clues"], puzzle.clues().to_string());
        let form = puzzle.canonical().map_or(String::new(), |canonical| canonical.form.to_string());
        assert_eq!(row["canonical"], form);
        if row["status"] != "unique" {
            assert!(
                ["difficulty", "guess_rating", "minimal"]
                    .iter()
                    .all(|column| row[*column].is_empty())
            );
            continue;
        }
        let technique: Technique = row["technique"].parse().unwrap();
        assert_eq!(row["difficulty"], technique.difficulty().name());
        assert_eq!(technique <= Technique::Claiming, Level::of(&puzzle) < Level::Beyond);
        assert_eq!(row["guess_rating"], row["guesses"]);
        let without = (0..81).filter(|&cell| puzzle.cells()[cell] != 0).map(|cell| {
            let mut cells = *puzzle.cells();
            cells[cell] = 0;
            Puzzle::from_cells(cells).unwrap()
        });
        let outcomes = solutions(&without.collect::<Vec<_>>());
        let is_minimal = outcomes.iter().all(|outcome| outcome.solutions == 2);
        assert_eq!(row["minimal"], is_minimal.to_string());
    }
    let count = |minimal: &str| rows.iter().filter(|row| row["minimal"] == minimal).count();
    assert_eq!((count("true"), count("false")), (30, 1));
    let json = folder.line(
        "solve in -q --where status=='unique' --columns difficulty,guess_rating,minimal,clues --format jsonl",
    );
    let first: serde_json::Value = serde_json::from_str(json.rows.lines().next().unwrap()).unwrap();
    assert_eq!(
        first,
        serde_json::json!({"difficulty": "easy", "guess_rating": 0, "minimal": false, "clues": 30})
    );
    folder.file("pairs", format!("{CLASSIC},{SOLVED}\n"));
    let ran = folder.line("check pairs -q --columns status,difficulty,minimal,clues,guess_rating");
    assert_eq!(ran.rows, "status,difficulty,minimal,clues,guess_rating\nok,easy,false,30,0\n");
}

#[test]
fn ratings_over_isomorphs_are_those_of_the_class() {
    let folder = Folder::new();
    let mut generator = Generator::new();
    let mut rng = SeededRng::new(3);
    let hard: Vec<Puzzle> = include_str!("../datasets/hard.txt")
        .lines()
        .filter(|line| line.len() == 81)
        .take(10)
        .map(|line| line.parse().unwrap())
        .chain((0..10).map(|index| generator.puzzle(Kind::Minimal, 2, index)))
        .collect();
    let others = hard.iter().map(|puzzle| Permutation::random(&mut rng).puzzle(puzzle));
    let lines: Vec<_> =
        hard.iter().copied().chain(others).map(|puzzle| puzzle.to_string()).collect();
    folder.file("in", lines.join("\n"));
    let ratings = |line: &str| -> Vec<f64> {
        let rows = table(&folder.line(line).rows);
        rows.iter().map(|row| row["guess_rating"].parse().unwrap()).collect()
    };
    let mean = ratings("solve in -q --columns guess_rating --rating-over 20");
    assert_eq!(mean[..20], mean[20..]);
    let drawn = ratings("solve in -q --columns guess_rating");
    assert_ne!(drawn[..20], drawn[20..]);
    // The first rating, computed manually.
    let form = hard[0].canonical().unwrap().form;
    let isomorphs: Vec<_> = bulkdoku::rating::isomorphs()
        .take(20)
        .map(|permutation| permutation.puzzle(&form))
        .collect();
    let logs: f64 =
        solutions(&isomorphs).iter().map(|outcome| (1.0 + outcome.guesses as f64).ln()).sum();
    assert!(((logs / 20.0).exp() - 1.0 - mean[0]).abs() < 0.006, "{} {}", logs, mean[0]);
}
