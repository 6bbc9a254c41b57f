//! Everything that a format may output about the records of a block.

use std::borrow::Cow;
use std::iter::Zip;
use std::ops::Range;
use std::slice::Iter;

use super::Column;
use crate::canon::Canonical;
use crate::check::{Reason, Reasons};
use crate::input::record_runs::RecordRun;
use crate::input::{Field, FieldForm, PuzzleRef, Record, RecordList, Text};
use crate::puzzle::{CELLS, Grid, Malformed, Puzzle};
use crate::rating::Facts;
use crate::solver::Outcome;
use crate::status::Status;
use crate::text::Line;

/// Everything that a format may output about one record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The record's line in that input, from 1.
    pub line: u64,
    /// The number of bytes before the cells in their line.
    pub indent: usize,
    /// The cells or marks as written, the whole text of a malformed record, or the faulty line of a
    /// malformed grid.
    pub text: &'a [u8],
    /// Its status.
    pub status: Status,
    /// The outcome of the engine, or the error in the text.
    pub outcome: Result<&'a Outcome, &'a Malformed>,
    /// What is wrong with the input's own solution, if anything.
    pub mismatch: Option<Reason<'a>>,
    /// Its canonical form, if it was computed.
    pub canonical: Option<&'a Canonical<Puzzle>>,
    /// Facts about the puzzle, if any were requested.
    pub facts: Option<&'a Facts>,
    /// All rows of the block, and the index of this one.
    among: (&'a Rows<'a>, usize),
}

/// The value of a row in a column. Each format decides how it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowValue<'a> {
    /// There is none.
    None,
    Number(u64),
    /// A number that is shown with at most two decimals.
    Decimal(f64),
    Truth(bool),
    Status(Status),
    /// The 81 cells of a puzzle as written.
    Cells(&'a Line),
    Grid(&'a Grid),
    Form(&'a Puzzle),
    /// Foreign text.
    Text(&'a [u8]),
}

impl<'a> RowValue<'a> {
    /// A text, which is 81 cells if it is that long and has been read.
    #[inline(always)]
    fn of_text(text: &'a [u8], is_read: bool) -> Self {
        match text.try_into() {
            Ok(cells) if is_read => Self::Cells(cells),
            _ => Self::Text(text),
        }
    }

    /// Whether it is written as nothing.
    pub(super) fn is_empty(self) -> bool {
        matches!(self, Self::None | Self::Text([]))
    }
}

/// The row of a puzzle that was written as 81 contiguous cells: nearly all rows.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleRow<'a> {
    /// Its line, from 1.
    pub line: u64,
    /// The cells as written.
    pub cells: &'a [u8; CELLS],
    /// Its status.
    pub status: Status,
    /// The outcome of the engine.
    pub outcome: &'a Outcome,
}

/// Rows of puzzles in consecutive lines of equal length ([`Rows::for_each`]).
#[derive(Clone, Debug)]
pub struct PuzzleRows<'a> {
    /// The line of the next puzzle.
    line: u64,
    bytes: &'a [u8],
    /// The offset of the next puzzle's cells, and the distance between two lines.
    start: usize,
    line_bytes: usize,
    found: Zip<Iter<'a, Status>, Iter<'a, Outcome>>,
}

impl<'a> Iterator for PuzzleRows<'a> {
    type Item = PuzzleRow<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<PuzzleRow<'a>> {
        let (&status, outcome) = self.found.next()?;
        let cells = self.bytes.get(self.start..)?.first_chunk()?;
        let row = PuzzleRow { line: self.line, cells, status, outcome };
        self.line += 1;
        self.start += self.line_bytes;
        (status != Status::Mismatch).then_some(row)
    }
}

/// Fields of one record in the bytes of its block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept<'a> {
    bytes: &'a [u8],
    fields: &'a [Field],
}

impl<'a> Kept<'a> {
    pub(crate) const fn new(bytes: &'a [u8], fields: &'a [Field]) -> Self {
        Self { bytes, fields }
    }

