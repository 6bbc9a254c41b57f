//! Pages with charts, and histograms in the formats of the HDR histogram library.

use std::thread::sleep;
use std::time::Duration;

use crate::common::command::{CLASSIC, Folder};

/// Checks that a page is complete, needs no other file, and has a dark style.
fn check_page(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    for other in ["<script", "<link", "<img", "@import", "@font-face", "url(", "href="] {
        assert!(!page.contains(other), "{other}");
    }
    // The namespace of SVG is not requested.
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "{page}");
    assert!(page.contains("prefers-color-scheme: dark"));
    assert_eq!(page.matches("<svg ").count(), page.matches("</svg>").count());
    for tag in ["table", "tr", "td", "th", "p", "div", "h2", "b", "i", "span", "code"] {
        let (opened, closed) = (format!("<{tag}"), format!("</{tag}>"));
        let is_tag = |rest: &str| rest.starts_with(['>', ' ']);
        let opened = page.split(&opened).skip(1).filter(|rest| is_tag(rest)).count();
        assert_eq!(opened, page.matches(&closed).count(), "{tag}");
    }
}

#[test]
fn the_page_of_a_run_shows_statuses_and_charts() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(3000) + "bad\n" + &".".repeat(81) + "\n";
    folder.file("a<b&c", puzzles);
    let ran = folder.solve(&["a<b&c", "-o", "out", "--report", "run.html", "-q"], "");
    assert_eq!(ran.status, 1, "{ran:?}");
    let page = folder.read("run.html");
    check_page(&page);
    for heading in ["Latency", "Throughput", "Statuses", "Clues", "Guesses", "How"] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    assert_eq!(page.matches("<svg ").count(), 4);
    assert!(page.contains("a&lt;b&amp;c") && !page.contains("a<b"), "{page}");
    for (status, count) in [("unique", "3,000"), ("multiple", "1"), ("malformed", "1")] {
        let cells = format!("<td>{status}</td>\n<td class=\"n\">{count}</td>");
        assert!(page.contains(&cells), "{cells}: {page}");
    }
    // Of 3,002 records one is no puzzle.
    assert!(page.contains("Of 3,001 of the 3,002 records"), "{page}");
    assert!(page.contains("p99.9") && page.contains("aria-label=\"histogram of latencies"));
    let again = folder.solve(&["a<b&c", "-o", "o2", "--report", "run.html", "-q"], "");
    assert!(again.status == 2 && again.messages.contains("run.html: exists"), "{again:?}");
}

#[test]
fn there_is_no_chart_without_data() {
    let folder = Folder::new();
    folder.file("empty", "");
    let ran = folder.solve(&["empty", "--report", "run.html", "-q"], "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("run.html");
    check_page(&page);
    assert!(!page.contains("<svg "), "{page}");
    let ran = folder.run("canon", &["--report", "canon.html", "-q"], format!("{CLASSIC}\n"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let page = folder.read("canon.html");
    check_page(&page);
    assert!(page.contains("<h2>Clues</h2>") && !page.contains("<h2>Guesses</h2>"), "{page}");
}

#[test]
fn a_resumed_corpus_has_a_page_of_all_its_rows() {
    let folder = Folder::new();
    let args = ["--count", "60000", "--seed", "3", "-o", "rows", "--report", "run.html"];
    let mut child = folder.spawn("generate", &args);
    // The first entry is before the first row.
    let has_place = |journal: String| journal.matches("\"checkpoint\":").count() > 1;
    while !std::fs::read_to_string(folder.path("rows.resume")).is_ok_and(has_place) {
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
    assert!(page.contains("<td>unique</td>\n<td class=\"n\">60,000</td>"), "{page}");
    assert_eq!(page.matches("Of all records.").count(), 2, "clues and guesses: {page}");
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
    assert!(page.contains("<h2>in</h2>") && page.matches("<svg ").count() == 1, "{page}");
    assert!(page.contains("<td>scalar, 1 thread</td>"), "{page}");
    assert!(folder.read("out.json").starts_with('['));
}

#[test]
fn the_name_chooses_the_format_of_latencies() {
    let folder = Folder::new();
    let puzzles = format!("{CLASSIC}\n").repeat(500);
    for name in [
        "l.hgrm",
        "l.csv",
        #[cfg(feature = "full")]
        "l.hlog",
    ] {
        let ran = folder.solve(&["--latency", name, "-q"], &puzzles);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let hgrm = folder.read("l.hgrm");
    assert!(hgrm.starts_with("       Value     Percentile TotalCount 1/(1-Percentile)\n\n"));
    assert!(hgrm.contains("Total count    =          500]"), "{hgrm}");
    #[cfg(feature = "full")]
    let hlog = folder.read("l.hlog");
    #[cfg(feature = "full")]
    assert!(hlog.starts_with("#[Histogram log format version 1.3]\n") && hlog.contains(",HISTF"));
    assert!(folder.read("l.csv").starts_with("lowest_ns,"));
    // Rows that are made are solved, too.
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
