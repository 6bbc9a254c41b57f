//! Measurements as tables, CSV, and JSON.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use bulkdoku::measure::Measurement;
use bulkdoku::stats::human_time;
use clap::ValueEnum;
use indicatif::{HumanBytes, HumanCount};
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
pub type TableColumn = (&'static str, fn(&Measurement) -> String);

/// The table columns of engines.
const COLUMNS: [TableColumn; 15] = [
    ("set", |of| of.set.clone()),
    ("engine", |of| of.engine.clone()),
    ("simd", |of| of.simd.clone().unwrap_or("-".into())),
    ("threads", |of| of.threads.to_string()),
    ("mode", |of| of.mode.clone()),
    ("rows", |of| of.rows.to_string()),
    ("ns/puzzle", |of| match &of.invalid {
        None => format!("{:.1}", of.ns_per_puzzle),
        Some(_) => "invalid".into(),
    }),
    ("min", |of| number(of.ns_min, 1)),
    ("max", |of| number(of.ns_max, 1)),
    ("puzzles/s", |of| match of.puzzles_per_second {
        rate if rate.is_nan() => "-".into(),
        rate => HumanCount(rate.round() as u64).to_string(),
    }),
    ("guesses", |of| number(of.guesses_per_puzzle, 2)),
    ("nodes", |of| number(of.nodes_per_puzzle, 2)),
    ("no guess", |of| format!("{:.1} %", of.share_without_guess * 100.0)),
    ("p50, p99", |of| {
        if of.latency_max_ns == 0 {
            return "-".into();
        }
        let [p50, p99] = [of.latency_p50_ns, of.latency_p99_ns].map(|ns| human_time(ns as f64));
        format!("{p50}, {p99}")
    }),
    ("slowest", |of| match of.latency_max_ns {
        0 => "-".into(),
        ns => human_time(ns as f64),
    }),
];

/// The number of [`COLUMNS`] that other solvers have as well.
const COMMON: usize = 10;

/// The table columns of other solvers, which follow.
const OF_SOLVERS: [TableColumn; 4] = [
    ("user ns", |of| of.user_ns_per_puzzle.map_or("-".into(), |ns| number(ns, 1))),
    ("system ns", |of| of.system_ns_per_puzzle.map_or("-".into(), |ns| number(ns, 1))),
    ("start-up", |of| of.startup_ns.map_or("-".into(), human_time)),
    ("peak", |of| of.peak_bytes.map_or("-".into(), |bytes| HumanBytes(bytes).to_string())),
];

/// Returns the table columns: if there are other solvers, those that all have, and theirs.
pub fn columns(measurements: &[Measurement]) -> Vec<TableColumn> {
    let is_solver = |of: &Measurement| of.startup_ns.is_some() || of.invalid.is_some();
    if measurements.iter().any(is_solver) {
        return [&COLUMNS[..COMMON], &OF_SOLVERS].concat();
    }
    COLUMNS.to_vec()
}

/// Formats a number, if it is one.
fn number(number: f64, places: usize) -> String {
    if number.is_nan() { "-".into() } else { format!("{number:.places$}") }
}

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
pub fn entry(of: &Measurement) -> serde_json::Result<Value> {
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
    let columns = columns(measurements);
    let mut lines: Vec<Vec<String>> =
        vec![columns.iter().map(|(heading, _)| (*heading).into()).collect()];
    let cells = |of| columns.iter().map(|(_, cell)| cell(of)).collect();
    lines.extend(measurements.iter().map(cells));
    if is_markdown {
        lines.iter_mut().flatten().for_each(|cell| *cell = cell.replace('|', "\\|"));
    }
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    if is_markdown {
        let ruler = |i: usize| match (i, "-".repeat(widths[i])) {
            (..TEXTS, ruler) => ruler,
            (_, ruler) => format!("{}:", &ruler[1..]),
        };
        lines.insert(1, (0..columns.len()).map(ruler).collect());
    }
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
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
