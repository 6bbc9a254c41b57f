//! Resumable outputs: the sink for the rows and messages of a run, and its journal.
//!
//! `results.csv.resume` is the journal of `results.csv` until the run is complete. It is saved
//! before the first byte of any output, so an output with a journal is incomplete, and one without
//! is complete or was written by another program. An output is created with its header when it
//! receives its first row, but a single output always has its header. A resumed run truncates all
//! outputs to the last checkpoint that all of them reach, and continues there.

mod disk;
mod journal;
#[cfg(all(test, unix))]
mod tests;

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use bulkdoku::Tail;
use bulkdoku::pipeline::{Checkpoint, Sink};
use bulkdoku::stats::Timeline;

use super::Failure;
use super::messages::Messages;

pub use disk::{Disk, FileHash, remove_unused};
pub use journal::{Journal, JournalFile};
use journal::{JournalEntry, ListedOutput, OutputPosition};

/// The number of bytes before a checkpoint that are compared when a run is resumed.
const TAIL_BYTES: u64 = 64 * 1024;

/// The number of bytes of a header that are compared. Later ones may be replaced at the end.
const HEADER_START: usize = 8;

/// The file operations of a run, which tests replace to fail at any byte. Outputs are numbered:
/// those of rows, then that of messages. Errors name the file.
pub trait Storage: Send {
    fn name(&self, output: usize) -> String;
    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()>;
    /// Replaces the first bytes of an output.
    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()>;
    /// Returns the length of an output, or `None` if it is not a regular file.
    fn length(&self, output: usize) -> io::Result<Option<u64>>;
    /// Reads the `count` bytes before `end`.
    fn read_before(&self, output: usize, end: u64, count: u64) -> io::Result<Vec<u8>>;
    /// Truncates an output and continues there.
    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()>;
    /// Returns whether a journal is supported.
    fn has_journal(&self) -> bool;
    /// Replaces the journal atomically.
    fn save(&mut self, journal: &[u8]) -> io::Result<()>;
    /// Removes the journal of complete outputs.
    fn complete(&mut self) -> io::Result<()>;
}

/// The outputs of rows and messages of a run.
#[derive(Debug)]
pub struct RowFiles<S> {
    pub storage: S,
    journal: Journal,
    /// The number of outputs of rows.
    rows: usize,
    lengths: Vec<u64>,
    /// The length of each output at the last checkpoint.
    complete_lengths: Vec<u64>,
    saved: Instant,
    /// The minimum time between saved checkpoints, which bounds the work to repeat.
    interval: Duration,
    is_saved: bool,
    has_reported_journal: bool,
    /// Whether an output lacks data before the current position, so that a resumed run must go back
    /// to the last entry of the journal.
    is_incomplete: bool,
    messages_error: Option<io::Error>,
    pub messages: Messages,
    timing: Option<Timing>,
}

/// The times at which rows were written.
#[derive(Debug)]
struct Timing {
    began: Instant,
    records: u64,
    timeline: Timeline,
}

impl<S: Storage> RowFiles<S> {
    /// Creates the outputs in a journal, of which the first `rows` are outputs of rows.
    pub fn new(storage: S, journal: Journal, rows: usize, messages: Messages) -> Self {
        let count = journal.outputs.len();
        Self {
            storage,
            journal,
            rows,
            lengths: vec![0; count],
            complete_lengths: vec![0; count],
            saved: Instant::now(),
            interval: Duration::from_millis(200),
            is_saved: false,
            has_reported_journal: false,
            is_incomplete: false,
            messages_error: None,
            messages,
            timing: None,
        }
    }

