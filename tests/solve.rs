//! Tests `bulkdoku solve`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, grid, marks};
use crate::common::contents::objects;

fn solve(options: &str, input: impl AsRef<[u8]>) -> Ran {
    Folder::new().with_input(&format!("solve {options}"), input)
}

#[test]
fn rows_have_the_default_columns() {
    let ran = solve("", format!("{CLASSIC}\n"));
    assert_eq!(ran.status, 0);
    let mut lines = ran.rows.lines();
    assert_eq!(lines.next(), Some("line,puzzle,solution,status,solutions,guesses,latency_ns"));
    let row = lines.next().unwrap();
    assert!(row.starts_with(&format!("1,{CLASSIC},{SOLVED},unique,1,0,")), "{row}");
    assert!(row.rsplit(',').next().unwrap().parse::<u64>().unwrap() > 0);
    assert_eq!(lines.next(), None);
}

#[test]
fn the_puzzle_column_has_the_text_of_the_input() {
    let written = CLASSIC.replace('.', "0").replacen('0', "x", 1);
    let ran = solve("--columns puzzle", format!("  {written} ; 12\r\n"));
    assert_eq!(ran.rows, format!("puzzle\n{written}\n"));
}

#[test]
fn modes_of_the_search() {
    let empty = ".".repeat(81);
    for (options, puzzle, row) in [
        ("--first", CLASSIC, "solved,1"),
        ("--first", &empty, "solved,1"),
        ("--limit 50", &empty, "multiple,50"),
        ("--limit 50", CLASSIC, "unique,1"),
        ("--max-nodes 1", &empty, "gave_up,"),
        ("--engine scalar", CLASSIC, "unique,1"),
    ] {
        let ran = solve(&format!("{options} --columns status,solutions"), puzzle);
        assert!(ran.records()[0].starts_with(row), "{options}: {ran:?}");
    }
}

#[test]
fn the_reason_is_that_of_the_message() {
    let twice = CLASSIC.replacen("53", "55", 1);
    let folder = Folder::new();
    let several = CLASSIC.replace(['8', '6'], ".");
    folder.file("in", format!("{CLASSIC}\n{twice}\nbad\n{several}\n{}\n", marks(&twice)));
    for (threads, option) in [("1", ""), ("2", ""), ("2", "--solutions 2")] {
        let line = format!("solve in -j {threads} {option} --columns line,reason --format jsonl");
        let ran = folder.line(&line);
        let reason = |row: Value| Some((row["line"].as_u64()?, row["reason"].as_str()?.to_owned()));
        let mut reasons: Vec<_> = ran.objects().into_iter().filter_map(reason).collect();
        reasons.dedup();
        let messages = ran.messages.lines().filter(|line| line.starts_with("in:"));
        let expected = messages.map(|message| {
            let [_, line, _, _, reason] = message.splitn(5, ':').collect::<Vec<_>>()[..] else {
                panic!("{message}")
            };
            (line.parse().unwrap(), reason[1..].to_owned())
        });
        assert_eq!(reasons, expected.collect::<Vec<_>>(), "{ran:?}");
        assert_eq!(reasons.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 5]);
    }
    let line = "solve in -q --columns status,reason --where `status`in('contradictory','unique')";
    let ran = folder.line(line);
    let reason = "5 occurs twice in row 1, at r1c1 and r1c2";
    let row = format!("contradictory,\"{reason}\"\n");
    assert_eq!(ran.rows, format!("status,reason\nunique,\n{row}{row}"));
    let line = "solve in -q --columns reason --where status=='contradictory' --format tsv";
    assert_eq!(folder.line(line).rows, format!("reason\n{reason}\n{reason}\n"));
    let ran = folder.line("solve in -q --columns reason --where status=='gave_up' --max-nodes 1");
    assert_eq!(ran.rows, "reason\nthe limit of nodes was reached\n");
}

#[test]
fn messages_are_json_if_their_file_ends_with_jsonl() {
    let folder = Folder::new();
    let twice = CLASSIC.replacen("53", "55", 1);
    let wrong = SOLVED.replacen('5', "4", 1);
    let text = format!("{CLASSIC},{SOLVED}\n{twice},{SOLVED}\nb\"d\n\n{CLASSIC} {wrong}\n");
    folder.file("a:b", text);
    for subcommand in ["solve", "check"] {
        let text = folder.line(&format!("{subcommand} a:b --errors all.err --force"));
        for name in ["all.jsonl", "all.ndjson"] {
            let ran = folder.line(&format!("{subcommand} a:b --errors {name} --force"));
            let objects = objects(&folder.read(name));
            let lines = objects.iter().map(|object| {
                let text = |key: &str| object[key].as_str().unwrap().to_owned();
                let [file, status, reason] = ["file", "status", "reason"].map(text);
                format!("{file}:{}:{}: {status}: {reason}\n", object["line"], object["column"])
            });
            assert_eq!(lines.collect::<String>(), folder.read("all.err"));
            let texts: Vec<_> = objects.iter().map(|object| &object["text"]).collect();
            let expected = [&*twice, "b\"d", CLASSIC];
            assert_eq!(texts, expected[..if subcommand == "check" { 3 } else { 2 }]);
            let shown = |ran: &Ran| -> Vec<String> {
                let lines = ran.messages.lines().filter(|line| line.starts_with("a:b:"));
                lines.map(String::from).collect()
            };
            assert!(!shown(&ran).is_empty() && shown(&ran) == shown(&text), "{ran:?}");
        }
    }
}

