//! Solving paths: the steps that lead from a puzzle to its solution, in four formats.
//!
//! Paths are computed while rows are encoded, because the steps of a block would take a hundred
//! times the memory of its puzzles. A record without exactly one solution has a row without steps.

mod arrays;
mod hodoku;
mod jsonl;

use super::{Encoder, Format, Row, RowBuffer, Rows};
use crate::logic::{Path, Rater, Step, Techniques};
use crate::status::Status;

pub use arrays::TraceArrays;
pub use hodoku::HodokuSteps;
pub use jsonl::JsonSteps;

/// Visits the steps of a row's puzzle or pencil marks, and returns their path; `None` unless they
/// have exactly one solution.
fn trace(rater: &mut Rater, row: &Row<'_>, visit: impl FnMut(&Step)) -> Option<Path> {
    let board = (row.status() == Status::Unique).then(|| row.board()).flatten()?;
    Some(rater.trace(board, visit))
}

/// Creates an encoder that appends bytes for each row, with a rater of its own.
fn encoder<'a>(
    mut append: impl FnMut(&mut Rater, &Row<'_>, &mut Vec<u8>) + 'a,
) -> Box<dyn Encoder + 'a> {
    let (mut rater, mut bytes) = (Rater::new(Techniques::ALL), Vec::new());
    Box::new(move |rows: &Rows<'_>, out: &mut RowBuffer| {
        rows.for_each(|row| {
            bytes.clear();
            append(&mut rater, row, &mut bytes);
            out.append(&bytes);
        });
    })
}

/// The boards of a path: 81 characters per line, from the puzzle to the solution, one placement
/// after another, and an empty line after each record. A record without a path has only its clues.
#[derive(Clone, Copy, Debug)]
pub struct Boards;

impl Format for Boards {
    fn encoder(&self) -> Box<dyn Encoder + '_> {
        encoder(|rater, row, bytes| {
            let clues = row.marks().map(|marks| marks.clues().text().to_vec());
            let mut board = clues.unwrap_or_else(|| row.text().to_vec());
            let mut line = |board: &[u8]| {
                bytes.extend_from_slice(board);
                bytes.push(b'\n');
            };
            line(&board);
            trace(rater, row, |step| {
                if let Some((digit, cell)) = step.placed {
                    board[cell] = b'1' + digit as u8;
                    line(&board);
                }
            });
            line(b"");
        })
    }
}
