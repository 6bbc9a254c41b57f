//! The rows of a block, and all values that a format may write.

use std::borrow::Cow;
use std::iter::Zip;
use std::ops::Range;
use std::slice::Iter;

use memchr::{memchr, memrchr};

use super::{Derived, Results};
use crate::input::json::at_path;
use crate::input::lines::quoted_puzzle;
use crate::input::record_runs::RecordRun;
use crate::input::{AttachedAnswers, FieldForm, KeptCells, PuzzleRef, Record, Records, Unit};
use crate::pipeline::Contents;
use crate::pipeline::properties::Properties;
use bulkdoku_core::check::{self, Score};
use bulkdoku_core::forms::{self, list::ArrayStyle};
use bulkdoku_core::puzzle::CELLS;
use bulkdoku_core::{Grid, Malformed, Marks, Outcome, Puzzle, Status};
use bulkdoku_logic::Bands;

/// The rows of a block, or of a part of it, for one output.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The name of the input.
    pub file: &'a str,
    /// The number of the block's first line in that input.
    pub(crate) first_line: u64,
    /// The bytes of the block.
    pub bytes: &'a [u8],
    /// The contents of the block.
    pub contents: &'a dyn Contents,
    /// The records of the block.
    pub records: &'a Records,
    /// The results of the records.
    pub results: &'a Results,
    /// Derived rows in the order of their records, or `None` if each record has one row.
    pub derived: Option<&'a [Derived]>,
    /// The index of the output.
    pub output: u8,
    /// The answers to the records, if they are read from another input.
    pub(crate) answers: Option<&'a AttachedAnswers>,
    /// Whether these are the last rows of the block.
    pub is_last_part: bool,
}

/// One row: a record, its results, and the values derived for the row, if any.
#[derive(Clone)]
pub struct Row<'a> {
    pub(crate) rows: &'a Rows<'a>,
    /// The index of the record in the block.
    pub index: usize,
    pub(crate) record: Record,
    /// What is wrong with the input's solution, if anything is.
    pub(crate) mismatch: Option<&'a str>,
    derived: Option<&'a Derived>,
}

/// The row of a puzzle written as 81 contiguous cells, as nearly all are.
#[derive(Clone, Copy, Debug)]
pub(super) struct PuzzleRow<'a> {
    pub line: u64,
    pub cells: &'a [u8; CELLS],
    pub status: Status,
    pub outcome: &'a Outcome,
}

/// Rows of puzzles in consecutive lines of equal length ([`Rows::for_each_run`]).
#[derive(Clone, Debug)]
pub(super) struct PuzzleRows<'a> {
    line: u64,
    bytes: &'a [u8],
    /// The offset of the next puzzle's cells, and the distance between lines.
    start: usize,
    line_bytes: usize,
    results: Zip<Iter<'a, Status>, Iter<'a, Outcome>>,
}

impl<'a> Iterator for PuzzleRows<'a> {
    type Item = PuzzleRow<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<PuzzleRow<'a>> {
        let (&status, outcome) = self.results.next()?;
        let cells = self.bytes.get(self.start..)?.first_chunk()?;
        let row = PuzzleRow { line: self.line, cells, status, outcome };
        self.line += 1;
        self.start += self.line_bytes;
        (status != Status::Mismatch).then_some(row)
    }
}

impl<'a> Rows<'a> {
    /// Returns a row for each record of the block, in any output.
    #[inline(always)]
    pub fn records(&'a self) -> impl Iterator<Item = Row<'a>> {
        let mut reasons = self.results.reasons.iter();
        self.records.all.iter().enumerate().map(
            #[inline(always)]
            move |(index, record)| self.row(index, record, &mut reasons),
        )
    }

    /// Returns the number of rows of this output.
    pub fn count(&self) -> u64 {
        let is_in_output = |record: usize| self.results.destination(record) == Some(self.output);
        let count = match self.derived {
            None => (0..self.records.all.len()).filter(|&record| is_in_output(record)).count(),
            Some(derived) => derived.iter().filter(|row| is_in_output(row.record as usize)).count(),
        };
        count as u64
    }

    /// Calls `visit` for each row of this output.
    #[inline(always)]
    pub fn for_each(&'a self, mut visit: impl FnMut(&Row<'a>)) {
        let mut derived = self.derived.map(<[_]>::iter).map(Iterator::peekable);
        for mut row in self.records() {
            let is_in_output = self.results.destination(row.index) == Some(self.output);
            match &mut derived {
                None if is_in_output => visit(&row),
                None => {}
                Some(derived) => {
                    while let Some(next) = derived.next_if(|next| next.record as usize == row.index)
                    {
                        row.derived = Some(next);
                        if is_in_output {
                            visit(&row);
                        }
                    }
                }
            }
        }
    }

