//! Where puzzles come from: named byte streams, and the records in a block of their lines.
//!
//! | file | what it reads |
//! |---|---|
//! | [`lines`] | one puzzle a line |
//! | [`grid`] | nine lines a puzzle |
//!
//! | [`source`] | a named stream, and where its reader stands |

pub mod grid;
pub mod lines;
pub mod source;

use std::ops::Range;

pub use source::{Position, Source};

use crate::puzzle::{CELLS, Malformed, Puzzle};
use crate::text::Line;

/// How records lie in the bytes of one input.
///
/// It has the two halves of a format: the reader asks where a block may end so that it holds whole
/// records; a worker asks for the records of such a block. It is found out once an input, and a
/// copy travels with every block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One puzzle a line.
    #[default]
    Lines,
    /// Nine lines a puzzle.
    Grid,
}

impl Layout {
    /// The end of the last whole record in `bytes`, which begin with one; 0 if there is none.
    pub fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Lines => lines::last_end(bytes),
            Self::Grid => grid::last_end(bytes),
        }
    }

    /// Reads the records of a block of whole ones; `cut_short` says that its last line was too
    /// long for it.
    pub fn read(&self, block: &[u8], cut_short: bool, records: &mut Records) {
        match self {
            Self::Lines => lines::read(block, cut_short, records),
            Self::Grid => grid::read(block, records),
        }
    }
}

/// One record of a block.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    /// Lines between the block's first line and this record's.
    pub line: u32,
    /// White space before the cells.
    pub indent: u32,
    /// Lines between the first line of a malformed record and the one that is at fault.
    pub fault: u32,
    /// The 81 cells as they were written, or for a malformed record the line that is at fault,
    /// without its end.
    pub text: Text,
    /// Its place in [`Records::puzzles`], or what was wrong with it.
    pub puzzle: Result<u32, Box<Malformed>>,
}

/// Where a record's text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// In the block, in one piece.
    Block(Range<u32>),
    /// In [`Records::cells`], at a place: a puzzle of several lines, which begin in the block here.
    Cells {
        /// The place.
        place: u32,
        /// The first byte of the first line.
        start: u32,
    },
}

/// Where in a block a line is.
#[derive(Clone, Copy)]
struct Place {
    /// Lines before it.
    line: u32,
    /// Bytes before it.
    start: u32,
    /// White space before its text.
    indent: u32,
}

/// The records of one block, and what else its lines were. Kept and filled again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Every record, in order.
    pub all: Vec<Record>,
    /// The puzzles of those that are not malformed, in order.
    pub puzzles: Vec<Puzzle>,
    /// The cells of puzzles of several lines, as they were written.
    pub cells: Vec<Line>,
    /// Lines with nothing but white space.
    pub blank_lines: u64,
    /// Lines that start with `#`, labels of grids, and what is meant for other programs.
    pub comments: u64,
}

impl Records {
    /// Room for the records of a block of `bytes` bytes of well-formed lines.
    pub fn for_blocks_of(bytes: usize) -> Self {
        let records = bytes / (CELLS + 1) + 1;
        Self {
            all: Vec::with_capacity(records),
            puzzles: Vec::with_capacity(records),
            ..Self::default()
        }
    }

    /// Adds a record that is a puzzle of several lines.
    fn push_grid(&mut self, place: Place, cells: &Line, puzzle: Puzzle) {
        let Place { line, start, indent } = place;
        let text = Text::Cells { place: self.cells.len() as u32, start };
        self.cells.push(*cells);
        let place = self.puzzles.len() as u32;
        self.puzzles.push(puzzle);
        self.all.push(Record { line, indent, fault: 0, text, puzzle: Ok(place) });
    }

    /// Adds a record of several lines that is no puzzle, and which of them is at fault.
    fn push_bad_grid(&mut self, place: Place, fault: u32, text: Range<u32>, why: Malformed) {
        let Place { line, indent, .. } = place;
        let text = Text::Block(text);
        self.all.push(Record { line, indent, fault, text, puzzle: Err(Box::new(why)) });
    }

    /// Adds a record that is a puzzle, if `read` says that these characters are cells.
    #[inline(always)]
    fn push_puzzle(
        &mut self,
        place: Place,
        cells: &Line,
        read: impl FnOnce(&Line, &mut Puzzle) -> bool,
    ) -> bool {
        let puzzle = self.puzzles.len();
        self.puzzles.push(Puzzle::EMPTY);
        if !read(cells, &mut self.puzzles[puzzle]) {
            self.puzzles.truncate(puzzle);
            return false;
        }
        let Place { line, start, indent } = place;
        let start = start + indent;
        let text = Text::Block(start..start + CELLS as u32);
        self.all.push(Record { line, indent, fault: 0, text, puzzle: Ok(puzzle as u32) });
        true
    }

    /// Adds a record that is none; its text is the whole line.
    fn push_malformed(&mut self, place: Place, length: usize, malformed: Malformed) {
        let end = place.start + length as u32;
        self.push_bad_grid(place, 0, place.start..end, malformed);
    }

    /// Forgets everything but keeps the room.
    pub fn clear(&mut self) {
        self.all.clear();
        self.puzzles.clear();
        self.cells.clear();
        self.blank_lines = 0;
        self.comments = 0;
    }
}
