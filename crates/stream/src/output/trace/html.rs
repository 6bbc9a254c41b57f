//! Solving paths as pages: a board per step, in one file that needs no other.

use std::fmt::Write;

use super::drawing::{board_svg, without_candidates};
use crate::output::pages::{escaped, facts};
use crate::output::{Encoder, Format, Needs, each_row};
use bulkdoku_core::board::{Board, Cells};
use bulkdoku_core::puzzle::cell_name;
use bulkdoku_core::{Puzzle, Status, StopFlag};
use bulkdoku_logic::{Explained, steps};

/// The start of a document, which may end after any section. Two columns of boards fit on A4 and
/// Letter.
pub const PATHS_HEADER: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n<title>Sudoku, step by step</title>\n<style>\n\
    @page { margin: 12mm; }\n\
    body { margin: 0 auto; max-width: 75rem; padding: 0 1rem; background: #fff; color: #000; \
    font: 1rem/1.4 Helvetica, Arial, sans-serif; }\n\
    h1 { font-size: 1.3rem; }\n\
    code { overflow-wrap: anywhere; }\n\
    .start { max-width: 24rem; }\n\
    .steps { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem; \
    margin: 1.5rem 0; padding: 0; list-style: none; }\n\
    .steps p { margin: .3rem 0; overflow-wrap: anywhere; }\n\
    .steps .implications { font-size: .8rem; }\n\
    .board { display: block; width: 100%; }\n\
    @media print {\n\
    body { max-width: none; padding: 0; font-size: 10pt; }\n\
    section + section { break-before: page; }\n\
    .start { width: 85mm; }\n\
    .steps { display: block; columns: 2; column-gap: 8mm; }\n\
    .steps li { margin-bottom: 6mm; }\n\
    .steps .board { width: 70mm; }\n\
    .steps div { break-inside: avoid; }\n\
    }\n\
    </style>\n</head>\n<body>\n";

/// Returns a puzzle and its path as a section of a document: its name, the puzzle, `facts` such as its
/// rating, and its steps.
pub fn path_section(
    name: &str,
    facts: &str,
    board: &Board,
    clues: Cells,
    steps: impl IntoIterator<Item = Explained>,
    cell_name: fn(usize) -> String,
) -> String {
    let start = board_svg(&without_candidates(board), clues, None);
    let name = escaped(name);
    let steps = steps_html(clues, steps, cell_name);
    format!(
        "<section>\n<h1>{name}</h1>\n<div class=\"start\">{start}</div>\n<p>{facts}</p>\n{steps}</section>\n"
    )
}

/// Returns steps as a list, each with its board, its sentence, and the implications of each of its
/// alternatives. `clues` are the cells (bits) that are given.
pub fn steps_html(
    clues: Cells,
    steps: impl IntoIterator<Item = Explained>,
    cell_name: fn(usize) -> String,
) -> String {
    let mut html = String::from("<ol class=\"steps\">\n");
    for (number, Explained { board, step, explainer }) in (1..).zip(steps) {
        let drawing = board_svg(&board, clues, Some(&step));
        let title = explainer.as_deref().unwrap_or(step.technique.title());
        let sentence = step.sentence(cell_name);
        let _ = writeln!(
            html,
            "<li><div>{drawing}\n<p>{number}. <b>{title}</b>: {sentence}.</p></div>"
        );
        for alternative in step.alternatives(cell_name) {
            let _ = writeln!(html, "<p class=\"implications\">– {alternative}.</p>");
        }
        html += "</li>\n";
    }
    html + "</ol>\n"
}

/// Returns the cells (bits) of the clues of a puzzle.
pub fn clue_cells(puzzle: &Puzzle) -> Cells {
    let cells = puzzle.cells().iter().enumerate();
    cells.filter(|(_, clue)| **clue != 0).fold(0, |cells, (cell, _)| cells | 1 << cell)
}

/// The format of a document of paths, each up to a stop. Records without exactly one solution have no
/// steps.
#[derive(Clone, Debug)]
pub struct PathPages(pub StopFlag);

impl Format for PathPages {
    fn needs(&self) -> Needs {
        Needs::PATH
    }

    fn header(&self) -> Vec<u8> {
        PATHS_HEADER.into()
    }

    fn encoder(&self) -> Box<Encoder<'_>> {
        each_row(|row, out| {
            let Some(bands) = row.board() else { return };
            let (clues, board) = (row.marks().map(|marks| marks.clues()), bands.board());
            let is_unique = row.status() == Status::Unique;
            let steps =
                is_unique.then(|| steps(&board).until(&self.0).explained()).into_iter().flatten();
            let path = row.properties().path.as_deref();
            let facts = facts(row.clues().unwrap_or(0), row.status(), path, None);
            let name = format!("{}:{}", row.file(), row.line());
            let clues = clues.map_or(0, |clues| clue_cells(&clues));
            out.append(path_section(&name, &facts, &board, clues, steps, cell_name).as_bytes());
        })
    }
}
