//! Leaks between sets: equal puzzles, isomorphs, and equal solution grids, with more clues or without.
//! Each type is created by code that is independent of the search for it.

use std::collections::HashMap;

use bulkdoku::Puzzle;
use bulkdoku::generate::Kind;
use bulkdoku::isomorph::{Permutation, SeededRng};
use serde_json::Value;

use crate::common::command::Folder;
use crate::common::contents::table;
use crate::common::{generated, proofs};

type Cells = [u8; 81];

fn moved(cells: Cells, rng: &mut SeededRng) -> Cells {
    let puzzle = Puzzle::from_cells(cells).unwrap();
    *Permutation::random(rng).puzzle(&puzzle).cells()
}

/// Adds clues of the solution.
fn with_clues(mut cells: Cells, solution: &Cells, count: usize, rng: &mut SeededRng) -> Cells {
    let mut blanks: Vec<usize> = (0..81).filter(|cell| cells[*cell] == 0).collect();
    rng.shuffle(&mut blanks);
    blanks[..count].iter().for_each(|&cell| cells[cell] = solution[cell]);
    cells
}

const EACH: usize = 30;

/// The types of leaks, with the numbers of added clues.
const KINDS: [(&str, usize, bool); 5] = [
    ("puzzle", 0, false),
    ("class", 0, true),
    ("near1", 1, true),
    ("near2", 2, true),
    ("grid", 9, true),
];

/// Creates unrelated sets `a.csv` and `b.csv`, except for the leaks of each type.
fn planted(folder: &Folder) {
    let a = generated(Kind::Minimal, 1, 400);
    let solved = proofs(&a);
    let mut rng = SeededRng::new(3);
    let mut rows: Vec<(String, Cells)> = Vec::new();
    for (kind, (name, clues, moves)) in KINDS.into_iter().enumerate() {
        for index in kind * EACH..(kind + 1) * EACH {
            let cells = with_clues(*a[index].cells(), solved[index].grid.cells(), clues, &mut rng);
            rows.push((name.into(), if moves { moved(cells, &mut rng) } else { cells }));
        }
    }
    let others = generated(Kind::Minimal, 2, 400);
    rows.extend(others.iter().map(|puzzle| ("none".into(), *puzzle.cells())));
    rng.shuffle(&mut rows);
    let text = |cells: &Cells| Puzzle::from_cells(*cells).unwrap().to_string();
    let lines = a.iter().map(|puzzle| format!("a,{puzzle}\n"));
    folder.file("a.csv", "kind,puzzle\n".to_owned() + &lines.collect::<String>());
    let rows = rows.iter().map(|(kind, cells)| format!("{kind},{}\n", text(cells)));
    folder.file("b.csv", "kind,puzzle\n".to_owned() + &rows.collect::<String>());
}

/// Counts the rows of each type.
fn kinds(rows: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    table(rows).iter().for_each(|row| *counts.entry(row["kind"].clone()).or_default() += 1);
    counts
}

fn expected(kinds: &[&str], others: usize) -> HashMap<String, usize> {
    let found = kinds.iter().map(|kind| ((*kind).to_owned(), EACH));
    found.chain((others > 0).then(|| ("none".to_owned(), others))).collect()
}

#[test]
fn each_kind_of_planted_leak_is_found_and_no_other() {
    let folder = Folder::new();
    planted(&folder);
    let all = ["puzzle", "class", "near1", "near2", "grid"];
    for (by, found) in [
        ("--by puzzle", &all[..1]),
        ("", &all[..2]),
        ("--by class", &all[..2]),
        ("--by grid", &all[..]),
    ] {
        let line = format!("canon b.csv --against a.csv --columns puzzle,kind {by}");
        let ran = folder.line(&line);
        assert_eq!(ran.status, 0, "{ran:?}");
        let rest = expected(&all[found.len()..], 400);
        assert_eq!(kinds(&ran.rows), rest, "{by}");
        let (count, what) = (EACH * found.len(), by.strip_prefix("--by ").unwrap_or("class"));
        let verdict = format!("{count} of 550 records have their {what} in a.csv");
        assert!(ran.messages.contains(&format!("\n{verdict}\n")), "{}", ran.messages);
        let known =
            folder.line(&format!("{line} --known --fail-on known --summary-json s --force"));
        assert_eq!((known.status, kinds(&known.rows)), (1, expected(found, 0)), "{known:?}");
        let summary = folder.json("s");
        let counted = [&summary["verdict"], &summary["statuses"]["known"]];
        assert_eq!(counted, [&Value::from(verdict), &count.into()]);
        let known = format!("  known                   {:>3}\n", EACH * found.len());
        assert!(ran.messages.contains(&known), "{known}: {}", ran.messages);
        for options in ["-j 1", "-j 7"] {
            assert_eq!(folder.line(&format!("{line} {options}")).rows, ran.rows, "{by} {options}");
        }
    }
}

#[test]
fn puzzles_without_exactly_one_solution_have_no_grid_and_are_counted() {
    let folder = Folder::new();
    assert_eq!(folder.line("generate -n 20 --seed 1 --kind several -o several").status, 0);
    assert_eq!(folder.line("generate -n 10 --seed 1 --kind unsolvable -o none").status, 0);
    assert_eq!(folder.line("generate -n 50 --seed 1 -o one").status, 0);
    let all = ["several", "none", "one"].map(|name| folder.read(name)).concat();
    folder.file("in", all + "bad\n");
    let counted = |messages: &str| {
        for line in ["multiple                 20", "unsolvable               10"] {
            assert!(messages.contains(line), "{line}: {messages}");
        }
    };
    let ran = folder.line("canon in --dedup --by grid --columns status");
    counted(&ran.messages);
    // They are not compared, so none is dropped.
    assert_eq!((ran.rows.lines().count(), ran.status), (1 + 80, 1));
    let ran = folder.line("split in --by grid --shares 80,20 --seed 1 -o a.csv,b.csv");
    counted(&ran.messages);
    assert_eq!(ran.status, 1);
    let rows = ["a.csv", "b.csv"].map(|name| folder.read(name).lines().count() - 1);
    assert_eq!(rows[0] + rows[1], 50);
    // Within five standard deviations of 80%.
    assert!((26..=50).contains(&rows[0]), "{rows:?}");
    let ran = folder.line("canon one --against in --by grid --columns puzzle");
    assert_eq!(ran.rows, "puzzle\n");
    let verdict = "50 of 50 records have their grid in in; not compared: 31 records of in (in:1:1: multiple: ";
    ran.expect(0, verdict);
    let ran = folder.line("canon in --against one --by grid --columns puzzle");
    assert_eq!(ran.rows.lines().count(), 1 + 30);
    counted(&ran.messages);
    let ran = folder.line("canon several --against one --by grid -q --known --columns puzzle");
    assert_eq!((&*ran.rows, ran.status), ("puzzle\n", 1));
}
