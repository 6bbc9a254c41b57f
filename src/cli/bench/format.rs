//! Measurements as tables, CSV, and JSON.

use std::io;
use std::path::Path;

use bulkdoku::stats::human_time;
use clap::ValueEnum;
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::measurement::Measurement;
use crate::cli::version::Origin;
use crate::cli::{Failure, extensions};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MeasurementFormat {
    Table,
    #[value(alias = "md")]
    Markdown,
    Csv,
    Json,
}

/// The number of text columns, which come first; the others are numbers.
const TEXTS: usize = 5;

/// A table column: its heading, and the function that formats a cell.
type TableColumn = (&'static str, fn(&Measurement) -> Option<String>);

/// The table columns of all contenders.
const COLUMNS: [TableColumn; 10] = [
    ("set", |of| Some(of.set.clone())),
    ("engine", |of| Some(of.engine.clone())),
    ("simd", |of| of.simd.clone()),
    ("threads", |of| Some(of.threads.to_string())),
    ("mode", |of| Some(of.mode.clone())),
    ("rows", |of| Some(of.rows.to_string())),
    ("ns/puzzle", |of| match &of.invalid {
        None => number(of.ns_per_puzzle, 1),
        Some(_) => Some("invalid".into()),
    }),
    ("min", |of| number(of.ns_min, 1)),
    ("max", |of| number(of.ns_max, 1)),
    ("puzzles/s", |of| Some(HumanCount(of.puzzles_per_second?.round() as u64).to_string())),
];

/// The columns that follow if there are only engines.
const OF_ENGINES: [TableColumn; 5] = [
    ("guesses", |of| number(of.guesses_per_puzzle, 2)),
    ("nodes", |of| number(of.nodes_per_puzzle, 2)),
    ("no guess", |of| Some(format!("{:.1} %", of.share_without_guess? * 100.0))),
    ("p50, p99", |of| {
        let [p50, p99] = [of.latency_p50_ns?, of.latency_p99_ns?].map(|ns| human_time(ns as f64));
        Some(format!("{p50}, {p99}"))
    }),
    ("slowest", |of| Some(human_time(of.latency_max_ns? as f64))),
];

/// The columns that follow if there are commands.
const OF_COMMANDS: [TableColumn; 4] = [
    ("user ns", |of| number(of.user_ns_per_puzzle, 1)),
    ("system ns", |of| number(of.system_ns_per_puzzle, 1)),
    ("start-up", |of| of.startup_ns.map(human_time)),
    ("peak", |of| Some(HumanBytes(of.peak_bytes?).to_string())),
];

fn columns(measurements: &[Measurement]) -> Vec<TableColumn> {
    let is_command = |of: &Measurement| of.nodes_per_puzzle.is_none();
    let others: &[_] = if measurements.iter().any(is_command) { &OF_COMMANDS } else { &OF_ENGINES };
    [&COLUMNS, others].concat()
}

fn number(number: Option<f64>, places: usize) -> Option<String> {
    number.map(|number| format!("{number:.places$}"))
}

/// A measurement as JSON, with the times of all rounds and its origin.
#[derive(Serialize)]
pub struct Entry<'a> {
    #[serde(flatten)]
    measurement: &'a Measurement,
    ns_rounds: &'a [f64],
    /// See `docs/schemas/`.
    schema: u32,
    #[serde(flatten)]
    origin: &'a Origin,
}

/// Returns the JSON of measurements.
pub fn entries<'a>(measurements: &'a [Measurement], origin: &'a Origin) -> Vec<Entry<'a>> {
    let entry = |measurement: &'a Measurement| {
        let ns_rounds = &measurement.ns_rounds;
        Entry { measurement, ns_rounds, schema: 1, origin }
    };
    measurements.iter().map(entry).collect()
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
    pub fn text(self, measurements: &[Measurement], origin: &Origin) -> io::Result<Vec<u8>> {
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
                let mut json = serde_json::to_vec_pretty(&entries(measurements, origin))?;
                json.push(b'\n');
                Ok(json)
            }
        }
    }
}

/// Formats aligned columns; in Markdown, with a ruler below the headings.
fn table(measurements: &[Measurement], separator: &str, is_markdown: bool) -> String {
    let columns = columns(measurements);
    let mut lines: Vec<Vec<String>> =
        vec![columns.iter().map(|(heading, _)| (*heading).into()).collect()];
    let cell = |of, (_, cell): &TableColumn| cell(of).unwrap_or("-".into());
    let cells = |of| columns.iter().map(|column| cell(of, column)).collect();
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
        let fast =
            Measurement { set: "a|b".into(), ns_per_puzzle: Some(58.25), ..Default::default() };
        let slow = Measurement { ns_per_puzzle: Some(3579.0), ..fast.clone() };
        let text = table(&[fast.clone(), slow], "  ", false);
        let lines: Vec<_> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], " 58.2"));
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[2], "3579.0"));

        let text = table(&[fast], " | ", true).replace("a\\|b", "set");
        assert_eq!(text.lines().count(), 3);
        assert!(
            text.lines()
                .all(|line| line.matches('|').count() == COLUMNS.len() + OF_COMMANDS.len() + 1),
            "{text}"
        );
        assert!(text.contains(" | ---: | --------: | "), "{text}");
    }
}
