//! What has changed since an earlier measurement, and by more than the rounds differ anyway.

use std::fmt;

use serde::Deserialize;
use thiserror::Error;

use super::record::Measurement;

/// What is read of an earlier measurement. Other fields may stand beside these.
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
}

impl Earlier {
    fn is_of(&self, now: &Measurement) -> bool {
        self.set == now.set
            && self.engine == now.engine
            && self.simd.as_deref() == now.simd
            && self.threads == now.threads
            && self.mode == now.mode
    }

    /// Whether both searched the very same rows.
    fn has_rows_of(&self, now: &Measurement) -> bool {
        self.rows == now.rows && self.seed == now.seed
    }
}

/// An earlier measurement.
#[derive(Clone, Debug)]
pub struct Baseline(Vec<Earlier>);

impl Baseline {
    /// Reads the JSON of an earlier measurement.
    ///
    /// # Errors
    /// When it is not a list of objects with the fields of one.
    pub fn read(json: &[u8]) -> Result<Self, BadBaseline> {
        serde_json::from_slice(json).map(Self).map_err(|error| BadBaseline(error.to_string()))
    }

    /// What has changed since.
    pub fn compare(&self, measurements: &[Measurement]) -> Comparison {
        let mut comparison = Comparison::default();
        for now in measurements {
            let what = title(now);
            let Some(earlier) = self.0.iter().find(|earlier| earlier.is_of(now)) else {
                comparison.unknown.push(what);
                continue;
            };
            match Change::between(earlier, now) {
                Some(change) => comparison.changed.push((what, change)),
                None => comparison.within_spread += 1,
            }
            let nodes = earlier.nodes_per_puzzle.filter(|_| earlier.has_rows_of(now));
            if let Some(nodes) = nodes.filter(|nodes| differ(*nodes, now.nodes_per_puzzle)) {
                comparison.searched.push((title(now), nodes, now.nodes_per_puzzle));
            }
        }
        comparison
    }
}

fn title(now: &Measurement) -> String {
    let simd = now.simd.map_or(String::new(), |simd| format!(" {simd}"));
    let threads = if now.threads == 1 { "thread" } else { "threads" };
    format!("{} {}{simd}, {} {threads}, {}", now.set, now.engine, now.threads, now.mode)
}

/// More than what printing and reading a number changes.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-6 * a.abs().max(b.abs())
}

/// The times of one line, none of them as it could have been before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Nanoseconds a puzzle before, the median.
    pub before_ns: f64,
    /// Nanoseconds a puzzle now, the median.
    pub now_ns: f64,
    /// Whether both solved the same rows.
    pub same_rows: bool,
}

impl Change {
    /// `None` where the rounds of both overlap.
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

/// What a comparison found; it prints as a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What was measured, and how its time has changed beyond the spread of the rounds.
    pub changed: Vec<(String, Change)>,
    /// What searched otherwise on the same rows: nodes a puzzle before and now.
    pub searched: Vec<(String, f64, f64)>,
    /// How many have not changed beyond the spread.
    pub within_spread: usize,
    /// What the baseline does not hold.
    pub unknown: Vec<String>,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (changed, same) = (self.changed.len(), self.within_spread);
        writeln!(f, "Against the baseline: {changed} changed beyond the spread, {same} did not.")?;
        for (what, change) in &self.changed {
            writeln!(f, "  {what}: {change}")?;
        }
        for (what, before, now) in &self.searched {
            writeln!(f, "  {what}: searches otherwise, {before:.4} nodes before, now {now:.4}")?;
        }
        for what in &self.unknown {
            writeln!(f, "  {what}: not in the baseline")?;
        }
        Ok(())
    }
}

/// A file that is no earlier measurement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no measurement to compare with ({0}); it must come from --format json")]
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
    fn within_the_spread_nothing_has_changed() {
        let now = [measurement("a", [111.0, 109.0, 120.0]), measurement("b", [48.5, 48.0, 49.0])];
        let comparison = baseline().compare(&now);
        assert_eq!(comparison, Comparison { within_spread: 2, ..Comparison::default() });
    }

    #[test]
    fn beyond_the_spread_it_is_named() {
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
    fn other_searches_and_rows_and_unknown_lines_are_named() {
        let mut now = vec![measurement("a", [100.0; 3]), measurement("b", [1.0; 3])];
        now[0].nodes_per_puzzle += 1.0;
        now[1].rows += 1;
        now.push(measurement("c", [1.0; 3]));
        let text = baseline().compare(&now).to_string();
        assert!(text.contains("a scalar, 1 thread, proof: searches otherwise"), "{text}");
        assert!(text.contains("(other rows)"), "{text}");
        assert!(text.contains("c scalar, 1 thread, proof: not in the baseline"), "{text}");
    }

    #[test]
    fn the_json_of_another_program_with_the_least_fields_is_read() {
        let json = br#"[{"set": "a", "engine": "scalar", "simd": null, "threads": 1, "mode": "proof",
            "rows": 10, "ns_per_puzzle": 1.0, "ns_min": 1, "ns_max": 1, "guesses_per_puzzle": null}]"#;
        let comparison = Baseline::read(json).unwrap().compare(&[measurement("a", [2.0; 3])]);
        assert_eq!(comparison.changed.len(), 1);
        assert!(Baseline::read(b"{}").unwrap_err().to_string().contains("--format json"));
    }
}
