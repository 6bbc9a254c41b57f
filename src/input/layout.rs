//! The layout of an input, which determines where its records begin and end.

use std::sync::Arc;

use super::csv::{self, Table};
use super::json::{self, Objects};
use super::lines::{self, TrailingText};
use super::{ColumnType, Records, grid};

/// The layout of an input, detected once. Each block has a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One puzzle, or its pencil marks, per line.
    #[default]
    Lines,
    /// One puzzle per line; some of the text after it is read.
    LinesAnd(TrailingText),
    /// A table with a puzzle column.
    Csv(Arc<Table>),
    /// One JSON value per line.
    Jsonl(Arc<Objects>),
    /// Nine lines per puzzle.
    Grid,
    /// Nine lines per puzzle, with the label above them.
    GridAndLabel,
}

impl Layout {
    /// Returns the end of the last complete record in `bytes`, which start at a record, or 0.
    pub fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Lines | Self::LinesAnd(_) | Self::Jsonl(_) => lines::last_end(bytes),
            Self::Csv(table) => csv::last_end(table.delimiter, bytes),
            Self::Grid => grid::last_end(bytes, false),
            Self::GridAndLabel => grid::last_end(bytes, true),
        }
    }

    /// Returns where a record that fills a block is cut, or 0 if it is not.
    pub fn forced_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::first_end(bytes).unwrap_or(0),
            _ => 0,
        }
    }

    /// Like [`Layout::last_end`], but at the end of the input.
    pub fn last_end_of_all(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::last_end(bytes),
            Self::GridAndLabel => grid::last_end(bytes, false),
            _ => self.last_end(bytes),
        }
    }

    /// Reads the records of a block of complete records. `first_line` is the number of its first
    /// line; `cut_short` is true if the last line did not fit in the block.
    pub fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
        match self {
            Self::Lines => lines::read(block, cut_short, records),
            Self::LinesAnd(trailing) => {
                lines::read(block, cut_short, records);
                lines::read_trailing_text(block, *trailing, records);
            }
            Self::Csv(table) => csv::read(table, block, first_line, cut_short, records),
            Self::Jsonl(objects) => json::read(objects, block, cut_short, records),
            Self::Grid => grid::read(block, false, records),
            Self::GridAndLabel => grid::read(block, true, records),
        }
    }

    /// Counts the lines in a block, including an unterminated last line.
    pub fn lines_in(&self, block: &[u8]) -> u64 {
        match self {
            Self::Csv(table) if table.types.is_some() => csv::count(block),
            _ => lines::count(block),
        }
    }

    /// Returns the indices of the columns read from a table, starting with the puzzles.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let Self::Csv(table) = self else { return None };
        let one = [table.puzzle].into_iter().chain(table.answer);
        Some(one.chain(table.kept.iter().copied()).collect())
    }

    /// Returns the types of the columns copied to the output, if the input is a Parquet file; `None`
    /// for columns of cells.
    pub fn types(&self) -> Option<Vec<Option<ColumnType>>> {
        let Self::Csv(table) = self else { return None };
        let types = table.types.as_ref()?;
        let cells = [Some(table.puzzle), table.answer];
        let of = |&column: &usize| (!cells.contains(&Some(column))).then(|| types[column].clone());
        Some(table.kept.iter().map(of).collect())
    }

    /// Returns whether the input's solutions are read ([`Records::answers`]).
    pub fn has_answers(&self) -> bool {
        match self {
            Self::LinesAnd(trailing) => *trailing != TrailingText::Rest,
            Self::Csv(table) => table.answer.is_some(),
            Self::Jsonl(objects) => objects.has_answers(),
            _ => false,
        }
    }

    /// Returns the positions of the puzzle and solution among the fields copied to the output.
    pub fn kept_cells(&self) -> [Option<usize>; 2] {
        match self {
            Self::Csv(table) => [Some(table.puzzle), table.answer]
                .map(|column| table.kept.iter().position(|kept| Some(*kept) == column)),
            Self::Jsonl(objects) => objects.kept_cells(),
            _ => [None; 2],
        }
    }

    /// Returns the header fields of the columns copied to the output, as written in the input.
    pub fn header(&self) -> Option<Vec<String>> {
        let Self::Csv(table) = self else { return None };
        let names = &table.header.as_ref()?.written;
        Some(table.kept.iter().map(|&column| names[column].clone()).collect())
    }

    /// Returns the names of the columns copied to the output.
    pub fn kept(&self) -> Vec<String> {
        match self {
            Self::LinesAnd(TrailingText::Rest | TrailingText::AnswerAndRest) => {
                vec![lines::REST.into()]
            }
            Self::Csv(table) => table.kept.iter().map(|&column| table.name(column)).collect(),
            Self::Jsonl(objects) => objects.kept(),
            Self::GridAndLabel => vec![grid::LABEL.into()],
            Self::Lines | Self::LinesAnd(TrailingText::Answer) | Self::Grid => Vec::new(),
        }
    }
}
