//! Measures engines and commands, and checks their results.
//!
//! The time of a puzzle is the time from its 81 characters to the 81
//! characters of its solution, in memory. Every contender is warmed up, and its results are checked.
//! Then the contenders take turns in every round, so a disturbance affects all of them. The medians
//! of the rounds are compared; the smallest and largest times show their error. A contender with a
//! wrong result is rejected, and the others are measured.

use std::num::{NonZero, NonZeroUsize};
use std::time::Duration;

use bulkdoku::{Limits, Outcome};
use serde::{Deserialize, Serialize};

use super::answers::Task;
use super::rows::Rows;
use crate::cli::sets::PuzzleSet;
use crate::cli::version::Machine;
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
/// The order of the fields is that of CSV and JSON.
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
    #[serde(skip)]
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
    /// Whether the puzzles were permuted and shuffled, and the seed.
    pub permuted: bool,
    pub seed: Option<u64>,
    /// The number of invalid records of the set, which are not measured.
    pub bad_records: u64,
    /// Processor time per puzzle: the median of the rounds, as the fields below of commands only.
    pub user_ns_per_puzzle: Option<f64>,
    pub system_ns_per_puzzle: Option<f64>,
    /// The wall time for a single puzzle, which is subtracted.
    pub startup_ns: Option<f64>,
    /// The largest resident memory, if it is known.
    pub peak_bytes: Option<u64>,
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
            permuted: self.seed.is_some(),
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
        let task = Task::new(Rows::new(set, self), self.limits);
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
    use bulkdoku::{EngineKind, SimdLevel};

    use super::super::engine::EngineContender;
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

    fn measure(plan: &Plan, threads: &[usize]) -> (Vec<Measurement>, usize) {
        let contender = |threads: &usize| -> Box<dyn Contender + Send> {
            let (threads, simd) = ((*threads).try_into().unwrap(), SimdLevel::best());
            Box::new(EngineContender::new(EngineKind::Scalar, simd, threads, plan).unwrap())
        };
        let mut contenders: Vec<_> = threads.iter().map(contender).collect();
        let mut steps = 0;
        let measured = plan.measure(&PuzzleSet::tested(1), &mut contenders, || steps += 1).unwrap();
        (measured, steps)
    }

    #[test]
    fn every_contender_is_checked_and_then_timed_in_every_round() {
        let (measurements, steps) = measure(&Plan::tested(), &[1, 2]);
        let titles: Vec<_> = measurements.iter().map(Measurement::title).collect();
        assert_eq!(titles, ["a set scalar, 1 thread, proof", "a set scalar, 2 threads, proof"]);
        assert_eq!(steps, 8);
        for m in &measurements {
            assert_eq!((m.rows, m.ns_rounds.len()), (200, 3));
            let [least, median, largest] = m.times().unwrap();
            assert!(0.0 < least && least <= median && median <= largest);
        }
        // The search does not depend on the threads.
        assert_eq!(measurements[0].nodes_per_puzzle, measurements[1].nodes_per_puzzle);
    }

    #[test]
    fn a_slow_contender_gets_fewer_rows() {
        let plan = Plan { round_at_most: Duration::ZERO, ..Plan::tested() };
        assert_eq!(measure(&plan, &[1]).0[0].rows, 16);
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
}
