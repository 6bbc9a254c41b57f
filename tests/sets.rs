//! Sets of puzzles: known classes, parts, isomorphs.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::fs;

use bulkdoku::Puzzle;
use bulkdoku::generate::Kind;
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::sets::{Sameness, Split};

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};
use crate::common::contents::table;
use crate::common::{form, generated};

/// Returns random minimal puzzles of different classes.
fn puzzles(seed: u64, count: u64) -> Vec<Puzzle> {
    generated(Kind::Minimal, seed, count)
}

/// Returns a random isomorph of each puzzle.
fn isomorphs(puzzles: &[Puzzle], seed: u64) -> Vec<Puzzle> {
    let mut rng = SeededRng::new(seed);
    puzzles.iter().map(|puzzle| Permutation::random(&mut rng).puzzle(puzzle)).collect()
}

fn lines(puzzles: &[Puzzle]) -> String {
    puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
}

/// `tests/leaks.rs` has the records of each kind that are known.
#[test]
fn sets_are_files_and_folders_and_have_verdicts() {
    let folder = Folder::new();
    let all = puzzles(1, 30);
    let b = [&all[20..], &isomorphs(&all[..5], 2)].concat();
    folder.file("a", lines(&all[..20]) + "bad\n");
    folder.file("b", "also bad\n".to_owned() + &lines(&b));
    let rows: Vec<_> = b[..10].iter().map(ToString::to_string).collect();
    for (line, verdict) in [
        ("canon b --against a", "5 of 16 records have their class in a; "),
        ("canon b --against a --dedup -j 7", "5 of 16 records have their class in a; "),
        ("canon b --against c --against a", "5 of 16 records have their class in "),
    ] {
        folder.file("c", CLASSIC);
        let ran = folder.line(&format!("{line} --columns puzzle,status"));
        let found: Vec<_> = table(&ran.rows).iter().map(|row| row["puzzle"].clone()).collect();
        assert_eq!(found, rows, "{line}");
        for message in [verdict, "  known                     5", "  malformed                 1"] {
            assert!(ran.messages.contains(message), "{line}: {}", ran.messages);
        }
    }
    // A folder is all of its files, except outputs.
    fs::create_dir(folder.path("sets")).unwrap();
    for name in ["a", "c"] {
        folder.file(&format!("sets/{name}"), folder.read(name));
    }
    for force in ["", " --force"] {
        let line = format!("canon b --against sets --columns puzzle -o sets/new.csv{force}");
        folder.line(&line).expect(1, "5 of 16 records have their class in sets/a, sets/c");
        assert_eq!(folder.lines_in("sets/new.csv"), 11);
    }
    // Nothing matched, but records without a class were not compared, so this proves nothing.
    let twice = format!("11{}\n", ".".repeat(79));
    folder.file("twice", &twice);
    folder.file("comment", "# nothing\n");
    let fault = "(b:1:1: malformed: 'a' is not a cell";
    for (line, status, message) in [
        (
            "canon c --against b",
            0,
            "no record has its class in b; not compared: 1 record of b (b:1:",
        ),
        ("canon c --against b --fail-on known", 1, fault),
        ("canon twice --against c --fail-on known", 1, "class in c; not compared: 1 record\n"),
        ("canon c --against c --dedup --fail-on none", 0, "1 of 1 record has its class in c\n"),
        ("canon c --against twice -q", 3, "twice:1:2: contradictory: 1 occurs twice in row 1"),
        ("canon c --against twice --by grid", 3, "no record of twice can be compared by its grid"),
        ("canon c --against twice --by puzzle --fail-on known", 0, "no record has its puzzle"),
        ("canon c --against comment", 3, "--against: no records in comment"),
    ] {
        let ran = folder.line(line);
        assert_eq!(ran.status, status, "{line}: {ran:?}");
        assert!(ran.messages.contains(message), "{line}: {ran:?}");
    }
    let verdict = "in a; only records that meet --where were compared; ";
    folder.line("canon b --against a --where clues>0").expect(1, verdict);
    folder.line("canon b --against nowhere").expect(3, "nowhere");
}

