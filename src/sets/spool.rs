//! Bytes that are written once and read in order: in memory up to a limit, or while there is memory,
//! and beyond that in an unnamed temporary file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, Write};

use crate::memory;
use crate::temporary::TemporaryFile;

/// A writer of such bytes.
#[derive(Debug)]
pub struct Spool {
    most_bytes: usize,
    memory: Vec<u8>,
    file: Option<BufWriter<TemporaryFile>>,
}

/// A reader of the written bytes.
#[derive(Debug)]
pub enum SpoolReader {
    /// The bytes are in memory.
    Memory(Cursor<Vec<u8>>),
    /// The bytes are in a temporary file.
    File(BufReader<File>),
}

impl Spool {
    /// Creates a writer that keeps at most this many bytes in memory.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, memory: Vec::new(), file: None }
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(bytes);
        }
        let is_within = self.memory.len() + bytes.len() <= self.most_bytes;
        if is_within && memory::reserve(&mut self.memory, bytes.len()).is_ok() {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let mut file = TemporaryFile::create()?;
        file.write_all(&std::mem::take(&mut self.memory))?;
        self.file.insert(file).write_all(bytes)
    }

    /// Ends writing.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub fn finish(self) -> io::Result<SpoolReader> {
        let Some(file) = self.file else {
            return Ok(SpoolReader::Memory(Cursor::new(self.memory)));
        };
        let mut file = TemporaryFile::finish(file)?;
        file.rewind()?;
        Ok(SpoolReader::File(BufReader::new(file)))
    }
}

impl SpoolReader {
    /// Returns to the first byte.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    pub fn rewind(&mut self) -> io::Result<()> {
        match self {
            Self::Memory(memory) => memory.rewind(),
            Self::File(file) => file.rewind(),
        }
    }

    /// Reads an item of `N` bytes; returns `None` after the last one.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    pub fn read_item<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut item = [0; N];
        match self.read_exact(&mut item) {
            Ok(()) => Ok(Some(item)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Read for SpoolReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(memory) => memory.read(into),
            Self::File(file) => file.read(into),
        }
    }

    fn read_exact(&mut self, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Memory(memory) => memory.read_exact(into),
            Self::File(file) => file.read_exact(into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_order_from_memory_or_a_file() {
        for most_bytes in [0, 5, 100, 1 << 20] {
            let mut spool = Spool::new(most_bytes);
            (0..1000_u32).for_each(|number| spool.write(&number.to_le_bytes()).unwrap());
            let mut reader = spool.finish().unwrap();
            assert_eq!(matches!(reader, SpoolReader::File(_)), most_bytes < 4000);
            for _ in 0..2 {
                for number in 0..1000_u32 {
                    assert_eq!(reader.read_item().unwrap(), Some(number.to_le_bytes()));
                }
                assert_eq!(reader.read_item::<1>().unwrap(), None);
                reader.rewind().unwrap();
            }
        }
    }
}
