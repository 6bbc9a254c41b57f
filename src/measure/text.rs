//! Reading and writing the text of a batch, which is timed, too.

use crate::simd::vectors::{Simd, dispatch};

use crate::marks::{self, Marks};
use crate::prefetch::prefetch_all;
use crate::puzzle::Puzzle;
use crate::simd::SimdLevel;
use crate::solver::Outcome;
pub(super) use crate::text::Line;
use crate::text::{read_cells, write_cells};

/// The number of lines or puzzles that memory is prefetched ahead.
const AHEAD: usize = 8;

/// Pencil marks as text.
pub(super) type MarksLine = [u8; marks::TEXT];

/// The puzzle of a line.
pub(super) fn puzzle(line: &Line) -> Puzzle {
    Puzzle::from_text(line).expect(MADE_FROM_PUZZLES)
}

const MADE_FROM_PUZZLES: &str = "the rows of a set were made from puzzles";

/// The characters of pencil marks.
pub(super) fn marks_line(marks: &Marks) -> MarksLine {
    marks.to_string().as_bytes().try_into().expect("marks have one length")
}

/// The pencil marks of a line.
pub(super) fn marks(line: &MarksLine) -> Marks {
    Marks::parse(line).expect("the rows of a set were made from marks")
}

/// Reads a batch of lines of pencil marks.
pub(super) fn read_marks(lines: &[MarksLine], into: &mut [Marks]) {
    for (line, into) in lines.iter().zip(into) {
        *into = marks(line);
    }
}

/// Reads a batch of lines.
///
/// # Panics
/// When one of them is no puzzle.
pub(super) fn read(simd: SimdLevel, lines: &[Line], puzzles: &mut [Puzzle]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (i, line) in lines.iter().enumerate() {
                prefetch_all(puzzles.get(i + AHEAD));
                assert!(read_cells(s, line, puzzles[i].cells_mut()), "{MADE_FROM_PUZZLES}");
            }
        }
    ));
}

/// Writes the solutions of a batch, `.` in every cell where there is none.
pub(super) fn write(simd: SimdLevel, outcomes: &[Outcome], lines: &mut [Line]) {
    dispatch!(simd.token(), s => s.vectorize(
        #[inline(always)]
        || {
            for (i, outcome) in outcomes.iter().enumerate() {
                prefetch_all(lines.get(i + AHEAD));
                write_cells(s, outcome.grid.cells(), &mut lines[i]);
            }
        }
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{CELLS, Grid};

    #[test]
    fn what_is_written_reads_as_it_was() {
        let cells = std::array::from_fn(|i| (i % 10) as u8);
        let made = Puzzle::from_cells(cells).unwrap();
        let line = made.text();
        assert_eq!(line, made.to_string().as_bytes());
        assert_eq!(puzzle(&line), made);
        let mut puzzles = [Puzzle::EMPTY; 2];
        read(SimdLevel::best(), &[line; 2], &mut puzzles);
        assert_eq!(puzzles, [made; 2]);
        let mut lines = [[0; CELLS]; 2];
        let solved = Outcome { grid: Grid(cells), ..Outcome::NONE };
        write(SimdLevel::best(), &[solved, Outcome::NONE], &mut lines);
        assert_eq!(lines, [line, [b'.'; CELLS]]);
    }

    #[test]
    #[should_panic = "the rows of a set were made from puzzles"]
    fn other_text_is_refused() {
        read(SimdLevel::best(), &[[b'y'; CELLS]], &mut [Puzzle::EMPTY]);
    }
}
