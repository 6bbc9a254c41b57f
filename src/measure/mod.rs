//! Measures the engines, and checks their results.
//!
//! The time of a puzzle is the time from its 81 characters (729 for pencil marks) to the 81
//! characters of its solution, in memory. The rows of a set are repeated and permuted. Every
//! contender is warmed up, and its results are checked: solutions must obey the rules, and the
//! numbers of solutions must agree. Then the contenders take turns in every round, so a disturbance
//! affects all of them. The medians of the rounds are compared; the smallest and largest times show
//! their error.
//!
//! Other solvers ([`Subject`]) take turns as well. Their answers are checked in every round, and a
//! solver with a wrong answer is rejected.

mod baseline;
mod contender;
mod set;
mod task;

use std::num::NonZeroUsize;
use std::time::Duration;

use rayon::ThreadPoolBuildError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use crate::isomorph::{Permutation, SeededRng};
pub use baseline::{Baseline, Machine};
pub use contender::Configuration;
pub use set::{Content, PuzzleSet};
pub use task::{
    Answer, AnswerForm, AnswerReader, Fault, Faults, Figures, Subject, Task, Usage, grow,
};

use crate::solver::{Limits, Outcome};
use contender::Contender;
use set::SetRows;

/// The settings of a measurement.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engines to compare.
    pub configurations: Vec<Configuration>,
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

/// The result for one set, one engine, one SIMD level, and one number of threads.
///
/// The order of the fields is that of CSV and JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measurement {
    /// The name of the set.
    pub set: String,
    /// The name of the engine.
    pub engine: String,
    /// The SIMD level in use; `None` for an engine without vectors.
    pub simd: Option<String>,
    /// The number of threads, each with its own engine.
    pub threads: usize,
    /// `first`, `proof` (with a search for a second solution), or `limit N`.
    pub mode: String,
    /// The number of puzzles in one pass.
    pub rows: usize,
    /// Nanoseconds of wall time per puzzle, text to text: the median of the rounds.
    pub ns_per_puzzle: f64,
    /// Nanoseconds per puzzle of each round.
    #[serde(skip)]
    pub ns_rounds: Vec<f64>,
    /// Nanoseconds per puzzle of the fastest round.
    pub ns_min: f64,
    /// Nanoseconds per puzzle of the slowest round.
    pub ns_max: f64,
    /// Puzzles per second, from the median.
    pub puzzles_per_second: f64,
    /// The mean number of guesses.
    pub guesses_per_puzzle: f64,
    /// The mean number of nodes.
    pub nodes_per_puzzle: f64,
    /// The fraction of puzzles without a guess, 0 to 1.
    pub share_without_guess: f64,
    /// The latency in nanoseconds that half of the puzzles do not exceed, as reported by the
    /// engine.
    pub latency_p50_ns: u64,
    /// The latency in nanoseconds that 99 of 100 puzzles do not exceed.
    pub latency_p99_ns: u64,
    /// The latency in nanoseconds of the slowest puzzle.
    pub latency_max_ns: u64,
    /// The number of puzzles whose search reached the node limit.
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
    /// The number of invalid records of the set, which are not measured.
    pub bad_records: u64,
    /// Nanoseconds of user time per puzzle: the median of the rounds. Only of solvers that are not
    /// engines, like the fields below.
    pub user_ns_per_puzzle: Option<f64>,
    /// Nanoseconds of system time per puzzle.
    pub system_ns_per_puzzle: Option<f64>,
    /// The wall time in nanoseconds of the solver for a single puzzle, which is subtracted.
    pub startup_ns: Option<f64>,
    /// The largest resident memory in bytes.
    pub peak_bytes: Option<u64>,
    /// The reason that the solver is rejected. It has no times.
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

    /// Sets the statistics of the searches.
    fn set_outcomes(&mut self, outcomes: &[Outcome]) {
        let rows = outcomes.len() as f64;
        let mean = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>() as f64 / rows;
        self.rows = outcomes.len();
        self.guesses_per_puzzle = mean(|outcome| outcome.guesses);
        self.nodes_per_puzzle = mean(|outcome| outcome.nodes);
        self.share_without_guess = mean(|outcome| u64::from(outcome.guesses == 0));
        self.set_latencies(outcomes.iter().map(|outcome| outcome.latency_ns).collect());
        self.gave_up = outcomes.iter().filter(|outcome| outcome.gave_up).count();
    }

    /// Sets the percentiles of latencies.
    fn set_latencies(&mut self, mut latencies: Vec<u64>) {
        latencies.sort_unstable();
        let percentile = |percent: usize| latencies[(latencies.len() * percent).div_ceil(100) - 1];
        [self.latency_p50_ns, self.latency_p99_ns, self.latency_max_ns] =
            [50, 99, 100].map(percentile);
    }

    /// Sets what was measured of a solver that is not an engine.
    fn set_figures(&mut self, figures: &Figures) {
        let median = |of: fn(&Usage) -> f64| {
            let mut all: Vec<_> = figures.rounds.iter().map(of).collect();
            all.sort_unstable_by(f64::total_cmp);
            f64::midpoint(all[(all.len() - 1) / 2], all[all.len() / 2])
        };
        self.user_ns_per_puzzle = Some(median(|round| round.user_ns));
        self.system_ns_per_puzzle = Some(median(|round| round.system_ns));
        self.startup_ns = Some(figures.startup_ns);
        self.peak_bytes = figures.peak_bytes;
        self.set_rounds(figures.rounds.iter().map(|round| round.wall_ns).collect());
    }

    /// Sets the times of the rounds.
    fn set_rounds(&mut self, rounds: Vec<f64>) {
        let mut sorted = rounds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (last, middle) = (sorted.len() - 1, sorted.len() / 2);
        (self.ns_min, self.ns_max) = (sorted[0], sorted[last]);
        self.ns_per_puzzle = f64::midpoint(sorted[last / 2], sorted[middle]);
        self.puzzles_per_second = 1e9 / self.ns_per_puzzle;
        self.ns_rounds = rounds;
    }
}

