//! Bytes to the records of lines: every line is a record, blank, or a comment, whatever the blocks.

#![no_main]

use bulkdoku::Status;
use bulkdoku::input::Layout;
use bulkdoku_fuzz::{Cuts, has_mark, plain_puzzle, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data, 256) else { return };
    if has_mark(input) {
        return;
    }
    let whole = run(&Layout::Lines, input, &Cuts::none());
    let rows = whole.checked_rows(input);

    let (mut blank, mut comments, mut records) = (0, 0, Vec::new());
    for (number, line) in (1..).zip(lines(input)) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = line.iter().position(|byte| !is_space(byte)).unwrap_or(line.len());
        let field = line[start..].split(|byte| is_space(byte) || matches!(byte, b',' | b';'));
        match line[start..].first() {
            None => blank += 1,
            Some(b'#') => comments += 1,
            _ => records.push((number, plain_puzzle(field.take(1).next().unwrap_or_default()))),
        }
    }
    assert_eq!((blank, comments), (whole.counts.blank_lines, whole.counts.comments));
    assert_eq!(rows.len(), records.len());
    for (row, (line, puzzle)) in rows.iter().zip(records) {
        assert_eq!((row.line, row.status != Status::Malformed), (line, puzzle.is_some()));
        assert_eq!(plain_puzzle(row.puzzle), puzzle);
    }

    let longest = lines(input).map(<[u8]>::len).max().unwrap_or(0);
    let pieces = run(&Layout::Lines, input, &cuts);
    if longest < cuts.block_bytes {
        assert_eq!(pieces, whole);
    } else {
        // What is behind the first block of a long line is not looked at.
        let pieces = pieces.checked_rows(input);
        assert!(pieces.len() >= rows.len());
    }
});

fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
