//! The batch engine as a WebAssembly module.
//!
//! An [`Input`] is a file or text of any format that the command reads, except Parquet and zstd. It
//! is read through a function of JavaScript, so it can be larger than memory. [`Input::divide`]
//! divides it between records into pieces, which workers solve independently; together their rows
//! are those of the command.

mod explain;
mod host;

use std::io::Read;
use std::num::NonZeroU32;
use std::sync::Arc;

use bulkdoku::generate::Generator;
use bulkdoku::input::{InputOptions, Layout, LayoutKind, Position, Stream, plain_lines};
use bulkdoku::logic::generate::{TechniqueFilter, puzzle};
use bulkdoku::logic::{Difficulty, Techniques};
use bulkdoku::output::{CsvRows, Format};
use bulkdoku::pipeline::{
    BLOCK_BYTES, Block, BlockSource, Checkpoint, MessageFormat, Options, RowWriter, Solve,
    TextSource,
};
use bulkdoku::{Limits, Marks, Progress, SimdLevel, Source, Status};
use js_sys::{Function, JSON};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use host::{Reader, Rows, WriteRows};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Returns `length` bytes at `offset`, fewer at the end of the input. */
export type ReadBytes = (offset: number, length: number) => Uint8Array;
/** Receives complete rows, valid during the call, and the number of records so far. */
export type WriteRows = (rows: Uint8Array, records: number) => void;
/** The start of a piece: its first byte and the number of its first line. */
export type Start = { offset: number, line: number };
/** A message about an invalid record. */
export type Message =
    { file: string, line: number, column: number, status: string, reason: string, text: string };
/** What was done with a piece. */
export type Report = {
    /** The number of records by status. */
    counts: Record<string, number>,
    records: number,
    blankLines: number,
    comments: number,
    /** Latencies in nanoseconds, each with the number of puzzles. */
    latencies: [number, number][],
    /** The first messages; `messageCount` is the number of all. */
    messages: Message[],
    messageCount: number,
    /** Why the input could not be read to its end. */
    failures: string[],
    /** The time in milliseconds. */
    wallMs: number,
};
/** A step: a digit is placed, or candidates are removed, each as cell (0 to 80) and digit. */
export type Step = {
    technique: string,
    /** The technique in words. */
    title: string,
    /** Why, in words. */
    sentence: string,
    /** All implications of each alternative of forcing chains and nets, in words. */
    alternatives: string[],
    /** The cells of the pattern. */
    pattern: number[],
    placed: [number, number] | null,
    removed: [number, number][],
    /** The board before the step, with the step, as SVG. */
    drawing: string,
};
/** A single puzzle. */
export type Explanation = {
    clues: number[],
    /** 729 characters: the candidates that the clues leave. */
    candidates: string,
    solution: number[] | null,
    status: string,
    guesses: number,
    /** The hardest technique of the path, in words, and its difficulty, if there is exactly one solution. */
    technique: string | null,
    title: string | null,
    difficulty: string | null,
    /** The rating of Sudoku Explainer 1.2.1, if it is known. */
    se121: number | null,
    /** Why the puzzle has no solution. */
    contradiction: string | null,
    /** The path: the steps that change the board. */
    steps: Step[],
    /** The clues as SVG. */
    start: string,
    /** The solution, or the clues if there is none, as SVG. */
    drawing: string,
    /** The digits after the last step, as SVG. */
    last: string,
};
"#;

fn to_js(value: &Value) -> JsValue {
    JSON::parse(&value.to_string()).expect("it is JSON")
}

/// Returns the vector level of this module: `simd128` or `portable`.
#[wasm_bindgen(js_name = simdLevel)]
pub fn simd_level() -> String {
    SimdLevel::best().name().into()
}

/// Returns the header of the rows.
#[wasm_bindgen]
#[expect(clippy::missing_panics_doc, reason = "a header is text")]
pub fn header() -> String {
    String::from_utf8(CsvRows::default().header()).expect("a header is text")
}

/// Solves a single puzzle or grid of pencil marks, and explains the steps.
///
/// # Errors
/// If the text is malformed.
#[wasm_bindgen(unchecked_return_type = "Explanation")]
pub fn explain(text: &str) -> Result<JsValue, JsError> {
    let marks: Marks = text.parse()?;
    Ok(to_js(&explain::explain(&marks)))
}

/// Generates a minimal puzzle of a difficulty: `easy`, `medium`, `hard`, `unfair`, or `extreme`. The same
/// seed has the same puzzle, as 81 characters.
///
/// # Errors
/// If there is no such difficulty.
#[wasm_bindgen]
#[expect(clippy::missing_panics_doc, reason = "drawing goes on until a puzzle fits")]
pub fn generate(difficulty: &str, seed: u32) -> Result<String, JsError> {
    let wanted: Difficulty = difficulty.parse()?;
    let techniques = Techniques::filter(|technique| technique.difficulty() == wanted);
    let (mut generator, mut filter) = (Generator::new(), TechniqueFilter::new(techniques));
    let puzzle = puzzle(&mut generator, &mut filter, seed.into(), 0);
    Ok(puzzle.expect("nothing stops the search").to_string())
}

