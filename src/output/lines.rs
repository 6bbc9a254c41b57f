//! Solutions only: 81 digits a line, an empty line for a record without one. Canonical forms likewise.

use super::{RowBuffer, RowFormat, Rows};
use crate::puzzle::CELLS;

/// One line a record: its solution, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolutionLines;

impl RowFormat for SolutionLines {
    fn header(&self, _: &mut RowBuffer) {}

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(CELLS + 1, b'\n', |fields| match row.outcome_or_none().solution() {
                Some(grid) => fields.grid(grid),
                None => fields.empty(),
            });
        }
    }
}

/// One line a record: its cells or marks as they were written.
#[derive(Clone, Copy, Debug, Default)]
pub struct PuzzleLines;

impl RowFormat for PuzzleLines {
    fn header(&self, _: &mut RowBuffer) {}

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(row.text.len() + 1, b'\n', |fields| fields.text(row.text));
        }
    }
}

/// One line a record: its canonical form, `.` for a blank, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormLines;

impl RowFormat for FormLines {
    fn header(&self, _: &mut RowBuffer) {}

    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            out.append_row(CELLS + 1, b'\n', |fields| match row.canonical {
                Some(canonical) => fields.cells(&canonical.form.text()),
                None => fields.empty(),
            });
        }
    }
}
