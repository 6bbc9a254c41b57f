//! Entries of [reasoning-gym](https://github.com/open-thought/reasoning-gym), as JSON lines.
//!
//! An entry has a question, its answer, and metadata. In addition to the fields of reasoning-gym's
//! own sudoku, the difficulty has the technique, score, and steps of the puzzle.

use serde::Serialize;

use super::{Needs, Row, RowBuffer, TextRows};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::status::Status;
use bulkdoku_logic::Technique;

/// Returns the format of one entry per record, `null` unless it has exactly one solution.
#[expect(clippy::missing_panics_doc, reason = "texts and numbers are JSON")]
pub fn entries() -> TextRows {
    let encoder = || {
        |row: &Row<'_>, out: &mut RowBuffer| {
            let entry = Entry::of(row);
            serde_json::to_writer(&mut *out, &entry).expect("texts and numbers are JSON");
            out.push(b'\n');
        }
    };
    TextRows { needs: Needs::PATH, ..TextRows::new(encoder) }
}

#[derive(Serialize)]
struct Entry {
    question: String,
    answer: String,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Metadata {
    puzzle: [[u8; 9]; 9],
    solution: [[u8; 9]; 9],
    num_empty: usize,
    difficulty: Difficulty,
}

#[derive(Serialize)]
struct Difficulty {
    num_empty: usize,
    technique: Option<&'static str>,
    score: Option<u32>,
    steps: Option<u32>,
}

/// Returns nine lines of digits separated by spaces, with `_` for a blank.
fn text(cells: &[u8; CELLS]) -> String {
    let digit = |digit: &u8| if *digit == 0 { "_".into() } else { digit.to_string() };
    let line = |row: &[u8]| row.iter().map(digit).collect::<Vec<_>>().join(" ");
    cells.chunks(9).map(line).collect::<Vec<_>>().join("\n")
}

fn nested(cells: &[u8; CELLS]) -> [[u8; 9]; 9] {
    std::array::from_fn(|row| std::array::from_fn(|column| cells[9 * row + column]))
}

impl Entry {
    fn of(row: &Row<'_>) -> Option<Self> {
        if row.status() == Status::Multiple {
            return None;
        }
        let (puzzle, solution) = (row.puzzle()?, row.solution()?);
        let num_empty = CELLS - puzzle.clues();
        let path = row.properties().path.as_deref();
        Some(Self {
            question: format!(
                "Solve this Sudoku puzzle:\n{}\nRespond with only your answer, formatted as the \
                 puzzle, a 9x9 grid with numbers separated by spaces, and rows separated by newlines.",
                text(puzzle.cells())
            ),
            answer: text(solution.cells()),
            metadata: Metadata {
                puzzle: nested(puzzle.cells()),
                solution: nested(solution.cells()),
                num_empty,
                difficulty: Difficulty {
                    num_empty,
                    technique: path.and_then(|path| path.hardest).map(Technique::name),
                    score: path.map(|path| path.score),
                    steps: path.map(|path| path.steps),
                },
            },
        })
    }
}
