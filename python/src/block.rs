//! The puzzles of some rows, and the errors of rows without one.

use std::fmt;

use bulkdoku::puzzle::CELLS;
use bulkdoku::{Malformed, Puzzle};

/// Rows as puzzles. Reused for later rows.
#[derive(Debug, Default)]
pub struct Block {
    /// The puzzles, in order.
    pub puzzles: Vec<Puzzle>,
    /// The bad rows, in order.
    pub bad: Vec<BadRow>,
}

/// A row without a puzzle.
#[derive(Clone, Debug)]
pub struct BadRow {
    /// Its index in the block.
    pub row: usize,
    /// The reason.
    pub why: Why,
}

/// Why a row has no puzzle.
#[derive(Clone, Debug)]
pub enum Why {
    /// It is null.
    Null,
    /// Its text is not a puzzle.
    Text(Malformed),
    /// One of its numbers is not a cell.
    Number { cell: usize, value: u8, blank: u8 },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Text(malformed) => write!(f, "column {}: {malformed}", malformed.column),
            Self::Number { cell, value, blank } => {
                let (row, column, last) = (cell / 9 + 1, cell % 9 + 1, u16::from(*blank) + 9);
                write!(
                    f,
                    "r{row}c{column}: {value} is no cell; a blank is {blank}, digits are {} to {last}",
                    u16::from(*blank) + 1
                )
            }
        }
    }
}

impl Block {
    /// Removes all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.puzzles.clear();
        self.bad.clear();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.puzzles.len() + self.bad.len()
    }

    /// Adds a row of text. Surrounding white space is ignored.
    #[inline]
    pub fn push_text(&mut self, text: &[u8]) {
        let line = <&[u8; CELLS]>::try_from(text).ok();
        match line.and_then(Puzzle::from_text) {
            Some(puzzle) => self.puzzles.push(puzzle),
            None => self.push_other_text(text),
        }
    }

    #[cold]
    fn push_other_text(&mut self, text: &[u8]) {
        let indent = text.len() - text.trim_ascii_start().len();
        match Puzzle::parse(text.trim_ascii()) {
            Ok(puzzle) => self.puzzles.push(puzzle),
            Err(mut malformed) => {
                malformed.column += indent;
                self.push_bad(Why::Text(malformed));
            }
        }
    }

    /// Adds a row of numbers.
    #[inline]
    pub fn push_cells(&mut self, cells: &[u8; CELLS], blank: u8) {
        if let Some(puzzle) = Puzzle::from_cells(cells.map(|cell| cell.wrapping_sub(blank))) {
            self.puzzles.push(puzzle);
        } else {
            let is_wrong = |value: &u8| value.wrapping_sub(blank) > 9;
            let cell = cells.iter().position(is_wrong).expect("one is no cell");
            self.push_bad(Why::Number { cell, value: cells[cell], blank });
        }
    }

    /// Adds a null row.
    pub fn push_null(&mut self) {
        self.push_bad(Why::Null);
    }

    fn push_bad(&mut self, why: Why) {
        self.bad.push(BadRow { row: self.len(), why });
    }

    /// All rows in order: the index of the puzzle, or the reason why there is none.
    pub fn rows(&self) -> impl Iterator<Item = Result<usize, &Why>> {
        let mut bad = self.bad.iter().peekable();
        let mut next = 0;
        (0..self.len()).map(move |row| {
            if let Some(found) = bad.next_if(|bad| bad.row == row) {
                return Err(&found.why);
            }
            next += 1;
            Ok(next - 1)
        })
    }
}
