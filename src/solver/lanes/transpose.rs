//! Puzzles into lanes and solutions out of them, and from lane to lane.
//!
//! Sixteen cells of eight puzzles are eight rows of eight words (two cells each); the
//! transpose of such a square takes three rounds of interleaving. A vector holds one square
//! in each of its blocks of eight lanes.

use std::ops::Range;

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFrom, u8x16, u16x8};

use super::sweep::Cells;
use super::vector::{LaneSet, Vector};
use crate::marks::Marks;
use crate::puzzle::{CELLS, Puzzle};
use crate::solver::Outcome;

/// Where the groups of sixteen cells begin; the last two overlap.
const GROUPS: [usize; 6] = [0, 16, 32, 48, 64, 65];

/// Transposes the square of 8x8 words in each block.
#[inline(always)]
fn transpose<S: Simd, V: Vector<S>>(mut rows: [V; 8]) -> [V; 8] {
    for _ in 0..3 {
        let mut mixed = rows;
        for i in 0..4 {
            mixed[2 * i] = rows[i].zip_low_blocks(rows[i + 4]);
            mixed[2 * i + 1] = rows[i].zip_high_blocks(rows[i + 4]);
        }
        rows = mixed;
    }
    rows
}

/// What is solved, one a lane.
#[derive(Clone, Copy)]
pub(super) enum Batch<'a> {
    Puzzles(&'a [Puzzle]),
    Marks(&'a [Marks]),
}

impl Batch<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Puzzles(puzzles) => puzzles.len(),
            Self::Marks(marks) => marks.len(),
        }
    }

    /// Those of a range.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Puzzles(puzzles) => Self::Puzzles(&puzzles[range]),
            Self::Marks(marks) => Self::Marks(&marks[range]),
        }
    }
}

/// Puzzle `i` into lane `i`; lanes without a puzzle get the first one.
#[inline(always)]
pub(super) fn load<S: Simd, V: Vector<S>>(s: S, puzzles: &[Puzzle], cells: &mut Cells<V>) {
    let mut rows = [puzzles[0].cells(); 32];
    for (row, puzzle) in rows.iter_mut().zip(puzzles) {
        *row = puzzle.cells();
    }
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                #[inline(always)]
                |block| {
                    let row: &[u8; 16] = rows[8 * block + i][start..].first_chunk().expect("16");
                    u8x16::simd_from(s, *row).bitcast()
                },
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            (cells[start + 2 * i], cells[start + 2 * i + 1]) = words[i].candidates();
        }
    }
}

/// As [`load`], for marks.
#[inline(always)]
pub(super) fn load_marks<S: Simd, V: Vector<S>>(s: S, marks: &[Marks], cells: &mut Cells<V>) {
    let mut rows = [marks[0].masks(); 32];
    for (row, marks) in rows.iter_mut().zip(marks) {
        *row = marks.masks();
    }
    // A word is a cell; the last two groups of eight overlap.
    for group in 0..=CELLS / 8 {
        let start = (8 * group).min(CELLS - 8);
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                #[inline(always)]
                |block| u16x8::from_slice(s, &rows[8 * block + i][start..start + 8]),
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            // Marks have bit n for digit n.
            cells[start + i] = words[i] >> 1;
        }
    }
}

/// The digits of the lanes `solved`, where every cell has one candidate, to the grids of
/// their puzzles: lane `l` is about `outcomes[puzzles[l]]`.
#[inline(always)]
pub(super) fn store<S: Simd, V: Vector<S>>(
    s: S,
    cells: &Cells<V>,
    solved: LaneSet,
    outcomes: &mut [Outcome],
    puzzles: &[usize; 32],
) {
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            let at = start + 2 * i;
            words[i] = digit(s, cells[at]) | (digit(s, cells[at + 1]) << 8);
        }
        let words = transpose(words);
        for i in 0..8 {
            words[i].split_blocks(
                #[inline(always)]
                |block, word| {
                    let lane = 8 * block + i;
                    if solved >> lane & 1 != 0 {
                        let bytes: u8x16<S> = word.to_bytes();
                        let grid = &mut outcomes[puzzles[lane]].grid.0;
                        bytes.store_slice(&mut grid[start..start + 16]);
                    }
                },
            );
        }
    }
}

/// The digit of a single candidate: `1 << k` less one has `k` bits.
#[inline(always)]
fn digit<S: Simd, V: Vector<S>>(s: S, cell: V) -> V {
    let one = V::splat(s, 1);
    (cell - one).count_ones() + one
}

/// Lane `from[l]` of `source` into lane `l` of `target`, for all `l` in `lanes`.
#[inline(always)]
pub(super) fn move_lanes<S: Simd, V: Vector<S>>(
    s: S,
    source: &Cells<V>,
    from: &[u16; 32],
    target: &mut Cells<V>,
    lanes: LaneSet,
) {
    let (order, mask) = (V::order(s, from), V::mask(s, lanes));
    for i in 0..CELLS {
        target[i] = mask.select(source[i].permute(order), target[i]);
    }
}
