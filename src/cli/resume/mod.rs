//! Resumable outputs: the sink for the rows and messages of a run, and its journal.
//!
//! `results.csv.resume` is the journal of `results.csv` until the run is complete. It is saved
//! before any output is created or changed, and removed after all are complete and synced, so an
//! output with a journal is incomplete, and one without is complete or was written by another
//! program. A resumed run truncates all outputs to the last position that was saved, and continues
//! there.
//!
//! Files of formats that cannot be continued have temporary names until they are complete, and a
//! resumed run starts over.

pub mod fault;
mod files;
mod journal;
#[cfg(all(test, unix))]
mod tests;

use std::io::{self, Write};
use std::mem;
use std::time::{Duration, Instant};

use bulkdoku::check_sum;
use bulkdoku::pipeline::{Checkpoint, Sink};

use super::Failure;
use super::log::Messages;
use super::out::OpenOutput;

pub use files::{OutputFiles, Side};
pub use journal::{Earlier, Journal, JournalFile};
use journal::{Entry, OutputEnd, Part, Position};

/// The number of bytes before a position that are compared when a run is resumed.
const TAIL_BYTES: u64 = 64 * 1024;

/// The time between two saved positions, compared with the time that saving takes: at most 5% of a run.
const PAUSES_PER_SAVE: u32 = 19;

/// The outputs of rows and messages of a run.
#[derive(Debug)]
pub struct RowFiles {
    pub files: OutputFiles,
    journal: Journal,
    position: Position,
    /// The first bytes of each output of rows.
    header: Vec<u8>,
    rows: usize,
    lengths: Vec<u64>,
    /// The length of each output at the last checkpoint.
    complete_lengths: Vec<u64>,
    /// The last checkpoint of a run that has ended.
    end: Option<Checkpoint>,
    /// The minimum time between two saved positions, which bounds the work to repeat.
    interval: Duration,
    /// The time between two saves, compared with the time that a save takes.
    pauses: u32,
    due: Instant,
    is_saved: bool,
    has_reported_journal: bool,
    /// Whether an output lacks data before the current position, so that a resumed run must go back
    /// to the position in the journal.
    is_incomplete: bool,
    messages_error: Option<io::Error>,
    pub messages: Messages,
}

impl RowFiles {
    /// Creates the outputs in a journal, of which the first `rows` are for rows and have this header.
    pub fn new(
        files: OutputFiles,
        journal: Journal,
        header: Vec<u8>,
        rows: usize,
        messages: Messages,
    ) -> Self {
        let count = journal.outputs.len();
        Self {
            files,
            journal,
            position: Position::default(),
            header,
            rows,
            lengths: vec![0; count],
            complete_lengths: vec![0; count],
            end: None,
            interval: save_interval(),
            pauses: PAUSES_PER_SAVE,
            due: Instant::now(),
            is_saved: false,
            has_reported_journal: false,
            is_incomplete: false,
            messages_error: None,
            messages,
        }
    }

    /// Opens the files, or those of an earlier run, and returns where that is continued. These are not
    /// changed yet (see [`Self::truncate_to_start`]).
    pub fn open(&mut self, earlier: Option<Earlier>) -> Result<Option<Checkpoint>, Failure> {
        if let Some((earlier, position)) = earlier {
            self.is_saved = true;
            self.journal.replaces |= earlier.replaces;
            let own = mem::take(&mut self.journal.sides);
            let others = own.into_iter().filter(|side| !earlier.sides.contains(side));
            self.journal.sides = others.chain(earlier.sides.iter().cloned()).collect();
            if !self.files.is_whole {
                self.files.all_mut().try_for_each(OpenOutput::open)?;
                return self.resume(position);
            }
        }
        // Without a journal, incomplete rows would look complete.
        self.try_save(Part::Run)?;
        self.files.open_new(self.journal.replaces)?;
        Ok(None)
    }

