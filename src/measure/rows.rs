//! The rows of a measurement: text of one kind.

use std::borrow::Cow;
use std::ops::Range;

use super::text::{self, Line, MarksLine};
use crate::puzzle::Grid;

/// All rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rows {
    /// 81 characters each.
    Puzzles(Vec<Line>),
    /// Pencil marks: 729 characters each.
    Marks(Vec<MarksLine>),
}

/// Some rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowSlice<'a> {
    Puzzles(&'a [Line]),
    Marks(&'a [MarksLine]),
}

impl Rows {
    pub fn all(&self) -> RowSlice<'_> {
        match self {
            Self::Puzzles(lines) => RowSlice::Puzzles(lines),
            Self::Marks(lines) => RowSlice::Marks(lines),
        }
    }
}

impl<'a> RowSlice<'a> {
    pub fn len(self) -> usize {
        match self {
            Self::Puzzles(lines) => lines.len(),
            Self::Marks(lines) => lines.len(),
        }
    }

    /// The rows of a range.
    pub fn part(self, range: Range<usize>) -> Self {
        match self {
            Self::Puzzles(lines) => Self::Puzzles(&lines[range]),
            Self::Marks(lines) => Self::Marks(&lines[range]),
        }
    }

    /// A row in messages.
    pub fn text(self, row: usize) -> Cow<'a, str> {
        match self {
            Self::Puzzles(lines) => String::from_utf8_lossy(&lines[row]),
            Self::Marks(lines) => String::from_utf8_lossy(&lines[row]),
        }
    }

    /// Whether a grid solves a row.
    pub fn is_solved_by(self, row: usize, grid: &Grid) -> bool {
        match self {
            Self::Puzzles(lines) => grid.solves(&text::puzzle(&lines[row])),
            Self::Marks(lines) => text::marks(&lines[row]).is_solved_by(grid),
        }
    }
}
