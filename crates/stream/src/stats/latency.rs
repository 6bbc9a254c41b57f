//! Latency histograms with 3 significant digits, using Gil Tene's HDR histograms.

use std::io::Write;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

const SIGNIFICANT_DIGITS: u8 = 3;

/// A histogram of latencies in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Latencies(Histogram<u64>);

/// A bucket of the histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bucket {
    /// The lowest latency of the bucket.
    pub lowest_ns: u64,
    /// The highest latency of the bucket.
    pub highest_ns: u64,
    /// The number of puzzles in it.
    pub count: u64,
    /// The number of puzzles in this bucket and in all buckets before it.
    pub cumulative_count: u64,
    /// `cumulative_count` as a fraction of all puzzles.
    pub cumulative_fraction: f64,
}

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

    /// Iterates over the buckets that have puzzles, the shortest latencies first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let mut cumulative_count = 0;
        self.0.iter_recorded().map(move |step| {
            let highest_ns = step.value_iterated_to();
            cumulative_count += step.count_at_value();
            Bucket {
                lowest_ns: self.0.lowest_equivalent(highest_ns),
                highest_ns,
                count: step.count_at_value(),
                cumulative_count,
                cumulative_fraction: cumulative_count as f64 / self.0.len() as f64,
            }
        })
    }

    /// Writes [`Self::buckets`] as CSV with a header.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn write_csv(&self, out: impl Write) -> std::io::Result<()> {
        let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        csv.write_record([
            "lowest_ns",
            "highest_ns",
            "count",
            "cumulative_count",
            "cumulative_fraction",
        ])?;
        for bucket in self.buckets() {
            csv.serialize(bucket)?;
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
        latencies.buckets().map(|bucket| (bucket.highest_ns, bucket.count)).collect()
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

    const HOUR_NS: u64 = 3_600_000_000_000;

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

    fn latencies(values: &[u64]) -> Latencies {
        values.iter().map(|value| (*value, 1)).collect::<Vec<_>>().into()
    }

    #[test]
    fn nothing_is_clipped_and_every_bucket_holds_its_values() {
        let values = [0, 1, 999, 1_234_567, HOUR_NS * 1000];
        let found = latencies(&values);
        let buckets: Vec<_> = found.buckets().collect();
        assert_eq!(buckets.len(), values.len());
        for (bucket, value) in buckets.iter().zip(values) {
            assert!((bucket.lowest_ns..=bucket.highest_ns).contains(&value), "{bucket:?} {value}");
            let width = bucket.highest_ns - bucket.lowest_ns;
            assert!(width <= value / 1000 + 1, "{bucket:?} is wider than a thousandth");
        }
        let last = buckets.last().unwrap();
        assert_eq!(last.cumulative_count, 5);
        assert!((last.cumulative_fraction - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn csv_has_one_row_per_bucket() {
        let mut csv = Vec::new();
        latencies(&[3, 9, 3, 5000]).write_csv(&mut csv).unwrap();
        assert_eq!(
            String::from_utf8(csv).unwrap(),
            "lowest_ns,highest_ns,count,cumulative_count,cumulative_fraction\n\
             3,3,2,2,0.5\n9,9,1,3,0.75\n5000,5003,1,4,1.0\n"
        );
    }

    #[test]
    fn an_empty_histogram_has_zeros_and_no_buckets() {
        let empty = Latencies::default();
        assert_eq!((empty.min(), empty.max(), empty.quantile(0.5)), (0, 0, 0));
        assert_eq!(empty.buckets().count(), 0);
    }
}
