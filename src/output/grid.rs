//! Grids: nine lines per solution or puzzle.
//!
//! Labeled grids are meant for people. A record without a solution has only its label, which
//! readers of grids treat as a comment.
//!
//! ```text
//! # line 12: unique
//! 534678912
//! 672195348
//! …
//! 345286179
//!
//! # line 13: unsolvable
//! ```
//!
//! The judge problems BOJ 2580 and BOJ 2239 expect grids without labels.

use super::{Encoder, Format, Row, RowBuffer, Rows};

/// A label, and the grid and a blank line if there is a solution.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabeledGrids {
    /// Whether the label includes the input's name.
    pub with_file: bool,
}

/// The cells of each row under a label, for generated puzzles.
#[derive(Clone, Copy, Debug, Default)]
pub struct PuzzleGrids;

/// Nine lines per solution; a record without a solution has a message instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeGrids {
    /// BOJ 2580: nine numbers separated by spaces.
    Spaced,
    /// BOJ 2239: nine digits.
    Plain,
}

/// Appends the text that `write` creates for each row.
fn encode(mut write: impl FnMut(&Row<'_>, &mut Vec<u8>)) -> impl Encoder {
    let mut text = Vec::new();
    move |rows: &Rows<'_>, out: &mut RowBuffer| {
        rows.for_each(|row| {
            text.clear();
            write(row, &mut text);
            out.append(&text);
        });
    }
}

/// Appends the nine lines of a solution.
fn push_solution(row: &Row<'_>, separator: &[u8], text: &mut Vec<u8>) {
    let Some(grid) = row.solution() else { return };
    for (cell, digit) in (1..).zip(grid.cells()) {
        text.push(b'0' + digit);
        text.extend_from_slice(if cell % 9 == 0 { b"\n" } else { separator });
    }
}

impl Format for LabeledGrids {
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(encode(|row, text| {
            // A line feed in a name must not end the label.
            let file = if self.with_file {
                format!("{}, ", row.file().replace(char::is_control, "?"))
            } else {
                String::new()
            };
            let label = format!("# {file}line {}: {}\n", row.line(), row.status().name());
            text.extend_from_slice(label.as_bytes());
            push_solution(row, b"", text);
            if row.solution().is_some() {
                text.push(b'\n');
            }
        }))
    }
}

impl Format for PuzzleGrids {
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(encode(|row, text| {
            let seed = row.results().seed.unwrap_or_default();
            text.extend_from_slice(format!("# row {} of seed {seed}\n", row.line()).as_bytes());
            for line in row.text().chunks(9) {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            text.push(b'\n');
        }))
    }
}

impl Format for JudgeGrids {
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        let separator: &[u8] = if *self == Self::Spaced { b" " } else { b"" };
        Box::new(encode(move |row, text| push_solution(row, separator, text)))
    }

    fn shows_failures(&self) -> bool {
        false
    }
}
