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
pub enum MeasurementFormat {
    Table,
    #[value(alias = "md")]
    Markdown,
    Csv,
    Json,
}

/// The number of text columns, which come first; the others are numbers.
pub const TEXTS: usize = 5;

/// A table column: its heading, and the function that formats a cell.
type TableColumn = (&'static str, fn(&Measurement) -> String);

/// The table columns.
pub const COLUMNS: [TableColumn; 15] = [
    ("set", |of| of.set.clone()),
    ("engine", |of| of.engine.clone()),
    ("simd", |of| of.simd.clone().unwrap_or("-".into())),
    ("threads", |of| of.threads.to_string()),
    ("mode", |of| of.mode.clone()),
    ("rows", |of| of.rows.to_string()),
    ("ns/puzzle", |of| format!("{:.1}", of.ns_per_puzzle)),
    ("min", |of| format!("{:.1}", of.ns_min)),
    ("max", |of| format!("{:.1}", of.ns_max)),
    ("puzzles/s", |of| HumanCount(of.puzzles_per_second.round() as u64).to_string()),
    ("guesses", |of| format!("{:.2}", of.guesses_per_puzzle)),
    ("nodes", |of| format!("{:.2}", of.nodes_per_puzzle)),
    ("no guess", |of| format!("{:.1} %", of.share_without_guess * 100.0)),
    ("p50, p99", |of| {
        let [p50, p99] = [of.latency_p50_ns, of.latency_p99_ns].map(|ns| human_time(ns as f64));
        format!("{p50}, {p99}")
    }),
    ("slowest", |of| human_time(of.latency_max_ns as f64)),
];

impl MeasurementFormat {
    /// The file extensions that choose a format.
    const EXTENSIONS: [&str; 4] = ["json", "csv", "md", "markdown"];

    /// Returns the requested format, or that of the output's extension, or a table. Without a
    /// request, extensions of other formats are refused.
    pub fn choose(requested: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        output.map_or(Ok(()), extensions::check)?;
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

    /// Formats measurements.
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

/// Returns the JSON of a measurement, with the times of all rounds and its origin.
fn entry(of: &Measurement) -> serde_json::Result<Value> {
    let mut entry = serde_json::to_value(of)?;
    entry["ns_rounds"] = json!(of.ns_rounds);
    // See `docs/schemas/`.
    entry["schema"] = 1.into();
    entry["version"] = version::VERSION.into();
    entry["date"] = version::date(SystemTime::now()).into();
    entry["machine"] = json!(version::machine());
    Ok(entry)
}

/// Formats aligned columns; in Markdown, with a ruler below the headings.
fn table(measurements: &[Measurement], separator: &str, is_markdown: bool) -> String {
    let mut lines = vec![COLUMNS.map(|(heading, _)| heading.into())];
    lines.extend(measurements.iter().map(|of| COLUMNS.map(|(_, cell)| cell(of))));
    if is_markdown {
        lines.iter_mut().flatten().for_each(|cell| *cell = cell.replace('|', "\\|"));
    }
    let widths: [usize; COLUMNS.len()] = std::array::from_fn(|i| {
        lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)
    });
    if is_markdown {
        let ruler = |i: usize| match (i, "-".repeat(widths[i])) {
            (..TEXTS, ruler) => ruler,
            (_, ruler) => format!("{}:", &ruler[1..]),
        };
        lines.insert(1, std::array::from_fn(ruler));
    }
    let line = |cells: &[String; COLUMNS.len()]| {
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

    #[test]
    fn columns_of_tables_are_aligned() {
        let fast = Measurement { set: "a|b".into(), ns_per_puzzle: 58.25, ..Default::default() };
        let slow = Measurement { ns_per_puzzle: 3579.0, ..fast.clone() };
        let text = table(&[fast.clone(), slow], "  ", false);
        let lines: Vec<_> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], " 58.2"));
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[2], "3579.0"));

        let text = table(&[fast], " | ", true).replace("a\\|b", "set");
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().all(|line| line.matches('|').count() == COLUMNS.len() + 1), "{text}");
        assert!(text.contains(" | ---: | --------: | "), "{text}");
    }
}
