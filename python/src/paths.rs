//! The steps of a single puzzle, as data, words, and drawings.

use bulkdoku::bands::Bands;
use bulkdoku::forms;
use bulkdoku::logic::steps;
use bulkdoku::output::{clue_cells, steps_html};
use bulkdoku::puzzle::cell_name;
use pyo3::prelude::*;

use crate::jobs::invalid;

/// Returns the next steps of a puzzle, each as JSON with a sentence, and all of them as HTML.
#[pyfunction]
pub fn explained(puzzle: &str, most: usize) -> PyResult<(Vec<String>, String)> {
    let marks = forms::read(puzzle.as_bytes()).map_err(|malformed| invalid(malformed.what))?;
    let marks = marks.marks();
    let steps: Vec<_> = steps(Bands::from(&marks)).explained().take(most).collect();
    let json = steps.iter().map(|explained| {
        let mut value = serde_json::to_value(&explained.step).expect("a step is JSON");
        value["sentence"] = explained.step.explained(cell_name).into();
        value.to_string()
    });
    let json = json.collect();
    Ok((json, steps_html(clue_cells(&marks.clues()), steps, cell_name)))
}
