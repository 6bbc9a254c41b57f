//! The report of a run.

use std::collections::BTreeMap;
use std::time::SystemTime;

use bulkdoku::Status;
use bulkdoku::pipeline::{Report, Statistics};
use bulkdoku::rating::Level;
use bulkdoku::stats::{Latencies, human_time, short_number, short_time};
use indicatif::HumanCount;

use super::{Cell, Fact, Page, charts, version};

/// Creates the report of a run.
pub fn of_run(report: &Report, facts: &[Fact], began: SystemTime) -> Page {
    let subcommand = std::env::args_os().nth(1).unwrap_or_default();
    let mut page = Page::new(&format!("bulkdoku {}", subcommand.to_string_lossy()));
    let records = report.counts.records();
    let here = records - report.records_before;
    let rate = here as f64 / report.wall.as_secs_f64();
    let mut figures = vec![
        (if here == 1 { "record" } else { "records" }, HumanCount(here).to_string()),
        ("wall time", human_time(report.wall.as_nanos() as f64)),
        ("records per second", short_number(rate)),
    ];
    if report.latencies.count() > 0 {
        let latency = |quantile| short_time(report.latencies.quantile(quantile) as f64);
        figures.push(("median latency", latency(0.5)));
        figures.push(("99th percentile", latency(0.99)));
    }
    add_difficulty(&mut page, &report.statistics, records);
    page.heading("Run");
    page.figures(&figures);
    if report.stopped {
        page.note("The run was ended before all rows were written.");
    }
    if report.records_before > 0 {
        let all = HumanCount(records);
        page.note(&format!(
            "The run resumed an earlier one. Latencies and statuses are those of all {all} records, \
             the figures above those of this run."
        ));
    }
    add_statuses(&mut page, report);
    add_latency(&mut page, &report.latencies);
    let began = version::date(began);
    let all: Vec<_> = facts.iter().cloned().chain([("Begun", began)]).collect();
    page.origin(&all);
    page
}

fn add_latency(page: &mut Page, latencies: &Latencies) {
    if latencies.count() == 0 {
        return;
    }
    page.heading("Latency");
    page.note(
        "From a puzzle's entry into the engine to its outcome, on a logarithmic axis: the share of \
         puzzles in each twentieth of a power of ten.",
    );
    page.add(charts::latency(latencies));
    let time = |ns: f64| Cell::Number(human_time(ns));
    let mut headings = vec!["puzzles", "min", "mean"];
    let count = HumanCount(latencies.count()).to_string();
    let mut cells = vec![Cell::Text(count), time(latencies.min() as f64), time(latencies.mean())];
    for (name, quantile) in charts::PERCENTILES {
        headings.push(name);
        cells.push(time(latencies.quantile(quantile) as f64));
    }
    headings.push("max");
    cells.push(time(latencies.max() as f64));
    page.table(&headings, &[cells]);
}

fn add_statuses(page: &mut Page, report: &Report) {
    let counts = Status::ALL.map(|status| (status.name().into(), report.counts.of(status)));
    let counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    page.heading("Statuses");
    page.counts("status", "records", &counts);
}

/// The rules of each level, by its number.
const LEVELS: [&str; Level::ALL.len()] =
    ["0 naked singles", "1 hidden singles", "2 locked candidates", "3 beyond locked candidates"];

/// Adds histograms of difficulty, if it was counted.
fn add_difficulty(page: &mut Page, statistics: &Statistics, records: u64) {
    let Statistics { levels, techniques, se121, clues, guesses, guess_ratings } = statistics;
    if clues.is_empty() {
        return;
    }
    let counted: u64 = clues.values().sum();
    page.heading("Difficulty");
    page.note(&if counted == records {
        "Of all records. A level is that of a puzzle with one solution.".into()
    } else {
        let (counted, all) = (HumanCount(counted), HumanCount(records));
        format!(
            "Of {counted} of the {all} records: the puzzles that runs with this page have read. A \
             level is that of a puzzle with one solution."
        )
    });
    let rated: u64 = techniques.values().sum();
    if !techniques.is_empty() && rated != counted {
        let rated = HumanCount(rated);
        page.note(&format!("Techniques and ratings are those of the {rated} rows that have them."));
    }
    let add = |page: &mut Page, name, counts: &BTreeMap<u64, u64>, label: fn(u64) -> String| {
        if !counts.is_empty() {
            let counts: Vec<_> = counts.iter().map(|(&key, &count)| (label(key), count)).collect();
            page.counts(name, "puzzles", &counts);
        }
    };
    page.add("<div class=\"histograms\">");
    let by_name: Vec<_> =
        techniques.iter().map(|(technique, &count)| (technique.name().into(), count)).collect();
    if !by_name.is_empty() {
        page.counts("hardest technique", "puzzles", &by_name);
    }
    let mut whole = BTreeMap::new();
    se121.iter().for_each(|(tenths, count)| *whole.entry(tenths / 10).or_default() += count);
    add(&mut *page, "se121", &whole, |rating| format!("{rating}.0–{rating}.9"));
    add(&mut *page, "level", levels, |level| LEVELS[level as usize].into());
    page.add(format_args!("<div>\n<h3>clues</h3>\n{}</div>", charts::clues(clues)));
    add(&mut *page, "guesses", guesses, class);
    add(&mut *page, "guess_rating", guess_ratings, class);
    page.add("</div>");
}

/// Returns the range of guesses or ratings that starts at this number.
fn class(least: u64) -> String {
    match least {
        0 | 1 => least.to_string(),
        _ => format!("{}–{}", short_count(least), short_count(2 * (least - 1) + 1)),
    }
}

/// Formats a count, abbreviated if it is long.
fn short_count(count: u64) -> String {
    if count < 10_000 { count.to_string() } else { short_number(count as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names() {
        let classes = [0, 1, 2, 4, 512, 1 << 19, 1 << 63].map(class);
        let names = ["0", "1", "2–3", "4–7", "512–1023", "524k–1.05M", "9223372T–18446744T"];
        assert_eq!(classes, names);
    }
}