    /// The bytes of the first field; empty if there is none.
    pub fn first(self) -> &'a [u8] {
        self.fields.first().map_or(&[], |field| field.of(self.bytes))
    }

    /// The offset of the first field in the block, if it is there.
    pub fn start(self) -> Option<usize> {
        let is_in_block = |field: &&Field| {
            matches!(field.form, FieldForm::Plain | FieldForm::Quoted | FieldForm::JsonString)
        };
        self.fields.first().filter(is_in_block).map(|field| field.start as usize)
    }

    /// The text of each field.
    pub fn texts(self) -> impl Iterator<Item = Cow<'a, [u8]>> {
        self.forms().map(|(text, _)| text)
    }

    /// The text and the form of each field.
    pub fn forms(self) -> impl Iterator<Item = (Cow<'a, [u8]>, FieldForm)> {
        self.fields.iter().map(move |field| (field.text(self.bytes), field.form))
    }

    /// An upper bound for the length of all texts.
    pub fn length(self) -> usize {
        self.fields.iter().map(|field| field.of(self.bytes).len()).sum()
    }
}

impl<'a> Row<'a> {
    /// The fields of the input that are copied to the output.
    pub fn kept(&self) -> Kept<'a> {
        let (Rows { bytes, records, kept, .. }, place) = self.among;
        let each = kept.len() / records.len();
        Kept { bytes, fields: kept.get(place * each..(place + 1) * each).unwrap_or_default() }
    }

    /// The input's own solution, if it is checked.
    pub fn answer(&self) -> Kept<'a> {
        let (Rows { bytes, texts, answers, .. }, place) = self.among;
        let fields = answers.get(place..=place).unwrap_or_default();
        let is_own = fields.iter().any(|field| field.form == FieldForm::Own);
        Kept { bytes: if is_own { texts } else { bytes }, fields }
    }

    /// The outcome of the engine; [`Outcome::NONE`] for a malformed record.
    #[inline(always)]
    pub fn outcome_or_none(&self) -> &'a Outcome {
        self.outcome.unwrap_or(&Outcome::NONE)
    }

    /// The value in a column.
    #[inline(always)]
    pub(super) fn value(&self, column: Column) -> RowValue<'a> {
        let outcome = self.outcome_or_none();
        match column {
            Column::File | Column::Seed => RowValue::Text(self.file.as_bytes()),
            Column::Line | Column::Id => RowValue::Number(self.line),
            Column::Puzzle => RowValue::of_text(self.text, self.outcome.is_ok()),
            Column::Solution => outcome.solution().map_or(RowValue::None, RowValue::Grid),
            Column::Answer => RowValue::of_text(self.answer().first(), self.status == Status::Ok),
            Column::Canonical => match self.canonical {
                Some(canonical) => RowValue::Form(&canonical.form),
                None => RowValue::None,
            },
            Column::Automorphisms => match self.canonical {
                Some(canonical) => RowValue::Number(canonical.automorphisms.into()),
                None => RowValue::None,
            },
            Column::Status => RowValue::Status(self.status),
            Column::Reason => match self.reason() {
                "" => RowValue::None,
                reason => RowValue::Text(reason.as_bytes()),
            },
            Column::Solutions => RowValue::Number(outcome.solutions.into()),
            Column::Guesses => RowValue::Number(outcome.guesses),
            Column::Nodes => RowValue::Number(outcome.nodes),
            Column::LatencyNs => RowValue::Number(outcome.latency_ns),
            Column::Clues | Column::Level | Column::Rating | Column::Minimal | Column::Copy => {
                self.facts.and_then(|facts| fact(facts, column)).unwrap_or(RowValue::None)
            }
        }
    }

    /// Why the record has its status, if that does not follow from the puzzle alone.
    pub fn reason(&self) -> &'a str {
        match (self.status, self.outcome, self.mismatch) {
            (Status::Ok, ..) => "",
            (_, Err(malformed), _) => &malformed.what,
            (_, _, Some(mismatch)) => mismatch.text,
            (Status::GaveUp, ..) => "the limit of nodes was reached",
            (Status::NoForm, ..) => "pencil marks that say more than clues have no canonical form",
            (Status::InternalError, ..) => "the engine failed on this puzzle; please report it",
            _ => "",
        }
    }
}

