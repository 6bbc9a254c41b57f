//! Latencies in an HDR histogram (Gil Tene): any value, at 3 significant digits.

use std::io::Write;

use hdrhistogram::Histogram;
use serde::Serialize;

/// The largest value that has its place from the start, an hour; larger ones make room.
const USUAL_MAX_NS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// How many puzzles took how long, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies(Histogram<u64>);

/// A range of latencies that the histogram does not tell apart, and the puzzles in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bucket {
    /// Lowest latency of the bucket.
    pub lowest_ns: u64,
    /// Highest latency of the bucket.
    pub highest_ns: u64,
    /// Puzzles in it.
    pub count: u64,
    /// Puzzles in it and in all before it.
    pub cumulative_count: u64,
    /// The same as a fraction of all puzzles.
    pub cumulative_fraction: f64,
}

/// Calls `run` with latencies and how many there are of each; with some more than once, and perhaps
/// with none of some.
///
/// An engine that works on many puzzles at once ends most of them together, so that they have one
/// latency, and then those that took longer. So two latencies are counted at a time, without a branch
/// on which it is, until a third one comes.
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
    /// An empty histogram.
    ///
    /// # Panics
    /// Never: its bounds are constants that [`Histogram`] takes.
    pub fn new() -> Self {
        let mut histogram = Histogram::new_with_bounds(1, USUAL_MAX_NS, SIGNIFICANT_DIGITS)
            .expect("an hour at three digits is within what a histogram can hold");
        histogram.auto(true);
        Self(histogram)
    }

    /// Counts latencies. None is too large: the histogram grows.
    pub fn record_all(&mut self, latencies_ns: impl IntoIterator<Item = u64>) {
        in_runs(latencies_ns, |run| self.record_n(run));
    }

    /// Counts a latency many times, given both: with those of [`Self::buckets`] one histogram
    /// becomes another that is equal.
    pub fn record_n(&mut self, (latency_ns, count): (u64, u64)) {
        if count > 0 {
            (self.0.record_n(latency_ns, count))
                .expect("a histogram that resizes itself takes every value");
        }
    }

    /// Adds all of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.0.add(&other.0).expect("a histogram that resizes itself takes every value");
    }

    /// How many latencies were counted.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The smallest, to 3 significant digits; 0 if there is none.
    pub fn min(&self) -> u64 {
        self.0.min()
    }

    /// The largest, to 3 significant digits; 0 if there is none.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// The mean; 0 if there is none.
    pub fn mean(&self) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.mean() }
    }

    /// The latency that `quantile` (0 to 1) of all puzzles did not exceed.
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.0.value_at_quantile(quantile)
    }

    /// The buckets that hold anything, from the shortest latency on.
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
    /// Those of `out`.
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

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever comes in whatever order, each value is counted as often as it comes.
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
        let mut latencies = Latencies::new();
        latencies.record_all(values.iter().copied());
        latencies
    }

    #[test]
    fn nothing_is_clipped_and_every_bucket_holds_its_values() {
        let values = [0, 1, 999, 1_234_567, USUAL_MAX_NS * 1000];
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
    fn merging_adds_counts_of_large_values_too() {
        let mut all = latencies(&[5, 7]);
        all.merge(&latencies(&[7, USUAL_MAX_NS * 5000]));
        assert_eq!(all.count(), 4);
        assert_eq!(all.buckets().map(|b| b.count).collect::<Vec<_>>(), [1, 2, 1]);
    }

    #[test]
    fn the_csv_has_one_row_a_bucket() {
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
        let empty = Latencies::new();
        assert_eq!((empty.min(), empty.max(), empty.quantile(0.5)), (0, 0, 0));
        assert_eq!(empty.buckets().count(), 0);
    }
}
