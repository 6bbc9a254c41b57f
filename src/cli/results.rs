//! The rows and messages of a run, and the journal from which a later run can go on.

use std::io::{self, Write};

use bulkdoku::pipeline::{Sink, SoFar};

use super::Failure;
use super::journal::{Journal, Run};
use super::notes::Notes;
use super::outputs::{RowsOut, cut};

/// Takes what a run writes. After a failure a file ends with a complete row.
#[derive(Debug)]
pub struct Results {
    rows: RowsOut,
    /// How many bytes of rows there are up to the last place reached.
    rows_bytes: u64,
    /// And with those that were written since.
    written_bytes: u64,
    notes: Notes,
    /// None if the rows do not go to a file.
    journal: Option<Journal>,
}

impl Results {
    /// Those of a run that begins.
    pub fn begin(rows: RowsOut, notes: Notes, run: Run) -> Self {
        let journal = rows.regular().and_then(|(_, path)| {
            // A folder that takes no new file may still have one that takes rows.
            (Journal::begin(path, run))
                .inspect_err(|error| {
                    notes.say(&format!("{}: cannot be resumed: {error}", path.display()));
                })
                .ok()
        });
        Self { rows, rows_bytes: 0, written_bytes: 0, notes, journal }
    }

    /// Those of a run that goes on with what `journal` is about, from the place that is returned,
    /// if there is any.
    pub fn go_on(
        rows: RowsOut,
        mut notes: Notes,
        journal: Journal,
    ) -> Result<(Self, Option<SoFar>), Failure> {
        let (file, path) = rows.regular().expect("a journal is about a file");
        let failed = |error| Failure::at(path, error);
        let length = file.metadata().map_err(failed)?.len();
        let place = journal.last_within(length, notes.file_length());
        let [rows_bytes, notes_bytes] =
            place.as_ref().map_or([0, 0], |place| [place.rows_bytes, place.notes_bytes]);
        cut(file, rows_bytes).map_err(failed)?;
        notes.cut(notes_bytes).map_err(|error| Failure::Io(format!("messages: {error}")))?;
        let journal = Some(journal);
        let results = Self { rows, rows_bytes, written_bytes: rows_bytes, notes, journal };
        Ok((results, place.map(|place| place.so_far())))
    }

    /// Says how many messages were not shown.
    pub fn end_notes(&self) {
        self.notes.finish();
    }

    /// The name of the rows' output in messages.
    pub fn name(&self) -> String {
        self.rows.name()
    }

    /// Whether `--resume` can go on with it.
    pub fn can_be_resumed(&self) -> bool {
        self.journal.is_some()
    }

    /// All is complete: nothing is to be gone on with.
    pub fn complete(self) -> Result<(), Failure> {
        match self.journal {
            Some(journal) => journal.remove().map_err(|error| {
                Failure::Io(format!("{}: its journal: {error}", self.rows.name()))
            }),
            None => Ok(()),
        }
    }

    fn note_place(&mut self, so_far: &SoFar) -> io::Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.note(so_far, self.rows_bytes, self.notes.file_length())
    }
}

impl Sink for Results {
    fn rows(&mut self, rows: &[u8]) -> io::Result<()> {
        let written = (&self.rows).write_all(rows);
        if written.is_ok() {
            self.written_bytes += rows.len() as u64;
        } else if let Some((file, _)) = self.rows.regular() {
            // The failure itself says more than that of cutting could.
            let _ = cut(file, self.rows_bytes);
        }
        written
    }

    fn notes(&mut self, notes: &[u8]) -> io::Result<()> {
        self.notes.write_all(notes)
    }

    fn reached(&mut self, so_far: &SoFar) -> io::Result<()> {
        self.rows_bytes = self.written_bytes;
        if self.journal.as_ref().is_some_and(Journal::is_due) {
            self.note_place(so_far)?;
        }
        Ok(())
    }

    fn finish(&mut self, so_far: &SoFar) -> io::Result<()> {
        (&self.rows).flush()?;
        self.note_place(so_far)
    }
}
