//! Lines: one column of cells, one line per row. The line of a missing value is empty.
//! [`InputLines`] copies the lines of the input instead.

use memchr::memchr;

use crate::puzzle::CELLS;

use super::{Column, Encoder, Format, Needs, RowBuffer, Rows, Value};

/// One line per row, with the value of this column: a puzzle, solution, or canonical form.
#[derive(Clone, Copy, Debug)]
pub struct Lines(pub Column);

impl Format for Lines {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| {
                match self.0.value(row) {
                    Value::Cells(cells) => out.append_first(CELLS, cells),
                    Value::Grid(grid) => out.grid(grid),
                    Value::Form(form) => out.append_first(CELLS, &form.text()),
                    Value::Text(text) if memchr(b'\n', text).is_some() => {
                        let line = text.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte });
                        out.append(&line.collect::<Vec<_>>());
                    }
                    Value::Text(text) => out.append(text),
                    _ => {}
                }
                out.push(b'\n');
            });
        })
    }
}

/// The line of each record as written in the input.
#[derive(Clone, Copy, Debug)]
pub struct InputLines;

impl Format for InputLines {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| {
                out.append(row.line_text());
                out.push(b'\n');
            });
        })
    }
}
