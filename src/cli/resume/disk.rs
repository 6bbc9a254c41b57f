//! The files of a run on disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{mem, slice, thread};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::Failure;
use super::super::out::OpenOutput;
use super::super::outputs::{Held, Sides};
use super::super::platform::sync_folder;
use super::{JournalFile, Opening, Storage};

/// The maximum number of concurrent syncs, and of files that are open for them.
const SYNCS: usize = 16;

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
    /// The hashes of outputs of rows that cannot be read again, if hashes are requested.
    hashes: Vec<Sha256>,
    /// The output of each source, of which the first of `outs` is one at a time.
    of_sources: Vec<PathBuf>,
    /// The hashes of complete outputs of sources, if hashes are requested.
    complete: Vec<FileHash>,
    /// The complete outputs of sources that must be synced before the journal has their rows.
    unsynced: Vec<PathBuf>,
    /// Dropped last.
    held: Held,
}

#[derive(Clone, Debug, Serialize)]
pub struct FileHash {
    name: String,
    bytes: Option<u64>,
    sha256: String,
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
        let hashes = vec![Sha256::new(); if sides.summary.is_some() { rows } else { 0 }];
        let owns = false;
        let (of_sources, complete, unsynced) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            outs,
            rows,
            sides,
            journal,
            is_temporary,
            is_template,
            owns,
            hashes,
            of_sources,
            complete,
            unsynced,
            held,
        }
    }

    /// Sets the output of each source. The only output of rows is opened with its source.
    pub fn with_output_per_source(self, of_sources: Vec<PathBuf>) -> Self {
        Self { of_sources, ..self }
    }

    pub fn rows(&self) -> &[OpenOutput] {
        &self.outs[..self.rows]
    }

    /// Returns the current hashes of outputs of rows, if the summary is requested.
    pub fn hashes(&self) -> io::Result<Vec<FileHash>> {
        Ok([self.complete.clone(), self.open_hashes()?].concat())
    }

    /// Returns the hashes of outputs of rows that are open.
    fn open_hashes(&self) -> io::Result<Vec<FileHash>> {
        let of_output = |(hash, out): (&Sha256, &OpenOutput)| {
            let mut hash = hash.clone();
            let bytes = out.read_rows(|bytes| hash.update(bytes))?;
            let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(FileHash { name: out.name(), bytes, sha256 })
        };
        let is_unused = |out: &OpenOutput| self.is_template && matches!(out.length(), Ok(Some(0)));
        let hashes = self.hashes.iter().zip(&self.outs).filter(|(_, out)| !is_unused(out));
        let is_open = |(_, out): &(_, &OpenOutput)| self.of_sources.is_empty() || out.is_regular();
        hashes.filter(is_open).map(of_output).collect()
    }

    /// Syncs complete outputs of sources. Concurrent syncs share the work of the file system.
    fn sync_complete(&mut self) -> io::Result<()> {
        let paths = mem::take(&mut self.unsynced);
        let next = AtomicUsize::new(0);
        let sync = || -> io::Result<()> {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                let synced =
                    File::options().write(true).open(path).and_then(|file| file.sync_data());
                synced.map_err(|error| {
                    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
                })?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, sync).ok();
            // Without threads, all are synced here.
            let others: Vec<_> = (1..SYNCS.min(paths.len())).filter_map(spawn).collect();
            let own = sync();
            others
                .into_iter()
                .map(|other| other.join().expect("it does not panic"))
                .fold(own, Result::and)
        })?;
        let folders: BTreeSet<_> = paths.iter().filter_map(|path| path.parent()).collect();
        folders.into_iter().try_for_each(sync_folder)
    }

    fn files(&self) -> impl Iterator<Item = &OpenOutput> {
        self.outs.iter().chain(self.sides.as_ref())
    }

    fn files_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut OpenOutput> {
        self.outs.iter_mut().chain(self.sides.as_mut())
    }

    /// Returns all files except the output of a source, which is opened later.
    fn files_to_open(&mut self) -> impl Iterator<Item = &mut OpenOutput> {
        let opened_later = usize::from(!self.of_sources.is_empty());
        self.files_mut().skip(opened_later)
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
        self.files_to_open()
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
        let mut out = &self.outs[output];
        out.write_all(bytes)?;
        if let Some(hash) = self.hashes.get_mut(output)
            && !out.is_regular()
        {
            hash.update(bytes);
        }
        Ok(())
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
                self.files_to_open().try_for_each(OpenOutput::open)
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

    fn next_source(&mut self, source: usize, keeps: bool) -> Result<(), Failure> {
        let Some(path) = self.of_sources.get(source).cloned() else { return Ok(()) };
        if self.outs[0].is_regular() {
            self.complete.extend(self.open_hashes()?);
            self.unsynced.push(self.outs[0].path().into());
        }
        self.held.create_folders(slice::from_ref(&path))?;
        let mut out = OpenOutput::unopened(&path);
        out.open()?;
        if !keeps && self.owns {
            out.truncate(0)?;
        } else if !keeps && out.length()? > Some(0) {
            refuse!("{}: exists; --force replaces it", out.name());
        }
        self.outs[0] = out;
        Ok(())
    }

    fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    fn save(&mut self, journal: &[u8]) -> io::Result<()> {
        self.sync_complete()?;
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
        self.sync_complete()?;
        let folders: BTreeSet<_> = self.files().filter_map(OpenOutput::folder).collect();
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        self.remove_journal()
    }
}
