//! Changes since an earlier measurement, beyond the spread of the rounds.

use std::fs;
use std::path::Path;

use super::measurement::Measurement;
use crate::cli::version::Machine;
use crate::cli::{Exit, Failure, log, shown};

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

    /// Reports changes beyond the spread of the rounds, and measurements that are slower by more than a
    /// percentage.
    pub fn judge(&self, measurements: &[Measurement], fail_above: Option<f64>) -> Exit {
        let here = Machine::here();
        let mut machines = self.all.iter().filter_map(|one| one.machine.as_ref());
        if machines.any(|machine| (&machine.cpu, machine.cores) != (&here.cpu, here.cores)) {
            log::note("The baseline was measured on another machine.");
        }
        let (mut changed, mut exit) = (0, Exit::Done);
        for now in measurements {
            let title = now.title();
            let before = self.find(&title).and_then(Measurement::times);
            let Some((before, now)) = before.zip(now.times()) else { continue };
            if now[2] < before[0] || now[0] > before[2] {
                changed += 1;
                let ([_, before, _], [_, now, _]) = (before, now);
                log::note(format!("  {title}: {before:.1} ns per puzzle before, now {now:.1}"));
            }
            let percent = (slowdown(before, now) - 1.0) * 100.0;
            if let Some(most) = fail_above.filter(|&most| percent > most) {
                log::note(format!(
                    "bulkdoku: {title}: slower by {percent:.1} %, more than {most} %"
                ));
                exit = Exit::SomeRecords;
            }
        }
        log::note(format!("{changed} of {} changed beyond the spread", measurements.len()));
        exit
    }
}

/// Returns the new time divided by the old one, of the fastest rounds or of the medians, whichever is
/// smaller: only a slowdown of both counts.
fn slowdown([min_before, old, _]: [f64; 3], [min, new, _]: [f64; 3]) -> f64 {
    (new / old).min(min / min_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_shows_in_the_median_and_the_fastest_round() {
        let is_slower = |now| slowdown([90.0, 100.0, 110.0], now) > 1.05;
        assert!(is_slower([95.0, 106.0, 200.0]));
        assert!(!is_slower([94.0, 106.0, 200.0]) && !is_slower([100.0, 104.0, 200.0]));
    }
}
