//! Arrays of `NumPy` (.npy): 81 bytes per record, 0 for a blank.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. Its header
//! holds the number of rows, so it is rewritten at the end ([`Format::final_header`]).

use super::{Column, Encoder, Format, Needs, Row, RowBuffer, Rows, Value};
use crate::puzzle::{CELLS, Puzzle};

/// The length of the header, for any number of rows: a multiple of 64.
pub const HEADER: usize = 128;

/// An array of type `uint8` and shape (records, 81): the cells of each record in one column.
#[derive(Clone, Copy, Debug)]
pub struct NpyRows {
    column: Column,
}

impl NpyRows {
    /// An array of this column; `None` unless it is the puzzle, the solution or the canonical form.
    pub fn of(column: Column) -> Option<Self> {
        let is_cells = matches!(column, Column::Puzzle | Column::Solution | Column::Canonical);
        is_cells.then_some(Self { column })
    }

    /// The cells of a row; all blank if it has none.
    fn cells(self, row: &Row<'_>) -> [u8; CELLS] {
        match self.column.value(row) {
            Value::Cells(text) => *Puzzle::from_text(text).unwrap_or_default().cells(),
            Value::Grid(grid) => *grid.cells(),
            Value::Form(form) => *form.cells(),
            _ => [0; CELLS],
        }
    }
}

fn header(rows: u64) -> Vec<u8> {
    let dictionary =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {CELLS}), }}");
    // The magic, the version and the length precede it.
    let length = HEADER - 10;
    let mut header = b"\x93NUMPY\x01\0".to_vec();
    header.extend_from_slice(&(length as u16).to_le_bytes());
    header.extend_from_slice(format!("{dictionary:<width$}\n", width = length - 1).as_bytes());
    header
}

impl Format for NpyRows {
    fn needs(&self) -> Needs {
        self.column.needs()
    }

    fn header(&self) -> Vec<u8> {
        header(0)
    }

    fn final_header(&self, rows: u64) -> Option<Vec<u8>> {
        Some(header(rows))
    }

    fn encoder(&self) -> Box<dyn Encoder + '_> {
        Box::new(|rows: &Rows<'_>, out: &mut RowBuffer| {
            rows.for_each(|row| out.append(&self.cells(row)));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_length() {
        for rows in [0, 7, u64::MAX] {
            let header = header(rows);
            assert_eq!((header.len(), header[HEADER - 1]), (HEADER, b'\n'));
            let text = String::from_utf8_lossy(&header[10..]).into_owned();
            assert!(text.contains(&format!("({rows}, 81)")), "{text}");
        }
    }
}
