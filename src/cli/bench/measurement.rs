//! Measures engines and commands, and checks their results.
//!
//! The time of a puzzle is the time from its 81 characters to the 81
//! characters of its solution, in memory. Every contender is warmed up, and its results are checked.
//! Then the contenders take turns in every round, so a disturbance affects all of them. The medians
//! of the rounds are compared; the smallest and largest times show their error. A contender with a
//! wrong result is rejected, and the others are measured.

use std::num::{NonZero, NonZeroUsize};
use std::time::Duration;

use bulkdoku::stats::human_time;
use bulkdoku::{Limits, Outcome};
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};

use super::task::Task;
use crate::cli::sets::PuzzleSet;
use crate::cli::version::{Machine, Origin};
use crate::cli::{Failure, platform};

/// The settings of a measurement.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The limits of each search.
    pub limits: Limits,
    /// The minimum number of rows. A smaller set is repeated.
    pub rows_at_least: usize,
    /// The maximum number of rows.
    pub rows_at_most: Option<usize>,
    /// The seed for permuting each row and the order of rows; `None` keeps them.
    pub seed: Option<u64>,
    /// The number of timed rounds, after an untimed one.
    pub rounds: NonZeroUsize,
    /// The number of puzzles in a batch.
    pub batch: NonZeroUsize,
    /// The minimum time of a round. A fast contender solves its rows several times.
    pub round_at_least: Duration,
    /// The maximum time of a round. A slow contender solves fewer rows.
    pub round_at_most: Duration,
}

/// The result for one set, one contender, and one number of threads. What is not measured is `None`.
///
/// The order of the fields is that of JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    pub set: String,
    /// The name of the engine or command.
    pub engine: String,
    /// The SIMD level in use.
    pub simd: Option<String>,
    pub threads: usize,
    /// `first`, `proof` (with a search for a second solution), or `limit N`.
    pub mode: String,
    /// The number of puzzles in one pass.
    pub rows: usize,
    /// Nanoseconds of wall time per puzzle, text to text: the median of the rounds.
    pub ns_per_puzzle: Option<f64>,
    pub ns_rounds: Vec<f64>,
    /// Nanoseconds per puzzle of the fastest round.
    pub ns_min: Option<f64>,
    /// Nanoseconds per puzzle of the slowest round.
    pub ns_max: Option<f64>,
    /// From the median.
    pub puzzles_per_second: Option<f64>,
    /// The mean number of guesses, as the fields below of engines only.
    pub guesses_per_puzzle: Option<f64>,
    pub nodes_per_puzzle: Option<f64>,
    /// The fraction of puzzles without a guess, 0 to 1.
    pub share_without_guess: Option<f64>,
    /// Percentiles of latencies, as reported by the engine.
    pub latency_p50_ns: Option<u64>,
    pub latency_p99_ns: Option<u64>,
    pub latency_max_ns: Option<u64>,
    /// The number of puzzles whose search reached the node limit.
    pub gave_up: usize,
    pub max_nodes: Option<u64>,
    /// The number of timed rounds.
    pub rounds: usize,
    /// The number of puzzles in a batch.
    pub batch: usize,
    /// The seed, if the puzzles were permuted and shuffled.
    pub seed: Option<u64>,
    /// The number of invalid records of the set, which are not measured.
    pub bad_records: u64,
    /// Processor time per puzzle: the median of the rounds, as the fields below of commands only.
    pub user_ns_per_puzzle: Option<f64>,
    pub system_ns_per_puzzle: Option<f64>,
    /// The wall time for a single puzzle, which is subtracted.
    pub startup_ns: Option<f64>,
    /// The reason that the contender is rejected. It has no times.
    pub invalid: Option<String>,
    /// The machine, in a baseline.
    #[serde(skip_serializing)]
    pub machine: Option<Machine>,
}

impl Measurement {
    /// Returns the engine, its SIMD level, and the threads: `lanes avx2, 2 threads`.
    pub fn contender(&self) -> String {
        let simd = self.simd.as_ref().map_or(String::new(), |simd| format!(" {simd}"));
        let plural = if self.threads == 1 { "" } else { "s" };
        format!("{}{simd}, {} thread{plural}", self.engine, self.threads)
    }

    /// Returns the title of the measurement, by which it is compared with a baseline.
    pub fn title(&self) -> String {
        format!("{} {}, {}", self.set, self.contender(), self.mode)
    }

    /// Returns the times of the fastest round, of the median, and of the slowest round.
    pub fn times(&self) -> Option<[f64; 3]> {
        Some([self.ns_min?, self.ns_per_puzzle?, self.ns_max?])
    }

