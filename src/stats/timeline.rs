//! Counts over time, in bounded memory.

use std::time::Duration;

/// The shortest interval.
const FIRST_WIDTH: Duration = Duration::from_millis(1);
/// The most intervals.
const MOST: usize = 64;

/// Counts in intervals of the same width.
///
/// The width doubles whenever there are too many intervals, so any run has some dozens of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    width: Duration,
    counts: Vec<u64>,
}

impl Timeline {
    /// Without counts.
    pub const fn new() -> Self {
        Self { width: FIRST_WIDTH, counts: Vec::new() }
    }

    /// Adds a count at a time after the start, which is not before that of the last count.
    pub fn add(&mut self, after: Duration, count: u64) {
        let place = |width: Duration| (after.as_nanos() / width.as_nanos()) as usize;
        while place(self.width) >= MOST {
            self.width *= 2;
            self.counts = self.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        let place = place(self.width);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += count;
    }

    /// The intervals, each with its start, end and rate per second. The last one ends after `wall`,
    /// with the run. If it would be short, it is joined to the one before.
    pub fn rates(&self, wall: Duration) -> impl Iterator<Item = (Duration, Duration, f64)> {
        let mut counts = self.counts.clone();
        let begin_of = |i: usize| self.width * i as u32;
        if let [.., _, _] = &counts[..]
            && wall < begin_of(counts.len() - 1) + self.width / 2
        {
            let rest = counts.pop().unwrap_or(0);
            *counts.last_mut().expect("there were two") += rest;
        }
        let (width, last) = (self.width, counts.len().saturating_sub(1));
        counts.into_iter().enumerate().map(move |(i, count)| {
            let begin = width * i as u32;
            let end = if i == last { wall.max(begin) } else { begin + width };
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
    fn nothing_is_lost_when_intervals_become_wider() {
        let mut timeline = Timeline::new();
        let moments: Vec<_> = (0..10_000).map(|i| Duration::from_micros(i * i)).collect();
        moments.iter().for_each(|&moment| timeline.add(moment, 3));
        assert_eq!(timeline.counts.iter().sum::<u64>(), 30_000);
        assert!((MOST / 2..=MOST).contains(&timeline.counts.len()), "{timeline:?}");
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
    fn a_run_without_anything_has_no_interval() {
        assert_eq!(Timeline::new().rates(Duration::from_secs(1)).count(), 0);
    }
}
