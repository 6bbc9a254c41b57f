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

use super::{Row, RowBuffer, TextRows};
use crate::puzzle::CELLS;

/// Returns the format of a label, and the grid and a blank line if there is a solution; labels
/// include the input's name if `with_file`.
pub fn labeled_grids(with_file: bool) -> TextRows {
    TextRows::new(move || {
        move |row: &Row<'_>, out: &mut RowBuffer| {
            // A line feed in a name must not end the label.
            let file = if with_file {
                format!("{}, ", row.file().replace(char::is_control, "?"))
            } else {
                String::new()
            };
            let label = format!("# {file}line {}: {}\n", row.line(), row.status().name());
            out.append(label.as_bytes());
            push_solution(row, b"", out);
            if row.solution().is_some() {
                out.append(b"\n");
            }
        }
    })
}

/// Returns the format of the cells of each row under a label, for generated puzzles.
pub fn puzzle_grids() -> TextRows {
    TextRows::new(|| {
        |row: &Row<'_>, out: &mut RowBuffer| {
            let seed = row.results().seed.unwrap_or_default();
            out.append(format!("# row {} of seed {seed}\n", row.line()).as_bytes());
            for line in row.text().chunks(9) {
                out.append(line);
                out.append(b"\n");
            }
            out.append(b"\n");
        }
    })
}

/// Returns the format of nine lines per solution, with this text between digits: a space for BOJ
/// 2580, nothing for BOJ 2239. A record without a solution has a message instead.
pub fn judge_grids(separator: &'static str) -> TextRows {
    let encoder = move || {
        move |row: &Row<'_>, out: &mut RowBuffer| push_solution(row, separator.as_bytes(), out)
    };
    TextRows { shows_failures: false, ..TextRows::new(encoder) }
}

/// Appends the nine lines of a solution.
fn push_solution(row: &Row<'_>, separator: &[u8], out: &mut RowBuffer) {
    let Some(grid) = row.solution() else { return };
    let mut text = Vec::with_capacity(2 * CELLS);
    for (cell, digit) in (1..).zip(grid.cells()) {
        text.push(b'0' + digit);
        text.extend_from_slice(if cell % 9 == 0 { b"\n" } else { separator });
    }
    out.append(&text);
}
