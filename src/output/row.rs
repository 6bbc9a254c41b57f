//! What is known of each record of a block, for a format to say.

use std::borrow::Cow;
use std::iter::Zip;
use std::ops::Range;
use std::slice::Iter;

use crate::canon::Canonical;
use crate::check::{Reason, Reasons};

use crate::input::record_runs::RecordRun;
use crate::input::{Field, FieldForm, PuzzleRef, Record, RecordList, Text};
use crate::puzzle::{CELLS, Malformed, Puzzle};
use crate::rating::Facts;
use crate::solver::Outcome;
use crate::status::Status;

/// Everything that a format may say of one record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The input's name.
    pub file: &'a str,
    /// The record's line in that input, from 1.
    pub line: u64,
    /// Bytes of its line before the cells.
    pub indent: usize,
    /// The cells or marks as they were written, the whole of a malformed record, or the line of a
    /// malformed grid that is at fault.
    pub text: &'a [u8],
    /// What became of it.
    pub status: Status,
    /// What the engine found, or what was wrong with the text.
    pub outcome: Result<&'a Outcome, &'a Malformed>,
    /// What is wrong with the solution that the input itself gives, if anything is.
    pub mismatch: Option<Reason<'a>>,
    /// Its canonical form, if that was found.
    pub canonical: Option<&'a Canonical<Puzzle>>,
    /// What else is known of the puzzle, if anything was asked for.
    pub facts: Option<&'a Facts>,
    /// All rows of the block, and the place of this one among them.
    among: (&'a Rows<'a>, usize),
}

/// What is said of most puzzles: the row of one that was written as 81 cells.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleRow<'a> {
    /// Its line, from 1.
    pub line: u64,
    /// The cells as they were written.
    pub cells: &'a [u8; CELLS],
    /// What became of it.
    pub status: Status,
    /// What the engine found.
    pub outcome: &'a Outcome,
}

/// Rows of puzzles that stand in lines of the same length, one below the other ([`Rows::for_each`]).
#[derive(Clone, Debug)]
pub struct PuzzleRows<'a> {
    /// The line of the next one.
    line: u64,
    /// The block's.
    bytes: &'a [u8],
    /// Where among them the next one's cells begin, and how far it is from there to those behind it.
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
    /// These fields of a block of these bytes.
    pub(crate) const fn new(bytes: &'a [u8], fields: &'a [Field]) -> Self {
        Self { bytes, fields }
    }

    /// The bytes of the first of them, nothing if there is none.
    pub fn first(self) -> &'a [u8] {
        self.fields.first().map_or(&[], |field| field.of(self.bytes))
    }

    /// Where in the block the first of them begins, if it is there.
    pub fn start(self) -> Option<usize> {
        let is_in_block = |field: &&Field| {
            matches!(field.form, FieldForm::Plain | FieldForm::Quoted | FieldForm::JsonString)
        };
        self.fields.first().filter(is_in_block).map(|field| field.start as usize)
    }

    /// What each of them says.
    pub fn texts(self) -> impl Iterator<Item = Cow<'a, [u8]>> {
        self.fields.iter().map(move |field| field.text(self.bytes))
    }

    /// What each of them says, and how it is written.
    pub fn forms(self) -> impl Iterator<Item = (Cow<'a, [u8]>, FieldForm)> {
        self.fields.iter().map(move |field| (field.text(self.bytes), field.form))
    }

    /// Bytes of all together, at most.
    pub fn length(self) -> usize {
        self.fields.iter().map(|field| field.of(self.bytes).len()).sum()
    }
}