    /// Returns the checkpoint from which the run of the journal is resumed, without changing files
    /// (see [`Self::truncate_to_start`]).
    pub fn resume(&mut self) -> Result<Checkpoint, Failure> {
        let Self { storage, journal, .. } = self;
        let count = journal.outputs.len();
        let lengths = (0..count).map(|output| Ok(storage.length(output)?.unwrap_or(0)));
        let lengths = lengths.collect::<io::Result<Vec<_>>>()?;
        let is_within = |entry: &JournalEntry| {
            entry.marks.iter().zip(&lengths).all(|(mark, length)| mark.bytes <= *length)
        };
        let last = journal.entries.iter().rposition(is_within).unwrap_or(0);
        journal.entries.truncate(last + 1);
        let JournalEntry { checkpoint, marks } = &journal.entries[last];
        for (output, (mark, listed)) in marks.iter().zip(&journal.outputs).enumerate() {
            let header = &listed.header[..HEADER_START.min(listed.header.len())];
            let known = lengths[output].min(header.len() as u64);
            let start = storage.read_before(output, known, known)?;
            let count = u64::from(mark.tail.bytes);
            let tail = storage.read_before(output, mark.bytes, count)?;
            let is_foreign = !listed.is_begun && lengths[output] > 0;
            if is_foreign || !header.starts_with(&start) || !mark.tail.is_of(&tail) {
                refuse!(
                    "{}: has been modified since the previous run; --force starts over",
                    storage.name(output)
                );
            }
        }
        // An input that failed is read again.
        let start = Checkpoint { failed: None, ..checkpoint.clone() };
        self.lengths = marks.iter().map(|mark| mark.bytes).collect();
        self.complete_lengths.clone_from(&self.lengths);
        Ok(start)
    }

    /// Removes everything after the checkpoint from which the run is resumed.
    pub fn truncate_to_start(&mut self) -> io::Result<()> {
        self.storage.save(&self.journal.encode()?)?;
        self.is_saved = true;
        for (output, length) in self.lengths.iter().enumerate() {
            self.storage.truncate(output, *length)?;
        }
        Ok(())
    }

    /// Starts recording when rows are written. Earlier runs have written the rows of `records`.
    pub fn record_times(&mut self, records: u64) {
        let (began, timeline) = (Instant::now(), Timeline::new());
        self.timing = Some(Timing { began, records, timeline });
    }

    /// Returns when rows were written, if it was recorded.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timing.as_ref().map(|timing| &timing.timeline)
    }

    pub fn has_journal(&self) -> bool {
        self.is_saved
    }

    /// Returns whether `--resume` can continue the run.
    pub fn can_be_resumed(&self) -> bool {
        self.is_saved && self.journal.run.not_comparable().is_none()
    }

    /// Makes a resumed run start over, because any row may be wrong.
    pub fn invalidate_all(&mut self) {
        self.is_incomplete = true;
        if self.journal.rewind((0, 0)) {
            self.save();
        }
    }

    /// Removes the journal of complete outputs.
    pub fn complete(mut self) -> io::Result<()> {
        self.storage.complete()
    }

    /// Returns whether an output lacks data that a resumed run can write.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns the message that the file of messages is incomplete.
    pub fn messages_loss(&self) -> Option<String> {
        let error = self.messages_error.as_ref()?;
        Some(format!("{error}; messages are missing in it"))
    }

    /// Adds files that the run writes at its end, which a resumed run may replace.
    pub fn list_sides(&mut self, paths: Vec<String>) {
        let sides = &mut self.journal.sides;
        let count = sides.len();
        sides.extend(paths);
        sides.sort_unstable();
        sides.dedup();
        if sides.len() > count {
            self.save();
        }
    }

    /// Appends to an output, after adding it to the journal and writing its header if necessary.
    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let ListedOutput { is_begun, .. } = &mut self.journal.outputs[output];
        if !mem::replace(is_begun, true) {
            self.save();
        }
        if self.lengths[output] == 0 {
            let header = &self.journal.outputs[output].header;
            self.storage.append(output, header)?;
            self.lengths[output] = header.len() as u64;
        }
        self.storage.append(output, bytes)?;
        self.lengths[output] += bytes.len() as u64;
        Ok(())
    }

    /// Saves the journal. If that fails, the rows and the earlier entries still exist.
    fn save(&mut self) {
        // After an error, the next attempt is made when the next entry is due.
        self.saved = Instant::now();
        if !self.storage.has_journal() {
            return;
        }
        match self.journal.encode().and_then(|bytes| self.storage.save(&bytes)) {
            Ok(()) => self.is_saved = true,
            Err(error) if !mem::replace(&mut self.has_reported_journal, true) => {
                self.messages.print(&error.to_string());
            }
            Err(_) => {}
        }
    }

    fn add_entry(&mut self, checkpoint: &Checkpoint) {
        let mark = |output: usize| {
            let is_file = matches!(self.storage.length(output), Ok(Some(_)));
            let bytes = if is_file { self.lengths[output] } else { 0 };
            let after_header = bytes - bytes.min(self.journal.outputs[output].header.len() as u64);
            let count = after_header.min(TAIL_BYTES);
            // Unreadable bytes are not compared later.
            let last = self.storage.read_before(output, bytes, count).unwrap_or_default();
            OutputPosition { bytes, tail: Tail::of(&last, TAIL_BYTES as usize) }
        };
        let marks = (0..self.lengths.len()).map(mark).collect();
        self.journal.add(JournalEntry { checkpoint: checkpoint.clone(), marks });
        self.save();
    }

    /// Returns whether messages are missing that a resumed run can write.
    fn can_resume_messages(&self) -> bool {
        self.messages_error.is_some() && matches!(self.storage.length(self.rows), Ok(Some(_)))
    }

    /// Appends rows. After an error, all outputs end at the last checkpoint.
    fn append_rows(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let written = self.append(output, bytes);
        if written.is_err() {
            // The first error is more informative than one of truncating.
            let _ = self.truncate_rows();
        }
        written
    }

    /// Removes the rows after the last checkpoint, including incomplete ones.
    fn truncate_rows(&mut self) -> io::Result<()> {
        for output in 0..self.rows {
            self.lengths[output] = self.complete_lengths[output];
            self.storage.truncate(output, self.lengths[output])?;
        }
        Ok(())
    }

    /// Ensures that a single output has its header.
    fn begin(&mut self) -> io::Result<()> {
        if self.rows == 1 && self.lengths[0] == 0 {
            self.append_rows(0, &[])?;
            self.complete_lengths[0] = self.lengths[0];
        }
        Ok(())
    }
}

