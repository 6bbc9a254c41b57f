//! Solving paths as text, such as that on which language models are trained.

use std::fmt::Write;

use bulkdoku_core::board::Board;
use bulkdoku_core::puzzle::cell_name;
use bulkdoku_core::{Status, StopFlag};
use bulkdoku_logic::{Explained, steps};

use crate::output::{Row, TextRows};

/// Returns nine lines with the placed digits.
fn board_text(board: &Board) -> String {
    let digit = |cell: usize| match board.placed >> cell & 1 {
        0 => '.',
        _ => (b'1' + board.mask(cell).trailing_zeros() as u8) as char,
    };
    let line = |row: usize| (9 * row..9 * row + 9).map(digit).collect::<String>();
    (0..9).map(line).collect::<Vec<_>>().join("\n")
}

/// Appends the text of the path of a row, up to a stop: a sentence for each step, and the board after
/// it. Nothing unless its puzzle has exactly one solution.
pub fn push_path_text(row: &Row<'_>, stop: &StopFlag, out: &mut String) {
    let board = (row.status() == Status::Unique).then(|| row.board()).flatten();
    let steps = board.map(|board| steps(board).until(stop).explained());
    for Explained { step, mut board, .. } in steps.into_iter().flatten() {
        step.apply(&mut board);
        let _ = writeln!(out, "{}.\n{}", step.explained(cell_name), board_text(&board));
    }
}

/// Returns the format of paths as text, with an empty line after each record.
pub fn path_text(stop: &StopFlag) -> TextRows {
    let (stop, mut text) = (stop.clone(), String::new());
    TextRows::new(move |row, out| {
        text.clear();
        push_path_text(row, &stop, &mut text);
        text.push('\n');
        out.append(text.as_bytes());
    })
}
