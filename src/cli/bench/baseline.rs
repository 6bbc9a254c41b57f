//! Changes since an earlier measurement, beyond the spread of the rounds.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::measurement::Measurement;
use crate::cli::version::Machine;
use crate::cli::{Exit, Failure, shown};

#[derive(Clone, Debug)]
pub struct Baseline {
    name: String,
    all: Vec<Measurement>,
}

impl Baseline {
    /// Reads the JSON of earlier measurements. Those of rejected solvers have no times, and are left
    /// out.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let json = fs::read(path).map_err(|error| Failure::at(path, error))?;
        let name = shown(path);
        let all = serde_json::from_slice::<Vec<Measurement>>(&json).map_err(|error| {
            let what = "not measurements in JSON";
            Failure::Usage(format!("--baseline {name}: {what} ({error})"))
        })?;
        Ok(Self { name, all: all.into_iter().filter(|one| one.times().is_some()).collect() })
    }

    fn find(&self, title: &str) -> Option<&Measurement> {
        self.all.iter().find(|one| one.title() == title)
    }

    pub fn check(&self, titles: impl Iterator<Item = String>) -> Result<(), Failure> {
        let missing = titles.filter(|title| self.find(title).is_none());
        let missing: String = missing.map(|title| format!("\n  {title}")).collect();
        if missing.is_empty() {
            return Ok(());
        }
        refuse!("--baseline {} has no measurement of{missing}", self.name)
    }

    /// Reports changes, and measurements that are slower by more than a percentage.
    pub fn judge(&self, measurements: &[Measurement], fail_above: Option<f64>) -> Exit {
        let here = Machine::here();
        let is_other = |machine: &&Machine| machine.cpu != here.cpu || machine.cores != here.cores;
        if let Some(other) = self.all.iter().filter_map(|one| one.machine.as_ref()).find(is_other) {
            let (cpu, cores) =
                (other.cpu.as_deref().unwrap_or("an unnamed processor"), other.cores);
            eprintln!("The baseline was measured on another machine: {cpu}, {cores} cores.");
        }
        let (report, ratios) = self.compare(measurements);
        eprint!("{report}");
        let mut exit = Exit::Done;
        for (title, ratio) in ratios {
            let percent = (ratio - 1.0) * 100.0;
            if let Some(most) = fail_above.filter(|&most| percent > most) {
                eprintln!("bulkdoku: {title}: slower by {percent:.1} %, more than {most} %");
                exit = Exit::SomeRecords;
            }
        }
        exit
    }

    /// Compares measurements with those of the same title in the baseline. Returns a line for each
    /// change beyond the spread of the rounds; and, by title, the new time divided by the old one.
    /// The ratio is that of the medians or of the fastest rounds, whichever is smaller, so only a
    /// slowdown of both increases it.
    fn compare(&self, measurements: &[Measurement]) -> (String, Vec<(String, f64)>) {
        let (mut changes, mut changed) = (String::new(), 0);
        let mut ratios = Vec::new();
        for now in measurements {
            let title = now.title();
            let Some(before) = self.find(&title) else { continue };
            let Some(([min_before, old, max_before], [min, new, max])) =
                before.times().zip(now.times())
            else {
                continue;
            };
            let ratio = new / old;
            if max < min_before || min > max_before {
                changed += 1;
                let (word, times) =
                    if ratio <= 1.0 { ("faster", 1.0 / ratio) } else { ("slower", ratio) };
                let what = format!("{old:.1} before, now {new:.1} ns per puzzle");
                let _ = writeln!(changes, "  {title}: {word} {times:.2} times, {what}");
            }
            ratios.push((title, ratio.min(min / min_before)));
        }
        let same = ratios.len() - changed;
        let heading =
            format!("Against the baseline: {changed} changed beyond the spread, {same} did not.");
        (format!("{heading}\n{changes}"), ratios)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/bench.rs` tests the report.
    #[test]
    fn a_slowdown_shows_in_the_median_and_the_fastest_round() {
        let measurement = |[ns_per_puzzle, ns_min, ns_max]: [f64; 3]| {
            let [ns_per_puzzle, ns_min, ns_max] = [ns_per_puzzle, ns_min, ns_max].map(Some);
            Measurement { ns_per_puzzle, ns_min, ns_max, ..Measurement::default() }
        };
        let all = vec![measurement([100.0, 90.0, 110.0])];
        let earlier = Baseline { name: String::new(), all };
        let is_slower = |times| earlier.compare(&[measurement(times)]).1[0].1 > 1.05;
        assert!(is_slower([106.0, 95.0, 200.0]));
        assert!(!is_slower([106.0, 94.0, 200.0]) && !is_slower([104.0, 100.0, 200.0]));
    }
}
