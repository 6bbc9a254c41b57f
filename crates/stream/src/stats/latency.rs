//! Latency histograms with 3 significant digits, using Gil Tene's HDR histograms.

use std::io::{self, Write};

use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;
use serde::{Deserialize, Serialize};

const SIGNIFICANT_DIGITS: u8 = 3;

/// A histogram of latencies in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Latencies(Histogram<u64>);

/// Calls `run` with latencies and their counts. A latency may occur several times, or with a count
/// of 0.
///
/// An engine that solves many puzzles at once ends most of them together, with one latency, and
/// then those that took longer. So two latencies are counted at a time, without a branch, until a
/// third one occurs.
#[inline(always)]
pub(crate) fn in_runs(
    latencies_ns: impl IntoIterator<Item = u64>,
    mut run: impl FnMut((u64, u64)),
) {
    let (mut one, mut other) = ((0, 0), (u64::MAX, 0));
    let mut was_other = false;
    for latency_ns in latencies_ns {
        if latency_ns != one.0 && latency_ns != other.0 {
            let oldest = if was_other { &mut one } else { &mut other };
            run(std::mem::replace(oldest, (latency_ns, 0)));
        }
        was_other = latency_ns == other.0;
        other.1 += u64::from(was_other);
        one.1 += u64::from(!was_other);
    }
    run(one);
    run(other);
}

impl Latencies {
    /// Adds a latency with its count. The histogram grows as needed.
    pub(crate) fn record_n(&mut self, (latency_ns, count): (u64, u64)) {
        if count > 0 {
            (self.0.record_n(latency_ns, count))
                .expect("a histogram that resizes itself takes every value");
        }
    }

    /// Returns the number of latencies.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the smallest latency, to 3 significant digits, or 0 if there is none.
    pub fn min(&self) -> u64 {
        self.0.min()
    }

    /// Returns the largest latency, to 3 significant digits, or 0 if there is none.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// Returns the mean latency, or 0 if there is none.
    pub fn mean(&self) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.mean() }
    }

    /// Returns the latency that a share of all puzzles (0 to 1) does not exceed.
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.0.value_at_quantile(quantile)
    }

    /// Returns the buckets that have puzzles, the shortest latencies first: the lowest and the
    /// highest latency of each, and its number of puzzles.
    pub fn buckets(&self) -> Vec<(u64, u64, u64)> {
        let bucket = |step: IterationValue<u64>| {
            let highest_ns = step.value_iterated_to();
            (self.0.lowest_equivalent(highest_ns), highest_ns, step.count_at_value())
        };
        self.0.iter_recorded().map(bucket).collect()
    }

    /// Writes [`Self::buckets`] as CSV with a header, and cumulative counts.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "lowest_ns,highest_ns,count,cumulative_count,cumulative_fraction")?;
        let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        let mut cumulative = 0;
        for (lowest, highest, count) in self.buckets() {
            cumulative += count;
            let fraction = cumulative as f64 / self.0.len() as f64;
            csv.serialize((lowest, highest, count, cumulative, fraction))?;
        }
        csv.flush()
    }
}

impl From<Vec<(u64, u64)>> for Latencies {
    fn from(runs: Vec<(u64, u64)>) -> Self {
        let mut latencies = Self::default();
        runs.into_iter().for_each(|run| latencies.record_n(run));
        latencies
    }
}

impl From<Latencies> for Vec<(u64, u64)> {
    fn from(latencies: Latencies) -> Self {
        latencies.buckets().into_iter().map(|(_, highest, count)| (highest, count)).collect()
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new(SIGNIFICANT_DIGITS).expect("at most five digits"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Checks that the counts of each value add up.
        #[test]
        fn runs_add_up(
            values in prop::collection::vec(prop_oneof![0_u64..4, Just(u64::MAX)], 0..60),
        ) {
            let (mut found, mut expected) = (BTreeMap::new(), BTreeMap::new());
            in_runs(values.iter().copied(), |(value, count)| *found.entry(value).or_insert(0) += count);
            found.retain(|_, count| *count > 0);
            values.iter().for_each(|value| *expected.entry(*value).or_insert(0) += 1);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn nothing_is_clipped_and_every_bucket_holds_its_values() {
        let values = [0, 1, 999, 1_234_567, 3_600_000_000_000_000];
        let found = Latencies::from(values.map(|value| (value, 1)).to_vec());
        let buckets = found.buckets();
        assert_eq!(buckets.len(), values.len());
        for (&(lowest, highest, count), value) in buckets.iter().zip(values) {
            assert!((lowest..=highest).contains(&value) && count == 1, "{lowest} {value}");
            assert!(highest - lowest <= value / 1000 + 1, "{lowest} is wider than a thousandth");
        }
    }
}
