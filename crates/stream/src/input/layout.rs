//! The layout of an input, which determines where its records begin and end.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use memchr::memchr_iter;

use super::csv::{Delimiter, Table};
use super::json::Objects;
use super::{KeptCells, Records, lines};

/// The bytes of the fields and names that the records of a block copy to the output.
const MAX_KEPT_BYTES: usize = 512 * 1024;

/// Lines of grids with fewer bytes on average are not the rows of puzzles.
const MIN_GRID_LINE: usize = 8;

/// The layout of an input, detected once. It splits the input into blocks of complete records, and
/// reads the records of each block. Both are called once per block.
pub trait Layout: Any + Debug + Send + Sync {
    /// Returns the kind of the layout.
    fn kind(&self) -> LayoutKind;

    /// Replaces `records` with those of a block of complete records. `first_line` is the number of its
    /// first line; `cut_short` is true if the last line did not fit in the block.
    fn read(&self, block: &[u8], first_line: u64, cut_short: bool, records: &mut Records);

    /// Returns the end of the last complete record in `bytes`, which start at a record, or 0.
    fn last_end(&self, bytes: &[u8]) -> usize {
        lines::last_end(bytes)
    }

    /// Returns where a record that fills a block is cut, or 0 if it is not.
    fn forced_end(&self, _bytes: &[u8]) -> usize {
        0
    }

    /// Returns whether a record may be longer than a block.
    fn has_long_records(&self) -> bool {
        true
    }

    /// Returns the number of bytes of the kept fields of a record, with their names; 0 without any.
    fn record_bytes(&self) -> usize {
        0
    }

    /// Returns whether the input's solutions are read ([`Records::answers`]).
    fn has_answers(&self) -> bool {
        false
    }

    /// Returns the names of the columns copied to the output.
    fn kept(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the places of the puzzle and its solution among the fields copied to the output.
    fn kept_cells(&self) -> [Option<KeptCells>; 2] {
        [None, None]
    }
}

/// The kind of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutKind {
    /// One puzzle, or its pencil marks, per line.
    Lines,
    /// A table with this delimiter.
    Table(Delimiter),
    /// One JSON value per line.
    Json,
    /// A JSON document whose lines are not records.
    JsonDocument,
    /// Nine lines per puzzle.
    Grids,
}

impl dyn Layout + '_ {
    /// Returns the table, if this is one.
    pub fn table(&self) -> Option<&Table> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the keys of JSON objects, if this is JSON.
    pub fn objects(&self) -> Option<&Objects> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the end of the records in `bytes`, or of fewer, so that the fields copied to the
    /// output take bounded memory even if most of them are missing or empty.
    pub(crate) fn limited_end(&self, bytes: &[u8], end: usize) -> usize {
        match MAX_KEPT_BYTES.checked_div(self.record_bytes()) {
            Some(most) => self.end_of_lines(&bytes[..end], most.max(1)),
            None => end,
        }
    }

    /// Returns the end of the records in the first lines of `bytes`, which are records, or of more
    /// lines if a record has more, or if the lines are those of grids.
    pub(crate) fn end_of_lines(&self, bytes: &[u8], mut lines: usize) -> usize {
        let end = bytes.len();
        let is_of_grids = self.kind() == LayoutKind::Grids && end / MIN_GRID_LINE > lines;
        if is_of_grids && lines::count(bytes) < (end / MIN_GRID_LINE) as u64 {
            return end;
        }
        while lines < end {
            let limited = match memchr_iter(b'\n', bytes).nth(lines - 1) {
                Some(last) => self.last_end(&bytes[..=last]),
                None => end,
            };
            // A record may have more lines.
            if limited > 0 {
                return limited;
            }
            lines *= 2;
        }
        end
    }

    /// Returns the header fields of the columns copied to the output, as written in the input.
    pub fn header(&self) -> Option<Vec<String>> {
        let table = self.table()?;
        let names = &table.header.as_ref()?.written;
        Some(table.kept.iter().map(|&column| names[column].clone()).collect())
    }

    /// Describes a table or JSON, with its columns.
    pub fn description(&self) -> Option<String> {
        let table = self.table().map(ToString::to_string);
        table.or_else(|| self.objects().map(ToString::to_string))
    }
}

/// Layouts are equal if all their fields are.
impl PartialEq for dyn Layout + '_ {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Eq for dyn Layout + '_ {}

/// Returns the layout of lines of which only the puzzles are read.
pub fn plain_lines() -> Arc<dyn Layout> {
    Arc::new(lines::Lines::default())
}
