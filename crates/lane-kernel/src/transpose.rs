//! Moving puzzles into lanes, solutions out of lanes, and cells from lane to lane.
//!
//! Sixteen cells of eight puzzles are eight rows of eight words (two cells per word). Transposing
//! such a square takes three rounds of interleaving. A vector holds one square in each of its
//! blocks of eight lanes.

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFrom, SimdInt, u8x16, u16x8};

use super::rules::Rules;
use super::sweep::Cells;
use crate::{CELLS, Candidates, Column, Digits, MAX_LANES, Moves};

/// The first cell of each group of sixteen. The groups cover all cells but one.
const GROUP_STARTS: [usize; 5] = [0, 16, 32, 48, 65];
/// The cell outside all groups, which is handled separately.
const UNGROUPED_CELL: usize = 64;

/// Transposes the square of 8x8 words in each block.
#[inline(always)]
fn transpose<S: Simd, V: Rules<S>>(mut rows: [V; 8]) -> [V; 8] {
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

/// Loads the clues of puzzle `i` into lane `i`, with 0 for a blank. Lanes without a puzzle receive
/// the first one.
#[inline(always)]
pub(crate) fn load<S: Simd, V: Rules<S>, P>(
    s: S,
    puzzles: &[P],
    clues_of: impl Fn(&P) -> &Digits,
    cells: &mut Cells<V>,
) {
    if puzzles.len() == V::LEN {
        // The compiler knows that every index is in bounds.
        load_each(
            s,
            #[inline(always)]
            |lane| clues_of(&puzzles[lane]),
            cells,
        );
    } else {
        load_each(s, |lane| clues_of(puzzles.get(lane).unwrap_or(&puzzles[0])), cells);
    }
}

#[inline(always)]
fn load_each<'a, S: Simd, V: Rules<S>>(
    s: S,
    clues: impl Fn(usize) -> &'a Digits,
    cells: &mut Cells<V>,
) {
    for start in GROUP_STARTS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                s,
                #[inline(always)]
                |block| {
                    let row: &[u8; 16] = clues(8 * block + i)[start..].first_chunk().expect("16");
                    u8x16::simd_from(s, *row).bitcast()
                },
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            (cells[start + 2 * i], cells[start + 2 * i + 1]) = words[i].candidates();
        }
    }
    let mut alone = [0; MAX_LANES];
    for lane in 0..V::LEN {
        alone[lane] = u16::from(clues(lane)[UNGROUPED_CELL]);
    }
    (cells[UNGROUPED_CELL], _) = V::from_slice(s, &alone[..V::LEN]).candidates();
}

/// Loads candidates like [`load`] loads clues.
#[inline(always)]
pub(crate) fn load_candidates<S: Simd, V: Rules<S>, M>(
    s: S,
    marks: &[M],
    candidates_of: impl Fn(&M) -> &Candidates,
    cells: &mut Cells<V>,
) {
    let mut rows = [candidates_of(&marks[0]); MAX_LANES];
    for (row, marks) in rows.iter_mut().zip(marks) {
        *row = candidates_of(marks);
    }
    // Each word is a cell; the last two groups of eight overlap.
    for group in 0..=CELLS / 8 {
        let start = (8 * group).min(CELLS - 8);
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = V::join(
                s,
                #[inline(always)]
                |block| u16x8::from_slice(s, &rows[8 * block + i][start..start + 8]),
            );
        }
        let words = transpose(words);
        for i in 0..8 {
            // In the kernel, bit 0 is digit 1.
            cells[start + i] = words[i] >> 1;
        }
    }
}

/// Stores the digits of lane `i` in place `i`, if there is one. Digits of cells with several
/// candidates are unspecified.
#[inline(always)]
pub(crate) fn store<S: Simd, V: Rules<S>, P>(
    s: S,
    cells: &Cells<V>,
    places: &mut [P],
    digits_of: impl Fn(&mut P) -> &mut Digits,
) {
    if places.len() == V::LEN {
        // The compiler knows that every index is in bounds.
        store_each(s, cells, &mut places[..V::LEN], digits_of);
    } else {
        store_each(s, cells, places, digits_of);
    }
}

#[inline(always)]
fn store_each<S: Simd, V: Rules<S>, P>(
    s: S,
    cells: &Cells<V>,
    places: &mut [P],
    digits_of: impl Fn(&mut P) -> &mut Digits,
) {
    for start in GROUP_STARTS {
        let mut words = [V::splat(s, 0); 8];
        for i in 0..8 {
            words[i] = digits(s, cells[start + 2 * i], cells[start + 2 * i + 1]);
        }
        let words = transpose(words);
        for i in 0..8 {
            for block in 0..V::LEN / 8 {
                if let Some(place) = places.get_mut(8 * block + i) {
                    let bytes: u8x16<S> = words[i].block(block).to_bytes();
                    bytes.store_slice(&mut digits_of(place)[start..start + 16]);
                }
            }
        }
    }
    let alone = digits(s, cells[UNGROUPED_CELL], cells[UNGROUPED_CELL]);
    for (place, digit) in places.iter_mut().zip(alone.as_slice()) {
        digits_of(place)[UNGROUPED_CELL] = *digit as u8;
    }
}

/// Returns the digits of two cells with one candidate each, one byte per digit: `(1 << k) - 1` has
/// `k` bits.
#[inline(always)]
fn digits<S: Simd, V: Rules<S>>(s: S, low: V, high: V) -> V {
    let one = V::splat(s, 0x0101);
    let below: V = (low + (high << 8) - one).to_bytes().count_ones().bitcast();
    below + one
}

/// Moves lanes of `source` into lanes of `target`.
#[inline(always)]
pub(crate) fn move_lanes<S: Simd, V: Rules<S>>(
    s: S,
    source: &Cells<V>,
    moves: &Moves,
    target: &mut Cells<V>,
) {
    let (order, mask) = (V::order(s, &moves.from), V::mask(s, moves.lanes));
    for i in 0..CELLS {
        target[i] = mask.select(source[i].permute(order), target[i]);
    }
}

/// Returns the cells of one lane.
pub(crate) fn column<S: Simd, V: SimdBase<S, Element = u16>>(
    cells: &Cells<V>,
    lane: usize,
) -> Column {
    let mut column = Column::EMPTY;
    for (candidates, cell) in column.0.iter_mut().zip(cells) {
        *candidates = cell.as_slice()[lane];
    }
    column
}
