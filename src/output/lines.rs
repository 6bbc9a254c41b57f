//! Solutions only: 81 digits a line, an empty line for a record without one.

use super::{Row, RowBuffer, RowFormat};
use crate::puzzle::CELLS;

/// One line a record: its solution, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolutionLines;

impl RowFormat for SolutionLines {
    fn header(&self, _: &mut RowBuffer) {}

    fn row(&self, row: &Row<'_>, out: &mut RowBuffer) {
        out.append_row(CELLS + 1, b'\n', |fields| match row.outcome.solution() {
            Some(grid) => fields.grid(grid),
            None => fields.empty(),
        });
    }
}
