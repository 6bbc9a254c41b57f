//! The columns that people read, in tables of every kind.

use crate::measure::record::Measurement;

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

/// Three digits and the unit that fits.
fn duration(ns: u64) -> String {
    let steps = [(1_000_000_000_u32, "s"), (1_000_000, "ms"), (1_000, "us")];
    match steps.into_iter().find(|&(size, _)| ns >= u64::from(size)) {
        Some((size, unit)) => {
            let value = ns as f64 / f64::from(size);
            let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
            format!("{value:.decimals$} {unit}")
        }
        None => format!("{ns} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let numbers = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn durations_have_a_unit() {
        let texts = [999, 1000, 45_678, 678_900, 1_500_000_000].map(duration);
        assert_eq!(texts, ["999 ns", "1.00 us", "45.7 us", "679 us", "1.50 s"]);
    }
}
