//! Changes since an earlier measurement, beyond the spread of the rounds.

use std::fmt;

use serde::Deserialize;
use thiserror::Error;

use super::origin::Machine;
use super::record::{Measurement, What};

/// An earlier measurement. Its JSON may have other fields, too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Earlier {
    set: String,
    engine: String,
    simd: Option<String>,
    threads: usize,
    mode: String,
    rows: usize,
    ns_per_puzzle: f64,
    ns_min: f64,
    ns_max: f64,
    nodes_per_puzzle: Option<f64>,
    seed: Option<u64>,
    machine: Option<EarlierMachine>,
}

/// The identity of the machine of an earlier measurement.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct EarlierMachine {
    cpu: Option<String>,
    cores: usize,
}

impl EarlierMachine {
    fn is(&self, here: &Machine) -> bool {
        self.cpu == here.cpu && self.cores == here.cores
    }
}

impl fmt::Display for EarlierMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpu = self.cpu.as_deref().unwrap_or("an unnamed processor");
        write!(f, "{cpu}, {} cores", self.cores)
    }
}

impl Earlier {
    fn is_of(&self, what: &What) -> bool {
        self.set == what.set
            && self.engine == what.engine
            && self.simd.as_deref() == what.simd
            && self.threads == what.threads
            && self.mode == what.mode
    }

    /// The new time divided by the old one, by the medians or by the fastest rounds, whichever is
    /// less, so a slowdown shows in both.
    fn ratio_to(&self, now: &Measurement) -> f64 {
        (now.ns_per_puzzle / self.ns_per_puzzle).min(now.ns_min / self.ns_min)
    }

    /// Whether both searched the same rows.
    fn has_rows_of(&self, now: &Measurement) -> bool {
        self.rows == now.rows && self.seed == now.seed
    }
}

/// Earlier measurements.
#[derive(Clone, Debug)]
pub struct Baseline(Vec<Earlier>);

impl Baseline {
    /// Reads the JSON of earlier measurements.
    ///
    /// # Errors
    /// When it is not a list of objects with the needed fields.
    pub fn read(json: &[u8]) -> Result<Self, BadBaseline> {
        serde_json::from_slice(json).map(Self).map_err(|error| BadBaseline(error.to_string()))
    }

    fn find(&self, what: &What) -> Option<&Earlier> {
        self.0.iter().find(|earlier| earlier.is_of(what))
    }

    /// Whether it has a measurement to compare with.
    pub fn has(&self, what: &What) -> bool {
        self.find(what).is_some()
    }

    /// The first machine in the baseline other than this one.
    pub fn other_machine(&self, here: &Machine) -> Option<String> {
        let mut machines = self.0.iter().filter_map(|earlier| earlier.machine.as_ref());
        machines.find(|machine| !machine.is(here)).map(ToString::to_string)
    }

    /// Compares measurements with the baseline. Those that it does not have are left out.
    pub fn compare(&self, measurements: &[Measurement]) -> Comparison {
        let mut comparison = Comparison::default();
        for now in measurements {
            let what = now.what();
            let Some(earlier) = self.find(&what) else { continue };
            let what = what.to_string();
            let nodes = earlier.nodes_per_puzzle.filter(|_| earlier.has_rows_of(now));
            if let Some(nodes) = nodes.filter(|nodes| differ(*nodes, now.nodes_per_puzzle)) {
                comparison.searched.push((what.clone(), nodes, now.nodes_per_puzzle));
            }
            comparison.ratios.push((what.clone(), earlier.ratio_to(now)));
            match Change::between(earlier, now) {
                Some(change) => comparison.changed.push((what, change)),
                None => comparison.within_spread += 1,
            }
        }
        comparison
    }
}

/// Whether numbers differ by more than rounding in text.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-6 * a.abs().max(b.abs())
}

/// A change of time beyond the spread of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The median of nanoseconds per puzzle before.
    pub before_ns: f64,
    /// The median of nanoseconds per puzzle now.
    pub now_ns: f64,
    /// Whether both solved the same rows.
    pub same_rows: bool,
}

