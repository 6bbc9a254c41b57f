//! Resumable outputs: the sink for the rows and messages of a run, and its journal.
//!
//! `results.csv.resume` is the journal of `results.csv` until the run is complete. It is saved
//! before any output is created or changed, and removed after all are complete and synced, so an
//! output with a journal is incomplete, and one without is complete or was written by another
//! program. A resumed run truncates all outputs to the last checkpoint that all of them reach, and
//! continues there.
//!
//! Files of formats that cannot be continued have temporary names. Once all are complete, the journal
//! lists them, files of earlier runs that they replace are removed, and then they are renamed. A
//! resumed run starts over before that step, and repeats it afterwards, so that a set of files never
//! mixes two runs.

mod disk;
mod journal;
#[cfg(all(test, unix))]
mod memory;
#[cfg(all(test, unix))]
mod tests;

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use bulkdoku::Tail;
use bulkdoku::pipeline::{Checkpoint, Sink};
use bulkdoku::tail::StreamSum;

use super::Failure;
use super::lock::is_denied;
use super::messages::Messages;

pub use disk::Disk;
use journal::{CompleteFile, JournalEntry, OutputPosition};
pub use journal::{Journal, JournalFile, ListedOutput};

/// The number of bytes before a checkpoint that are compared when a run is resumed.
const TAIL_BYTES: u64 = 64 * 1024;

/// The number of bytes of a header that are compared. Later ones may be replaced at the end.
const HEADER_START: usize = 8;

/// The number of bytes that are hashed at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// How the files of a run are opened.
#[derive(Clone, Copy, Debug)]
pub enum Opening<'a> {
    /// Creates empty files, or files with temporary names. With `replaces`, existing files are
    /// emptied, or replaced when they are complete.
    New { replaces: bool },
    /// With the contents that an earlier run has written.
    Kept,
    /// The complete files of an earlier run at these paths, with temporary names or without.
    Complete(&'a [String]),
}

/// The state in which a run begins.
#[derive(Debug)]
pub enum Begin {
    New,
    At(Box<Checkpoint>),
    /// An earlier run has completed its files, which now have their names.
    Complete,
}

/// The file operations of a run, which tests replace to fail at any byte. Files are numbered: outputs
/// of rows, then that of messages, then others. Errors name the file.
pub trait Storage: Send {
    fn name(&self, file: usize) -> String;
    /// Returns the path of a file for the journal.
    fn path(&self, file: usize) -> String;
    /// Returns the number of files.
    fn count(&self) -> usize;
    /// Returns whether files have temporary names until they are complete.
    fn is_temporary(&self) -> bool;
    fn open(&mut self, opening: Opening<'_>) -> Result<(), Failure>;
    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()>;
    /// Replaces the first bytes of an output.
    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()>;
    /// Returns the length of a file, or `None` if it is not a regular file.
    fn length(&self, file: usize) -> io::Result<Option<u64>>;
    /// Reads the `count` bytes before `end`.
    fn read_before(&self, file: usize, end: u64, count: u64) -> io::Result<Vec<u8>>;
    /// Truncates an output and continues there.
    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()>;
    /// Returns whether a journal is supported.
    fn has_journal(&self) -> bool;
    /// Replaces the journal atomically.
    fn save(&mut self, journal: &[u8]) -> io::Result<()>;
    /// Removes the file of an earlier run that a file with a temporary name replaces.
    fn remove_replaced(&mut self, file: usize) -> io::Result<()>;
    /// Renames a file with a temporary name, replacing an existing one if `replaces`.
    fn rename(&mut self, file: usize, replaces: bool) -> io::Result<()>;
    /// Syncs the names of complete files, and then removes the journal.
    fn finish(&mut self) -> io::Result<()>;
}

/// Returns the path, length, and hash of a file, or `None` if it is not a regular file.
fn complete_file(storage: &impl Storage, file: usize) -> io::Result<Option<CompleteFile>> {
    let Some(bytes) = storage.length(file)? else { return Ok(None) };
    let mut sum = StreamSum::default();
    for start in (0..bytes).step_by(PIECE_BYTES as usize) {
        let count = PIECE_BYTES.min(bytes - start);
        sum.add(&storage.read_before(file, start + count, count)?);
    }
    Ok(Some(CompleteFile { path: storage.path(file), bytes, hash: sum.value() }))
}

/// Renames complete files, rows last. Removes those of an earlier run first, if there are several, so
/// that no set has files of both.
fn rename_all(storage: &mut impl Storage, replaces: bool) -> io::Result<()> {
    let count = storage.count();
    if replaces && count > 1 {
        (0..count).try_for_each(|file| storage.remove_replaced(file))?;
    }
    (0..count).rev().try_for_each(|file| storage.rename(file, replaces))
}

/// The outputs of rows and messages of a run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they change independently of each other")]
pub struct RowFiles<S> {
    pub storage: S,
    pub journal: Journal,
    /// The number of outputs of rows.
    rows: usize,
    /// Whether only outputs with rows have headers.
    is_template: bool,
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
}

impl<S: Storage> RowFiles<S> {
    /// Creates the outputs in a journal, of which the first `rows` are outputs of rows. With
    /// `is_template`, only those with rows have headers.
    pub fn new(
        storage: S,
        mut journal: Journal,
        (rows, is_template): (usize, bool),
        messages: Messages,
    ) -> Self {
        let count = journal.outputs.len();
        journal.is_temporary = storage.is_temporary();
        for output in &mut journal.outputs[..rows] {
            output.is_begun = !is_template && !journal.is_temporary;
        }
        Self {
            storage,
            journal,
            rows,
            is_template,
            lengths: vec![0; count],
            complete_lengths: vec![0; count],
            saved: Instant::now(),
            interval: save_interval(),
            is_saved: false,
            has_reported_journal: false,
            is_incomplete: false,
            messages_error: None,
            messages,
        }
    }

