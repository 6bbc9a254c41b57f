//! The input's solutions (`answer` in code) from another input, in the order of the puzzles.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::input::{Records, Source};
use crate::pipeline::jobs::stopped;
use crate::pipeline::{Block, BlockSource, InputFailure, ReadRecord, RecordReader};

/// A source whose answers may be in another input, which is read in lockstep.
pub struct Answered<S> {
    source: S,
    /// The name of the other input, if there is one.
    name: Option<Arc<str>>,
    answers: Option<RecordReader<'static>>,
    /// Scratch space for the records of a block, to count them.
    puzzles: Records,
    stop: Arc<AtomicBool>,
    read: u64,
    /// The number of puzzles without an answer.
    missing: u64,
    failures: Vec<InputFailure>,
}

impl<S: BlockSource> Answered<S> {
    /// Creates a source that attaches the answers in another input, if there is one, to the blocks
    /// of `source`. Skips the first `skip` answers, which an earlier run has read. Setting `stop`
    /// stops the run.
    pub fn new(
        source: S,
        answers: Option<Source<'static>>,
        skip: u64,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let mut answered = Self {
            source,
            name: answers.as_ref().map(|answers| answers.name.as_str().into()),
            answers: answers.map(|answers| RecordReader::stopped_by(stop, Some(answers))),
            puzzles: Records::default(),
            stop: Arc::clone(stop),
            read: 0,
            missing: 0,
            failures: Vec::new(),
        };
        // A failure is reported with the first block.
        let _ = (0..skip).all(|_| answered.with_next(|_| {}));
        answered
    }

    /// Passes the next answer to `take`; returns whether there is one.
    fn with_next(&mut self, take: impl FnOnce(ReadRecord<'_>)) -> bool {
        let Some(answers) = &mut self.answers else { return false };
        if let Some(record) = answers.next() {
            take(record);
            self.read += 1;
            return true;
        }
        self.failures = self.answers.take().map(RecordReader::failures).unwrap_or_default();
        self.failures.iter_mut().for_each(|failure| failure.has_answers = true);
        false
    }

    /// Returns whether another answer follows, except empty ones at the end.
    fn has_more(&mut self) -> bool {
        let mut is_empty = true;
        while is_empty && self.with_next(|record| is_empty = text_of(&record).is_empty()) {}
        !is_empty
    }

    fn attach(&mut self, block: &mut Block) -> io::Result<bool> {
        let Some(name) = &self.name else { return Ok(true) };
        let mut answers = block.answers.take().unwrap_or_default();
        answers.clear(name);
        block.read(&mut self.puzzles);
        for _ in 0..self.puzzles.all.len() {
            let has_next = self.with_next(|record| {
                answers.push(text_of(&record), Some(record.line));
            });
            if !has_next {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(stopped());
                }
                if !self.failures.is_empty() {
                    return Ok(false);
                }
                self.missing += 1;
                answers.push(b"", None);
            }
        }
        block.answers = Some(answers);
        Ok(true)
    }

    /// Returns a failure if the numbers of answers and puzzles differ.
    fn length_failure(&mut self) -> Option<InputFailure> {
        let file = self.name.as_ref()?.to_string();
        let puzzles = self.read + self.missing;
        let solutions = self.read;
        let is_longer = self.missing == 0 && self.failures.is_empty() && self.has_more();
        if !is_longer && self.missing == 0 {
            return None;
        }
        let more = if is_longer { "more than " } else { "" };
        let number =
            |count: u64, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        let (solutions, puzzles) = (number(solutions, "solution"), number(puzzles, "puzzle"));
        let what = format!("{more}{solutions} for {puzzles}");
        let error = io::Error::new(io::ErrorKind::InvalidData, what);
        Some(InputFailure { file, error, has_answers: true })
    }
}

/// Returns the text of an answer, without quotes; empty if there is none, which may be a dot.
fn text_of<'a>(record: &ReadRecord<'a>) -> &'a [u8] {
    let text = record.answer.unwrap_or(record.text).trim_ascii();
    let quoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    match quoted.unwrap_or(text) {
        b"." => b"",
        text => text,
    }
}

impl<S: BlockSource> BlockSource for Answered<S> {
    fn fill(&mut self, block: &mut Block) -> io::Result<bool> {
        Ok(self.source.fill(block)? && self.attach(block)?)
    }

    fn take_failures(&mut self) -> Vec<InputFailure> {
        let mut failures = self.source.take_failures();
        if failures.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let length_failure = self.length_failure();
            failures.append(&mut self.failures);
            failures.extend(length_failure);
        }
        failures
    }
}
