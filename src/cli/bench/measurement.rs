//! Measures engines and commands, and checks their results.
//!
//! The time of a puzzle is the time from its 81 characters to the 81
//! characters of its solution, in memory. Every contender is warmed up, and its results are checked.
//! Then the contenders take turns in every round, so a disturbance affects all of them. The medians
//! of the rounds are compared; the smallest and largest times show their error. A contender with a
//! wrong result is rejected, and the others are measured.

use std::num::NonZero;
use std::time::Duration;

use bulkdoku::Outcome;
use bulkdoku::pipeline::visible;
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::BenchArgs;
use super::task::Task;
use crate::cli::numbers::counted;
use crate::cli::sets::PuzzleSet;
use crate::cli::summary::object;
use crate::cli::version::{Machine, Origin};
use crate::cli::{Failure, platform};

/// The result for one set, one contender, and one number of threads. What is not measured is `None`.
///
/// The order of the fields is that of JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    pub set: String,
    pub engine: String,
    pub simd: Option<String>,
    pub threads: usize,
    /// `first`, `proof` (with a search for a second solution), or `limit N`.
    pub mode: String,
    /// The number of puzzles that are solved in a round, perhaps several times.
    pub rows: usize,
    /// Nanoseconds of wall time per puzzle, text to text: the median of the rounds.
    pub ns_per_puzzle: Option<f64>,
    pub ns_min: Option<f64>,
    pub ns_max: Option<f64>,
    /// The mean number of guesses of engines, as the fields below.
    pub guesses_per_puzzle: Option<f64>,
    pub nodes_per_puzzle: Option<f64>,
    /// The fraction of puzzles without a guess, 0 to 1.
    pub share_without_guess: Option<f64>,
    pub gave_up: usize,
    pub max_nodes: Option<u64>,
    pub rounds: usize,
    pub batch: usize,
    pub seed: u64,
    pub bad_records: u64,
    /// The reason that the contender is rejected. It has no times.
    pub invalid: Option<String>,
    /// The machine, in a baseline.
    #[serde(skip_serializing)]
    pub machine: Option<Machine>,
}

impl Measurement {
    /// Returns the title of the measurement, by which it is compared with a baseline: `easy lanes avx2,
    /// 2 threads, proof`.
    pub fn title(&self) -> String {
        let Self { set, engine, simd, threads, mode, .. } = self;
        let simd = simd.as_ref().map_or(String::new(), |simd| format!(" {simd}"));
        let threads = counted(*threads as u64, "thread");
        let title = format!("{set} {engine}{simd}, {threads}, {mode}");
        visible(&title).into()
    }

    /// Returns the times of the fastest round, of the median, and of the slowest round.
    pub fn times(&self) -> Option<[f64; 3]> {
        Some([self.ns_min?, self.ns_per_puzzle?, self.ns_max?])
    }

    pub fn set_outcomes(&mut self, outcomes: &[Outcome]) {
        let mean = |of: fn(&Outcome) -> u64| {
            Some(outcomes.iter().map(of).sum::<u64>() as f64 / outcomes.len() as f64)
        };
        self.guesses_per_puzzle = mean(|outcome| outcome.guesses);
        self.nodes_per_puzzle = mean(|outcome| outcome.nodes);
        self.share_without_guess = mean(|outcome| u64::from(outcome.guesses == 0));
        self.gave_up = outcomes.iter().filter(|outcome| outcome.gave_up).count();
    }

    fn set_rounds(&mut self, mut rounds: Vec<f64>) {
        rounds.sort_unstable_by(f64::total_cmp);
        let median = f64::midpoint(rounds[(rounds.len() - 1) / 2], rounds[rounds.len() / 2]);
        self.ns_per_puzzle = Some(median);
        (self.ns_min, self.ns_max) = (rounds.first().copied(), rounds.last().copied());
    }
}

/// Returns the JSON of each measurement.
pub fn entries(measurements: &[Measurement], origin: &Origin) -> Vec<Map<String, Value>> {
    let entry = |of| object([json!({ "schema": 1 }), json!(of), json!(origin)]);
    measurements.iter().map(entry).collect()
}

/// Returns a table with a line for each measurement.
pub fn table(measurements: &[Measurement]) -> String {
    let line = |[ns, min, max, rate, guesses, nodes]: [&str; 6], title: &str| {
        format!("{ns:>10}{min:>10}{max:>10}{rate:>14}{guesses:>10}{nodes:>10}  {title}\n")
    };
    let headings = ["ns/puzzle", "min", "max", "puzzles/s", "guesses", "nodes"];
    let mut table = line(headings, "set engine, threads, mode");
    for of in measurements {
        let number = |number: Option<f64>| number.map_or("-".into(), |it| format!("{it:.2}"));
        let rate = of.ns_per_puzzle.map(|ns| HumanCount((1e9 / ns).round() as u64).to_string());
        let numbers =
            [of.ns_per_puzzle, of.ns_min, of.ns_max, of.guesses_per_puzzle, of.nodes_per_puzzle];
        let [ns, min, max, guesses, nodes] = &numbers.map(number);
        let rate = &rate.unwrap_or("-".into());
        table += &line([ns, min, max, rate, guesses, nodes], &of.title());
    }
    table
}

/// An engine or a command that is measured. Errors are the reasons for which it is rejected.
pub trait Contender {
    /// Returns a measurement that names the contender, without results.
    fn unmeasured(&self) -> Measurement;

