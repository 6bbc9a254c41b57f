//! Parses bytes to rows in every way of arrival: all at once, in pieces, or one by one, on one
//! thread or two. Covers every layout, and lines longer than any block.

#![no_main]

use bulkdoku::input::{Answers, InputFormat, InputOptions, Keep};
use bulkdoku_fuzz::arrival;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The options, the size of a block, and the sizes of reads; then the input.
    let Some((&[choice, block, a, b, c, d], data)) = data.split_first_chunk() else { return };
    let formats = [
        InputFormat::Auto,
        InputFormat::Auto,
        InputFormat::Auto,
        InputFormat::Lines,
        InputFormat::Csv,
        InputFormat::Tsv,
        InputFormat::Grid,
        InputFormat::Jsonl,
    ];
    let expected = InputOptions {
        format: formats[usize::from(choice % 8)],
        keep: (choice & 8 != 0).then_some(Keep::Row),
        also_read: if choice & 128 == 0 { vec![] } else { vec!["rest".into()] },
        answers: if choice & 16 == 0 { Answers::Unwanted } else { Answers::Wanted },
        ..InputOptions::default()
    };
    // Starting threads, and reading byte by byte, is slow.
    let threads = choice == 0xFF;
    let sizes = match [a, b, c, d].map(usize::from) {
        [_, _, _, d] if d % 8 == 0 => [1; 4],
        // At least one read must return bytes.
        [a, b, c, d] => [a, b, c, d * 8],
    };
    let may_be_long = expected.format == InputFormat::Grid && choice & 0x60 == 0;
    let input = arrival::expanded(data, arrival::most_bytes(may_be_long));
    if block % 2 == 0 {
        arrival::check_detection(&input, &expected, sizes);
    } else {
        arrival::check_rows(&input, &expected, 90 + usize::from(block) / 2, sizes, threads);
    }
});