/// Returns a table of 300 classes with up to six isomorphs each.
fn classes(folder: &Folder) -> String {
    let mut text = "id,quiz,note\n".to_owned();
    for (i, puzzle) in puzzles(8, 300).iter().enumerate() {
        for (j, isomorph) in isomorphs(&vec![*puzzle; 1 + i % 6], i as u64).iter().enumerate() {
            writeln!(text, "{i}-{j},{isomorph},\"a, b\"").unwrap();
        }
    }
    folder.file("in.csv", &text);
    text
}

#[test]
fn a_split_separates_no_class_and_loses_no_row() {
    let folder = Folder::new();
    let text = classes(&folder);
    let line = "split --shares 80,20 --seed 1 in.csv -o train.csv,test.csv --force";
    let ran = folder.line(line);
    assert_eq!(ran.status, 0, "{ran:?}");
    let sides = ["train.csv", "test.csv"].map(|name| folder.read(name));
    let [train, test] = [&sides[0], &sides[1]].map(|side| table(side));
    let forms = |rows: &[HashMap<String, String>]| -> HashSet<String> {
        rows.iter().map(|row| form(&row["quiz"])).collect()
    };
    let (of_train, of_test) = (forms(&train), forms(&test));
    assert!(of_train.is_disjoint(&of_test));
    assert_eq!(of_train.len() + of_test.len(), 300);
    // Within five standard deviations.
    assert!((205..=275).contains(&of_train.len()), "{}", of_train.len());
    // In input order, with all columns.
    for (side, form) in [(&sides[0], &of_train), (&sides[1], &of_test)] {
        let is_kept = |line: &&str| {
            let puzzle = line.split(',').nth(1).unwrap_or_default();
            puzzle.len() < 81 || form.contains(&crate::common::form(puzzle))
        };
        let expected: Vec<_> = text.lines().filter(is_kept).collect();
        assert!(side.lines().eq(expected));
    }
    for threads in ["-j 1", "-j 7"] {
        assert_eq!(folder.line(&format!("{line} {threads}")).status, 0);
        assert!([folder.read("train.csv"), folder.read("test.csv")] == sides, "{threads}");
    }
    // Only the ratios of shares matter.
    for shares in ["8,2", "80%,20%", "0.8,0.2"] {
        assert_eq!(folder.line(&line.replace("80,20", shares)).status, 0);
        assert!([folder.read("train.csv"), folder.read("test.csv")] == sides, "{shares}");
    }
    let other = "split --shares 80,20 --seed 2 in.csv -o train2.csv,test2.csv";
    assert_eq!(folder.line(other).status, 0);
    assert_ne!(folder.read("test2.csv"), folder.read("test.csv"));
}

/// Whatever else is in the input, in any order, from a pipe, and by the library.
#[test]
fn the_part_of_a_record_depends_on_nothing_else() {
    let folder = Folder::new();
    let (some, more) = (puzzles(8, 200), puzzles(9, 300));
    let shuffled: Vec<_> = more.iter().chain(some.iter().rev()).copied().collect();
    folder.file("some", lines(&some));
    folder.file("all", lines(&shuffled));
    for by in [Sameness::Puzzle, Sameness::Class, Sameness::Grid] {
        let name = format!("{by:?}").to_lowercase();
        let args = format!("--shares 50,30,20 --seed 7 --by {name} --force -q -o x,y,z");
        let parts = |ran: Ran| {
            assert_eq!(ran.status, 0, "{ran:?}");
            let read = |name| folder.read(name).lines().map(String::from).collect::<HashSet<_>>();
            ["x", "y", "z"].map(read)
        };
        let of_some = parts(folder.line(&format!("split some {args}")));
        let of_all = parts(folder.line(&format!("split all {args}")));
        let args: Vec<_> = args.split(' ').collect();
        let of_pipe = parts(folder.run("split", &args, lines(&some)));
        assert!(of_some == of_pipe && of_some.iter().all(|part| part.len() > 10));
        let split = Split::new(&[50.0, 30.0, 20.0], by, 7);
        for puzzle in &some {
            let representative = match by {
                Sameness::Puzzle => *puzzle,
                Sameness::Class => puzzle.canonical().unwrap().form,
                Sameness::Grid => puzzle.solve().unwrap().canonical().unwrap().form.into(),
            };
            let part = usize::from(split.part(&representative));
            let text = puzzle.to_string();
            assert!(of_some[part].contains(&text) && of_all[part].contains(&text), "{name}");
        }
    }
}

