//! Puzzles into lanes and solutions out of them, and from lane to lane.
//!
//! Sixteen cells of eight puzzles are eight rows of eight words (two cells each); the
//! transpose of such a square takes three rounds of interleaving. A vector holds one square
//! in each of its blocks of eight lanes.

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFrom, SimdInt, u8x16, u16x8};

use super::sweep::Cells;
use super::vector::Vector;
use crate::{CELLS, Clues, LaneSet, MOST_LANES, Marks, Place};

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

/// The clues of puzzle `i` into lane `i`, nothing for a blank; lanes without a puzzle get the
/// first one.
#[inline(always)]
pub(crate) fn load<S: Simd, V: Vector<S>, P: Clues>(s: S, puzzles: &[P], cells: &mut Cells<V>) {
    if puzzles.len() == V::LEN {
        return load_all(s, puzzles, cells);
    }
    let mut all = [*puzzles[0].clues(); MOST_LANES];
    for (clues, puzzle) in all.iter_mut().zip(puzzles) {
        *clues = *puzzle.clues();
    }
    load_all(s, &all[..V::LEN], cells);
}

/// One puzzle for each lane: so the compiler knows where each of them is.
#[inline(always)]
fn load_all<S: Simd, V: Vector<S>, P: Clues>(s: S, puzzles: &[P], cells: &mut Cells<V>) {
    assert_eq!(puzzles.len(), V::LEN);
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                #[inline(always)]
                |block| {
                    let clues = puzzles[8 * block + i].clues();
                    let row: &[u8; 16] = clues[start..].first_chunk().expect("16");
                    u8x16::simd_from(s, *row).bitcast()
                },
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            (cells[start + 2 * i], cells[start + 2 * i + 1]) = words[i].candidates();
        }
    }
    let mut clues = [0; MOST_LANES];
    for (clue, puzzle) in clues.iter_mut().zip(puzzles) {
        *clue = u16::from(puzzle.clues()[ALONE]);
    }
    (cells[ALONE], _) = V::from_slice(s, &clues[..V::LEN]).candidates();
}

/// As [`load`], for candidates.
#[inline(always)]
pub(crate) fn load_candidates<S: Simd, V: Vector<S>, M: Marks>(
    s: S,
    marks: &[M],
    cells: &mut Cells<V>,
) {
    let mut rows = [marks[0].candidates(); MOST_LANES];
    for (row, marks) in rows.iter_mut().zip(marks) {
        *row = marks.candidates();
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
            // Bit 0 is the digit 1 here.
            cells[start + i] = words[i] >> 1;
        }
    }
}

/// The digits of lane `i` to place `i`; anything for cells with more than one candidate.
#[inline(always)]
pub(crate) fn store<S: Simd, V: Vector<S>, P: Place>(s: S, cells: &Cells<V>, places: &mut [P]) {
    if places.len() == V::LEN {
        return store_all(s, cells, places);
    }
    let mut all = [[0; CELLS]; MOST_LANES];
    store_all(s, cells, &mut all[..V::LEN]);
    for (place, digits) in places.iter_mut().zip(&all) {
        *place.digits() = *digits;
    }
}

/// One place for each lane.
#[inline(always)]
fn store_all<S: Simd, V: Vector<S>, P: Place>(s: S, cells: &Cells<V>, places: &mut [P]) {
    assert_eq!(places.len(), V::LEN);
    for start in GROUPS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = digits_of(s, cells[start + 2 * i], cells[start + 2 * i + 1]);
        }
        let words = transpose(words);
        for i in 0..8 {
            words[i].split_blocks(
                #[inline(always)]
                |block, word| {
                    let bytes: u8x16<S> = word.to_bytes();
                    let place = places[8 * block + i].digits();
                    bytes.store_slice(&mut place[start..start + 16]);
                },
            );
        }
    }
    let alone = digits_of(s, cells[ALONE], cells[ALONE]);
    for (place, digit) in places.iter_mut().zip(alone.as_slice()) {
        place.digits()[ALONE] = *digit as u8;
    }
}

/// The digits of two cells with one candidate each, a byte each: `1 << k` less one has `k` bits.
#[inline(always)]
fn digits_of<S: Simd, V: Vector<S>>(s: S, low: V, high: V) -> V {
    let one = V::splat(s, 0x0101);
    let below: V = (low + (high << 8) - one).to_bytes().count_ones().bitcast();
    below + one
}

/// Lane `from[l]` of `source` into lane `l` of `target`, for all `l` in `lanes`.
#[inline(always)]
pub(crate) fn move_lanes<S: Simd, V: Vector<S>>(
    s: S,
    source: &Cells<V>,
    from: &[u16; MOST_LANES],
    target: &mut Cells<V>,
    lanes: LaneSet,
) {
    let (order, mask) = (V::order(s, from), V::mask(s, lanes));
    for i in 0..CELLS {
        target[i] = mask.select(source[i].permute(order), target[i]);
    }
}
