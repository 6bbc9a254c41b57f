//! Stores the hashes of records for a later pass over the same records.

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use bulkdoku::Status;
use bulkdoku::output::Row;
use bulkdoku::pipeline::Sameness;
use tempfile::SpooledTempFile;

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
pub struct HashWriter(BufWriter<SpooledTempFile>);

/// Reads the written records in order.
pub struct HashReader(BufReader<SpooledTempFile>);

impl HashWriter {
    pub fn new(most_bytes: usize) -> Self {
        Self(BufWriter::new(SpooledTempFile::new(most_bytes)))
    }

    pub fn push(&mut self, record: &RecordHashes) -> io::Result<()> {
        let count = record.hashes().count() as u16;
        self.0.write_all(&[record.status as u8])?;
        self.0.write_all(&count.to_le_bytes())?;
        record.hashes().try_for_each(|hash| self.0.write_all(&hash.to_le_bytes()))
    }

    pub fn finish(self) -> io::Result<HashReader> {
        let mut file = self.0.into_inner()?;
        file.rewind()?;
        Ok(HashReader(BufReader::new(file)))
    }
}

impl HashReader {
    /// Returns the next record.
    ///
    /// # Errors
    /// Fails after the last record, or if the file cannot be read.
    pub fn next(&mut self) -> io::Result<RecordHashes> {
        let [status] = self.take().map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                let more = "the input has more records than when it was read first";
                io::Error::new(ErrorKind::InvalidData, more)
            }
            _ => error,
        })?;
        let count = u16::from_le_bytes(self.take()?);
        let mut hashes = (0..count).map(|_| Ok(u128::from_le_bytes(self.take()?)));
        let first = hashes.next().transpose()?;
        let others = hashes.collect::<io::Result<_>>()?;
        Ok(RecordHashes { status: Status::ALL[usize::from(status)], first, others })
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
