//! Parses pencil marks from a line, a drawn grid, or a puzzle.

use std::str::FromStr;

use super::Marks;
use crate::forms;
use crate::puzzle::Malformed;

impl FromStr for Marks {
    type Err = Malformed;

    /// Parses any form of a puzzle that a line or a field of an input may have: 81 cells, a list, 729
    /// characters like [`Marks::parse`], or nine rows of nine cells, each with its candidates (`1679`, or
    /// in nine places `1____67_9`) or a blank for all of them. A clue is the only candidate of its cell.
    ///
    /// Error messages include the line or the column.
    fn from_str(text: &str) -> Result<Self, Malformed> {
        let form = forms::read(text.as_bytes()).map_err(|Malformed { column, what }| {
            let has_line = what.starts_with("line ");
            let what = if has_line { what } else { format!("column {column}: {what}") };
            Malformed { column, what }
        });
        Ok(form?.marks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARD: &str =
        "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";

    #[test]
    fn all_forms_parse_to_the_same_marks() {
        let marks: Marks = HARD.parse().unwrap();
        let rows: Vec<&str> = (0..9).map(|row| &HARD[row * 9..][..9]).collect();
        let spaced = |row: &&str| {
            let cells: Vec<String> = row.chars().map(String::from).collect();
            cells.chunks(3).map(|three| three.join(" ")).collect::<Vec<_>>().join(" | ")
        };
        let plain = rows.join("\n");
        let with_rules = rows.iter().map(spaced).collect::<Vec<_>>().join("\n------+-------+---\n");
        for text in [plain, format!("# grid\n\n{with_rules}\nstuck, 60 open"), marks.to_string()] {
            assert_eq!(text.parse(), Ok(marks), "{text}");
        }
    }

    #[test]
    fn parses_candidates_in_places_and_forum_frames() {
        let marks: Marks = HARD.parse().unwrap();
        let cell = |cell: usize| -> String {
            let digits = marks.of_cell(cell);
            (1..=9)
                .map(|digit| if digits.contains(digit) { char::from(b'0' + digit) } else { '_' })
                .collect()
        };
        let rows: Vec<String> = (0..9)
            .map(|row| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" "))
            .collect();
        let placed = rows.join("\n");
        let framed =
            format!(".-----.-----.\n| {} |\n'-----'-----'", rows.join(" |\n:-----+-----:\n│ "));
        let dotted = HARD.replace("...", "…");
        for text in [placed, framed, dotted] {
            assert_eq!(text.parse(), Ok(marks), "{text}");
        }
    }

    #[test]
    fn errors_have_a_line_or_column() {
        let error = |text: &str| text.parse::<Marks>().unwrap_err().to_string();
        assert!(error("12").contains("column 3: 2 cells"), "{}", error("12"));
        assert!(error(&"2".repeat(729)).starts_with("column 1: pencil marks: 2 in the place of 1"));
        assert_eq!(error("1 2\n3"), "line 1: row 1 of the grid has 2 cells, nine expected");
        assert_eq!(error("123456789\n456789123"), "line 1: a grid of 2 rows, nine expected");
    }
}