    fn pass(&mut self, task: &Task, first: usize, rows: usize) -> Result<Duration, String>;

    /// Returns the part of the time of a pass that does not depend on its rows.
    fn startup(&mut self, _task: &Task, _first: usize) -> Result<Duration, String> {
        Ok(Duration::ZERO)
    }

    fn longest(&self) -> Duration {
        Duration::MAX
    }

    /// Checks the answers to the first rows, unless each pass does.
    fn check(&mut self, _: &Task, _rows: usize, _: &mut Measurement) -> Result<(), String> {
        Ok(())
    }
}

/// A contender with the results of one set.
struct Entrant<'a> {
    contender: &'a mut dyn Contender,
    rows: usize,
    startup: Duration,
    times: Vec<Duration>,
    measurement: Measurement,
}

/// The number of rows of the first pass, the largest factor between passes until one is long enough,
/// and the factor by which a pass is expected to be longer than that.
const FIRST_ROWS: usize = 16;
const GROWTH: u32 = 4;
const MARGIN: f64 = 1.3;
const MAX_ROWS: usize = 4_000_000;
/// The minimum time of a round: long compared with the resolution of the clock.
const ROUND_AT_LEAST: Duration = Duration::from_millis(50);
/// The maximum time of a round, unless start-up is long. A slow contender solves fewer rows.
const ROUND_AT_MOST: Duration = Duration::from_secs(2);
/// A round takes at least this many times as long as the start-up, and aims at more, since times vary.
const LEAST_STARTUPS: u32 = 5;
const STARTUPS: u32 = 8;

impl Entrant<'_> {
    fn pass(&mut self, task: &Task, first: usize) -> Result<Duration, String> {
        let time = self.contender.pass(task, first, self.rows)?;
        self.startup = self.startup.min(self.contender.startup(task, first)?);
        Ok(time)
    }

    /// Finds the number of rows of a round: more and more until the time is enough, or all of them
    /// several times, or fewer if they take too long.
    fn calibrate(&mut self, task: &Task) -> Result<(), String> {
        let all = task.lines.len();
        self.rows = FIRST_ROWS.min(all);
        loop {
            let time = self.pass(task, 0)?;
            let least = ROUND_AT_LEAST.max(STARTUPS * self.startup);
            let is_enough = self.rows >= all && time >= least;
            let most = ROUND_AT_MOST.max(GROWTH * STARTUPS * self.startup);
            let most = most.min(self.contender.longest());
            if is_enough || self.rows >= MAX_ROWS || GROWTH * time > most {
                if time < LEAST_STARTUPS * self.startup {
                    let what = "too short to measure: less than five times the start-up";
                    return Err(format!("{what}, {time:.1?} and {:.1?}", self.startup));
                }
                break;
            }
            let factor = MARGIN * least.div_duration_f64(time);
            let factor = factor.clamp(MARGIN, f64::from(GROWTH));
            let more = (factor * self.rows as f64).ceil() as usize;
            self.rows = if self.rows < all { more.min(all) } else { more.min(MAX_ROWS) };
        }
        self.measurement.rows = all.min(self.rows);
        self.contender.check(task, self.measurement.rows, &mut self.measurement)
    }

    fn round(&mut self, task: &Task, round: usize) -> Result<(), String> {
        // Each round begins with another row, so that answers of earlier rounds are wrong.
        let time = self.pass(task, round * 7919);
        self.times.push(time.map_err(|reason| format!("round {round}: {reason}"))?);
        Ok(())
    }

    fn finish(self) -> Measurement {
        let Self { rows, startup, times, mut measurement, .. } = self;
        if measurement.invalid.is_none() {
            let rows = rows - usize::from(!startup.is_zero());
            let net = |time: &Duration| time.saturating_sub(startup).as_nanos() as f64;
            measurement.set_rounds(times.iter().map(|time| net(time) / rows as f64).collect());
        }
        measurement
    }
}

impl BenchArgs {
    pub fn unmeasured(&self, set: &PuzzleSet, contender: &dyn Contender) -> Measurement {
        Measurement {
            set: set.name.clone(),
            mode: match self.limits().solutions.get() {
                1 => "first".into(),
                2 => "proof".into(),
                n => format!("limit {n}"),
            },
            max_nodes: self.max_nodes.map(NonZero::get),
            rounds: self.rounds.get(),
            seed: self.seed,
            bad_records: set.bad,
            ..contender.unmeasured()
        }
    }

    /// Measures every contender on `set`.
    ///
    /// # Errors
    /// When a signal ends the run.
    pub fn measure(
        &self,
        set: &PuzzleSet,
        contenders: &mut [Box<dyn Contender>],
    ) -> Result<Vec<Measurement>, Failure> {
        let task = Task::new(&set.puzzles, self);
        let entrants = contenders.iter_mut().map(|contender| Entrant {
            measurement: self.unmeasured(set, &**contender),
            contender: &mut **contender,
            rows: 0,
            startup: Duration::MAX,
            times: Vec::new(),
        });
        let mut entrants: Vec<_> = entrants.collect();
        for round in 0..=self.rounds.get() {
            for entrant in &mut entrants {
                if entrant.measurement.invalid.is_none() {
                    let ran = match round {
                        0 => entrant.calibrate(&task),
                        _ => entrant.round(&task, round),
                    };
                    entrant.measurement.invalid = ran.err();
                }
                if platform::interruption().is_some() {
                    return Err(Failure::Stopped);
                }
            }
        }
        Ok(entrants.into_iter().map(Entrant::finish).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
