//! Stores the hashes of records for a later pass over the same records.

use std::io;

use bulkdoku::Status;
use bulkdoku::output::Row;
use bulkdoku::pipeline::Changed;
use bulkdoku::sets::Sameness;
use bulkdoku::sets::spool::{Spool, SpoolReader};

pub struct RecordHashes {
    pub status: Status,
    /// The hash for comparing the record itself, if it has one.
    pub first: Option<u128>,
    /// With `--near`, the hashes with clues removed.
    pub others: Vec<u128>,
}

impl RecordHashes {
    pub fn of(by: Sameness, row: &Row<'_>) -> Self {
        let mut hashes = by.hashes(row);
        Self { status: row.status(), first: hashes.next(), others: hashes.collect() }
    }

    pub fn hashes(&self) -> impl Iterator<Item = u128> {
        self.first.into_iter().chain(self.others.iter().copied())
    }
}

/// Writes records to memory, and beyond a limit to an unnamed temporary file.
pub struct HashWriter(Spool);

/// Reads the written records in order.
pub struct HashReader(SpoolReader);

impl HashWriter {
    pub fn new(most_bytes: usize) -> Self {
        Self(Spool::new(most_bytes))
    }

    pub fn push(&mut self, record: &RecordHashes) -> io::Result<()> {
        let count = record.hashes().count() as u16;
        self.0.write(&[record.status as u8])?;
        self.0.write(&count.to_le_bytes())?;
        record.hashes().try_for_each(|hash| self.0.write(&hash.to_le_bytes()))
    }

    pub fn finish(self) -> io::Result<HashReader> {
        Ok(HashReader(self.0.finish()?))
    }
}

impl HashReader {
    /// Returns the next record, which is in this input.
    ///
    /// # Errors
    /// Fails after the last record, or if the file cannot be read.
    pub fn next(&mut self, file: &str) -> io::Result<RecordHashes> {
        let [status] = self.take(file)?;
        let count = u16::from_le_bytes(self.take(file)?);
        let mut hashes = (0..count).map(|_| Ok(u128::from_le_bytes(self.take(file)?)));
        let first = hashes.next().transpose()?;
        let others = hashes.collect::<io::Result<_>>()?;
        Ok(RecordHashes { status: Status::ALL[usize::from(status)], first, others })
    }

    fn take<const N: usize>(&mut self, file: &str) -> io::Result<[u8; N]> {
        self.0.read_item()?.ok_or_else(|| Changed::since_first_pass(&file))
    }
}
