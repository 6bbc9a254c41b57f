//! Converts 81 characters to cells and back, with vectors.
//!
//! Parsing an easy puzzle cell by cell would take longer than solving it. These functions are
//! inlined where the SIMD level is fixed ([`Simd::vectorize`]). They move each cell once, straight
//! to its destination, because loading bytes that were just stored in pieces of another size is
//! slow.

use std::ops::{Add, BitOrAssign, Sub};

use crate::simd::vectors::{Level, Select, Simd, SimdBase, SimdInt, SimdMask, dispatch, u8x32};

/// Number of cells of a puzzle.
pub const CELLS: usize = 81;

/// Length of pencil marks: nine characters per cell.
pub(crate) const MARKS: usize = 9 * CELLS;

/// The characters that represent a blank.
pub const BLANKS: &[u8; 8] = b"0._*-xX?";

/// Returns whether a character is a digit or a blank.
pub fn is_cell(byte: u8) -> bool {
    byte.is_ascii_digit() || BLANKS.contains(&byte)
}

/// The 81 characters of a puzzle or a solution, or its cells: 0 for a blank.
pub type Line = [u8; CELLS];

/// Returns the column of the character at a byte, from 1.
pub fn column(line: &[u8], at: usize) -> usize {
    String::from_utf8_lossy(&line[..at.min(line.len())]).chars().count() + 1
}

/// Returns the offsets of the level's widest vectors in a line. The last two overlap, so no
/// remainder is left.
#[inline(always)]
pub fn windows<S: Simd>() -> impl Iterator<Item = usize> {
    (0..CELLS).step_by(S::u8s::LEN).map(
        #[inline(always)]
        |at| at.min(CELLS - S::u8s::LEN),
    )
}

/// The last vector of a line, starting at offset `LAST_VECTOR_START`. It is no wider than necessary, so it is
/// mostly in one cache line.
type LastVector<S> = u8x32<S>;
const LAST_VECTOR_START: usize = CELLS - 32;

/// Returns the offsets of the widest vectors before the last vector.
#[inline(always)]
fn windows_before_last<S: Simd>() -> impl Iterator<Item = usize> {
    (0..LAST_VECTOR_START).step_by(S::u8s::LEN)
}

/// Parses cells at the baseline SIMD level.
pub fn read(line: &Line, cells: &mut Line) -> bool {
    dispatch!(Level::baseline(), s => read_cells(s, line, cells))
}

/// Parses a line into `cells`; returns `false` if some character is not a cell. Then `cells` is
/// meaningless.
#[inline(always)]
pub fn read_cells<S: Simd>(s: S, line: &Line, cells: &mut Line) -> bool {
    // Nearly every file uses one character for blanks, `.` or `0`.
    read_cells_with_blanks(s, line, cells, b".")
        || read_cells_with_blanks(s, line, cells, b"._*-xX?")
}

#[inline(always)]
fn read_cells_with_blanks<S: Simd>(s: S, line: &Line, cells: &mut Line, blanks: &[u8]) -> bool {
    let mut all_cells = true;
    for at in windows_before_last::<S>() {
        all_cells &= read_window::<S, S::u8s>(s, line, cells, blanks, at);
    }
    all_cells & read_window::<S, LastVector<S>>(s, line, cells, blanks, LAST_VECTOR_START)
}

/// Parses one vector at this offset.
#[inline(always)]
fn read_window<S: Simd, V>(s: S, line: &Line, cells: &mut Line, blanks: &[u8], at: usize) -> bool
where
    V: SimdInt<S, Element = u8, Mask: BitOrAssign + Select<V>> + Sub<u8, Output = V>,
{
    let digit = V::from_slice(s, &line[at..at + V::LEN]) - b'0';
    let is_digit = digit.simd_le(9);
    let digit_or_blank = is_digit.select(digit, V::splat(s, 0));
    digit_or_blank.store_slice(&mut cells[at..at + V::LEN]);
    let mut is_cell = is_digit;
    for &blank in blanks {
        // Comparing the text instead would load it again.
        is_cell |= digit.simd_eq(blank.wrapping_sub(b'0'));
    }
    is_cell.all_true()
}

/// Copies cells that are already text.
#[inline(always)]
pub fn copy_cells<S: Simd>(s: S, cells: &Line, line: &mut Line) {
    write_sums(s, cells, 0, line);
}

/// Writes the digits of a solution.
#[inline(always)]
pub fn write_digits<S: Simd>(s: S, digits: &Line, line: &mut Line) {
    write_sums(s, digits, b'0', line);
}

/// Writes each byte plus `addend`.
#[inline(always)]
fn write_sums<S: Simd>(s: S, bytes: &Line, addend: u8, line: &mut Line) {
    for at in windows_before_last::<S>() {
        write_sum::<S, S::u8s>(s, bytes, addend, line, at);
    }
    write_sum::<S, LastVector<S>>(s, bytes, addend, line, LAST_VECTOR_START);
}

/// Writes one vector at this offset.
#[inline(always)]
fn write_sum<S: Simd, V>(s: S, bytes: &Line, addend: u8, line: &mut Line, at: usize)
where
    V: SimdBase<S, Element = u8> + Add<u8, Output = V>,
{
    let sum = V::from_slice(s, &bytes[at..at + V::LEN]) + addend;
    sum.store_slice(&mut line[at..at + V::LEN]);
}

/// Writes cells, with `.` for a blank.
#[inline(always)]
pub(crate) fn write_cells<S: Simd>(s: S, digits: &Line, line: &mut Line) {
    for at in windows::<S>() {
        let digit = S::u8s::from_slice(s, &digits[at..at + S::u8s::LEN]);
        let text = digit.simd_eq(0).select(S::u8s::splat(s, b'.'), digit + b'0');
        text.store_slice(&mut line[at..at + S::u8s::LEN]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::SimdLevel;

    fn read_at(level: SimdLevel, line: &Line) -> Option<Line> {
        let mut cells = [0; CELLS];
        dispatch!(level.token(), s => s.vectorize(
            #[inline(always)]
            || read_cells(s, line, &mut cells)
        ))
        .then_some(cells)
    }

    #[test]
    fn every_character_is_read_at_every_level_and_place() {
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
                    assert_eq!(found.map(|cells| cells[at]), expected, "{level} {byte}");
                    if let Some(cells) = found {
                        assert!((0..CELLS).all(|other| other == at || cells[other] == 0));
                    }
                }
            }
        }
    }

    #[test]
    fn written_cells_are_read_back() {
        let cells: Line = std::array::from_fn(|i| (i % 10) as u8);
        let text = cells.map(|cell| if cell == 0 { b'.' } else { b'0' + cell });
        for level in SimdLevel::available() {
            let mut line = [0; CELLS];
            dispatch!(level.token(), s => s.vectorize(
                #[inline(always)]
                || write_cells(s, &cells, &mut line)
            ));
            assert_eq!(line, text);
            assert_eq!(read_at(level, &line), Some(cells));
            let solution = cells.map(|digit| digit.max(1));
            dispatch!(level.token(), s => s.vectorize(
                #[inline(always)]
                || write_digits(s, &solution, &mut line)
            ));
            assert_eq!(line, solution.map(|digit| b'0' + digit));
        }
    }
}
