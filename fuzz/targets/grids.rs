//! Bytes to the records of grids: the same whatever the blocks, and no row is lost.

#![no_main]

use bulkdoku::Status;
use bulkdoku::input::{Layout, grid};
use bulkdoku_fuzz::{Cuts, has_mark, plain_puzzle, run};
use libfuzzer_sys::fuzz_target;

/// No grid is larger, all lines between its rows included.
const MOST_LINES: u64 = 36;
const MOST_BYTES: usize = 10 * 1024;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, input)) = Cuts::take(data, MOST_BYTES) else { return };
    if has_mark(input) {
        return;
    }
    let whole = run(&Layout::Grid, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);
    assert_eq!(run(&Layout::Grid, input, &cuts), whole);

    let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let is_empty = |line: &[u8]| line.trim_ascii().is_empty();
    let blank =
        lines.iter().rev().skip(usize::from(lines.ends_with(&[b""]))).filter(|line| is_empty(line));
    assert!(whole.counts.blank_lines <= blank.count() as u64);
    for row in rows.iter().filter(|row| row.status != Status::Malformed) {
        assert!(plain_puzzle(row.puzzle).is_some());
    }

    // Where nothing stands in brackets, no row is passed over.
    if !input.contains(&b'[') {
        for (number, _) in (1..).zip(&lines).filter(|(_, line)| is_certain_row(line)) {
            let last = rows.iter().rfind(|row| row.line <= number);
            assert!(last.is_some_and(|row| number < row.line + MOST_LINES), "row in line {number}");
        }
    }
    // Nine rows of nine cells between blank lines, at the start or the end are a puzzle.
    for (first, nine) in lines.windows(9).enumerate() {
        let before = first.checked_sub(1).map_or(&b""[..], |before| lines[before]);
        let behind = lines.get(first + 9).copied().unwrap_or_default();
        if is_empty(before) && is_empty(behind) && nine.iter().all(|line| is_certain_row(line)) {
            let row = rows.iter().find(|row| row.line == first as u64 + 1);
            let row = row.expect("a grid has its row");
            assert_eq!(row.puzzle, nine.concat());
            assert_ne!(row.status, Status::Malformed);
        }
    }

    // What is found in half of it is found in all of it.
    let half = &input[..input.len() / 2];
    if let Some(is_grid) = grid::looks_like_grid(half, false) {
        assert_eq!(grid::looks_like_grid(input, true), Some(is_grid));
    }
});

/// Nine digits or dots, and not nine dots.
fn is_certain_row(line: &[u8]) -> bool {
    let is_cell = |byte: &u8| matches!(byte, b'1'..=b'9' | b'.');
    line.len() == 9 && line.iter().all(is_cell) && line.iter().any(u8::is_ascii_digit)
}
