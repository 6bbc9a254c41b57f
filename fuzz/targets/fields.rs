//! Parses the text of one record, and compares a line, a field, and a JSON string with the same text.

#![no_main]

use bulkdoku::forms::{self, Form};
use bulkdoku::input::{InputFormat, InputOptions};
use bulkdoku::{Puzzle, Status};
use bulkdoku_fuzz::{Cuts, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let found = forms::read(data);
    match &found {
        Err(malformed) => assert!(malformed.column > 0 && !malformed.what.is_empty()),
        Ok(form) => check(form, data),
    }
    let expected = found.as_ref().ok().map(text_of);
    // One layout per input; a longer input has the other.
    if data.len() % 2 == 1 {
        if let Ok(text) = std::str::from_utf8(data) {
            let object = format!("{{\"puzzle\":{}}}\n", serde_json::Value::from(text));
            compare(InputFormat::Jsonl, object.as_bytes(), expected.as_deref());
        }
        return;
    }
    let quoted: Vec<u8> =
        data.iter().flat_map(|&byte| vec![byte; 1 + usize::from(byte == b'"')]).collect();
    let table = [b"id,puzzle\n1,\"", &*quoted, b"\"\n"].concat();
    compare(InputFormat::Csv, &table, expected.as_deref());
});

/// Checks that a text that is read again yields the same puzzle.
fn check(form: &Form, data: &[u8]) {
    assert!(!forms::trimmed(data).is_empty());
    let again = match form.cells() {
        Some(cells) => {
            assert!(Puzzle::from_text(&cells).is_some());
            forms::read(&cells).map(|form| form.marks())
        }
        None => forms::read(form.marks().to_string().as_bytes()).map(|form| form.marks()),
    };
    assert_eq!(again, Ok(form.marks()));
}

/// Returns the cells or the pencil marks as they are output.
fn text_of(form: &Form) -> Vec<u8> {
    match form {
        Form::Cells(cells) => cells.to_vec(),
        Form::Marks(marks) => marks.to_string().into_bytes(),
        Form::Placed { state, .. } => text_of(state),
    }
}

/// Compares the only record of an input with the expected text.
fn compare(format: InputFormat, input: &[u8], expected: Option<&[u8]>) {
    let options = InputOptions { format, column: Some("puzzle".into()), ..InputOptions::default() };
    let Ok(Some(layout)) = options.detect(input, true) else { return };
    if layout.table().is_none() && layout.objects().is_none() {
        return;
    }
    let ran = run(&layout, input, &Cuts::none(input));
    let rows = ran.checked_rows(input);
    let [row] = &rows[..] else { return };
    match expected {
        Some(text) => assert_eq!(row.puzzle, text),
        None => assert_eq!(row.status, Status::Malformed),
    }
}