/// An input whose layout was detected.
#[wasm_bindgen]
pub struct Input {
    name: String,
    size: u64,
    layout: Arc<dyn Layout>,
    is_plain: bool,
}

#[wasm_bindgen]
impl Input {
    /// Detects the layout of an input of `size` bytes from its first bytes.
    ///
    /// # Errors
    /// If it is a file of another kind, or a table in which the column of the puzzles is not clear.
    #[wasm_bindgen(constructor)]
    pub fn new(
        name: String,
        size: f64,
        #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: &Function,
    ) -> Result<Input, JsError> {
        host::read_with(read);
        let size = size as u64;
        let mut stream = Stream::new(Reader::new(0..size));
        let layout = stream.layout(&InputOptions::default(), || false)?;
        let layout = layout.unwrap_or_else(plain_lines);
        let is_plain = stream.is_plain() && layout.kind() != LayoutKind::JsonDocument;
        Ok(Self { name, size, layout, is_plain })
    }

    /// Returns whether the input can be divided: it is neither compressed nor an array.
    #[wasm_bindgen(getter, js_name = canBeDivided)]
    pub fn can_be_divided(&self) -> bool {
        self.is_plain
    }

    /// Divides the input between records. Calls `found` with the start of each piece after the first.
    ///
    /// # Errors
    /// When the input cannot be read, or `found` fails.
    pub fn divide(
        &self,
        piece_bytes: f64,
        #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: &Function,
        #[wasm_bindgen(unchecked_param_type = "(start: Start) => void")] found: &Function,
    ) -> Result<(), JsValue> {
        host::read_with(read);
        let source = self.source(Position::default(), Reader::new(0..self.size));
        let mut source = TextSource::new(0, [source], &Arc::default());
        let mut block = Block::new(BLOCK_BYTES, BLOCK_BYTES);
        let mut next = piece_bytes as u64;
        while source.fill(&mut block).unwrap_or(false) {
            let Position { offset, line, inside_line, .. } = block.end;
            if offset >= next && offset < self.size && !inside_line {
                next = offset + piece_bytes as u64;
                let start = json!({ "offset": offset, "line": line });
                found.call1(&JsValue::NULL, &to_js(&start))?;
            }
        }
        Ok(())
    }

    /// Solves the records from `start` to the byte `end`, both found by [`Input::divide`], and passes
    /// their rows to `write`, without a header. `limit` is the number of solutions at which the search
    /// for each puzzle ends: 2 proves that there is only one.
    ///
    /// # Errors
    /// If `write` throws.
    #[wasm_bindgen(unchecked_return_type = "Report")]
    pub fn solve(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Start")] start: &JsValue,
        end: f64,
        limit: u32,
        #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: &Function,
        write: &WriteRows,
    ) -> Result<JsValue, JsError> {
        host::read_with(read);
        host::write_with(write);
        let at = position(start)?;
        let reader = Reader::new(at.offset..end as u64);
        // Without a header: other pieces may come before.
        let checkpoint = Some(Checkpoint { position: at, ..Checkpoint::default() });
        let limits = Limits::count(NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN));
        let (solve, format) = (Solve { limits, ..Solve::default() }, CsvRows::default());
        let options = Options { messages: MessageFormat::Json, ..Options::default() };
        let (progress, mut rows) = (Progress::default(), Rows::default());
        let source = if self.is_plain {
            self.source(at, reader)
        } else {
            self.source(at, Stream::new(reader))
        };
        let mut source = TextSource::new(0, [source], &options.stop);
        let writer = RowWriter::new(&mut rows, &format, 1, checkpoint, &progress);
        let report = writer.run(&mut source, &solve, &mut [], &options)?;
        let counts = report.counts;
        let by_status = Status::ALL.into_iter().map(|status| (status.name(), counts.of(status)));
        let by_status: serde_json::Map<_, _> = by_status
            .filter(|&(_, count)| count > 0)
            .map(|(name, count)| (name.to_owned(), count.into()))
            .collect();
        let messages: Vec<Value> =
            rows.messages.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
        Ok(to_js(&json!({
            "counts": by_status,
            "records": counts.records(),
            "blankLines": counts.blank_lines,
            "comments": counts.comments,
            "latencies": report.latencies,
            "messages": messages,
            "messageCount": rows.message_count,
            "failures": failures,
            "wallMs": report.wall.as_secs_f64() * 1e3,
        })))
    }

    fn source<'a>(&self, position: Position, reader: impl Read + Send + 'a) -> Source<'a> {
        let Self { name, layout, .. } = self;
        Source { layout: Arc::clone(layout), position, ..Source::new(name, reader) }
    }
}

/// Reads the start of a piece.
fn position(start: &JsValue) -> Result<Position, JsError> {
    let text = JSON::stringify(start).map_or_else(|_| String::new(), String::from);
    let start: Value = serde_json::from_str(&text)?;
    match (start["offset"].as_u64(), start["line"].as_u64()) {
        (Some(offset), Some(line)) => Ok(Position { offset, line, ..Position::default() }),
        _ => Err(JsError::new("start: expected { offset, line }")),
    }
}
