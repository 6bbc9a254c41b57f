//! Counts over time, in bounded memory.

use std::mem;
use std::time::Duration;

/// The initial width of the intervals.
const INITIAL_WIDTH: Duration = Duration::from_millis(1);
/// Maximum number of intervals.
const MAX_INTERVALS: usize = 64;

/// Counts in intervals of equal width.
///
/// The width doubles whenever there are too many intervals, so any run has some dozens of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    width: Duration,
    counts: Vec<u64>,
}

impl Timeline {
    /// Creates a timeline without counts.
    pub const fn new() -> Self {
        Self { width: INITIAL_WIDTH, counts: Vec::new() }
    }

    /// Adds a count at a time after the start. Times must not decrease.
    pub fn add(&mut self, after: Duration, count: u64) {
        let place = |width: Duration| (after.as_nanos() / width.as_nanos()) as usize;
        while place(self.width) >= MAX_INTERVALS {
            self.width *= 2;
            self.counts = self.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        let place = place(self.width);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += count;
    }

    /// Returns the intervals, each with its start, end, and rate per second. The last one ends with
    /// the run, after `wall`. If it would be short, it is joined to the previous one.
    ///
    /// A count covers the time since the previous count, so an interval without counts is joined to
    /// the next one, and never has a rate of 0.
    pub fn rates(&self, wall: Duration) -> impl Iterator<Item = (Duration, Duration, f64)> {
        let width = self.width;
        let filled = (1..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let mut counts: Vec<(u32, u64)> = filled.map(|(end, &count)| (end, count)).collect();
        if let [.., (_, before), (end, rest)] = &mut counts[..]
            && wall < width * (*end - 1) + width / 2
        {
            *before += *rest;
            counts.pop();
        }
        let (mut begin, last) = (Duration::ZERO, counts.len().saturating_sub(1));
        counts.into_iter().enumerate().map(move |(i, (end, count))| {
            let end = if i == last { wall.max(begin) } else { width * end };
            let begin = mem::replace(&mut begin, end);
            let seconds = end.saturating_sub(begin).max(Duration::from_nanos(1)).as_secs_f64();
            (begin, end, count as f64 / seconds)
        })
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_when_intervals_become_wider() {
        let mut timeline = Timeline::new();
        let moments: Vec<_> = (0..10_000).map(|i| Duration::from_micros(i * i)).collect();
        moments.iter().for_each(|&moment| timeline.add(moment, 3));
        assert_eq!(timeline.counts.iter().sum::<u64>(), 30_000);
        assert!(
            (MAX_INTERVALS / 2..=MAX_INTERVALS).contains(&timeline.counts.len()),
            "{timeline:?}"
        );
        let wall = *moments.last().unwrap() + Duration::from_millis(1);
        let done: f64 = timeline
            .rates(wall)
            .map(|(begin, end, rate)| end.saturating_sub(begin).as_secs_f64() * rate)
            .sum();
        assert!((done - 30_000.0).abs() < 1e-3, "{done}");
        let ends: Vec<_> = timeline.rates(wall).map(|(_, end, _)| end).collect();
        assert!(ends.is_sorted() && *ends.last().unwrap() == wall);
    }

    #[test]
    fn intervals_without_counts_are_not_zero_rates() {
        let mut timeline = Timeline::new();
        for (ms, count) in [(1, 4), (6, 10), (9, 0), (20, 30)] {
            timeline.add(Duration::from_millis(ms), count);
        }
        let rates: Vec<_> = timeline.rates(Duration::from_millis(22)).collect();
        let expected =
            [(0, 2, 2000.0), (2, 7, 2000.0), (7, 22, 2000.0)].map(|(begin, end, rate)| {
                (Duration::from_millis(begin), Duration::from_millis(end), rate)
            });
        assert_eq!(rates, expected);
    }

    #[test]
    fn an_empty_timeline_has_no_interval() {
        assert_eq!(Timeline::new().rates(Duration::from_secs(1)).count(), 0);
    }
}
