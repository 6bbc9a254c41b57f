//! Lines: one column of cells, one line per row. A row without a value has an empty line.
//! [`InputLines`] copies the lines of the input instead.

use super::{Column, Encoder, Format, Needs, RowBuffer, Rows, Value};

/// One line per row: its value in this column, which holds puzzles, solutions, or canonical forms.
#[derive(Clone, Copy, Debug)]
pub struct Lines(pub Column);

impl Format for Lines {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| {
                out.append_row(row.text().len() + LINE, b'\n', |fields| match self.0.value(row) {
                    Value::Cells(cells) => fields.cells(cells),
                    Value::Grid(grid) => fields.grid(grid),
                    Value::Form(form) => fields.cells(&form.text()),
                    Value::Text(text) => fields.text(text),
                    _ => fields.empty(),
                });
            });
        })
    }
}

/// The line of each record as it is in the input.
#[derive(Clone, Copy, Debug)]
pub struct InputLines;

impl Format for InputLines {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| {
                let line = row.line_text();
                out.append_row(line.len() + 1, b'\n', |fields| fields.text(line));
            });
        })
    }
}

/// The longest line that is not foreign text.
const LINE: usize = crate::puzzle::CELLS + 1;
