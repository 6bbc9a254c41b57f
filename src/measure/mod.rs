//! Measures the engines, and checks their results.
//!
//! ```text
//!  sets ──▶ rows ──────▶ warm-up ──▶ check ──▶ round 1 ───▶ round 2 ───▶ … ──▶ measurements
//!           repeated,    (rows of    solutions  every        every              median,
//!           permuted     slow ones   obey the   contender    contender          smallest,
//!           with a seed  are cut)    rules,     in turn      in turn            largest
//!                                    counts
//!                                    agree
//! ```
//!
//! The time of a puzzle is that from its 81 characters (729 of pencil marks) to the 81 characters
//! of its solution, in memory. The contenders take turns in every round, so a disturbance affects
//! all of them. The median of the rounds is compared; the smallest and largest show its error.
//!
//! As in the benchmark of Tom Dillon's solver tdoku, puzzles are permuted, uniqueness is proved,
//! engines are warmed up, and results are checked outside the timing.

mod baseline;
mod check;
mod contender;
pub mod format;
mod origin;
mod record;
mod rows;
mod sample_statistics;
mod set;
mod text;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

pub use crate::isomorph::{Permutation, SeededRng};
pub use baseline::{BadBaseline, Baseline, Change, Comparison};
pub use check::Wrong;
pub use contender::Configuration;
pub use origin::{Machine, Origin};
pub use record::{Measurement, What};
pub use sample_statistics::SampleStatistics;
pub use set::{Content, PuzzleSet, Selection};

use crate::solver::Limits;
use contender::Contender;
use record::Searched;
use rows::RowSlice;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is measured.
    pub configurations: Vec<Configuration>,
    /// The limits of each search.
    pub limits: Limits,
    /// The rows that are made from a set.
    pub selection: Selection,
    /// The number of timed rounds, after an untimed one.
    pub rounds: NonZeroUsize,
    /// The number of puzzles that an engine gets at once.
    pub batch: NonZeroUsize,
    /// The shortest time of a round. A fast contender solves its rows several times.
    pub round_at_least: Duration,
    /// The longest time of a round. A slow contender gets fewer rows.
    pub round_at_most: Duration,
}

/// A measurement that is ready to run.
pub struct Bench {
    plan: Plan,
    contenders: Vec<Contender>,
}

impl Bench {
    /// Starts the threads and makes the engines. An engine without vectors is measured once, not
    /// for each level of the plan.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(plan: Plan) -> Result<Self, BenchError> {
        let mut pools: Vec<Arc<ThreadPool>> = Vec::new();
        let mut contenders: Vec<Contender> = Vec::new();
        for &configuration in &plan.configurations {
            let threads = configuration.threads.get();
            if pools.iter().all(|pool| pool.current_num_threads() != threads) {
                pools.push(start(threads)?);
            }
            let pool = pools.iter().find(|pool| pool.current_num_threads() == threads);
            let pool = pool.expect("it was started").clone();
            let contender = Contender::new(configuration, pool, plan.batch.get(), plan.limits);
            if !contenders.iter().any(|other| other.is_like(&contender)) {
                contenders.push(contender);
            }
        }
        Ok(Self { plan, contenders })
    }

    /// The number of steps that [`Bench::measure`] reports for each set.
    pub fn steps(&self) -> usize {
        self.contenders.len() * (1 + self.plan.rounds.get())
    }

    /// What [`Bench::measure`] measures of a set of this name.
    pub fn what(&self, set: &str) -> Vec<What> {
        self.contenders.iter().map(|contender| contender.what(set, self.plan.limits)).collect()
    }

    /// Measures every contender on `set`. `step` is called after each check and each round of one.
    ///
    /// # Errors
    /// When a solution breaks the rules or two contenders disagree.
    pub fn measure(
        &self,
        set: &PuzzleSet,
        mut step: impl FnMut(),
    ) -> Result<Vec<Measurement>, BenchError> {
        let rows = set.rows(self.plan.selection);
        let rows = rows.all();
        let mut runs: Vec<Run<'_>> = Vec::new();
        for contender in &self.contenders {
            let run = Run::prepare(contender, rows, &self.plan)?;
            if let Some(first) = runs.first() {
                let (a, b) = (first.contender.title(), contender.title());
                check::agreement(rows, (&a, &first.counts), (&b, &run.counts))?;
            }
            runs.push(run);
            step();
        }
        for _ in 0..self.plan.rounds.get() {
            for run in &mut runs {
                run.time();
                step();
            }
        }
        Ok(runs.into_iter().map(|run| run.measurement(set, &self.plan)).collect())
    }
}

fn start(threads: usize) -> Result<Arc<ThreadPool>, BenchError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Arc::new).map_err(|error| BenchError::Threads { threads, why: error.to_string() })
}

/// One contender on the rows of one set.
struct Run<'a> {
    contender: &'a Contender,
    rows: RowSlice<'a>,
    /// Passes over the rows in each round.
    passes: u32,
    counts: check::Counts,
    searched: Searched,
    /// Nanoseconds per puzzle of each round.
    samples: Vec<f64>,
}

