//! Reads JSON arrays, JSON lines, and the puzzles in any text, cut into blocks.

#![no_main]

use bulkdoku::input::{InputFormat, InputOptions, Layout};
use bulkdoku_fuzz::{Cuts, has_mark, run};
use libfuzzer_sys::fuzz_target;

/// More bytes than the inputs have, so that no record is cut.
const MOST_BYTES: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data) else { return };
    if has_mark(input) {
        return;
    }
    let cuts = Cuts { block_bytes: MOST_BYTES, ..cuts };
    // A quarter of the inputs is any text.
    if cuts.pieces[3].is_multiple_of(4) {
        check_scan(input, &cuts)
    } else {
        check_json(input, &cuts)
    }
});

/// Checks that neither the layout nor the rows depend on how bytes arrive.
fn check_json(input: &[u8], cuts: &Cuts) {
    let format = InputFormat::Jsonl;
    let options = InputOptions { format, ..InputOptions::default() };
    let detected = options.detect(input, true);
    let seen = cuts.pieces[1].min(input.len());
    if let Ok(Some(layout)) = options.detect(&input[..seen], false) {
        assert_eq!(Ok(Some(layout)), detected, "of {seen} bytes");
    }
    if let Ok(Some(layout)) = detected {
        assert_eq!(run(&layout, input, cuts), run(&layout, input, &Cuts::none(input)));
    }
}

/// Checks that exactly the runs of 81 cells with a digit are found.
fn check_scan(input: &[u8], cuts: &Cuts) {
    let ran = run(&Layout::Scan, input, &Cuts::none(input));
    assert_eq!(run(&Layout::Scan, input, cuts), ran);
    let is_cell = |byte: &u8| byte.is_ascii_digit() || b"._*-xX?".contains(byte);
    let mut expected = Vec::new();
    for (number, line) in (1..).zip(input.split(|&byte| byte == b'\n')) {
        let texts = line.split(|byte| !is_cell(byte));
        let puzzles = texts.filter(|text| text.len() == 81 && text.iter().any(u8::is_ascii_digit));
        expected.extend(puzzles.map(|text| (number, text)));
    }
    let rows = ran.rows_in_order();
    let found: Vec<_> = rows.iter().map(|row| (row.line, row.puzzle)).collect();
    assert_eq!(found, expected);
}
