//! A table for a README.

use std::io::{self, Write};

use super::Report;
use super::columns::{COLUMNS, cells};
use crate::measure::record::Measurement;

/// A Markdown table.
#[derive(Clone, Copy, Debug)]
pub struct Markdown;

impl Report for Markdown {
    fn write(&self, measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "| {} |", COLUMNS.each_ref().map(|column| column.heading).join(" | "))?;
        let rules = COLUMNS.each_ref().map(|column| if column.number { "---:" } else { "---" });
        writeln!(out, "|{}|", rules.join("|"))?;
        for measurement in measurements {
            let cells = cells(measurement).map(|cell| cell.replace('|', "\\|"));
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn every_line_has_all_cells() {
        let text = written(&Markdown);
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().all(|line| line.matches('|').count() == COLUMNS.len() + 1), "{text}");
        assert!(text.contains("| easy | scalar | - | 1 | proof | 1000 | 58.2 |"), "{text}");
    }
}
