//! Reads the records of inputs without writing rows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{BLOCK_BYTES, Block, BlockSource, InputFailure, TextSource};
use crate::input::{Record, Records, Source};
use bulkdoku_core::{Malformed, Marks};

/// A reader of the records of inputs in order, on the calling thread, in bounded memory.
///
/// ```
/// use bulkdoku_stream::Source;
/// use bulkdoku_stream::pipeline::RecordReader;
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
pub struct RecordReader<'a> {
    source: TextSource<'a>,
    block: Block,
    records: Records,
    all: Vec<Record>,
    next: usize,
}

/// A record of an input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadRecord<'a> {
    /// The name of the input.
    pub file: &'a Arc<str>,
    /// The line in that input, from 1.
    pub line: u64,
    /// The cells or pencil marks as written; for a malformed record, all of it; for a malformed
    /// grid, the invalid line.
    pub text: &'a [u8],
    /// The input's solution, if the layout has one.
    pub answer: Option<&'a [u8]>,
    /// The puzzle as pencil marks, or the reason why it is malformed.
    pub puzzle: Result<Marks, &'a Malformed>,
}

impl<'a> RecordReader<'a> {
    /// Creates a reader of these sources.
    pub fn new(sources: impl IntoIterator<Item = Source<'a>, IntoIter: Send + 'a>) -> Self {
        Self::stopped_by(&Arc::default(), sources)
    }

    /// Like [`RecordReader::new`], but ends once `stop` is set.
    pub(super) fn stopped_by(
        stop: &Arc<AtomicBool>,
        sources: impl IntoIterator<Item = Source<'a>, IntoIter: Send + 'a>,
    ) -> Self {
        Self {
            source: TextSource::new(0, sources, stop),
            block: Block::new(BLOCK_BYTES, BLOCK_BYTES),
            records: Records::default(),
            all: Vec::new(),
            next: 0,
        }
    }

    /// Returns the next record, or `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "a record borrows from the reader")]
    pub fn next(&mut self) -> Option<ReadRecord<'_>> {
        while self.next == self.all.len() {
            self.block.shrink();
            if !self.source.fill(&mut self.block).unwrap_or(false) {
                return None;
            }
            self.next = 0;
            self.block.read(&mut self.records);
            self.all.clear();
            self.all.extend(&self.records.all);
        }
        self.next += 1;
        Some(self.record(self.next - 1))
    }

    fn record(&self, index: usize) -> ReadRecord<'_> {
        let (records, bytes) = (&self.records, self.block.filled());
        let record = &self.all[index];
        ReadRecord {
            file: &self.block.file,
            line: self.block.first + u64::from(record.line),
            text: records.text(record, bytes),
            answer: (index < records.answers.len()).then(|| records.answer(index, bytes)),
            puzzle: match record.puzzle {
                Ok(puzzle) => Ok(records.as_marks(puzzle)),
                Err(error) => Err(&records.malformed[error as usize]),
            },
        }
    }

    /// Returns the inputs that could not be read to their end.
    pub fn failures(mut self) -> Vec<InputFailure> {
        self.source.take_failures()
    }
}