/// A measurement that is ready to run.
pub struct Bench {
    plan: Plan,
    contenders: Vec<Contender>,
}

impl Bench {
    /// Starts the threads and builds the engines. An engine without vectors is measured once, not
    /// for each level of the plan.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(plan: Plan) -> Result<Self, BenchError> {
        let mut contenders: Vec<Contender> = Vec::new();
        for &configuration in &plan.configurations {
            let key = |one: Configuration| (one.engine, one.engine.uses(one.simd), one.threads);
            if contenders.iter().all(|other| key(other.configuration) != key(configuration)) {
                contenders.push(Contender::new(configuration, plan.batch.get(), plan.limits)?);
            }
        }
        Ok(Self { plan, contenders })
    }

    /// Returns the number of steps that [`Bench::measure`] reports for each set, with this number of
    /// other solvers.
    pub fn steps(&self, subjects: usize) -> usize {
        (self.contenders.len() + subjects) * (1 + self.plan.rounds.get())
    }

    /// Returns the titles of the measurements of a set.
    pub fn titles(&self, set: &PuzzleSet, subjects: &[Box<dyn Subject>]) -> Vec<String> {
        let contenders = self.contenders.iter().map(|contender| self.unmeasured(set, contender));
        let subjects = subjects.iter().map(|subject| self.unmeasured_subject(set, &**subject));
        contenders.chain(subjects).map(|measurement| measurement.title()).collect()
    }

    /// Measures every engine and other solver on `set`. Calls `step` after each check and each round
    /// of one of them. A solver with wrong answers is rejected, and the others are measured.
    ///
    /// # Errors
    /// When an engine's solution breaks the rules or two engines disagree, or if there are other
    /// solvers and the set is pencil marks.
    pub fn measure(
        &self,
        set: &PuzzleSet,
        subjects: &mut [Box<dyn Subject>],
        mut step: impl FnMut(),
    ) -> Result<Vec<Measurement>, BenchError> {
        let rows = set.rows(&self.plan);
        if rows.has_marks && !subjects.is_empty() {
            return Err(BenchError::Marks(set.name.clone()));
        }
        let mut measurements = Vec::new();
        let mut passes_of_round = Vec::new();
        let mut first: Option<(String, Vec<Option<u32>>)> = None;
        for contender in &self.contenders {
            let (count, pass) = contender.warm_up(&rows, self.plan.round_at_most);
            let least = self.plan.round_at_least.as_nanos();
            passes_of_round.push(least.div_ceil(pass.as_nanos().max(1)).max(1) as u32);
            let outcomes = contender.outcomes(&rows, count);
            let mut measurement = self.unmeasured(set, contender);
            measurement.set_outcomes(&outcomes);
            let counts = check(&measurement.title(), &rows, &outcomes, first.as_ref())?;
            first.get_or_insert((measurement.contender(), counts));
            measurements.push(measurement);
            step();
        }
        let task = (!subjects.is_empty()).then(|| Task::new(rows.clone(), self.plan.limits));
        let task = task.transpose()?;
        let mut of_subjects = Vec::new();
        for (subject, task) in subjects.iter_mut().zip(task.iter().cycle()) {
            let mut measurement = self.unmeasured_subject(set, &**subject);
            let (least, most) = (self.plan.round_at_least, self.plan.round_at_most);
            match subject.check(task, least, most) {
                Ok(rows) => measurement.rows = rows,
                Err(reason) => measurement.invalid = Some(reason),
            }
            of_subjects.push(measurement);
            step();
        }
        let mut rounds = vec![Vec::new(); measurements.len()];
        for round in 0..self.plan.rounds.get() {
            for (i, contender) in self.contenders.iter().enumerate() {
                let (count, passes) = (measurements[i].rows, passes_of_round[i]);
                let total: Duration = (0..passes).map(|_| contender.time(&rows, count)).sum();
                rounds[i].push(total.as_nanos() as f64 / (f64::from(passes) * count as f64));
                step();
            }
            let each = subjects.iter_mut().zip(&mut of_subjects);
            for ((subject, measurement), task) in each.zip(task.iter().cycle()) {
                if measurement.invalid.is_none() {
                    measurement.invalid = subject.round(task, round).err();
                }
                step();
            }
        }
        for (measurement, rounds) in measurements.iter_mut().zip(rounds) {
            measurement.set_rounds(rounds);
        }
        for (subject, mut measurement) in subjects.iter_mut().zip(of_subjects) {
            if measurement.invalid.is_none() {
                measurement.set_figures(&subject.figures());
            }
            measurements.push(measurement);
        }
        Ok(measurements)
    }

    /// Creates a measurement without results.
    fn unmeasured(&self, set: &PuzzleSet, contender: &Contender) -> Measurement {
        let Configuration { engine, simd, threads } = contender.configuration;
        Measurement {
            engine: engine.name().into(),
            simd: engine.uses(simd).map(|simd| simd.name().into()),
            threads: threads.get(),
            ..self.planned(set)
        }
    }

    /// Creates a measurement of another solver, without results: what only engines report is not a
    /// number, and neither are times until it is measured.
    fn unmeasured_subject(&self, set: &PuzzleSet, subject: &dyn Subject) -> Measurement {
        Measurement {
            engine: subject.name().into(),
            threads: subject.threads(),
            ns_per_puzzle: f64::NAN,
            ns_min: f64::NAN,
            ns_max: f64::NAN,
            puzzles_per_second: f64::NAN,
            guesses_per_puzzle: f64::NAN,
            nodes_per_puzzle: f64::NAN,
            share_without_guess: f64::NAN,
            batch: 0,
            ..self.planned(set)
        }
    }

    /// Creates a measurement of no solver.
    fn planned(&self, set: &PuzzleSet) -> Measurement {
        let plan = &self.plan;
        Measurement {
            set: set.name.clone(),
            mode: match plan.limits.solutions.get() {
                1 => "first".into(),
                2 => "proof".into(),
                n => format!("limit {n}"),
            },
            max_nodes: plan.limits.nodes.map(std::num::NonZero::get),
            rounds: plan.rounds.get(),
            batch: plan.batch.get(),
            permuted: plan.seed.is_some(),
            seed: plan.seed,
            bad_records: set.bad,
            ..Measurement::default()
        }
    }
}