    /// Calls `plain` with runs of puzzles that have contiguous cells, and `any` with every other
    /// row. `plain` returns how many rows it has written; if that is not all, `any` receives the
    /// next one. Rows for `plain` are created without the general [`Row`].
    #[inline(always)]
    pub(super) fn for_each_run<T>(
        &'a self,
        to: &mut T,
        mut plain: impl FnMut(&mut T, PuzzleRows<'a>) -> usize,
        mut any: impl FnMut(&mut T, &Row<'a>),
    ) {
        if self.derived.is_some() || !self.results.is_unfiltered() {
            return self.for_each(|row| any(to, row));
        }
        let mut reasons = self.results.reasons.iter();
        let mut records = self.records.all.iter();
        let mut index = 0;
        while let Some(remaining_run) = records.remaining_run() {
            let written = match self.puzzles(index, &remaining_run) {
                Some(rows) => plain(to, rows),
                None => 0,
            };
            records.skip_records(written);
            index += written;
            if written < remaining_run.count as usize
                && let Some(record) = records.next()
            {
                any(to, &self.row(index, record, &mut reasons));
                index += 1;
            }
        }
    }

    /// Returns the row of a record; `reasons` are those of this row and all later rows.
    #[inline(always)]
    fn row(&'a self, index: usize, record: Record, reasons: &mut Iter<'a, String>) -> Row<'a> {
        let is_mismatch = self.results.statuses[index] == Status::Mismatch;
        let mismatch = if is_mismatch { reasons.next().map(String::as_str) } else { None };
        Row { rows: self, index, record, mismatch, derived: None }
    }

    /// Returns the rows of a run of records from this index on, if they are puzzles with contiguous
    /// cells and outcomes.
    #[inline(always)]
    fn puzzles(&self, index: usize, remaining_run: &RecordRun) -> Option<PuzzleRows<'a>> {
        let RecordRun { ref first, count, line_bytes } = *remaining_run;
        let Ok(PuzzleRef::Puzzle(puzzle)) = first.puzzle else { return None };
        if first.text.form == FieldForm::Own {
            return None;
        }
        let outcomes = self.results.outcomes.puzzles.get(puzzle as usize..)?;
        Some(PuzzleRows {
            line: self.first_line + u64::from(first.line),
            bytes: self.bytes,
            start: first.start as usize,
            line_bytes: line_bytes as usize,
            results: self.results.statuses[index..][..count as usize].iter().zip(outcomes),
        })
    }
}

