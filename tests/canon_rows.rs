//! Tests `bulkdoku canon`.

use std::collections::HashSet;

use bulkdoku::generate::Kind;
use bulkdoku::isomorph::{Permutation, SeededRng};

use crate::common::command::{CLASSIC, Folder, SOLVED, grid, marks};
use crate::common::{form, generated};

/// Returns several random isomorphs each of random puzzles, shuffled.
fn isomorphs(puzzles: u64, copies: usize) -> Vec<String> {
    let mut rng = SeededRng::new(5);
    let mut lines = Vec::new();
    for puzzle in generated(Kind::Minimal, 6, puzzles) {
        lines.extend((0..copies).map(|_| Permutation::random(&mut rng).puzzle(&puzzle)));
    }
    rng.shuffle(&mut lines);
    lines.iter().map(ToString::to_string).collect()
}

/// Returns the line numbers, from 1, of the first puzzle of each class.
fn firsts(lines: &[String]) -> Vec<usize> {
    let mut forms = HashSet::new();
    (1..=lines.len()).filter(|&line| forms.insert(form(&lines[line - 1]))).collect()
}

#[test]
fn every_record_has_a_row_with_its_form_or_its_status() {
    let folder = Folder::new();
    let zeros = CLASSIC.replace('.', "0");
    let contradictory = CLASSIC.replacen("53..7", "53..5", 1);
    let of_clues = marks(CLASSIC);
    let narrowed = of_clues.replacen("123456789", "12.......", 1);
    let input = format!(
        "# a comment\n{CLASSIC}\n\n{zeros}\n{contradictory}\nabc\n{SOLVED}\n{of_clues}\n{narrowed}\n"
    );
    let ran = folder.run("canon", &["--columns", "line,canonical,automorphisms,status"], input);
    let (puzzle, grid) = (form(CLASSIC), form(SOLVED));
    let expected = format!(
        "line,canonical,automorphisms,status\n2,{puzzle},1,ok\n4,{puzzle},1,ok\n5,,,contradictory\n\
         6,,,malformed\n7,{grid},1,ok\n8,{puzzle},1,ok\n9,,,no_form\n"
    );
    assert_eq!((ran.rows, ran.status), (expected, 1));
    for message in [
        "<stdin>:5:5: contradictory: 5 occurs twice in row 1",
        "<stdin>:6:1: malformed:",
        "<stdin>:9:1: no_form: pencil marks that clues cannot express have no canonical form",
        "canonical forms, ",
    ] {
        assert!(ran.messages.contains(message), "{message}: {}", ran.messages);
    }
}

#[test]
fn tables_grids_and_outputs_are_those_of_solve() {
    let folder = Folder::new();
    folder.file("in.csv", format!("id,puzzle\nx,{CLASSIC}\ny,bad\n"));
    let line = "canon in.csv -o out.jsonl.gz -q --columns canonical,automorphisms,status,id";
    let ran = folder.line(&format!("{line} --summary-json sum"));
    assert_eq!(ran.status, 1, "{ran:?}");
    let form = form(CLASSIC);
    let rows = format!(
        "{{\"canonical\":\"{form}\",\"automorphisms\":1,\"status\":\"ok\",\"id\":\"x\"}}\n\
         {{\"canonical\":null,\"automorphisms\":null,\"status\":\"malformed\",\"id\":\"y\"}}\n"
    );
    assert_eq!(folder.unpacked("out.jsonl.gz"), rows);
    let ran = folder.run("canon", &["--format", "lines"], grid(CLASSIC));
    assert_eq!((ran.rows, ran.status), (format!("{form}\n"), 0));
    let summary = folder.json("sum");
    assert_eq!((&summary["canon"], &summary["engine"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!([&summary["statuses"]["ok"], &summary["latency_ns"]["count"]], [1, 0]);
}

#[test]
fn the_first_of_each_class_is_kept_for_any_number_of_threads() {
    let folder = Folder::new();
    let lines = isomorphs(300, 15);
    folder.file("in", format!("{}\nbad\n{}\n", lines.join("\n"), lines[0]));
    let kept: Vec<_> = firsts(&lines).iter().map(ToString::to_string).collect();
    assert_eq!(kept.len(), 300);
    for threads in ["1", "2", "7"] {
        let line = format!("canon in --dedup --columns line -j {threads}");
        let ran = folder.line(&format!("{line} --summary-json sum --force"));
        assert_eq!(ran.records(), kept);
        let summary = folder.json("sum");
        let duplicates = lines.len() - 300 + 1;
        assert_eq!(summary["statuses"]["duplicate"], duplicates);
        assert_eq!(summary["records"], lines.len() + 2);
        assert!(ran.messages.contains("  duplicate"), "{}", ran.messages);
        ran.expect(1, "  malformed                 1");
    }
    // Duplicates are not failures.
    let ran = folder.run("canon", &["--dedup", "--format", "lines"], lines[..20].join("\n"));
    assert_eq!(ran.status, 0);
}

#[test]
fn exact_keeps_the_first_of_equal_puzzles() {
    let folder = Folder::new();
    let zeros = CLASSIC.replace('.', "0");
    let turned: String =
        (0..81).map(|i| char::from(CLASSIC.as_bytes()[i % 9 * 9 + i / 9])).collect();
    folder.file("a", format!("{CLASSIC}\n{turned}\n{zeros}\n"));
    folder.file("b.csv", format!("puzzle,id\n{zeros},1\n{SOLVED},2\n"));
    for (by, rows) in [("class", "a,1\nb.csv,3\n"), ("puzzle", "a,1\na,2\nb.csv,3\n")] {
        let ran = folder.line(&format!("canon a b.csv --dedup --by {by} --columns file,line -q"));
        assert_eq!((ran.rows, ran.status), (format!("file,line\n{rows}"), 0));
    }
}
