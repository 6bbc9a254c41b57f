//! The files of a run on disk.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::super::Failure;
use super::super::out::OpenOutput;
use super::super::outputs::{Held, Sides};
use super::super::platform::sync_folder;
use super::{JournalFile, Opening, Storage};

/// The outputs of a run, and its journal.
#[derive(Debug)]
pub struct Disk {
    /// The outputs of rows, followed by that of messages, if it is requested.
    pub outs: Vec<OpenOutput>,
    /// The number of outputs of rows.
    rows: usize,
    /// The outputs written after all rows: latency histogram, summary, and report.
    pub sides: Sides<OpenOutput>,
    journal: Option<JournalFile>,
    /// Whether regular files have temporary names until they are complete.
    is_temporary: bool,
    /// Whether outputs without rows are removed.
    is_template: bool,
    /// Whether empty files of an earlier run may be removed, because this run replaces or resumes it.
    owns: bool,
    /// Dropped last.
    held: Held,
}

impl Disk {
    /// Creates the files of a run; the first `rows` of `outs` are for rows.
    pub fn new(
        (outs, rows): (Vec<OpenOutput>, usize),
        sides: Sides<OpenOutput>,
        journal: Option<JournalFile>,
        held: Held,
        is_temporary: bool,
        is_template: bool,
    ) -> Self {
        let owns = false;
        Self { outs, rows, sides, journal, is_temporary, is_template, owns, held }
    }

    pub fn rows(&self) -> &[OpenOutput] {
        &self.outs[..self.rows]
    }

    fn files(&self) -> impl Iterator<Item = &OpenOutput> {
        self.outs.iter().chain(self.sides.as_ref())
    }

    fn files_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut OpenOutput> {
        self.outs.iter_mut().chain(self.sides.as_mut())
    }

    fn file(&self, number: usize) -> &OpenOutput {
        self.files().nth(number).expect("the file exists")
    }

    /// Removes side outputs created for this run.
    pub fn discard_sides(&mut self) {
        self.sides.as_mut().into_iter().for_each(|out| out.remove_if_empty(false));
    }

    /// Creates all files of a run, or empties existing ones if it `replaces` them. If one cannot be
    /// opened, no file is changed.
    pub fn open_new(&mut self, replaces: bool) -> Result<(), Failure> {
        self.owns = replaces;
        self.create()?;
        self.empty()
    }

    fn create(&mut self) -> Result<(), Failure> {
        let is_temporary = self.is_temporary;
        self.files_mut()
            .try_for_each(|out| if is_temporary { out.open_temporary() } else { out.open() })
    }

    fn empty(&self) -> Result<(), Failure> {
        for out in self.files() {
            if self.owns {
                out.truncate(0)?;
            } else if out.length()? > Some(0) {
                refuse!("{}: exists; --force replaces it", out.name());
            }
        }
        Ok(())
    }

    /// Closes the outputs of an incomplete run, of which only a continuable one keeps its rows.
    pub fn close(&mut self) -> io::Result<()> {
        if self.is_temporary {
            self.files_mut().for_each(OpenOutput::remove_temporary);
            return self.remove_journal();
        }
        self.remove_unused();
        Ok(())
    }

    /// Removes outputs without rows, unless they were named.
    fn remove_unused(&mut self) {
        if self.is_template {
            let rows = &mut self.outs[..self.rows];
            rows.iter_mut().for_each(|out| out.remove_if_empty(self.owns));
        }
    }

    /// Removes the journal, if there is one.
    pub fn remove_journal(&mut self) -> io::Result<()> {
        let removed = self.journal.as_mut().map_or(Ok(()), JournalFile::remove);
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

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        (&self.outs[output]).write_all(bytes)
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

    fn count(&self) -> usize {
        self.files().count()
    }

    fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    fn open(&mut self, opening: Opening<'_>) -> Result<(), Failure> {
        match opening {
            Opening::New { replaces } => {
                self.owns = replaces;
                let is_inherited = self.journal.as_ref().is_some_and(|file| file.is_inherited);
                if let Err(failure) = self.create() {
                    for out in self.files_mut() {
                        out.remove_temporary();
                        out.remove_if_empty(false);
                    }
                    if !is_inherited {
                        self.remove_journal()?;
                    }
                    return Err(failure);
                }
                self.empty()
            }
            Opening::Kept => {
                self.owns = true;
                self.files_mut().try_for_each(OpenOutput::open)
            }
            Opening::Complete(paths) => {
                let lock = |path: &Path| self.held.lock_more(path);
                paths.iter().map(Path::new).try_for_each(lock)?;
                let open = |path: &String| OpenOutput::complete(path.into());
                self.outs = paths.iter().map(open).collect::<Result<_, _>>()?;
                self.sides = Sides::default();
                Ok(())
            }
        }
    }

    fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    fn save(&mut self, journal: &[u8]) -> io::Result<()> {
        let saved = self.journal.as_mut().map_or(Ok(()), |file| file.save(journal));
        saved.map_err(|error| self.named(&error))
    }

    fn remove_replaced(&mut self, file: usize) -> io::Result<()> {
        self.file(file).remove_replaced()
    }

    fn rename(&mut self, file: usize, replaces: bool) -> io::Result<()> {
        let mut files = self.files_mut();
        files.nth(file).expect("the file exists").rename(replaces)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.remove_unused();
        let folders: BTreeSet<_> = self.files().filter_map(OpenOutput::folder).collect();
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        self.remove_journal()
    }
}