impl<'a> Row<'a> {
    /// Returns the name of the input.
    pub fn file(&self) -> &'a str {
        self.rows.file
    }

    /// Returns the line number of the record, from 1, or the index of a generated puzzle.
    #[inline(always)]
    pub fn line(&self) -> u64 {
        self.rows.first_line + u64::from(self.record.line)
    }

    /// Returns the status of the row.
    #[inline(always)]
    pub fn status(&self) -> Status {
        let own = self.derived.and_then(|derived| derived.status);
        own.unwrap_or(self.rows.results.statuses[self.index])
    }

    /// Returns the outcome of the engine.
    ///
    /// # Errors
    /// Fails with the error of a malformed record.
    #[inline(always)]
    pub fn outcome(&self) -> Result<&'a Outcome, &'a Malformed> {
        match self.record.puzzle {
            Ok(puzzle) => Ok(self.rows.results.outcomes.of(puzzle)),
            Err(index) => Err(&self.rows.records.malformed[index as usize]),
        }
    }

    /// Returns the outcome of the engine, or [`Outcome::NONE`] for a malformed record.
    #[inline(always)]
    pub(crate) fn outcome_or_none(&self) -> &'a Outcome {
        self.outcome().unwrap_or(&Outcome::NONE)
    }

    /// Returns the solution of the row, if there is one. One of several solutions is not the
    /// solution of a generated puzzle.
    #[inline(always)]
    pub fn solution(&self) -> Option<&'a Grid> {
        if let Some(derived) = self.derived {
            return derived.solution.as_ref();
        }
        let outcome = self.outcome_or_none();
        let is_shown = self.rows.results.seed.is_none() || outcome.solutions == 1;
        outcome.solution().filter(|_| is_shown)
    }

    /// Returns the cells or marks as written, the whole text of a malformed record, or the invalid
    /// line of a malformed grid.
    #[inline(always)]
    pub fn text(&self) -> &'a [u8] {
        match self.derived {
            Some(Derived { cells: Some(cells), .. }) => cells,
            _ => self.rows.records.text(&self.record, self.rows.bytes),
        }
    }

    /// Returns the candidates of a valid record.
    pub fn marks(&self) -> Option<Marks> {
        self.record.puzzle.ok().map(|puzzle| self.rows.records.as_marks(puzzle))
    }

    /// Returns the puzzle of a valid record, unless it is pencil marks that clues cannot express.
    pub fn puzzle(&self) -> Option<Puzzle> {
        self.record.puzzle.ok().and_then(|puzzle| self.rows.records.puzzle(puzzle))
    }

    /// Returns the board of a valid record, where its path starts.
    pub(crate) fn board(&self) -> Option<Bands> {
        // Clues are faster than pencil marks.
        let of_marks = || self.marks().map(|marks| Bands::from(&marks));
        self.puzzle().map(|puzzle| Bands::of(&puzzle)).or_else(of_marks)
    }

    /// Returns the number of clues of a valid record, or of the row derived from it.
    pub fn clues(&self) -> Option<usize> {
        if let Some(Derived { cells: Some(cells), .. }) = self.derived {
            return Some(cells.iter().filter(|cell| matches!(cell, b'1'..=b'9')).count());
        }
        self.record.puzzle.ok().map(|puzzle| self.rows.records.clues(self.index, puzzle))
    }

    /// Returns the properties of the puzzle, as far as they are computed.
    pub(crate) fn properties(&self) -> &'a Properties {
        self.rows.results.properties.get(self.index).unwrap_or(&Properties::NONE)
    }

    /// Returns whether the puzzle is minimal, if that is computed.
    pub fn minimal(&self) -> Option<bool> {
        self.derived.map_or(self.properties().minimal, |derived| derived.minimal)
    }

    /// Returns the index of the row among those of its record, if it is derived.
    pub fn copy(&self) -> Option<u32> {
        self.derived.map(|derived| derived.copy)
    }

    /// Returns the line of the record as written in the input, without its end.
    pub(crate) fn line_text(&self) -> &'a [u8] {
        let Record { start, puzzle, .. } = self.record;
        if puzzle.is_err() {
            return self.text();
        }
        let (before, _) = self.rows.bytes.split_at(start as usize);
        let rest = &self.rows.bytes[memrchr(b'\n', before).map_or(0, |at| at + 1)..];
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Returns the JSON object in the line of the record, without its closing brace; `None` if the
    /// line is not an object with keys.
    pub(super) fn object(&self) -> Option<&'a [u8]> {
        let text = self.line_text().trim_ascii();
        let keys = text.strip_prefix(b"{")?.strip_suffix(b"}")?.trim_ascii();
        let is_object = self.record.puzzle.is_ok()
            || serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        (is_object && !keys.is_empty()).then(|| text[..text.len() - 1].trim_ascii_end())
    }

    /// Returns the position in the block of a part of it.
    pub(super) fn position_of(&self, part: &[u8]) -> usize {
        part.as_ptr().addr() - self.rows.bytes.as_ptr().addr()
    }

    /// Returns the text of the kept field at this index, and how it was written.
    fn kept(&self, index: usize) -> (Cow<'a, [u8]>, FieldForm) {
        let Rows { bytes, records, contents, .. } = *self.rows;
        if records.unit == Unit::Row {
            return contents.field(self.index, index);
        }
        let field = records.kept_fields(self.index)[index];
        (field.text(bytes), field.form)
    }

    /// Returns the texts of all kept fields.
    pub(crate) fn kept_texts(&self) -> impl Iterator<Item = Cow<'a, [u8]>> {
        let Rows { records, contents, .. } = *self.rows;
        let count = match records.unit {
            Unit::Row => contents.fields(),
            _ => records.kept_fields(self.index).len(),
        };
        (0..count).map(|index| self.kept(index).0)
    }

    /// Returns whether the input's solution can be replaced in the kept field that has it, where it
    /// is `solution`.
    pub(crate) fn has_writable_answer(&self, solution: &Grid) -> bool {
        let Rows { records, .. } = *self.rows;
        let [_, answer] = &records.kept_cells;
        // Columns are copied or computed.
        let Some(&KeptCells { field, .. }) = answer.as_ref().filter(|_| records.unit != Unit::Row)
        else {
            return true;
        };
        let (text, form) = self.kept(field);
        let other = solution.cells().map(|digit| digit % 9 + 1);
        let other = Grid::try_from(other).unwrap_or(*solution);
        let (cells, derived) = ([None, answer.clone()], (&[b'.'; CELLS], Some(&other)));
        form == FieldForm::Missing || isomorphic(&text, form, field, &cells, derived).is_some()
    }

    /// Returns a row that is derived from this record.
    pub(crate) fn with<'b>(&'b self, derived: &'b Derived) -> Row<'b> {
        Row { derived: Some(derived), ..self.clone() }
    }

    /// Returns the first `count` kept fields as written, with their quotes, if they are in a row of a
    /// table with this separator, and none is missing.
    pub(super) fn span(&self, count: usize, separator: u8) -> Option<&'a [u8]> {
        let Rows { bytes, records, .. } = *self.rows;
        let mut span: Option<Range<usize>> = None;
        for field in records.kept_fields(self.index).get(..count)? {
            let (start, end) = (field.start as usize, field.end as usize);
            let range = match field.form {
                FieldForm::Plain => start..end,
                FieldForm::Quoted => start - 1..end + 1,
                _ => return None,
            };
            let before = span.get_or_insert(range.start..range.start);
            if before.end != range.start
                && (before.end + 1 != range.start || bytes[before.end] != separator)
            {
                return None;
            }
            before.end = range.end;
        }
        Some(&bytes[span?])
    }

    /// Returns how the cells are written, if the record is an array.
    #[inline(always)]
    pub(super) fn array(&self) -> Option<ArrayStyle<'a>> {
        let is_array = self.record.text.form == FieldForm::Own && self.record.puzzle.is_ok();
        if is_array {
            ArrayStyle::of(self.rows.bytes.get(self.record.start as usize..)?)
        } else {
            None
        }
    }

    /// Returns whether the row is derived from its record, whose solution is an array.
    pub(super) fn has_array_of_solution(&self) -> bool {
        let answer = self.rows.records.answers.get(self.index);
        self.derived.is_some() && answer.is_some_and(|answer| answer.form == FieldForm::Own)
    }

    /// Returns the kept field at this index as it is written to another format, and its form. The
    /// puzzle of a valid record is its cells. That of a malformed record is the field, or the whole
    /// text if there is no such field, so that it remains malformed.
    /// In an isomorph, a field with the puzzle or its solution has those of the isomorph.
    pub fn field(&self, index: usize) -> (Cow<'a, [u8]>, FieldForm) {
        let cells = &self.rows.records.kept_cells;
        if let Some(Derived { cells: Some(line), solution, .. }) = self.derived {
            let (text, form) = self.kept(index);
            return match isomorphic(&text, form, index, cells, (line, solution.as_ref())) {
                Some((text, form)) => (Cow::Owned(text), form),
                None => (text, form),
            };
        }
        let is_puzzle = |cells: &KeptCells| cells.field == index && cells.path.is_empty();
        if !cells[0].as_ref().is_some_and(is_puzzle) {
            return self.kept(index);
        }
        let text = (Cow::Borrowed(self.text()), FieldForm::Plain);
        if self.record.puzzle.is_ok() {
            return text;
        }
        match self.kept(index) {
            (_, FieldForm::Missing) => text,
            (field, form) => match quoted_puzzle(&field) {
                Some(quoted) => (Cow::Owned(quoted), FieldForm::Plain),
                None => (field, form),
            },
        }
    }

    /// Returns the position in the block of the JSON value of a kept field, if the record has it.
    pub(super) fn json_value(&self, index: usize) -> Option<Range<usize>> {
        let field = self.rows.records.kept_fields(self.index).get(index)?;
        let range = field.start as usize..field.end as usize;
        match field.form {
            FieldForm::JsonString => Some(range.start - 1..range.end + 1),
            FieldForm::JsonValue => Some(range),
            _ => None,
        }
    }

    /// Returns the input's solution as written; empty if it is missing.
    pub fn answer(&self) -> &'a [u8] {
        self.rows.records.answer(self.index, self.rows.bytes)
    }

    /// Returns the score of the input's solution; `None` if it, or the puzzle, is not readable.
    pub fn score(&self) -> Option<Score> {
        let (puzzle, outcome) = (self.puzzle()?, self.outcome_or_none());
        let is_unique = outcome.solutions == 1 && !outcome.gave_up;
        let only = outcome.solution().filter(|_| is_unique);
        check::score(&puzzle, self.answer(), only)
    }

    /// Returns the offset of the input's solution in the block and its text; without a text if it is
    /// written with escapes.
    pub(crate) fn written_answer(&self) -> Option<(usize, &'a [u8])> {
        let Records { answers, written_answers, unit, .. } = self.rows.records;
        let field = answers.get(self.index)?;
        if field.form == FieldForm::Own && *unit == Unit::Row {
            return Some((0, self.answer()));
        }
        let written = match field.form {
            FieldForm::Own => written_answers.iter().find(|(own, _)| own == field)?.1,
            _ => *field,
        };
        let has_escapes = field.form == FieldForm::Own && written.form != FieldForm::JsonValue;
        let text = if has_escapes { b"" } else { written.of(self.rows.bytes) };
        (written.form != FieldForm::Missing).then_some((written.start as usize, text))
    }

    /// Returns the puzzle as written in the block; empty if it is written with escapes.
    pub(crate) fn written_puzzle(&self) -> &'a [u8] {
        let Record { start, written, text, .. } = self.record;
        match text.form {
            FieldForm::Own if self.rows.records.unit != Unit::Row => {
                &self.rows.bytes[start as usize..][..written as usize]
            }
            FieldForm::Own => self.text(),
            _ => text.of(self.rows.bytes),
        }
    }

    /// Returns what is wrong with the record, if the status alone is not sufficient.
    pub fn reason(&self) -> Cow<'a, str> {
        let reason = match (self.status(), self.outcome(), self.mismatch) {
            (Status::Ok, ..) => "",
            (_, Err(malformed), _) => &malformed.what,
            (_, _, Some(mismatch)) => mismatch,
            (Status::Contradictory, ..) => {
                let found = self.marks().and_then(|marks| marks.clues().contradiction());
                return found.map(|found| found.to_string().into()).unwrap_or_default();
            }
            (Status::GaveUp, ..) => "the limit of nodes was reached",
            (Status::NoForm, ..) => "pencil marks that clues cannot express have no canonical form",
            (Status::InternalError, ..) => "the engine failed on this puzzle; please report it",
            _ => "",
        };
        reason.into()
    }
}

