//! HTML reports, and histograms in the formats of the HDR histogram library.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::common::command::{CLASSIC, Folder};

/// Checks that a page is complete, self-contained, and has a dark style.
fn check_page(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    for other in ["<script", "<link", "<img", "<svg", "@import", "@font-face", "url(", "href="] {
        assert!(!page.contains(other), "{other}");
    }
    assert!(!page.contains("http"), "{page}");
    assert!(page.contains("prefers-color-scheme: dark"));
    for tag in ["table", "tr", "td", "th", "p", "div", "h2", "h3", "b", "i", "u", "span", "code"] {
        let (opened, closed) = (format!("<{tag}"), format!("</{tag}>"));
        let is_tag = |rest: &str| rest.starts_with(['>', ' ']);
        let opened = page.split(&opened).skip(1).filter(|rest| is_tag(rest)).count();
        assert_eq!(opened, page.matches(&closed).count(), "{tag}");
    }
}

/// Returns the texts of the rows of tables in a page whose first heading is `name`.
fn table(page: &str, name: &str) -> Vec<Vec<String>> {
    let start = format!("<table><tr>\n<th>{name}</th>");
    let tables = page.split(&start).skip(1);
    let rows = tables.flat_map(|table| {
        table.split("</table>").next().unwrap().split("<tr>").skip(1).map(|row| {
            let cells = row.split("<td").skip(1).filter(|cell| !cell.starts_with(" class=\"bar\""));
            let text = |cell: &str| cell.split(['>', '<']).nth(1).unwrap().to_owned();
            cells.map(text).collect()
        })
    });
    rows.collect()
}

/// Returns the first two cells of each row, without thousands separators.
fn counts(page: &str, name: &str) -> Vec<(String, u64)> {
    let count = |text: &str| text.replace(',', "").parse().unwrap();
    table(page, name).iter().map(|row| (row[0].clone(), count(&row[1]))).collect()
}

#[test]
fn the_page_of_a_run_shows_difficulty_statuses_and_charts() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(3000) + "bad\n" + &".".repeat(81) + "\n";
    folder.file("a<b&c", puzzles);
    let ran = folder.solve(&["a<b&c", "-o", "out", "--report", "run.html", "-q"], "");
    assert_eq!(ran.status, 1, "{ran:?}");
    let page = folder.read("run.html");
    check_page(&page);
    let headings: Vec<_> = page.split("<h2>").skip(1).map(|rest| rest.split('<').next()).collect();
    let expected = ["Difficulty", "Run", "Statuses", "Latency", "How"];
    assert_eq!(headings, expected.map(Some));
    assert_eq!(page.matches("class=\"chart\"").count(), 2, "clues, latency");
    assert!(page.contains("a&lt;b&amp;c") && !page.contains("a<b"), "{page}");
    let statuses = [("unique", 3000), ("multiple", 1), ("malformed", 1)];
    assert_eq!(counts(&page, "status"), statuses.map(|(name, count)| (name.into(), count)));
    // Of 3,002 records, one is not a puzzle, and one has several solutions.
    assert!(page.contains("Of 3,001 of the 3,002 records"), "{page}");
    assert_eq!(counts(&page, "level"), [("0 naked singles".into(), 3000)]);
    assert_eq!(counts(&page, "guesses").iter().map(|(_, count)| count).sum::<u64>(), 3001);
    assert!(
        page.contains("title=\"30 clues: 3,000 of 3,001\"") && page.contains("\"0 clues: 1 of ")
    );
    assert!(counts(&page, "guess_rating").is_empty(), "nothing rates: {page}");
    assert!(page.contains("p99.9") && page.contains("aria-label=\"histogram of latencies"));
    let again = folder.solve(&["a<b&c", "-o", "o2", "--report", "run.html", "-q"], "");
    assert!(again.status == 2 && again.messages.contains("run.html: exists"), "{again:?}");
}

