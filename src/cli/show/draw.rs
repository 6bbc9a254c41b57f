//! Draws cells as a grid of text.

use std::fmt;

use bulkdoku::Marks;
use bulkdoku::logic::{Step, Technique};
use bulkdoku::puzzle::CELLS;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const PLAIN: &str = "\x1b[0m";

/// Nine rows of cells with columns of equal width, and rules between the boxes.
pub struct Drawing<'a> {
    pub marks: &'a Marks,
    /// The given candidates. Single digits are bold if they are given, and green otherwise.
    pub given: &'a Marks,
    /// The step to mark, and the cells (bits) that have a digit before it. Others are open, even
    /// with one candidate.
    pub step: Option<(&'a Step, u128)>,
    pub color: bool,
}

impl Drawing<'_> {
    /// Returns the text of a cell; `.` means all digits. In a step, `*` marks the cells of the
    /// pattern, `-` a candidate that is removed, and `=` a digit that is placed.
    fn cell(&self, cell: usize) -> String {
        let digits = self.marks.of_cell(cell);
        let Some((step, filled)) = self.step else {
            return if digits.len() == 9 { ".".into() } else { digits.to_string() };
        };
        // Singles are seen without candidates.
        let is_single = step.technique <= Technique::NakedSingle;
        let is_open = filled >> cell & 1 == 0;
        let mut text = if is_single && is_open { ".".into() } else { digits.to_string() };
        if self.is_in_pattern(cell) {
            text.insert(0, '*');
        }
        let removed = step.eliminated.iter().filter(|it| it.cell == cell);
        let removed: String = removed.map(|it| it.digit.to_string()).collect();
        match step.placed {
            Some(placed) if placed.cell == cell && is_single => format!("={}", placed.digit),
            Some(placed) if placed.cell == cell => format!("{text}={}", placed.digit),
            _ if removed.is_empty() => text,
            _ => format!("{text}-{removed}"),
        }
    }

    fn is_in_pattern(&self, cell: usize) -> bool {
        self.step.is_some_and(|(step, _)| step.pattern_cells() >> cell & 1 != 0)
    }

    fn is_changed(&self, cell: usize) -> bool {
        self.step.is_some_and(|(step, _)| {
            step.placed.iter().chain(&step.eliminated).any(|changed| changed.cell == cell)
        })
    }

    fn colors(&self, cell: usize) -> [&'static str; 2] {
        let single = |marks: &Marks| marks.of_cell(cell).len() == 1;
        let is_open = self.step.is_some_and(|(_, filled)| filled >> cell & 1 == 0);
        match () {
            () if !self.color => ["", ""],
            () if self.is_changed(cell) => [RED, PLAIN],
            () if self.is_in_pattern(cell) => [YELLOW, PLAIN],
            () if !single(self.marks) || is_open => ["", ""],
            () if single(self.given) => [BOLD, PLAIN],
            () => [GREEN, PLAIN],
        }
    }
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = (0..CELLS).map(|cell| self.cell(cell).len()).max().unwrap_or(1);
        let rule = "-".repeat(3 * (width + 1));
        for row in 0..9 {
            if row == 3 || row == 6 {
                writeln!(f, "{rule}+-{rule}+-{}", &rule[1..])?;
            }
            let mut line = String::new();
            for column in 0..9 {
                if column == 3 || column == 6 {
                    line += "| ";
                }
                let cell = row * 9 + column;
                let [begin, end] = self.colors(cell);
                let text = self.cell(cell);
                let space = " ".repeat(width + 1 - text.len());
                line.extend([begin, &text, end, &space]);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
