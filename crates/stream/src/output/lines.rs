//! Lines: one column of cells, one line per row. The line of a missing value is empty.

use memchr::memchr;

use super::value::without_controls;
use super::{Column, Encoder, Format, Needs, Row, RowBuffer, TextRows, Value, each_row};
use bulkdoku_core::puzzle::CELLS;

/// One line per row, with the value of this column: a puzzle, solution, or canonical form.
#[derive(Clone, Copy, Debug)]
pub struct Lines(pub Column);

impl Format for Lines {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(|row, out| {
            match self.0.value(row) {
                Value::Cells(cells) => out.append_first(CELLS, cells),
                Value::Grid(grid) => out.grid(grid),
                Value::Form(form) => out.append_first(CELLS, &form.text()),
                Value::Text(text) if memchr(b'\n', text).is_some() => {
                    let line = text.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte });
                    out.append(&without_controls(&line.collect::<Vec<_>>()));
                }
                Value::Text(text) => out.append(&without_controls(text)),
                _ => {}
            }
            out.push(b'\n');
        })
    }
}

/// Returns the format of the line of each record as written in the input.
pub fn input_lines() -> TextRows {
    TextRows::new(|| {
        |row: &Row<'_>, out: &mut RowBuffer| {
            out.append(row.line_text());
            out.push(b'\n');
        }
    })
}
