//! Grids of nine lines: no row is lost, and complete grids are found.

use std::sync::Arc;

use bulkdoku::Status;
use bulkdoku::input::{Layout, grid};

use crate::{Cuts, plain, run};

/// The limits of a grid, including all lines between its rows.
const MOST_LINES: u64 = 36;
const MOST_BYTES: usize = 10 * 1024;

/// Checks that every line that must be a row belongs to a record.
pub fn check(input: &[u8], cuts: &Cuts) {
    let layout: Arc<dyn Layout> = Arc::new(grid::Grids);
    let whole = run(&layout, input, &Cuts::none(input));
    let rows = whole.checked_rows(input);
    let cuts = Cuts { block_bytes: MOST_BYTES + cuts.block_bytes, ..*cuts };
    assert_eq!(run(&layout, input, &cuts), whole);

    let lines: Vec<&[u8]> = plain::lines(input).collect();
    let is_empty = |line: &[u8]| line.trim_ascii().is_empty();
    let blank = lines.iter().filter(|line| is_empty(line)).count();
    assert!(whole.counts.blank_lines <= blank as u64);
    for row in &rows {
        assert!(row.status == Status::Malformed || plain::is_puzzle_or_marks(row.puzzle));
        assert_eq!(row.kept.len(), 0);
    }

    // Without sections, no row is skipped.
    if !input.contains(&b'[') {
        for (number, _) in (1..).zip(&lines).filter(|(_, line)| is_certain_row(line)) {
            let last = rows.iter().rfind(|row| row.line <= number);
            assert!(last.is_some_and(|row| number < row.line + MOST_LINES), "row in line {number}");
        }
    }
    // Nine rows of nine cells between blank lines, or at the start or end, are a puzzle.
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

    // Detection from half of the input must agree with detection from all of it.
    let half = &input[..input.len() / 2];
    if let Some(is_grid) = grid::looks_like_grid(half, false) {
        assert_eq!(grid::looks_like_grid(input, true), Some(is_grid));
    }
}

/// Returns whether a line is nine digits or dots, but not nine dots.
fn is_certain_row(line: &[u8]) -> bool {
    let is_cell = |byte: &u8| matches!(byte, b'1'..=b'9' | b'.');
    line.len() == 9 && line.iter().all(is_cell) && line.iter().any(u8::is_ascii_digit)
}
