//! Puzzles of some rows, and what is wrong with the rows that hold none.

use std::fmt;

use bulkdoku::puzzle::CELLS;
use bulkdoku::{Malformed, Puzzle};

/// Rows as puzzles. Kept and filled again.
#[derive(Debug, Default)]
pub struct Block {
    /// Of all rows that hold one, in order.
    pub puzzles: Vec<Puzzle>,
    /// The other rows, in order.
    pub bad: Vec<BadRow>,
}

/// A row that holds no puzzle.
#[derive(Clone, Debug)]
pub struct BadRow {
    /// Its place in the block.
    pub row: usize,
    /// What is wrong.
    pub why: Why,
}

/// Why a row holds no puzzle.
#[derive(Clone, Debug)]
pub enum Why {
    /// It holds nothing.
    Null,
    /// Its text is no puzzle.
    Text(Malformed),
    /// One of its numbers is no cell.
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
    /// Forgets all rows but keeps the room.
    pub fn clear(&mut self) {
        self.puzzles.clear();
        self.bad.clear();
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.puzzles.len() + self.bad.len()
    }

    /// Adds a row of text. White space around the cells is not part of them.
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

    /// Adds a row that holds nothing.
    pub fn push_null(&mut self) {
        self.push_bad(Why::Null);
    }

    fn push_bad(&mut self, why: Why) {
        self.bad.push(BadRow { row: self.len(), why });
    }

    /// All rows in order: the place of the puzzle, or what is wrong.
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
