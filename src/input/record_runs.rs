//! The records of a block in their order, those that are alike kept as one.
//!
//! In a large file nearly all are: their lines have the same length, and what is to be said of each
//! follows from the first of them. Nothing is written or read for the others then, on easy puzzles
//! a twentieth of all work.

use std::ops::Range;

use super::{PuzzleRef, Record, Text};

/// Records in their order.
#[derive(Clone, Debug, Default)]
pub struct RecordList {
    record_runs: Vec<RecordRun>,
    /// How many records there are.
    length: usize,
}

/// Records that stand one behind the other and are alike: one of any kind, or puzzles in one piece,
/// each on the line below the one before.
#[derive(Clone, Debug)]
pub struct RecordRun {
    /// The first of them.
    pub first: Record,
    /// How many there are, this one included.
    pub count: u32,
    /// Bytes from the start of one to that of the next, if there are several.
    pub line_bytes: u32,
}

impl RecordRun {
    /// Takes a record that stands behind these and is as the next of them would be.
    #[inline(always)]
    fn takes(&mut self, record: &Record) -> bool {
        let (Text::Block(first), Text::Block(text)) = (&self.first.text, &record.text) else {
            return false;
        };
        if self.count == 1 {
            self.line_bytes = text.start.saturating_sub(first.start);
        }
        let is_next = *record == self.record(self.count);
        self.count += u32::from(is_next);
        is_next
    }

    /// One of them, by its place.
    #[inline(always)]
    fn record(&self, place: u32) -> Record {
        let Record { line, indent, fault, ref text, puzzle } = self.first;
        let bytes = place * self.line_bytes;
        let text = match *text {
            Text::Block(Range { start, end }) => Text::Block(start + bytes..end + bytes),
            Text::Own { ref text, start } => Text::Own { text: text.clone(), start },
        };
        let puzzle = match puzzle {
            Ok(PuzzleRef::Puzzle(first)) => Ok(PuzzleRef::Puzzle(first + place)),
            other => other,
        };
        Record { line: line + place, indent, fault, text, puzzle }
    }
}

impl RecordList {
    /// An empty list with room for this many records of any kind.
    pub fn with_capacity(records: usize) -> Self {
        Self { record_runs: Vec::with_capacity(records), length: 0 }
    }

    /// How many records of any kind it has room for.
    pub fn capacity(&self) -> usize {
        self.record_runs.capacity()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Forgets all records, keeps the room.
    pub fn clear(&mut self) {
        self.record_runs.clear();
        self.length = 0;
    }

    /// Appends a record.
    #[inline(always)]
    pub fn push(&mut self, record: Record) {
        self.length += 1;
        if !self.record_runs.last_mut().is_some_and(|last| last.takes(&record)) {
            self.record_runs.push(RecordRun { first: record, count: 1, line_bytes: 0 });
        }
    }

    /// Appends this many records, of which this is the first: lines of 81 cells and an end, with
    /// which they have this many bytes, one below the other, their puzzles one behind the other.
    pub fn push_lines(&mut self, first: Record, count: usize, line_bytes: usize) {
        if count > 0 {
            let (count, line_bytes) = (count as u32, line_bytes as u32);
            self.record_runs.push(RecordRun { first, count, line_bytes });
        }
        self.length += count;
    }

    /// The last record.
    pub fn last(&self) -> Option<Record> {
        self.record_runs.last().map(|stretch| stretch.record(stretch.count - 1))
    }

    /// The records in their order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { record_runs: &self.record_runs, place: 0 }
    }
}

impl PartialEq for RecordList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl Eq for RecordList {}

impl FromIterator<Record> for RecordList {
    fn from_iter<I: IntoIterator<Item = Record>>(records: I) -> Self {
        let mut list = Self::default();
        records.into_iter().for_each(|record| list.push(record));
        list
    }
}

impl<'a> IntoIterator for &'a RecordList {
    type Item = Record;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Goes through records in their order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    record_runs: &'a [RecordRun],
    /// The place of the next record in the first of them.
    place: u32,
}

impl Iter<'_> {
    /// The next record and those behind it that are alike.
    #[inline(always)]
    pub fn alike(&self) -> Option<RecordRun> {
        let stretch = self.record_runs.first()?;
        let (first, count) = (stretch.record(self.place), stretch.count - self.place);
        Some(RecordRun { first, count, line_bytes: stretch.line_bytes })
    }

    /// Skips this many records.
    pub fn pass_over(&mut self, mut count: usize) {
        while let [stretch, rest @ ..] = self.record_runs {
            let left = (stretch.count - self.place) as usize;
            if count < left {
                self.place += count as u32;
                return;
            }
            count -= left;
            (self.record_runs, self.place) = (rest, 0);
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Record;

    #[inline(always)]
    fn next(&mut self) -> Option<Record> {
        let record = self.record_runs.first()?.record(self.place);
        self.pass_over(1);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::CELLS;

    fn line(line: u32, start: u32, puzzle: u32) -> Record {
        let text = Text::Block(start..start + CELLS as u32);
        Record { line, indent: 0, fault: 0, text, puzzle: Ok(PuzzleRef::Puzzle(puzzle)) }
    }

    #[test]
    fn records_that_are_alike_are_one_entry_and_yet_all_there() {
        let bad = |line, puzzle| Record { puzzle: Err(puzzle), ..self::line(line, 500, 0) };
        let cells = |place: u32| Record {
            text: Text::Own { text: 81 * place..81 * (place + 1), start: 600 },
            ..line(12, 0, 8)
        };
        let record_runs = [
            vec![line(2, 10, 1), line(3, 93, 2), line(4, 176, 3)],
            // Another distance, line, place, indent, fault or puzzle.
            vec![line(5, 260, 4), line(6, 360, 5)],
            vec![line(8, 460, 6)],
            vec![Record { indent: 1, ..line(9, 560, 7) }],
            vec![Record { fault: 1, ..line(10, 661, 8) }],
            vec![line(11, 761, 10)],
            vec![bad(12, 0)],
            vec![bad(13, 1)],
            vec![cells(0)],
            vec![cells(1)],
        ];
        let all = record_runs.concat();
        let list = RecordList::from_iter(all.clone());
        let counts: Vec<_> =
            list.record_runs.iter().map(|stretch| stretch.count as usize).collect();
        assert_eq!(counts, record_runs.map(|stretch| stretch.len()));
        assert_eq!((list.len(), list.last().as_ref()), (all.len(), all.last()));
        for passed in 0..=all.len() + 1 {
            let mut rest = list.iter();
            rest.pass_over(passed);
            assert_eq!(rest.alike().map(|alike| alike.first), all.get(passed).cloned());
            assert_eq!(rest.collect::<Vec<_>>(), all[passed.min(all.len())..]);
        }
    }

    #[test]
    fn lines_are_as_if_each_had_been_pushed() {
        let mut list = RecordList::default();
        list.push_lines(line(2, 10, 1), 0, 83);
        assert_eq!((list.len(), list.last(), list.is_empty()), (0, None, true));
        list.push_lines(line(2, 10, 1), 3, 83);
        let all = [line(2, 10, 1), line(3, 93, 2), line(4, 176, 3)];
        assert_eq!(list, RecordList::from_iter(all));
        list.clear();
        assert_eq!(list, RecordList::default());
    }
}
