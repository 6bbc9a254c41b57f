//! The layout of an input, which determines where its records begin and end.

use std::sync::Arc;

use memchr::memchr_iter;

use super::csv::{self, Table};
use super::json::{self, Objects, OtherKeys};
use super::{ColumnType, Records, grid, lines};

/// The bytes of the fields and names that the records of a block copy to the output.
const MAX_KEPT_BYTES: usize = 512 * 1024;

/// The layout of an input, detected once. Each block has a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One puzzle, or its pencil marks, per line.
    Lines {
        /// Whether the first field after the puzzle is its solution.
        answers: bool,
        /// Whether the other text after the puzzle is kept as one field.
        rest: bool,
    },
    /// One answer per line after this number of lines; a blank line is an empty answer.
    AnswerLines(u64),
    /// A table with a puzzle column.
    Csv(Arc<Table>),
    /// One JSON value per line.
    Jsonl(Arc<Objects>),
    /// Nine lines per puzzle.
    Grid {
        /// Whether the label above them is kept.
        labels: bool,
    },
}

impl Default for Layout {
    fn default() -> Self {
        Self::LINES
    }
}

impl Layout {
    /// Lines of which only the puzzles are read.
    pub const LINES: Self = Self::Lines { answers: false, rest: false };

    /// Returns the end of the last complete record in `bytes`, which start at a record, or 0.
    pub fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Jsonl(objects) => match objects.document() {
                Some(brackets) => json::last_element_end(brackets, bytes),
                None => lines::last_end(bytes),
            },
            Self::Lines { .. } | Self::AnswerLines(_) => lines::last_end(bytes),
            Self::Csv(table) => csv::last_end(table.delimiter, bytes),
            Self::Grid { labels } => grid::last_end(bytes, *labels),
        }
    }

    /// Returns whether a record may be longer than a block. The cells of a line and the lines of a
    /// grid are shorter.
    pub fn has_long_records(&self) -> bool {
        !matches!(self, Self::Lines { answers: false, rest: false } | Self::Grid { .. })
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
            Self::Grid { .. } => grid::last_end(bytes, false),
            _ => self.last_end(bytes),
        }
    }

    /// Reads the records of a block of complete records. `first_line` is the number of its first
    /// line; `cut_short` is true if the last line did not fit in the block.
    pub fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records) {
        match self {
            Self::Lines { answers, rest } => {
                lines::read(block, cut_short, records);
                if *answers || *rest {
                    lines::read_trailing_text(block, *answers, *rest, records);
                }
            }
            Self::AnswerLines(skipped) => {
                lines::read_answers(block, skipped + 1 - first_line.min(skipped + 1), records);
            }
            Self::Csv(table) => csv::read(table, block, first_line, cut_short, records),
            Self::Jsonl(objects) => json::read(objects, block, cut_short, records),
            Self::Grid { labels } => grid::read(block, *labels, records),
        }
    }

    /// Counts the lines in a block, including an unterminated last line.
    pub fn lines_in(&self, block: &[u8]) -> u64 {
        match self {
            Self::Csv(table) if table.types.is_some() => csv::count(block),
            Self::Jsonl(objects) if objects.is_document() => {
                memchr::memchr_iter(b'\n', block).count() as u64
            }
            _ => lines::count(block),
        }
    }

    /// Returns the indices of the columns read from a table, starting with the puzzles.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let Self::Csv(table) = self else { return None };
        let cells = [table.puzzle].into_iter().chain(table.answer);
        Some(cells.chain(table.kept.iter().copied()).collect())
    }

    /// Returns the types of the columns copied to the output, if the input is a Parquet file; `None`
    /// for texts of cells.
    pub fn types(&self) -> Option<Vec<Option<ColumnType>>> {
        let Self::Csv(table) = self else { return None };
        let types = table.types.as_ref()?;
        let cells = [Some(table.puzzle), table.answer];
        let is_text = |column| cells.contains(&Some(column)) && !types[column].is_nested();
        let of = |&column: &usize| (!is_text(column)).then(|| types[column].clone());
        Some(table.kept.iter().map(of).collect())
    }

    /// Returns whether the input's solutions are read ([`Records::answers`]).
    pub fn has_answers(&self) -> bool {
        match self {
            Self::Lines { answers, .. } => *answers,
            Self::Csv(table) => table.answer.is_some(),
            Self::Jsonl(objects) => objects.has_answers(),
            _ => false,
        }
    }

    /// Sets the use of JSON keys that are not copied to the output.
    pub fn set_other_keys(&mut self, others: &OtherKeys) {
        if let Self::Jsonl(objects) = self {
            Arc::make_mut(objects).set_other_keys(others.clone());
        }
    }

    /// Copies the same JSON keys as for another input, if both are objects with the same keys of
    /// puzzles and solutions; returns whether they are.
    pub fn keep_keys_of(&mut self, first: &Self) -> bool {
        match (self, first) {
            (Self::Jsonl(objects), Self::Jsonl(first)) => Arc::make_mut(objects).keep_as(first),
            _ => false,
        }
    }

    /// Returns the end of the records in `bytes`, or of fewer, so that the fields copied to the
    /// output take bounded memory even if most of them are missing or empty.
    pub fn limited_end(&self, bytes: &[u8], end: usize) -> usize {
        let (record_bytes, document) = match self {
            Self::Csv(table) => (table.record_bytes(), None),
            Self::Jsonl(objects) => (objects.record_bytes(), objects.document()),
            _ => (0, None),
        };
        let most = MAX_KEPT_BYTES.checked_div(record_bytes).map_or(usize::MAX, |most| most.max(1));
        let mut lines = most;
        while lines < end {
            let limited = match document {
                Some(brackets) => json::end_of_elements(brackets, &bytes[..end], lines),
                None => match memchr_iter(b'\n', &bytes[..end]).nth(lines - 1) {
                    Some(last) => self.last_end(&bytes[..=last]),
                    None => end,
                },
            };
            // A record may have more lines.
            if limited > 0 {
                return limited;
            }
            lines *= 2;
        }
        end
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
            Self::Lines { rest: true, .. } => vec![lines::REST.into()],
            Self::Csv(table) => table.kept.iter().map(|&column| table.name(column)).collect(),
            Self::Jsonl(objects) => objects.kept(),
            Self::Grid { labels: true } => vec![grid::LABEL.into()],
            Self::Lines { .. } | Self::AnswerLines(_) | Self::Grid { .. } => Vec::new(),
        }
    }
}
