//! Changes since an earlier measurement, beyond the spread of the rounds.

use std::fmt::Write as _;

use serde::Deserialize;

use super::measurement::Measurement;
use crate::cli::version::Machine;

/// Earlier measurements to compare with.
#[derive(Clone, Debug, Deserialize)]
pub struct Baseline(Vec<Measurement>);

impl Baseline {
    /// Parses the JSON of earlier measurements. Those of rejected solvers have no times, and are left
    /// out.
    ///
    /// # Errors
    /// When it is not a list of measurements.
    pub fn read(json: &[u8]) -> serde_json::Result<Self> {
        let mut all: Vec<Measurement> = serde_json::from_slice(json)?;
        all.retain(|one| one.times().is_some());
        Ok(Self(all))
    }

    /// Returns the earlier measurement with this title.
    fn find(&self, title: &str) -> Option<&Measurement> {
        self.0.iter().find(|one| one.title() == title)
    }

    /// Returns whether the baseline has a measurement with this title.
    pub fn has(&self, title: &str) -> bool {
        self.find(title).is_some()
    }

    /// Returns the first machine in the baseline other than this one.
    pub fn other_machine(&self, here: &Machine) -> Option<String> {
        let is_other = |machine: &&Machine| machine.cpu != here.cpu || machine.cores != here.cores;
        let other = self.0.iter().filter_map(|one| one.machine.as_ref()).find(is_other)?;
        let cpu = other.cpu.as_deref().unwrap_or("an unnamed processor");
        Some(format!("{cpu}, {} cores", other.cores))
    }

    /// Compares measurements with those of the same title in the baseline. Returns a line for each
    /// change beyond the spread of the rounds; and, by title, the new time divided by the old one.
    /// The ratio is that of the medians or of the fastest rounds, whichever is smaller, so only a
    /// slowdown of both increases it.
    pub fn compare(&self, measurements: &[Measurement]) -> (String, Vec<(String, f64)>) {
        let (mut changes, mut searches, mut changed) = (String::new(), String::new(), 0);
        let mut ratios = Vec::new();
        for now in measurements {
            let title = now.title();
            let Some(before) = self.find(&title) else { continue };
            let Some(([min_before, old, max_before], [min, new, max])) =
                before.times().zip(now.times())
            else {
                continue;
            };
            let same_rows = before.rows == now.rows && before.seed == now.seed;
            // The difference exceeds rounding in text.
            if same_rows
                && let Some((before, now)) = before.nodes_per_puzzle.zip(now.nodes_per_puzzle)
                && (before / now - 1.0).abs() > 1e-6
            {
                let what = format!("other searches, {before:.4} nodes before, now {now:.4}");
                let _ = writeln!(searches, "  {title}: {what}");
            }
            let ratio = new / old;
            if max < min_before || min > max_before {
                changed += 1;
                let (word, times) =
                    if ratio <= 1.0 { ("faster", 1.0 / ratio) } else { ("slower", ratio) };
                let rows = if same_rows { "" } else { " (other rows)" };
                let what = format!("{old:.1} before, now {new:.1} ns per puzzle{rows}");
                let _ = writeln!(changes, "  {title}: {word} {times:.2} times, {what}");
            }
            ratios.push((title, ratio.min(min / min_before)));
        }
        let same = ratios.len() - changed;
        let heading =
            format!("Against the baseline: {changed} changed beyond the spread, {same} did not.");
        (format!("{heading}\n{changes}{searches}"), ratios)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a measurement with these median, smallest, and largest times.
    fn measurement(set: &str, times: [f64; 3]) -> Measurement {
        let [ns_per_puzzle, ns_min, ns_max] = times.map(Some);
        Measurement {
            set: set.into(),
            engine: "scalar".into(),
            threads: 1,
            mode: "proof".into(),
            ns_per_puzzle,
            ns_min,
            ns_max,
            nodes_per_puzzle: Some(2.25),
            ..Measurement::default()
        }
    }

    /// Compares with the JSON of two sets: 100 (90 to 110) and 50 (49 to 51) ns per puzzle.
    fn compare(measurements: &[Measurement]) -> (String, Vec<(String, f64)>) {
        let earlier =
            [measurement("a", [100.0, 90.0, 110.0]), measurement("b", [50.0, 49.0, 51.0])];
        Baseline::read(&serde_json::to_vec(&earlier).unwrap()).unwrap().compare(measurements)
    }

    #[test]
    fn changes_beyond_the_spread_are_reported() {
        let now = [measurement("a", [111.0, 109.0, 120.0]), measurement("b", [48.5, 48.0, 49.0])];
        let heading = "Against the baseline: 0 changed beyond the spread, 2 did not.\n";
        assert_eq!(compare(&now).0, heading);
        let now = [measurement("a", [80.0, 79.0, 89.0]), measurement("b", [100.0, 99.0, 101.0])];
        let report = "Against the baseline: 2 changed beyond the spread, 0 did not.\n  \
             a scalar, 1 thread, proof: faster 1.25 times, 100.0 before, now 80.0 ns per puzzle\n  \
             b scalar, 1 thread, proof: slower 2.00 times, 50.0 before, now 100.0 ns per puzzle\n";
        assert_eq!(compare(&now).0, report);
    }

    #[test]
    fn other_searches_and_rows_are_reported() {
        let mut now = [measurement("a", [100.0; 3]), measurement("b", [1.0; 3])];
        now[0].nodes_per_puzzle = Some(3.25);
        now[1].rows += 1;
        let report = compare(&now).0;
        let searches = "a scalar, 1 thread, proof: other searches, 2.2500 nodes before, now 3.2500";
        assert!(report.contains(searches) && report.contains("(other rows)"), "{report}");
    }

    #[test]
    fn a_slowdown_shows_in_the_median_and_the_fastest_round() {
        let is_slower = |times| compare(&[measurement("a", times)]).1[0].1 > 1.05;
        assert!(is_slower([106.0, 95.0, 200.0]));
        assert!(!is_slower([106.0, 94.0, 200.0]) && !is_slower([104.0, 100.0, 200.0]));
    }

    #[test]
    fn json_with_few_fields_is_read() {
        let json =
            br#"[{"set": "a", "engine": "scalar", "simd": null, "threads": 1, "mode": "proof",
            "rows": 10, "ns_per_puzzle": 1.0, "ns_min": 1, "ns_max": 1, "unknown": null}]"#;
        let baseline = Baseline::read(json).unwrap();
        assert!(baseline.has("a scalar, 1 thread, proof"));
        assert!(!baseline.has("a scalar, 2 threads, proof"));
        assert!(baseline.other_machine(&Machine::default()).is_none());
        let report = baseline.compare(&[measurement("a", [1.0; 3])]).0;
        assert!(report.contains("1 did not") && !report.contains("searches"), "{report}");
        assert!(Baseline::read(b"{}").is_err());
    }
}
