//! Sets of puzzles: overlap, split, isomorphs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::{fs, iter};

use bulkdoku::Puzzle;
use bulkdoku::generate::{Generator, Kind};
use bulkdoku::isomorph::{Permutation, SeededRng};
use bulkdoku::rating::Level;

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, SOLVED};
use crate::common::contents::table;

fn form(puzzle: &str) -> String {
    puzzle.parse::<Puzzle>().unwrap().canonical().unwrap().form.to_string()
}

/// Returns random minimal puzzles of different classes.
fn puzzles(seed: u64, count: u64) -> Vec<Puzzle> {
    let mut generator = Generator::new();
    (0..count).map(|index| generator.puzzle(Kind::Minimal, seed, index)).collect()
}

/// Returns a random isomorph of each puzzle.
fn isomorphs(puzzles: &[Puzzle], seed: u64) -> Vec<Puzzle> {
    let mut rng = SeededRng::new(seed);
    puzzles.iter().map(|puzzle| Permutation::random(&mut rng).puzzle(puzzle)).collect()
}

fn lines(puzzles: &[Puzzle]) -> String {
    puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect()
}

/// Creates three sets: `a` has 150 classes, 40 of them twice; `b` has isomorphs of 30 of them, 5 of
/// these twice, and 100 other puzzles; `c` has one of them and 20 others. Each has an invalid line.
fn three_sets(folder: &Folder) {
    let a = puzzles(1, 150);
    let doubles = isomorphs(&a[..40], 2);
    folder.file("a", lines(&[a.clone(), doubles].concat()) + "bad\n");
    let b = [puzzles(3, 100), isomorphs(&a[20..50], 4), isomorphs(&a[20..25], 5)].concat();
    folder.file("b", "also bad\n".to_owned() + &lines(&b));
    let c: Vec<String> = [puzzles(6, 20), isomorphs(&a[..1], 7)]
        .concat()
        .iter()
        .map(|puzzle| puzzle.to_string().replace('.', "0"))
        .collect();
    folder.file(
        "c.csv",
        format!(
            "id,puzzle\n{}\nx,bad\n",
            c.iter().map(|p| format!("1,{p}")).collect::<Vec<_>>().join("\n")
        ),
    );
}

#[test]
fn overlap_finds_every_class_that_sets_share_and_no_other() {
    let folder = Folder::new();
    three_sets(&folder);
    let ran = folder.line("overlap a b c.csv");
    let rows = table(&ran.rows);
    // The classes 20 to 49 and 0 of `a`. Those below 40 occur twice.
    let counts = rows.iter().fold(BTreeMap::new(), |mut counts: BTreeMap<&str, usize>, row| {
        *counts.entry(&row["file"]).or_default() += 1;
        counts
    });
    assert_eq!(counts, BTreeMap::from([("a", 30 + 20 + 2), ("b", 35), ("c.csv", 1)]));
    let read = |name: &str| folder.read(name);
    let forms = |text: &str| -> HashSet<String> {
        let puzzles = text.lines().filter_map(|line| line.rsplit(',').next());
        puzzles.filter(|puzzle| puzzle.len() == 81).map(form).collect()
    };
    let (a, b, c) = (forms(&read("a")), forms(&read("b")), forms(&read("c.csv")));
    let shared: HashSet<_> =
        a.iter().filter(|form| b.contains(*form) || c.contains(*form)).collect();
    assert_eq!(shared, rows.iter().map(|row| &row["canonical"]).collect());
    for row in &rows {
        let line = read(&row["file"])
            .lines()
            .nth(row["line"].parse::<usize>().unwrap() - 1)
            .unwrap()
            .to_owned();
        assert!(line.ends_with(&row["puzzle"]), "{row:?}");
        assert_eq!(form(&row["puzzle"]), row["canonical"]);
    }
    assert_eq!(ran.status, 1);
    for message in [
        "a:191:1: malformed",
        "b:1:1: malformed",
        "\n2 of 3 pairs of sets share classes\n349 records in ",
        "a: 191 records; different classes: 150",
        "b: 35 of 136 records occur in a; different classes: 30",
        "a: 50 of 191 records occur in b; different classes: 30",
        "c.csv: 1 of 22 records occur in a; different classes: 1",
        "a: 2 of 191 records occur in c.csv; different classes: 1",
        "c.csv: 0 of 22 records occur in b; different classes: 0",
    ] {
        assert!(ran.messages.contains(message), "{message}: {}", ran.messages);
    }
    for options in ["-j 1", "-j 7", "--memory 20k", "--memory 1"] {
        assert_eq!(
            folder.line(&format!("overlap a b c.csv {options}")).rows,
            ran.rows,
            "{options}"
        );
    }
}

