//! Solutions in an input of their own, in the order of the puzzles.

use std::fmt;
use std::io;
use std::option;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::block::Block;
use super::progress::InputFailure;
use super::records::{ReadRecord, RecordReader};
use crate::input::{Records, Source, Stream};

type Input = Source<Stream<'static>>;

/// The solutions to check, a record for each puzzle, read in step with the puzzles.
pub struct AnswerInput {
    name: Arc<str>,
    /// The input, before reading starts.
    source: Option<Input>,
    records: Option<RecordReader<option::IntoIter<Input>, Stream<'static>>>,
    /// The records of a block of puzzles, to count them.
    puzzles: Records,
    /// Set when the run is to stop.
    stop: Arc<AtomicBool>,
    /// The number of solutions that were read.
    read: u64,
    /// The number of puzzles without a solution.
    missing: u64,
    is_stopped: bool,
    failures: Vec<InputFailure>,
}

impl AnswerInput {
    /// The solutions in this input.
    pub fn new(source: Input) -> Self {
        Self {
            name: Arc::from(source.name.as_str()),
            source: Some(source),
            records: None,
            puzzles: Records::default(),
            stop: Arc::default(),
            read: 0,
            missing: 0,
            is_stopped: false,
            failures: Vec::new(),
        }
    }

    /// Starts reading, until `stop` is set.
    pub(super) fn begin(&mut self, stop: &Arc<AtomicBool>) {
        if self.source.is_some() {
            self.stop = Arc::clone(stop);
            self.records = Some(RecordReader::stopped_by(stop, self.source.take()));
        }
    }

    /// Skips the first `records` solutions, which an earlier run has checked. A failure is reported
    /// at the next block.
    pub(super) fn skip(&mut self, records: u64) {
        for _ in 0..records {
            if !self.with_next(|_| {}) {
                break;
            }
        }
    }

    /// Passes the next record to `take`; `false` if there is none.
    fn with_next(&mut self, take: impl FnOnce(ReadRecord<'_>)) -> bool {
        let Some(records) = &mut self.records else { return false };
        if let Some(record) = records.next() {
            take(record);
            self.read += 1;
            return true;
        }
        self.failures = self.records.take().map(RecordReader::failures).unwrap_or_default();
        false
    }

    /// Attaches the next answers to a block's records; `false` if they cannot be read. Called for
    /// blocks in order.
    pub(super) fn attach(&mut self, block: &mut Block) -> bool {
        let Block { layout, first_line, cut_short, .. } = &*block;
        layout.read(block.lines(), *first_line, *cut_short, &mut self.puzzles);
        let mut answers = block.answers.take().unwrap_or_default();
        answers.begin(&self.name);
        for _ in 0..self.puzzles.all.len() {
            let has_next = self.with_next(|record| {
                answers.push(record.answer.unwrap_or(record.text), Some(record.line));
            });
            if !has_next {
                self.is_stopped = self.stop.load(Ordering::Relaxed);
                if self.is_stopped || !self.failures.is_empty() {
                    return false;
                }
                self.missing += 1;
                answers.push(b"", None);
            }
        }
        block.answers = Some(answers);
        true
    }

    /// Whether reading ended early because the run was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// The failures at the end of a run that has read all puzzles: of reading, or because the
    /// number of solutions differs.
    pub(super) fn finish(&mut self) -> Vec<InputFailure> {
        if self.stop.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let puzzles = self.read + self.missing;
        let is_longer = self.missing == 0 && self.failures.is_empty() && self.with_next(|_| {});
        if is_longer || self.missing > 0 {
            let more = if is_longer { "more than " } else { "" };
            let solutions = self.read - u64::from(is_longer);
            let number =
                |count: u64, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
            let (solutions, puzzles) = (number(solutions, "solution"), number(puzzles, "puzzle"));
            let what = format!("{more}{solutions} for {puzzles}");
            let error = io::Error::new(io::ErrorKind::InvalidData, what);
            self.failures.push(InputFailure { file: self.name.to_string(), error });
        }
        std::mem::take(&mut self.failures)
    }
}

impl fmt::Debug for AnswerInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerInput").field("name", &self.name).finish_non_exhaustive()
    }
}
