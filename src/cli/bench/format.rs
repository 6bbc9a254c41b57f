//! Measurements as tables, CSV, and JSON.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use bulkdoku::measure::Measurement;
use bulkdoku::stats::human_time;
use clap::ValueEnum;
use indicatif::HumanCount;
use serde_json::{Value, json};

use super::super::{Failure, extensions, version};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Table,
    #[value(alias = "md")]
    Markdown,
    Csv,
    Json,
}

/// The number of the first columns of tables that hold text; the others are numbers.
pub const TEXTS: usize = 5;

/// The headings of tables.
pub const HEADINGS: [&str; 15] = [
    "set",
    "engine",
    "simd",
    "threads",
    "mode",
    "rows",
    "ns/puzzle",
    "min",
    "max",
    "puzzles/s",
    "guesses",
    "nodes",
    "no guess",
    "p50, p99",
    "slowest",
];

/// The cells of one measurement.
pub fn cells(of: &Measurement) -> [String; HEADINGS.len()] {
    let time = |ns: u64| human_time(ns as f64);
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
        HumanCount(of.puzzles_per_second.round() as u64).to_string(),
        format!("{:.2}", of.guesses_per_puzzle),
        format!("{:.2}", of.nodes_per_puzzle),
        format!("{:.1} %", of.share_without_guess * 100.0),
        format!("{}, {}", time(of.latency_p50_ns), time(of.latency_p99_ns)),
        time(of.latency_max_ns),
    ]
}

impl Format {
    /// The file extensions that choose a format.
    const EXTENSIONS: [&str; 4] = ["json", "csv", "md", "markdown"];

    /// Chooses the requested format, that of the output's name, or a table. Refuses the names of
    /// other formats if none is requested.
    pub fn choose(requested: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        let (None, Some(path)) = (requested, output) else {
            return Ok(requested.unwrap_or(Self::Table));
        };
        let Some(extension) = extensions::of(path) else { return Ok(Self::Table) };
        if Self::EXTENSIONS.contains(&extension.as_str())
            && let Ok(format) = <Self as ValueEnum>::from_str(&extension, true)
        {
            return Ok(format);
        }
        let hint = format!("{}; --format decides for any name", extensions::COMPRESSED);
        Err(extensions::refused(path, &extension, "measurements", &Self::EXTENSIONS, &hint))
    }

    /// The text of measurements.
    pub fn text(self, measurements: &[Measurement]) -> io::Result<Vec<u8>> {
        match self {
            Self::Table => Ok(table(measurements, "  ", false).into()),
            Self::Markdown => Ok(table(measurements, " | ", true).into()),
            Self::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                for measurement in measurements {
                    writer.serialize(measurement).map_err(io::Error::other)?;
                }
                writer.into_inner().map_err(csv::IntoInnerError::into_error)
            }
            Self::Json => {
                let entries = measurements.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
                Ok(format!("{:#}\n", Value::from(entries)).into())
            }
        }
    }
}

/// A measurement with the times of all rounds and its origin.
fn entry(of: &Measurement) -> serde_json::Result<Value> {
    let mut entry = serde_json::to_value(of)?;
    entry["ns_rounds"] = json!(of.ns_rounds);
    entry["version"] = version::VERSION.into();
    entry["date"] = version::date(SystemTime::now()).into();
    entry["machine"] = json!(version::machine());
    Ok(entry)
}

/// Lines of aligned cells, in Markdown with a ruler below the headings.
fn table(measurements: &[Measurement], separator: &str, is_markdown: bool) -> String {
    let mut lines = vec![HEADINGS.map(String::from)];
    lines.extend(measurements.iter().map(cells));
    if is_markdown {
        lines.iter_mut().flatten().for_each(|cell| *cell = cell.replace('|', "\\|"));
    }
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(|i| {
        lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)
    });
    if is_markdown {
        let ruler = |i: usize| match (i, "-".repeat(widths[i])) {
            (..TEXTS, ruler) => ruler,
            (_, ruler) => format!("{}:", &ruler[1..]),
        };
        lines.insert(1, std::array::from_fn(ruler));
    }
    let line = |cells: &[String; HEADINGS.len()]| {
        let padded = cells.iter().zip(widths).enumerate().map(|(i, (cell, width))| {
            if i < TEXTS { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let text = padded.collect::<Vec<_>>().join(separator);
        if is_markdown { format!("| {text} |\n") } else { format!("{}\n", text.trim_end()) }
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: Format) -> String {
        let fast = Measurement {
            set: "a|b".into(),
            engine: "scalar",
            threads: 1,
            mode: "proof".into(),
            ns_per_puzzle: 58.25,
            ns_rounds: vec![57.0, 58.25],
            ..Measurement::default()
        };
        let slow = Measurement { simd: Some("avx2"), ns_per_puzzle: 3579.0, ..fast.clone() };
        String::from_utf8(format.text(&[fast, slow]).unwrap()).unwrap()
    }

    #[test]
    fn columns_of_tables_are_aligned() {
        let text = text(Format::Table);
        let lines: Vec<_> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], " 58.2"));
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[2], "3579.0"));
        assert_eq!(lines[1].find("proof"), lines[2].find("proof"));
    }

    #[test]
    fn lines_of_markdown_have_all_cells() {
        let text = text(Format::Markdown).replace("a\\|b", "set");
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().all(|line| line.matches('|').count() == HEADINGS.len() + 1), "{text}");
        assert!(text.contains(" | ---: | --------: | "), "{text}");
    }

    #[test]
    fn csv_and_json_have_the_fields() {
        let csv = text(Format::Csv);
        assert!(csv.starts_with("set,engine,simd,threads,mode,rows,ns_per_puzzle,"), "{csv}");
        assert!(csv.contains("\na|b,scalar,avx2,1,proof,0,3579.0,"), "{csv}");
        let json: Value = serde_json::from_str(&text(Format::Json)).unwrap();
        assert_eq!((&json[1]["simd"], &json[0]["simd"]), (&"avx2".into(), &Value::Null));
        assert_eq!(json[0]["ns_rounds"], json!([57.0, 58.25]));
    }
}
