//! Resumable outputs: the sink for the rows and messages of a run, and its journal.
//!
//! `results.csv.resume` is the journal of `results.csv` until the run is complete. It is saved
//! before any output is created or changed, and removed after all are complete and synced, so an
//! output with a journal is incomplete, and one without is complete or was written by another
//! program. A resumed run truncates all outputs to the last position that was saved, and continues
//! there.
//!
//! Files of formats that cannot be continued have temporary names until they are complete, and no
//! journal: a resumed run starts over. If there are several, a journal lists them once all are
//! complete, files of earlier runs that they replace are removed, and then they are renamed. A run that
//! is killed during that is resumed there, so that a set of files never mixes two runs.

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

use super::Failure;
use super::lock::is_denied;
use super::messages::Messages;

pub use disk::{Disk, Side};
use journal::{CompleteFile, Entry, OutputEnd, Part, Position};
pub use journal::{Earlier, Journal, JournalFile};

/// The number of bytes before a position that are compared when a run is resumed.
const TAIL_BYTES: u64 = 64 * 1024;

/// The time between two saved positions, compared with the time that saving takes: at most 5% of a run.
const PAUSES_PER_SAVE: u32 = 19;

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
    /// Replaces a part of the journal atomically.
    fn save(&mut self, part: Part, bytes: &[u8]) -> io::Result<()>;
    /// Removes the file of an earlier run that a file with a temporary name replaces.
    fn remove_replaced(&mut self, file: usize) -> io::Result<()>;
    /// Renames a file with a temporary name, replacing an existing one if `replaces`.
    fn rename(&mut self, file: usize, replaces: bool) -> io::Result<()>;
    /// Keeps files with temporary names, which the journal lists, even if the process must end.
    fn keep(&mut self);
    /// Removes files with temporary names.
    fn discard(&mut self);
    /// Syncs the names of complete files, and then removes the journal.
    fn finish(&mut self) -> io::Result<()>;
}

