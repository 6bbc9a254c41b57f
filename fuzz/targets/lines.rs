//! Bytes to the records of lines: every line is a record, blank, or a comment, whatever the blocks.

#![no_main]

use bulkdoku::Status;
use bulkdoku::input::Layout;
use bulkdoku_fuzz::{Cuts, has_mark, is_puzzle_or_marks, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data, 256) else { return };
    if has_mark(input) {
        return;
    }
    let whole = run(&Layout::Lines, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);

    let (mut blank, mut comments, mut records) = (0, 0, Vec::new());
    for (number, line) in (1..).zip(lines(input)) {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let is_separator = |byte: &u8| is_space(byte) || matches!(byte, b',' | b';');
        let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
        let field = text[start..].split(is_separator).next().unwrap_or_default();
        match text[start..].first() {
            _ if text.trim_ascii_end().contains(&b'\r') => records.push((number, None)),
            None => blank += 1,
            Some(b'#') => comments += 1,
            _ => records.push((number, is_puzzle_or_marks(field).then_some(field))),
        }
    }
    assert_eq!((blank, comments), (whole.counts.blank_lines, whole.counts.comments));
    assert_eq!(rows.len(), records.len());
    for (row, (line, puzzle)) in rows.iter().zip(records) {
        let found = (row.status != Status::Malformed).then_some(row.puzzle);
        assert_eq!((row.line, found), (line, puzzle));
    }

    let longest = lines(input).map(<[u8]>::len).max().unwrap_or(0);
    let pieces = run(&Layout::Lines, input, &cuts);
    if longest < cuts.block_bytes {
        assert_eq!(pieces, whole);
    } else {
        // Of a line that no block holds the begin is read: a comment, or a record, but not blank.
        let rows_of_pieces = pieces.checked_rows(input);
        assert!(rows_of_pieces.len() >= rows.len());
        let all = |ran: &bulkdoku_fuzz::Ran| {
            ran.counts.records() + ran.counts.blank_lines + ran.counts.comments
        };
        assert_eq!(all(&pieces), all(&whole));
    }
});

fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = input.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
