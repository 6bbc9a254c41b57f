//! The files of a run.

use std::io::{self, Write};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::out::Out;
use super::{JournalFile, Storage};

/// The open outputs of rows, then that of messages, and the file of the journal.
#[derive(Debug)]
pub struct Disk {
    outs: Vec<Out>,
    /// The number of outputs of rows.
    rows: usize,
    journal: Option<JournalFile>,
    /// Whether files that exist may be replaced or removed.
    owns: bool,
    /// The hash of each output of rows, if it is requested.
    hashes: Option<Vec<Sha256>>,
}

/// The hash of a complete output.
#[derive(Debug, Serialize)]
pub struct FileHash {
    name: String,
    bytes: Option<u64>,
    sha256: String,
}

impl Disk {
    /// The files of a run. It `owns` those that existed before, if it replaces or resumes them.
    pub fn new(
        rows: Vec<Out>,
        messages: Option<Out>,
        journal: Option<JournalFile>,
        owns: bool,
    ) -> Self {
        let (count, mut outs) = (rows.len(), rows);
        outs.extend(messages);
        Self { outs, rows: count, journal, owns, hashes: None }
    }

    /// Starts to hash the outputs of rows.
    pub fn hash(&mut self) {
        self.hashes = Some(vec![Sha256::new(); self.rows]);
    }

    /// The hashes of outputs of rows, if they were requested. Files are read as they are now.
    pub fn hashes(&self) -> io::Result<Vec<FileHash>> {
        let hashes = self.hashes.iter().flatten().zip(&self.outs);
        let of_output = |(hash, out): (&Sha256, &Out)| {
            let mut hash = hash.clone();
            let bytes =
                out.read_all(|bytes| hash.update(bytes)).map_err(|error| out.named(&error))?;
            let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(FileHash { name: out.name(), bytes, sha256 })
        };
        let is_written = |(_, out): &(&Sha256, &Out)| !self.is_unused(out);
        hashes.filter(is_written).map(of_output).collect()
    }

    /// Whether an output of several has no rows.
    fn is_unused(&self, out: &Out) -> bool {
        self.rows > 1 && matches!(out.length(), Ok(Some(0)))
    }

    /// All outputs.
    pub fn outs(&self) -> &[Out] {
        &self.outs
    }

    /// Closes the outputs of a run that is not complete.
    pub fn close(&mut self) {
        let owns = self.owns;
        let rows = &mut self.outs[..self.rows];
        if rows.len() > 1 {
            rows.iter_mut().for_each(|out| out.remove_if_empty(owns));
        }
    }
}

impl Storage for Disk {
    fn name(&self, output: usize) -> String {
        self.outs[output].name()
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let out = &self.outs[output];
        { out }.write_all(bytes).map_err(|error| out.named(&error))?;
        if let Some(hash) = self.hashes.as_mut().and_then(|hashes| hashes.get_mut(output))
            && out.regular().is_none()
        {
            hash.update(bytes);
        }
        Ok(())
    }

    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let out = &self.outs[output];
        out.replace_start(bytes).map_err(|error| out.named(&error))
    }

    fn length(&self, output: usize) -> io::Result<Option<u64>> {
        let out = &self.outs[output];
        out.length().map_err(|error| out.named(&error))
    }

    fn read_before(&self, output: usize, end: u64, count: u64) -> io::Result<Vec<u8>> {
        let out = &self.outs[output];
        out.read_before(end, count).map_err(|error| out.named(&error))
    }

    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()> {
        let out = &self.outs[output];
        out.cut(length).map_err(|error| out.named(&error))
    }

    fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    fn save(&mut self, journal: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.journal else { return Ok(()) };
        let out = &self.outs[0];
        file.save(journal).map_err(|error| {
            let what = format!("{}: its journal: {error}", out.name());
            io::Error::new(error.kind(), what)
        })
    }

    fn complete(&mut self) -> io::Result<()> {
        self.close();
        let owns = self.owns;
        // Rows come last: where they are, the messages are complete as well.
        for out in self.outs.iter_mut().rev() {
            out.complete(owns).map_err(|error| out.named(&error))?;
        }
        match &mut self.journal {
            Some(journal) => journal.remove().map_err(|error| {
                let what = format!("{}: its journal: {error}", self.outs[0].name());
                io::Error::new(error.kind(), what)
            }),
            None => Ok(()),
        }
    }
}
