//! Only solutions, one per line, or only canonical forms. A record without one has an empty line.

use super::{RowBuffer, RowFormat, Rows};
use crate::puzzle::CELLS;

/// One line per record: its solution, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolutionLines;

impl RowFormat for SolutionLines {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(CELLS + 1, b'\n', |fields| match row.outcome_or_none().solution() {
                Some(grid) => fields.grid(grid),
                None => fields.empty(),
            });
        }
    }
}

/// One line per record: its cells or marks as written.
#[derive(Clone, Copy, Debug, Default)]
pub struct PuzzleLines;

impl RowFormat for PuzzleLines {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(row.text.len() + 1, b'\n', |fields| fields.text(row.text));
        }
    }
}

/// One line per record: its canonical form, `.` for a blank, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormLines;

impl RowFormat for FormLines {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(CELLS + 1, b'\n', |fields| match row.canonical {
                Some(canonical) => fields.cells(&canonical.form.text()),
                None => fields.empty(),
            });
        }
    }
}