impl<'a> Run<'a> {
    /// Warms up, chooses the rows and passes of a round, and checks the results of those rows.
    fn prepare(contender: &'a Contender, rows: RowSlice<'a>, plan: &Plan) -> Result<Self, Wrong> {
        contender.make_room(rows);
        let (rows, pass) = warm_up(contender, rows, plan.round_at_most);
        let passes = plan.round_at_least.as_nanos().div_ceil(pass.as_nanos().max(1)).max(1) as u32;
        let outcomes = contender.outcomes(rows);
        let counts = check::solutions(&contender.title(), rows, &outcomes)?;
        let searched = Searched::of(&outcomes);
        Ok(Self { contender, rows, passes, counts, searched, samples: Vec::new() })
    }

    fn time(&mut self) {
        let total: Duration = (0..self.passes).map(|_| self.contender.time(self.rows)).sum();
        let puzzles = f64::from(self.passes) * self.rows.len() as f64;
        self.samples.push(total.as_nanos() as f64 / puzzles);
    }

    fn measurement(self, of: &PuzzleSet, plan: &Plan) -> Measurement {
        let Self { contender, rows, searched, samples, .. } = self;
        let What { set, engine, simd, threads, mode } = contender.what(&of.name, plan.limits);
        let statistics = SampleStatistics::of(&samples);
        Measurement {
            set,
            engine,
            simd,
            threads,
            mode,
            rows: rows.len(),
            ns_per_puzzle: statistics.median,
            ns_rounds: samples,
            ns_min: statistics.min,
            ns_max: statistics.max,
            puzzles_per_second: 1e9 / statistics.median,
            guesses_per_puzzle: searched.guesses_per_puzzle,
            nodes_per_puzzle: searched.nodes_per_puzzle,
            share_without_guess: searched.share_without_guess,
            latency_p50_ns: searched.latency_p50_ns,
            latency_p99_ns: searched.latency_p99_ns,
            latency_max_ns: searched.latency_max_ns,
            gave_up: searched.gave_up,
            max_nodes: plan.limits.nodes.map(std::num::NonZero::get),
            rounds: plan.rounds.get(),
            batch: plan.batch.get(),
            permuted: plan.selection.seed.is_some(),
            seed: plan.selection.seed,
            bad_records: of.bad,
        }
    }
}

/// Doubles the number of rows until a pass would take longer than `at_most`. Returns the rows and
/// the time of the last pass.
fn warm_up<'a>(
    contender: &Contender,
    rows: RowSlice<'a>,
    at_most: Duration,
) -> (RowSlice<'a>, Duration) {
    let mut count = rows.len().min(16);
    loop {
        let time = contender.time(rows.part(0..count));
        let next = rows.len().min(2 * count);
        if next == count || time.mul_f64(next as f64 / count as f64) > at_most {
            return (rows.part(0..count), time);
        }
        count = next;
    }
}

/// Why nothing could be measured.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BenchError {
    /// The threads cannot be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// The requested number.
        threads: usize,
        /// The message of the system.
        why: String,
    },
    /// An engine was wrong.
    #[error(transparent)]
    Wrong(#[from] Wrong),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CLASSIC;
    use crate::simd::SimdLevel;
    use crate::solver::EngineKind;

    /// The engine `scalar` on these numbers of threads, 200 rows, three rounds.
    fn plan(threads: &[usize]) -> Plan {
        let configuration = |&threads: &usize| Configuration {
            engine: EngineKind::Scalar,
            simd: SimdLevel::best(),
            threads: threads.try_into().unwrap(),
        };
        Plan {
            configurations: threads.iter().map(configuration).collect(),
            limits: Limits::PROOF,
            selection: Selection { at_least: 200, at_most: None, seed: Some(1) },
            rounds: 3.try_into().unwrap(),
            batch: 33.try_into().unwrap(),
            round_at_least: Duration::ZERO,
            round_at_most: Duration::MAX,
        }
    }

    fn measure(plan: Plan) -> (Vec<Measurement>, usize) {
        let content = Content::Puzzles(vec![CLASSIC.parse().unwrap()]);
        let set = PuzzleSet::new("classic", content, 0);
        let bench = Bench::new(plan).unwrap();
        let mut steps = 0;
        let measurements = bench.measure(&set, || steps += 1).unwrap();
        assert_eq!(steps, bench.steps());
        (measurements, steps)
    }

    #[test]
    fn every_contender_is_checked_and_then_timed_in_every_round() {
        let (measurements, steps) = measure(plan(&[1, 2, 1]));
        assert_eq!((measurements.len(), steps), (2, 8));
        assert_eq!(measurements.iter().map(|m| m.threads).collect::<Vec<_>>(), [1, 2]);
        for m in &measurements {
            assert_eq!((m.set.as_str(), m.rows, m.mode.as_str()), ("classic", 200, "proof"));
            assert!(0.0 < m.ns_min && m.ns_min <= m.ns_per_puzzle && m.ns_per_puzzle <= m.ns_max);
        }
        // The search does not depend on the threads.
        let nodes: Vec<_> = measurements.iter().map(|m| m.nodes_per_puzzle.to_bits()).collect();
        assert_eq!(nodes[0], nodes[1]);
    }

    #[test]
    fn a_slow_contender_gets_fewer_rows() {
        let (measurements, _) = measure(Plan { round_at_most: Duration::ZERO, ..plan(&[1]) });
        assert_eq!(measurements[0].rows, 16);
    }
}
