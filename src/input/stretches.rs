//! The records of a block in their order, those that are alike kept as one.
//!
//! In a large file nearly all are: each is a line of 81 cells and a line feed, and what is to be said
//! of it follows from the first of them. Nothing is written or read for the others then, on easy
//! puzzles a twentieth of all work.

use std::ops::Range;

use super::{Given, Record, Text};
use crate::puzzle::CELLS;

/// Bytes from one of several records that are alike to the next.
pub const LINE_BYTES: usize = CELLS + 1;

/// Records in their order.
#[derive(Clone, Debug, Default)]
pub struct RecordList {
    stretches: Vec<Stretch>,
    /// How many records there are.
    length: usize,
}

/// Records that stand one behind the other.
#[derive(Clone, Debug)]
struct Stretch {
    first: Record,
    /// How many there are. If there are several, each is a line of 81 cells, and a puzzle.
    count: u32,
}

impl Stretch {
    /// One of them, by its place.
    #[inline(always)]
    fn record(&self, place: u32) -> Record {
        let Record { line, indent, fault, ref text, puzzle } = self.first;
        let bytes = place * LINE_BYTES as u32;
        let text = match *text {
            Text::Block(Range { start, end }) => Text::Block(start + bytes..end + bytes),
            Text::Cells { place, start } => Text::Cells { place, start },
        };
        let puzzle = match puzzle {
            Ok(Given::Puzzle(first)) => Ok(Given::Puzzle(first + place)),
            other => other,
        };
        Record { line: line + place, indent, fault, text, puzzle }
    }
}

impl RecordList {
    /// An empty list with room for so many records of any kind.
    pub fn with_capacity(records: usize) -> Self {
        Self { stretches: Vec::with_capacity(records), length: 0 }
    }

    /// How many records of any kind it has room for.
    pub fn capacity(&self) -> usize {
        self.stretches.capacity()
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
        self.stretches.clear();
        self.length = 0;
    }

    /// Appends a record.
    pub fn push(&mut self, record: Record) {
        self.push_alike(record, 1);
    }

    /// Appends so many records, of which this is the first: lines of 81 cells and a line feed, one
    /// below the other, their puzzles one behind the other.
    pub fn push_lines(&mut self, first: Record, count: usize) {
        debug_assert!(
            matches!(first, Record { text: Text::Block(_), puzzle: Ok(Given::Puzzle(_)), .. }),
            "{first:?} is no line of cells"
        );
        if count > 0 {
            self.push_alike(first, count);
        }
    }

    fn push_alike(&mut self, first: Record, count: usize) {
        self.stretches.push(Stretch { first, count: count as u32 });
        self.length += count;
    }

    /// The last record.
    pub fn last(&self) -> Option<Record> {
        self.stretches.last().map(|stretch| stretch.record(stretch.count - 1))
    }

    /// The records in their order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { stretches: &self.stretches, place: 0 }
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
    stretches: &'a [Stretch],
    /// The place of the next record in the first of them.
    place: u32,
}

impl Iter<'_> {
    /// The next record, and how many stand from there on that are alike.
    #[inline(always)]
    pub fn alike(&self) -> Option<(Record, usize)> {
        let stretch = self.stretches.first()?;
        Some((stretch.record(self.place), (stretch.count - self.place) as usize))
    }

    /// Passes over so many records.
    pub fn pass_over(&mut self, mut count: usize) {
        while let [stretch, rest @ ..] = self.stretches {
            let left = (stretch.count - self.place) as usize;
            if count < left {
                self.place += count as u32;
                return;
            }
            count -= left;
            (self.stretches, self.place) = (rest, 0);
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Record;

    #[inline(always)]
    fn next(&mut self) -> Option<Record> {
        let [stretch, rest @ ..] = self.stretches else { return None };
        let record = stretch.record(self.place);
        self.place += 1;
        if self.place == stretch.count {
            (self.stretches, self.place) = (rest, 0);
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_are_alike_are_as_if_each_had_been_pushed() {
        let line = |line: u32, start: u32, puzzle: u32| Record {
            line,
            indent: 0,
            fault: 0,
            text: Text::Block(start..start + CELLS as u32),
            puzzle: Ok(Given::Puzzle(puzzle)),
        };
        let bad = Record { text: Text::Block(240..250), puzzle: Err(3), ..line(9, 0, 0) };
        let cells = Record { text: Text::Cells { place: 7, start: 260 }, ..line(12, 0, 5) };
        let mut list = RecordList::default();
        list.push_lines(line(2, 10, 1), 0);
        assert_eq!((list.len(), list.last(), list.is_empty()), (0, None, true));
        list.push_lines(line(2, 10, 1), 3);
        list.push(bad.clone());
        list.push(cells.clone());
        list.push_lines(line(20, 400, 6), 1);
        let all = [line(2, 10, 1), line(3, 92, 2), line(4, 174, 3), bad, cells, line(20, 400, 6)];

        assert_eq!((list.len(), list.last().as_ref()), (all.len(), all.last()));
        for passed in 0..=all.len() + 1 {
            let mut rest = list.iter();
            rest.pass_over(passed);
            assert_eq!(rest.collect::<Vec<_>>(), all[passed.min(all.len())..]);
        }
        assert_eq!(RecordList::from_iter(all), list);
        list.clear();
        assert_eq!(list, RecordList::default());
    }
}