    /// Opens the files, or those of an earlier run. Files that are continued are not changed yet (see
    /// [`Self::truncate_to_start`]).
    pub fn open(&mut self, earlier: Option<Journal>) -> Result<Begin, Failure> {
        match earlier {
            Some(earlier) if !earlier.complete.is_empty() => {
                return self.complete_earlier(&earlier).map(|()| Begin::Complete);
            }
            Some(earlier) if !self.storage.is_temporary() => {
                // An input that failed may have changed.
                let run = mem::take(&mut self.journal.run);
                self.journal = Journal { run, ..earlier };
                self.storage.open(Opening::Kept)?;
                return Ok(Begin::At(Box::new(self.resume()?)));
            }
            // Files with temporary names cannot be continued.
            Some(earlier) => self.journal.replaces |= earlier.replaces,
            None => {}
        }
        self.save_first()?;
        self.storage.open(Opening::New { replaces: self.journal.replaces })?;
        Ok(Begin::New)
    }

    /// Renames the files that an earlier run has completed.
    fn complete_earlier(&mut self, earlier: &Journal) -> Result<(), Failure> {
        let Self { storage, .. } = self;
        let paths: Vec<_> = earlier.complete.iter().map(|file| file.path.clone()).collect();
        storage.open(Opening::Complete(&paths))?;
        for (file, expected) in earlier.complete.iter().enumerate() {
            if complete_file(storage, file)?.as_ref() != Some(expected) {
                return Err(modified(&storage.name(file)));
            }
        }
        rename_all(storage, earlier.replaces)?;
        Ok(storage.finish()?)
    }

