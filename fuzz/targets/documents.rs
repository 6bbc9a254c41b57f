//! Reads JSON arrays and JSON lines, cut into blocks.

#![no_main]

use bulkdoku::input::{InputFormat, InputOptions};
use bulkdoku_fuzz::{Cuts, has_mark, run};
use libfuzzer_sys::fuzz_target;

/// More bytes than the inputs have, so that no record is cut.
const MOST_BYTES: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data) else { return };
    if has_mark(input) {
        return;
    }
    check_json(input, &Cuts { block_bytes: MOST_BYTES, ..cuts });
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
