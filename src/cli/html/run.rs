//! The page of a run.

use std::time::SystemTime;

use bulkdoku::Status;
use bulkdoku::pipeline::{Report, Statistics};
use bulkdoku::stats::{Latencies, Timeline, human_time, short_number, short_time};
use indicatif::HumanCount;

use super::{Cell, Fact, Page, charts, version};

/// The page of a run. `timeline` is when rows were written, if that was recorded.
pub fn of_run(
    report: &Report,
    facts: &[Fact],
    timeline: Option<&Timeline>,
    began: SystemTime,
) -> Page {
    let subcommand = std::env::args_os().nth(1).unwrap_or_default();
    let mut page = Page::new(&format!("bulkdoku {}", subcommand.to_string_lossy()));
    let records = report.counts.records();
    let here = records - report.records_before;
    let rate = here as f64 / report.wall.as_secs_f64();
    let mut figures = vec![
        (if here == 1 { "record" } else { "records" }, HumanCount(here).to_string()),
        ("wall time", human_time(report.wall.as_nanos() as f64)),
        ("records a second", short_number(rate)),
    ];
    if report.latencies.count() > 0 {
        let latency = |quantile| short_time(report.latencies.quantile(quantile) as f64);
        figures.push(("median latency", latency(0.5)));
        figures.push(("99th percentile", latency(0.99)));
    }
    page.figures(&figures);
    if report.stopped {
        page.note("The run was ended before all rows were written.");
    }
    if report.records_before > 0 {
        let all = HumanCount(records);
        page.note(&format!(
            "The run resumed an earlier one. Latencies and statuses are those of all {all} records, \
             the figures above and the throughput those of this run."
        ));
    }
    add_latency(&mut page, &report.latencies);
    if let Some(timeline) = timeline.filter(|_| here > 0) {
        page.heading("Throughput");
        page.note("Records per second, by the time at which their rows were written.");
        page.drawing(&charts::throughput(timeline, report.wall), "records a second over time");
    }
    add_statuses(&mut page, report);
    add_statistics(&mut page, &report.statistics, records);
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
    page.drawing(&charts::latency(latencies), "histogram of latencies with percentiles");
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
    let all = report.counts.records().max(1) as f64;
    let rows: Vec<_> = Status::ALL
        .iter()
        .map(|&status| (status, report.counts.of(status)))
        .filter(|&(_, count)| count > 0)
        .map(|(status, count)| {
            let share = count as f64 / all;
            vec![
                Cell::Text(status.name().into()),
                Cell::Number(HumanCount(count).to_string()),
                Cell::Number(format!("{:.2}%", 100.0 * share)),
                Cell::Bar(share),
            ]
        })
        .collect();
    page.heading("Statuses");
    page.table(&["status", "records", "share", ""], &rows);
}

/// Numbers of clues and guesses.
fn add_statistics(page: &mut Page, statistics: &Statistics, records: u64) {
    let clues: u64 = statistics.clues.values().sum();
    let guesses: u64 = statistics.guesses.values().sum();
    if let Some((first, last)) =
        statistics.clues.keys().next().zip(statistics.clues.keys().next_back())
    {
        page.heading("Clues");
        page.note(&of_how_many(clues, records));
        let each = (*first..=*last)
            .map(|count| (count.to_string(), statistics.clues.get(&count).copied().unwrap_or(0)));
        page.drawing(&charts::columns(&each.collect::<Vec<_>>()), "puzzles by number of clues");
    }
    if let Some(last) = statistics.guesses.keys().next_back() {
        page.heading("Guesses");
        page.note(&of_how_many(guesses, records));
        let each = (0..=*last)
            .map(|bits| (guesses_of(bits), statistics.guesses.get(&bits).copied().unwrap_or(0)));
        page.drawing(&charts::columns(&each.collect::<Vec<_>>()), "puzzles by number of guesses");
    }
}

/// The note about the records of a chart.
fn of_how_many(counted: u64, records: u64) -> String {
    let (counted, all) = (HumanCount(counted), HumanCount(records));
    if counted.0 == all.0 {
        "Of all records.".into()
    } else {
        format!(
            "Of {counted} of the {all} records: those that are puzzles and were read by runs with a \
             page."
        )
    }
}

/// The range of guesses with this number of binary digits.
fn guesses_of(bits: u8) -> String {
    match bits {
        0 => "0".into(),
        1 => "1".into(),
        _ => {
            let first = 1_u128 << (bits - 1);
            format!("{}–{}", short_count(first), short_count(2 * first - 1))
        }
    }
}

/// A count, shortened if it is long.
fn short_count(count: u128) -> String {
    if count < 10_000 { count.to_string() } else { short_number(count as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_in_classes() {
        let classes = [0, 1, 2, 3, 10, 20].map(guesses_of);
        assert_eq!(classes, ["0", "1", "2–3", "4–7", "512–1023", "524k–1.05M"]);
    }
}