impl<S: Storage> Sink for RowFiles<S> {
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()> {
        let output = usize::from(output);
        self.journal.outputs[output].header = bytes.to_vec();
        if self.lengths[output] > 0 {
            return self.storage.replace_start(output, bytes);
        }
        self.begin()
    }

    fn rows(&mut self, output: u8, bytes: &[u8]) -> io::Result<()> {
        self.append_rows(usize::from(output), bytes)
    }

    /// Only failing rows end the run.
    fn messages(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.messages.show(bytes);
        let has_file = self.journal.outputs.len() > self.rows;
        if has_file && self.messages_error.is_none() {
            let length = self.lengths[self.rows];
            let bytes = self.messages.for_file(bytes);
            if let Err(error) = self.append(self.rows, &bytes) {
                self.messages_error = Some(error);
                let _ = self.storage.truncate(self.rows, length);
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self, at: &Checkpoint, is_end: bool) -> io::Result<()> {
        if let Some(Timing { began, records, timeline }) = &mut self.timing {
            let all = at.counts.records();
            timeline.add(began.elapsed(), all - mem::replace(records, all));
        }
        if is_end {
            // A run that was stopped within a block may have written some of its rows.
            self.truncate_rows()?;
        } else {
            self.complete_lengths.clone_from(&self.lengths);
        }
        let was_complete = !self.is_incomplete;
        self.is_incomplete |= at.failed.is_some() || self.can_resume_messages();
        let mut is_due = is_end || self.saved.elapsed() >= self.interval;
        if let Some(place) = at.failed {
            if self.journal.rewind(place) {
                self.save();
            }
            // The last entry is never after the verified part of the input.
            is_due = !at.is_after(place);
        }
        if was_complete && is_due && !self.can_resume_messages() && self.storage.has_journal() {
            self.add_entry(at);
        }
        Ok(())
    }

    fn finish(&mut self, _: bool) -> io::Result<()> {
        self.begin()
    }
}
