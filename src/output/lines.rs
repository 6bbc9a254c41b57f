//! Solutions only: 81 digits a line, an empty line for a record without one.

use super::{Row, RowFormat};
use crate::output::csv::push_digits;

/// One line a record: its solution, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolutionLines;

impl RowFormat for SolutionLines {
    fn header(&self, _: &mut Vec<u8>) {}

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if let Some(grid) = row.outcome.solution() {
            push_digits(grid, out);
        }
        out.push(b'\n');
    }
}