    /// Sets the statistics of searches.
    pub fn set_outcomes(&mut self, outcomes: &[Outcome]) {
        let rows = outcomes.len() as f64;
        let mean =
            |of: fn(&Outcome) -> u64| Some(outcomes.iter().map(of).sum::<u64>() as f64 / rows);
        self.rows = outcomes.len();
        self.guesses_per_puzzle = mean(|outcome| outcome.guesses);
        self.nodes_per_puzzle = mean(|outcome| outcome.nodes);
        self.share_without_guess = mean(|outcome| u64::from(outcome.guesses == 0));
        self.gave_up = outcomes.iter().filter(|outcome| outcome.gave_up).count();
        let mut latencies: Vec<_> = outcomes.iter().map(|outcome| outcome.latency_ns).collect();
        latencies.sort_unstable();
        let percentile = |percent: usize| latencies[(latencies.len() * percent).div_ceil(100) - 1];
        [self.latency_p50_ns, self.latency_p99_ns, self.latency_max_ns] =
            [50, 99, 100].map(|percent| Some(percentile(percent)));
    }

    /// Sets the times of the rounds.
    pub fn set_rounds(&mut self, rounds: Vec<f64>) {
        let median = median(rounds.iter().copied());
        self.ns_per_puzzle = Some(median);
        self.ns_min = rounds.iter().copied().reduce(f64::min);
        self.ns_max = rounds.iter().copied().reduce(f64::max);
        self.puzzles_per_second = Some(1e9 / median);
        self.ns_rounds = rounds;
    }
}

/// Returns the median of one or more numbers.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<_> = numbers.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// A measurement as JSON, with its origin.
#[derive(Serialize)]
pub struct Entry<'a> {
    /// See `docs/schemas/`.
    schema: u32,
    #[serde(flatten)]
    measurement: &'a Measurement,
    #[serde(flatten)]
    origin: &'a Origin,
}

/// Returns the JSON of measurements.
pub fn entries<'a>(measurements: &'a [Measurement], origin: &'a Origin) -> Vec<Entry<'a>> {
    measurements.iter().map(|measurement| Entry { schema: 1, measurement, origin }).collect()
}

/// The number of text columns of a table, which come first; the others are numbers.
const TEXTS: usize = 5;
const HEADINGS: [&str; 10] =
    ["set", "engine", "simd", "threads", "mode", "rows", "ns/puzzle", "min", "max", "puzzles/s"];
const OF_ENGINES: [&str; 5] = ["guesses", "nodes", "no guess", "p50, p99", "slowest"];
const OF_COMMANDS: [&str; 3] = ["user ns", "system ns", "start-up"];

/// Returns measurements as aligned columns. If there are commands, the last ones are about them.
pub fn table(measurements: &[Measurement]) -> String {
    let has_commands = measurements.iter().any(|of| of.nodes_per_puzzle.is_none());
    let others: &[_] = if has_commands { &OF_COMMANDS } else { &OF_ENGINES };
    let headings = HEADINGS.iter().chain(others).map(|heading| (*heading).to_owned()).collect();
    let mut lines: Vec<Vec<String>> = vec![headings];
    lines.extend(measurements.iter().map(|of| of.cells(has_commands)));
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..lines[0].len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
            if i < TEXTS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}

impl Measurement {
    /// Returns a line of the table.
    fn cells(&self, has_commands: bool) -> Vec<String> {
        let number = |number: Option<f64>, places| number.map(|it| format!("{it:.places$}"));
        let time = |ns: Option<f64>| ns.map(human_time);
        let latency = |ns: Option<u64>| time(ns.map(|ns| ns as f64));
        let invalid = self.invalid.as_ref().map(|_| "invalid".to_owned());
        let mut cells = vec![
            Some(self.set.clone()),
            Some(self.engine.clone()),
            self.simd.clone(),
            Some(self.threads.to_string()),
            Some(self.mode.clone()),
            Some(self.rows.to_string()),
            invalid.or(number(self.ns_per_puzzle, 1)),
            number(self.ns_min, 1),
            number(self.ns_max, 1),
            self.puzzles_per_second.map(|rate| HumanCount(rate.round() as u64).to_string()),
        ];
        if has_commands {
            cells.extend([
                number(self.user_ns_per_puzzle, 1),
                number(self.system_ns_per_puzzle, 1),
                time(self.startup_ns),
            ]);
        } else {
            let percentiles = latency(self.latency_p50_ns).zip(latency(self.latency_p99_ns));
            cells.extend([
                number(self.guesses_per_puzzle, 2),
                number(self.nodes_per_puzzle, 2),
                self.share_without_guess.map(|share| format!("{:.1} %", share * 100.0)),
                percentiles.map(|(p50, p99)| format!("{p50}, {p99}")),
                latency(self.latency_max_ns),
            ]);
        }
        cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into())).collect()
    }
}

