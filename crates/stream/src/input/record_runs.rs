//! A list of records that stores a run of similar records as one entry.
//!
//! In a large file, nearly all lines have the same length, and each record follows from the first
//! one of its run. Not storing the others saves 5% of the total time on easy puzzles.

use super::{FieldForm, PuzzleRef, Record};

/// The records of a block, in order.
#[derive(Clone, Debug, Default)]
pub struct RecordList {
    runs: Vec<RecordRun>,
    length: usize,
}

/// One record, or several puzzles with contiguous cells on consecutive lines.
#[derive(Clone, Debug)]
pub(crate) struct RecordRun {
    /// The first record.
    pub first: Record,
    /// The number of records.
    pub count: u32,
    /// The distance between the starts of consecutive lines, if there are several.
    pub line_bytes: u32,
}

impl RecordRun {
    /// Adds a record if it continues the run; returns whether it does.
    #[inline(always)]
    fn extend_by(&mut self, record: &Record) -> bool {
        if self.first.text.form == FieldForm::Own {
            return false;
        }
        if self.count == 1 {
            self.line_bytes = record.start.saturating_sub(self.first.start);
        }
        let is_next = *record == self.record(self.count);
        self.count += u32::from(is_next);
        is_next
    }

    #[inline(always)]
    fn record(&self, place: u32) -> Record {
        let Record { line, start, text, puzzle, .. } = self.first;
        let bytes = place * self.line_bytes;
        let puzzle = match puzzle {
            Ok(PuzzleRef::Puzzle(first)) => Ok(PuzzleRef::Puzzle(first + place)),
            other => other,
        };
        let (line, start, text) = (line + place, start + bytes, text.moved(bytes));
        Record { line, start, text, puzzle, ..self.first }
    }
}

impl RecordList {
    /// Creates an empty list with room for this many records of any form.
    pub fn with_capacity(records: usize) -> Self {
        Self { runs: Vec::with_capacity(records), length: 0 }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether the number of records is 0.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Removes all records, but keeps the memory.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.length = 0;
    }

    /// Appends a record.
    #[inline(always)]
    pub fn push(&mut self, record: Record) {
        self.length += 1;
        if !self.runs.last_mut().is_some_and(|last| last.extend_by(&record)) {
            self.runs.push(RecordRun { first: record, count: 1, line_bytes: 0 });
        }
    }

    /// Appends `count` records of consecutive lines with 81 cells and a line end, `line_bytes` in
    /// total, and consecutive puzzles. `first` is the first of them.
    pub(crate) fn push_lines(&mut self, first: Record, count: usize, line_bytes: usize) {
        if count > 0 {
            let (count, line_bytes) = (count as u32, line_bytes as u32);
            self.runs.push(RecordRun { first, count, line_bytes });
        }
        self.length += count;
    }

    /// Returns the last record.
    pub fn last(&self) -> Option<Record> {
        self.runs.last().map(|run| run.record(run.count - 1))
    }

    /// Iterates over the records in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { runs: &self.runs, place: 0 }
    }
}

impl<'a> IntoIterator for &'a RecordList {
    type Item = Record;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// An iterator over records in order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    runs: &'a [RecordRun],
    /// The index of the next record in the first run.
    place: u32,
}

impl Iter<'_> {
    /// Returns the next record with the rest of its run.
    #[inline(always)]
    pub(crate) fn remaining_run(&self) -> Option<RecordRun> {
        let run = self.runs.first()?;
        let (first, count) = (run.record(self.place), run.count - self.place);
        Some(RecordRun { first, count, line_bytes: run.line_bytes })
    }

    pub(crate) fn skip_records(&mut self, mut count: usize) {
        while let [run, rest @ ..] = self.runs {
            let left = (run.count - self.place) as usize;
            if count < left {
                self.place += count as u32;
                return;
            }
            count -= left;
            (self.runs, self.place) = (rest, 0);
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Record;

    #[inline(always)]
    fn next(&mut self) -> Option<Record> {
        let record = self.runs.first()?.record(self.place);
        self.skip_records(1);
        Some(record)
    }
}