/// Checks that every solution obeys the rules and keeps the clues of its row, and that the numbers
/// of solutions equal those of the first contender. Returns these numbers, with `None` where the
/// node limit ended the search.
fn check(
    title: &str,
    rows: &SetRows,
    outcomes: &[Outcome],
    first: Option<&(String, Vec<Option<u32>>)>,
) -> Result<Vec<Option<u32>>, BenchError> {
    let mut counts = Vec::with_capacity(outcomes.len());
    for (row, outcome) in outcomes.iter().enumerate() {
        let wrong = |what: String| {
            let puzzle = String::from_utf8_lossy(rows.text(row..row + 1));
            BenchError::Wrong(format!("{title} is wrong: {what}, for {puzzle}"))
        };
        if outcome.solution().is_some_and(|grid| !rows.is_solved_by(row, grid)) {
            return Err(wrong(format!("{} is not a solution", outcome.grid)));
        }
        let count = (!outcome.gave_up).then_some(outcome.solutions);
        if let Some((other, expected)) = first
            && let (Some(expected), Some(count)) = (expected.get(row).copied().flatten(), count)
            && expected != count
        {
            return Err(wrong(format!("{count} solutions, and {expected} by {other}")));
        }
        counts.push(count);
    }
    Ok(counts)
}

/// The reason that a measurement failed.
#[derive(Debug, Error)]
pub enum BenchError {
    /// This number of threads cannot be started.
    #[error("cannot start {0} threads: {1}")]
    Threads(usize, ThreadPoolBuildError),
    /// Solvers that are not engines read puzzles of 81 cells.
    #[error("{0}: pencil marks are not measured with other solvers, which read 81 cells")]
    Marks(String),
    /// The result of an engine is wrong.
    #[error("{0}")]
    Wrong(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CELLS, CLASSIC, Grid, Puzzle};
    use crate::simd::SimdLevel;
    use crate::solver::EngineKind;