#[test]
fn the_statuses_that_fail_can_be_chosen() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\nbad\n{}\n", CLASSIC.replace(['8', '6'], ".")));
    folder.file("good", CLASSIC);
    for (line, status) in [
        ("solve in", 1),
        ("solve in --fail-on none", 0),
        ("solve in --fail-on malformed", 1),
        ("solve in --fail-on multiple,gave_up", 1),
        ("solve in --fail-on gave_up,contradictory", 0),
        ("solve in --where status=='unique' --fail-on malformed", 1),
        ("solve good --fail-on unique", 1),
        ("check in --solutions good --fail-on unsolvable", 3),
        ("check good --solutions good", 1),
        ("check good --solutions good --fail-on malformed", 0),
        ("canon in", 1),
        ("canon in --fail-on no_form", 0),
        ("canon good good --dedup --fail-on duplicate", 1),
        ("augment in --seed 1 --times 2", 1),
        ("augment in --seed 1 --times 2 --fail-on none", 0),
        ("split in --seed 1 --shares 1,1 -o a.csv,b.csv --force", 1),
        ("split in --seed 1 --shares 1,1 -o a.csv,b.csv --force --fail-on none", 0),
        ("canon good --against in", 0),
        ("canon good --against in --fail-on known", 1),
        ("canon good --against in --by grid --fail-on known", 1),
    ] {
        let ran = folder.line(&format!("{line} -q"));
        assert_eq!(ran.status, status, "{line}: {ran:?}");
    }
}

#[test]
fn the_summary_is_printed_and_written_as_json() {
    let folder = Folder::new();
    let input = format!("# c\n\n{CLASSIC}\n{CLASSIC}\n12\n");
    let ran = folder.with_input("solve --summary-json summary.json -j 2 --engine scalar", input);
    for part in ["3 records in ", "unique ", "malformed ", "engine scalar, 2 threads", "p99.9"] {
        assert!(ran.messages.contains(part), "{part} in {}", ran.messages);
    }
    let summary = folder.json("summary.json");
    assert_eq!(summary["latency_ns"]["count"], 2);
    assert_eq!(summary["engine"], "scalar");
}

#[test]
fn standard_error_has_the_first_messages_and_a_file_all() {
    let folder = Folder::new();
    let ran = folder.solve(&["--errors", "errors.txt"], "12\n".repeat(1000));
    assert_eq!(ran.messages.lines().filter(|line| line.contains("malformed:")).count(), 20);
    assert!(ran.messages.contains("… and 980 more"), "{}", ran.messages);
    let all = folder.read("errors.txt");
    assert_eq!(all.lines().count(), 1000);
    assert_eq!(all.lines().last(), Some("<stdin>:1000:3: malformed: 2 cells, 81 expected"));
}

/// All types of invalid lines, and unusual valid ones.
#[test]
fn each_line_of_the_malformed_set_has_its_status() {
    let datasets = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let folder = Folder::new();
    let input = fs::read(datasets.join("malformed.txt")).unwrap();
    let ran = folder.with_input("solve -q --columns line,status --errors errors.txt", input);
    assert_eq!(ran.status, 1);

    let errors = fs::read(folder.path("errors.txt")).unwrap();
    let errors = String::from_utf8_lossy(&errors);
    let column_of_malformed = |line: &str| {
        let message = errors.lines().find(|text| text.starts_with(&format!("<stdin>:{line}:")))?;
        message.contains(": malformed: ").then(|| message.split(':').nth(2).unwrap().to_owned())
    };
    let rows = ran.rows.lines().skip(1).map(|row| {
        let (line, status) = row.split_once(',').unwrap();
        format!("{line},{status},{}", column_of_malformed(line).unwrap_or_default())
    });
    let expected = fs::read_to_string(datasets.join("malformed.expected")).unwrap();
    let expected: Vec<_> = expected.lines().skip(1).collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[test]
fn puzzles_are_taken_as_arguments() {
    let folder = Folder::new();
    let header = "line,puzzle,solution,status";
    let dashes = CLASSIC.replace('.', "_");
    let ran = folder.line(&format!("solve {CLASSIC} {dashes} --columns {header}"));
    let row = |line, puzzle: &str| format!("{line},{puzzle},{SOLVED},unique");
    assert_eq!((ran.records(), ran.status), (vec![&*row(1, CLASSIC), &row(2, &dashes)], 0));

    // Pencil marks, and a grid of nine lines.
    let marks = marks(CLASSIC);
    let ran = folder.solve(&[&marks, grid(CLASSIC).trim_end(), "--format", "lines", "-q"], "");
    assert_eq!(ran.rows, format!("{SOLVED}\n").repeat(2));

    // Files between puzzles. An argument that names a file is a file.
    folder.file("in", format!("# comment\n{CLASSIC}\n"));
    let ran = folder.line(&format!("solve in {CLASSIC} {CLASSIC} in --columns file,line -q"));
    assert_eq!(ran.rows, "file,line\nin,2\n<arguments>,1\n<arguments>,2\nin,2\n");
    folder.file(CLASSIC, "12\n");
    let ran = folder.line(&format!("solve {CLASSIC} --columns status -q"));
    assert_eq!(ran.rows, "status\nmalformed\n");
    let short = format!("solve {}", &CLASSIC[1..]);
    folder.assert_refused(&[(&short, "and not a puzzle (column 81: 80 cells, 81 expected)")]);
}