/// Returns the regular files of a run.
fn complete_files(storage: &impl Storage) -> io::Result<Vec<CompleteFile>> {
    let of = |file| {
        let path = storage.path(file);
        Ok(storage.length(file)?.map(|bytes| CompleteFile { path, bytes }))
    };
    (0..storage.count()).filter_map(|file| of(file).transpose()).collect()
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
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct RowFiles<S> {
    pub storage: S,
    journal: Journal,
    position: Position,
    /// The first bytes of each output of rows.
    headers: Vec<Vec<u8>>,
    lengths: Vec<u64>,
    /// The length of each output at the last checkpoint.
    complete_lengths: Vec<u64>,
    /// The last checkpoint of a run that has ended.
    end: Option<Checkpoint>,
    /// The minimum time between two saved positions, which bounds the work to repeat.
    interval: Duration,
    /// The time between two saves, compared with the time that a save takes.
    pauses: u32,
    /// When the position is saved next.
    due: Instant,
    /// Whether the journal exists, and its position.
    is_saved: bool,
    has_position: bool,
    has_reported_journal: bool,
    /// Whether an output lacks data before the current position, so that a resumed run must go back
    /// to the position in the journal.
    is_incomplete: bool,
    messages_error: Option<io::Error>,
    pub messages: Messages,
}

impl<S: Storage> RowFiles<S> {
    /// Creates the outputs in a journal, of which the first ones are for rows and have these headers.
    pub fn new(storage: S, journal: Journal, headers: Vec<Vec<u8>>, messages: Messages) -> Self {
        let count = journal.outputs.len();
        Self {
            storage,
            journal,
            position: Position::default(),
            headers,
            lengths: vec![0; count],
            complete_lengths: vec![0; count],
            end: None,
            interval: save_interval(),
            pauses: PAUSES_PER_SAVE,
            due: Instant::now(),
            is_saved: false,
            has_position: false,
            has_reported_journal: false,
            is_incomplete: false,
            messages_error: None,
            messages,
        }
    }

    /// Opens the files, or those of an earlier run, and returns where that is continued. These are not
    /// changed yet (see [`Self::truncate_to_start`]). Fails with [`Failure::Complete`] if an earlier
    /// run has completed its files, which now have their names.
    pub fn open(&mut self, earlier: Option<Earlier>) -> Result<Option<Checkpoint>, Failure> {
        match earlier {
            Some((earlier, _)) if !earlier.complete.is_empty() => {
                let name = self.storage.name(0);
                self.complete_earlier(&earlier)?;
                return Err(Failure::Complete(name));
            }
            Some((earlier, position)) if !self.storage.is_temporary() => {
                // An input that failed may have changed.
                let run = mem::take(&mut self.journal.run);
                self.journal = Journal { run, ..earlier };
                self.is_saved = true;
                self.storage.open(Opening::Kept)?;
                return self.resume(position);
            }
            // Files with temporary names cannot be continued.
            Some((earlier, _)) => {
                self.is_saved = true;
                self.journal.replaces |= earlier.replaces;
            }
            None => {}
        }
        if !self.storage.is_temporary() {
            self.save_first()?;
        }
        self.storage.open(Opening::New { replaces: self.journal.replaces })?;
        Ok(None)
    }

    /// Renames the files that an earlier run has completed.
    fn complete_earlier(&mut self, earlier: &Journal) -> Result<(), Failure> {
        let Self { storage, .. } = self;
        let paths: Vec<_> = earlier.complete.iter().map(|file| file.path.clone()).collect();
        storage.open(Opening::Complete(&paths))?;
        for (file, expected) in earlier.complete.iter().enumerate() {
            if storage.length(file)? != Some(expected.bytes) {
                return Err(modified(&storage.name(file)));
            }
        }
        rename_all(storage, earlier.replaces)?;
        Ok(storage.finish()?)
    }

    /// Finds the checkpoint at which the outputs of the journal are continued.
    fn resume(&mut self, position: Option<Position>) -> Result<Option<Checkpoint>, Failure> {
        let Self { storage, journal, .. } = self;
        let lengths = (0..journal.outputs.len()).map(|output| storage.length(output));
        let lengths = lengths.map(|length| Ok(length?.unwrap_or(0)));
        let lengths = lengths.collect::<io::Result<Vec<_>>>()?;
        let is_within = |entry: &Entry| {
            entry.outputs.iter().zip(&lengths).all(|(end, length)| end.bytes <= *length)
        };
        let has_messages = position.is_some();
        let entries = position.map(|position| [position.last, position.earlier]);
        let Some(mut entry) = entries.into_iter().flatten().flatten().find(is_within) else {
            return self.start_over(&lengths, has_messages).map(|()| None);
        };
        for (output, OutputEnd { bytes, tail }) in entry.outputs.iter().enumerate() {
            if !tail.is_of(&storage.read_before(output, *bytes, tail.bytes.into())?) {
                return Err(modified(&storage.name(output)));
            }
        }
        self.lengths = entry.outputs.iter().map(|end| end.bytes).collect();
        self.complete_lengths.clone_from(&self.lengths);
        // An input that failed is read again.
        entry.checkpoint.failed = None;
        let start = entry.checkpoint.clone();
        self.position.last = Some(entry);
        Ok(Some(start))
    }

    /// Starts over, unless an output was written by another program. Messages are written only after
    /// a position is saved.
    fn start_over(&mut self, lengths: &[u64], has_messages: bool) -> Result<(), Failure> {
        for (output, length) in lengths.iter().enumerate() {
            let is_other = match self.headers.get(output) {
                Some(header) => {
                    let known = (*length).min(header.len() as u64);
                    !header.starts_with(&self.storage.read_before(output, known, known)?)
                }
                None => !has_messages && *length > 0,
            };
            // The run may have been killed before it emptied the file.
            if is_other && !self.journal.replaces {
                return Err(modified(&self.storage.name(output)));
            }
        }
        Ok(self.truncate_to_start()?)
    }

    /// Removes everything after the checkpoint at which the run is resumed.
    pub fn truncate_to_start(&mut self) -> io::Result<()> {
        self.try_save(Part::Run)?;
        self.try_save(Part::Position)?;
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
        let has_only_files = (0..self.headers.len()).all(is_file);
        self.is_saved && has_only_files && self.journal.run.not_comparable().is_none()
    }

    /// Makes a resumed run start over, because any row may be wrong.
    pub fn invalidate_all(&mut self) {
        self.is_incomplete = true;
        if self.position.rewind((0, 0)) {
            self.save(Part::Position);
        }
    }

    /// Gives complete and synced files their names, and removes the journal. If `has_losses`, a
    /// resumed run replaces the files.
    pub fn complete(&mut self, has_losses: bool) -> io::Result<()> {
        if self.storage.is_temporary() {
            if has_losses {
                self.journal.replaces = true;
            } else {
                self.journal.complete = complete_files(&self.storage)?;
            }
            let is_listed = has_losses || self.journal.complete.len() > 1;
            if is_listed {
                self.list_complete()?;
            }
            rename_all(&mut self.storage, self.journal.replaces).or_else(|error| {
                // A resumed run tries again.
                if is_listed { Ok(()) } else { self.list_complete() }?;
                Err(error)
            })?;
        }
        if !has_losses {
            self.storage.finish()?;
            self.is_saved = false;
        }
        Ok(())
    }

    /// Saves the journal of complete files with temporary names, which are lost otherwise.
    fn list_complete(&mut self) -> io::Result<()> {
        let saved = if self.journal.complete.is_empty() {
            // An input that failed may change.
            journal::encode(&self.position)
                .and_then(|position| self.storage.save(Part::Position, &position))
        } else {
            Ok(())
        };
        let saved = saved.and_then(|()| self.try_save(Part::Run));
        match &saved {
            Ok(()) => self.storage.keep(),
            Err(_) => self.storage.discard(),
        }
        saved
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
        if sides.len() > count && !self.storage.is_temporary() {
            self.save(Part::Run);
        }
    }

    /// Saves the journal of a run that begins. Without it, incomplete rows would look complete, so only
    /// an existing file in a folder in which no file can be created is written without.
    fn save_first(&mut self) -> Result<(), Failure> {
        match self.try_save(Part::Run) {
            Err(error) if is_denied(&error) => self.report_journal(&error),
            saved => saved?,
        }
        Ok(())
    }

    /// Saves a part of the journal. If that fails, the rows and the earlier position still exist.
    fn save(&mut self, part: Part) {
        if let Err(error) = self.try_save(part) {
            self.report_journal(&error);
        }
    }

    fn try_save(&mut self, part: Part) -> io::Result<()> {
        let is_whole = self.storage.is_temporary();
        if !self.storage.has_journal() || is_whole && part == Part::Position {
            return Ok(());
        }
        let bytes = match part {
            Part::Run => journal::encode(&self.journal)?,
            Part::Position => journal::encode(&self.position)?,
        };
        let begin = Instant::now();
        let saved = self.storage.save(part, &bytes);
        // After an error, the next attempt is made when the next position is due.
        self.due = Instant::now() + self.interval.max(self.pauses * begin.elapsed());
        self.is_saved |= saved.is_ok();
        self.has_position |= saved.is_ok() && part == Part::Position;
        saved
    }

    fn report_journal(&mut self, error: &io::Error) {
        if !mem::replace(&mut self.has_reported_journal, true) {
            self.messages.print(&error.to_string());
        }
    }

    /// Saves a checkpoint, unless files start over or lack data before it.
    fn add_entry(&mut self, checkpoint: &Checkpoint) {
        if !self.storage.has_journal() || self.storage.is_temporary() || self.is_incomplete {
            return;
        }
        let end = |output: usize| {
            let is_file = matches!(self.storage.length(output), Ok(Some(_)));
            let bytes = if is_file { self.lengths[output] } else { 0 };
            // Unreadable bytes are not compared later.
            let last = self.storage.read_before(output, bytes, bytes.min(TAIL_BYTES));
            let tail = Tail::of(&last.unwrap_or_default(), TAIL_BYTES as usize);
            OutputEnd { bytes, tail }
        };
        let outputs = (0..self.lengths.len()).map(end).collect();
        self.position.add(Entry { checkpoint: checkpoint.clone(), outputs });
        self.save(Part::Position);
    }

    /// Returns whether messages are missing that a resumed run can write.
    fn can_resume_messages(&self) -> bool {
        self.messages_error.is_some()
            && matches!(self.storage.length(self.headers.len()), Ok(Some(_)))
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        self.storage.append(output, bytes)?;
        self.lengths[output] += bytes.len() as u64;
        Ok(())
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

    /// Appends messages. If the journal has no position, a resumed run takes messages for those of
    /// another program.
    fn append_messages(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_saved && !self.has_position {
            self.try_save(Part::Position)?;
        }
        self.append(self.headers.len(), bytes)
    }

    /// Removes the rows after the last checkpoint, including incomplete ones.
    fn truncate_rows(&mut self) -> io::Result<()> {
        for output in 0..self.headers.len() {
            self.lengths[output] = self.complete_lengths[output];
            self.storage.truncate(output, self.lengths[output])?;
        }
        Ok(())
    }
}

impl<S: Storage> Sink for RowFiles<S> {
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()> {
        let output = usize::from(output);
        if self.lengths[output] > 0 {
            return self.storage.replace_start(output, bytes);
        }
        self.append_rows(output, bytes)?;
        self.complete_lengths[output] = self.lengths[output];
        Ok(())
    }

    fn rows(&mut self, output: u8, bytes: &[u8]) -> io::Result<()> {
        self.append_rows(usize::from(output), bytes)
    }

    /// Only failing rows end the run.
    fn messages(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.messages.show(bytes);
        let output = self.headers.len();
        if output < self.lengths.len() && self.messages_error.is_none() {
            let length = self.lengths[output];
            if let Err(error) = self.append_messages(bytes) {
                self.messages_error = Some(error);
                let _ = self.storage.truncate(output, length);
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self, at: &Checkpoint, is_end: bool) -> io::Result<()> {
        if is_end {
            // A run that was stopped within a block may have written some of its rows.
            self.truncate_rows()?;
            self.end = Some(at.clone());
            return Ok(());
        }
        self.complete_lengths.clone_from(&self.lengths);
        self.is_incomplete |= at.failed.is_some() || self.can_resume_messages();
        if let Some(place) = at.failed
            && self.position.rewind(place)
        {
            self.save(Part::Position);
        }
        if Instant::now() >= self.due {
            self.add_entry(at);
        }
        Ok(())
    }

    fn finish(&mut self, is_complete: bool) -> io::Result<()> {
        if let Some(end) = self.end.take().filter(|_| !is_complete) {
            self.add_entry(&end);
        }
        Ok(())
    }
}

/// Returns the time between two saved positions. Tests shorten it, to kill short runs.
fn save_interval() -> Duration {
    let of_tests = std::env::var("BULKDOKU_JOURNAL_MS").ok().filter(|_| cfg!(debug_assertions));
    Duration::from_millis(of_tests.and_then(|millis| millis.parse().ok()).unwrap_or(1000))
}

/// Returns the error for a file that differs from what the earlier run has written.
fn modified(name: &str) -> Failure {
    let what = "has been modified since the previous run; --force starts over";
    Failure::Usage(format!("{name}: {what}"))
}
