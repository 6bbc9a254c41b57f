//! Pages of reports, and histograms in the formats of the HDR histogram library.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::command::{CLASSIC, Folder};

/// Returns the data of a page, which is complete and loads nothing.
fn data(page: &str) -> Value {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    let (head, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (json, script) = rest.split_once("</script>").unwrap();
    for other in
        ["<link", "<img", "src=", "@import", "@font-face", "url(", "href=", "http", "fetch("]
    {
        assert!(!head.contains(other) && !script.contains(other), "{other}");
    }
    assert!(head.contains("prefers-color-scheme: dark") && head.contains("@media print"));
    serde_json::from_str(json).unwrap()
}

/// Returns the sum of counts in the data of a page.
fn sum(counts: &Value) -> u64 {
    counts.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn the_page_of_a_run_has_its_summary() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(3000) + "bad\n" + &".".repeat(81) + "\n";
    folder.file("a<!--b", puzzles);
    let line = "solve a<!--b -o out --report run.html --summary-json sum -q";
    assert_eq!(folder.line(line).status, 1);
    let data = data(&folder.read("run.html"));
    assert_eq!(data, folder.json("sum"));
    let command = "bulkdoku solve 'a<!--b' -o out --report run.html --summary-json sum -q";
    assert_eq!((&data["command"], &data["inputs"][0]), (&command.into(), &"a<!--b".into()));
    assert!(data["date"].as_str().unwrap().ends_with('Z') && data["machine"]["cores"].is_u64());
    // Of 3,002 records, one is not a puzzle, and one has several solutions.
    assert_eq!((sum(&data["statuses"]), sum(&data["guesses"])), (3002, 3001));
    let (latency, expected) = (&data["latency_ns"], [3001, 3001].map(Value::from));
    assert_eq!([latency["count"].clone(), sum(&latency["buckets"]).into()], expected);
    let least = latency["buckets"].as_object().unwrap().keys().next().unwrap();
    let (least, min) = (least.parse::<f64>().unwrap(), latency["min"].as_f64().unwrap());
    // A bucket is 12% wide.
    assert!(least <= min && min <= 1.13 * least, "{latency}");
    assert!(data.get("guess_ratings").is_none(), "nothing rates: {data}");
    assert_eq!(folder.line("solve --report empty.html -q").status, 0);
    let page = self::data(&folder.read("empty.html"));
    assert!(page.get("clues").is_none() && page["latency_ns"]["count"] == 0, "{page}");
    let again = folder.line("solve a<!--b -o o2 --report run.html -q");
    again.expect(2, "run.html: exists");
}

#[test]
fn the_summary_has_the_difficulty_of_the_rows() {
    let folder = Folder::new();
    let sets = ["minimal", "hard", "several"].map(|set| format!("datasets/{set}.txt"));
    let sets = sets.map(|set| fs::read_to_string(set).unwrap());
    folder.file("in", sets.concat());
    let columns = "puzzle,status,clues,guesses,guess_rating";
    for subcommand in ["solve", "check"] {
        if subcommand == "check" {
            let rows = folder.solve(&["in", "--columns", "puzzle,solution", "-q"], "").rows;
            folder.file("in", rows);
        }
        let outputs = "-o rows.csv --report run.html --summary-json sum -q --force";
        folder.line(&format!("{subcommand} in --columns {columns} {outputs}"));
        let summary = data(&folder.read("run.html"));
        let rows = folder.read("rows.csv");
        let rows: Vec<Vec<&str>> =
            rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
        for (column, key) in (2..).zip(["clues", "guesses", "guess_ratings"]) {
            let mut expected = BTreeMap::new();
            for value in rows.iter().map(|row| row[column]).filter(|value| !value.is_empty()) {
                let value = value.parse::<f64>().unwrap() as u64;
                let is_class = key.starts_with("guess") && value > 0;
                let least = if is_class { 1 << value.ilog2() } else { value };
                *expected.entry(least).or_insert(0) += 1;
            }
            assert!(expected.len() > 1, "{subcommand}: {key}");
            let counted: BTreeMap<u64, u64> = serde_json::from_value(summary[key].clone()).unwrap();
            assert_eq!(counted, expected, "{subcommand}: {key}");
        }
    }
    // Techniques and ratings are counted only if rows or filters need them.
    for (columns, keys) in [("line", [false, false]), ("difficulty", [true, false])] {
        folder.line(&format!("solve in --columns {columns} --summary-json sum -q --force"));
        let summary = folder.json("sum");
        let has = ["techniques", "guess_ratings"].map(|key| summary.get(key).is_some());
        assert_eq!(has, keys, "{columns}");
        assert!(summary.get("clues").is_some() && summary.get("guesses").is_some(), "{summary}");
    }
}

#[test]
fn a_resumed_corpus_has_a_page_of_all_its_rows() {
    let folder = Folder::new();
    let line = "generate --count 12000 --seed 3 -o rows --report run.html";
    let args: Vec<_> = line.split(' ').skip(1).collect();
    let mut command = folder.command("generate", &args);
    let mut child = command.env("BULKDOKU_JOURNAL_MS", "3").stderr(Stdio::null()).spawn().unwrap();
    let has_rows =
        |journal: String| journal.contains("\"checkpoint\":") && !journal.contains("\"rows\":[0]");
    while !fs::read_to_string(folder.path("rows.resume.at")).is_ok_and(has_rows) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its first checkpoint");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = folder.line(&format!("{line} --resume -q"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let data = data(&folder.read("run.html"));
    assert!(data["rows_before"].as_u64().unwrap() > 0, "{data}");
    assert_eq!((&data["rows"], sum(&data["guesses"])), (&12_000.into(), 12_000), "{data}");
}

#[test]
fn the_page_of_bench_has_its_measurements() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    let line = "--engine lanes,scalar --rounds 2 --rows 100 -o out.json --report bench.html";
    let ran = folder.line(&format!("bench in {line}"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let data = data(&folder.read("bench.html"));
    assert_eq!(data["subcommand"], "bench");
    let measured = folder.json("out.json");
    assert_eq!(data["measurements"], measured);
    assert_eq!(measured.as_array().unwrap().len(), 2);
}

#[test]
fn latencies_are_those_of_all_rows() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(500);
    assert_eq!(folder.solve(&["--latency", "l.csv", "-q"], &puzzles).status, 0);
    let csv = folder.read("l.csv");
    assert!(csv.starts_with("lowest_ns,") && csv.trim_end().ends_with(",500,1.0"), "{csv}");
}
