//! The page of a measurement.

use bulkdoku::measure::Measurement;
use bulkdoku::stats::HumanTime;
use indicatif::HumanCount;

use super::super::numbers::counted;
use super::charts::{self, Compared};
use super::{Cell, Fact, Page, short, short_time};

/// The page of measurements.
pub fn of_bench(measurements: &[Measurement], date: String) -> Page {
    let mut page = Page::new("bulkdoku bench");
    page.note(
        "Time per puzzle, from its 81 characters to those of its solution, on a logarithmic axis: a \
         bar to the median of the rounds, a line from the fastest to the slowest. Less is better.",
    );
    let mut kinds: Vec<String> = Vec::new();
    for measurement in measurements {
        let name = name(measurement);
        if !kinds.contains(&name) {
            kinds.push(name);
        }
    }
    let axis = axis(measurements);
    for set in sets(measurements) {
        let of_set: Vec<_> = measurements.iter().filter(|one| one.set == set).collect();
        page.heading(set);
        let bars: Vec<_> = of_set
            .iter()
            .map(|&one| {
                let label = name(one);
                let kind = kinds.iter().position(|kind| *kind == label).unwrap_or(0);
                let (median, least, largest) = (one.ns_per_puzzle, one.ns_min, one.ns_max);
                Compared { kind, label, median, least, largest }
            })
            .collect();
        let what = format!("time a puzzle of {set} by engine");
        page.drawing(&charts::comparison(&bars, axis), &what);
        add_table(&mut page, &of_set);
    }
    let one = measurements.first();
    let rounds = one.map_or(String::new(), |one| {
        let permuted = if one.permuted { "permuted" } else { "as they are" };
        format!("{}, {} rounds, puzzles {permuted}", one.mode, one.rounds)
    });
    let facts: Vec<Fact> = vec![("Measured", rounds), ("Date", date)];
    page.origin(&facts);
    page
}

/// The names of the sets, in the order in which they were measured.
fn sets(measurements: &[Measurement]) -> Vec<&str> {
    let mut sets: Vec<&str> = measurements.iter().map(|one| &*one.set).collect();
    sets.dedup();
    sets
}

/// The name of a contender.
fn name(one: &Measurement) -> String {
    let simd = one.simd.map_or(String::new(), |simd| format!(" {simd}"));
    format!("{}{simd}, {}", one.engine, counted(one.threads as u64, "thread"))
}

/// The powers of ten that include all times, and room for labels.
fn axis(measurements: &[Measurement]) -> [f64; 2] {
    let least = measurements.iter().map(|one| one.ns_min).fold(f64::INFINITY, f64::min);
    let largest = measurements.iter().map(|one| one.ns_max).fold(1.0, f64::max);
    let first = least.min(largest).max(1.0).log10().floor();
    let needed = largest.log10() - first;
    // A label takes about two fifths of the width.
    [first, first + (needed / 0.62).max(1.0)]
}

fn add_table(page: &mut Page, measurements: &[&Measurement]) {
    let headings = [
        "engine", "a puzzle", "fastest", "slowest", "a second", "p50", "p99", "guesses", "nodes",
        "puzzles",
    ];
    let rows: Vec<_> = measurements
        .iter()
        .map(|&one| {
            let time = |ns: f64| HumanTime::of_ns(ns).to_string();
            let numbers = [
                time(one.ns_per_puzzle),
                time(one.ns_min),
                time(one.ns_max),
                short(one.puzzles_per_second),
                short_time(one.latency_p50_ns as f64),
                short_time(one.latency_p99_ns as f64),
                short(one.guesses_per_puzzle),
                short(one.nodes_per_puzzle),
                HumanCount(one.rows as u64).to_string(),
            ];
            let name = Cell::Text(name(one));
            std::iter::once(name).chain(numbers.map(Cell::Number)).collect()
        })
        .collect();
    page.table(&headings, &rows);
}
