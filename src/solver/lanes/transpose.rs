//! Puzzles into lanes and solutions out of them, and from lane to lane.
//!
//! Sixteen cells of eight puzzles are eight rows of eight words (two cells each); the
//! transpose of such a square takes three rounds of interleaving. A vector holds one square
//! in each of its blocks of eight lanes.

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFrom, SimdInt, u8x16, u16x8};

use super::sweep::Cells;
use super::vector::{LaneSet, Vector};
use crate::marks::Marks;
use crate::prefetch::prefetch_all;
use crate::puzzle::{CELLS, Grid, Puzzle};
use crate::solver::{Batch, Outcome};

/// Where the groups of sixteen cells begin: all cells but one.
const GROUPS: [usize; 5] = [0, 16, 32, 48, 65];
/// The cell in no group, which goes alone.
const ALONE: usize = 64;

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

/// Prefetches all that is to be solved.
#[inline(always)]
pub(super) fn prefetch_batch(batch: Batch<'_>) {
    match batch {
        Batch::Puzzles(puzzles) => prefetch_all(puzzles),
        Batch::Marks(marks) => prefetch_all(marks),
    }
}

/// The clues of puzzle `i` into lane `i`, nothing for a blank; lanes without a puzzle get the
/// first one.
#[inline(always)]
pub(super) fn load<S: Simd, V: Vector<S>>(s: S, puzzles: &[Puzzle], cells: &mut Cells<V>) {
    if puzzles.len() == V::LEN {
        return load_all(s, puzzles, cells);
    }
    let mut all = [puzzles[0]; 32];
    all[..puzzles.len()].copy_from_slice(puzzles);
    load_all(s, &all[..V::LEN], cells);
}

/// One puzzle for each lane: so the compiler knows where each of them is.
#[inline(always)]
fn load_all<S: Simd, V: Vector<S>>(s: S, puzzles: &[Puzzle], cells: &mut Cells<V>) {
    assert_eq!(puzzles.len(), V::LEN);
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                #[inline(always)]
                |block| {
                    let cells = puzzles[8 * block + i].cells();
                    let row: &[u8; 16] = cells[start..].first_chunk().expect("16");
                    u8x16::simd_from(s, *row).bitcast()
                },
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            (cells[start + 2 * i], cells[start + 2 * i + 1]) = words[i].candidates();
        }
    }
    let mut clues = [0; 32];
    for (clue, puzzle) in clues.iter_mut().zip(puzzles) {
        *clue = u16::from(puzzle.cells()[ALONE]);
    }
    (cells[ALONE], _) = V::from_slice(s, &clues[..V::LEN]).candidates();
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

/// Where solutions go, one for each lane.
pub(super) trait Places {
    fn of(&mut self, lane: usize) -> &mut Grid;
}

impl Places for [Grid] {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> &mut Grid {
        &mut self[lane]
    }
}

impl Places for [Outcome] {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> &mut Grid {
        &mut self[lane].grid
    }
}

/// The digits of every lane, where every cell has one candidate, to its place. (Anything for cells
/// that have not.)
#[inline(always)]
pub(super) fn store<S: Simd, V: Vector<S>, P: Places + ?Sized>(
    s: S,
    cells: &Cells<V>,
    places: &mut P,
) {
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = digits(s, cells[start + 2 * i], cells[start + 2 * i + 1]);
        }
        let words = transpose(words);
        for i in 0..8 {
            words[i].split_blocks(
                #[inline(always)]
                |block, word| {
                    let bytes: u8x16<S> = word.to_bytes();
                    let grid = places.of(8 * block + i);
                    bytes.store_slice(&mut grid.0[start..start + 16]);
                },
            );
        }
    }
    let alone = digits(s, cells[ALONE], cells[ALONE]);
    for (lane, digits) in alone.as_slice().iter().enumerate() {
        places.of(lane).0[ALONE] = *digits as u8;
    }
}

/// The digits of two cells with one candidate each, a byte each: `1 << k` less one has `k` bits.
#[inline(always)]
fn digits<S: Simd, V: Vector<S>>(s: S, low: V, high: V) -> V {
    let one = V::splat(s, 0x0101);
    let below: V = (low + (high << 8) - one).to_bytes().count_ones().bitcast();
    below + one
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
