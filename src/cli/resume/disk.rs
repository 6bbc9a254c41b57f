//! The files of a run on disk.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::out::OpenOutput;
use super::{JournalFile, Storage};

/// The open outputs of a run, and its journal.
#[derive(Debug)]
pub struct Disk {
    /// The outputs of rows, followed by that of messages, if it is requested.
    pub outs: Vec<OpenOutput>,
    /// The number of outputs of rows.
    rows: usize,
    /// The outputs written after all rows: latency histogram, summary, and report.
    pub sides: [Option<OpenOutput>; 3],
    pub journal: Option<JournalFile>,
    /// Whether existing files may be replaced or removed, because they belong to an earlier run
    /// that is replaced or resumed.
    pub owns: bool,
    /// The folders created for outputs of rows, outermost first.
    folders: Vec<PathBuf>,
    /// The hashes of outputs of rows that cannot be read again, if hashes are requested.
    hashes: Vec<Sha256>,
}

#[derive(Debug, Serialize)]
pub struct FileHash {
    name: String,
    bytes: Option<u64>,
    sha256: String,
}

impl Disk {
    /// Creates the files of a run without a journal; the first `rows` of `outs` are for rows.
    pub fn new(
        outs: Vec<OpenOutput>,
        rows: usize,
        sides: [Option<OpenOutput>; 3],
        folders: Vec<PathBuf>,
        owns: bool,
    ) -> Self {
        let hashes = vec![Sha256::new(); if sides[1].is_some() { rows } else { 0 }];
        Self { outs, rows, sides, journal: None, owns, folders, hashes }
    }

    pub fn rows(&self) -> &[OpenOutput] {
        &self.outs[..self.rows]
    }

    /// Returns the current hashes of outputs of rows, if the summary is requested.
    pub fn hashes(&self) -> io::Result<Vec<FileHash>> {
        let of_output = |(hash, out): (&Sha256, &OpenOutput)| {
            let mut hash = hash.clone();
            let bytes = out.read_all(|bytes| hash.update(bytes))?;
            let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(FileHash { name: out.name(), bytes, sha256 })
        };
        // If there are several outputs, those without rows are removed.
        let is_unused = |out: &OpenOutput| self.rows > 1 && matches!(out.length(), Ok(Some(0)));
        let hashes = self.hashes.iter().zip(&self.outs);
        hashes.filter(|(_, out)| !is_unused(out)).map(of_output).collect()
    }

    /// Removes side outputs created for this run.
    pub fn discard_sides(&mut self) {
        self.sides.iter_mut().flatten().for_each(|out| out.remove_if_empty(false));
    }

    /// Closes the outputs of an incomplete run.
    pub fn close(&mut self) {
        if self.rows > 1 {
            let rows = &mut self.outs[..self.rows];
            rows.iter_mut().for_each(|out| out.remove_if_empty(self.owns));
        }
        remove_unused(&self.folders);
    }

    /// Adds the name of the output to an error of its journal.
    fn named(&self, error: &io::Error) -> io::Error {
        let what = format!("{}: its journal: {error}", self.outs[0].name());
        io::Error::new(error.kind(), what)
    }
}

/// Removes empty folders, in the reverse order of their creation.
pub fn remove_unused(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

impl Storage for Disk {
    fn name(&self, output: usize) -> String {
        self.outs[output].name()
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

    fn length(&self, output: usize) -> io::Result<Option<u64>> {
        self.outs[output].length()
    }

    fn read_before(&self, output: usize, end: u64, count: u64) -> io::Result<Vec<u8>> {
        self.outs[output].read_before(end, count)
    }

    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()> {
        self.outs[output].truncate(length)
    }

    fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    fn save(&mut self, journal: &[u8]) -> io::Result<()> {
        let saved = self.journal.as_mut().map_or(Ok(()), |file| file.save(journal));
        saved.map_err(|error| self.named(&error))
    }

    fn complete(&mut self) -> io::Result<()> {
        self.close();
        // Rows are completed last: if they exist, all other files are complete.
        let mut outs = self.sides.iter_mut().flatten().chain(self.outs.iter_mut().rev());
        outs.try_for_each(|out| out.complete(self.owns))?;
        let removed = self.journal.as_mut().map_or(Ok(()), JournalFile::remove);
        // One of the folders may have contained the journal.
        remove_unused(&self.folders);
        removed.map_err(|error| self.named(&error))
    }
}
