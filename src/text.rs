//! 81 characters to cells and back, in vectors.
//!
//! On easy puzzles text costs as much as it can spoil: reading cell by cell would take longer than
//! solving in lanes. These are functions for batches, to be inlined where the vector level is
//! known ([`Simd::vectorize`]); they move each cell once, from its place to its place, because
//! moving bytes that were just written, in pieces of another size, costs more than reading them.

use std::ops::{Add, BitOrAssign, Sub};

use fearless_simd::{Level, Select, Simd, SimdBase, SimdInt, SimdMask, dispatch, u8x32};

use crate::puzzle::{CELLS, Grid, Puzzle};

/// The 81 characters of a puzzle or a solution.
pub(crate) type Line = [u8; CELLS];

/// Where the level's widest vectors of a line start: the last two overlap, so that nothing is left
/// over.
#[inline(always)]
pub(crate) fn windows<S: Simd>() -> impl Iterator<Item = usize> {
    (0..CELLS).step_by(S::u8s::LEN).map(
        #[inline(always)]
        |at| at.min(CELLS - S::u8s::LEN),
    )
}

/// The last vector of a line that is to be moved fast, and where it starts: no wider than it has to be,
/// so that it mostly lies in one line of the cache.
type Last<S> = u8x32<S>;
const LAST: usize = CELLS - 32;

/// Where the widest vectors before it start.
#[inline(always)]
fn windows_before_last<S: Simd>() -> impl Iterator<Item = usize> {
    (0..LAST).step_by(S::u8s::LEN)
}

/// Reads a puzzle at the level that every machine of this kind has.
pub(crate) fn read(line: &Line, puzzle: &mut Puzzle) -> bool {
    dispatch!(Level::baseline(), s => read_cells(s, line, puzzle))
}

/// Reads a puzzle in place; `false` if some character is no cell, and then it is no puzzle that
/// means anything.
#[inline(always)]
pub(crate) fn read_cells<S: Simd>(s: S, line: &Line, puzzle: &mut Puzzle) -> bool {
    // Nearly every file has blanks of one kind, and it is one of these.
    read_with(s, line, puzzle, b".") || read_with(s, line, puzzle, b"._*-xX?")
}

/// With these blanks, and `0`.
#[inline(always)]
fn read_with<S: Simd>(s: S, line: &Line, puzzle: &mut Puzzle, blanks: &[u8]) -> bool {
    let mut all_cells = true;
    for at in windows_before_last::<S>() {
        all_cells &= read_window::<S, S::u8s>(s, line, puzzle, blanks, at);
    }
    all_cells & read_window::<S, Last<S>>(s, line, puzzle, blanks, LAST)
}

/// With one vector, from a place on.
#[inline(always)]
fn read_window<S: Simd, V>(s: S, line: &Line, puzzle: &mut Puzzle, blanks: &[u8], at: usize) -> bool
where
    V: SimdInt<S, Element = u8, Mask: BitOrAssign + Select<V>> + Sub<u8, Output = V>,
{
    let digit = V::from_slice(s, &line[at..at + V::LEN]) - b'0';
    let is_digit = digit.simd_le(9);
    let cells = is_digit.select(digit, V::splat(s, 0));
    cells.store_slice(&mut puzzle.cells_mut()[at..at + V::LEN]);
    let mut is_cell = is_digit;
    for &blank in blanks {
        // The same of the text would load it again.
        is_cell |= digit.simd_eq(blank.wrapping_sub(b'0'));
    }
    is_cell.all_true()
}

/// Writes cells as they were written.
#[inline(always)]
pub(crate) fn copy_cells<S: Simd>(s: S, cells: &Line, line: &mut Line) {
    write_sums(s, cells, 0, line);
}

/// Writes a solution.
#[inline(always)]
pub(crate) fn write_digits<S: Simd>(s: S, grid: &Grid, line: &mut Line) {
    write_sums(s, grid.cells(), b'0', line);
}

/// Writes each byte and `more` to it.
#[inline(always)]
fn write_sums<S: Simd>(s: S, bytes: &Line, more: u8, line: &mut Line) {
    for at in windows_before_last::<S>() {
        write_sum::<S, S::u8s>(s, bytes, more, line, at);
    }
    write_sum::<S, Last<S>>(s, bytes, more, line, LAST);
}

/// With one vector, from a place on.
#[inline(always)]
fn write_sum<S: Simd, V>(s: S, bytes: &Line, more: u8, line: &mut Line, at: usize)
where
    V: SimdBase<S, Element = u8> + Add<u8, Output = V>,
{
    let sum = V::from_slice(s, &bytes[at..at + V::LEN]) + more;
    sum.store_slice(&mut line[at..at + V::LEN]);
}

/// Writes a grid, `.` in cells without a digit.
#[inline(always)]
pub(crate) fn write_cells<S: Simd>(s: S, grid: &Grid, line: &mut Line) {
    for at in windows::<S>() {
        let digit = S::u8s::from_slice(s, &grid.cells()[at..at + S::u8s::LEN]);
        let text = digit.simd_eq(0).select(S::u8s::splat(s, b'.'), digit + b'0');
        text.store_slice(&mut line[at..at + S::u8s::LEN]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::BLANKS;
    use crate::simd::SimdLevel;

    fn read_at(level: SimdLevel, line: &Line) -> Option<Puzzle> {
        let mut puzzle = Puzzle::EMPTY;
        dispatch!(level.token(), s => s.vectorize(
            #[inline(always)]
            || read_cells(s, line, &mut puzzle)
        ))
        .then_some(puzzle)
    }

    #[test]
    fn at_every_level_and_place_each_character_is_what_it_is() {
        for level in SimdLevel::available() {
            for byte in 0..=u8::MAX {
                for at in [0, 31, 32, 48, 49, 63, 64, 80] {
                    let mut line = [b'.'; CELLS];
                    line[at] = byte;
                    let expected = match byte {
                        b'1'..=b'9' => Some(byte - b'0'),
                        _ if BLANKS.contains(&byte) => Some(0),
                        _ => None,
                    };
                    let found = read_at(level, &line);
                    assert_eq!(found.map(|puzzle| puzzle.cells()[at]), expected, "{level} {byte}");
                    if let Some(puzzle) = found {
                        assert_eq!(puzzle.clues(), usize::from(puzzle.cells()[at] != 0));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_as_it_was() {
        let grid = Grid(std::array::from_fn(|i| (i % 10) as u8));
        for level in SimdLevel::available() {
            let mut line = [0; CELLS];
            dispatch!(level.token(), s => s.vectorize(
                #[inline(always)]
                || write_cells(s, &grid, &mut line)
            ));
            assert_eq!(line, grid.to_string().as_bytes());
            assert_eq!(read_at(level, &line), Some(Puzzle::from(grid)));
            let solution = Grid(grid.0.map(|digit| digit.max(1)));
            dispatch!(level.token(), s => s.vectorize(
                #[inline(always)]
                || write_digits(s, &solution, &mut line)
            ));
            assert_eq!(line, solution.to_string().as_bytes());
        }
    }
}
