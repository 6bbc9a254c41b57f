//! `NumPy` arrays (.npy): 81 bytes per record, with 0 for blank cells.
//!
//! The header contains the number of rows, so it is rewritten at the end. For the format, see
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io;

use super::{Assembler, Column, Emit, Encoder, Format, Needs, Row, Value, each_row};
use bulkdoku_core::Puzzle;
use bulkdoku_core::puzzle::CELLS;

/// The length of the header for any number of rows, a multiple of 64.
const HEADER: usize = 128;

/// An array of type `uint8` and shape (records, 81) with the cells of one column.
#[derive(Clone, Copy, Debug)]
pub struct NpyRows {
    column: Column,
    /// The number of bytes of cells in the file so far.
    bytes: u64,
}

impl NpyRows {
    /// Creates an array of puzzles, solutions, or canonical forms; `None` for other columns.
    pub fn of(column: Column) -> Option<Self> {
        let is_cells = matches!(column, Column::Puzzle | Column::Solution | Column::Canonical);
        is_cells.then_some(Self { column, bytes: 0 })
    }

    /// Returns the cells of a row; all blank if it has none.
    fn cells(self, row: &Row<'_>) -> [u8; CELLS] {
        match self.column.value(row) {
            Value::Cells(text) => *Puzzle::from_text(text).unwrap_or_default().cells(),
            Value::Grid(grid) => *grid.cells(),
            Value::Form(form) => *form.cells(),
            _ => [0; CELLS],
        }
    }
}

/// Returns the header of an array with this number of rows.
fn header(rows: u64) -> Vec<u8> {
    let shape = format!("({rows}, {CELLS})");
    let dictionary = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
    // The header starts with magic bytes, version, and length.
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

    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(|row, out| out.append(&self.cells(row)))
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(*self)))
    }
}

impl Assembler for NpyRows {
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        self.bytes += encoded.len() as u64;
        emit(encoded)
    }

    fn finish(&mut self, _: &mut Emit<'_>) -> io::Result<Option<Vec<u8>>> {
        Ok(Some(header(self.bytes / CELLS as u64)))
    }
}