    fn set(puzzle: Puzzle) -> PuzzleSet {
        PuzzleSet::new("a set", Content::Puzzles(vec![puzzle]), 0)
    }

    impl Plan {
        /// Returns a plan with the engine `scalar` on these numbers of threads, 200 rows, and three
        /// rounds.
        pub(super) fn tested(threads: &[usize]) -> Self {
            let configuration = |&threads: &usize| Configuration {
                engine: EngineKind::Scalar,
                simd: SimdLevel::best(),
                threads: threads.try_into().unwrap(),
            };
            Self {
                configurations: threads.iter().map(configuration).collect(),
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

    fn measure(plan: Plan) -> (Vec<Measurement>, usize) {
        let bench = Bench::new(plan).unwrap();
        let mut steps = 0;
        let set = set(CLASSIC.parse().unwrap());
        let measurements = bench.measure(&set, &mut [], || steps += 1).unwrap();
        assert_eq!(steps, bench.steps(0));
        (measurements, steps)
    }

    #[test]
    fn every_contender_is_checked_and_then_timed_in_every_round() {
        let (measurements, steps) = measure(Plan::tested(&[1, 2, 1]));
        let titles: Vec<_> = measurements.iter().map(Measurement::title).collect();
        assert_eq!(titles, ["a set scalar, 1 thread, proof", "a set scalar, 2 threads, proof"]);
        assert_eq!(steps, 8);
        for m in &measurements {
            assert_eq!((m.rows, m.ns_rounds.len()), (200, 3));
            assert!(0.0 < m.ns_min && m.ns_min <= m.ns_per_puzzle && m.ns_per_puzzle <= m.ns_max);
        }
        // The search does not depend on the threads.
        let nodes: Vec<_> = measurements.iter().map(|m| m.nodes_per_puzzle.to_bits()).collect();
        assert_eq!(nodes[0], nodes[1]);
    }

    #[test]
    fn a_slow_contender_gets_fewer_rows() {
        let (measurements, _) =
            measure(Plan { round_at_most: Duration::ZERO, ..Plan::tested(&[1]) });
        assert_eq!(measurements[0].rows, 16);
    }

    #[test]
    fn wrong_results_are_detected() {
        let rows = set(Puzzle::EMPTY).rows(&Plan::tested(&[]));
        let one =
            Outcome { grid: Grid::try_from([1; CELLS]).unwrap(), solutions: 1, ..Outcome::NONE };
        let error = check("it", &rows, &[one], None).unwrap_err().to_string();
        assert!(error.starts_with("it is wrong: 1111"), "{error}");
        let unfinished = Outcome { gave_up: true, ..Outcome::NONE };
        let expected = ("other".to_owned(), vec![None, Some(2), Some(2)]);
        let counts = check("it", &rows, &[Outcome::NONE, unfinished], Some(&expected));
        assert_eq!(counts.unwrap(), [Some(0), None]);
        let error = check("it", &rows, &[Outcome::NONE; 3], Some(&expected)).unwrap_err();
        let message = "it is wrong: 0 solutions, and 2 by other, for ";
        assert!(error.to_string().starts_with(message), "{error}");
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
        assert_eq!(format!("{means:?}"), "[99.5, 200.0, 0.005]");
        assert_eq!([m.latency_p50_ns, m.latency_p99_ns, m.latency_max_ns], [990, 1970, 1990]);
        assert_eq!((m.rows, m.gave_up), (200, 1));
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |rounds: &[f64]| {
            let mut measurement = Measurement::default();
            measurement.set_rounds(rounds.to_vec());
            let Measurement { ns_min, ns_per_puzzle, ns_max, .. } = measurement;
            format!("{:?}", (ns_min, ns_per_puzzle, ns_max))
        };
        assert_eq!(of(&[5.0, 1.0, 2.0]), "(1.0, 2.0, 5.0)");
        assert_eq!(of(&[4.0, 1.0, 2.0, 8.0]), "(1.0, 3.0, 8.0)");
        assert_eq!(of(&[7.0]), "(7.0, 7.0, 7.0)");
    }
}
