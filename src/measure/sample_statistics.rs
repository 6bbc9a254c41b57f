//! The median and range of samples.

/// The median and range of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleStatistics {
    /// The median; of an even number, the mean of the middle two.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl SampleStatistics {
    /// The statistics of at least one sample.
    ///
    /// # Panics
    /// When there is no sample.
    pub fn of(samples: &[f64]) -> Self {
        assert!(!samples.is_empty());
        let mut samples = samples.to_vec();
        samples.sort_unstable_by(f64::total_cmp);
        let (last, middle) = (samples.len() - 1, samples.len() / 2);
        Self {
            median: f64::midpoint(samples[last / 2], samples[middle]),
            min: samples[0],
            max: samples[last],
        }
    }
}

/// The smallest of the sorted `values` that at least `share` of them do not exceed; 0 if there
/// are none.
pub(super) fn percentile(sorted: &[u64], share: f64) -> u64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let statistics = SampleStatistics::of(&[5.0, 1.0, 2.0]);
        assert_eq!((statistics.median, statistics.min, statistics.max), (2.0, 1.0, 5.0));
        assert_eq!(SampleStatistics::of(&[4.0, 1.0, 2.0, 8.0]).median.to_bits(), 3.0_f64.to_bits());
        let one = SampleStatistics::of(&[7.0]);
        assert_eq!((one.median, one.min, one.max), (7.0, 7.0, 7.0));
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<u64> = (1..=200).collect();
        assert_eq!([0.5, 0.99, 1.0].map(|share| percentile(&values, share)), [100, 198, 200]);
        assert_eq!(percentile(&[3], 0.99), 3);
        assert_eq!(percentile(&[], 0.5), 0);
    }
}
