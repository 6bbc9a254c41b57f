//! The layout of an input: where its records begin and end.

use std::sync::Arc;

use super::csv::{self, Table};
use super::json::{self, Objects};
use super::lines::{self, TrailingText};
use super::{ColumnType, Records, grid};

/// The layout of one input.
///
/// The reader asks it where a block of whole records may end; a worker asks it for the records of
/// such a block. It is detected once per input, and each block carries a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One puzzle, or its pencil marks, per line.
    #[default]
    Lines,
    /// One puzzle per line, and part of the text after it is requested.
    LinesAnd(TrailingText),
    /// A table with a column of puzzles.
    Csv(Arc<Table>),
    /// One JSON value per line.
    Jsonl(Arc<Objects>),
    /// Nine lines per puzzle.
    Grid,
    /// Nine lines per puzzle, and the label above it is kept.
    GridAndLabel,
}

impl Layout {
    /// The end of the last whole record in `bytes`, which start at a record; 0 if there is none.
    pub fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Lines | Self::LinesAnd(_) | Self::Jsonl(_) => lines::last_end(bytes),
            Self::Csv(table) => csv::last_end(table.delimiter, bytes),
            Self::Grid => grid::last_end(bytes, false),
            Self::GridAndLabel => grid::last_end(bytes, true),
        }
    }

    /// The end of the first line, where `bytes` fill a block but hold no whole record, if the
    /// layout then ends the record there; 0 if not.
    pub fn forced_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::first_end(bytes).unwrap_or(0),
            _ => 0,
        }
    }

    /// Like [`Layout::last_end`], at the end of the input.
    pub fn last_end_of_all(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Csv(_) => lines::last_end(bytes),
            Self::GridAndLabel => grid::last_end(bytes, false),
            _ => self.last_end(bytes),
        }
    }

    /// Reads the records of a block of whole records. `first_line` is the number of its first line
    /// in the input; `cut_short` tells that the last line did not fit in the block.
    pub fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
        match self {
            Self::Lines => lines::read(block, cut_short, records),
            Self::LinesAnd(behind) => {
                lines::read(block, cut_short, records);
                lines::read_trailing_text(block, *behind, records);
            }
            Self::Csv(table) => csv::read(table, block, first_line, cut_short, records),
            Self::Jsonl(objects) => json::read(objects, block, cut_short, records),
            Self::Grid => grid::read(block, false, records),
            Self::GridAndLabel => grid::read(block, true, records),
        }
    }

    /// The number of lines in a block, including a last one without an end.
    pub fn lines_in(&self, block: &[u8]) -> u64 {
        match self {
            Self::Csv(table) if table.types.is_some() => csv::count(block),
            _ => lines::count(block),
        }
    }

    /// The columns that are read, if it is a table, that of the puzzles first.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let Self::Csv(table) = self else { return None };
        let one = [table.puzzle].into_iter().chain(table.answer);
        Some(one.chain(table.kept.iter().copied()).collect())
    }

    /// The types of the columns that are copied to the output, if it is a Parquet file. Those of
    /// cells have none.
    pub fn types(&self) -> Option<Vec<Option<ColumnType>>> {
        let Self::Csv(table) = self else { return None };
        let types = table.types.as_ref()?;
        let cells = [Some(table.puzzle), table.answer];
        let of = |&column: &usize| (!cells.contains(&Some(column))).then(|| types[column].clone());
        Some(table.kept.iter().map(of).collect())
    }

    /// Whether the input's own solutions are read ([`Records::answers`]).
    pub fn has_answers(&self) -> bool {
        match self {
            Self::LinesAnd(behind) => *behind != TrailingText::Rest,
            Self::Csv(table) => table.answer.is_some(),
            Self::Jsonl(objects) => objects.has_answers(),
            _ => false,
        }
    }

    /// Copies no columns to the output.
    pub fn keep_nothing(&mut self) {
        match self {
            Self::Csv(table) => Arc::make_mut(table).kept.clear(),
            Self::Jsonl(objects) => Arc::make_mut(objects).keep_nothing(),
            Self::LinesAnd(TrailingText::Rest) => *self = Self::Lines,
            Self::LinesAnd(TrailingText::AnswerAndRest) => {
                *self = Self::LinesAnd(TrailingText::Answer);
            }
            Self::GridAndLabel => *self = Self::Grid,
            Self::Lines | Self::LinesAnd(TrailingText::Answer) | Self::Grid => {}
        }
    }

    /// The places of the puzzle and of the input's solution among the fields that are copied to the
    /// output, if they are among these.
    pub fn kept_cells(&self) -> [Option<usize>; 2] {
        match self {
            Self::Csv(table) => [Some(table.puzzle), table.answer]
                .map(|column| table.kept.iter().position(|kept| Some(*kept) == column)),
            Self::Jsonl(objects) => objects.kept_cells(),
            _ => [None; 2],
        }
    }

    /// The names in the header of a table for the columns that are copied to the output, as they are
    /// written there.
    pub fn header(&self) -> Option<Vec<String>> {
        let Self::Csv(table) = self else { return None };
        let names = &table.header.as_ref()?.written;
        Some(table.kept.iter().map(|&column| names[column].clone()).collect())
    }

    /// The names of the columns that are copied to the output.
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
