//! Measurements as records.

use std::fmt;

use serde::Serialize;

use super::sample_statistics::percentile;
use crate::solver::{Limits, Outcome};

/// One set solved by one engine at one vector level on a number of threads.
///
/// The order of the fields is that of CSV and JSON. JSON has the rounds, too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The set's name.
    pub set: String,
    /// The engine's name.
    pub engine: &'static str,
    /// The vector level in use; `None` for an engine without vectors.
    pub simd: Option<&'static str>,
    /// Threads, each with an engine of its own.
    pub threads: usize,
    /// `first`, `proof` (a second solution is searched for), or `limit N`.
    pub mode: String,
    /// The number of puzzles in one pass.
    pub rows: usize,
    /// Nanoseconds of wall time per puzzle, text to text: the median of the rounds.
    pub ns_per_puzzle: f64,
    /// The same in each round.
    #[serde(skip)]
    pub ns_rounds: Vec<f64>,
    /// The same in the fastest round.
    pub ns_min: f64,
    /// The same in the slowest round.
    pub ns_max: f64,
    /// Puzzles per second, from the median.
    pub puzzles_per_second: f64,
    /// The mean of guesses.
    pub guesses_per_puzzle: f64,
    /// The mean of nodes.
    pub nodes_per_puzzle: f64,
    /// The share of puzzles without a guess, 0 to 1.
    pub share_without_guess: f64,
    /// Nanoseconds that half of the puzzles do not exceed, as the engine reports them.
    pub latency_p50_ns: u64,
    /// Nanoseconds that 99 of 100 puzzles do not exceed.
    pub latency_p99_ns: u64,
    /// Nanoseconds of the slowest puzzle.
    pub latency_max_ns: u64,
    /// The number of puzzles whose search the node limit ended.
    pub gave_up: usize,
    /// The node limit.
    pub max_nodes: Option<u64>,
    /// The number of timed rounds.
    pub rounds: usize,
    /// The number of puzzles in a batch.
    pub batch: usize,
    /// Whether the puzzles were permuted and shuffled.
    pub permuted: bool,
    /// The seed of the permutations.
    pub seed: Option<u64>,
    /// The number of records of the set that are no puzzles. They are not measured.
    pub bad_records: u64,
}

/// The identity of a measurement, by which it is compared with a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct What {
    /// The set's name.
    pub set: String,
    /// The engine's name.
    pub engine: &'static str,
    /// The vector level in use; `None` for an engine without vectors.
    pub simd: Option<&'static str>,
    /// Threads, each with an engine of its own.
    pub threads: usize,
    /// `first`, `proof` (a second solution is searched for), or `limit N`.
    pub mode: String,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, engine, simd, threads, mode } = self;
        let simd = simd.map_or(String::new(), |simd| format!(" {simd}"));
        let s = if *threads == 1 { "" } else { "s" };
        write!(f, "{set} {engine}{simd}, {threads} thread{s}, {mode}")
    }
}

impl Measurement {
    /// Its identity.
    pub fn what(&self) -> What {
        let Self { ref set, engine, simd, threads, ref mode, .. } = *self;
        What { set: set.clone(), engine, simd, threads, mode: mode.clone() }
    }
}

/// The name of a search with these limits.
pub(super) fn mode(limits: Limits) -> String {
    match limits.solutions.get() {
        1 => "first".into(),
        2 => "proof".into(),
        n => format!("limit {n}"),
    }
}

/// Statistics of the outcomes of all rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Searched {
    pub guesses_per_puzzle: f64,
    pub nodes_per_puzzle: f64,
    pub share_without_guess: f64,
    pub latency_p50_ns: u64,
    pub latency_p99_ns: u64,
    pub latency_max_ns: u64,
    pub gave_up: usize,
}

impl Searched {
    /// The statistics of at least one outcome.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let rows = outcomes.len() as f64;
        let mean = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>() as f64 / rows;
        let mut latencies: Vec<_> = outcomes.iter().map(|outcome| outcome.latency_ns).collect();
        latencies.sort_unstable();
        Self {
            guesses_per_puzzle: mean(|outcome| outcome.guesses),
            nodes_per_puzzle: mean(|outcome| outcome.nodes),
            share_without_guess: mean(|outcome| u64::from(outcome.guesses == 0)),
            latency_p50_ns: percentile(&latencies, 0.5),
            latency_p99_ns: percentile(&latencies, 0.99),
            latency_max_ns: percentile(&latencies, 1.0),
            gave_up: outcomes.iter().filter(|outcome| outcome.gave_up).count(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::puzzle::Grid;

    /// A measurement with these median, smallest and largest times.
    pub fn measurement(set: &str, [ns_per_puzzle, ns_min, ns_max]: [f64; 3]) -> Measurement {
        Measurement {
            set: set.into(),
            engine: "scalar",
            simd: None,
            threads: 1,
            mode: "proof".into(),
            rows: 1000,
            ns_per_puzzle,
            ns_rounds: vec![ns_min, ns_per_puzzle, ns_max],
            ns_min,
            ns_max,
            puzzles_per_second: 1e9 / ns_per_puzzle,
            guesses_per_puzzle: 0.5,
            nodes_per_puzzle: 2.25,
            share_without_guess: 0.75,
            latency_p50_ns: 999,
            latency_p99_ns: 12_345,
            latency_max_ns: 6_789_012,
            gave_up: 0,
            max_nodes: None,
            rounds: 5,
            batch: 1024,
            permuted: true,
            seed: Some(1),
            bad_records: 0,
        }
    }

    #[test]
    fn outcomes_are_averaged() {
        let outcome = |guesses, latency_ns, gave_up| Outcome {
            grid: Grid::BLANK,
            guesses,
            nodes: 2 * guesses + 1,
            latency_ns,
            gave_up,
            ..Outcome::NONE
        };
        let outcomes = [outcome(0, 30, false), outcome(3, 10, true)];
        let expected = Searched {
            guesses_per_puzzle: 1.5,
            nodes_per_puzzle: 4.0,
            share_without_guess: 0.5,
            latency_p50_ns: 10,
            latency_p99_ns: 30,
            latency_max_ns: 30,
            gave_up: 1,
        };
        assert_eq!(Searched::of(&outcomes), expected);
    }

    #[test]
    fn modes_have_names() {
        assert_eq!(mode(Limits::FIRST), "first");
        assert_eq!(mode(Limits::PROOF), "proof");
        assert_eq!(mode(Limits::count(9.try_into().unwrap())), "limit 9");
    }
}