impl<'a> Row<'a> {
    /// The fields of the input that are carried into the output.
    pub fn kept(&self) -> Kept<'a> {
        let (Rows { bytes, records, kept, .. }, place) = self.among;
        let each = kept.len() / records.len();
        Kept { bytes, fields: kept.get(place * each..(place + 1) * each).unwrap_or_default() }
    }

    /// The solution that the input itself gives, if it is checked.
    pub fn answer(&self) -> Kept<'a> {
        let (Rows { bytes, texts, answers, .. }, place) = self.among;
        let fields = answers.get(place..=place).unwrap_or_default();
        let is_own = fields.iter().any(|field| field.form == FieldForm::Own);
        Kept { bytes: if is_own { texts } else { bytes }, fields }
    }

    /// What the engine found; nothing for a malformed record.
    #[inline(always)]
    pub fn outcome_or_none(&self) -> &'a Outcome {
        self.outcome.unwrap_or(&Outcome::NONE)
    }

    /// Why the record has its status, where that is not clear from the puzzle alone.
    pub fn reason(&self) -> &'a str {
        match (self.status, self.outcome, self.mismatch) {
            (_, Err(malformed), _) => &malformed.what,
            (_, _, Some(mismatch)) => mismatch.text,
            (Status::GaveUp, ..) => "the limit of nodes was reached",
            (Status::NoForm, ..) => "pencil marks that say more than clues have no canonical form",
            (Status::InternalError, ..) => "the engine failed on this puzzle; please report it",
            _ => "",
        }
    }
}

/// What the engine found about the puzzles and the marks of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Of each puzzle.
    pub puzzles: Vec<Outcome>,
    /// Of each one's marks.
    pub marks: Vec<Outcome>,
}

impl Outcomes {
    /// What was found about what a record gives.
    #[inline(always)]
    pub fn of(&self, given: PuzzleRef) -> &Outcome {
        match given {
            PuzzleRef::Puzzle(place) => &self.puzzles[place as usize],
            PuzzleRef::Marks(place) => &self.marks[place as usize],
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, given: PuzzleRef) -> &mut Outcome {
        match given {
            PuzzleRef::Puzzle(place) => &mut self.puzzles[place as usize],
            PuzzleRef::Marks(place) => &mut self.marks[place as usize],
        }
    }

    /// Adds what was found about what is `like` this; returns its place.
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

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.puzzles.clear();
        self.marks.clear();
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
    pub records: &'a RecordList,
    /// What was wrong with those that are no puzzles.
    pub malformed: &'a [Malformed],
    /// The texts of records that do not stand in one piece ([`Text::Own`]).
    pub texts: &'a [u8],
    /// What became of each record.
    pub statuses: &'a [Status],
    /// What the engine found about each of them.
    pub outcomes: &'a Outcomes,
    /// The fields that are carried into the output, as many for each record.
    pub kept: &'a [Field],
    /// The solution that the input itself gives for each record, if they are checked.
    pub answers: &'a [Field],
    /// What is wrong with those that are [`Status::Mismatch`].
    pub reasons: &'a Reasons,
    /// The canonical form of each record that has one, if they were asked for.
    pub forms: &'a [Option<Canonical<Puzzle>>],
    /// What else is known of the puzzle of each record, if anything was asked for.
    pub facts: &'a [Facts],
    /// The rows that are wanted: all, or those of an output.
    pub wanted: Wanted<'a>,
}

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub enum Wanted<'a> {
    /// All.
    #[default]
    All,
    /// Those of one output: this number stands for each of their records.
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

impl<'a> Rows<'a> {
    /// The rows in order.
    #[inline(always)]
    pub fn iter(&'a self) -> impl Iterator<Item = Row<'a>> {
        let mut reasons = self.reasons.iter();
        self.records.iter().enumerate().filter_map(
            #[inline(always)]
            move |(place, record)| {
                // Its reason is taken in any case.
                let row = self.row(place, &record, &mut reasons);
                self.wanted.has(place).then_some(row)
            },
        )
    }

    /// The row of the record at a place; `reasons` are those of this row and of what comes behind it.
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

    /// The rows of records that are alike, the first of them at this place, if they are puzzles that
    /// were written in one piece.
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

    /// Calls `plain` with rows of puzzles that were written in one piece and not checked, which nearly
    /// all are, as many as are alike, and `any` with each of the others and with the next if `plain`
    /// has not written all of them: it returns how many.
    ///
    /// Only what these rows say is put together from the records.
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
