//! Batches as text: what `bench` times, in addition to the search.

use super::contract::Outcome;
use crate::prefetch::prefetch_all;
use crate::puzzle::Puzzle;
use crate::simd::SimdLevel;
use crate::simd::vectors::{Simd, dispatch};
use crate::text::{Line, read_cells, write_cells};

/// Number of lines or puzzles that are prefetched ahead.
const PREFETCH_DISTANCE: usize = 8;

/// Parses lines of 81 cells, and returns whether all are puzzles.
///
/// # Panics
/// When there are fewer puzzles than lines.
#[doc(hidden)]
pub fn parse_lines(simd: SimdLevel, lines: &[Line], puzzles: &mut [Puzzle]) -> bool {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            let mut are_puzzles = true;
            for (i, line) in lines.iter().enumerate() {
                prefetch_all(puzzles.get(i + PREFETCH_DISTANCE));
                are_puzzles &= read_cells(s, line, puzzles[i].cells_mut());
            }
            are_puzzles
        }
    ))
}

/// Writes the solutions of outcomes, with `.` in every cell if there is none.
///
/// # Panics
/// When there are fewer lines than outcomes.
#[doc(hidden)]
pub fn write_solutions(simd: SimdLevel, outcomes: &[Outcome], lines: &mut [Line]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (i, outcome) in outcomes.iter().enumerate() {
                prefetch_all(lines.get(i + PREFETCH_DISTANCE));
                write_cells(s, outcome.grid.cells(), &mut lines[i]);
            }
        }
    ));
}
