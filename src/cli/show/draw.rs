//! Draws cells as a grid of text.

use std::fmt;

use bulkdoku::Marks;
use bulkdoku::puzzle::CELLS;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

/// Nine rows of cells with columns of equal width, and rules between the boxes.
pub struct Drawing<'a> {
    pub marks: &'a Marks,
    /// The given candidates. Single digits are bold if they are given, and green otherwise.
    pub given: &'a Marks,
    pub color: bool,
}

impl Drawing<'_> {
    /// Returns the text of a cell; `.` means all digits.
    fn cell(&self, cell: usize) -> String {
        let digits = self.marks.of_cell(cell);
        if digits.len() == 9 { ".".into() } else { digits.to_string() }
    }

    /// Returns the escape sequences around a cell.
    fn colors(&self, cell: usize) -> [&'static str; 2] {
        let single = |marks: &Marks| marks.of_cell(cell).len() == 1;
        match () {
            () if !self.color || !single(self.marks) => ["", ""],
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

#[cfg(test)]
mod tests {
    use super::*;

    const HARD: &str =
        "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";

    #[test]
    fn a_grid_has_rules_between_the_boxes() {
        let marks: Marks = HARD.parse().unwrap();
        let text = Drawing { marks: &marks, given: &marks, color: false }.to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "4 . . | . . . | 8 . 5");
        assert_eq!(lines[3], "------+-------+------");
        assert_eq!((lines.len(), text.parse()), (11, Ok(marks)));
    }

    #[test]
    fn color_tells_what_was_given() {
        let given: Marks = format!("4{}", ".".repeat(80)).parse().unwrap();
        let marks: Marks = format!("45{}", ".".repeat(79)).parse().unwrap();
        let text = Drawing { marks: &marks, given: &given, color: true }.to_string();
        assert!(text.starts_with("\x1b[1m4\x1b[0m \x1b[32m5\x1b[0m . |"), "{text:?}");
    }
}
