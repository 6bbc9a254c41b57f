//! A table for a terminal.

use std::io::{self, Write};

use super::Report;
use super::columns::{COLUMNS, cells};
use crate::measure::record::Measurement;

/// Columns of spaces.
#[derive(Clone, Copy, Debug)]
pub struct Table;

impl Report for Table {
    fn write(&self, measurements: &[Measurement], out: &mut dyn Write) -> io::Result<()> {
        let headings = COLUMNS.each_ref().map(|column| column.heading.to_owned());
        let lines: Vec<_> =
            std::iter::once(headings).chain(measurements.iter().map(cells)).collect();
        let widths: [usize; COLUMNS.len()] = std::array::from_fn(|i| {
            lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)
        });
        for line in &lines {
            let mut text = String::new();
            for ((cell, width), column) in line.iter().zip(widths).zip(&COLUMNS) {
                let padding = " ".repeat(width - cell.chars().count());
                let (before, after) = if column.number { (&*padding, "") } else { ("", &*padding) };
                text.extend([before, cell, after, "  "]);
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let text = written(&Table);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ns/puzzle"), end(lines[1], "58.2"));
        assert_eq!(lines[1].find("scalar"), lines[2].find("scalar"));
    }
}