#[test]
fn the_page_and_the_summary_have_the_difficulty_of_the_rows() {
    let folder = Folder::new();
    let sets = ["minimal", "hard", "several"].map(|set| format!("datasets/{set}.txt"));
    let sets = sets.map(|set| fs::read_to_string(set).unwrap());
    folder.file("in", sets.concat());
    let columns = "puzzle,status,clues,level,guesses,guess_rating";
    let line = format!(
        "in --columns {columns} -o rows.csv --report run.html --summary-json sum -q --force"
    );
    let args: Vec<_> = line.split(' ').collect();
    for subcommand in ["solve", "check"] {
        if subcommand == "check" {
            let rows = folder.solve(&["in", "--columns", "puzzle,solution", "-q"], "").rows;
            folder.file("in", rows);
        }
        folder.run(subcommand, &args, "");
        let summary: serde_json::Value = serde_json::from_str(&folder.read("sum")).unwrap();
        let page = folder.read("run.html");
        check_page(&page);
        let page = page.replace(',', "");
        let rows = folder.read("rows.csv");
        let rows: Vec<Vec<&str>> =
            rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
        let columns = [
            ("clues", "clues"),
            ("level", "levels"),
            ("guesses", "guesses"),
            ("guess_rating", "guess_ratings"),
        ];
        for (column, (name, key)) in (2..).zip(columns) {
            let mut expected = BTreeMap::new();
            for value in rows.iter().map(|row| row[column]).filter(|value| !value.is_empty()) {
                let value = value.parse::<f64>().unwrap() as u64;
                let is_class = ["guesses", "guess_rating"].contains(&name) && value > 0;
                let least = if is_class { 1 << value.ilog2() } else { value };
                *expected.entry(least).or_insert(0) += 1;
            }
            assert!(expected.len() > 1, "{subcommand}: {name}");
            let counted: BTreeMap<u64, u64> = serde_json::from_value(summary[key].clone()).unwrap();
            assert_eq!(counted, expected, "{subcommand}: {key}");
            let bars = |(clues, count)| page.contains(&format!("\"{clues} clues: {count} of "));
            if name == "clues" {
                assert!(expected.into_iter().all(bars), "{page}");
            } else {
                let counts: Vec<_> = counts(&page, name).into_iter().map(|it| it.1).collect();
                assert_eq!(counts, expected.into_values().collect::<Vec<_>>(), "{name}");
            }
        }
    }
    // Without a report, levels and ratings are counted only if rows or filters need them.
    for (columns, keys) in [("line", [false, false]), ("level", [true, false])] {
        let args = ["in", "--columns", columns, "--summary-json", "sum", "-q", "--force"];
        folder.solve(&args, "");
        let summary: serde_json::Value = serde_json::from_str(&folder.read("sum")).unwrap();
        assert_eq!(
            ["levels", "guess_ratings"].map(|key| summary.get(key).is_some()),
            keys,
            "{columns}"
        );
        assert!(summary.get("clues").is_some() && summary.get("guesses").is_some(), "{summary}");
    }
}

#[test]
fn there_is_no_chart_without_data() {
    let folder = Folder::new();
    folder.file("empty", "");
    let ran = folder.solve(&["empty", "--report", "run.html", "-q"], "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("run.html");
    check_page(&page);
    assert!(!page.contains("class=\"chart\"") && !page.contains("Difficulty"), "{page}");
    let ran = folder.run("canon", &["--report", "canon.html", "-q"], format!("{CLASSIC}\n"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("canon.html");
    check_page(&page);
    assert!(page.contains("title=\"30 clues: 1 of 1\""), "{page}");
    assert!(counts(&page, "guesses").is_empty() && counts(&page, "level").is_empty(), "{page}");
}

#[test]
fn a_resumed_corpus_has_a_page_of_all_its_rows() {
    let folder = Folder::new();
    let args = ["--count", "12000", "--seed", "3", "-o", "rows", "--report", "run.html"];
    let mut command = folder.command("generate", &args);
    let mut child = command.env("BULKDOKU_JOURNAL_MS", "3").stderr(Stdio::null()).spawn().unwrap();
    // The first entries precede the first row.
    let has_place = |journal: String| journal.matches("\"checkpoint\":").count() > 3;
    while !fs::read_to_string(folder.path("rows.resume")).is_ok_and(has_place) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its first checkpoint");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = folder.run("generate", &[&args[..], &["--resume", "-q"]].concat(), "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("run.html");
    check_page(&page);
    assert!(page.contains("resumed an earlier one"), "{page}");
    assert!(page.contains("Of all records."), "{page}");
    let sum = |name| counts(&page, name).iter().map(|(_, count)| count).sum::<u64>();
    assert_eq!(["status", "level", "guesses"].map(sum), [12_000; 3], "{page}");
}

#[test]
fn a_measurement_has_a_page_that_compares() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    let line = "in --engine lanes,scalar --rounds 2 --rows 100 -o out.json --report bench.html";
    let args: Vec<_> = line.split(' ').collect();
    let ran = folder.run("bench", &args, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("bench.html");
    check_page(&page);
    assert!(page.contains("<h2>in</h2>") && page.matches("class=\"bar\"").count() == 2, "{page}");
    assert!(page.contains(">scalar, 1 thread</td>"), "{page}");
    assert!(folder.read("out.json").starts_with('['));
}

#[test]
fn the_name_chooses_the_format_of_latencies() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(500);
    for name in ["l.hgrm", "l.csv"] {
        let ran = folder.solve(&["--latency", name, "-q"], &puzzles);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let hgrm = folder.read("l.hgrm");
    assert!(hgrm.starts_with("       Value     Percentile TotalCount 1/(1-Percentile)\n\n"));
    assert!(hgrm.contains("Total count    =          500]"), "{hgrm}");
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
    let args = ["-n", "30", "-s", "1", "-q", "--latency", "g.hgrm", "--summary-json", "g.json"];
    let ran = folder.run("generate", &args, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(folder.read("g.hgrm").contains("Total count    =           30]"));
    let summary: serde_json::Value = serde_json::from_str(&folder.read("g.json")).unwrap();
    assert_eq!((&summary["rows"], &summary["seed"]), (&30.into(), &1.into()));
    assert_eq!(summary["latency_ns"]["count"], 30);
    let clues = summary["clues"].as_object().unwrap();
    assert_eq!(clues.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 30);
}