/// A fact in its column, if it is known.
fn fact<'a>(facts: &Facts, column: Column) -> Option<RowValue<'a>> {
    match column {
        Column::Clues => facts.clues.map(|clues| RowValue::Number(clues.into())),
        Column::Level => facts.level.map(|level| RowValue::Number(level.number().into())),
        Column::Rating => facts.rating.map(RowValue::Decimal),
        Column::Minimal => facts.minimal.map(RowValue::Truth),
        Column::Copy => facts.copy.map(|copy| RowValue::Number(copy.into())),
        _ => None,
    }
}

/// The outcomes for the puzzles and the marks of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// For each puzzle.
    pub puzzles: Vec<Outcome>,
    /// For each record with marks.
    pub marks: Vec<Outcome>,
}

impl Outcomes {
    /// The outcome of a record.
    #[inline(always)]
    pub fn of(&self, given: PuzzleRef) -> &Outcome {
        match given {
            PuzzleRef::Puzzle(place) => &self.puzzles[place as usize],
            PuzzleRef::Marks(place) => &self.marks[place as usize],
        }
    }

    /// The same, mutable.
    pub fn of_mut(&mut self, given: PuzzleRef) -> &mut Outcome {
        match given {
            PuzzleRef::Puzzle(place) => &mut self.puzzles[place as usize],
            PuzzleRef::Marks(place) => &mut self.marks[place as usize],
        }
    }

    /// Adds an outcome of the same kind as `like`; returns its reference.
    pub(crate) fn push(&mut self, like: PuzzleRef, outcome: Outcome) -> PuzzleRef {
        match like {
            PuzzleRef::Puzzle(_) => {
                self.puzzles.push(outcome);
                PuzzleRef::Puzzle(self.puzzles.len() as u32 - 1)
            }
            PuzzleRef::Marks(_) => {
                self.marks.push(outcome);
                PuzzleRef::Marks(self.marks.len() as u32 - 1)
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.puzzles.clear();
        self.marks.clear();
    }
}

/// The records of a block and their results.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The line number of the block's first line in that input, from 1.
    pub first_line: u64,
    /// The block's bytes.
    pub bytes: &'a [u8],
    /// The block's records.
    pub records: &'a RecordList,
    /// The errors of the malformed records.
    pub malformed: &'a [Malformed],
    /// The texts of records that are not contiguous in the block ([`Text::Own`]).
    pub texts: &'a [u8],
    /// The status of each record.
    pub statuses: &'a [Status],
    /// The outcomes of the engine.
    pub outcomes: &'a Outcomes,
    /// The fields that are copied to the output, the same number for each record.
    pub kept: &'a [Field],
    /// The input's own solution for each record, if they are checked.
    pub answers: &'a [Field],
    /// The reasons of the records with [`Status::Mismatch`].
    pub reasons: &'a Reasons,
    /// The canonical form of each record that has one, if requested.
    pub forms: &'a [Option<Canonical<Puzzle>>],
    /// Facts about the puzzle of each record, if any were requested.
    pub facts: &'a [Facts],
    /// Which rows are written: all, or those of one output.
    pub wanted: Wanted<'a>,
}

/// Which rows are written.
#[derive(Clone, Copy, Debug, Default)]
pub enum Wanted<'a> {
    /// All.
    #[default]
    All,
    /// Those of one output: its number, and the number of the output of each record.
    Of(u8, &'a [u8]),
}

impl Wanted<'_> {
    fn has(self, place: usize) -> bool {
        match self {
            Self::All => true,
            Self::Of(output, outputs) => outputs[place] == output,
        }
    }
}

