//! Statistics of a run: counts of records, latencies, and durations.

mod latency;

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use bulkdoku_core::Status;

pub use latency::Latencies;
pub(crate) use latency::in_runs;

/// The numbers of records and other lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub(crate) by_status: [u64; Status::ALL.len()],
    /// Lines with only white space.
    pub blank_lines: u64,
    /// Lines that start with `#`.
    pub comments: u64,
    /// Records with a typographic ellipsis among their cells, which is parsed as three dots.
    #[serde(default)]
    pub dotted: u64,
}

impl Counts {
    /// Adds records with this status.
    pub fn add(&mut self, status: Status, records: usize) {
        self.by_status[status as usize] += records as u64;
    }

    /// Returns the number of records with this status.
    pub fn of(&self, status: Status) -> u64 {
        self.by_status[status as usize]
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.by_status.iter().sum()
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        for (mine, theirs) in self.by_status.iter_mut().zip(other.by_status) {
            *mine += theirs;
        }
        self.blank_lines += other.blank_lines;
        self.comments += other.comments;
        self.dotted += other.dotted;
    }
}

/// Formats a duration in nanoseconds with suitable units: `58.3 ns`, `1.50 s`, `2 min 05 s`, `1 h
/// 30 min`.
pub fn human_time(ns: f64) -> String {
    if ns < 59.95e9 {
        return three_digits(ns, &[" ns", " µs", " ms", " s"]);
    }
    let seconds = (ns / 1e9).round() as u64;
    match (seconds / 3600, seconds / 60 % 60) {
        (0, minutes) => format!("{minutes} min {:02} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

/// Formats three digits with the first unit in which the number is below 1000.
fn three_digits(number: f64, units: &[&str]) -> String {
    let (mut value, mut unit) = (number, units[0]);
    for next in &units[1..] {
        // 999.7 would be formatted as 1000.
        if value >= 999.5 {
            (value, unit) = (value / 1000.0, next);
        }
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_suitable_units() {
        for (ns, text) in [
            (0.0, "0.00 ns"),
            (58.3, "58.3 ns"),
            (999.0, "999 ns"),
            (999.7, "1.00 µs"),
            (9_999.0, "10.0 µs"),
            (670_000.0, "670 µs"),
            (1.5e9, "1.50 s"),
            (59.94e9, "59.9 s"),
            (59.97e9, "1 min 00 s"),
            (125e9, "2 min 05 s"),
            (3_600e9, "1 h 00 min"),
            (100_000e9, "27 h 46 min"),
        ] {
            assert_eq!(human_time(ns), text);
        }
    }
}
