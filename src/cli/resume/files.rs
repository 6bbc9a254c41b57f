//! The files that a run writes.

use std::collections::BTreeSet;
use std::io;

use super::super::Failure;
use super::super::lock::Lock;
use super::super::out::OpenOutput;
use super::super::platform::sync_folder;
use super::{JournalFile, fault};

#[derive(Debug)]
pub struct OutputFiles {
    /// The outputs of rows, followed by that of messages, if it is requested.
    pub outs: Vec<OpenOutput>,
    pub sides: Vec<(Side, OpenOutput)>,
    pub journal: Option<JournalFile>,
    pub is_whole: bool,
    /// Dropped last.
    pub _locks: Vec<Lock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Latencies,
    Summary,
    Page,
}

impl OutputFiles {
    pub fn all(&self) -> impl Iterator<Item = &OpenOutput> {
        self.outs.iter().chain(self.sides.iter().map(|(_, out)| out))
    }

    pub fn all_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut OpenOutput> {
        self.outs.iter_mut().chain(self.sides.iter_mut().map(|(_, out)| out))
    }

    /// Creates all files of a run, or empties existing ones if it `replaces` them. If one cannot be
    /// opened, no file is changed.
    pub fn open_new(&mut self, replaces: bool) -> Result<(), Failure> {
        let opened = self.open_all(replaces);
        if opened.is_err() {
            self.all_mut().for_each(OpenOutput::remove_temporary);
            self.all_mut().for_each(OpenOutput::remove_if_empty);
            if !self.has_earlier_journal() {
                self.remove_journal()?;
            }
        }
        opened?;
        // From here on, the journal is needed.
        Ok(self.all().try_for_each(|out| out.truncate(0))?)
    }

    fn open_all(&mut self, replaces: bool) -> Result<(), Failure> {
        for out in self.outs.iter_mut().chain(self.sides.iter_mut().map(|(_, out)| out)) {
            if self.is_whole { out.open_temporary() } else { out.open() }?;
            if !replaces && out.length()? > Some(0) {
                refuse!("{}: exists; --force replaces it", out.name());
            }
        }
        Ok(())
    }

    pub fn has_earlier_journal(&self) -> bool {
        self.journal.as_ref().is_some_and(|file| file.is_inherited)
    }

    pub fn discard_sides(&mut self) {
        self.sides.iter_mut().for_each(|(_, out)| out.remove_if_empty());
    }

    /// Syncs the names of complete files, and then removes the journal, if there is one.
    pub fn finish(&mut self) -> io::Result<()> {
        let folders: BTreeSet<_> = self.all().filter_map(OpenOutput::folder).collect();
        fault::operation()?;
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        self.remove_journal()
    }

    pub fn remove_journal(&self) -> io::Result<()> {
        let removed = self.journal.as_ref().map_or(Ok(()), JournalFile::remove);
        removed.map_err(|error| self.of_journal(&error))
    }

    pub fn of_journal(&self, error: &io::Error) -> io::Error {
        let what = format!("{}: its journal: {error}", self.outs[0].name());
        io::Error::new(error.kind(), what)
    }
}
