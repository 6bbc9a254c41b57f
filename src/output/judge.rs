//! The output of the judge problems BOJ 2580 and BOJ 2239: nine lines per grid, and nothing else.

use super::{RowBuffer, RowFormat, Rows};
use crate::puzzle::Grid;

/// Nine lines per solution; a record without a solution has a message instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeGrids {
    /// BOJ 2580: nine numbers with spaces between them.
    Spaced,
    /// BOJ 2239: nine digits.
    Plain,
}

impl JudgeGrids {
    fn grid(self, grid: &Grid, out: &mut RowBuffer) {
        for row in grid.cells().chunks_exact(9) {
            let mut text = [b' '; 17];
            let step = if self == Self::Spaced { 2 } else { 1 };
            row.iter().enumerate().for_each(|(i, digit)| text[i * step] = b'0' + digit);
            let text = &text[..=8 * step];
            out.append_row(text.len() + 1, b'\n', |fields| fields.text(text));
        }
    }
}

impl RowFormat for JudgeGrids {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            if let Some(grid) = row.outcome_or_none().solution() {
                self.grid(grid, out);
            }
        }
    }

    fn shows_failures(&self) -> bool {
        false
    }
}
