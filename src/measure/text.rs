//! Text in and out: the part of the timing that is no solving.

use crate::puzzle::{CELLS, Grid, Puzzle};

/// The 81 characters of a puzzle or a solution.
pub(super) type Line = [u8; CELLS];

/// The characters of `puzzle`, `.` for a blank.
pub(super) fn line(puzzle: &Puzzle) -> Line {
    characters(puzzle.cells())
}

/// Reads a puzzle, as `solve` does it.
pub(super) fn read(line: &Line) -> Puzzle {
    Puzzle::from_text(line).expect("the rows of a set were made from puzzles")
}

/// Writes a solution, `.` in every cell where there is none.
pub(super) fn write(grid: &Grid, line: &mut Line) {
    *line = characters(grid.cells());
}

/// Without a branch, so that it becomes vector code.
fn characters(cells: &[u8; CELLS]) -> Line {
    cells.map(|c| b'0' + c - 2 * u8::from(c == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_as_it_was() {
        let cells = std::array::from_fn(|i| (i % 10) as u8);
        let puzzle = Puzzle::from_cells(cells).unwrap();
        assert_eq!(read(&line(&puzzle)), puzzle);
        assert_eq!(line(&puzzle), puzzle.to_string().as_bytes());
        let mut blank = [0; CELLS];
        write(&Grid::BLANK, &mut blank);
        assert_eq!(blank, [b'.'; CELLS]);
    }
}
