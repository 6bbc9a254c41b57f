//! The selection of rows in `solve` and `check`, and properties of puzzles.

use bulkdoku::Puzzle;
use bulkdoku::generate::Kind;
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::logic::Technique;
use bulkdoku::rating::Level;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};
use crate::common::contents::table;
use crate::common::{generated, proofs, puzzle, without_one};

/// Creates a file with one puzzle of each type, and an invalid line.
fn mixed(folder: &Folder) {
    let mut lines = vec![CLASSIC.to_owned(), CLASSIC.replacen("53..7", "53..5", 1), "bad".into()];
    for kind in [Kind::Minimal, Kind::Several, Kind::Unsolvable] {
        lines.extend(generated(kind, 1, 30).iter().map(ToString::to_string));
    }
    folder.file("in", lines.join("\n") + "\n");
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
            let empty = ["difficulty", "guess_rating", "minimal"];
            assert!(empty.iter().all(|column| row[*column].is_empty()));
            continue;
        }
        let technique: Technique = row["technique"].parse().unwrap();
        assert_eq!(row["difficulty"], technique.difficulty().name());
        assert_eq!(technique <= Technique::Claiming, Level::of(&puzzle) < Level::Beyond);
        assert_eq!(row["guess_rating"], row["guesses"]);
        let outcomes = proofs(&without_one(&puzzle).collect::<Vec<_>>());
        let is_minimal = outcomes.iter().all(|outcome| outcome.solutions == 2);
        assert_eq!(row["minimal"], is_minimal.to_string());
    }
    let count = |minimal: &str| rows.iter().filter(|row| row["minimal"] == minimal).count();
    assert_eq!((count("true"), count("false")), (30, 1));
    let columns = "difficulty,guess_rating,minimal,clues";
    let line = format!("solve in -q --where status=='unique' --columns {columns} --format jsonl");
    let first = r#"{"difficulty":"easy","guess_rating":0,"minimal":false,"clues":30}"#;
    assert_eq!(folder.line(&line).rows.lines().next(), Some(first));
    folder.file("pairs", format!("{CLASSIC},{SOLVED}\n"));
    let ran = folder.line("check pairs -q --columns status,difficulty,minimal,clues,guess_rating");
    assert_eq!(ran.rows, "status,difficulty,minimal,clues,guess_rating\nok,easy,false,30,0\n");
}

#[test]
fn ratings_over_isomorphs_are_those_of_the_class() {
    let folder = Folder::new();
    let mut rng = SeededRng::new(3);
    let hard = include_str!("../datasets/hard.txt").lines().take(10).map(puzzle);
    let hard: Vec<Puzzle> = hard.chain(generated(Kind::Minimal, 2, 10)).collect();
    let others = hard.iter().map(|puzzle| Permutation::random(&mut rng).puzzle(puzzle));
    let lines = hard.iter().copied().chain(others).map(|puzzle| puzzle.to_string());
    let lines: Vec<_> = lines.collect();
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
    let isomorphs = bulkdoku::rating::isomorphs().take(20);
    let isomorphs: Vec<_> = isomorphs.map(|permutation| permutation.puzzle(&form)).collect();
    let logs = proofs(&isomorphs).into_iter().map(|outcome| (1.0 + outcome.guesses as f64).ln());
    let logs: f64 = logs.sum();
    assert!(((logs / 20.0).exp() - 1.0 - mean[0]).abs() < 0.006, "{} {}", logs, mean[0]);
}