#[test]
fn overlap_of_equal_puzzles_and_of_nothing() {
    let folder = Folder::new();
    let turned: String =
        (0..81).map(|i| char::from(CLASSIC.as_bytes()[i % 9 * 9 + i / 9])).collect();
    folder.file("a", format!("{CLASSIC}\n"));
    folder.file("b", format!("{turned}\n{}\n", CLASSIC.replace('.', "0")));
    folder.file("c", format!("{SOLVED}\n"));
    let ran = folder.line("overlap a b --by puzzle --format lines");
    assert_eq!(ran.rows, format!("{CLASSIC}\n{}\n", CLASSIC.replace('.', "0")));
    assert_eq!(folder.line("overlap a b --columns file,line").rows.lines().count(), 4);
    let ran = folder.line("overlap a c");
    assert_eq!((&*ran.rows, ran.status), ("file,line,puzzle,canonical\n", 0));
    assert!(ran.messages.starts_with("the sets share no classes\n"), "{ran:?}");
    // Sets other than the first are compared as well.
    for order in ["c a b", "a c b", "a b c"] {
        let ran = folder.line(&format!("overlap {order} --summary-json s.json --force"));
        assert_eq!((ran.status, ran.rows.lines().count()), (1, 4), "{ran:?}");
        let verdict = "1 of 3 pairs of sets share classes";
        assert!(ran.messages.starts_with(verdict), "{ran:?}");
        let summary: serde_json::Value = serde_json::from_str(&folder.read("s.json")).unwrap();
        assert_eq!(summary["verdict"], verdict);
        assert_eq!(folder.line(&format!("overlap {order} --fail-on none")).status, 0);
    }
}

#[test]
fn rows_against_a_set_are_those_of_other_classes() {
    let folder = Folder::new();
    three_sets(&folder);
    let known: HashSet<String> =
        folder.read("a").lines().filter(|l| l.len() == 81).map(form).collect();
    let expected: Vec<String> = folder
        .read("b")
        .lines()
        .filter(|l| l.len() == 81 && !known.contains(&form(l)))
        .map(String::from)
        .collect();
    assert_eq!(expected.len(), 100);
    for line in [
        "canon b --against a --columns puzzle,status",
        "canon b --against a --memory 5k --columns puzzle,status",
        "canon b --against c.csv --against a --columns puzzle,status",
        "solve b --against a --columns puzzle,status",
        "solve b --against a -j 1 --columns puzzle,status",
        "canon b --against a --dedup --columns puzzle,status",
    ] {
        let ran = folder.line(line);
        let rows = table(&ran.rows);
        // solve writes a row for each record; canon selects puzzles.
        let others = usize::from(line.starts_with("solve"));
        assert!(rows[..others].iter().all(|row| row["status"] == "malformed"), "{line}");
        let found: Vec<_> = rows[others..].iter().map(|row| row["puzzle"].clone()).collect();
        assert!(found == expected, "{line}");
        assert!(ran.messages.contains("  known                    35"), "{line}: {}", ran.messages);
        assert!(ran.messages.contains("no puzzle"), "{line}: {}", ran.messages);
        assert!(ran.messages.contains("  malformed                 1"), "{line}: {}", ran.messages);
    }
    // Isomorphs are not equal.
    let ran = folder.line("canon b --against a --by puzzle --columns line -q");
    assert_eq!(ran.rows.lines().count(), 1 + 135);
    for (line, message) in [
        ("canon b --by puzzle", "--by needs --against or --dedup"),
        ("canon b --memory 1G", "--memory needs --against"),
        ("canon b --against -", "name a file"),
        ("canon b --against a -o a", "is the input a"),
        ("solve b --against a --solutions 3", "cannot be combined with --against"),
        ("solve b --against nowhere", "nowhere"),
        // Errors found before the set is read.
        ("solve b --against nowhere -o a", "a: exists"),
        ("solve b --against nowhere --format lines --columns line", "--columns goes with"),
    ] {
        let ran = folder.line(line);
        assert!(ran.status >= 2 && ran.messages.contains(message), "{line}: {ran:?}");
    }
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
fn puzzles_without_a_level_are_a_stratum() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{}\n", ".".repeat(81)));
    let ran = folder.line("split in --shares 1,1 --seed 1 --stratify level -o a.txt,b.txt");
    for line in ["level 0: 1 records", "no level: 1 records", "all: 2 records"] {
        assert!(ran.messages.contains(line), "{}", ran.messages);
    }
    assert!(!ran.messages.contains("level 3"), "{}", ran.messages);
}

