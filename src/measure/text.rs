//! Text in and out: the part of the timing that is no solving, a batch at a time in vectors.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, dispatch, u8x32};

use crate::puzzle::{CELLS, Puzzle};
use crate::simd::SimdLevel;
use crate::solver::Outcome;

/// The 81 characters of a puzzle or a solution.
pub(super) type Line = [u8; CELLS];

/// Where the vectors of a line start: they overlap, so that nothing is left over.
const WINDOWS: [usize; 3] = [0, WINDOW, CELLS - WINDOW];
/// How many cells a vector has.
const WINDOW: usize = 32;

/// The characters of `puzzle`, `.` for a blank.
pub(super) fn line(puzzle: &Puzzle) -> Line {
    puzzle.cells().map(|cell| if cell == 0 { b'.' } else { b'0' + cell })
}

/// The puzzle of a line.
pub(super) fn puzzle(line: &Line) -> Puzzle {
    Puzzle::from_text(line).expect(MADE_FROM_PUZZLES)
}

const MADE_FROM_PUZZLES: &str = "the rows of a set were made from puzzles";

/// Reads a batch of lines with `.` for a blank.
///
/// # Panics
/// When one of them is no puzzle.
pub(super) fn read(simd: SimdLevel, lines: &[Line], puzzles: &mut [Puzzle]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (line, puzzle) in lines.iter().zip(puzzles) {
                assert!(read_cells(s, line, puzzle.cells_mut()), "{MADE_FROM_PUZZLES}");
            }
        }
    ));
}

/// Whether every character is a cell; those that are none become blanks.
#[inline(always)]
fn read_cells<S: Simd>(s: S, line: &Line, cells: &mut [u8; CELLS]) -> bool {
    let mut all_cells = true;
    for at in WINDOWS {
        let text = u8x32::from_slice(s, &line[at..at + WINDOW]);
        let digit = text - u8x32::splat(s, b'0');
        let is_digit = digit.simd_le(u8x32::splat(s, 9));
        is_digit.select(digit, u8x32::splat(s, 0)).store_slice(&mut cells[at..at + WINDOW]);
        all_cells &= (is_digit | text.simd_eq(u8x32::splat(s, b'.'))).all_true();
    }
    all_cells
}

/// Writes the solutions of a batch, `.` in every cell where there is none.
pub(super) fn write(simd: SimdLevel, outcomes: &[Outcome], lines: &mut [Line]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (outcome, line) in outcomes.iter().zip(lines) {
                write_cells(s, outcome.grid.cells(), line);
            }
        }
    ));
}

#[inline(always)]
fn write_cells<S: Simd>(s: S, cells: &[u8; CELLS], line: &mut Line) {
    for at in WINDOWS {
        let digit = u8x32::from_slice(s, &cells[at..at + WINDOW]);
        let is_blank = digit.simd_eq(u8x32::splat(s, 0));
        let text = is_blank.select(u8x32::splat(s, b'.'), digit + u8x32::splat(s, b'0'));
        text.store_slice(&mut line[at..at + WINDOW]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    #[test]
    fn what_is_written_reads_as_it_was_at_every_level() {
        let cells = std::array::from_fn(|i| (i % 10) as u8);
        let made = Puzzle::from_cells(cells).unwrap();
        assert_eq!(line(&made), made.to_string().as_bytes());
        assert_eq!(puzzle(&line(&made)), made);
        for simd in SimdLevel::available() {
            let mut puzzles = [Puzzle::EMPTY; 2];
            read(simd, &[line(&made); 2], &mut puzzles);
            assert_eq!(puzzles, [made; 2]);
            let mut lines = [[0; CELLS]; 2];
            let solved = Outcome { grid: Grid(cells), ..Outcome::NONE };
            write(simd, &[solved, Outcome::NONE], &mut lines);
            assert_eq!(lines, [line(&made), [b'.'; CELLS]]);
        }
    }

    #[test]
    #[should_panic = "the rows of a set were made from puzzles"]
    fn other_text_is_refused() {
        read(SimdLevel::best(), &[[b'x'; CELLS]], &mut [Puzzle::EMPTY]);
    }
}