/// Returns a table of puzzles and their solutions.
fn solved(folder: &Folder) -> String {
    folder.file("in", lines(&puzzles(9, 40)));
    let ran = folder.line("solve in --columns puzzle,solution,line -q");
    let text = ran.rows.replace("line", "id");
    folder.file("in.csv", &text);
    text
}

#[test]
fn isomorphs_are_correct_distinct_and_independent_of_threads() {
    let folder = Folder::new();
    let originals = table(&solved(&folder));
    let line = "augment in.csv --seed 5 --columns line,copy,puzzle,computed_solution,id";
    let ran = folder.line(&format!("{line} --times 7 --original"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let rows = table(&ran.rows);
    assert_eq!(rows.len(), 40 * 8);
    for (rows, original) in rows.chunks(8).zip(&originals) {
        assert_eq!(rows[0]["puzzle"], original["puzzle"]);
        assert_eq!(rows[0]["solution"], original["solution"]);
        let different: HashSet<_> = rows.iter().map(|row| &row["puzzle"]).collect();
        assert_eq!(different.len(), 8);
        let class = form(&original["puzzle"]);
        for (copy, row) in rows.iter().enumerate() {
            assert_eq!((&row["copy"], &row["id"]), (&copy.to_string(), &original["id"]));
            assert_eq!(form(&row["puzzle"]), class);
        }
    }
    folder.file("out.csv", &ran.rows);
    let checked = folder.line("check out.csv --columns status --quiet");
    assert_eq!((checked.status, checked.rows.lines().count()), (0, 321));
    for options in ["-j 1", "-j 2", "-j 7"] {
        assert_eq!(folder.line(&format!("{line} --times 7 --original {options}")).rows, ran.rows);
    }
    // The first copies do not depend on how many there are.
    let fewer = table(&folder.line(&format!("{line} --times 3")).rows);
    assert!(fewer.iter().all(|row| rows.contains(row)) && fewer.len() == 40 * 3);
    let [five, six] = [5, 6].map(|seed| folder.line(&format!("augment in.csv --seed {seed}")).rows);
    assert_ne!(five, six);
}

#[test]
fn there_are_no_more_isomorphs_than_a_puzzle_has() {
    let folder = Folder::new();
    // With one clue: 81 cells and nine digits, except the puzzle itself. Without clues: none.
    let one = format!("5{}", ".".repeat(80));
    folder.file("in", format!("{one}\n{}\n{CLASSIC}\nbad\n", ".".repeat(81)));
    let count = |options: &str| {
        let ran = folder.line(&format!("augment in --seed 1 --columns line,puzzle -q {options}"));
        assert_eq!(ran.status, 1);
        let rows = table(&ran.rows);
        let different: HashSet<_> = rows.iter().map(|row| row["puzzle"].clone()).collect();
        assert_eq!(different.len(), rows.len());
        ["1", "2", "3"].map(|line| rows.iter().filter(|row| row["line"] == line).count())
    };
    assert_eq!(count("--times 1000"), [728, 0, 1000]);
    assert_eq!(count("--times 1000 --digits"), [8, 0, 1000]);
    assert_eq!(count("--times 100 --bands"), [8, 0, 35]);
    assert_eq!(count("--times 100 --transpose"), [0, 0, 1]);
    assert_eq!(count("--times 100 --transpose --bands"), [8, 0, 71]);
    assert_eq!(count("--times 100 --rows"), [8, 0, 100]);
}

#[test]
fn isomorphs_keep_the_text_after_their_cells() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC},{SOLVED},x\n{CLASSIC}\n"));
    let ran = folder.line("augment in --seed 1 --times 1 --original --columns copy,solution,rest");
    let rows = table(&ran.rows);
    let solutions: Vec<_> = rows.iter().map(|row| row["solution"].len()).collect();
    assert_eq!((solutions, ran.status), (vec![81, 81, 0, 0], 0), "{ran:?}");
    assert_eq!(rows.iter().map(|row| &*row["rest"]).collect::<String>(), "xx");
    folder.file("in.csv", format!("puzzle,id\n{CLASSIC},7\n"));
    let ran = folder.line("augment in.csv --seed 1");
    assert!(ran.rows.starts_with("puzzle,id\n"), "{}", ran.rows);
}
