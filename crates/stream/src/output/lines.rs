//! Rows without columns: one line of cells per row, or grids of nine lines.
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

use super::value::without_controls;
use super::{Column, Row, RowBuffer, TextRows, Value};
use crate::pipeline::visible;
use bulkdoku_core::puzzle::CELLS;

/// Returns the format of one line per row, with the value of this column: a puzzle, solution, or
/// canonical form. The line of a missing value is empty.
pub fn lines(column: Column) -> TextRows {
    let rows = TextRows::new(move |row, out| {
        match column.value(row) {
            Value::Cells(cells) => out.append_first(CELLS, cells),
            Value::Grid(grid) => out.grid(grid),
            Value::Form(form) => out.append_first(CELLS, &form.text()),
            Value::Text(text) => {
                let line = text.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte });
                out.append(&without_controls(&line.collect::<Vec<_>>()));
            }
            _ => {}
        }
        out.push(b'\n');
    });
    TextRows { needs: column.needs(), ..rows }
}

/// Returns the format of the line of each record as written in the input.
pub fn input_lines() -> TextRows {
    TextRows::new(|row, out| {
        out.append(row.line_text());
        out.push(b'\n');
    })
}

/// Returns the format of a label, and the grid and a blank line if there is a solution; labels
/// include the input's name if `with_file`.
pub fn labeled_grids(with_file: bool) -> TextRows {
    TextRows::new(move |row, out| {
        let file = if with_file { format!("{}, ", visible(row.file())) } else { String::new() };
        let label = format!("# {file}line {}: {}\n", row.line(), row.status().name());
        out.append(label.as_bytes());
        push_solution::<10>(row, out);
        if row.solution().is_some() {
            out.append(b"\n");
        }
    })
}

/// Returns the format of the cells of each row under a label, for generated puzzles.
pub fn puzzle_grids() -> TextRows {
    TextRows::new(|row, out| {
        let seed = row.rows.results.seed.unwrap_or_default();
        out.append(format!("# row {} of seed {seed}\n", row.line()).as_bytes());
        for line in row.text().chunks(9) {
            out.append(line);
            out.append(b"\n");
        }
        out.append(b"\n");
    })
}

/// Returns the format of nine lines per solution: digits with spaces between them for BOJ 2580, or
/// without for BOJ 2239. A record without a solution has no row; [`Options::reported`] reports it.
///
/// [`Options::reported`]: crate::pipeline::Options::reported
pub fn judge_grids(has_spaces: bool) -> TextRows {
    TextRows::new(if has_spaces { push_solution::<18> } else { push_solution::<10> })
}

/// Appends the nine lines of a solution, which have this length.
fn push_solution<const LENGTH: usize>(row: &Row<'_>, out: &mut RowBuffer) {
    let Some(grid) = row.solution() else { return };
    for digits in grid.cells().as_chunks::<9>().0 {
        let mut line = [b' '; LENGTH];
        for (place, digit) in digits.iter().enumerate() {
            line[place * (LENGTH / 9)] = b'0' + digit;
        }
        line[LENGTH - 1] = b'\n';
        out.append_first(LENGTH, &line);
    }
}
