//! Solving paths: the steps that lead from a puzzle to its solution.
//!
//! Paths are computed while rows are encoded, because the steps of a block would take a hundred
//! times the memory of its puzzles. A record without exactly one solution has a row without steps.

mod drawing;
mod html;
mod jsonl;
mod text;

use std::ops::ControlFlow;

use super::{Needs, Row, RowBuffer, TextRows, each_row};
use bulkdoku_core::{Status, StopFlag};
use bulkdoku_logic::{Path, Rater, Step, Techniques};

pub use drawing::{board_svg, without_candidates};
pub use html::{PATHS_HEADER, PathPages, clue_cells, path_section, steps_html};
pub use jsonl::json_steps;
pub use text::{path_text, push_path_text};

/// Visits the steps of a row's puzzle or pencil marks, and returns their path; `None` unless they
/// have exactly one solution.
fn trace(rater: &mut Rater, row: &Row<'_>, mut visit: impl FnMut(&Step)) -> Option<Path> {
    let board = (row.status() == Status::Unique).then(|| row.board()).flatten()?;
    let visit = |step: &Step| {
        visit(step);
        ControlFlow::Continue(())
    };
    rater.trace_unique(board, visit)
}

/// Creates a format from a function that appends a row, with a rater for each worker. Once `stop` is
/// set, rows are incomplete; no run writes them.
fn traced(
    stop: &StopFlag,
    append: impl Fn(&mut Rater, &Row<'_>, &mut RowBuffer) + Copy + Send + Sync + 'static,
) -> TextRows {
    let stop = stop.clone();
    let encoder = move || {
        let mut rater = Rater::new(Techniques::ALL);
        rater.stop_at(stop.clone());
        each_row(move |row, out| append(&mut rater, row, out))
    };
    TextRows { needs: Needs::NONE, encoder: Box::new(encoder) }
}

/// Returns the format of the boards of a path: 81 characters per line, from the puzzle to the
/// solution, one placement after another, and an empty line after each record. A record without a
/// path has only its clues.
pub fn boards(stop: &StopFlag) -> TextRows {
    traced(stop, |rater, row, out| {
        let clues = row.marks().map(|marks| marks.clues().text().to_vec());
        let mut board = clues.unwrap_or_else(|| row.text().to_vec());
        let mut line = |board: &[u8]| {
            out.append(board);
            out.append(b"\n");
        };
        line(&board);
        trace(rater, row, |step| {
            if let Some(placed) = step.placed {
                board[placed.cell] = b'0' + placed.digit;
                line(&board);
            }
        });
        line(b"");
    })
}
