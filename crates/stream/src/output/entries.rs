//! Entries of [reasoning-gym](https://github.com/open-thought/reasoning-gym), as JSON lines.
//!
//! An entry has a question, its answer, and metadata. In addition to the fields of reasoning-gym's
//! own sudoku, the difficulty has the technique, score, and steps of the puzzle.

use serde_json::json;

use super::{Needs, Row, TextRows};
use bulkdoku_core::Status;
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_logic::Technique;

/// Returns the format of one entry per record, `null` unless it has exactly one solution.
pub fn entries() -> TextRows {
    let rows = TextRows::new(|row, out| {
        let entry = entry(row).unwrap_or_default();
        out.append(format!("{entry}\n").as_bytes());
    });
    TextRows { needs: Needs::PATH, ..rows }
}

fn entry(row: &Row<'_>) -> Option<serde_json::Value> {
    if row.status() == Status::Multiple {
        return None;
    }
    let (puzzle, solution) = (row.puzzle()?, row.solution()?);
    let num_empty = CELLS - puzzle.clues();
    let path = row.properties().path.as_deref();
    let question = format!(
        "Solve this Sudoku puzzle:\n{}\nRespond with only your answer, formatted as the puzzle, a \
         9x9 grid with numbers separated by spaces, and rows separated by newlines.",
        text(puzzle.cells())
    );
    Some(json!({
        "question": question,
        "answer": text(solution.cells()),
        "metadata": {
            "puzzle": puzzle.cells().as_chunks::<9>().0,
            "solution": solution.cells().as_chunks::<9>().0,
            "num_empty": num_empty,
            "difficulty": {
                "num_empty": num_empty,
                "technique": path.and_then(|path| path.hardest).map(Technique::name),
                "score": path.map(|path| path.score),
                "steps": path.map(|path| path.steps),
            },
        },
    }))
}

/// Returns nine lines of digits separated by spaces, with `_` for a blank.
fn text(cells: &[u8; CELLS]) -> String {
    let digit = |digit: &u8| if *digit == 0 { "_".into() } else { digit.to_string() };
    let line = |row: &[u8]| row.iter().map(digit).collect::<Vec<_>>().join(" ");
    cells.chunks(9).map(line).collect::<Vec<_>>().join("\n")
}
