//! What a run has made, for people and for programs.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

use bulkdoku::SimdLevel;
use bulkdoku::pipeline::{Corpus, Report};
use bulkdoku::stats::HumanTime;
use indicatif::HumanCount;
use serde::Serialize;

use super::super::summary::LatencySummary;

/// The summary, ready to print (`Display`) or to write as JSON (`Serialize`).
#[derive(Debug, Serialize)]
pub struct Summary {
    kind: String,
    seed: u64,
    /// The index of the first row.
    skip: u64,
    /// Rows that are written.
    rows: u64,
    /// Of all rows, those of earlier runs that this one resumed.
    rows_before: u64,
    /// Whether a signal ended the run.
    interrupted: bool,
    /// Of this run.
    wall_seconds: f64,
    /// Of this run.
    rows_per_second: f64,
    threads: NonZeroUsize,
    simd: &'static str,
    /// How many puzzles have each number of clues.
    clues: BTreeMap<usize, u64>,
    /// And each level, if that is counted.
    levels: BTreeMap<u8, u64>,
    /// What it took to solve the rows that were made.
    latency_ns: LatencySummary,
}

impl Summary {
    /// Sums up a run.
    pub fn new(corpus: &Corpus, report: &Report, simd: SimdLevel) -> Self {
        let rows = report.counts.records();
        let wall_seconds = report.wall.as_secs_f64();
        Self {
            kind: corpus.recipe.kind.to_string(),
            seed: corpus.seed,
            skip: corpus.rows.start,
            rows,
            rows_before: report.records_before,
            interrupted: report.stopped,
            wall_seconds,
            rows_per_second: (rows - report.records_before) as f64 / wall_seconds,
            threads: report.threads,
            simd: simd.name(),
            clues: report.tally.clues.clone(),
            levels: report.tally.levels.clone(),
            latency_ns: LatencySummary::new(&report.latencies),
        }
    }

    /// Which rows of which corpus.
    pub fn corpus(&self) -> String {
        let last = self.skip + self.rows.saturating_sub(1);
        format!("seed {}, rows {} to {last}", self.seed, self.skip)
    }

    /// Which engine on how many threads.
    pub fn means(&self) -> String {
        let plural = if self.threads.get() == 1 { "" } else { "s" };
        format!("engine lanes ({}), {} thread{plural}", self.simd, self.threads)
    }

    /// Least, most, mean and standard deviation of the numbers of clues.
    fn clues(&self) -> Option<String> {
        let (least, most) = (self.clues.keys().next()?, self.clues.keys().next_back()?);
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            self.clues.iter().map(|(&clues, &count)| of(clues as f64) * count as f64).sum()
        };
        let count = sum(&|_| 1.0);
        let mean = sum(&|clues| clues) / count;
        let deviation = (sum(&|clues| (clues - mean).powi(2)) / count).sqrt();
        Some(format!("clues {least} to {most}, mean {mean:.2}, standard deviation {deviation:.2}"))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = self.rows - self.rows_before;
        writeln!(
            f,
            "{} row{} of kind {} in {}, {} a second",
            HumanCount(made),
            if made == 1 { "" } else { "s" },
            self.kind,
            HumanTime::of_ns(self.wall_seconds * 1e9),
            HumanCount(self.rows_per_second as u64)
        )?;
        if self.rows_before > 0 {
            let all = HumanCount(self.rows);
            writeln!(f, "with those of earlier runs {all} rows, which are what follows:")?;
        }
        if let Some(clues) = self.clues() {
            writeln!(f, "{clues}")?;
        }
        write!(f, "{}; {}", self.corpus(), self.means())
    }
}
