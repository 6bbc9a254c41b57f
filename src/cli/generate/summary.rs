//! The summary of a corpus.

use std::fmt;
use std::num::NonZeroUsize;

use bulkdoku::SimdLevel;
use bulkdoku::generate::Symmetry;
use bulkdoku::pipeline::{Generate, Report, Statistics};
use bulkdoku::stats::human_time;
use indicatif::{HumanCount, HumanFloatCount};
use serde::Serialize;

use super::super::Exit;
use super::super::numbers::counted;
use super::super::platform::Interruption;
use super::super::run::RunSummary;
use super::super::summary::LatencySummary;

/// The summary, printable (`Display`) and serializable to JSON.
#[derive(Debug, Serialize)]
pub struct CorpusSummary {
    kind: String,
    #[serde(skip)]
    symmetry: Option<Symmetry>,
    #[serde(skip)]
    seed: u64,
    /// The index of the first row.
    skip: u64,
    /// The number of rows written.
    rows: u64,
    /// The number of rows written by earlier runs.
    rows_before: u64,
    /// The reason that the run was stopped early.
    interrupted: Option<Interruption>,
    /// The time of this run.
    wall_seconds: f64,
    /// The rate of this run.
    rows_per_second: f64,
    threads: NonZeroUsize,
    simd: &'static str,
    /// The number of puzzles that this run drew for its rows, if rows must meet a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn: Option<u64>,
    /// The number of puzzles by difficulty.
    #[serde(flatten)]
    statistics: Statistics,
    /// The time to solve each row.
    latency_ns: LatencySummary,
}

impl RunSummary for CorpusSummary {
    fn exit(&self) -> Exit {
        Exit::Done
    }

    fn resume_options(&self) -> String {
        format!("--resume --seed {}", self.seed)
    }
}

impl CorpusSummary {
    pub fn new(kind: &str, seed: u64, skip: u64, report: &Report, simd: SimdLevel) -> Self {
        let rows = report.counts.records();
        let wall_seconds = report.wall.as_secs_f64();
        Self {
            kind: kind.into(),
            symmetry: None,
            seed,
            skip,
            rows,
            rows_before: report.records_before,
            interrupted: Interruption::of_run(report.stopped),
            wall_seconds,
            rows_per_second: (rows - report.records_before) as f64 / wall_seconds,
            threads: report.threads,
            simd: simd.name(),
            drawn: None,
            statistics: report.statistics.clone(),
            latency_ns: LatencySummary::new(&report.latencies),
        }
    }

    /// Adds what a recipe has.
    pub fn with(self, job: &Generate) -> Self {
        Self {
            kind: job.recipe.kind.to_string(),
            symmetry: Some(job.recipe.symmetry).filter(|it| *it != Symmetry::None),
            drawn: job.condition.is_some().then(|| job.yields.counts().0),
            ..self
        }
    }

    /// Returns the seed and the rows of the corpus.
    fn corpus(&self) -> String {
        if self.kind == "hard" {
            return format!("seed {}, from island {}", self.seed, self.skip);
        }
        let last = self.skip + self.rows.saturating_sub(1);
        format!("seed {}, rows {} to {last}", self.seed, self.skip)
    }

    /// Returns the engine and its threads.
    fn method(&self) -> String {
        format!("engine lanes ({}), {}", self.simd, counted(self.threads.get() as u64, "thread"))
    }

    /// Returns the minimum, maximum, mean, and standard deviation of the numbers of clues.
    fn clues(&self) -> Option<String> {
        let clues = &self.statistics.clues;
        let (least, most) = (clues.keys().next()?, clues.keys().next_back()?);
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            clues.iter().map(|(&clues, &count)| of(clues as f64) * count as f64).sum()
        };
        let count = sum(&|_| 1.0);
        let mean = sum(&|clues| clues) / count;
        let deviation = (sum(&|clues| (clues - mean).powi(2)) / count).sqrt();
        Some(format!("clues {least} to {most}, mean {mean:.2}, standard deviation {deviation:.2}"))
    }
}

impl fmt::Display for CorpusSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symmetry = self.symmetry.map(|symmetry| format!(" within the symmetry {symmetry}"));
        writeln!(
            f,
            "{} of kind {}{} in {}, {} per second",
            counted(self.rows - self.rows_before, "row"),
            self.kind,
            symmetry.unwrap_or_default(),
            human_time(self.wall_seconds * 1e9),
            HumanCount(self.rows_per_second as u64)
        )?;
        if self.rows_before > 0 {
            let all = counted(self.rows, "row");
            writeln!(f, "{all} with those of earlier runs, which are counted below:")?;
        }
        if let Some(drawn) = self.drawn {
            let rows = (self.rows - self.rows_before).max(1);
            let each = HumanFloatCount(drawn as f64 / rows as f64);
            writeln!(f, "{} drawn, {each:.1} per row", counted(drawn, "puzzle"))?;
        }
        if let Some(clues) = self.clues() {
            writeln!(f, "{clues}")?;
        }
        write!(f, "{}; {}", self.corpus(), self.method())
    }
}
