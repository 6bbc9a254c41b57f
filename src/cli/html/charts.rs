//! Bar charts. Positions are in percent, so that text has a fixed size (see `style.css`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use bulkdoku::stats::{Latencies, short_number, short_time};
use indicatif::HumanCount;

use super::Escaped;

struct Bar {
    left: f64,
    right: f64,
    height: f64,
    /// The values in the tooltip.
    values: String,
}

/// A chart of bars on a horizontal axis.
struct Chart<'a> {
    /// The text for screen readers.
    what: &'a str,
    range: Range<f64>,
    bars: Vec<Bar>,
    /// Labels of the horizontal axis.
    labels: Vec<(f64, String)>,
    unit: &'a str,
    /// Named positions on the horizontal axis.
    marks: Vec<(f64, String)>,
}

impl Chart<'_> {
    fn html(&self) -> String {
        let Self { what, range, bars, labels, unit, marks } = self;
        let place = |x: f64| 100.0 * (x - range.start) / (range.end - range.start);
        let highest = bars.iter().map(|bar| bar.height).fold(1e-9, f64::max);
        // Names of marks are above the bars.
        let top = highest * (1.05 + 0.09 * marks.len() as f64);
        let mut html = format!("<div class=\"chart\" role=\"img\" aria-label=\"{what}\">\n");
        let mut add = |element: std::fmt::Arguments<'_>| {
            writeln!(html, "{element}").expect("a string takes every write");
        };
        for y in ticks(highest) {
            let (bottom, text) = (100.0 * y / top, short_number(y));
            add(format_args!("<u style=\"bottom:{bottom:.2}%\"><span>{text}{unit}</span></u>"));
        }
        for Bar { left, right, height, values } in bars {
            let (left, right) = (place(*left), place(*right));
            let (width, height) = (right - left, 100.0 * height / top);
            add(format_args!(
                "<i style=\"left:{left:.3}%;width:{width:.3}%;background-size:100% {height:.2}%\" \
                 title=\"{}\"></i>",
                Escaped(values)
            ));
        }
        for (i, (x, name)) in marks.iter().enumerate() {
            let (x, top) = (place(*x), 8 * i);
            let (side, x) = if x < 75.0 { ("left", x) } else { ("right", 100.0 - x) };
            add(format_args!("<b class=\"{side}\" style=\"{side}:{x:.2}%;top:{top}%\">{name}</b>"));
        }
        for (x, label) in labels {
            add(format_args!("<span style=\"left:{:.2}%\">{label}</span>", place(*x)));
        }
        html + "</div>"
    }
}

/// Returns two to five multiples of a round number that are at most `end`.
fn ticks(end: f64) -> impl Iterator<Item = f64> {
    let decade = 10_f64.powf((end / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * decade);
    let step = steps.into_iter().find(|step| 5.0 * step >= end).unwrap_or(10.0 * decade);
    (1..=5).map(move |i| f64::from(i) * step).take_while(move |&tick| tick <= end)
}

/// Creates a chart of puzzles by number of clues.
pub fn clues(counts: &BTreeMap<u64, u64>) -> String {
    let all = HumanCount(counts.values().sum());
    let bar = |(&clues, &count): (&u64, &u64)| {
        let (left, right) = (clues as f64 - 0.45, clues as f64 + 0.45);
        let values = format!("{clues} clues: {} of {all}", HumanCount(count));
        Bar { left, right, height: count as f64, values }
    };
    let [first, last] = [counts.keys().next(), counts.keys().next_back()];
    let (first, last) = first.copied().zip(last.copied()).unwrap_or_default();
    let labels = (first..=last).step_by((last - first) as usize / 12 + 1);
    Chart {
        what: "puzzles by number of clues",
        range: first as f64 - 0.5..last as f64 + 0.5,
        bars: counts.iter().map(bar).collect(),
        labels: labels.map(|clues| (clues as f64, clues.to_string())).collect(),
        unit: "",
        marks: Vec::new(),
    }
    .html()
}

/// The bars of a latency histogram per power of ten.
const BARS_PER_DECADE: f64 = 20.0;

/// The percentiles shown in reports.
pub const PERCENTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// Draws a latency histogram with a logarithmic axis and percentiles.
pub fn latency(latencies: &Latencies) -> String {
    let place = |ns: u64| (ns.max(1) as f64).log10();
    let time = |place: f64| short_time(10_f64.powf(place));
    let bar_of = |ns: u64| (place(ns) * BARS_PER_DECADE).floor() as usize;
    let mut counts = vec![0; bar_of(latencies.max()) + 1];
    for bucket in latencies.buckets() {
        counts[bar_of(bucket.lowest_ns)] += bucket.count;
    }
    let bar = |(i, &count): (usize, &u64)| {
        let [left, right] = [i, i + 1].map(|i| i as f64 / BARS_PER_DECADE);
        let height = 100.0 * count as f64 / latencies.count() as f64;
        let values = format!("{} to {}: {height:.3}%", time(left), time(right));
        Bar { left, right, height, values }
    };
    let bars = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(bar).collect();
    // Only whole decades have labels on the axis, so there is at least one.
    let first = place(latencies.min()).floor();
    let last = place(latencies.max()).max(first + 0.5).ceil();
    let every = ((last - first) / 6.0).ceil() as usize;
    let labels = (first as i32..=last as i32).step_by(every).map(f64::from);
    let marks = PERCENTILES.map(|(name, quantile)| {
        let ns = latencies.quantile(quantile);
        (place(ns), format!("{name} {}", short_time(ns as f64)))
    });
    Chart {
        what: "histogram of latencies with percentiles",
        range: first..last,
        bars,
        labels: labels.map(|label| (label, time(label))).collect(),
        unit: "%",
        marks: marks.into(),
    }
    .html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for (end, expected) in [
            (5.0, &[1.0, 2.0, 3.0, 4.0, 5.0][..]),
            (5.1, &[2.0, 4.0]),
            (13.0, &[5.0, 10.0]),
            (99.0, &[20.0, 40.0, 60.0, 80.0]),
            (1000.0, &[200.0, 400.0, 600.0, 800.0, 1000.0]),
        ] {
            assert_eq!(ticks(end).collect::<Vec<_>>(), expected, "{end}");
        }
    }
}
