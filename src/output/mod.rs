//! Rows: one trait, one file a format.
//!
//! | file | what it writes |
//! |---|---|
//! | [`csv`] | chosen columns, with a header |
//! | [`judge`] | nine lines a solution |
//! | [`lines`] | solutions only, one a line |

mod buffer;
pub mod csv;
pub mod judge;
pub mod lines;

pub use buffer::{Fields, RowBuffer, SHORT, Short};
pub use csv::{Column, CsvRows};
pub use judge::JudgeGrids;
pub use lines::SolutionLines;

use std::ops::Range;

use crate::input::{Record, Text};
use crate::puzzle::{CELLS, Malformed};
use crate::solver::Outcome;
use crate::status::Status;

/// Everything that a format may say of one record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The record's line in that input, from 1.
    pub line: u64,
    /// White space before the cells.
    pub indent: usize,
    /// The cells as they were written, or the line of a malformed record that is at fault.
    pub text: &'a [u8],
    /// What became of it.
    pub status: Status,
    /// What the engine found, or what was wrong with the text.
    pub outcome: Result<&'a Outcome, &'a Malformed>,
}

impl<'a> Row<'a> {
    /// What the engine found; nothing for a malformed record.
    #[inline(always)]
    pub fn outcome_or_none(&self) -> &'a Outcome {
        self.outcome.unwrap_or(&Outcome::NONE)
    }
}

/// The records of a block and what became of them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The line of the block's first byte in that input, from 1.
    pub first_line: u64,
    /// The block's bytes.
    pub bytes: &'a [u8],
    /// The block's records.
    pub records: &'a [Record],
    /// The cells of puzzles of several lines ([`Text::Cells`]).
    pub cells: &'a [[u8; CELLS]],
    /// What became of each record.
    pub statuses: &'a [Status],
    /// What the engine found about each puzzle ([`Record::puzzle`]).
    pub outcomes: &'a [Outcome],
}

impl<'a> Rows<'a> {
    /// The rows in order.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Row<'a>> {
        let records = self.records.iter().zip(self.statuses);
        records.map(
            #[inline(always)]
            move |(record, &status)| Row {
                file: self.file,
                line: self.first_line + u64::from(record.line),
                indent: record.indent as usize,
                text: match record.text {
                    Text::Block(Range { start, end }) => &self.bytes[start as usize..end as usize],
                    Text::Cells { place, .. } => &self.cells[place as usize],
                },
                status,
                outcome: match &record.puzzle {
                    Ok(place) => Ok(&self.outcomes[*place as usize]),
                    Err(malformed) => Err(malformed),
                },
            },
        )
    }
}

/// Turns rows into bytes. Workers share one and call it side by side.
pub trait RowFormat: Sync {
    /// Appends what stands before the first row.
    fn header(&self, out: &mut RowBuffer);

    /// Appends the rows of a block.
    fn rows(&self, rows: Rows<'_>, out: &mut RowBuffer);

    /// Whether a record without solution has a row; if not, there is a message for it.
    fn shows_failures(&self) -> bool {
        true
    }
}