#[cfg(test)]
impl<'a> Rows<'a> {
    /// Rows of records, of which the malformed ones have the first error.
    pub(super) fn of_records(
        (file, first_line): (&'a str, u64),
        bytes: &'a [u8],
        records: &'a RecordList,
        statuses: &'a [Status],
        outcomes: &'a Outcomes,
    ) -> Self {
        Self {
            file,
            first_line,
            bytes,
            records,
            malformed: vec![Malformed { column: 1, what: String::new() }].leak(),
            texts: &[],
            statuses,
            outcomes,
            kept: &[],
            answers: &[],
            reasons: Box::leak(Box::default()),
            forms: &[],
            facts: &[],
            wanted: Wanted::All,
        }
    }
}

impl<'a> Rows<'a> {
    /// The rows in order.
    #[inline(always)]
    pub fn iter(&'a self) -> impl Iterator<Item = Row<'a>> {
        let mut reasons = self.reasons.iter();
        self.records.iter().enumerate().filter_map(
            #[inline(always)]
            move |(place, record)| {
                // The row takes its reason even if it is not written.
                let row = self.row(place, &record, &mut reasons);
                self.wanted.has(place).then_some(row)
            },
        )
    }

    /// The row of the record at a place; `reasons` are those of this and all later rows.
    #[inline(always)]
    fn row(
        &'a self,
        place: usize,
        record: &Record,
        reasons: &mut impl Iterator<Item = Reason<'a>>,
    ) -> Row<'a> {
        let status = self.statuses[place];
        Row {
            file: self.file,
            line: self.first_line + u64::from(record.line),
            indent: record.indent as usize,
            text: match record.text {
                Text::Block(Range { start, end }) => &self.bytes[start as usize..end as usize],
                Text::Own { text: Range { start, end }, .. } => {
                    &self.texts[start as usize..end as usize]
                }
            },
            status,
            outcome: match &record.puzzle {
                Ok(given) => Ok(self.outcomes.of(*given)),
                Err(place) => Err(&self.malformed[*place as usize]),
            },
            mismatch: if status == Status::Mismatch { reasons.next() } else { None },
            canonical: self.forms.get(place).and_then(Option::as_ref),
            facts: self.facts.get(place),
            among: (self, place),
        }
    }

    /// The rows of a run of records that starts at this place, if they are puzzles with contiguous
    /// cells.
    #[inline(always)]
    fn puzzles(&self, place: usize, alike: &RecordRun) -> Option<PuzzleRows<'a>> {
        let RecordRun { ref first, count, line_bytes } = *alike;
        let (Text::Block(text), Ok(PuzzleRef::Puzzle(given))) = (&first.text, first.puzzle) else {
            return None;
        };
        let outcomes = &self.outcomes.puzzles[given as usize..][..count as usize];
        Some(PuzzleRows {
            line: self.first_line + u64::from(first.line),
            bytes: self.bytes,
            start: text.start as usize,
            line_bytes: line_bytes as usize,
            found: self.statuses[place..][..count as usize].iter().zip(outcomes),
        })
    }

    /// Calls `plain` with runs of puzzles that have contiguous cells and are not checked (nearly
    /// all rows are), and `any` with every other row. `plain` returns how many rows it has written;
    /// `any` gets the next row if it has not written all.
    ///
    /// The rows for `plain` are built without the general [`Row`].
    #[inline(always)]
    pub fn for_each<T>(
        &'a self,
        to: &mut T,
        mut plain: impl FnMut(&mut T, PuzzleRows<'a>) -> usize,
        mut any: impl FnMut(&mut T, Row<'a>),
    ) {
        if let Wanted::Of(..) = self.wanted {
            return self.iter().for_each(|row| any(to, row));
        }
        let mut reasons = self.reasons.iter();
        let mut records = self.records.iter();
        let mut place = 0;
        while let Some(alike) = records.alike() {
            let written = match self.puzzles(place, &alike) {
                Some(rows) => plain(to, rows),
                None => 0,
            };
            records.skip_records(written);
            place += written;
            if written < alike.count as usize
                && let Some(record) = records.next()
            {
                any(to, self.row(place, &record, &mut reasons));
                place += 1;
            }
        }
    }
}
