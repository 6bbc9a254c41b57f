//! What a run has made, for people.

use std::fmt;

use bulkdoku::SimdLevel;
use bulkdoku::pipeline::{Corpus, Report, Tally};
use bulkdoku::stats::HumanTime;
use indicatif::HumanCount;

/// The summary, ready to print.
#[derive(Debug)]
pub struct Summary<'a> {
    pub corpus: &'a Corpus,
    pub report: &'a Report,
    pub simd: SimdLevel,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { corpus, report, simd } = self;
        let Report { counts, records_before, wall, threads, tally, .. } = report;
        let made = counts.records() - records_before;
        let rate = made as f64 / wall.as_secs_f64();
        let what = match made {
            1 => "row",
            _ => "rows",
        };
        writeln!(
            f,
            "{} {what} of kind {} in {}, {} a second",
            HumanCount(made),
            corpus.recipe.kind,
            HumanTime::from(*wall),
            HumanCount(rate as u64)
        )?;
        if *records_before > 0 {
            let all = HumanCount(counts.records());
            writeln!(f, "with those of earlier runs {all} rows, which are what follows:")?;
        }
        if let Some(clues) = clues(tally) {
            writeln!(f, "{clues}")?;
        }
        let plural = if threads.get() == 1 { "" } else { "s" };
        write!(
            f,
            "seed {}, rows {} to {}; engine lanes ({simd}), {threads} thread{plural}",
            corpus.seed,
            corpus.rows.start,
            corpus.rows.start + counts.records().saturating_sub(1)
        )
    }
}

/// Least, most, mean and standard deviation of the numbers of clues.
fn clues(tally: &Tally) -> Option<String> {
    let (least, most) = (tally.clues.keys().next()?, tally.clues.keys().next_back()?);
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        tally.clues.iter().map(|(&clues, &count)| of(clues as f64) * count as f64).sum()
    };
    let count = sum(&|_| 1.0);
    let mean = sum(&|clues| clues) / count;
    let deviation = (sum(&|clues| (clues - mean).powi(2)) / count).sqrt();
    Some(format!("clues {least} to {most}, mean {mean:.2}, standard deviation {deviation:.2}"))
}
