//! Reads the records of inputs without writing rows.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::block::{BLOCK_BYTES, Block};
use super::progress::InputFailure;
use super::reader::Reader;
use crate::input::{Record, Records, Source, Text};
use crate::marks::Marks;
use crate::output::Kept;
use crate::puzzle::Malformed;

/// Reads the records of inputs in their order, on the calling thread, in bounded memory.
///
/// ```
/// use bulkdoku::Source;
/// use bulkdoku::pipeline::RecordReader;
///
/// let line = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
/// let text = format!("# one\n{line}\n{line} 17\n12\n");
/// let mut records = RecordReader::new([Source::new("example", text.as_bytes())]);
/// let mut lines = Vec::new();
/// while let Some(record) = records.next() {
///     lines.push((record.line, record.puzzle.is_ok()));
/// }
/// assert_eq!(lines, [(2, true), (3, true), (4, false)]);
/// assert!(records.failures().is_empty());
/// ```
pub struct RecordReader<I, R> {
    reader: Reader<I, R>,
    block: Block,
    records: Records,
    /// The records of the block.
    all: Vec<Record>,
    /// The place of the next record.
    next: usize,
}

/// A record that was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadRecord<'a> {
    /// The input's name.
    pub file: &'a Arc<str>,
    /// Its line in that input, from 1; of a malformed grid, the bad line.
    pub line: u64,
    /// The cells or marks as they were written; of a malformed record, all of it; of a malformed
    /// grid, the bad line.
    pub text: &'a [u8],
    /// The solution in the input, if the layout has one.
    pub answer: Option<&'a [u8]>,
    /// The kept fields, the same number for each record
    /// ([`Layout::kept`](crate::input::Layout::kept)).
    pub kept: Kept<'a>,
    /// The puzzle as pencil marks, or why it is malformed.
    pub puzzle: Result<Marks, &'a Malformed>,
}

impl<R: Read, I: Iterator<Item = Source<R>>> RecordReader<I, R> {
    /// Reads the records of these sources.
    pub fn new(sources: impl IntoIterator<Item = Source<R>, IntoIter = I>) -> Self {
        Self::stopped_by(&Arc::default(), sources)
    }

    /// The same; there are no more records once `stop` is set.
    pub(super) fn stopped_by(
        stop: &Arc<AtomicBool>,
        sources: impl IntoIterator<Item = Source<R>, IntoIter = I>,
    ) -> Self {
        Self {
            reader: Reader::new(0, sources.into_iter(), BLOCK_BYTES, stop),
            block: Block::new(BLOCK_BYTES, 0),
            records: Records::default(),
            all: Vec::new(),
            next: 0,
        }
    }

    /// The next record; `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "a record borrows from the reader")]
    pub fn next(&mut self) -> Option<ReadRecord<'_>> {
        while self.next == self.all.len() {
            if !self.reader.fill(&mut self.block) {
                return None;
            }
            self.next = 0;
            let Block { layout, first_line, cut_short, .. } = &self.block;
            layout.read(self.block.lines(), *first_line, *cut_short, &mut self.records);
            self.all.clear();
            self.all.extend(&self.records.all);
        }
        self.next += 1;
        Some(self.record(self.next - 1))
    }

    fn record(&self, place: usize) -> ReadRecord<'_> {
        let (records, bytes) = (&self.records, self.block.lines());
        let record = &self.all[place];
        ReadRecord {
            file: &self.block.file,
            line: self.block.first_line + u64::from(record.line) + u64::from(record.fault),
            text: match &record.text {
                Text::Block(text) => &bytes[text.start as usize..text.end as usize],
                Text::Own { text, .. } => &records.texts[text.start as usize..text.end as usize],
            },
            answer: (place < records.answers.len()).then(|| records.answer(place, bytes)),
            kept: {
                let each = records.kept.len() / self.all.len();
                Kept::new(bytes, &records.kept[place * each..(place + 1) * each])
            },
            puzzle: match record.puzzle {
                Ok(given) => Ok(records.as_marks(given)),
                Err(place) => Err(&records.malformed[place as usize]),
            },
        }
    }

    /// The inputs that could not be read to their end.
    pub fn failures(self) -> Vec<InputFailure> {
        self.reader.end().failures
    }
}
