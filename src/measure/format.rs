//! Measurements as text.

use std::io::{self, Write};

use serde::Serialize;

use super::origin::Origin;
use super::record::Measurement;
use crate::stats::HumanTime;

/// The headings of tables, and whether the cells are numbers, which are aligned right.
const COLUMNS: [(&str, bool); 15] = [
    ("set", false),
    ("engine", false),
    ("simd", false),
    ("threads", true),
    ("mode", false),
    ("rows", true),
    ("ns/puzzle", true),
    ("min", true),
    ("max", true),
    ("puzzles/s", true),
    ("guesses", true),
    ("nodes", true),
    ("no guess", true),
    ("p50, p99", true),
    ("slowest", true),
];

/// The cells of one measurement.
fn cells(of: &Measurement) -> [String; COLUMNS.len()] {
    let time = |ns: u64| HumanTime::of_ns(ns as f64).to_string();
    [
        of.set.clone(),
        of.engine.into(),
        of.simd.unwrap_or("-").into(),
        of.threads.to_string(),
        of.mode.clone(),
        of.rows.to_string(),
        format!("{:.1}", of.ns_per_puzzle),
        format!("{:.1}", of.ns_min),
        format!("{:.1}", of.ns_max),
        thousands(of.puzzles_per_second.round() as u64),
        format!("{:.2}", of.guesses_per_puzzle),
        format!("{:.2}", of.nodes_per_puzzle),
        format!("{:.1} %", of.share_without_guess * 100.0),
        format!("{}, {}", time(of.latency_p50_ns), time(of.latency_p99_ns)),
        time(of.latency_max_ns),
    ]
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    groups.iter().map(|group| String::from_utf8_lossy(group)).collect::<Vec<_>>().join(",")
}

/// Writes a table for a terminal, with columns aligned by spaces.
///
/// # Errors
/// When `out` fails.
pub fn table(measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
    let headings = COLUMNS.map(|(heading, _)| heading.to_owned());
    let lines: Vec<_> = std::iter::once(headings).chain(measurements.iter().map(cells)).collect();
    let widths: [usize; COLUMNS.len()] = std::array::from_fn(|i| {
        lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)
    });
    for line in &lines {
        let mut text = String::new();
        for ((cell, width), (_, is_number)) in line.iter().zip(widths).zip(COLUMNS) {
            let padded =
                if is_number { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
            text.push_str(&padded);
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

/// Writes a Markdown table.
///
/// # Errors
/// When `out` fails.
pub fn markdown(measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {} |", COLUMNS.map(|(heading, _)| heading).join(" | "))?;
    let rules = COLUMNS.map(|(_, is_number)| if is_number { "---:" } else { "---" });
    writeln!(out, "|{}|", rules.join("|"))?;
    for measurement in measurements {
        let cells = cells(measurement).map(|cell| cell.replace('|', "\\|"));
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// Writes CSV with a header. The columns are the fields of [`Measurement`].
///
/// # Errors
/// When `out` fails.
pub fn csv(measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for measurement in measurements {
        writer.serialize(measurement).map_err(io::Error::other)?;
    }
    writer.flush()
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    measurement: &'a Measurement,
    ns_rounds: &'a [f64],
    #[serde(flatten)]
    origin: &'a Origin,
}

/// Writes JSON: a list with an object for each measurement, with the fields of [`Measurement`], the
/// times of all rounds, and their origin. It can be a baseline.
///
/// # Errors
/// When `out` fails.
pub fn json(
    measurements: &[Measurement],
    origin: &Origin,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let entries: Vec<_> = measurements
        .iter()
        .map(|measurement| Entry { measurement, ns_rounds: &measurement.ns_rounds, origin })
        .collect();
    serde_json::to_writer_pretty(&mut out, &entries)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::super::origin::Machine;
    use super::super::record::tests::measurement;
    use super::*;

    fn written(write: impl Fn(&[Measurement], &mut dyn Write) -> io::Result<()>) -> String {
        let measurements =
            [measurement("easy", [58.25, 57.0, 60.0]), measurement("hard", [3579.0; 3])];
        let mut out = Vec::new();
        write(&measurements, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_grouped() {
        let numbers = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn columns_of_tables_are_aligned() {
        let text = written(table);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], "58.2"));
        assert_eq!(lines[1].find("scalar"), lines[2].find("scalar"));
    }

    #[test]
    fn lines_of_markdown_have_all_cells() {
        let text = written(markdown);
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().all(|line| line.matches('|').count() == COLUMNS.len() + 1), "{text}");
        assert!(text.contains("| easy | scalar | - | 1 | proof | 1000 | 58.2 |"), "{text}");
    }

    #[test]
    fn the_header_of_csv_names_the_fields() {
        let text = written(csv);
        assert!(text.starts_with("set,engine,simd,threads,mode,rows,ns_per_puzzle,"), "{text}");
        assert!(text.contains("\neasy,scalar,,1,proof,1000,58.25,57.0,60.0,"), "{text}");
    }

    #[test]
    fn objects_of_json_have_rounds_and_origin() {
        let machine = Machine { cpu: None, cores: 2, simd: vec!["avx2"], os: "x", arch: "y" };
        let origin = Origin { version: "0.1".into(), date: "2026-11-22T17:00:00Z".into(), machine };
        let text = written(|measurements, out| json(measurements, &origin, out));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[0]["set"], "easy");
        assert_eq!(value[1]["ns_per_puzzle"], 3579.0);
        assert_eq!(value[0]["ns_rounds"], serde_json::json!([57.0, 58.25, 60.0]));
        assert!(value[0]["simd"].is_null());
        assert_eq!(value[1]["version"], "0.1");
        assert_eq!(value[1]["machine"]["simd"][0], "avx2");
    }
}
