//! The files of a run on disk.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::Failure;
use super::super::lock::Locks;
use super::super::out::OpenOutput;
use super::super::platform::sync_folder;
use super::{JournalFile, Opening, Part, Storage};

/// The outputs of a run, and its journal.
#[derive(Debug)]
pub struct Disk {
    /// The outputs of rows, followed by that of messages, if it is requested.
    pub outs: Vec<OpenOutput>,
    /// The outputs that are written after all rows.
    pub sides: Vec<(Side, OpenOutput)>,
    pub journal: Option<JournalFile>,
    /// Whether regular files have temporary names until they are complete.
    pub is_temporary: bool,
    /// Dropped last.
    pub locks: Locks,
}

/// An output that is written after all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Latencies,
    Summary,
    Page,
}

impl Disk {
    fn files(&self) -> impl Iterator<Item = &OpenOutput> {
        self.outs.iter().chain(self.sides.iter().map(|(_, out)| out))
    }

    fn files_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut OpenOutput> {
        self.outs.iter_mut().chain(self.sides.iter_mut().map(|(_, out)| out))
    }

    fn file(&self, number: usize) -> &OpenOutput {
        self.files().nth(number).expect("the file exists")
    }

    /// Removes side outputs created for this run.
    pub fn discard_sides(&mut self) {
        self.sides.iter_mut().for_each(|(_, out)| out.remove_if_empty());
    }

    /// Creates all files of a run, or empties existing ones if it `replaces` them. If one cannot be
    /// opened, no file is changed.
    pub fn open_new(&mut self, replaces: bool) -> Result<(), Failure> {
        let is_temporary = self.is_temporary;
        let open =
            |out: &mut OpenOutput| if is_temporary { out.open_temporary() } else { out.open() };
        let opened = self.files_mut().try_for_each(open);
        if let Err(failure) = opened {
            self.discard();
            self.files_mut().for_each(OpenOutput::remove_if_empty);
            return Err(failure);
        }
        for out in self.files() {
            if replaces {
                out.truncate(0)?;
            } else if out.length()? > Some(0) {
                refuse!("{}: exists; --force replaces it", out.name());
            }
        }
        Ok(())
    }

    /// Removes the journal, if there is one.
    pub fn remove_journal(&self) -> io::Result<()> {
        let removed = self.journal.as_ref().map_or(Ok(()), JournalFile::remove);
        removed.map_err(|error| self.named(&error))
    }

    /// Adds the name of the output to an error of its journal.
    fn named(&self, error: &io::Error) -> io::Error {
        let what = format!("{}: its journal: {error}", self.outs[0].name());
        io::Error::new(error.kind(), what)
    }
}

impl Storage for Disk {
    fn name(&self, file: usize) -> String {
        self.file(file).name()
    }

    fn path(&self, file: usize) -> String {
        self.file(file).stored()
    }

    fn count(&self) -> usize {
        self.files().count()
    }

    fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    fn open(&mut self, opening: Opening<'_>) -> Result<(), Failure> {
        match opening {
            Opening::New { replaces } => {
                let is_inherited = self.journal.as_ref().is_some_and(|file| file.is_inherited);
                let opened = self.open_new(replaces);
                if opened.is_err() && !is_inherited {
                    self.remove_journal()?;
                }
                opened
            }
            Opening::Kept => self.files_mut().try_for_each(OpenOutput::open),
            Opening::Complete(paths) => {
                paths.iter().try_for_each(|path| self.locks.add(Path::new(path)))?;
                let open = |path: &String| OpenOutput::complete(PathBuf::from(path));
                self.outs = paths.iter().map(open).collect::<Result<_, _>>()?;
                self.sides = Vec::new();
                Ok(())
            }
        }
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        { &self.outs[output] }.write_all(bytes)
    }

    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        self.outs[output].replace_start(bytes)
    }

    fn length(&self, file: usize) -> io::Result<Option<u64>> {
        self.file(file).length()
    }

    fn read_before(&self, file: usize, end: u64, count: u64) -> io::Result<Vec<u8>> {
        self.file(file).read_before(end, count)
    }

    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()> {
        self.outs[output].truncate(length)
    }

    fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    fn save(&mut self, part: Part, bytes: &[u8]) -> io::Result<()> {
        let saved = self.journal.as_mut().map_or(Ok(()), |file| file.save(part, bytes));
        saved.map_err(|error| self.named(&error))
    }

    fn keep(&mut self) {
        self.files_mut().for_each(OpenOutput::keep);
    }

    fn remove_replaced(&mut self, file: usize) -> io::Result<()> {
        self.file(file).remove_replaced()
    }

    fn rename(&mut self, file: usize, replaces: bool) -> io::Result<()> {
        let mut files = self.files_mut();
        files.nth(file).expect("the file exists").rename(replaces)
    }

    fn discard(&mut self) {
        self.files_mut().for_each(OpenOutput::remove_temporary);
    }

    fn finish(&mut self) -> io::Result<()> {
        let folders: BTreeSet<_> = self.files().filter_map(OpenOutput::folder).collect();
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        self.remove_journal()
    }
}
