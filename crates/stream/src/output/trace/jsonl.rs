//! Solving paths as JSON lines: one object per record (`docs/schemas/trace.schema.json`).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::json;

use super::{trace, traced};
use crate::output::TextRows;
use bulkdoku_core::StopFlag;
use bulkdoku_core::puzzle::cell_name;
use bulkdoku_logic::{Step, Technique};

/// The version of the schema.
const VERSION: u8 = 1;

/// Returns the format of one object per record, with the steps of its path. Each step has a
/// sentence if `sentences`, and those of forcing chains and nets have all implications if
/// `with_implications`. Each object has the input's name if `with_file`.
#[expect(clippy::missing_panics_doc, reason = "memory accepts all bytes")]
pub fn json_steps(
    sentences: bool,
    with_implications: bool,
    with_file: bool,
    stop: &StopFlag,
) -> TextRows {
    traced(stop, move |rater, row, out| {
        let mut steps = Vec::new();
        // The board, and that of the current round.
        let is_explained = sentences || with_implications;
        let mut boards = row.board().filter(|_| is_explained).map(|it| [it.board(); 2]);
        let mut round = 1;
        let path = trace(rater, row, |step| {
            steps.push(if steps.is_empty() { b'[' } else { b',' });
            let (mut step, mut sentence) = (Cow::Borrowed(step), None);
            if let Some([board, start]) = &mut boards {
                if step.round > round {
                    (round, *start) = (step.round, *board);
                }
                step.apply(board);
                if step.technique >= Technique::Nishio {
                    step.to_mut().explain(start);
                }
                sentence = sentences.then(|| step.explained(cell_name));
                if !with_implications && !step.evidence.implications.is_empty() {
                    step.to_mut().evidence.implications.clear();
                }
            }
            let step = JsonStep { step: &step, sentence };
            serde_json::to_writer(&mut steps, &step).expect("memory accepts all bytes");
        });
        let path = path.as_ref();
        // Records of arrays have no text.
        let shown = row.puzzle().filter(|_| row.text().is_empty());
        let text = shown.map_or_else(
            || String::from_utf8_lossy(row.text()),
            |puzzle| puzzle.to_string().into(),
        );
        let mut head = json!({ "version": VERSION });
        if with_file {
            head["file"] = row.file().into();
        }
        head["line"] = row.line().into();
        head["puzzle"] = text.into();
        head["solution"] = json!(path.and_then(|_| row.solution()).map(ToString::to_string));
        head["status"] = row.status().name().into();
        head["technique"] = json!(path.and_then(|path| path.hardest).map(Technique::name));
        head["score"] = json!(path.map(|path| path.score));
        head["rounds"] = json!(path.map(|path| path.rounds));
        let head = head.to_string().into_bytes();
        // The steps are the last key of the object.
        out.append(&head[..head.len() - 1]);
        out.append(b",\"steps\":");
        match (path, steps.is_empty()) {
            (None, _) => out.append(b"null"),
            (Some(_), true) => out.append(b"[]"),
            (Some(_), false) => {
                out.append(&steps);
                out.append(b"]");
            }
        }
        out.append(b"}\n");
    })
}

/// A step, and its sentence if requested.
#[derive(Serialize)]
struct JsonStep<'a> {
    #[serde(flatten)]
    step: &'a Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
}
