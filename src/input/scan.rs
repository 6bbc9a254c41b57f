//! Puzzles in other text: all runs of exactly 81 cells.
//!
//! A record is a maximal run of exactly 81 cell characters, at least one of them a digit. It is
//! bounded by other characters or the ends of its line. No record is malformed.

use memchr::{memchr_iter, memrchr};

use super::{LinePosition, Records, lines};
use crate::puzzle::CELLS;
use crate::simd::SimdLevel;
use crate::simd::vectors::{Simd, dispatch};
use crate::text::read_cells;

/// For each byte, whether it is a cell.
const IS_CELL: [bool; 256] = {
    let mut is = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is[byte] =
            matches!(byte as u8, b'0'..=b'9' | b'.' | b'_' | b'*' | b'-' | b'x' | b'X' | b'?');
        byte += 1;
    }
    is
};

/// Returns where a line that fills a block is cut: after its last character that is not a cell.
pub(super) fn forced_end(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| !IS_CELL[usize::from(byte)]).map_or(0, |at| at + 1)
}

/// Reads the records of a block.
pub(super) fn read_all(block: &[u8], records: &mut Records) {
    dispatch!(SimdLevel::best().token(), simd => simd.vectorize(
        #[inline(always)]
        || read_runs(simd, block, records)
    ));
}

#[inline(always)]
fn read_runs<S: Simd>(simd: S, block: &[u8], records: &mut Records) {
    records.clear();
    let mut lines = LineCounter::default();
    let mut at = 0;
    while at < block.len() {
        // Runs that fill their lines are read like lines.
        if at == 0 || block[at - 1] == b'\n' {
            let place = lines.place(block, at);
            let (bytes, count) =
                lines::read_alike(simd, place, &block[at..], |cells| has_digit(cells), records);
            lines.skip(bytes, count);
            at += bytes;
        }
        let Some(start) = next_run(block, at) else { break };
        let cells = block[start..].first_chunk().expect("a run has 81 cells");
        let place = lines.place(block, start);
        records
            .push_puzzle(place, cells, |cells, puzzle| read_cells(simd, cells, puzzle.cells_mut()));
        at = start + CELLS + 1;
    }
}

/// Returns the offsets of all runs of exactly 81 cells with a digit.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = next_run(text, at)?;
        at = start + CELLS + 1;
        Some(start)
    })
}

/// Returns the offset of the next run of exactly 81 cells with a digit. The byte before `from` is not a
/// cell.
///
/// A run covers every 81st byte, so most other bytes are not inspected.
fn next_run(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from + CELLS - 1;
    while at < text.len() {
        if !IS_CELL[usize::from(text[at])] {
            at += CELLS;
            continue;
        }
        let before = text[..at].iter().rev().take_while(|byte| IS_CELL[usize::from(**byte)]);
        let start = at - before.count();
        let after = text[at..].iter().take_while(|byte| IS_CELL[usize::from(**byte)]);
        let end = at + after.count();
        at = end + CELLS;
        if end - start == CELLS && has_digit(&text[start..end]) {
            return Some(start);
        }
    }
    None
}

#[inline(always)]
fn has_digit(cells: &[u8]) -> bool {
    cells.iter().fold(false, |any, byte| any | byte.is_ascii_digit())
}

/// Counts lines up to places in ascending order.
#[derive(Default)]
struct LineCounter {
    at: usize,
    line: u32,
    start: usize,
}

impl LineCounter {
    fn place(&mut self, block: &[u8], start: usize) -> LinePosition {
        let passed = &block[self.at..start];
        if let Some(end) = memrchr(b'\n', passed) {
            self.line += memchr_iter(b'\n', passed).count() as u32;
            self.start = self.at + end + 1;
        }
        self.at = start;
        let indent = (start - self.start) as u32;
        LinePosition { line: self.line, start: self.start as u32, indent }
    }

    /// Skips complete lines from the last place on, which is the start of a line.
    fn skip(&mut self, bytes: usize, lines: u32) {
        self.at += bytes;
        self.start = self.at;
        self.line += lines;
    }
}