/// An engine or a command that is measured. Errors are the reasons for which it is rejected.
pub trait Contender {
    /// Returns a measurement that names the contender, without results.
    fn unmeasured(&self) -> Measurement;

    /// Starts with the rows of another set: checks the answers to the first ones, as many as are
    /// timed in a round, and sets their number.
    fn check(&mut self, task: &Task, plan: &Plan, into: &mut Measurement) -> Result<(), String>;

    /// Measures a round, from 0.
    fn round(&mut self, task: &Task, round: usize) -> Result<(), String>;

    /// Sets the results of all rounds.
    fn finish(&mut self, into: &mut Measurement);
}

impl Plan {
    /// Returns the measurement of a contender on a set, without results.
    pub fn unmeasured(&self, set: &PuzzleSet, contender: &dyn Contender) -> Measurement {
        Measurement {
            set: set.name.clone(),
            mode: match self.limits.solutions.get() {
                1 => "first".into(),
                2 => "proof".into(),
                n => format!("limit {n}"),
            },
            max_nodes: self.limits.nodes.map(NonZero::get),
            rounds: self.rounds.get(),
            seed: self.seed,
            bad_records: set.bad,
            ..contender.unmeasured()
        }
    }

    /// Measures every contender on `set`. Calls `step` after each check and each round of one of
    /// them.
    ///
    /// # Errors
    /// When a signal ends the run.
    pub fn measure(
        &self,
        set: &PuzzleSet,
        contenders: &mut [Box<dyn Contender + Send>],
        mut step: impl FnMut(),
    ) -> Result<Vec<Measurement>, Failure> {
        let task = Task::new(&set.puzzles, self);
        let all = contenders.iter().map(|contender| self.unmeasured(set, &**contender));
        let mut all: Vec<_> = all.collect();
        for phase in 0..=self.rounds.get() {
            for (contender, measurement) in contenders.iter_mut().zip(&mut all) {
                if measurement.invalid.is_none() {
                    let ran = match phase.checked_sub(1) {
                        None => contender.check(&task, self, measurement),
                        Some(round) => contender.round(&task, round),
                    };
                    measurement.invalid = ran.err();
                }
                if platform::interruption().is_some() {
                    return Err(Failure::Stopped);
                }
                step();
            }
        }
        for (contender, measurement) in contenders.iter_mut().zip(&mut all) {
            if measurement.invalid.is_none() {
                contender.finish(measurement);
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Plan {
        /// Returns a plan with 200 rows and three rounds.
        pub fn tested() -> Self {
            Self {
                limits: Limits::PROOF,
                rows_at_least: 200,
                rows_at_most: None,
                seed: Some(1),
                rounds: 3.try_into().unwrap(),
                batch: 33.try_into().unwrap(),
                round_at_least: Duration::ZERO,
                round_at_most: Duration::MAX,
            }
        }
    }

    #[test]
    fn outcomes_are_averaged() {
        let outcome = |guesses: u64| Outcome {
            guesses,
            nodes: 2 * guesses + 1,
            latency_ns: 10 * guesses,
            gave_up: guesses > 198,
            ..Outcome::NONE
        };
        let mut m = Measurement::default();
        m.set_outcomes(&(0..200).rev().map(outcome).collect::<Vec<_>>());
        let means = [m.guesses_per_puzzle, m.nodes_per_puzzle, m.share_without_guess];
        assert_eq!(means, [99.5, 200.0, 0.005].map(Some));
        let latencies = [m.latency_p50_ns, m.latency_p99_ns, m.latency_max_ns];
        assert_eq!(latencies, [990, 1970, 1990].map(Some));
        assert_eq!((m.rows, m.gave_up), (200, 1));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "no rounding is involved")]
    fn the_median_is_in_the_middle() {
        let of = |rounds: &[f64]| {
            let mut measurement = Measurement::default();
            measurement.set_rounds(rounds.to_vec());
            measurement.times().unwrap()
        };
        assert_eq!(of(&[5.0, 1.0, 2.0]), [1.0, 2.0, 5.0]);
        assert_eq!(of(&[4.0, 1.0, 2.0, 8.0]), [1.0, 3.0, 8.0]);
        assert_eq!(of(&[7.0]), [7.0, 7.0, 7.0]);
    }

    #[test]
    fn columns_of_tables_are_aligned() {
        let fast = Measurement { ns_per_puzzle: Some(58.25), ..Measurement::default() };
        let slow = Measurement { ns_per_puzzle: Some(3579.0), ..fast.clone() };
        let text = table(&[fast, slow]);
        let lines: Vec<_> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], " 58.2"));
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[2], "3579.0"));
    }
}
