//! Solving paths as JSON lines: one object per record (`docs/schemas/trace.schema.json`).

use serde::{Serialize, Serializer};

use super::{trace, traced};
use crate::board::{Bits, Candidates, Cells};
use crate::logic::{Evidence, Link, Node, Step, Technique, unit_name};
use crate::output::TextRows;
use crate::puzzle::CELLS;

/// The version of the schema.
const VERSION: u8 = 1;

/// Returns the format of one object per record, with the steps of its path. Each step has a
/// sentence if `sentences`.
pub fn json_steps(sentences: bool) -> TextRows {
    traced(move |rater, row, out| {
        let mut steps = Vec::new();
        let path = trace(rater, row, |step| {
            steps.push(if steps.is_empty() { b'[' } else { b',' });
            serde_json::to_writer(&mut steps, &JsonStep::new(step, sentences))
                .expect("memory accepts all bytes");
        });
        let path = path.as_ref();
        // Records of arrays have no text.
        let shown = row.puzzle().filter(|_| row.text().is_empty());
        let text = shown.map_or_else(
            || String::from_utf8_lossy(row.text()),
            |puzzle| puzzle.to_string().into(),
        );
        let head = Head {
            version: VERSION,
            line: row.line(),
            puzzle: &text,
            solution: path.and_then(|_| row.solution()).map(ToString::to_string),
            status: row.status().name(),
            technique: path.and_then(|path| path.hardest).map(Technique::name),
            score: path.map(|path| path.score),
            rounds: path.map(|path| path.rounds),
        };
        let head = serde_json::to_vec(&head).expect("memory accepts all bytes");
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

/// What precedes the steps.
#[derive(Serialize)]
struct Head<'a> {
    version: u8,
    line: u64,
    puzzle: &'a str,
    solution: Option<String>,
    status: &'static str,
    technique: Option<&'static str>,
    score: Option<u32>,
    rounds: Option<u32>,
}

#[derive(Serialize)]
struct JsonStep {
    round: u32,
    technique: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    placed: Option<(Cell, usize)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    eliminated: Vec<(Cell, u8)>,
    evidence: JsonEvidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
}

#[derive(Serialize)]
struct JsonEvidence {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    digits: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    common: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<Vec<Cell>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    base: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cover: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<JsonLink>,
}

#[derive(Serialize)]
struct JsonLink {
    from: JsonNode,
    to: JsonNode,
}

#[derive(Serialize)]
struct JsonNode {
    cells: Vec<Cell>,
    digit: usize,
    on: bool,
}

/// A cell, written as `r1c1`.
struct Cell(usize);

/// The names of all cells.
static NAMES: [[u8; 4]; CELLS] = {
    let mut names = [*b"r1c1"; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        names[cell][1] += (cell / 9) as u8;
        names[cell][3] += (cell % 9) as u8;
        cell += 1;
    }
    names
};

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&NAMES[self.0]).expect("names are ASCII"))
    }
}

fn cells(of: Cells) -> Vec<Cell> {
    Bits(of).map(Cell).collect()
}

/// Returns candidates as cells and digits from 1, by cell.
fn candidates(of: &Candidates) -> Vec<(Cell, u8)> {
    let any = of.iter().fold(0, |any, cells| any | cells);
    let digits_of = |cell: usize| (1..=9).filter(move |digit| of[digit - 1] >> cell & 1 != 0);
    Bits(any).flat_map(|cell| digits_of(cell).map(move |digit| (Cell(cell), digit as u8))).collect()
}

fn digits(mask: u16) -> Vec<usize> {
    crate::board::digits_of(mask).map(|digit| digit + 1).collect()
}

fn units(mask: u32) -> Vec<String> {
    Bits(mask.into()).map(unit_name).collect()
}

impl From<Node> for JsonNode {
    fn from(node: Node) -> Self {
        Self { cells: cells(node.cells), digit: node.digit + 1, on: node.on }
    }
}

impl From<&Link> for JsonLink {
    fn from(link: &Link) -> Self {
        Self { from: link.from.into(), to: link.to.into() }
    }
}

impl From<&Evidence> for JsonEvidence {
    fn from(evidence: &Evidence) -> Self {
        Self {
            digits: digits(evidence.digits),
            common: digits(evidence.common),
            cells: evidence.cells.iter().filter(|set| **set != 0).map(|set| cells(*set)).collect(),
            base: units(evidence.base),
            cover: units(evidence.cover),
            links: evidence.links.iter().map(JsonLink::from).collect(),
        }
    }
}

impl JsonStep {
    fn new(step: &Step, with_sentence: bool) -> Self {
        Self {
            round: step.round + 1,
            technique: step.technique.name(),
            placed: step.placed.map(|(digit, cell)| (Cell(cell), digit + 1)),
            eliminated: candidates(&step.removed),
            evidence: (&step.evidence).into(),
            sentence: with_sentence.then(|| step.to_string()),
        }
    }
}