    /// Returns the checkpoint from which the run of the journal is resumed.
    fn resume(&mut self) -> Result<Checkpoint, Failure> {
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
            // The run may have been killed before it emptied the file.
            let is_old = journal.replaces && mark.bytes == 0;
            let known = lengths[output].min(header.len() as u64);
            let start = storage.read_before(output, known, known)?;
            let count = u64::from(mark.tail.bytes);
            let tail = storage.read_before(output, mark.bytes, count)?;
            let is_foreign = !listed.is_begun && lengths[output] > 0;
            let is_modified = is_foreign || !header.starts_with(&start);
            if is_modified && !is_old || !mark.tail.is_of(&tail) {
                return Err(modified(&storage.name(output)));
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

    pub fn has_journal(&self) -> bool {
        self.is_saved
    }

    /// Returns whether `--resume` can continue the run.
    pub fn can_be_resumed(&self) -> bool {
        let is_file = |output| matches!(self.storage.length(output), Ok(Some(_)));
        let has_only_files = (0..self.rows).all(is_file);
        self.is_saved && has_only_files && self.journal.run.not_comparable().is_none()
    }

    /// Makes a resumed run start over, because any row may be wrong.
    pub fn invalidate_all(&mut self) {
        self.is_incomplete = true;
        if self.journal.rewind((0, 0)) {
            self.save();
        }
    }

    /// Gives complete and synced files their names, and removes the journal. If `has_losses`, a
    /// resumed run replaces the files.
    pub fn complete(mut self, has_losses: bool) -> io::Result<()> {
        let Self { storage, journal, is_saved, .. } = &mut self;
        let is_kept = has_losses && *is_saved;
        if storage.is_temporary() {
            if is_kept {
                journal.replaces = true;
            } else {
                let files = (0..storage.count()).map(|file| complete_file(storage, file));
                let files = files.collect::<io::Result<Vec<_>>>()?;
                journal.complete = files.into_iter().flatten().collect();
            }
            if *is_saved {
                storage.save(&journal.encode()?)?;
            }
            rename_all(storage, journal.replaces)?;
        }
        if is_kept { Ok(()) } else { storage.finish() }
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
        if !self.storage.is_temporary() && !mem::replace(is_begun, true) {
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

    /// Saves the journal of a run that begins. Without it, incomplete rows would look complete, so only
    /// an existing file in a folder in which no file can be created is written without.
    fn save_first(&mut self) -> Result<(), Failure> {
        match self.try_save() {
            Err(error) if is_denied(&error) => self.report_journal(&error),
            saved => saved?,
        }
        Ok(())
    }

    /// Saves the journal. If that fails, the rows and the earlier entries still exist.
    fn save(&mut self) {
        if let Err(error) = self.try_save() {
            self.report_journal(&error);
        }
    }

    fn try_save(&mut self) -> io::Result<()> {
        // After an error, the next attempt is made when the next entry is due.
        self.saved = Instant::now();
        if self.storage.has_journal() {
            self.storage.save(&self.journal.encode()?)?;
            self.is_saved = true;
        }
        Ok(())
    }

    fn report_journal(&mut self, error: &io::Error) {
        if !mem::replace(&mut self.has_reported_journal, true) {
            self.messages.print(&error.to_string());
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

    /// Ensures that an output has its header, unless only those with rows have one.
    fn begin(&mut self, output: usize) -> io::Result<()> {
        if !self.is_template && self.lengths[output] == 0 {
            self.append_rows(output, &[])?;
            self.complete_lengths[output] = self.lengths[output];
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
        self.begin(output)
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
            if let Err(error) = self.append(self.rows, bytes) {
                self.messages_error = Some(error);
                let _ = self.storage.truncate(self.rows, length);
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self, at: &Checkpoint, is_end: bool) -> io::Result<()> {
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
        let can_continue = self.storage.has_journal() && !self.storage.is_temporary();
        if was_complete && is_due && !self.can_resume_messages() && can_continue {
            self.add_entry(at);
        }
        Ok(())
    }

    fn finish(&mut self, _: bool) -> io::Result<()> {
        (0..self.rows).try_for_each(|output| self.begin(output))
    }
}

/// Returns the time between two entries of the journal. Tests shorten it, to kill short runs.
fn save_interval() -> Duration {
    let of_tests = std::env::var("BULKDOKU_JOURNAL_MS").ok().filter(|_| cfg!(debug_assertions));
    Duration::from_millis(of_tests.and_then(|millis| millis.parse().ok()).unwrap_or(200))
}

/// Returns the error for a file that differs from what the earlier run has written.
fn modified(name: &str) -> Failure {
    let what = "has been modified since the previous run; --force starts over";
    Failure::Usage(format!("{name}: {what}"))
}
