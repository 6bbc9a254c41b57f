//! The bytes of a file that several row groups read at a time.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// The maximum size of a page header; usual ones have fewer than 100 bytes.
const MAX_HEADER_BYTES: u64 = 16 * 1024;

/// A file, whose position all row groups share.
#[derive(Clone)]
pub(super) struct FileBytes(Arc<Mutex<File>>);

impl FileBytes {
    pub(super) fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Length for FileBytes {
    fn len(&self) -> u64 {
        self.file().len()
    }
}

impl ChunkReader for FileBytes {
    type T = HeaderBytes;

    /// Called for page headers.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut bytes = Vec::new();
        self.file().get_read(start)?.take(MAX_HEADER_BYTES).read_to_end(&mut bytes)?;
        Ok(HeaderBytes(bytes.into()))
    }

    /// Called for page contents.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.file().get_bytes(start, length)
    }
}

/// The bytes of a page from its header on. Reading past them fails because the parser of the crate
/// would otherwise skip nothing forever.
pub(super) struct HeaderBytes(Bytes);

impl Read for HeaderBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && !into.is_empty() {
            let what = "a page header does not end";
            return Err(io::Error::new(ErrorKind::UnexpectedEof, what));
        }
        let bytes = self.0.split_to(into.len().min(self.0.len()));
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}