impl Change {
    /// `None` if the rounds of both overlap.
    fn between(earlier: &Earlier, now: &Measurement) -> Option<Self> {
        let apart = now.ns_max < earlier.ns_min || now.ns_min > earlier.ns_max;
        apart.then_some(Self {
            before_ns: earlier.ns_per_puzzle,
            now_ns: now.ns_per_puzzle,
            same_rows: earlier.has_rows_of(now),
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before_ns, now_ns, same_rows } = *self;
        let (word, times) = match before_ns / now_ns {
            ratio if ratio >= 1.0 => ("faster", ratio),
            ratio => ("slower", 1.0 / ratio),
        };
        write!(f, "{word} {times:.2} times, {before_ns:.1} before, now {now_ns:.1} ns a puzzle")?;
        f.write_str(if same_rows { "" } else { " (other rows)" })
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The measurements that have changed beyond the spread of the rounds.
    pub changed: Vec<(String, Change)>,
    /// The measurements with other nodes per puzzle on the same rows, before and now.
    pub searched: Vec<(String, f64, f64)>,
    /// The number of measurements that have not changed beyond the spread.
    pub within_spread: usize,
    /// The new time of each divided by the old one, by the medians or by the fastest rounds,
    /// whichever is less.
    pub ratios: Vec<(String, f64)>,
}

impl Comparison {
    /// The measurements that take more than `ratio` times as long as before, with their ratios.
    pub fn slower_than(&self, ratio: f64) -> impl Iterator<Item = &(String, f64)> {
        self.ratios.iter().filter(move |(_, now)| *now > ratio)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (changed, same) = (self.changed.len(), self.within_spread);
        writeln!(f, "Against the baseline: {changed} changed beyond the spread, {same} did not.")?;
        for (what, change) in &self.changed {
            writeln!(f, "  {what}: {change}")?;
        }
        for (what, before, now) in &self.searched {
            writeln!(f, "  {what}: other searches, {before:.4} nodes before, now {now:.4}")?;
        }
        Ok(())
    }
}

/// A file that is no earlier measurement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no measurement to compare with ({0})")]
pub struct BadBaseline(String);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::record::tests::measurement;

    /// The JSON of two sets: 100 (90 to 110) and 50 (49 to 51) ns a puzzle.
    fn baseline() -> Baseline {
        let first = measurement("a", [100.0, 90.0, 110.0]);
        let second = measurement("b", [50.0, 49.0, 51.0]);
        Baseline::read(&serde_json::to_vec(&[first, second]).unwrap()).unwrap()
    }

    #[test]
    fn changes_within_the_spread_are_not_reported() {
        let now = [measurement("a", [111.0, 109.0, 120.0]), measurement("b", [48.5, 48.0, 49.0])];
        let comparison = baseline().compare(&now);
        assert_eq!((comparison.within_spread, comparison.changed.len()), (2, 0));
    }

    #[test]
    fn changes_beyond_the_spread_are_reported() {
        let now = [measurement("a", [80.0, 79.0, 89.0]), measurement("b", [100.0, 99.0, 101.0])];
        let text = baseline().compare(&now).to_string();
        assert!(
            text.contains("a scalar, 1 thread, proof: faster 1.25 times, 100.0 before"),
            "{text}"
        );
        assert!(text.contains("b scalar, 1 thread, proof: slower 2.00 times"), "{text}");
        assert!(text.starts_with("Against the baseline: 2 changed beyond the spread, 0 did"));
    }

    #[test]
    fn other_searches_and_rows_are_reported() {
        let mut now = vec![measurement("a", [100.0; 3]), measurement("b", [1.0; 3])];
        now[0].nodes_per_puzzle += 1.0;
        now[1].rows += 1;
        let text = baseline().compare(&now).to_string();
        assert!(text.contains("a scalar, 1 thread, proof: other searches"), "{text}");
        assert!(text.contains("(other rows)"), "{text}");
    }

    #[test]
    fn a_slowdown_shows_in_the_median_and_the_fastest_round() {
        let slower = |times: [f64; 3]| {
            let comparison = baseline().compare(&[measurement("a", times)]);
            comparison.slower_than(1.05).count() == 1
        };
        assert!(slower([106.0, 95.0, 200.0]));
        assert!(!slower([106.0, 94.0, 200.0]) && !slower([104.0, 100.0, 200.0]));
        let known = measurement("a", [1.0; 3]).what();
        assert!(baseline().has(&known));
        for unknown in [
            What { set: "c".into(), ..known.clone() },
            What { threads: 2, ..known.clone() },
            What { simd: Some("avx2"), ..known.clone() },
            What { mode: "first".into(), ..known },
        ] {
            assert!(!baseline().has(&unknown), "{unknown}");
        }
    }

    #[test]
    fn another_machine_is_named() {
        let here = |cpu: &str| Machine {
            cpu: Some(cpu.into()),
            cores: 2,
            simd: Vec::new(),
            os: "x",
            arch: "y",
        };
        let mut earlier = serde_json::to_value([measurement("a", [1.0; 3])]).unwrap();
        let other = |earlier: &serde_json::Value| {
            let baseline = Baseline::read(earlier.to_string().as_bytes()).unwrap();
            baseline.other_machine(&here("old"))
        };
        assert_eq!(other(&earlier), None);
        earlier[0]["machine"] = serde_json::to_value(here("old")).unwrap();
        assert_eq!(other(&earlier), None);
        earlier[0]["machine"] = serde_json::to_value(here("new")).unwrap();
        assert_eq!(other(&earlier).as_deref(), Some("new, 2 cores"));
    }

    #[test]
    fn json_with_the_needed_fields_alone_is_read() {
        let json = br#"[{"set": "a", "engine": "scalar", "simd": null, "threads": 1, "mode": "proof",
            "rows": 10, "ns_per_puzzle": 1.0, "ns_min": 1, "ns_max": 1, "guesses_per_puzzle": null}]"#;
        let comparison = Baseline::read(json).unwrap().compare(&[measurement("a", [2.0; 3])]);
        assert_eq!(comparison.changed.len(), 1);
        assert!(Baseline::read(b"{}").unwrap_err().to_string().contains("no measurement"));
    }
}
