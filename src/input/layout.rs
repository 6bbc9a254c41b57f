//! How records lie in the bytes of an input.

use std::sync::Arc;

use super::csv::{self, Table};
use super::json::{self, Objects};
use super::lines::{self, TrailingText};
use super::{Records, grid};

/// How records lie in the bytes of one input.
///
/// It has the two halves of a format: the reader asks where a block may end so that it holds whole
/// records; a worker asks for the records of such a block. It is found out once an input, and a
/// copy travels with every block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One puzzle, or its pencil marks, a line.
    #[default]
    Lines,
    /// One puzzle a line, and something of the text behind it is wanted.
    LinesAnd(TrailingText),
    /// A table with a column of puzzles.
    Csv(Arc<Table>),
    /// A JSON value a line.
    Jsonl(Arc<Objects>),
    /// Nine lines a puzzle.
    Grid,
    /// Nine lines a puzzle, and the label above it is kept.
    GridAndLabel,
}

impl Layout {
    /// The end of the last whole record in `bytes`, which begin with one; 0 if there is none.
    pub fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Lines | Self::LinesAnd(_) | Self::Jsonl(_) => lines::last_end(bytes),
            Self::Csv(table) => csv::last_end(table.delimiter, bytes),
            Self::Grid => grid::last_end(bytes),
            Self::GridAndLabel => grid::last_end_before_label(bytes),
        }
    }

    /// The end of the first line of `bytes`, which begin with a record and are as many as a block
    /// takes, but hold no whole one, if that line is to stand for itself then; 0 if not.
    pub fn forced_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::first_end(bytes).unwrap_or(0),
            _ => 0,
        }
    }

    /// The same as [`Layout::last_end`] where nothing will come behind `bytes`.
    pub fn last_end_of_all(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::last_end(bytes),
            Self::GridAndLabel => grid::last_end(bytes),
            _ => self.last_end(bytes),
        }
    }

    /// Reads the records of a block of whole ones. Its first line has the number `first_line` in
    /// its input; `cut_short` says that its last line was too long for it.
    pub fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
        match self {
            Self::Lines => lines::read(block, cut_short, records),
            Self::LinesAnd(behind) => {
                lines::read(block, cut_short, records);
                lines::read_behind(block, *behind, records);
            }
            Self::Csv(table) => csv::read(table, block, first_line, cut_short, records),
            Self::Jsonl(objects) => json::read(objects, block, cut_short, records),
            Self::Grid => grid::read(block, records),
            Self::GridAndLabel => grid::read_with_labels(block, records),
        }
    }

    /// The columns of a table that are read; `None` if it is none.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let Self::Csv(table) = self else { return None };
        let one = [table.puzzle].into_iter().chain(table.answer);
        Some(one.chain(table.kept.iter().copied()).collect())
    }

    /// Whether each record's own solution is read, too ([`Records::answers`]).
    pub fn has_answers(&self) -> bool {
        match self {
            Self::LinesAnd(behind) => *behind != TrailingText::Rest,
            Self::Csv(table) => table.answer.is_some(),
            Self::Jsonl(objects) => objects.answer.is_some(),
            _ => false,
        }
    }

    /// The names of the columns that are carried into the output.
    pub fn kept(&self) -> Vec<String> {
        match self {
            Self::LinesAnd(TrailingText::Rest | TrailingText::AnswerAndRest) => {
                vec![lines::REST.into()]
            }
            Self::Csv(table) => table.kept.iter().map(|&column| table.name(column)).collect(),
            Self::Jsonl(objects) => objects.kept.clone(),
            Self::GridAndLabel => vec![grid::LABEL.into()],
            Self::Lines | Self::LinesAnd(TrailingText::Answer) | Self::Grid => Vec::new(),
        }
    }
}