    /// Finds the checkpoint at which the outputs of the journal are continued.
    fn resume(&mut self, position: Option<Position>) -> Result<Option<Checkpoint>, Failure> {
        let outs = &self.files.outs;
        let lengths = outs.iter().map(|out| Ok(out.length()?.unwrap_or(0)));
        let lengths = lengths.collect::<io::Result<Vec<_>>>()?;
        let is_within = |entry: &Entry| {
            entry.outputs.iter().zip(&lengths).all(|(end, length)| end.bytes <= *length)
        };
        let entries = position.map(|position| [position.last, position.earlier]);
        let Some(mut entry) = entries.into_iter().flatten().flatten().find(is_within) else {
            return self.start_over(&lengths).map(|()| None);
        };
        for (out, end) in outs.iter().zip(&entry.outputs) {
            if check_sum(&out.read_before(end.bytes, end.compared.into())?) != end.check_sum {
                return Err(modified(&out.name()));
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

    /// Starts over, unless another program has written an output of rows.
    fn start_over(&mut self, lengths: &[u64]) -> Result<(), Failure> {
        for (out, length) in self.files.outs[..self.rows].iter().zip(lengths) {
            let known = (*length).min(self.header.len() as u64);
            // The run may have been killed before it emptied the file.
            if !self.header.starts_with(&out.read_before(known, known)?) && !self.journal.replaces {
                return Err(modified(&out.name()));
            }
        }
        Ok(self.truncate_to_start()?)
    }

    /// Removes everything after the checkpoint at which the run is resumed.
    pub fn truncate_to_start(&mut self) -> io::Result<()> {
        self.try_save(Part::Run)?;
        self.try_save(Part::Position)?;
        let outs = self.files.outs.iter().zip(&self.lengths);
        outs.into_iter().try_for_each(|(out, length)| out.truncate(*length))
    }

    pub fn has_journal(&self) -> bool {
        self.is_saved
    }

    pub fn can_be_resumed(&self) -> bool {
        let has_only_files = self.files.outs[..self.rows].iter().all(OpenOutput::is_regular);
        self.is_saved && has_only_files && self.journal.run.not_comparable().is_none()
    }

    /// Makes a resumed run start over, because any row may be wrong.
    pub fn invalidate_all(&mut self) {
        self.is_incomplete = true;
        if self.position.rewind((0, 0)) {
            self.save(Part::Position);
        }
    }

    /// Gives complete and synced files their names, and removes the journal. If `has_losses`, it is
    /// kept, and a resumed run replaces the files.
    pub fn complete(&mut self, has_losses: bool) -> io::Result<()> {
        if self.files.is_whole {
            if !self.journal.replaces {
                self.files.all().try_for_each(OpenOutput::check_absent)?;
                // A resumed run replaces those that a killed one has renamed.
                self.journal.replaces = true;
                self.try_save(Part::Run)?;
            }
            self.files.all_mut().rev().try_for_each(OpenOutput::rename)?;
        }
        if !has_losses {
            self.files.finish()?;
            self.is_saved = false;
        }
        Ok(())
    }

    /// Removes files with temporary names, and the journal, unless an earlier run has left it.
    pub fn discard(&mut self) -> io::Result<()> {
        self.files.all_mut().for_each(OpenOutput::remove_temporary);
        if self.files.has_earlier_journal() { Ok(()) } else { self.files.remove_journal() }
    }

    /// Removes the outputs of a run that cannot be resumed and has completed no record, and its journal.
    pub fn discard_without_rows(&mut self) -> io::Result<()> {
        self.files.outs.iter().try_for_each(|out| out.truncate(0))?;
        self.files.all_mut().for_each(OpenOutput::remove_if_empty);
        self.is_saved = false;
        self.discard()
    }

    /// Returns whether an output lacks data that a resumed run can write.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    pub fn messages_loss(&self) -> Option<String> {
        let error = self.messages_error.as_ref()?;
        Some(format!("{error}; messages are missing in it"))
    }

    /// Saves a part of the journal. If that fails, the rows and the earlier position still exist.
    fn save(&mut self, part: Part) {
        if let Err(error) = self.try_save(part) {
            self.report_journal(&error);
        }
    }

    fn try_save(&mut self, part: Part) -> io::Result<()> {
        let Some(file) = &mut self.files.journal else { return Ok(()) };
        let bytes = match part {
            Part::Run => journal::encode(&self.journal)?,
            Part::Position => journal::encode(&self.position)?,
        };
        let begin = Instant::now();
        let saved = file.save(part, &bytes);
        // After an error, the next attempt is made when the next position is due.
        self.due = Instant::now() + self.interval.max(self.pauses * begin.elapsed());
        self.is_saved |= saved.is_ok();
        saved.map_err(|error| self.files.of_journal(&error))
    }

    fn report_journal(&mut self, error: &io::Error) {
        if !mem::replace(&mut self.has_reported_journal, true) {
            self.messages.print(&error.to_string());
        }
    }

    /// Saves a checkpoint, unless files start over or lack data before it.
    fn add_entry(&mut self, checkpoint: &Checkpoint) {
        if self.files.journal.is_none() || self.files.is_whole || self.is_incomplete {
            return;
        }
        let end = |(out, length): (&OpenOutput, &u64)| {
            let bytes = if out.is_regular() { *length } else { 0 };
            // Unreadable bytes are not compared later.
            let last = out.read_before(bytes, bytes.min(TAIL_BYTES)).unwrap_or_default();
            OutputEnd { bytes, compared: last.len() as u32, check_sum: check_sum(&last) }
        };
        let outputs = self.files.outs.iter().zip(&self.lengths).map(end).collect();
        self.position.add(Entry { checkpoint: checkpoint.clone(), outputs });
        self.save(Part::Position);
    }

    /// Returns whether messages are missing that a resumed run can write.
    fn can_resume_messages(&self) -> bool {
        self.messages_error.is_some() && self.files.outs[self.rows].is_regular()
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        { &self.files.outs[output] }.write_all(bytes)?;
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

    /// Removes the rows after the last checkpoint, including incomplete ones.
    fn truncate_rows(&mut self) -> io::Result<()> {
        for output in 0..self.rows {
            self.lengths[output] = self.complete_lengths[output];
            self.files.outs[output].truncate(self.lengths[output])?;
        }
        Ok(())
    }
}

impl Sink for RowFiles {
    fn header(&mut self, output: u8, bytes: &[u8]) -> io::Result<()> {
        let output = usize::from(output);
        if self.lengths[output] > 0 {
            return self.files.outs[output].replace_start(bytes);
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
        let output = self.rows;
        if output < self.lengths.len()
            && self.messages_error.is_none()
            && let Err(error) = self.append(output, bytes)
        {
            self.messages_error = Some(error);
            let _ = self.files.outs[output].truncate(self.lengths[output]);
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

fn modified(name: &str) -> Failure {
    let what = "has been modified since the previous run; --force starts over";
    Failure::Usage(format!("{name}: {what}"))
}