#[test]
fn strata_are_the_values_of_a_column() {
    let folder = Folder::new();
    let sources = ["forum", "10", "9", "", "Zürich"];
    let rows: Vec<_> = puzzles(1, 200)
        .iter()
        .enumerate()
        .map(|(i, puzzle)| (puzzle.to_string(), sources[i % 11 % 5], i))
        .collect();
    let mut csv = String::from("quiz,level,id\n");
    let mut jsonl = String::new();
    for (puzzle, source, id) in &rows {
        writeln!(csv, "{puzzle},{source},{id}").unwrap();
        writeln!(jsonl, r#"{{"quiz":"{puzzle}","level":"{source}","id":{id}}}"#).unwrap();
    }
    folder.file("in.csv", &csv);
    folder.file("in.jsonl", jsonl);
    let mut inputs = vec!["in.csv", "in.jsonl"];
    if cfg!(feature = "parquet") {
        let ran = folder.line("sample in.csv --count 200 --seed 1 -q -o in.parquet");
        assert_eq!(ran.status, 0, "{ran:?}");
        inputs.push("in.parquet");
    }
    for (input, by) in inputs.into_iter().flat_map(|input| [(input, "class"), (input, "grid")]) {
        let options = "--stratify input_level --seed 3 --shares 75,25 --force -o a.csv,b.csv";
        let ran = folder.line(&format!("split {input} --by {by} {options}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        let [train, test] = ["a.csv", "b.csv"].map(|name| table(&folder.read(name)));
        assert_eq!(train.len() + test.len(), 200);
        let mut expected = Vec::new();
        for source in ["9", "10", "", "Zürich", "forum"] {
            let all = rows.iter().filter(|(_, of, _)| *of == source).count();
            let tested = test.iter().filter(|row| row["level"] == source).count();
            assert!(
                (tested as f64 - all as f64 / 4.0).abs() <= 0.5,
                "{source:?}: {tested} of {all}"
            );
            let name = if source.is_empty() { "(none)" } else { source };
            expected.push(format!("input_level {name}: {all} records"));
        }
        // Numbers are in ascending order, before texts in the order of their bytes.
        let found: Vec<_> = ran.messages.lines().filter(|line| line.contains("level")).collect();
        expected.sort_by_key(|line| found.iter().position(|found| found.contains(&**line)));
        assert_eq!(found.len(), expected.len(), "{ran:?}");
        let starts = iter::zip(&found, &expected).all(|(line, start)| line.contains(&**start));
        assert!(starts && expected[0].contains(" 9:") && expected[1].contains(" 10:"), "{ran:?}");
    }
    // Each record is a stratum of its own, except isomorphs, which are in that of the first one.
    let mut text = csv;
    for (i, isomorph) in isomorphs(&puzzles(1, 200), 7).iter().enumerate() {
        writeln!(text, "{isomorph},,x{i}").unwrap();
    }
    folder.file("in.csv", &text);
    let ran =
        folder.line("split in.csv --stratify id --seed 3 --shares 1,1 --force -o a.csv,b.csv");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.messages.contains("id: 200 different values\n"), "{ran:?}");
    let parts = ["a.csv", "b.csv"].map(|name| table(&folder.read(name)));
    for part in &parts {
        let ids: HashSet<_> = part.iter().map(|row| row["id"].clone()).collect();
        assert!(!ids.iter().any(|id| !id.starts_with('x') && !ids.contains(&format!("x{id}"))));
    }
    assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 400);
    folder.assert_refused(&[(
        "split in.csv --shares 1,1 --seed 1 --stratify sorce -o x,y",
        "--stratify is level, guesses, clues, or a column: the input has no column \"sorce\"",
    )]);
}

#[test]
fn a_split_separates_no_class_and_loses_no_row() {
    let folder = Folder::new();
    let text = classes(&folder);
    let mut all: Vec<_> = table(&text).into_iter().map(|row| row["id"].clone()).collect();
    for options in ["", "--stratify level", "--stratify clues", "--stratify guesses"] {
        let line =
            format!("split --shares 80,20 --seed 1 in.csv -o train.csv,test.csv --force {options}");
        let ran = folder.line(&line);
        assert_eq!(ran.status, 0, "{ran:?}");
        let sides = ["train.csv", "test.csv"].map(|name| folder.read(name));
        let [train, test] = [&sides[0], &sides[1]].map(|side| table(side));
        let forms = |rows: &[HashMap<String, String>]| -> HashSet<String> {
            rows.iter().map(|row| form(&row["quiz"])).collect()
        };
        assert!(forms(&train).is_disjoint(&forms(&test)));
        let mut found: Vec<_> = train.iter().chain(&test).map(|row| row["id"].clone()).collect();
        found.sort();
        all.sort();
        assert!(found == all, "{options}");
        // In input order, with all columns.
        assert!(sides[0].starts_with("id,quiz,note\n"));
        assert!(train.iter().chain(&test).all(|row| row["note"] == "a, b"));
        let stratum = |row: &HashMap<String, String>| {
            let puzzle: Puzzle = row["quiz"].parse().unwrap();
            match options {
                // Puzzles without exactly one solution are a stratum of their own.
                "--stratify level" if puzzle.solutions().take(2).count() != 1 => 9,
                "--stratify level" => Level::of(&puzzle).number().into(),
                "--stratify clues" => puzzle.clues(),
                _ => 0,
            }
        };
        let mut strata: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
        for (side, rows) in [&train, &test].into_iter().enumerate() {
            rows.iter().for_each(|row| strata.entry(stratum(row)).or_default()[side] += 1);
        }
        for (stratum, [train, test]) in strata {
            // A class has at most six records, of which half may exceed the share, in each of up to
            // seven strata of guesses.
            let few = if options == "--stratify guesses" { 21.0 } else { 3.0 };
            let wanted = 0.2 * (train + test) as f64;
            assert!(
                (test as f64 - wanted).abs() <= few + 0.5,
                "{options} {stratum}: {train} {test}"
            );
        }
        for threads in ["-j 1", "-j 7"] {
            assert_eq!(folder.line(&format!("{line} {threads}")).status, 0);
            assert!([folder.read("train.csv"), folder.read("test.csv")] == sides, "{threads}");
        }
    }
    let other = "split --shares 80,20 --seed 2 in.csv -o train2.csv,test2.csv";
    assert_eq!(folder.line(other).status, 0);
    assert_ne!(folder.read("test2.csv"), folder.read("test.csv"));
}

#[test]
fn a_split_by_puzzle_separates_isomorphs_and_reports_bad_records() {
    let folder = Folder::new();
    let isomorphs = isomorphs(&vec![CLASSIC.parse().unwrap(); 400], 1);
    folder.file("in", format!("{}bad\n{}", lines(&isomorphs), lines(&isomorphs)));
    let ran = folder.line("split --by puzzle --shares 75,25 --seed 3 in -o a.lines.gz,b.lines.gz");
    assert_eq!(ran.status, 1);
    assert!(ran.messages.contains("in:401:1: malformed"), "{}", ran.messages);
    let sides = ["a.lines.gz", "b.lines.gz"].map(|name| folder.unpacked(name));
    let [a, b] = [&sides[0], &sides[1]].map(|side| side.lines().collect::<HashSet<_>>());
    assert!(a.is_disjoint(&b) && a.len() == 300 && b.len() == 100, "{} {}", a.len(), b.len());
    assert_eq!(sides.map(|side| side.lines().count()), [600, 200]);
    folder.file("in.csv", format!("puzzle\n{CLASSIC}\n"));
    let ran = folder.line("split missing --shares 90,10 --seed 1 -o a.csv,b.csv");
    assert!(ran.status == 3 && ran.messages.contains("missing: No such file"), "{ran:?}");
    folder.assert_refused(&[
        ("split --shares 90,10 --seed 1 in.csv -o one.csv", "has 1 names"),
        ("split --shares 90,10 --seed 1 in.csv -o a.csv,b.jsonl", "a single format"),
        ("split --shares 90,10 --seed 1 in.csv -o a.csv,b.csv.gz", "a single format"),
        ("split --shares 90,10 --seed 1 in.csv -o a.csv,a.csv", "two outputs"),
        ("split --shares 90,10 --seed 1 in.csv -o a.csv,in.csv", "is the input"),
        ("split --shares 90,10 --seed 1 in.csv -o a.csv,-", "standard output"),
        ("split --shares 90,10 --seed 1 in.csv -o a.lines.gz,c.lines.gz", "--force replaces it"),
        ("split --shares 90,10 --seed 1 in.csv -o c.lines.gz,a.lines.gz", "--force replaces it"),
        ("split --shares 90,10 --seed 1 - -o a.csv,b.csv", "must be a file"),
    ]);
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
    assert_ne!(
        folder.line("augment in.csv --seed 6").rows,
        folder.line("augment in.csv --seed 5").rows
    );
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
fn a_sample_has_no_record_twice_and_depends_on_the_seed() {
    let folder = Folder::new();
    let puzzles = isomorphs(&vec![CLASSIC.parse().unwrap(); 3000], 1);
    let records = (1..).zip(puzzles).map(|(id, puzzle)| format!("{id},{puzzle}\n"));
    folder.file("in", records.collect::<String>() + "3001,bad\n");
    let sample = |seed: u32, threads: u32| {
        let line = format!(
            "sample in --count 500 --columns column_1 --no-header --seed {seed} -j {threads} -q"
        );
        let rows = folder.line(&line).rows;
        rows.lines().skip(1).map(|line| line.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    let lines = sample(1, 1);
    assert_eq!(lines.len(), 500);
    assert!(lines.is_sorted_by(|a, b| a < b) && lines[499] <= 3000);
    // The mean of 500 numbers up to 3000 is within five standard errors of 1500.
    let mean = f64::from(lines.iter().sum::<u32>()) / 500.0;
    assert!((mean - 1500.0).abs() < 5.0 * 866.0 / 500_f64.sqrt(), "{mean}");
    assert_eq!(sample(1, 7), lines);
    assert_ne!(sample(2, 1), lines);
    let ran = folder.line("sample in --count 5000 --seed 1 --no-header -q");
    assert_eq!(ran.rows.lines().count(), 3000);
}

#[test]
fn isomorphs_of_records_without_a_correct_solution() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC},{SOLVED},x\n{CLASSIC},123,y\n{CLASSIC}\n"));
    let ran = folder.line("augment in --seed 1 --times 1 --original --columns copy,solution,rest");
    let rows = table(&ran.rows);
    let solutions: Vec<_> = rows.iter().map(|row| row["solution"].len()).collect();
    // The wrong solution is a mismatch; the missing one is omitted.
    assert_eq!(solutions, [81, 81, 0, 0]);
    assert!(
        ran.status == 1 && ran.messages.contains("in:2:86: mismatch: the solution is not a grid"),
        "{}",
        ran.messages
    );
    assert_eq!(rows.iter().map(|row| &*row["rest"]).collect::<String>(), "xx");
    folder.file("in.csv", format!("puzzle,id\n{CLASSIC},7\n"));
    let ran = folder.line("augment in.csv --seed 1");
    assert!(ran.rows.starts_with("puzzle,id\n"), "{}", ran.rows);
    folder.assert_refused(&[
        ("augment in --seed 1 --times 0", "--original"),
        ("augment in --seed 1 --columns guesses", "is a column of bulkdoku solve"),
        ("augment in --seed 1 --format grid", "but not grid"),
        ("augment in --seed 1 --times 2M", "at most 1000000"),
        ("augment in --seed 1 -o in", "is the input"),
        ("augment in.csv --seed 1 --solution-column x", "no column \"x\""),
    ]);
}

/// Sets that are too large for memory are sorted in temporary files.
#[cfg(unix)]
#[test]
fn temporary_files_that_cannot_be_made_end_the_run() {
    let folder = Folder::new();
    folder.file("a", lines(&puzzles(1, 200)));
    for args in [&["overlap", "a", "a"][..], &["canon", "a", "--against", "a", "-o", "out"]] {
        let mut command = std::process::Command::new(BULKDOKU);
        command.args(args).args(["--memory", "1"]).current_dir(folder.path("."));
        let ran = Ran::from(command.env("TMPDIR", "missing").output().unwrap());
        assert_eq!((ran.status, &*ran.rows), (3, ""), "{ran:?}");
        let hint = "temporary file in missing (TMPDIR names the folder): ";
        assert!(ran.messages.contains(hint), "{ran:?}");
        assert_eq!(folder.names(), ["a"]);
    }
    // Nothing can be written to files, as if the folder were full.
    fs::create_dir(folder.path("tmp")).unwrap();
    for args in ["overlap a a --memory 1", "canon a --against a --memory 1"] {
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {BULKDOKU} {args}");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).current_dir(folder.path("."));
        let ran = Ran::from(command.env("TMPDIR", "tmp").output().unwrap());
        assert_eq!((ran.status, &*ran.rows), (3, ""), "{ran:?}");
        let hint = "temporary file in tmp (TMPDIR names the folder): File too large";
        assert!(ran.messages.contains(hint), "{ran:?}");
    }
}