/// Returns a kept field in which the puzzle and its solution are replaced; `None` if it has neither.
fn isomorphic(
    text: &[u8],
    form: FieldForm,
    index: usize,
    [puzzle, answer]: &[Option<KeptCells>; 2],
    (line, solution): (&[u8; CELLS], Option<&Grid>),
) -> Option<(Vec<u8>, FieldForm)> {
    let in_field = |cells: &&KeptCells| cells.field == index;
    let mut changed = None;
    if let Some(puzzle) = puzzle.as_ref().filter(in_field) {
        changed = match &*puzzle.path {
            "" => return Some((line.to_vec(), FieldForm::Plain)),
            path => with_inner(text, path, |value| cells_like(value, line)),
        };
    }
    if let Some((answer, solution)) = answer.as_ref().filter(in_field).zip(solution) {
        let digits = |text: &[u8]| forms::with_digits(text, solution);
        changed = match &*answer.path {
            "" => digits(text),
            path => with_inner(changed.as_deref().unwrap_or(text), path, |value| match value {
                [b'"', ..] => {
                    let text: String = serde_json::from_slice(value).ok()?;
                    let text = String::from_utf8(digits(text.as_bytes())?).ok()?;
                    serde_json::to_vec(&text).ok()
                }
                _ => digits(value),
            }),
        };
    }
    changed.map(|text| (text, form))
}

/// Replaces the value at a path in a JSON object.
fn with_inner(
    object: &[u8],
    path: &str,
    change: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let value = at_path(str::from_utf8(object).ok()?, path)?;
    let start = value.as_ptr().addr() - object.as_ptr().addr();
    let changed = change(value.as_bytes())?;
    Some([&object[..start], &changed, &object[start + value.len()..]].concat())
}

/// Returns cells as JSON: an array if this value is one, otherwise a string.
fn cells_like(value: &[u8], cells: &[u8; CELLS]) -> Option<Vec<u8>> {
    if !value.starts_with(b"[") {
        return serde_json::to_vec(str::from_utf8(cells).ok()?).ok();
    }
    let mut array = Vec::new();
    ArrayStyle::of(value)?.write(cells, &mut array);
    Some(array)
}
