//! The columns that people read, in tables of every kind.

use crate::measure::record::Measurement;
use crate::stats::HumanTime;

/// A heading, and whether its cells are numbers, set to the right.
pub(super) struct Column {
    pub heading: &'static str,
    pub number: bool,
}

const fn text(heading: &'static str) -> Column {
    Column { heading, number: false }
}

const fn number(heading: &'static str) -> Column {
    Column { heading, number: true }
}

pub(super) const COLUMNS: [Column; 15] = [
    text("set"),
    text("engine"),
    text("simd"),
    number("threads"),
    text("mode"),
    number("rows"),
    number("ns/puzzle"),
    number("min"),
    number("max"),
    number("puzzles/s"),
    number("guesses"),
    number("nodes"),
    number("no guess"),
    number("p50, p99"),
    number("slowest"),
];

/// The cells of one measurement.
pub(super) fn cells(of: &Measurement) -> [String; COLUMNS.len()] {
    [
        of.set.clone(),
        of.engine.into(),
        of.simd.unwrap_or("-").into(),
        of.threads.to_string(),
        of.mode.clone(),
        of.rows.to_string(),
        format!("{:.1}", of.ns_per_puzzle),
        format!("{:.1}", of.ns_min),
        format!("{:.1}", of.ns_max),
        thousands(of.puzzles_per_second.round() as u64),
        format!("{:.2}", of.guesses_per_puzzle),
        format!("{:.2}", of.nodes_per_puzzle),
        format!("{:.1} %", of.share_without_guess * 100.0),
        format!("{}, {}", duration(of.latency_p50_ns), duration(of.latency_p99_ns)),
        duration(of.latency_max_ns),
    ]
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    groups.iter().map(|group| String::from_utf8_lossy(group)).collect::<Vec<_>>().join(",")
}

fn duration(ns: u64) -> String {
    HumanTime::of_ns(ns as f64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let numbers = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }
}
