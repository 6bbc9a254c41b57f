//! Grids for people: a label, nine lines of nine digits, a blank line.
//!
//! ```text
//! # line 12: unique
//! 534678912
//! 672195348
//! …
//! 345286179
//!
//! # line 13: unsolvable
//! ```
//!
//! A record without a solution has only its label. Readers of grids take labels for comments.

use std::io::Write;

use super::{RowBuffer, RowFormat, Rows};
use crate::puzzle::CELLS;

/// A label and, where there is a solution, its grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabelledGrids {
    /// Whether the label also names the input.
    pub with_file: bool,
}

impl RowFormat for LabelledGrids {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        // A name with a line feed in it must not end the label.
        let place = if self.with_file {
            format!("{}, line", rows.file.replace(char::is_control, "?"))
        } else {
            "line".into()
        };
        for row in rows.iter() {
            out.append_row(place.len() + REST, b'\n', |fields| {
                fields.by(|mut room| {
                    let before = room.len();
                    let grid = row.outcome_or_none().solution();
                    let label = write!(room, "# {place} {}: {}", row.line, row.status.name());
                    label.expect("a row fits in the space that it reserved");
                    if let Some(grid) = grid {
                        for row in grid.cells().chunks_exact(9) {
                            room[0] = b'\n';
                            room[1..10].iter_mut().zip(row).for_each(|(to, of)| *to = b'0' + of);
                            room = &mut room[10..];
                        }
                        room[0] = b'\n';
                        room = &mut room[1..];
                    }
                    before - room.len()
                });
            });
        }
    }
}

/// The cells of each record as written, below a label; for generated puzzles.
#[derive(Clone, Copy, Debug, Default)]
pub struct PuzzleGrids;

impl RowFormat for PuzzleGrids {
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer) {
        for row in rows.iter() {
            let mut text = format!("# row {} of seed {}\n", row.line, row.file).into_bytes();
            for row in row.text.chunks(9) {
                text.extend_from_slice(row);
                text.push(b'\n');
            }
            out.append_row(text.len() + 1, b'\n', |fields| fields.text(&text));
        }
    }
}

/// The most bytes of a record after the name: a number, a status and nine lines.
const REST: usize = 2 + 2 * super::SHORT + CELLS + 10;
