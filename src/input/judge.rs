//! The input of the judge problems BOJ 2580 and BOJ 2239: nine lines a grid, one grid behind the
//! other. Blank lines between them are passed over.

use memchr::memchr_iter;

use super::{Place, Records};
use crate::puzzle::{CELLS, Malformed, Puzzle};

/// The end of the last whole grid in `bytes`, which begin with one; 0 if there is none.
pub fn last_end(bytes: &[u8]) -> usize {
    let (mut rows, mut start, mut last) = (0, 0, 0);
    for at in memchr_iter(b'\n', bytes) {
        rows += usize::from(!bytes[start..at].trim_ascii().is_empty());
        start = at + 1;
        if rows % 9 == 0 {
            last = start;
        }
    }
    last
}

/// Reads the grids of a block of whole ones; `spaced` if spaces stand between the cells.
pub fn read(block: &[u8], spaced: bool, records: &mut Records) {
    records.clear();
    let mut grid = Grid::default();
    let mut at = 0;
    for (number, line) in (0..).zip(block.split(|&byte| byte == b'\n')) {
        let row = line.trim_ascii();
        if row.is_empty() {
            records.blank_lines += u64::from(at < block.len());
        } else {
            if grid.rows == 0 {
                grid.place = Place { line: number, start: at as u32, indent: 0 };
            }
            grid.push(row, spaced);
            if grid.rows == 9 {
                std::mem::take(&mut grid).finish(at + line.len(), records);
            }
        }
        at += line.len() + 1;
    }
    if grid.rows > 0 {
        let what = format!("a grid of {} lines, nine expected", grid.rows);
        grid.bad.get_or_insert(Malformed { column: 1, what });
        grid.finish(block.len(), records);
    }
}

/// The rows of a grid read so far.
struct Grid {
    place: Place,
    rows: usize,
    cells: [u8; CELLS],
    bad: Option<Malformed>,
}

impl Default for Grid {
    fn default() -> Self {
        let place = Place { line: 0, start: 0, indent: 0 };
        Self { place, rows: 0, cells: [0; CELLS], bad: None }
    }
}

impl Grid {
    fn push(&mut self, row: &[u8], spaced: bool) {
        let read = if spaced { spaced_cells(row) } else { row.try_into().ok() };
        if let Some(cells) = read.filter(|cells| cells.iter().all(u8::is_ascii_digit)) {
            let digits = cells.map(|byte: u8| byte - b'0');
            self.cells[self.rows * 9..][..9].copy_from_slice(&digits);
        } else {
            let wanted = if spaced { "nine numbers with spaces between" } else { "nine digits" };
            let what = format!("row {} of the grid is not {wanted}, 0 to 9", self.rows + 1);
            self.bad.get_or_insert(Malformed { column: 1, what });
        }
        self.rows += 1;
    }

    fn finish(self, end: usize, records: &mut Records) {
        let length = end - self.place.start as usize;
        match (self.bad, Puzzle::from_cells(self.cells)) {
            (None, Some(puzzle)) => records.push_grid(self.place, length, puzzle),
            (bad, _) => {
                let nothing = || Malformed { column: 1, what: "not a grid".into() };
                records.push_malformed(self.place, length, bad.unwrap_or_else(nothing));
            }
        }
    }
}

/// Nine cells with white space between them.
fn spaced_cells(row: &[u8]) -> Option<[u8; 9]> {
    let mut cells = [0; 9];
    let mut count = 0;
    for cell in row.split(u8::is_ascii_whitespace).filter(|cell| !cell.is_empty()) {
        *cells.get_mut(count)? = *<&[u8; 1]>::try_from(cell).ok()?.first()?;
        count += 1;
    }
    (count == 9).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(row: &str) -> String {
        format!("{row}\n").repeat(9)
    }

    #[test]
    fn blocks_end_where_grids_end() {
        let text = grid("000000000");
        assert_eq!(last_end(&text.as_bytes()[..89]), 0);
        assert_eq!(last_end(text.as_bytes()), 90);
        assert_eq!(last_end(format!("{text}\n\n12\n").as_bytes()), 92);
    }

    #[test]
    fn a_bad_grid_leaves_the_next_one_in_step() {
        let bad = grid("0 0 0 0 0 0 0 0 0").replacen("0 0", "0", 1);
        let text = format!("{bad}\n{}1 2\n", grid("0 0 0 0 0 0 0 0 0"));
        let mut records = Records::default();
        read(text.as_bytes(), true, &mut records);
        let found: Vec<_> = records.all.iter().map(|r| (r.line, r.puzzle.is_ok())).collect();
        assert_eq!(found, [(0, false), (10, true), (19, false)]);
        assert_eq!((records.puzzles.len(), records.blank_lines), (1, 1));
    }
}
